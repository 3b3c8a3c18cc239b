"""The place that a request means, on hand-made lines: each character is 10 wide and 20 high."""

from __future__ import annotations

import pytest

from vdebench.changes.targets import find_in, find_targets, is_bounded
from vdebench.changes.words import LineText, PlacedText
from vdebench.core.box import Box
from vdebench.instructions.request import EditRequest as R


def line(text, y=0, x=0):
    return PlacedText(Box(x, y, x + 10 * len(text), y + 20), LineText(text))


def lines(*texts):
    return [line(text, 30 * row) for row, text in enumerate(texts)]


def places(request, page):
    """Line and range of characters of each part of each target."""
    return [[(number, span.start, span.stop) for number, span in each.parts] for each in find_targets(request, page)]


TABLE = [
    *(line(text, 0, x) for text, x in (("Name", 0), ("Mass", 200), ("Size", 300))),
    *(line(text, 30, x) for text, x in (("Ant", 0), ("6", 200), ("7", 300))),
    *(line(text, 60, x) for text, x in (("Bee", 0), ("8 mg", 200), ("6", 300))),
]


@pytest.mark.parametrize(
    ("request_", "page", "expected"),
    [
        (R("replace", "2023", "2024"), [], []),
        (R("replace", "", "2024"), lines("2023"), []),
        (R("replace", "a", "b"), lines("a"), [[(0, 0, 1)]]),  # a line of one character
        (R("replace", "2023", "2024"), lines("In 2023 we", "2023 again"), [[(0, 3, 7)], [(1, 0, 4)]]),
        (R("replace", "21.88", "9"), lines("211.88 and 21.88", "121.88", "21.880"), [[(0, 11, 16)]]),
        (R("replace", "8", "9"), lines("1.8 and 8, 88"), [[(0, 8, 9)]]),  # not in 1.8, not in 88
        (R("replace", "8", "9"), lines("12 8 5"), [[(0, 3, 4)]]),  # numbers beside it
        (R("replace", "1,250", "9"), lines("1,250.00 1,250"), [[(0, 9, 14)]]),
        (R("replace", "05", "10"), lines("10:05", "105"), [[(0, 3, 5)]]),  # a part of a number, if it is nowhere else
        (R("replace", "冷藏", "风速"), lines("按冷藏键"), [[(0, 1, 3)]]),
        (R("replace", "０", "7"), lines("0°C"), [[(0, 0, 1)]]),  # full width
        (R("replace", "“moon”", "x"), lines('the "moon"'), [[(0, 4, 10)]]),
        (R("replace", "电话", "55501"), lines("电话：13800", "电话"), [[(0, 3, 8)]]),  # the number behind a label
        (R("replace", "三", "3"), lines("三 5 人"), [[(0, 0, 1)]]),  # no label
        (R("delete", "quick brown fox"), lines("the quick", "brown fox runs"), [[(0, 4, 9), (1, 0, 9)]]),
        (R("delete", "explanation"), lines("an expla-", "nation of it"), [[(0, 3, 9), (1, 0, 6)]]),
        (R("delete", "well-known"), lines("a well-", "known man"), [[(0, 2, 7), (1, 0, 5)]]),
        (R("delete", "a b c"), lines("a", "b", "c"), [[(0, 0, 1), (1, 0, 1), (2, 0, 1)]]),
        (R("delete", "left right"), [line("left"), line("right", 0, 50)], [[(0, 0, 4), (1, 0, 5)]]),  # in one row
        (R("delete", "up down"), [line("up"), line("down", 200)], []),  # too far apart
        (R("replace", "Harbour offlce", "x"), lines("The Harbour office opens"), [[(0, 4, 18)]]),  # misread
        (R("replace", "railway", "x"), lines("The Harbour office opens"), []),
    ],
)
def test_places_of_a_text(request_, page, expected):
    assert places(request_, page) == expected


