"""Which places of a text a request means, on hand-made lines: each character is 10 wide and 20 high."""

from __future__ import annotations

import pytest

from tests.changes.test_targets import line, lines
from vdebench.changes.meant_places import find_places, read_places
from vdebench.core.box import Box
from vdebench.instructions.request import EditRequest


def R(**fields):  # noqa: N802 (as elsewhere in tests of requests)
    return EditRequest("replace", "moon", "star", **fields)


MOONS = lines("moon one", "moon two, moon three", "nothing", "moonlight")
TWO_COLUMNS = [line("moon a"), line("moon b", 30), line("moon c", 0, 300), line("moon d", 30, 300)]
TITLE = line("moon", 100)._replace(box=Box(0, 100, 100, 140))


@pytest.mark.parametrize(
    ("request_", "page", "places", "unclear"),
    [
        (R(), MOONS, [(0, 0), (1, 0), (1, 10), (3, 0)], False),  # one of them, the likeliest first
        (R(everywhere=True), MOONS, [(0, 0), (1, 0), (1, 10)], False),  # not in "moonlight"
        (R(everywhere=True), lines("moonlight", "moons"), [(0, 0), (1, 0)], False),  # unless it is nowhere else
        (R(occurrence=1), lines("moon", "moon"), [(0, 0)], False),
        (R(occurrence=2), lines("moon", "a moon"), [(1, 2)], False),
        (R(occurrence=-1), lines("moon", "a moon", "moon"), [(2, 0)], False),
        (R(occurrence=3), lines("moon", "a moon"), [(0, 0), (1, 2)], True),  # there is none
        (R(occurrence=2), lines("moon"), [(0, 0)], True),
        (R(occurrence=1), lines("moon"), [(0, 0)], False),
        (R(occurrence=2), MOONS, [(0, 0), (1, 0), (1, 10), (3, 0)], True),  # does "moonlight" count?
        (R(occurrence=2), TWO_COLUMNS, [(0, 0), (1, 0), (2, 0), (3, 0)], True),  # down or across?
        (R(occurrence=1), TWO_COLUMNS, [(0, 0)], False),  # the first either way
        (R(line=2), lines("moon", "a moon", "moon"), [(1, 2)], False),
        (R(line=-1), lines("moon", "a moon", "moon"), [(2, 0)], False),
        (R(line=3), lines("moon", "a moon", "x"), [(0, 0), (1, 2)], True),
        (R(line=2, occurrence=2), lines("moon", "moon, moon", "x"), [(1, 6)], False),
        (R(place="heading"), [*lines("moon"), TITLE], [(1, 0)], False),
        (R(place="heading"), lines("moon", "moon"), [(0, 0), (1, 0)], True),  # which is larger?
        (R(place="second paragraph"), lines("moon", "moon"), [(0, 0), (1, 0)], True),
        (R(place="second paragraph"), lines("moon"), [(0, 0)], False),  # there is only one
        (R(place="table", everywhere=True), lines("moon", "moon"), [(0, 0), (1, 0)], True),
        (R(within="a moon"), lines("moon", "a moon"), [(1, 2)], False),
        (R(within="zeppelin at noon"), lines("moon", "a moon"), [(0, 0), (1, 2)], True),
        (R(occurrence=1), lines("zeppelin"), [], False),
    ],
)
def test_places(request_, page, places, unclear):
    found = find_places(request_, page)
    assert [(each.parts[0][0], each.parts[0][1].start) for each in found.targets] == places
    assert found.unclear is unclear


def test_chinese_characters_are_whole_words():
    found = find_places(EditRequest("delete", "公司", everywhere=True), lines("本公司", "分公司的"))
    assert (len(found.targets), found.optional) == (2, ())


def test_places_inside_longer_words_are_optional():
    found = find_places(R(everywhere=True), MOONS)
    assert [each.parts[0][0] for each in found.optional] == [3]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("50", [(1, 4)]),  # not in 1500
        ("the end of", [(0, 2)]),  # over two lines
        ("ends", []),  # similar only
        ("05", []),  # a part of a longer number
        ("", []),
    ],
)
def test_places_where_a_text_is_read(text, places):
    page = lines("1 the end", "of, 50 and 1500", "10:05")
    assert [(each.parts[0][0], each.parts[0][1].start) for each in read_places(text, page)] == places
