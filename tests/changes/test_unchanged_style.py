"""Style of words that read as before, on drawn pages with the boxes of their lines."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.changes.drawn import LINES, draw, jpeg, line_top, resized, word_box
from vdebench.changes.alignment import AlignedPages
from vdebench.changes.registration import whole_page
from vdebench.changes.text_changes import TextComparison
from vdebench.changes.unchanged_style import restyled_unchanged
from vdebench.changes.words import LineText, PlacedText
from vdebench.core.box import Size

UNCHANGED = [PlacedText(word_box(text, text, row), LineText(text)) for row, text in enumerate(LINES)]


def restyled(after, before=None, lines=UNCHANGED):
    before = draw() if before is None else before
    sizes = (Size(image.shape[1], image.shape[0]) for image in (before, after))
    text = TextComparison(unchanged=list(lines))
    return [
        (change.kind, change.before, change.note)
        for change in restyled_unchanged(AlignedPages(before, after, whole_page(*sizes)), text)
    ]


def with_bold_line(row):
    image = draw().copy()
    top = line_top(row) - 4
    image[top : top + 36] = cv2.erode(image[top : top + 36], np.ones((3, 3), np.uint8))
    return image


def tinted(image):
    return np.asarray(np.round(image * np.array([0.99, 0.97, 0.92])), np.uint8)


@pytest.mark.parametrize(
    "after",
    [draw(), jpeg(draw(), 60), tinted(draw()), resized(draw(), 360, 315), cv2.GaussianBlur(draw(), (0, 0), 0.8)],
    ids=["same", "jpeg", "tint", "smaller", "blur"],
)
def test_what_a_whole_page_went_through_is_no_change_of_style(after):
    assert restyled(after) == []


@pytest.mark.parametrize(
    ("colour", "note"),
    [((200, 30, 30), "other colour"), ((20, 20, 160), "other colour"), ((150, 150, 150), "fainter ink")],
    ids=["red", "blue", "grey"],
)
def test_a_word_in_another_colour(colour, note):
    # "office" is wider than two heights of the line, so it is measured alone
    assert restyled(draw(colours={"office,": colour})) == [("restyled", "office", note)]


def test_a_coloured_word_that_keeps_its_colour_on_a_smaller_page():
    page = draw(colours={"office,": (200, 30, 30)})
    assert restyled(resized(page, 360, 315), page) == []


def test_a_line_set_in_bold():
    # strokes of 2 px grow by 1 px on each side
    ((kind, words, note),) = restyled(with_bold_line(5))
    assert (kind, words) == ("restyled", LINES[5].rstrip("."))
    assert note in {f"stroke width ×{hundredths / 100:.2f}" for hundredths in range(180, 221)}


def test_small_type_is_not_measured():
    # lines of 28 pixels on a page reduced to a quarter: 7 pixels, less than 9
    assert restyled(resized(draw(colours={"office,": (200, 30, 30)}), 120, 105)) == []


def test_the_change_is_at_the_word_and_states_its_fact():
    before, after = draw(), draw(colours={"21.88": (200, 30, 30)})
    pages = AlignedPages(before, after, whole_page(Size(480, 420), Size(480, 420)))
    (change,) = restyled_unchanged(pages, TextComparison(unchanged=list(UNCHANGED)))
    assert change.fact == "number"
    assert change.box_before.iou(word_box(LINES[2], "21.88", 2)) > 0.6
