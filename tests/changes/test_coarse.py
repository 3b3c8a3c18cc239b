"""The rough geometry of a crop in other proportions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.changes.drawn import HEIGHT, WIDTH, blank, draw, noise, resized
from vdebench.changes.coarse import find_crop

PAGE = draw()


@pytest.mark.parametrize(
    ("window", "size", "visible"),
    [
        ((0, 300), (300, 420), (0, 0, 0.625, 1)),  # 300 of 480 columns
        ((60, 360), (600, 840), (0.125, 0, 0.75, 1)),  # twice as large
        ((180, 480), (150, 210), (0.375, 0, 1, 1)),
    ],
)
def test_a_crop_is_found(window, size, visible):
    found = find_crop(PAGE, resized(np.ascontiguousarray(PAGE[:, window[0] : window[1]]), *size))
    assert found.kind == "cropped"
    assert found.visible == pytest.approx(visible, abs=0.03)
    # the page is 1 / 0.625 = 1.6 times as wide as the frame, and begins left of it
    assert found.scale_x == pytest.approx(1.6, abs=0.05)
    assert found.shift[0] == pytest.approx(-visible[0] * 1.6, abs=0.05)
    assert (found.after.width, found.after.height) == size


@pytest.mark.parametrize(
    "after",
    [
        PAGE,  # of the same proportions
        resized(PAGE, 960, 840),
        draw(["Another", "page"], width=300),
        noise(300, HEIGHT),
        blank(300, HEIGHT),  # correlates with anything
        blank(1, 1),
        blank(8, 8, 0),
        blank(WIDTH, 1),
        PAGE[:, :1],
        PAGE[:1],
    ],
    ids=["same", "larger", "other text", "noise", "blank", "one pixel", "black", "one blank row", "column", "row"],
)
def test_no_crop(after):
    assert find_crop(PAGE, np.ascontiguousarray(after)) is None


@pytest.mark.parametrize("before", [blank(), blank(1, 1), blank(3, 900)])
def test_a_blank_page_has_no_crop(before):
    assert find_crop(before, PAGE[:, :300]) is None
