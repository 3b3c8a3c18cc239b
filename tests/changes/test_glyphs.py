"""Deformed characters on drawn pages, in lines that are taken to read as before."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.changes.drawn import LINES, draw, jpeg, resized, warped, word_box
from vdebench.changes.alignment import AlignedPages
from vdebench.changes.glyphs import deformed_text
from vdebench.changes.registration import whole_page
from vdebench.changes.text_changes import TextComparison
from vdebench.changes.verdict import is_damage
from vdebench.changes.words import LineText, PlacedText
from vdebench.core.box import Size


def unchanged():
    """The lines, with the place of each character."""
    lines = []
    for row, text in enumerate(LINES):
        box = word_box(text, text, row)
        ends = [box.x1, *(word_box(text, text[:at], row).x2 for at in range(1, len(text))), box.x2]
        edges = tuple((end - box.x1) / (box.x2 - box.x1) for end in ends)
        lines.append(PlacedText(box, LineText(text, edges)))
    return lines


def deformed(after, restyled=()):
    before = draw()
    sizes = (Size(image.shape[1], image.shape[0]) for image in (before, after))
    pages = AlignedPages(before, after, whole_page(*sizes))
    return deformed_text(pages, TextComparison(unchanged=unchanged()), restyled)


def with_deformed(row, at):
    """The page with the lower half of a character mirrored."""
    text = LINES[row]
    left, right = word_box(text, text[:at], row).x2, word_box(text, text[: at + 1], row).x2
    image, top = draw().copy(), round(word_box(text, text, row).y1) + 14
    part = image[top : top + 14, round(left) : round(right)]
    image[top : top + 14, round(left) : round(right)] = part[:, ::-1].copy()
    return image


@pytest.mark.parametrize(
    "after",
    [
        draw(),
        jpeg(draw(), 50),
        resized(draw(), 360, 315),
        cv2.GaussianBlur(draw(), (0, 0), 1),
        warped(draw(), shift=(2, 1)),
    ],
    ids=["same", "jpeg", "smaller", "blur", "shift"],
)
def test_no_shape_changed(after):
    assert deformed(after) == []


@pytest.mark.parametrize(
    ("row", "character", "word"),
    [(2, "2", "21.88"), (6, "轮", "轮"), (6, "发", "发"), (0, "c", "office")],
)
@pytest.mark.parametrize("saved", [lambda image: image, jpeg], ids=["as it is", "jpeg"])
def test_a_deformed_character(row, character, word, saved):
    (change,) = deformed(saved(with_deformed(row, LINES[row].index(character))))
    assert (change.kind, change.before, change.note) == ("weakened", word, f"shape of {character} changed")
    assert change.evidence["correlation_drop"] > 0.2
    assert change.fact == ("number" if word == "21.88" else "")
    assert is_damage(change)


def test_words_in_another_style_are_not_deformed():
    after = with_deformed(2, LINES[2].index("2"))
    (change,) = deformed(after)
    assert deformed(after, [change]) == []


def test_a_line_drawn_anew_is_not_compared_by_shape():
    noise = np.random.default_rng(0).integers(0, 256, draw().shape, np.uint8)
    assert deformed(noise) == []
