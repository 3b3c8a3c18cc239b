"""Doubtful characters of OCR output in the report's text differences."""

from __future__ import annotations

import pytest

from vdebench.core.box import Box
from vdebench.core.page_text import Block
from vdebench.report.site.doubtful import doubtful_positions, mark_doubtful


def block(content: str, doubtful) -> Block:
    return Block(Box(0, 0, 9, 9), content, extra={"doubtful": doubtful})


@pytest.mark.parametrize(
    ("blocks", "text", "expected"),
    [
        ([block("ab", [[1, 2, 50]])], "ab", {1: 50}),
        ([block("ab", []), block("cd", [[0, 1, 70]])], "ab cd", {3: 70}),  # joined with a space
        ([block("<td>ab</td>", [[5, 6, 30]])], "ab", {1: 30}),  # tags removed
        ([Block(Box(0, 0, 9, 9), "ab")], "ab", {}),
        ([block("ab", "damaged"), block("cd", [[0, "x", 1], 7])], "abcd", {}),
    ],
)
def test_positions_in_the_text_that_is_compared(blocks, text, expected):
    assert doubtful_positions(blocks, text) == expected


def test_only_pieces_of_the_ocr_output_are_marked():
    pieces = [["-", "xx"], ["=", "ab"], ["+", "cd"]]
    assert mark_doubtful(pieces, {1: 40, 2: 40}) == [
        ["-", "xx"],
        ["=", "a"],
        ["=", "b", 40],
        ["+", "c", 40],
        ["+", "d"],
    ]
    assert mark_doubtful(pieces, {}) == pieces
