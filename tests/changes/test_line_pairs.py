"""Lines found again at their place, elsewhere, or not at all; the reader knows what each crop says."""

from __future__ import annotations

import numpy as np
import pytest

from tests.changes.drawn import LEFT, LINES, draw, line_top, with_line
from tests.changes.fake_reader import FakeReader
from vdebench.changes import line_pairs
from vdebench.changes.alignment import AlignedPages, PlacedCrop
from vdebench.changes.evidence import LinePair
from vdebench.changes.line_pairs import InPlace, PlacedLine, find_in_place, find_moved, in_row, line_text, without_moved
from vdebench.changes.words import LineText
from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.recognition import RecognizedLine

PAGE = draw()
IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])


def box(row, width=350, x=LEFT):
    return Box(x, line_top(row), x + width, line_top(row) + 30)


def placed(*texts):
    """Lines of the output, one in each row; "" where there is none."""
    return [PlacedLine(row, box(row), LineText(text)) for row, text in enumerate(texts) if text]


def in_place(output, after=PAGE, reading=""):
    lines = [(box(row), LineText(text)) for row, text in enumerate(LINES[:4])]
    reader = FakeReader(lambda image: reading)
    return find_in_place(AlignedPages(PAGE, after, IDENTITY), lines, output, reader), reader


def test_lines_that_read_alike_are_not_read_again():
    found, reader = in_place(placed(*LINES[:4]))
    assert [(each.line, each.same, each.pair) for each in found] == [(row, True, None) for row in range(4)]
    assert reader.recognized == []


def test_a_line_that_was_detected_in_two_parts_reads_alike():
    parts = [PlacedLine(1, box(1, 100, LEFT + 120), LineText("hours: 8:30 to 17:45"))]
    parts += [PlacedLine(2, box(1, 110), LineText("Opening"))]
    found, _ = in_place([*placed(LINES[0], "", LINES[2], LINES[3]), *parts])
    assert all(each.same for each in found)


def test_another_crop_may_read_alike():
    found, reader = in_place(placed(LINES[0], "0pening h0urs", LINES[2], LINES[3]), reading=LINES[1])
    assert found[1].same
    assert len(reader.recognized) == 1  # the first one reads alike


def test_crops_are_read_until_one_reads_alike():
    line = box(1)
    smaller = line.y2 - line.y1 - 2 * 2  # 5 % of 30 pixels on both sides, rounded up
    reader = FakeReader(lambda image: LINES[1] if image.shape[0] <= smaller else "0pening h0urs")
    lines = [(box(row), LineText(text)) for row, text in enumerate(LINES[:4])]
    output = placed(LINES[0], "0pening h0urs", LINES[2], LINES[3])
    found = find_in_place(AlignedPages(PAGE, PAGE, IDENTITY), lines, output, reader)
    assert found[1].same
    assert len(reader.recognized) == 3  # the place, a little larger, a little smaller


def test_lines_of_a_garbled_page_are_not_read_again(monkeypatch):
    monkeypatch.setattr(line_pairs, "MANY", 0)
    garbled = placed(LINES[0], "0p3n1ng hours: 8:3O to l7:45", LINES[2].replace("21", "27"), LINES[3])
    found, reader = in_place(garbled)
    assert not found[1].same
    assert found[1].pair.after.text == "0p3n1ng hours: 8:3O to l7:45"
    assert len(reader.recognized) == 3  # the other line, of which one character differs


def test_the_most_similar_reading_is_compared():
    new = LINES[2].replace("21.88", "27.88")
    found, _ = in_place(placed(*LINES[:2], new, LINES[3]), draw(with_line(2, new)), reading="The ferry")
    pair = found[2].pair
    assert (pair.before.text, pair.after.text) == (LINES[2], new)
    assert not found[2].same
    assert found[2].place.correlation > 0.9  # most of the line is there


@pytest.mark.parametrize("reading", ["", "Something else entirely"])
def test_a_place_with_other_text_or_none_has_no_pair(reading):
    found, _ = in_place(placed(LINES[0], "", LINES[2], LINES[3]), draw(with_line(1, "")), reading)
    assert (found[1].same, found[1].pair) == (False, None)


def cells(*outputs):
    """A cell with 15 on the page, and lines of the output with their boxes."""
    pages = AlignedPages(PAGE, draw(with_line(0, "31 and more")), IDENTITY)
    output = [PlacedLine(number, place, LineText(text)) for number, (text, place) in enumerate(outputs)]
    (found,) = find_in_place(pages, [(box(0, 40), LineText("15"))], output, FakeReader(lambda image: ""))
    return found.pair and found.pair.after.text


