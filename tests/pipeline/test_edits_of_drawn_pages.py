"""The check of one edit with the real reader, on drawn pages: what a person sees at once must be seen."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from tests.readers.rendered import FONT
from vdebench.changes.engine import PageComparator
from vdebench.pipeline.edit_check import check_images
from vdebench.readers.reader import get_reader

pytestmark = pytest.mark.slow

SIZE, LEADING, WIDTH = 26, 48, 900
LINES = (
    "Annual Report 2023",
    "Invoice number 48-113 for May",
    "The committee met in Geneva on Tuesday.",
    "He said that he would do it again and left.",
    "We will then not be able to finish in time.",
    "The car should pay a fee of 12 at the gate.",
    "Nothing else was decided during the meeting.",
    "The price of one ticket is $5",
    "Total revenue in that year was 1,000",
    "They came back to the city in March 2023",
    "It is our plan for the whole budget",
    "Visitors walk",
    "Signed by the director Smith",
)
TABLE = (
    ("Item", "Count", "Price"),
    ("North", "3", "12,500"),
    ("South", "7", "900"),
    ("East", "2", "18.40"),
    ("Coffee", "5", "TBD"),
    ("West", "4", "77"),
)
REQUEST = 'Replace "48-113" with "48-114".'
DONE = {1: "Invoice number 48-114 for May"}


@cache
def comparator():
    return PageComparator(get_reader("rapidocr"))


def page(lines):
    """A page of lines; a line may be the cells of a table row."""
    image = Pictures.new("RGB", (WIDTH, 80 + LEADING * len(lines)), "white")
    canvas = ImageDraw.Draw(image)
    face = ImageFont.truetype(str(FONT), SIZE)
    for row, line in enumerate(lines):
        for column, text in enumerate([line] if isinstance(line, str) else line):
            canvas.text((60 + 300 * column, 40 + LEADING * row), text, font=face, fill="black")
    return np.asarray(image)


def with_lines(changed, lines=LINES):
    return [changed.get(row, line) for row, line in enumerate(lines)]


def table(changed=None, year="2023"):
    rows = [
        [(changed or {}).get((row, column), text) for column, text in enumerate(cells)]
        for row, cells in enumerate(TABLE)
    ]
    return [f"Stock list {year}", *rows, "Printed in May for the office in Geneva"]


def check(before, after, instruction):
    return check_images(page(before), page(after), comparator(), instruction=instruction)


def test_an_edit_that_changes_nothing_else():
    found = check(LINES, with_lines(DONE), REQUEST)
    assert (found.edit, found.usable) == ("done", True)
    found = check(table(), table(year="2024"), 'Replace "2023" with "2024" in the heading.')
    assert (found.edit, found.usable) == ("done", True)


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        ({}, {3: "He said that under no terms he would do it again."}, "under no terms"),
        ({4: "We will then unfortunately not be able to finish in time."}, {}, "unfortunately"),
        ({}, {10: "It is our plan for this foolish and costly idea"}, "foolish"),
        ({}, {7: "The price of one ticket is $50"}, "$5 → $50"),
        ({}, {8: "Total revenue in that year was 1,000,000"}, "1,000 → 1,000,000"),
        ({8: "Total revenue in that year was 1,000,000"}, {}, "1,000,000 → 1,000"),
        ({}, {9: "They came back to the city in March 20235"}, "2023 → 20235"),
        ({}, {11: "Visitors walking"}, "walk → walking"),
        ({8: "-$5,400"}, {8: "$5,400"}, "5,400"),
        ({8: ".05"}, {8: "05"}, "05"),
        ({}, {2: LINES[6], 6: LINES[2]}, "moved: The committee met in Geneva on Tuesday."),
    ],
)
def test_another_change_is_reported(before, after, reported):
    found = check(with_lines(before), with_lines({**before, **after, **DONE} if after else DONE), REQUEST)
    assert (found.edit, found.usable) == ("done", False)
    assert any(reported in str(change) for change in found.page.changes if change.asked is False)


@pytest.mark.parametrize("exchanged", [((1, 2), (2, 2)), ((3, 2), (5, 2)), ((1, 1), (2, 1))])
def test_cells_that_changed_places(exchanged):
    one, other = exchanged
    changed = {one: TABLE[other[0]][other[1]], other: TABLE[one[0]][one[1]]}
    found = check(table(), table(changed, year="2024"), 'Replace "2023" with "2024" in the heading.')
    assert (found.edit, found.usable) == ("done", False)


@pytest.mark.parametrize(
    ("before", "after", "instruction", "edit"),
    [
        ({0: "Annual Report"}, {0: "Annual Report 2024"}, 'Replace "Annual Report" with "Annual Report 2024".', "done"),
        ({}, {12: "Signed by the director Smith Jr"}, 'Replace "Smith" with "Smith Jr".', "done"),
        ({}, {12: "Signed by the director Dr. Smith"}, 'Replace "Smith" with "Dr. Smith".', "done"),
        (
            {2: "Alpha Ltd met Beta Ltd in Geneva.", 6: "Gamma Ltd was absent on that day."},
            {2: "Alpha Ltd Inc met Beta Ltd Inc in Geneva.", 6: "Gamma Ltd Inc was absent on that day."},
            'Replace every "Ltd" with "Ltd Inc".',
            "done",
        ),
        ({}, {1: "Invoice number 48-113 for May (estimated)"}, 'After "for May", insert "(estimated)".', "done"),
        ({}, {1: "Invoice number 48-113 for May (estnated)"}, 'After "for May", insert "(estimated)".', "wrong_text"),
    ],
)
def test_new_text_that_contains_the_old_one(before, after, instruction, edit):
    found = check(with_lines(before), with_lines(before | after), instruction)
    assert (found.edit, found.usable) == (edit, edit == "done")


def test_a_cell_that_gets_a_number():
    found = check(table(), table({(4, 2): "21.88"}), 'Replace "TBD" with "21.88".')
    assert (found.edit, found.usable) == ("done", True)


def test_a_word_that_is_deleted_in_every_line_is_not_illegible():
    names = ("one", "two", "three", "four", "five", "six", "seven", "eight")
    before = [f"Company number {name} Ltd. of the city" for name in names]
    after = [line.replace(" Ltd.", "") for line in before]
    found = check(before, after, 'Delete every occurrence of "Ltd."')
    assert (found.edit, found.usable) == ("done", True)
