"""Text that moved past other text, by the boxes of drawn lines."""

from __future__ import annotations

import numpy as np
import pytest

from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change
from vdebench.changes.reading_order import PASSED, mark_reordered
from vdebench.changes.verdict import is_damage
from vdebench.core.box import Box

BLANK = np.full((400, 400, 3), 255, np.uint8)
PAGES = AlignedPages(BLANK, BLANK, np.array([[1.0, 0, 0], [0, 1, 0]]))


def line(row, x=20, width=200):
    return Box(x, 30 * row, x + width, 30 * row + 20)


def moved(text, before, after):
    return Change("moved", text, text, before, after)


def passed(changes, standing=()):
    found = mark_reordered(changes, list(standing), PAGES)
    return [each.evidence.get(PASSED, 0) for each in found]


def test_text_that_is_pushed_down_keeps_its_order():
    changes = [moved(f"line {row}", line(row), line(row + 1)) for row in range(2, 6)]
    assert passed(changes, [line(0), line(1)]) == [0, 0, 0, 0]


def test_lines_that_changed_places():
    changes = [moved("one", line(1), line(4)), moved("four", line(4), line(1))]
    assert passed(changes, [line(2), line(3)]) == [3, 3]  # both lines between them, and each other
    assert all(is_damage(change) for change in mark_reordered(changes, [line(2)], PAGES))


def test_cells_that_changed_rows():
    cells = [line(row, x=300, width=40) for row in range(3)]
    labels = [line(row) for row in range(3)]
    changes = [moved("12,500", cells[0], cells[1]), moved("900", cells[1], cells[0])]
    assert passed(changes, [*labels, cells[2]]) == [1, 1]


def test_columns_do_not_matter_to_each_other():
    """The left column was pushed down beside the right one; its last line went on at the top of another column."""
    left = [moved(f"left {row}", line(row, width=100), line(row + 3, width=100)) for row in range(1, 4)]
    carried = moved("carried", line(9, width=100), line(0, x=200, width=100))
    right = [line(row, x=200, width=100) for row in range(1, 8)]
    assert passed([*left, carried], right) == [0, 0, 0, 0]


@pytest.mark.parametrize("places", [(3, 6), (6, 3)])
def test_it_does_not_matter_which_of_two_equal_texts_is_which(places):
    changes = [moved("Total", line(row), line(place)) for row, place in zip((2, 5), places, strict=True)]
    found = mark_reordered([*changes, moved("Tax", line(4), line(5))], [line(1)], PAGES)
    assert [each.evidence.get(PASSED, 0) for each in found] == [0, 0, 0]
    assert [each.box_after for each in found[:2]] == [line(3), line(6)]


def test_other_changes_stay_as_they_are():
    changes = [Change("lost", "a", "", line(1)), moved("b", line(2), line(3))]
    assert mark_reordered(changes, [], PAGES) == changes
    assert not is_damage(changes[1])
