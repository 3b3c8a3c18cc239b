"""Pages that are turned or skewed are read like upright ones, with boxes on the page as it is."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from tests.readers.rendered import draw_line, draw_page, rotate
from vdebench.core.box import Box
from vdebench.readers.lines import orientation
from vdebench.readers.lines.orientation import PageView, most_lines_are_tall, skew_of
from vdebench.readers.rapid import RapidReader


@pytest.fixture(scope="module")
def reader():
    return RapidReader(1, tables=False)


@pytest.fixture(scope="module", params=["en", "zh"])
def page(request, reader):
    """Image, text and OCR output of an upright page."""
    image, text = draw_page(request.param)
    return image, "".join(text.split()), reader.read(image)


def content(page_text) -> str:
    return "".join("".join(block.content.split()) for block in page_text.blocks)


def accuracy(page_text, text: str) -> float:
    return Levenshtein.normalized_similarity(content(page_text), text)


def test_an_upright_page_stays_as_it_is(page, reader, monkeypatch):
    image, text, upright = page
    assert accuracy(upright, text) > 0.98
    assert len(upright.blocks) == 2
    monkeypatch.setattr(orientation, "_longest", None)  # no lines are read in another position
    monkeypatch.setattr(PageView, "image", None)
    assert reader.read(image) == upright


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_quarter_turns(page, reader, turns):
    image, _, upright = page
    turned = np.ascontiguousarray(np.rot90(image, turns))
    found = reader.read(turned)
    assert content(found) == content(upright)
    assert found.size == (turned.shape[1], turned.shape[0])
    # Turn the page back by hand: one turn counterclockwise moves (x, y) to (y, width - x).
    for one, other in zip(upright.blocks, found.blocks, strict=True):
        x1, y1, x2, y2 = one.box
        width, height = image.shape[1], image.shape[0]
        for _ in range(turns):
            x1, y1, x2, y2 = y1, width - x2, y2, width - x1
            width, height = height, width
        assert other.box == pytest.approx((x1, y1, x2, y2))


@pytest.mark.parametrize("degrees", [-7, -3, 3, 7])
def test_skew(page, reader, degrees):
    image, text, upright = page
    skewed, matrix = rotate(image, degrees)
    found = reader.read(skewed)
    assert accuracy(found, text) > 0.97
    assert len(found.blocks) == len(upright.blocks)
    for one, other in zip(upright.blocks, found.blocks, strict=True):
        x1, y1, x2, y2 = one.box
        corners = np.array([[x1, y1, 1], [x2, y1, 1], [x2, y2, 1], [x1, y2, 1]]) @ matrix.T
        assert Box(*corners.min(0), *corners.max(0)).iou(other.box) > 0.9


@pytest.mark.parametrize("text", ["1", "I", "!", "一"])
def test_a_crop_of_one_character_is_not_turned(reader, text):
    (line,) = reader.lines(draw_line(text, 60))
    assert line.text in (text, "1", "l", "—")  # similar without context
    assert reader.engine.read(np.pad(draw_line(text, 60), ((90, 90), (90, 90), (0, 0)), "edge")).view.is_page


def test_lines_of_a_skewed_page_have_boxes_on_the_page(page, reader):
    skewed, _ = rotate(page[0], 3)
    ink = skewed.min(2) < 128
    for line in reader.lines(skewed):
        x1, y1, x2, y2 = (int(side) for side in line.box)
        assert ink[y1:y2, x1:x2].any()


def test_perspective(page, reader):
    image, text, _ = page
    height, width = image.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    narrow_top = np.array([[0.05 * width, 0], [0.95 * width, 0.01 * height], [width, height], [0, height]], np.float32)
    transform = cv2.getPerspectiveTransform(corners, narrow_top)
    found = reader.read(cv2.warpPerspective(image, transform, (width, height), borderValue=(255, 255, 255)))
    assert accuracy(found, text) > 0.97


def level_line(x: float, y: float, width: float, height: float = 30, slope: float = 0.0) -> np.ndarray:
    rise = width * slope
    return np.array([[x, y], [x + width, y + rise], [x + width, y + rise + height], [x, y + height]], np.float32)


def test_the_skew_of_lines_that_agree():
    tan = np.tan(np.radians(2))
    assert skew_of([level_line(0, 50 * n, 900, slope=tan) for n in range(5)]) == pytest.approx(2, abs=0.01)
    # Below .4 degrees, without three long lines, where the lines rise by less than 4 pixels, and where they lie in all
    # directions, the page is left alone.
    assert skew_of([level_line(0, 50 * n, 900, slope=tan) for n in range(2)]) == 0
    assert skew_of([level_line(0, 50 * n, 110, 10, slope=tan) for n in range(5)]) == 0  # rise 110 × sin 2° = 3.8
    assert skew_of([level_line(0, 50 * n, 900, slope=0.006) for n in range(5)]) == 0
    assert skew_of([level_line(0, 50 * n, 100, slope=tan) for n in range(5)]) == 0
    assert skew_of([level_line(0, 50 * n, 900, slope=0.02 * n) for n in range(5)]) == 0
    assert skew_of([]) == 0


def test_tall_lines_count_by_their_length():
    tall, wide = level_line(0, 0, 30, 600), level_line(0, 0, 200, 30)
    assert most_lines_are_tall([tall, wide, wide])
    assert not most_lines_are_tall([tall, wide, wide, wide])
    assert not most_lines_are_tall([])
    assert not most_lines_are_tall([level_line(0, 0, 14, 40)])  # a digit


@pytest.mark.parametrize("view", [PageView(600, 400, turns) for turns in range(4)] + [PageView(600, 400, 1, 5.0)])
def test_a_view_and_the_page_convert_into_each_other(view):
    line = level_line(100, 120, 200)
    back = view.box_on_page(view.box(line))
    if not view.skew:
        assert back == pytest.approx((100, 120, 300, 150))
    assert Box(100, 120, 300, 150).iou(back) > (0.3 if view.skew else 0.99)
    image = np.full((400, 600, 3), 255, np.uint8)
    image[120:150, 100:300] = 0
    dark = np.argwhere(view.image(image)[..., 0] < 128)[:, ::-1]  # x, y
    assert dark.min(0) == pytest.approx(view.corners(line).min(0), abs=1.5)
    assert dark.max(0) == pytest.approx(view.corners(line).max(0), abs=1.5)
