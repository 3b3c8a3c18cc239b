"""Words by type height, on hand-made lines and with the real reader."""

from __future__ import annotations

import numpy as np

from tests.changes.drawn import draw
from vdebench.changes.change import Change, Geometry, TypeHeight
from vdebench.changes.engine import PageComparator
from vdebench.changes.reference_check import ReferencePage, compare_with_reference
from vdebench.changes.type_heights import affected_words, lines_outside, words_by_height
from vdebench.core.box import Box, Size
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import get_reader

SMALL = Line(Box(10, 10, 200, 20), "four words of text")
LARGE = Line(Box(10, 40, 200, 60), "Three more words")
PAGE = np.full((300, 300, 3), 255, np.uint8)
PAGE[12:19, 12:200:2] = 0  # 7 rows of ink, as tall as capitals of 10 px: 7 / 0.7
PAGE[43:57, 12:200:2] = 0  # 14 rows: 20 px
PAGE[101:108, 12:200:2] = 0


def change(kind, before, box, **options):
    return Change(kind, before, "", box, **options)


def test_lines_of_one_height_are_added_up_in_whole_pixels():
    nearly = Line(Box(10, 100, 200, 110.4), "12 % – and")  # 2 words, 10 px too
    assert words_by_height(PAGE, [LARGE, SMALL, nearly, Line(Box(0, 0, 9, 9), "–")], ()) == (
        TypeHeight(10, 6, 0, 0, 0),
        TypeHeight(20, 3, 0, 0, 0),
    )


def test_changes_count_in_the_line_that_they_lie_in():
    changes = [
        change("replaced", "words", Box(60, 9, 100, 21)),
        change("weakened", "four", Box(10, 10, 50, 20)),
        change("lost", "more words", Box(90, 40, 200, 60)),
        change("moved", "Three", Box(10, 40, 60, 60)),  # moved words are safe
        change("ink_lost", "", Box(300, 40, 360, 60)),
        Change("added", "", "new words", None, Box(10, 10, 50, 20)),
    ]
    assert words_by_height(PAGE, [SMALL, LARGE], changes) == (TypeHeight(10, 4, 1, 0, 1), TypeHeight(20, 3, 2, 0, 0))


def test_an_illegible_line_counts_its_changed_words_and_no_word_counts_twice():
    illegible = change("illegible", SMALL.text, SMALL.box, evidence={"height": 10, "words": 3})
    lost = change("lost", "four words of", Box(10, 10, 150, 20))  # 3 lost and 1 of 3 illegible: the line has 4 words
    assert words_by_height(PAGE, [SMALL], [illegible, lost]) == (TypeHeight(10, 4, 3, 1, 0),)


def test_words_that_were_asked_for_or_cut_off_are_not_counted():
    asked = change("replaced", "four words", Box(10, 10, 90, 20), asked=True)
    cropped = change("cropped", LARGE.text, LARGE.box)
    assert words_by_height(PAGE, [SMALL, LARGE], [asked, cropped]) == (TypeHeight(10, 2, 0, 0, 0),)


def test_words_of_chinese_changes_are_without_their_context():
    assert affected_words(Change("replaced", "按除菌键", "按除霜键")) == 2
    assert affected_words(Change("replaced", "菌", "霜")) == 1
    assert affected_words(Change("lost", "除菌键")) == 3
    assert affected_words(Change("added", "", "除菌键")) == 0


def test_lines_of_regions_are_left_out_also_where_a_region_is_a_part_of_a_line():
    page = [SMALL, LARGE]
    assert lines_outside(page, [Box(50, 12, 80, 18)]) == [LARGE]
    assert lines_outside(page, [Box(0, 0, 300, 300)]) == []
    assert lines_outside(page, [Box(10, 58, 200, 80)]) == page  # touches the next line's box
    assert lines_outside(page, [Box(10, 62, 200, 90)], 0.6) == [SMALL]  # the middle is 12 px above it, the margin too
    assert lines_outside(page, [Box(300, 0, 400, 300)]) == page  # beside both


def test_enlargement_is_pixels_of_the_output_per_pixel_of_the_page():
    page = Size(800, 1000)
    assert Geometry("same", page, page).enlargement == 1
    assert Geometry("scaled", page, Size(400, 500)).enlargement == 0.5
    # half of the frame in both directions, in twice as many pixels
    assert Geometry("cropped", page, Size(1600, 2000), 0.5, 0.5).enlargement == 1


def test_with_a_reference_the_lines_of_its_regions_are_not_counted():
    """Real reader: the first line of seven is the region; another line is painted over."""
    page = draw()
    comparator = PageComparator(get_reader("rapidocr"))
    output = np.array(page)
    lines = sorted(comparator.reader.page_lines(page).lines, key=lambda line: line.box.y1)
    first, third = (lines[at].box for at in (0, 2))
    for box in (first, third):
        output[round(box.y1) : round(box.y2), round(box.x1) : round(box.x2)] = 255
    result = compare_with_reference(output, ReferencePage(page, None, (first,)), comparator)
    whole = words_by_height(page, lines, ())
    assert result.heights is not None
    total = sum(row.words for row in result.heights)
    assert total == sum(row.words for row in whole) - words_by_height(page, [lines[0]], ())[0].words
    assert sum(row.changed for row in result.heights) == words_by_height(page, [lines[2]], ())[0].words
