"""Structure of tables without vertical rules, from the boxes of their texts."""

from __future__ import annotations

import numpy as np
import pytest

from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.text_grid import text_grid

HEIGHT = 28
TABLE = Box(0, 0, 600, 230)
RULES = [Box(0, 0, 600, 2), Box(0, 38, 600, 40), Box(0, 228, 600, 230)]
CENTERS = (250, 350, 450, 550)  # of four columns of 100 pixels; the first one, of 200, is at the left
ROWS = (60, 98, 136, 174, 212)


def text(x, y, width=60, left=False):
    x1 = x if left else x - width / 2
    return Line(Box(x1, y - HEIGHT / 2, x1 + width, y + HEIGHT / 2), "text")


def label(y, width=80):
    return text(4, y, width, left=True)


HEADS = [text(100, 20), *(text(x, 20) for x in CENTERS)]
LABELS = [label(y, 60 + 15 * index) for index, y in enumerate(ROWS)]
VALUES = [text(x, y) for y in ROWS for x in CENTERS]
PLAIN = "<tr>" + 5 * "<td></td>" + "</tr>"


def tags(lines, rules=RULES):
    grey = np.full((240, 610), 255, np.uint8)
    structure = text_grid(grey, TABLE, rules, lines, HEIGHT)
    return structure and "".join(structure.tags)


def without(*places):
    return [text(x, y) for r, y in enumerate(ROWS) for c, x in enumerate(CENTERS) if (r, c) not in places]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([*HEADS, *LABELS, *VALUES], 6 * PLAIN),
        # cells without text, and a row without values
        ([*HEADS, *LABELS, *without((0, 1), (3, 3))], 6 * PLAIN),
        ([*HEADS, *LABELS, *without((1, 0), (1, 1), (1, 2), (1, 3))], 6 * PLAIN),
        # a text in two lines, in the middle of its row
        ([*HEADS, *LABELS, *without((2, 1)), text(350, 125), text(350, 147)], 6 * PLAIN),
        # a text between two columns
        (
            [*HEADS, *LABELS, *without((2, 1), (2, 2)), text(400, 136)],
            3 * PLAIN + '<tr><td></td><td></td><td colspan="2"></td><td></td></tr>' + 2 * PLAIN,
        ),
        # labels in the middle of two and of three rows
        (
            [*HEADS, label(79), label(174), *VALUES],
            PLAIN
            + '<tr><td rowspan="2"></td>'
            + 4 * "<td></td>"
            + "</tr><tr>"
            + 4 * "<td></td>"
            + "</tr>"
            + '<tr><td rowspan="3"></td>'
            + 4 * "<td></td>"
            + "</tr>"
            + 2 * ("<tr>" + 4 * "<td></td>" + "</tr>"),
        ),
    ],
)
def test_rows_columns_and_spans(lines, expected):
    assert tags(lines) == expected


def test_a_head_over_two_columns():
    heads = [text(100, 20), text(300, 20), *HEADS[3:]]
    assert tags([*heads, *LABELS, *VALUES]) == ('<tr><td></td><td colspan="2"></td><td></td><td></td></tr>' + 5 * PLAIN)


@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        ([*HEADS, *LABELS, *VALUES], [RULES[0], RULES[2]]),  # no rule below the head
        ([*HEADS, *LABELS], RULES),  # one column
        ([*HEADS, *LABELS, *VALUES[:4]], RULES),  # most cells are empty
        ([*HEADS, *LABELS, *without((2, 1)), text(350, 150)], RULES),  # a text between two rows
        ([*HEADS, *LABELS, *VALUES], [*RULES, Box(200, 18, 600, 20)]),  # a rule in a head of one row
        ([], RULES),
    ],
)
def test_unclear_tables_are_left_to_the_model(lines, rules):
    assert tags(lines, rules) is None
