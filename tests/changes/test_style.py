"""Style of changed words: measured on drawn words."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from tests.changes.drawn import INK, LINES, blank, draw, noise, with_line, word_box
from tests.readers.rendered import FONT
from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change
from vdebench.changes.style import InkStyle, has_dark_ink, ink_style, restyled_text, style_differences
from vdebench.changes.text_changes import TextComparison
from vdebench.core.box import Box

RED = (200, 30, 30)
IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])
NEW_LINE = LINES[2].replace("21.88", "27.88")
OLD, NEW = word_box(LINES[2], "21.88", 2), word_box(NEW_LINE, "27.88", 2)
LINE = Box(38, OLD.y1, 384, OLD.y2)


def word(colour=INK, *, bold=0, size=28, paper=(255, 255, 255)):
    image = Pictures.new("RGB", (160, 48), paper)
    face = ImageFont.truetype(str(FONT), size)
    ImageDraw.Draw(image).text((8, 2), "Total 12", font=face, fill=colour, stroke_width=bold, stroke_fill=colour)
    return np.asarray(image, np.uint8)


def test_the_ink_of_a_word():
    style = ink_style(word())
    # sRGB (20, 20, 20) is 0.7 % of the luminance of white: L* = 903.3 × 0.007 = 6.3; no colour
    assert style.colour == pytest.approx((6.3, 0, 0), abs=1)
    # "T" is 0.73 × 28 = 20 pixels high
    assert style.height == pytest.approx(21, abs=2)
    assert style.contrast == pytest.approx(235, abs=3)


def test_light_ink_on_dark_paper():
    style = ink_style(word((255, 255, 255), paper=(0, 0, 90)))
    assert style.colour[0] > 95
    assert style.height == pytest.approx(ink_style(word()).height, abs=1)


@pytest.mark.parametrize("strokes", [2, 3, 4])
def test_bold_type_that_covers_half_of_its_paper_or_more(strokes):
    """White bars on an orange box, as wide as the gaps between them or a little wider."""
    image = np.full((30, 60, 3), (197, 90, 17), np.uint8)
    for left in range(4, 54, 6):
        image[3:27, left : left + strokes + 1] = 255
    assert has_dark_ink(image) is (strokes == 4)
    assert ink_style(image, dark=False).colour[0] > 95
    assert ink_style(image, dark=True).colour[0] < 60


@pytest.mark.parametrize("image", [blank(60, 20), blank(3, 3), blank(60, 3), blank(1, 1), blank(60, 20, 0)])
def test_no_ink_has_no_style(image):
    assert ink_style(image) is None


def test_a_style_of_anything_is_finite():
    style = ink_style(noise(60, 20))
    assert style is None or np.isfinite([*style.colour, style.stroke, style.height, style.contrast]).all()


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (word(), []),
        (word((0, 0, 0)), []),
        (word(size=31), []),
        (word(RED), ["other colour"]),
        (word((20, 20, 160)), ["other colour"]),
        (word(bold=2), ["stroke width"]),
        (word(RED, bold=2), ["other colour", "stroke width"]),
    ],
    ids=["same", "darker", "a little larger", "red", "blue", "bold", "red and bold"],
)
def test_differences_that_a_person_notices(new, expected):
    notes = style_differences(ink_style(word()), ink_style(new))
    assert [note.split(" (")[0].split(" ×")[0] for note in notes] == expected


def test_the_note_has_the_ratio_of_strokes():
    one, other = InkStyle((6, 0, 0), 2.0, 20, 230), InkStyle((6, 30, 40), 3.0, 20, 230)
    assert style_differences(one, other) == ["other colour (ΔE 50)", "stroke width ×1.50"]  # √(30² + 40²)
    assert style_differences(other, one) == ["other colour (ΔE 50)", "stroke width ×0.67"]


def restyled(after, *changes):
    text = TextComparison(list(changes), lines=[LINE], output_lines=[LINE])
    return restyled_text(AlignedPages(draw(), after, IDENTITY), text)


REPLACED = Change("replaced", "21.88", "27.88", OLD, NEW, "number")


def test_a_new_word_in_another_colour_is_restyled():
    (change,) = restyled(draw(with_line(2, NEW_LINE), colours={"27.88": RED}), REPLACED)
    assert (change.kind, change.before, change.after, change.fact) == ("restyled", "21.88", "27.88", "number")
    assert (change.box_before, change.box_after) == (OLD, NEW)
    assert change.note.startswith("other colour")
    assert change.evidence["colour"] > 24


def test_a_new_word_that_looks_like_its_line_is_not_restyled():
    assert restyled(draw(with_line(2, NEW_LINE)), REPLACED) == []


def test_only_new_words_are_measured():
    red = draw(colours={"21.88": RED})
    assert restyled(red) == []
    assert restyled(red, Change("lost", "21.88", "", OLD), Change("added", "", "—", None, NEW)) == []


def test_an_added_line_has_nothing_to_compare_with():
    # The whole line is new: no rest of it, and no words before.
    added = Change("added", "", NEW_LINE, None, LINE)
    assert restyled(draw(with_line(2, NEW_LINE), colours={"27.88": RED}), added) == []


def test_text_that_is_too_small_is_not_measured():
    small = Change("replaced", "a", "b", OLD, Box(OLD.x1, OLD.y1, OLD.x2, OLD.y1 + 8))
    assert restyled(draw(colours={"21.88": RED}), small) == []
