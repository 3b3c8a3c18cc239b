"""Crops of the same place on a page and an output, for known transformations."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.changes.drawn import HEIGHT, LEFT, LINES, WIDTH, blank, draw, line_top, resized, warped, with_line, word_box
from vdebench.changes.alignment import AlignedPages, PlacedCrop, cut, settle
from vdebench.changes.registration import whole_page
from vdebench.core.box import Box, Size

IDENTITY = np.array([[1.0, 0, 0], [0, 1, 0]])
PAGE = draw()
PRICE = word_box(LINES[2], "21.88", 2)
CENTRE = (WIDTH - 1) / 2, (HEIGHT - 1) / 2


def aligned(after, matrix=IDENTITY):
    return AlignedPages(PAGE, after, np.asarray(matrix, np.float64))


def whole(width, height):
    return aligned(resized(PAGE, width, height), whole_page(Size(WIDTH, HEIGHT), Size(width, height)))


def enlarged(scale):
    """Enlarged about the centre: c + scale × (x - c)."""
    return aligned(warped(PAGE, scale), [[scale, 0, (1 - scale) * CENTRE[0]], [0, scale, (1 - scale) * CENTRE[1]]])


def test_the_same_size_is_not_resampled():
    pages = aligned(PAGE)
    assert pages.after is PAGE
    assert (pages.enlargement, pages.blur) == (1, 0)
    assert pages.frame == Box(0, 0, WIDTH, HEIGHT)
    assert pages.settle(PRICE) == (0, 0, pytest.approx(1))


@pytest.mark.parametrize(
    ("pages", "enlargement", "blur"),
    [
        (whole(240, 210), 0.5, 1.0),
        (whole(960, 840), 2.0, 0.0),
        (enlarged(1.1), 1.1, 0.0),
        (enlarged(0.8), 0.8, 0.25),  # 1 / 0.8 - 1
        (aligned(warped(resized(PAGE, 960, 840), shift=(8, 6)), [[2, 0, 8.5], [0, 2, 6.5]]), 2.0, 0.0),
        (aligned(PAGE[30:, 30:], [[1, 0, -30], [0, 1, -30]]), 1.0, 0.0),
        (aligned(warped(PAGE, degrees=0.5), cv2.getRotationMatrix2D(CENTRE, -0.5, 1)), 1.0, 0.0),
    ],
    ids=["smaller", "larger", "zoom", "unzoom", "larger and shifted", "cropped", "turned"],
)
def test_an_output_is_warped_to_the_page(pages, enlargement, blur):
    assert pages.after.shape == PAGE.shape
    assert pages.enlargement == pytest.approx(enlargement)
    assert pages.blur == pytest.approx(blur)
    place = pages.settle(PRICE)
    assert (place.right, place.down) == (0, 0)
    assert place.correlation > 0.9
    back = pages.box_to_page(pages.box_to_output(PRICE))
    assert back == pytest.approx(PRICE, abs=1.5)  # a turned box grows


@pytest.mark.parametrize(
    ("pages", "frame"),
    [
        (whole(240, 210), (0, 0, WIDTH, HEIGHT)),
        (enlarged(0.8), (0, 0, WIDTH, HEIGHT)),
        # 480 / 1.1 = 436.4 are shown: (480 - 436.4) / 2 = 21.8 is cut off; likewise 420 - 381.8, 19.1
        (enlarged(1.1), (21.8, 19.1, 458.2, 400.9)),
        (aligned(PAGE[30:, 20:400], [[1, 0, -20], [0, 1, -30]]), (20, 30, 400, HEIGHT)),
    ],
    ids=["smaller", "unzoom", "zoom", "cropped"],
)
def test_the_frame_is_the_part_of_the_page_that_is_shown(pages, frame):
    assert pages.frame == pytest.approx(frame, abs=0.6)


def test_a_box_on_the_output_is_limited_to_its_frame():
    pages = aligned(PAGE[:, :300], IDENTITY)
    assert pages.box_to_output(Box(250, 10, 350, 30)) == Box(250, 10, 300, 30)


def test_what_lies_outside_the_frame_is_paper():
    pages = aligned(PAGE[:, :200], [[1, 0, 0], [0, 1, 0]])
    assert (pages.after[:, 205:] == PAGE[0, 0]).all()
    assert (pages.after[:, :195] == PAGE[:, :195]).all()


def test_a_line_is_found_where_it_moved_to():
    pages = aligned(warped(PAGE, shift=(3, -2)))
    assert pages.settle(PRICE) == (3, -2, pytest.approx(1, abs=0.001))
    assert pages.settle_back(Box(*(side + move for side, move in zip(PRICE, (3, -2, 3, -2), strict=True))))[:2] == (
        -3,
        2,
    )


def test_a_line_is_not_found_beyond_its_reach():
    place = aligned(warped(PAGE, shift=(0, 22))).settle(PRICE)  # 0.4 × 28 = 11 pixels
    assert place.correlation < 0.6


def test_only_the_changed_characters_correlate_less():
    line = Box(LEFT, line_top(2), LEFT + 345, line_top(2) + 28)
    pages = aligned(draw(with_line(2, LINES[2].replace("21.88", "27.88"))))
    parts = [word_box(LINES[2], word, 2) for word in ("ferry", "1", "per")]
    spans = [((part.x1 - line.x1) / 345, (part.x2 - line.x1) / 345) for part in parts]
    ferry, digit, per = pages.glyph_correlations(line, pages.settle(line), spans)
    assert ferry > 0.99
    assert per > 0.99
    assert digit < 0.8


def test_nothing_correlates_with_blank_paper():
    pages = aligned(blank())
    assert pages.settle(PRICE).correlation == 0
    assert pages.settle_back(PRICE).correlation == 0  # no ink to look for
    assert pages.glyph_correlations(PRICE, PlacedCrop(0, 0, 1), [(0, 0.5), (0, 0)]) == [0, 0]


@pytest.mark.parametrize(
    "box",
    [Box(-90, -90, -10, -10), Box(900, 900, 990, 990), Box(10, 10, 10, 10), Box(90, 90, 10, 10), Box(0, 0, 1, 400)],
)
def test_boxes_outside_and_empty_boxes_have_no_correlation(box):
    assert settle(aligned(PAGE).before_grey, aligned(PAGE).after_grey, box, 0.4) == PlacedCrop(0, 0, 0.0)


@pytest.mark.parametrize("width", [1, 8])
def test_an_output_of_a_few_pixels(width):
    pages = aligned(blank(width, width), whole_page(Size(WIDTH, HEIGHT), Size(width, width)))
    assert pages.after.shape == PAGE.shape
    assert pages.frame == Box(0, 0, WIDTH, HEIGHT)
    assert pages.settle(PRICE).correlation == 0


@pytest.mark.parametrize(
    ("box", "shape"),
    [
        (Box(10, 20, 40, 30), (10, 30, 3)),
        (Box(-5, -5, 5, 5), (5, 5, 3)),
        (Box(900, 900, 990, 990), (1, 1, 3)),
        (Box(10, 10, 10, 10), (1, 1, 3)),
        (Box(20, 20, 10, 10), (1, 1, 3)),
    ],
)
def test_a_crop_has_at_least_one_pixel(box, shape):
    assert cut(PAGE, box).shape == shape


def test_a_shifted_crop():
    assert (cut(PAGE, Box(10, 20, 40, 30), 5, -3) == PAGE[17:27, 15:45]).all()
