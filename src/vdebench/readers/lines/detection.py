"""Detection of text lines: the PP-OCR detector (differentiable binarisation) of the rapidocr package.

A page is cut into bands at blank rows, and each band is detected by itself: a band with the same pixels gives the same
lines on any page, so a page that was edited in one place is detected again only there.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.core.images import Image
from vdebench.readers.lines.inference import Model, to_input

Corners = NDArray[np.float32]
"""Corners of a line, clockwise from its top left one: an array of shape (4, 2)."""

MAX_SIDE, MIN_SIDE = 2000, 320
"""Limits in pixels of the longer and the shorter side of an image at detection."""
SMALLER = 0.85
"""Further scale for pages with large type."""
MIN_PAGE_SIDE, MIN_TYPE_HEIGHT = 1000, 9.0
"""Such pages have at least this shorter side and this median height of letters, both in pixels at the first scale."""
BAND = 384, 768
"""Least and usual greatest height of a band in pixels; a band is taller where no row is blank."""
MIN_GAP = 8
"""Least number of blank rows at which a page is cut."""
BLANK_RANGE = 12
"""Greatest difference within a blank row, in levels of any of the three colours."""
BAND_MARGIN = 32
"""Width in pixels of the margin around a band."""

_MULTIPLE = 32
_MIN_PROBABILITY, _MIN_SCORE, _GROWTH, _MIN_THICKNESS = 0.3, 0.5, 1.6, 3
"""Limits of the binarisation, as rapidocr has them: of a pixel, of a line, growth of its shape, thickness in pixels."""
_INK = 50
"""Least difference of grey levels between a letter and the paper around it."""


class LineDetector:
    """Finds the lines of text on a page."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def identity(self) -> str:
        """Engine, and all limits that change the result."""
        limits = f"side {MIN_SIDE}-{MAX_SIDE}, x{SMALLER:g} from {MIN_PAGE_SIDE} and {MIN_TYPE_HEIGHT:g}"
        bands = f"bands {BAND[0]}-{BAND[1]} at {MIN_GAP} rows within {BLANK_RANGE}, margin {BAND_MARGIN}"
        return f"{self.model.file.stem}, {self.model.identity}, {limits}, {bands}"

    def detect_band(self, band: Image) -> list[Corners]:
        """Return the corners of each line of a band, in its pixels."""
        return find_lines(self.model(to_input(band))[0, 0])


def detection_scale(page: Image) -> float:
    """Return the scale at which a page is detected: smaller for large pages and large type."""
    shorter, longer = (float(side) for side in sorted(page.shape[:2]))
    scale = max(min(1.0, MAX_SIDE / longer), MIN_SIDE / shorter)
    if shorter * scale >= MIN_PAGE_SIDE and letter_height(page) * scale >= MIN_TYPE_HEIGHT:
        scale *= SMALLER
    return scale


def letter_height(page: Image) -> float:
    """Return the median height in pixels of shapes of the size and proportions of letters; 0 without any."""
    grey = cv2.cvtColor(page, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, None, fx=0.125, fy=0.125, interpolation=cv2.INTER_AREA)
    paper = cv2.resize(cv2.medianBlur(small, 11), (grey.shape[1], grey.shape[0]))
    ink = (cv2.absdiff(grey, paper) > _INK).astype(np.uint8)
    shapes = cv2.connectedComponentsWithStats(ink, connectivity=8)[2][1:]
    widths, heights = shapes[:, cv2.CC_STAT_WIDTH], shapes[:, cv2.CC_STAT_HEIGHT]
    letters = (heights >= 4) & (heights < grey.shape[0] / 10) & (widths < 8 * heights) & (heights < 8 * widths)
    return float(np.median(heights[letters])) if letters.any() else 0.0


def scale_page(page: Image, scale: float) -> Image:
    """Return a page at the scale of detection."""
    if scale == 1:
        return page
    height, width = page.shape[:2]
    return cv2.resize(page, (max(1, round(width * scale)), max(1, round(height * scale)))).astype(np.uint8, copy=False)


class Band(NamedTuple):
    """A part of a page, with sides of multiples of 32 pixels, and the place of its first pixel on the page."""

    image: Image
    left: int
    top: int


