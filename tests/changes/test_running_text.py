"""Text that moved to other lines, on hand-made pieces: a line is 20 high, and the next one 30 below."""

from __future__ import annotations

import numpy as np
import pytest

from vdebench.changes import running_text
from vdebench.changes.running_text import Piece, compare_running_text
from vdebench.changes.words import LineText
from vdebench.core.box import Box

IMAGE = np.zeros((1, 1, 3), np.uint8)


def piece(text, row=0, *, span=None, origin=-1, x=0):
    box = Box(x, 30 * row, x + 400, 30 * row + 20)
    return Piece(row, LineText(text), span or range(len(text)), box, IMAGE, origin)


def lines(*texts, row=0):
    return [piece(text, row + number) for number, text in enumerate(texts)]


def words(lost, added):
    return [(one and one.words, other and other.words) for one, other in compare_running_text(lost, added)]


@pytest.mark.parametrize(
    ("lost", "added", "expected"),
    [
        ([], [], []),
        (lines(""), lines(""), []),
        (lines("..."), lines("—"), []),  # marks alone say nothing
        (lines("gone"), [], [("gone", None)]),
        ([], lines("new"), [(None, "new")]),
        # the same words on other lines
        (lines("the quick brown", "fox jumps over"), lines("the quick", "brown fox jumps", "over"), []),
        (lines("the whole line moved"), lines("the whole line moved", row=20), []),
        # a word that is broken at the end of a line, on either side
        (lines("an expla-", "nation of it"), lines("an explanation", "of it"), []),
        (lines("an explanation", "of it"), lines("an expla-", "nation of it"), []),
        # a changed number in words that moved: what follows the same text replaces each other
        (lines("pay 1,250 euros on delivery"), lines("pay 1,350", "euros on delivery", row=8), [("1,250", "1,350")]),
        (lines("the cost is 21.88 now"), lines("the cost is", "211.88 now", row=8), [("21.88", "211.88")]),
        (lines("the cost is 121.88 now"), lines("the cost is", "21.88 now", row=8), [("121.88", "21.88")]),
        # Chinese: two characters are enough to be recognised
        (lines("一二三四五六"), lines("一二三", "四五七", row=3), [("六", "七")]),
        # one of two copies is new
        (lines("hello world"), lines("hello world", "hello world", row=5), [(None, "hello world")]),
        # a short word pushed over the end of a line is not lost; one that is far away is
        (lines("to"), lines("to", row=1), []),
        (lines("to"), lines("to", row=4), [("to", None), (None, "to")]),
        (lines("a"), lines("b", row=1), [("a", None), (None, "b")]),
    ],
)
def test_text_that_remains(lost, added, expected):
    assert words(lost, added) == expected


def test_sides_of_one_difference_replace_each_other():
    lost, added = piece("at 12", span=range(3, 5), origin=7), piece("at 13", 1, span=range(3, 5), origin=7)
    other = piece("by 14", 2, span=range(3, 5), origin=8)
    assert words([lost], [other, added]) == [("12", "13"), (None, "14")]


def test_a_piece_is_compared_without_the_rest_of_its_line():
    # "some" and "other" are not in the pieces.
    lost, added = piece("some longer words", span=range(5, 17)), piece("other longer words", 1, span=range(6, 18))
    assert words([lost], [added]) == []


def test_lines_in_other_columns_do_not_follow_each_other():
    # Below each other the pieces are the word "none"; in two columns they are too short to be recognised.
    assert words([piece("no-"), piece("ne", 1)], lines("none", row=9)) == []
    assert words([piece("no-"), piece("ne", 1, x=600)], lines("none", row=9)) != []


def test_boxes_of_what_remains():
    ((lost, added),) = compare_running_text(lines("pay 1250 now"), lines("pay 1350 now", row=20))
    # 12 characters on 400 pixels; "1250" is 4 to 8.
    assert lost.box_of(lost.span) == pytest.approx(Box(400 / 3, 0, 800 / 3, 20))
    assert added.box_of(added.span) == pytest.approx(Box(400 / 3, 600, 800 / 3, 620))


def test_very_long_texts_are_not_searched(monkeypatch):
    monkeypatch.setattr(running_text, "MAX_CHARACTERS", 10)
    assert words(lines("a longer text"), lines("a longer text", row=9)) == [
        ("a longer text", None),
        (None, "a longer text"),
    ]


def test_order_does_not_depend_on_the_order_of_the_pieces():
    lost, added = lines("the quick brown", "fox 12 jumps"), lines("the quick", "brown fox 13", "jumps", row=10)
    expected = words(lost, added)
    assert expected == [("12", "13")]
    assert words(lost[::-1], added[::-1]) == expected
