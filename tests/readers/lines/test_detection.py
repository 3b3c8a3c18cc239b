"""Detection of lines: scale, bands, and the shapes of a map of probabilities."""

from __future__ import annotations

import numpy as np

from vdebench.readers.lines.detection import (
    BAND,
    BAND_MARGIN,
    cut_bands,
    detection_scale,
    find_lines,
    letter_height,
    scale_page,
)


def striped_page(height: int, width: int, gaps) -> np.ndarray:
    """A page whose rows all hold ink, except for gaps."""
    page = np.full((height, width, 3), 255, np.uint8)
    page[:, ::2] = 0
    for start, end in gaps:
        page[start:end] = 255
    return page


def rows_of(page: np.ndarray) -> list[tuple[int, int]]:
    """First row and height of each band, without its margin."""
    return [(band.top + BAND_MARGIN, band.image.shape[0]) for band in cut_bands(page)]


def test_a_page_is_cut_in_the_tallest_gap_in_reach():
    page = striped_page(2000, 64, [(400, 410), (600, 630), (700, 712), (1100, 1107), (1300, 1320)])
    # 400-410 is in reach but lower; 1100-1107 has fewer than 8 rows
    assert [top for top, _ in rows_of(page)] == [0, 630, 1320]


def test_a_page_without_blank_rows_is_one_band():
    assert [top for top, _ in rows_of(striped_page(3000, 64, []))] == [0]


def test_a_band_is_taller_where_the_next_gap_is_far():
    assert [top for top, _ in rows_of(striped_page(3000, 64, [(1400, 1420)]))] == [0, 1420]


def test_a_page_is_not_cut_near_its_ends():
    page = striped_page(1000, 64, [(100, 120), (300, 320), (900, 920)])
    assert [top for top, _ in rows_of(page)] == [0]
    assert BAND[0] > 320


def test_margins_and_blank_bands_are_left_out():
    page = np.full((3000, 1000, 3), 250, np.uint8)
    page[700:1100:2, 300:700] = 0
    (band,) = cut_bands(page)
    assert (band.left, band.top) == (300 - BAND_MARGIN, 700 - BAND_MARGIN)
    assert band.image.shape == (480, 480, 3)  # 399 + 2 * 32 and 400 + 2 * 32, filled up to multiples of 32
    assert (band.image[:463, :464] == page[668:1131, 268:732]).all()
    assert (band.image[463:] == 250).all()
    assert cut_bands(np.full((900, 900, 3), 77, np.uint8)) == []


def test_a_small_part_gets_a_wide_margin():
    page = np.full((600, 600, 3), 250, np.uint8)
    page[290:310:2, 300:304] = 0
    (band,) = cut_bands(page)
    assert band.image.shape == (320, 320, 3)
    assert (band.left, band.top) == (300 - 158, 290 - 150)  # (320 - 4) // 2 and (320 - 19) // 2


def test_a_margin_does_not_reach_into_the_next_band():
    page = striped_page(1200, 64, [(600, 610)])
    upper, lower = cut_bands(page)
    assert (upper.image[600 - upper.top :] == 255).all()
    assert (lower.image[: 610 - lower.top] == 255).all()


def test_a_band_is_the_same_wherever_it_is_on_a_page():
    text = np.random.default_rng(1).integers(0, 255, (300, 200, 3), np.uint8)
    images = []
    for left, top in ((100, 200), (37, 611)):
        page = np.full((1200, 800, 3), 255, np.uint8)
        page[top : top + 300, left : left + 200] = text
        images += [band.image for band in cut_bands(page)]
    assert len(images) == 2
    assert (images[0] == images[1]).all()


def test_large_type_is_detected_at_a_smaller_scale_and_small_type_is_not():
    def page(letter: int) -> np.ndarray:
        image = np.full((1600, 1200, 3), 255, np.uint8)
        for y in range(40, 1500, 3 * letter):
            for x in range(40, 1100, 2 * letter):
                image[y : y + letter, x : x + letter // 2] = 0
        return image

    assert letter_height(page(20)) == 20
    assert detection_scale(page(20)) < detection_scale(page(6)) == 1
    assert detection_scale(np.zeros((4000, 3000, 3), np.uint8)) == 0.5  # no letters
    assert detection_scale(np.zeros((100, 400, 3), np.uint8)) == 3.2
    assert scale_page(page(20), 0.5).shape == (800, 600, 3)


def test_shapes_become_rectangles_from_top_to_bottom():
    probabilities = np.zeros((200, 400), np.float32)
    probabilities[100:110, 50:350] = 0.9
    probabilities[30:40, 60:200] = 0.9
    probabilities[150:160, 20:60] = 0.4  # too improbable
    probabilities[180:182, 20:60] = 0.9  # too thin
    first, second = find_lines(probabilities)
    # `dilate` adds a pixel at the left and the top; growth = 1.6 * area / perimeter / 2 on each side
    width, height = 301 - 1, 11 - 1
    growth = 1.6 * width * height / (width + height) / 2
    assert np.allclose(second[0], (49 - growth, 99 - growth), atol=1.5)
    assert np.allclose(second[2], (349 + growth, 109 + growth), atol=1.5)
    assert first[0, 1] < second[0, 1]


def test_faint_text_and_text_of_the_same_brightness_are_not_blank():
    for paper, ink in (((255, 255, 255), (233, 233, 233)), ((0, 130, 0), (255, 0, 0))):
        page = np.full((400, 500, 3), paper, np.uint8)
        page[100:130:2, 100:400] = ink
        assert len(cut_bands(page)) == 1