def test_a_cell_is_compared_with_whatever_stands_in_its_place():
    assert cells(("31", box(0, 38))) == "31"
    assert cells(("31", box(0, 300))) is None  # a longer line
    assert cells(("31", box(3, 38))) is None  # in another row
    assert cells(("3", box(0, 40)), ("7", box(0, 39))) is None  # it is not clear with which
    assert cells() is None


def test_lines_that_stand_elsewhere_are_not_compared_with_others_in_their_place():
    lines = [(box(row), LineText(text)) for row, text in enumerate(("item one 1", "item two 2"))]
    output = placed("", "item one 1", "item two 2")
    found = [
        InPlace(0, None, False, PlacedCrop(0, 0, 0.1)),
        InPlace(1, LinePair(box(1), lines[1][1], output[0].text, PAGE, PAGE, box(1)), False, PlacedCrop(0, 0, 0.6)),
    ]
    assert [each.pair for each in without_moved(found, lines, output)] == [None, None]
    # where the text stands nowhere else, the lines in one place are compared
    assert without_moved(found, lines, output[:1])[1].pair is found[1].pair


@pytest.mark.parametrize(
    ("down", "correlation", "same"),
    [
        (28, 0.1, False),  # half of the line is left at its place, and reads as before
        (28, 0.9, True),  # a copy below it
        (10, 0.1, True),  # the line itself
        (80, 0.1, True),  # too far for a half of it to be seen
    ],
)
def test_a_line_that_moved_by_less_than_its_height(down, correlation, same):
    first = box(0)
    output = [PlacedLine(0, Box(first.x1, first.y1 + down, first.x2, first.y2 + down), LineText(LINES[0]))]
    found = [InPlace(0, None, True, PlacedCrop(0, 12, correlation))]
    assert without_moved(found, [(first, LineText(LINES[0]))], output)[0].same is same


def test_pages_without_lines():
    assert find_in_place(AlignedPages(PAGE, PAGE, IDENTITY), [], [], FakeReader(lambda image: "")) == []
    assert find_moved([], [], PAGE, PAGE) == ([], [])


def test_lines_elsewhere_are_matched_by_text_the_most_similar_first():
    lines = [(4, box(4), LineText("Price 12")), (7, box(7), LineText("Price 13")), (9, box(5), LineText("gone"))]
    output = [PlacedLine(0, box(0), LineText("Price 13")), PlacedLine(1, box(1), LineText("Price 12."))]
    matches, nowhere = find_moved(lines, output, PAGE, PAGE)
    assert {(index, number) for index, number, _ in matches} == {(4, 1), (7, 0)}
    assert nowhere == [9]
    pairs = {index: pair for index, _, pair in matches}
    assert (pairs[4].box, pairs[4].box_after, pairs[4].place) == (box(4), box(1), None)


def test_marks_and_one_line_for_two():
    lines = [(0, box(0), LineText("...")), (1, box(1), LineText("a line")), (2, box(2), LineText("a line"))]
    matches, nowhere = find_moved(lines, [PlacedLine(5, box(3), LineText("a line"))], PAGE, PAGE)
    assert [(index, number) for index, number, _ in matches] == [(1, 5)]
    assert nowhere == [0, 2]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (Box(50, 0, 90, 20), True),
        (Box(50, 9, 90, 29), True),  # 11 of 20 pixels
        (Box(50, 11, 90, 31), False),  # 9 of 20
        (Box(100, 0, 190, 20), False),  # beside it
        (Box(50, 5, 60, 9), True),  # a small mark: all of it
    ],
)
def test_in_row(other, expected):
    assert in_row(Box(0, 0, 100, 20), other) is expected
    assert in_row(other, Box(0, 0, 100, 20)) is expected


def test_the_text_of_a_line_has_the_places_of_its_characters():
    recognized = RecognizedLine("ab", (0.0, 0.4, 1.0), (0.9, 0.8))
    assert line_text(Line(box(0), "ab", 1.0, recognized)) == LineText("ab", (0.0, 0.4, 1.0), (0.9, 0.8))
    assert line_text(Line(box(0), "ab")) == LineText("ab")
    assert line_text(Line(box(0), "ab", 1.0, RecognizedLine(""))) == LineText("ab")