def cut_bands(page: Image) -> list[Band]:
    """Cut a page into bands at blank rows; blank bands, and blank rows and columns around others, are left out.

    >>> page = np.full((1500, 400, 3), 255, np.uint8)
    >>> page[50:500:2, 140:160] = page[520:1100:2, 140:160] = 0
    >>> [(*band.image.shape[:2], band.left, band.top) for band in cut_bands(page)]
    [(544, 320, -10, 18), (672, 320, -10, 488)]
    """
    width = page.shape[1]
    bands = []
    for start, end in pairwise(_cuts(_blank(page, 1))):
        inked_rows = np.flatnonzero(~_blank(page[start:end], 1))
        if len(inked_rows):
            rows = _span(start + inked_rows, start, end)
            inked_columns = np.flatnonzero(~_blank(page[rows.start : rows.end], 0))
            columns = _span(inked_columns if len(inked_columns) else np.arange(width), 0, width)
            part = page[rows.start : rows.end, columns.start : columns.end]
            fill = rows.before, rows.after, columns.before, columns.after
            image = cv2.copyMakeBorder(part, *fill, borderType=cv2.BORDER_REPLICATE).astype(np.uint8, copy=False)
            bands.append(Band(image, columns.start - columns.before, rows.start - rows.before))
    return bands


class _Span(NamedTuple):
    """Rows or columns of a band: those from the page, and how many are filled in before and after them."""

    start: int
    end: int
    before: int
    after: int


def _span(inked: NDArray[Any], low: int, high: int) -> _Span:
    """Return the rows or columns with ink and a margin, within limits of the page, filled up to a multiple of 32.

    The detector misses a character that fills its input, so a span has at least `MIN_SIDE` pixels if the page has them.
    """
    margin = max(BAND_MARGIN, (min(MIN_SIDE, high - low) - int(inked[-1] + 1 - inked[0])) // 2)
    first, last = int(inked[0]) - margin, int(inked[-1]) + 1 + margin
    start, end = max(low, first), min(high, last)
    return _Span(start, end, start - first, last - end + -(last - first) % _MULTIPLE)


def _blank(part: Image, axis: int) -> NDArray[np.bool_]:
    """Whether each row (axis 1) or column (axis 0) has one colour."""
    most, least = (cv2.reduce(part, axis, each).reshape(-1, 3) for each in (cv2.REDUCE_MAX, cv2.REDUCE_MIN))
    blank: NDArray[np.bool_] = (most - least).max(1) <= BLANK_RANGE
    return blank


def _cuts(blank: NDArray[np.bool_]) -> list[int]:
    """Return the first row, the rows at which to cut, and the row after the last."""
    changes = np.flatnonzero(np.diff(blank, prepend=False, append=False)).reshape(-1, 2)
    gaps = [(end - start, (start + end) // 2) for start, end in changes if end - start >= MIN_GAP]
    cuts = [0]
    while True:
        least, most = (cuts[-1] + limit for limit in BAND)
        after = [gap for gap in gaps if least <= gap[1] <= len(blank) - BAND[0]]
        if not after:
            return [*cuts, len(blank)]
        near = [gap for gap in after if gap[1] <= most]
        cuts.append(int(max(near, key=lambda gap: gap[0])[1] if near else after[0][1]))


def find_lines(probabilities: NDArray[np.float32]) -> list[Corners]:
    """Return the lines of a map of probabilities: connected shapes as rectangles, grown to the full height of letters.

    The detector marks the core of a line; a rectangle is grown on all sides by a share of its area per perimeter.
    """
    mask = cv2.dilate((probabilities > _MIN_PROBABILITY).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        center, (width, height), angle = cv2.minAreaRect(contour)
        if min(width, height) < _MIN_THICKNESS:
            continue
        if _mean_inside(probabilities, cv2.boxPoints((center, (width, height), angle))) < _MIN_SCORE:
            continue
        growth = _GROWTH * width * height / (width + height)
        found.append(_clockwise(cv2.boxPoints((center, (width + growth, height + growth), angle))))
    return sorted(found, key=lambda corners: (corners[0, 1], corners[0, 0]))


def _mean_inside(probabilities: NDArray[np.float32], corners: NDArray[Any]) -> float:
    x1, y1 = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    x2, y2 = np.ceil(corners.max(0)).astype(int) + 1
    part = probabilities[y1:y2, x1:x2]
    inside = np.zeros(part.shape, np.uint8)
    cv2.fillPoly(inside, [(corners - (x1, y1)).astype(np.int32)], 1)
    return float(cv2.mean(part, inside)[0])


def _clockwise(corners: NDArray[Any]) -> Corners:
    """Sort corners: top left, top right, bottom right, bottom left."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    left, right = (side[np.argsort(side[:, 1], kind="stable")] for side in (by_x[:2], by_x[2:]))
    return np.array([left[0], right[0], right[1], left[1]], np.float32)
