"""The change engine with the real reader, on one small page and outputs with known changes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.changes.drawn import (
    HEIGHT,
    LEFT,
    LINES,
    RULE,
    WIDTH,
    blank,
    draw,
    draw_table,
    jpeg,
    line_top,
    noise,
    resized,
    warped,
    with_line,
    word_box,
)
from vdebench.changes import registration
from vdebench.changes.engine import PageComparator, compare_pages
from vdebench.core.box import Box
from vdebench.errors import VdeError
from vdebench.readers.rapid import RapidReader
from vdebench.readers.reader import Reader, get_reader

PAGE = draw()
WORDS = 45  # 4, 6, 6, 5, 5, 4 in the English lines ("8:30" is a word), 10 Chinese characters, 5 ("AB-1723")


@pytest.fixture(scope="module")
def comparator():
    return PageComparator(get_reader("rapidocr"))


@pytest.fixture
def _fast(monkeypatch):
    """Look for features at half the size, in a quarter of the time, where there are none."""
    monkeypatch.setattr(registration, "LONG_SIDE", 800)


@pytest.fixture
def changes(comparator):
    """Kinds and words of the changes."""

    def compare(after, before=PAGE):
        return [(each.kind, each.before, each.after) for each in comparator.compare(before, after).result.changes]

    return compare


def line_box(row, width=380):
    return Box(LEFT, line_top(row), LEFT + width, line_top(row) + 28)


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        (PAGE.copy(), "same"),
        (jpeg(PAGE), "same"),
        (jpeg(PAGE, 30), "same"),
        (resized(PAGE, 360, 315), "scaled"),
        (resized(PAGE, 720, 630), "scaled"),
        (jpeg(resized(PAGE, 400, 350), 60), "scaled"),
        (resized(PAGE, WIDTH, 400), "aspect_changed"),
        (warped(PAGE, 0.95), "scaled"),
        (warped(PAGE, degrees=0.5), "shifted"),
        (warped(PAGE, shift=(3, -2)), "shifted"),
        ((PAGE.astype(float) * (0.99, 0.97, 0.9)).astype(np.uint8), "same"),
    ],
    ids=["same", "jpeg", "jpeg 30", "smaller", "larger", "both", "aspect", "unzoomed", "turned", "shifted", "tinted"],
)
def test_no_change(comparator, after, kind):
    result = comparator.compare(PAGE, after).result
    assert result.changes == ()
    assert result.geometry.kind == kind
    assert (result.words, result.illegible_words, result.geometry.cropped_words) == (WORDS, 0, 0)


@pytest.mark.parametrize(
    ("row", "old", "new", "fact"),
    [
        (2, "21.88", "27.88", "number"),
        (2, "21.88", "211.88", "number"),  # a digit inserted: the rest of the line moves
        (2, "21.88", "21,88", "number"),
        (1, "17:45", "17:46", "number"),
        (7, "AB-1723", "AB-1728", "code"),
        (7, "2024", "2025", "number"),
        (3, "4.20", "-4.20", "number"),
        (4, "museum", "palace", ""),
        (5, "bridge.", "fridge.", ""),
    ],
)
def test_one_changed_word(comparator, row, old, new, fact):
    line = LINES[row].replace(old, new)
    (change,) = comparator.compare(PAGE, draw(with_line(row, line))).result.changes
    marks = "." if old.endswith(".") else ""  # a mark at the end is not a part of the word
    assert (change.kind, change.before + marks, change.after + marks, change.fact) == ("replaced", old, new, fact)
    assert change.box_before.iou(word_box(LINES[row], old, row)) > 0.5
    assert change.box_after.iou(word_box(line, new, row)) > 0.5
    assert change.confidence > 0.9
    assert change.asked is None


def test_one_changed_chinese_character(changes):
    after = draw(with_line(6, LINES[6].replace("八", "九")))
    assert changes(after) == [("replaced", "上八点", "上九点")]


def test_changes_are_found_on_a_smaller_compressed_output(comparator):
    after = jpeg(resized(draw(with_line(2, LINES[2].replace("21.88", "27.88"))), 400, 350), 60)
    (change,) = comparator.compare(PAGE, after).result.changes
    assert str(change) == "21.88 → 27.88"
    # boxes are in pixels of each image: 400 / 480 of the page's
    assert change.box_after.iou(word_box(LINES[2], "21.88", 2).scaled(400 / 480, 350 / 420)) > 0.5


TABLE = ["1 15 6839 12.5", "7 94 3549 18.0", "4 31 6139 20.5", "9 52 4410 33.1", "2 67 2958 47.7", "5 88 7621 50.2"]


@pytest.mark.parametrize("ruled", [True, False], ids=["ruled", "blank"])
def test_cells_with_other_numbers(changes, ruled):
    # Numbers that have nothing in common with the old ones, and some that stand elsewhere in the table.
    wanted = {(0, 0): "4", (0, 1): "31", (1, 2): "6139", (2, 0): "8", (3, 3): "88.9", (5, 1): "94"}
    rows = [row.split() for row in TABLE]
    new = [[wanted.get((row, column), text) for column, text in enumerate(cells)] for row, cells in enumerate(rows)]
    found = changes(draw_table(new, ruled=ruled), draw_table(rows, ruled=ruled))
    assert sorted(found) == sorted(("replaced", rows[row][column], text) for (row, column), text in wanted.items())


def test_a_lost_line(comparator):
    (change,) = comparator.compare(PAGE, draw(with_line(3, ""))).result.changes
    assert (change.kind, change.before, change.after, change.fact) == ("lost", LINES[3], "", "number")
    assert change.box_before.iou(line_box(3, 341)) > 0.7
    assert change.box_after is None


def test_an_added_line(comparator):
    (change,) = comparator.compare(draw(with_line(3, "")), PAGE).result.changes
    assert (change.kind, change.before, change.after) == ("added", "", LINES[3])
    assert change.box_after.iou(line_box(3, 341)) > 0.7
    assert change.box_before is None


def test_a_duplicated_line(changes):
    before, after = draw(rule=False), draw([*LINES, LINES[3]], rule=False)
    assert changes(after, before) == [("duplicated", "", LINES[3])]


def test_two_lines_in_each_others_place_moved(changes):
    after = draw([*LINES[:2], LINES[3], LINES[2], *LINES[4:]])
    assert changes(after) == [("moved", LINES[2], LINES[2]), ("moved", LINES[3], LINES[3])]


def test_words_pushed_over_the_end_of_a_line_did_not_change(changes):
    # "Visitors find the museum of | navigation behind the bridge."
    after = draw([*LINES[:4], "Visitors find the museum", "of navigation behind the bridge.", *LINES[6:]], width=500)
    assert changes(after, draw(width=500)) == []


def test_a_new_word_in_red_is_restyled(comparator):
    line = LINES[2].replace("21.88", "27.88")
    found = comparator.compare(PAGE, draw(with_line(2, line), colours={"27.88": (210, 30, 30)})).result.changes
    assert [(each.kind, each.after) for each in found] == [("replaced", "27.88"), ("restyled", "27.88")]
    assert found[1].note.startswith("other colour")


def test_a_rule_that_was_removed(comparator):
    (change,) = comparator.compare(PAGE, draw(rule=False)).result.changes
    assert (change.kind, change.note) == ("ink_lost", "rule")
    assert change.box_before.iou(RULE) > 0.9


def test_a_cropped_output_lists_the_words_that_are_cut_off(comparator):
    result = comparator.compare(PAGE, np.ascontiguousarray(PAGE[:, :300])).result
    assert result.geometry.kind == "cropped"
    assert {each.kind for each in result.changes} == {"cropped"}
    # what ends right of 300 pixels, in each line
    expected = ["northern pier", "to 17:45", "per car", "passenger.", "museum of", "bridge.", "May 2024"]
    assert [each.before for each in result.changes] == expected
    assert result.geometry.cropped_words == sum(len(words.split()) for words in expected)


def test_a_cropped_output_without_its_first_line(changes):
    assert changes(np.ascontiguousarray(PAGE[72:])) == [("cropped", LINES[0], "")]


@pytest.mark.parametrize(
    "after",
    [
        blank(),
        blank(1, 1),
        blank(8, 8, 0),
        blank(700, 200),
        blank(4000, 1),
        noise(),
        np.ascontiguousarray(PAGE[130:131]),
    ],
    ids=["blank", "one pixel", "black", "wide", "one row", "noise", "row"],
)
@pytest.mark.usefixtures("_fast")
def test_an_output_without_the_page_lost_all_lines(comparator, after):
    result = comparator.compare(PAGE, after).result
    assert result.geometry.kind == "reframed"
    assert [(each.kind, each.before) for each in result.changes] == [("lost", line) for line in LINES]
    assert (result.words, result.illegible_words) == (WORDS, 0)


@pytest.mark.parametrize(
    "before",
    [blank(), blank(1, 1), blank(1, 4000), noise(), draw([])],
    ids=["blank", "one pixel", "one column", "noise", "rule"],
)
@pytest.mark.usefixtures("_fast")
def test_a_page_without_text(comparator, before):
    result = comparator.compare(before, PAGE).result
    assert result.words == 0
    assert [each.after for each in result.changes if each.kind == "added"] == list(LINES)


def test_another_page(comparator):
    other = ["Another page, other words", "Prices rise in autumn: 99 %", "Call 0171 555 for bookings"]
    result = comparator.compare(PAGE, draw(other)).result
    assert result.geometry.kind == "reframed"
    assert [each.before for each in result.changes if each.kind == "lost"] == list(LINES)
    assert [each.after for each in result.changes if each.kind == "added"] == other


def test_the_result_is_the_same_on_any_number_of_threads():
    after = jpeg(resized(draw([LINES[1], *with_line(2, LINES[2].replace("21.88", "27.88"))[1:]]), 430, 376), 50)
    one, two = (compare_pages(PAGE, after, RapidReader(threads=threads)).to_json() for threads in (1, 2))
    assert one["changes"]
    assert one == two


def test_a_comparison_has_what_was_read_on_both_images(comparator):
    comparison = comparator.compare(PAGE, draw(with_line(3, "")))
    assert [line.text for line in comparison.page.lines] == list(LINES)
    assert [line.text for line in comparison.output.lines] == [*LINES[:3], *LINES[4:]]
    assert comparison.pages.frame == Box(0, 0, WIDTH, HEIGHT)


def test_a_reader_that_knows_no_likelihoods_is_refused():
    class Plain(Reader):
        identity = {"name": "plain"}  # noqa: RUF012

        def read(self, image):
            raise NotImplementedError

    with pytest.raises(VdeError, match=r"reader plain: cannot tell how likely .*; use --reader rapidocr"):
        PageComparator(Plain())
