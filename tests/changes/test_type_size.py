"""The size of type, on drawn lines of known size read by the real reader."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from vdebench.changes.type_size import extent, type_size
from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import get_reader

TEXTS = ("Typographical gravity of language", "Total income 2024", "Consulting 59.00, net")


@pytest.mark.parametrize("size", [8, 10, 12, 16, 24, 40])
def test_lines_of_drawn_pages_have_the_size_of_their_font(size):
    image = Image.new("RGB", (900, 6 * size + 60), "white")
    for row, text in enumerate(TEXTS):
        ImageDraw.Draw(image).text((20, 20 + 2 * row * size), text, "black", font_size=size)
    page = np.asarray(image)
    sizes = [type_size(page, line) for line in get_reader("rapidocr").page_lines(page).lines]
    assert len(sizes) == 3
    assert sizes == pytest.approx([size] * 3, abs=1.1 + 0.12 * size)  # a row of pixels of 0.91, and the typeface


def painted(rows, ground=255, ink=0, width=200):
    """A line of 40 px with ink in some rows, in every other column."""
    page = np.full((40, width, 3), ground, np.uint8)
    for row in rows:
        page[row, ::2] = ink
    return page, Line(Box(0, 0, width, 40), "Total")


def test_neighbours_and_rules_in_the_box_do_not_count():
    text = range(10, 24)  # 14 rows of capitals: 20 px
    assert type_size(*painted(text)) == pytest.approx(20)
    assert type_size(*painted([*text, 36, 37, 38])) == pytest.approx(20)  # the next line begins 12 rows below
    page, line = painted(text)
    page[25] = 0  # underlined
    assert type_size(page, line) == pytest.approx(20)
    assert type_size(*painted(range(10, 22), ground=60, ink=250)) == pytest.approx(12 / 0.7)  # light on dark


def test_a_gap_of_one_part_of_a_letter_is_bridged():
    assert type_size(*painted([10, 11, *range(14, 24)])) == pytest.approx(20)  # the dot of an i


def test_where_there_is_no_ink_the_box_decides():
    assert type_size(*painted(())) == 30  # 0.75 of 40 px
    assert type_size(*painted([20, 21])) == 30  # a dash


def test_a_vertical_line_is_measured_across():
    page = np.full((200, 20, 3), 255, np.uint8)
    page[::2, 2:11] = 0
    assert type_size(page, Line(Box(0, 0, 20, 200), "自十月起")) == pytest.approx(10)  # 9 columns of 0.9


def test_the_extent_of_a_text_depends_on_its_letters():
    assert [extent(text) for text in ("no", "No", "go", "Gym", "No, so")] == pytest.approx([0.5, 0.7, 0.71, 0.91, 0.83])
