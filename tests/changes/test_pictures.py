"""Pictures and areas of colour that look different, on drawn pages with a synthetic photograph."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.changes.drawn import HEIGHT, LINES, WIDTH, draw, jpeg, line_top, resized, warped
from vdebench.changes.alignment import AlignedPages
from vdebench.changes.pictures import picture_changes
from vdebench.changes.registration import whole_page
from vdebench.core.box import Box, Size

PLACE = Box(60, 180, 300, 380)
"""Below three lines of text."""
TEXT = [Box(38, line_top(row) - 2, 440, line_top(row) + 30) for row in range(3)]


def photograph(seed=0):
    """Smooth random shapes, darker on the left side."""
    width, height = int(PLACE.x2 - PLACE.x1), int(PLACE.y2 - PLACE.y1)
    noise = np.random.default_rng(seed).normal(0, 1, (height, width, 3)).astype(np.float32)
    shapes = cv2.GaussianBlur(noise, (0, 0), 9)
    shapes = 127 + 45 * shapes / shapes.std() + np.linspace(-50, 50, width, dtype=np.float32)[None, :, None]
    return np.clip(shapes, 0, 255).astype(np.uint8)


def page(picture=None, down=0):
    image = draw(LINES[:3], rule=False).copy()
    if picture is not None:
        top = int(PLACE.y1) + down
        image[top : top + picture.shape[0], int(PLACE.x1) : int(PLACE.x1) + picture.shape[1]] = picture
    return image


def compared(before, after, shifts=(), text=TEXT):
    sizes = (Size(image.shape[1], image.shape[0]) for image in (before, after))
    return picture_changes(AlignedPages(before, after, whole_page(*sizes)), text, 32.0, shifts)


@pytest.mark.parametrize(
    "change",
    [
        lambda image: image,
        lambda image: jpeg(image, 40),
        lambda image: resized(image, WIDTH // 2, HEIGHT // 2),
        lambda image: cv2.GaussianBlur(image, (0, 0), 1.5),
        lambda image: warped(image, shift=(2, -2)),
        lambda image: np.clip(image * 0.9 + 20, 0, 255).astype(np.uint8),  # of the whole page
        lambda image: (image * [1.0, 0.98, 0.93]).astype(np.uint8),
    ],
    ids=["same", "jpeg", "smaller", "blurred", "shifted", "paler", "tinted"],
)
def test_a_picture_that_is_the_same(change):
    assert compared(page(photograph()), change(page(photograph()))) == []


def test_another_picture_and_a_mirrored_one():
    for other in (photograph(1), photograph()[:, ::-1]):
        (change,) = compared(page(photograph()), page(other))
        assert (change.kind, change.note) == ("redrawn", "picture")
        assert change.box_before.iou(PLACE) > 0.75


def test_a_picture_that_is_lost_or_added():
    (lost,) = compared(page(photograph()), page())
    (added,) = compared(page(), page(photograph()))
    assert (lost.kind, added.kind) == ("ink_lost", "ink_added")
    assert lost.box_before.iou(PLACE) > 0.6


def test_another_colour():
    brighter = np.clip(photograph().astype(int) + 70, 0, 255).astype(np.uint8)
    (change,) = compared(page(photograph()), page(brighter))
    assert (change.kind, change.note) == ("redrawn", "other colour")
    assert change.box_before.iou(PLACE) > 0.75
    panel = np.full((200, 240, 3), (235, 240, 250), np.uint8)
    (change,) = compared(page(panel), page(panel - np.array([80, 0, 0], np.uint8)))
    assert change.note == "other colour"


def test_a_picture_that_moved_with_the_text_around_it():
    before, after = page(photograph()[:150]), page(photograph()[:150], down=40)
    assert compared(before, after, shifts=[(0, 40)]) == []
    assert compared(before, after) != []


def test_places_with_text_and_outside_the_frame_are_left_out():
    before, after = page(photograph()), page(photograph(1))
    assert compared(before, after, text=[*TEXT, PLACE]) == []
    enlarged = warped(before, 1.5)
    matrix = np.array([[1.5, 0, -0.25 * (WIDTH - 1)], [0, 1.5, -0.25 * (HEIGHT - 1)]])
    assert picture_changes(AlignedPages(before, enlarged, matrix), TEXT, 32.0, []) == []


def test_small_areas_and_small_pages():
    speck = page(photograph())
    speck[300:316, 200:216] = 0
    assert compared(page(photograph()), speck) == []
    tiny = np.zeros((8, 8, 3), np.uint8)
    assert compared(tiny, tiny + 200) == []
