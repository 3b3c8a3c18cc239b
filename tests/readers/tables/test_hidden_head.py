"""Cells of table heads without visible rules."""

from __future__ import annotations

import pytest

from vdebench.core.box import Box
from vdebench.readers.tables.hidden_head import head_cells

XS = [0, 100, 200, 300, 400]
HEAD = Box(0, 0, 400, 80)
MIDDLE, UPPER, LOWER = 40, 20, 60


def text(x, y, width=60):
    return Box(x - width / 2, y - 10, x + width / 2, y + 10)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        # one row, one text over each column
        ([text(x, MIDDLE) for x in (50, 150, 250, 350)], [(0, c, 1, 1) for c in range(4)]),
        # a text between two columns spans both; a column without text is an empty cell
        ([text(100, MIDDLE), text(350, MIDDLE)], [(0, 0, 1, 2), (0, 2, 1, 1), (0, 3, 1, 1)]),
        # wrapped texts are no second row
        (
            [text(50, MIDDLE), text(150, 28), text(150, 52), text(250, MIDDLE), text(350, MIDDLE)],
            [(0, c, 1, 1) for c in range(4)],
        ),
        # a text at the left of its cell, in the middle of nothing
        ([text(30, MIDDLE, 40), text(130, MIDDLE, 40)], [(0, c, 1, 1) for c in range(4)]),
        # the first column has one text for both rows; one group of one column, one of two
        (
            [text(50, MIDDLE), text(150, UPPER), text(300, UPPER), *(text(x, LOWER) for x in (150, 250, 350))],
            [(0, 0, 2, 1), (0, 1, 1, 1), (0, 2, 1, 2), (1, 1, 1, 1), (1, 2, 1, 1), (1, 3, 1, 1)],
        ),
        # a group of three columns stands over the middle one of them
        (
            [text(50, MIDDLE), text(250, UPPER), *(text(x, LOWER) for x in (150, 250, 350))],
            [(0, 0, 2, 1), (0, 1, 1, 3), (1, 1, 1, 1), (1, 2, 1, 1), (1, 3, 1, 1)],
        ),
        # the lower row is higher than the upper one, and its texts are near the middle
        (
            [text(50, MIDDLE), text(250, 14), *(text(x, y) for x, y in ((150, 52), (250, 51), (350, 54)))],
            [(0, 0, 2, 1), (0, 1, 1, 3), (1, 1, 1, 1), (1, 2, 1, 1), (1, 3, 1, 1)],
        ),
    ],
)
def test_cells_of_a_head(texts, expected):
    cells = head_cells(texts, HEAD, XS, far=12)
    assert sorted((cell.row, cell.column, cell.rowspan, cell.colspan) for cell in cells) == expected


def test_boxes_of_two_rows_meet_between_the_texts():
    texts = [text(50, MIDDLE), text(250, UPPER), *(text(x, LOWER) for x in (150, 250, 350))]
    cells = {(cell.row, cell.column): cell.box for cell in head_cells(texts, HEAD, XS, far=12)}
    assert cells[0, 1] == Box(100, 0, 400, 40)
    assert cells[1, 3] == Box(300, 40, 400, 80)
    assert cells[0, 0] == Box(0, 0, 100, 80)
