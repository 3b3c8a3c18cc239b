"""Which changes a request asked for, on hand-made changes; `tests/pipeline/test_edit_check.py` has the real reader."""

from __future__ import annotations

import numpy as np
import pytest

from tests.changes.fake_reader import FakeReader
from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change, Geometry, PageChanges
from vdebench.changes.engine import PageComparison
from vdebench.changes.outcome import keeps_rest, mark_asked, outcomes
from vdebench.core.box import Box, Size
from vdebench.instructions.request import EditRequest as R
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import ReadLines

WHITE = np.full((300, 600, 3), 255, np.uint8)
PAGES = AlignedPages(WHITE, WHITE, np.array([[1.0, 0, 0], [0, 1, 0]]))
SIZE = Size(600, 300)


def line(text, row=0):
    """10 pixels for each character, 20 high, 40 below the line above."""
    return Line(Box(0, 40 * row, 10 * len(text), 40 * row + 20), text)


def word(text, part, row=0):
    start = text.index(part)
    return Box(10 * start, 40 * row, 10 * (start + len(part)), 40 * row + 20)


def compared(before, after, *changes, pages=PAGES):
    page, output = (
        ReadLines([line(text, row) for row, text in enumerate(side) if text], []) for side in (before, after)
    )
    geometry = Geometry("same" if pages else "reframed", SIZE, SIZE)
    return PageComparison(WHITE, WHITE, page, output, pages, PageChanges(geometry, changes))


def outcome(comparison, *requests):
    reader = FakeReader(lambda image: "")  # finds any text equally unlikely
    found = outcomes(comparison, requests, reader)
    return [each.outcome for each in found], [change.asked for change in mark_asked(comparison, found)]


TEXT = "the cost is 21.88 now"
REPLACED = Change("replaced", "21.88", "27.88", word(TEXT, "21.88"), word(TEXT, "21.88"), "number")
PRICE = R("replace", "21.88", "27.88")


def test_a_replacement_that_was_asked_for():
    after = "the cost is 27.88 now"
    assert outcome(compared([TEXT], [after], REPLACED), PRICE) == (["done"], [True])
    assert outcome(compared([TEXT], [TEXT]), PRICE) == (["not_done"], [])
    assert outcome(compared([TEXT], [after], REPLACED)) == ([], [None])  # no request


def test_changes_elsewhere_were_not_asked_for():
    second = "and 4.20 for each"
    other = Change("replaced", "4.20", "4.30", word(second, "4.20", 1), word(second, "4.20", 1))
    ink = Change("ink_lost", "", "", word(TEXT, "21.88"))
    comparison = compared([TEXT, second], ["the cost is 27.88 now", "and 4.30 for each"], REPLACED, other, ink)
    assert outcome(comparison, PRICE) == (["done"], [True, False, False])


def test_a_text_that_is_not_on_the_page():
    comparison = compared([TEXT], ["the cost is 27.88 now"], REPLACED)
    assert outcome(comparison, R("replace", "zeppelin", "balloon")) == (["unknown"], [None])
    # the reader may not have read the target: new text that was nowhere before decides
    assert outcome(comparison, R("replace", "zeppelin", "27.88")) == (["done"], [True])
    assert outcome(compared([TEXT], [TEXT]), R("replace", "zeppelin", "balloon")) == (["not_done"], [])


def test_one_unknown_request_leaves_all_changes_open():
    comparison = compared([TEXT], ["the cost is 27.88 now"], REPLACED)
    assert outcome(comparison, PRICE, R("replace", "zeppelin", "balloon")) == (["done", "unknown"], [None])


def test_the_old_text_in_another_line_is_not_the_target():
    lines = ["the moon is far", "a moon rises"]
    change = Change("replaced", "moon", "star", word(lines[1], "moon", 1), word(lines[1], "moon", 1))
    request = R("replace", "moon", "star", within="a moon rises")
    assert outcome(compared(lines, [lines[0], "a star rises"], change), request) == (["done"], [True])
    wrong = Change("replaced", "moon", "star", word(lines[0], "moon"), word(lines[0], "moon"))
    assert outcome(compared(lines, ["the star is far", lines[1]], wrong), request) == (["not_done"], [False])


def test_a_deletion():
    change = Change("lost", "21.88", "", word(TEXT, "21.88"))
    assert outcome(compared([TEXT], ["the cost is now"], change), R("delete", "21.88")) == (["done"], [True])
    assert outcome(compared([TEXT], [TEXT]), R("delete", "21.88")) == (["not_done"], [])
    more = Change("lost", "is 21.88", "", word(TEXT, "is 21.88"))
    assert outcome(compared([TEXT], ["the cost now"], more), R("delete", "21.88")) == (["done"], [False])


def test_a_block_is_deleted_from_its_beginning_to_its_end():
    change = Change("lost", TEXT, "", Box(0, 0, 210, 20))
    assert outcome(compared([TEXT, "and more"], ["", "and more"], change), R("delete_block", "the cost")) == (
        ["done"],
        [True],
    )


def test_an_insertion():
    after = "the cost is 21.88 euros now"
    added = Change("added", "", "euros", None, word(after, "euros"))
    assert outcome(compared([TEXT], [after], added), R("insert_after", "21.88", "euros")) == (["done"], [True])
    assert outcome(compared([TEXT], [TEXT]), R("insert_after", "21.88", "euros")) == (["not_done"], [])


def test_an_output_that_is_not_registered():
    comparison = compared([TEXT], ["the cost is 27.88 now"], REPLACED, pages=None)
    assert outcome(comparison, PRICE) == (["done"], [True])


@pytest.mark.parametrize(
    ("before", "after", "part", "new", "expected"),
    [
        ("21.88", "27.88", "21.88", "27.88", True),
        ("上八点", "上九点", "八点", "九点", True),  # a neighbour for context
        ("早上八点", "早下九点", "八点", "九点", False),
        ("costs 21.88", "27.88", "21.88", "27.88", False),  # a word lost
        ("21.88", "27.88%", "21.88", "27.88", False),  # a mark more
        ("the museum of", "the", "museum of", "", True),
        ("the museum of", "", "museum of", "", False),
        ("museum", "", "museum of", "", True),  # a part of the target
        ("of the", "the", "museum of", "", True),  # its end, and the word after it
        ("of the", "", "museum of", "", False),
        ("museum", "castle", "museum of navigation", "castle of kings", True),  # a part of both
        ("21.88", "27.38", "21.88", "27.88", True),  # misread: the outcome says that the edit is done
        ("21.88", "gone", "21.88", "27.88", False),
        ("", "old", "", "old", True),  # inserted
        ("", "very old", "", "old", False),
        ("museum", "old museum", "", "old", True),
        ("museum", "old musem", "", "old", False),
        ("year,", ",", "year", "", True),  # a mark stays
        ("", "", "", "", True),
    ],
)
def test_the_words_around_a_target_are_kept(before, after, part, new, expected):
    assert keeps_rest(Change("replaced", before, after), part, new) is expected
