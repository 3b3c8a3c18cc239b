"""Pieces of a page that moved with the lines around them, on drawn pages: their pixels tell, whatever was read."""

from __future__ import annotations

import numpy as np
import pytest

from tests.changes.drawn import HEIGHT, LINES, WIDTH, draw, line_top, with_line
from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change
from vdebench.changes.registration import whole_page
from vdebench.changes.shifts import frequent_shifts, with_moved_pieces
from vdebench.core.box import Box, Size

SIZE = Size(WIDTH, HEIGHT)
PAGE = draw(rule=False)
DOWN = 40


def box(row, down=0):
    return Box(40, line_top(row) + down, 360, line_top(row) + 26 + down)


def pushed_down(page=PAGE):
    """The page without its last line, after lines 2 and below moved down."""
    top = line_top(2) - 10
    result = page.copy()
    result[top + DOWN :], result[top : top + DOWN] = page[top:-DOWN], page[0]
    return result


MOVED = Change("moved", LINES[3], LINES[3], box(3), box(3, DOWN))
LOST, ADDED = Change("lost", LINES[4], "", box(4)), Change("added", "", "Visltors", None, box(4, DOWN))


def pages(after, before=PAGE):
    return AlignedPages(before, after, whole_page(SIZE, SIZE))


def test_a_piece_that_was_read_differently_at_its_new_place_moved():
    found = with_moved_pieces([MOVED, LOST, ADDED], pages(pushed_down()))
    assert [(each.kind, each.before) for each in found] == [("moved", LINES[3]), ("moved", LINES[4])]
    assert found[1].box_after == box(4, DOWN)


@pytest.mark.parametrize(
    ("after", "changes"),
    [
        (pushed_down(draw(with_line(4, ""), rule=False)), [MOVED, LOST]),
        (pushed_down(draw(with_line(4, "Another text is here"), rule=False)), [MOVED, LOST, ADDED]),
        (pushed_down(), [LOST, ADDED]),  # nothing else moved
    ],
    ids=["lost", "replaced", "alone"],
)
def test_lost_and_added_text_stays_so(after, changes):
    assert with_moved_pieces(changes, pages(after)) == changes


def test_a_line_that_was_there_already_is_not_one_that_moved():
    """Of two lines that read alike, one is lost, and the other stands where lines moved to."""
    lines = [*LINES[:5], LINES[4], *LINES[6:]]
    before, after = draw(lines, rule=False), draw([*lines[:4], "", *lines[5:]], rule=False)
    moved = Change("moved", "x", "x", box(0), box(1))
    assert with_moved_pieces([moved, LOST], pages(after, before)) == [moved, LOST]


def test_the_most_frequent_shift_is_tried_first():
    other, near = (Change("moved", "x", "x", box(0), box(0, down)) for down in (7, DOWN + 2))
    found = frequent_shifts([other, MOVED, near, MOVED, LOST, ADDED], pages(np.array(PAGE)))
    assert found == [(0, DOWN), (0, 7)]  # the other one is so near that it is searched with the first
