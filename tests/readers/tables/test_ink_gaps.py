"""Gaps between words and between the cells of a row."""

from __future__ import annotations

import numpy as np

from vdebench.core.box import Box
from vdebench.readers.tables.ink_gaps import cell_gap, ink_gaps, split_at_gaps

BOX = Box(10, 10, 110, 40)


def words(*spans):
    """Grey page with ink from one column to another."""
    grey = np.full((50, 120), 250, np.uint8)
    for x1, x2 in spans:
        grey[20:30, x1:x2] = 30
    return grey


def test_gaps_lie_between_ink():
    assert ink_gaps(words((12, 40), (48, 70)), BOX) == [(40, 48)]
    assert ink_gaps(words(), BOX) == []
    assert ink_gaps(words((12, 40)), Box(500, 10, 600, 40)) == []


def test_the_gap_between_cells_is_wider_than_the_spaces():
    grey = words((12, 30), (35, 50), (62, 80), (85, 100))  # spaces of 5 pixels, a gap of 12
    assert cell_gap(grey, BOX, 60, reach=10) == 56
    assert cell_gap(grey, BOX, 82, reach=3) is None  # a space: not wider than the others
    assert cell_gap(grey, BOX, 40, reach=2) is None  # inside a word


def test_a_line_is_split_where_a_boundary_has_a_gap():
    grey = words((12, 30), (35, 50), (62, 80), (85, 100))
    assert [(box.x1, box.x2) for box in split_at_gaps(grey, BOX, [0, 58, 83, 200], 4)] == [(10, 56), (56, 110)]


def test_a_rule_at_the_edge_of_the_box_closes_no_gap():
    grey = words((12, 30), (62, 80))
    grey[11:13], grey[38] = 30, 30
    assert ink_gaps(grey, BOX) == [(30, 62)]
