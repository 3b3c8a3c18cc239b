"""Changes that belong together, on hand-made changes."""

from __future__ import annotations

import numpy as np
import pytest

from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change
from vdebench.changes.joining import join_replaced, mark_duplicates
from vdebench.core.box import Box

BLANK = np.full((100, 300, 3), 255, np.uint8)
SAME_PLACE = AlignedPages(BLANK, BLANK, np.array([[1.0, 0, 0], [0, 1, 0]]))


def lost(text, box, **fields):
    return Change("lost", text, "", box, None, **fields)


def added(text, box, **fields):
    return Change("added", "", text, None, box, **fields)


@pytest.mark.parametrize(
    ("box", "joined"),
    [
        (Box(10, 10, 60, 30), True),
        (Box(70, 10, 90, 30), True),  # a gap of 10 on a height of 20
        (Box(75, 10, 90, 30), False),  # a gap of 15
        (Box(10, 20, 60, 40), True),  # half a line below
        (Box(10, 24, 60, 44), False),  # nearly a line below
    ],
)
def test_text_lost_and_added_in_one_place_is_replaced(box, joined):
    changes = [lost("Total", Box(10, 10, 60, 30)), added("Sum 12", box)]
    result = join_replaced(changes, SAME_PLACE)
    if not joined:
        assert result == changes
        return
    assert [str(each) for each in result] == ["Total → Sum 12"]
    assert (result[0].box_before, result[0].box_after) == (Box(10, 10, 60, 30), box)
    assert result[0].fact == "number"  # from the new words


def test_the_added_text_is_placed_on_the_page():
    # The output is twice as large: (20, 20) there is (9.75, 9.75) here, with pixel centres at halves.
    pages = AlignedPages(BLANK, np.full((200, 600, 3), 255, np.uint8), np.array([[2.0, 0, 0.5], [0, 2, 0.5]]))
    changes = [lost("Total", Box(10, 10, 60, 30)), added("Sum", Box(20, 20, 120, 60))]
    assert [each.kind for each in join_replaced(changes, pages)] == ["replaced"]
    assert [each.kind for each in join_replaced([changes[0], added("Sum", Box(10, 80, 60, 99))], pages)] == [
        "lost",
        "added",
    ]


def test_each_text_is_joined_once_with_the_one_that_it_covers_most():
    changes = [
        lost("one", Box(0, 10, 50, 30)),
        lost("two", Box(52, 10, 100, 30)),
        added("three", Box(40, 10, 100, 30)),
        added("four", Box(0, 10, 20, 30)),
    ]
    assert [str(each) for each in join_replaced(changes, SAME_PLACE)] == ["one → four", "two → three"]


def test_the_confidence_is_the_greater_one_and_other_changes_stay():
    other = Change("replaced", "a", "b", Box(10, 10, 60, 30), Box(10, 10, 60, 30))
    changes = [other, lost("x", Box(10, 10, 60, 30), confidence=0.6), added("y", Box(10, 10, 60, 30), confidence=0.9)]
    first, second = join_replaced(changes, SAME_PLACE)
    assert first is other
    assert second.confidence == 0.9
    assert join_replaced([], SAME_PLACE) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mines left", "duplicated"),
        ("Mines, left.", "added"),  # other marks are other text
        ("mines", "added"),  # shorter than 6 characters: words occur on any page
        ("leftx town", "added"),
        ("湖面上", "duplicated"),  # a Chinese character counts as two
        ("湖面", "added"),
    ],
)
def test_added_text_that_still_stands_elsewhere_is_duplicated(text, kind):
    standing = ["The last mines left town.", "春天的湖面上"]
    (result,) = mark_duplicates([added(text, Box(0, 0, 9, 9))], standing)
    assert result.kind == kind


def test_only_added_text_is_duplicated():
    changes = [lost("the last mines", Box(0, 0, 9, 9)), Change("replaced", "a", "the last mines")]
    assert mark_duplicates(changes, ["the last mines"]) == changes
    assert mark_duplicates([added("the last mines", Box(0, 0, 9, 9))], [])[0].kind == "added"
