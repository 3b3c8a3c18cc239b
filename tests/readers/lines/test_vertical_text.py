"""Vertical lines: the texts of two images of one line are merged."""

from __future__ import annotations

from tests.readers.rendered import draw_vertical_page
from vdebench.readers.lines.recognition import RecognizedLine
from vdebench.readers.lines.vertical_text import agreement, may_be_column, merge_column
from vdebench.readers.rapid import RapidReader


def recognized(text: str, probability: float = 0.9) -> RecognizedLine:
    count = len(text)
    return RecognizedLine(text, tuple(n / count for n in range(count + 1)) if text else (), (probability,) * count)


def merged(turned: str, row: str) -> str:
    line = merge_column(recognized(turned), recognized(row, 0.8))
    assert len(line.edges) == len(line.text) + 1
    assert list(line.edges) == sorted(line.edges)
    assert len(line.probabilities) == len(line.text)
    return line.text


def test_punctuation_comes_from_the_row_and_letters_from_the_turned_line():
    assert merged("四面八方的商人’来到这里", "四面八方的商人，来到這里。") == "四面八方的商人，来到这里。"
    assert merged("茶叶丝绸和瓷器", "茶叶、丝一绸和瓷器") == "茶叶、丝绸和瓷器"
    assert merged("多说每逢集市", "多说。”每逢集市") == "多说。”每逢集市"


def test_texts_that_differ_are_not_merged():
    assert merged("四面八方的商人", "，一二三。") == "四面八方的商人"
    assert agreement(recognized("天地"), recognized("")) == 0


def test_only_full_width_text_may_be_vertical():
    assert may_be_column(recognized("第3章"))
    assert not may_be_column(recognized("Chapter 3"))
    assert not may_be_column(recognized("“。”"))


def test_columns_of_a_vertical_page_are_read_from_right_to_left():
    page, text = draw_vertical_page()
    read = RapidReader(tables=False).read(page)
    assert "".join(block.content for block in read.blocks) == text
    (left, top, right, bottom) = read.blocks[0].box
    assert right > 780  # the text begins at the right and spans the height of a column
    assert (top < 110, bottom > 850) == (True, True)
    assert left < right - 34
