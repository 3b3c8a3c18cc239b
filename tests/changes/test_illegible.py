"""Illegible type: many changed lines of one size become one change for each line, on hand-made pages."""

from __future__ import annotations

import numpy as np
import pytest

from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change
from vdebench.changes.illegible import group_illegible
from vdebench.core.box import Box
from vdebench.core.page_text import UnreadLine
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import ReadLines

BLANK = np.full((400, 400, 3), 255, np.uint8)
HALF = np.full((200, 200, 3), 255, np.uint8)
SMALLER = AlignedPages(BLANK, HALF, np.array([[0.5, 0, -0.25], [0, 0.5, -0.25]]))
NOTHING = ReadLines([], [])


def line(row, text="some small print 12", height=12):
    return Line(Box(10, 30 * row, 200, 30 * row + height), text)


def page(*lines):
    return ReadLines(list(lines), [])


def replaced(row, before="small", after="srnall", score=5.0):
    boxes = Box(50, 30 * row, 90, 30 * row + 12), Box(25, 15 * row, 45, 15 * row + 6)
    return Change("replaced", before, after, *boxes, evidence={"score": score})


def test_words_that_are_clearly_others_are_changes():
    changes = [replaced(row, after="large", score=20.0) for row in range(6)]
    result, words = group(changes, page(*(line(row) for row in range(6))))
    assert (result, words) == (changes, 0)


def group(changes, before, output=NOTHING, pages=SMALLER):
    return group_illegible(changes, before, output, pages)


def test_a_page_without_lines_or_changes():
    assert group([], NOTHING) == ([], 0)
    assert group([], page(line(0), line(1))) == ([], 0)
    added = Change("added", "", "new", None, Box(0, 0, 9, 9))
    assert group([added], NOTHING) == ([added], 0)


def test_most_lines_of_one_size_changed_so_they_are_illegible():
    lines = [line(row) for row in range(6)]
    changes = [replaced(0), replaced(1), replaced(1, "print", "prlnt"), replaced(2)]  # 3 of 6 lines: 0.5 ≥ 0.4
    result, words = group(changes, page(*lines))
    assert [(each.kind, each.before, each.after) for each in result] == [
        ("illegible", "some small print 12", "srnall"),
        ("illegible", "some small print 12", "srnall … prlnt"),
        ("illegible", "some small print 12", "srnall"),
    ]
    assert words == 4  # one for each changed word
    # 12 high on the page, half as high on the output; the box likewise, with pixel centres at halves.
    assert result[0].note == "line 6 px high on the output"
    assert result[0].box_before == lines[0].box
    assert result[0].box_after == Box(4.75, 0, 99.75, 5.75)
    assert result[0].fact == "number"


def test_few_changed_lines_are_changes():
    changes = [replaced(0), replaced(1)]  # 2 of 6 lines: 0.33 < 0.4
    assert group(changes, page(*(line(row) for row in range(6)))) == (changes, 0)


def test_fewer_than_six_lines_of_one_size_are_changes():
    lines = [line(row) for row in range(5)]
    changes = [replaced(row) for row in range(5)]
    assert group(changes, page(*lines)) == (changes, 0)
    large = line(6, height=16)  # more than 1.25 times as high
    assert group(changes, page(*lines, large)) == (changes, 0)
    assert group(changes, page(*lines, line(6, height=14)))[1] == 5


def test_lines_without_a_letter_or_digit_do_not_count():
    lines = [*(line(row) for row in range(5)), line(6, "* * *")]
    changes = [replaced(row) for row in range(5)]
    assert group(changes, page(*lines)) == (changes, 0)


def test_added_text_and_ink_are_not_garbled():
    lines = page(*(line(row) for row in range(6)))
    ink = [Change("ink_lost", "", "", Box(50, 30 * row, 90, 30 * row + 12)) for row in range(6)]
    assert group(ink, lines) == (ink, 0)
    grouped, _ = group([*(replaced(row) for row in range(6)), *ink], lines)
    assert [each for each in grouped if each.kind == "ink_lost"] == ink


def lost(row):
    return Change("lost", "some small print 12", "", Box(10, 30 * row, 200, 30 * row + 12))


def test_a_lost_line_that_the_reader_cannot_read_on_the_output_is_illegible():
    unread = UnreadLine(Box(5, 15, 100, 21), "illegible")  # row 1 at half the size
    result, words = group([lost(1)], page(line(0), line(1)), ReadLines([], [unread]))
    assert [(each.kind, each.before) for each in result] == [("illegible", "some small print 12")]
    assert words == 4
    result, words = group([lost(0)], page(line(0), line(1)), ReadLines([], [unread]))
    assert result == [lost(0)]  # elsewhere
    assert words == 0


def test_lines_that_were_removed_are_lost_not_illegible():
    lines, changes = page(*(line(row) for row in range(7))), [lost(row) for row in range(6)]
    assert group(changes, lines) == (changes, 0)  # the paper is blank there
    assert group(changes, lines, pages=None) == (changes, 0)


def test_lines_that_are_lost_in_ink_that_cannot_be_read_are_illegible():
    lines, changes = page(*(line(row) for row in range(6))), [lost(row) for row in range(6)]
    smeared = HALF.copy()
    smeared[:, 5:100:3] = 90
    pages = AlignedPages(BLANK, smeared, SMALLER.matrix)
    result, words = group(changes, lines, pages=pages)
    assert [each.kind for each in result] == ["illegible"] * 6
    assert words == 6 * 4
    elsewhere = page(*(Line(Box(5, 15 * row, 100, 15 * row + 6), "other words") for row in range(6)))
    assert group(changes, lines, elsewhere, pages) == (changes, 0)  # another text was read there


@pytest.mark.parametrize(("score", "kind"), [(5.0, "illegible"), (12.0, "lost")])
def test_words_that_are_lost_in_most_lines_are_illegible_if_the_evidence_is_small(score, kind):
    """A deletion of a word in every line is clear."""
    lines = page(*(line(row) for row in range(6)))
    boxes = [Box(50, 30 * row, 90, 30 * row + 12) for row in range(6)]
    changes = [Change("lost", "small", "", box, evidence={"score": score}) for box in boxes]
    assert [each.kind for each in group(changes, lines)[0]] == [kind] * 6


def test_an_output_that_is_not_registered():
    changes = [replaced(row) for row in range(6)]
    result, words = group(changes, page(*(line(row) for row in range(6))), pages=None)
    assert [(each.kind, each.box_after) for each in result] == [("illegible", None)] * 6
    assert words == 6