@pytest.mark.parametrize(
    ("within", "page", "expected"),
    [
        ("A moon rises.", lines("the moon", "A moon rises."), [[(1, 2, 6)]]),
        ("A moon rises.", lines("the moon", "A moon", "rises."), [[(1, 2, 6)]]),  # over two lines
        ("moon or moon", lines("moon", "moon or moon"), [[(1, 0, 4)], [(1, 8, 12)]]),
        ("not there", lines("the moon", "A moon"), [[(0, 4, 8)], [(1, 2, 6)]]),
        ("", lines("the moon", "A moon"), [[(0, 4, 8)], [(1, 2, 6)]]),
    ],
)
def test_a_longer_text_tells_which_of_several_places(within, page, expected):
    assert places(R("replace", "moon", "planet", within=within), page) == expected


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (R("replace", "", "5", row="Bee", column="Mass"), [[(7, 0, 4)]]),
        (R("replace", "8", "5", row="Bee", column="Mass"), [[(7, 0, 4)]]),  # the whole cell
        (R("replace", "6", "5", row="Ant", column="Mass"), [[(4, 0, 1)]]),  # not the other 6
        (R("replace", "6", "5", row="Ant", column="Colour"), [[(4, 0, 1)], [(8, 0, 1)]]),  # no such column
        (R("replace", "", "5", row="Cat", column="Mass"), []),
        (R("replace", "", "5", row="#2", column="#2"), []),  # rows and columns cannot be counted in lines
        (R("replace", "7", "5", row="#2", column="#3"), [[(5, 0, 1)]]),  # by its text
    ],
)
def test_cells_of_a_table(request_, expected):
    assert places(request_, TABLE) == expected


def test_a_value_is_a_number_with_as_many_decimals_the_largest_type_first():
    page = [line("The price is"), line("2.50", 30), PlacedText(Box(0, 60, 90, 100), LineText("19.99")), line("7", 110)]
    found = find_targets(R("replace", "price", "21.88"), page)
    assert [each.text for each in found] == ["19.99", "2.50"]


def test_a_target_over_two_lines_has_two_boxes_and_one_text():
    (target,) = find_targets(R("delete", "quick brown fox"), lines("the quick", "brown fox runs"))
    # Characters 4 to 9 of line 0 (y 0 to 20), 0 to 9 of line 1 (y 30 to 50).
    assert target.boxes == (Box(40, 0, 90, 20), Box(0, 30, 90, 50))
    assert target.box == Box(0, 0, 90, 50)
    assert target.text == "quick brown fox"
    assert target.height == 20


def test_boxes_follow_the_measured_edges_of_characters():
    page = [PlacedText(Box(100, 0, 200, 20), LineText("a 12", (0.0, 0.5, 0.6, 0.8, 1.0)))]
    (target,) = find_targets(R("replace", "12", "13"), page)
    assert target.box == Box(160, 0, 200, 20)


@pytest.mark.parametrize(
    ("text", "start", "stop", "bounded", "between_digits"),
    [
        ("211.88", 1, 6, False, False),
        ("21.880", 0, 5, False, False),
        ("21.88", 0, 2, False, True),
        ("x21.88y", 1, 6, True, True),
        ("12 8 5", 3, 4, True, True),
        ("", 0, 0, True, True),
    ],
)
def test_a_part_is_bounded_if_it_cuts_no_number(text, start, stop, bounded, between_digits):
    assert is_bounded(text, range(start, stop)) is bounded
    assert is_bounded(text, range(start, stop), inside_number=True) is between_digits


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("", "a", []),
        ("a", "", []),
        ("a b a b", "ab", [range(0, 3), range(4, 7)]),
        ("8 88 8.8", "8", [range(0, 1)]),
        ("三人行三人", "三人", [range(0, 2), range(3, 5)]),
    ],
)
def test_find_in(text, wanted, expected):
    assert find_in(text, wanted) == expected
