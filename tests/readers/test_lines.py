"""Lines into blocks, on layouts small enough to see what must come out."""

from __future__ import annotations

import pytest

from vdebench.box import Box
from vdebench.readers.lines import Line, blocks_of, in_reading_order, join_lines
from vdebench.reading import Block


def line(x: float, y: float, width: float, text: str, height: float = 20) -> Line:
    return Line(Box(x, y, x + width, y + height), text)


def said(lines) -> list[str]:
    return [block.content for block in blocks_of(lines)]


def test_lines_close_together_are_a_paragraph():
    lines = [line(10, 10, 300, "one two"), line(10, 36, 300, "three four"), line(10, 62, 120, "five.")]
    assert said(lines) == ["one two three four five."]


def test_a_wide_gap_begins_another_paragraph():
    assert said([line(10, 10, 300, "one"), line(10, 36, 300, "two"), line(10, 90, 300, "three")]) == [
        "one two",
        "three",
    ]


def test_a_title_is_larger_and_apart():
    assert said([line(10, 10, 300, "Title", height=40), line(10, 56, 300, "text"), line(10, 82, 300, "goes on")]) == [
        "Title",
        "text goes on",
    ]


def test_columns_are_read_one_after_the_other():
    left = [line(10, 10 + 26 * row, 200, f"l{row}") for row in range(3)]
    right = [line(240, 12 + 26 * row, 200, f"r{row}") for row in range(3)]
    assert said([*right, *left]) == ["l0 l1 l2", "r0 r1 r2"]


def test_a_title_over_two_columns_comes_first():
    lines = [line(10, 10, 430, "Title", height=30)]
    lines += [line(x, 60 + 26 * row, 200, f"{name}{row}") for x, name in ((10, "l"), (240, "r")) for row in range(3)]
    assert said(lines) == ["Title", "l0 l1 l2", "r0 r1 r2"]


def test_pieces_of_one_line_are_put_together():
    assert said([line(10, 10, 100, "left"), line(115, 11, 100, "right")]) == ["left right"]


def test_a_short_last_line_and_an_indented_first_one_belong_to_the_paragraph():
    assert said([line(40, 10, 270, "first"), line(10, 36, 300, "second"), line(10, 62, 60, "end")]) == [
        "first second end"
    ]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["基金", "情况"], "基金情况"),
        (["the", "end"], "the end"),
        (["增长", "12.5%"], "增长 12.5%"),
        (["，然后", "（见下）"], "，然后（见下）"),
        (["", "  a "], "a"),
    ],
)
def test_joined_lines(texts, expected):
    assert join_lines(texts) == expected


def test_reading_order_of_nothing_and_of_one():
    block = Block(Box(0, 0, 1, 1), "a")
    assert in_reading_order([]) == []
    assert in_reading_order([block]) == [block]
    assert blocks_of([]) == []
