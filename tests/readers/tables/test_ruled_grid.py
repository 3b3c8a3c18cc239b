"""Structure of drawn tables from their rules."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import pytest

from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.ruled_grid import grid_structure
from vdebench.readers.tables.ruled_lines import find_ruled_lines

HEIGHT = 28
XS, YS = (40, 240, 440, 640), (40, 80, 120, 160, 200)
TABLE = Box(XS[0], YS[0], XS[-1], YS[-1])
INK, PAPER_LINE, PANEL = (60, 40, 20), (215, 225, 235), (90, 50, 20)


def drawn(skip=(), panel=False):
    """A grid of three columns and four rows without some sides: ("x" or "y", boundary, row or column)."""
    image = np.full((260, 700, 3), 255, np.uint8)
    for i, x in enumerate(XS):
        for row, (y1, y2) in enumerate(pairwise(YS)):
            if ("x", i, row) not in skip:
                cv2.line(image, (x, y1), (x, y2), INK, 2)
    for i, y in enumerate(YS):
        for column, (x1, x2) in enumerate(pairwise(XS)):
            if ("y", i, column) not in skip:
                cv2.line(image, (x1, y), (x2, y), INK, 2)
    if panel:
        image[YS[0] : YS[1] + 1, XS[0] : XS[-1] + 1] = PANEL
    return image


def text(x, y, width=60, height=HEIGHT - 4):
    return Line(Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2), "text")


def cells():
    return [text((x1 + x2) / 2, (y1 + y2) / 2) for y1, y2 in pairwise(YS) for x1, x2 in pairwise(XS)]


def tags(image, lines, box=TABLE):
    structure = grid_structure(image, box, find_ruled_lines(image, HEIGHT).across, lines, HEIGHT)
    return structure and "".join(structure.tags)


PLAIN = "<tr><td></td><td></td><td></td></tr>"


def test_a_grid_gives_rows_and_columns_with_the_boxes_of_the_cells():
    image = drawn()
    structure = grid_structure(image, TABLE, find_ruled_lines(image, HEIGHT).across, cells(), HEIGHT)
    assert "".join(structure.tags) == 4 * PLAIN
    assert all(abs(one - other) <= 2 for one, other in zip(structure.cells[4], (240, 80, 440, 120), strict=True))


@pytest.mark.parametrize(
    ("skip", "expected"),
    [
        # no rule right of the first cell: it spans two columns
        ([("x", 1, 0)], '<tr><td colspan="2"></td><td></td></tr>' + 3 * PLAIN),
        # no rule below the first cells of rows 1 and 2: one cell over three rows
        (
            [("y", 2, 0), ("y", 3, 0)],
            PLAIN + '<tr><td rowspan="3"></td><td></td><td></td></tr>' + 2 * "<tr><td></td><td></td></tr>",
        ),
    ],
)
def test_a_missing_rule_joins_cells(skip, expected):
    assert tags(drawn(skip), cells()) == expected


def test_cells_that_are_no_rectangle_are_no_grid():
    assert tags(drawn([("x", 1, 1), ("y", 2, 0)]), cells()) is None


def test_the_lines_of_ruled_paper_are_no_rules():
    image = drawn()
    for y in range(20, 260, 25):
        row = image[y, :]
        row[(row == 255).all(1)] = PAPER_LINE
    assert tags(image, cells()) == 4 * PLAIN


def test_rows_without_rules_leave_the_table_to_the_model():
    skip = [("y", boundary, column) for boundary in (2, 3) for column in range(3)]
    assert tags(drawn(skip), cells()) is None


def test_wrapped_text_in_one_column_is_no_row():
    skip = [("y", boundary, column) for boundary in (2, 3) for column in range(3)]
    wrapped = [text(140, y) for y in (100, 128, 156)]
    assert tags(drawn(skip), [*wrapped, text(340, 128), text(540, 128)]) == 2 * PLAIN


def test_large_letters_are_no_rules():
    image = drawn()
    cv2.line(image, (140, 81), (140, 119), INK, 3)  # a stroke as high as a single row
    assert tags(image, cells()) is None


def test_a_table_with_horizontal_rules_alone_is_no_grid():
    skip = [("x", boundary, row) for boundary in range(4) for row in range(4)]
    assert tags(drawn(skip), cells()) is None


def test_a_dark_head_takes_the_columns_below():
    assert tags(drawn(panel=True), cells()) == 4 * PLAIN
    spanning = [text(240, 60), text(540, 60), *cells()[3:]]  # over the first two columns
    assert tags(drawn(panel=True), spanning) == '<tr><td colspan="2"></td><td></td></tr>' + 3 * PLAIN


def test_a_single_text_in_a_row_without_rules_spans_the_row():
    skip = [("x", 1, 0), ("x", 2, 0)]
    assert tags(drawn(skip), [text(340, 60), *cells()[3:]]) == '<tr><td colspan="3"></td></tr>' + 3 * PLAIN
