"""The output of an editor in the coordinates of the page: crops of the same place on both, and their correlation."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.changes.registration import Matrix, whole_page
from vdebench.core.box import Box, Size
from vdebench.core.images import Image

Grey = NDArray[np.uint8]

REACH = 0.4
"""Distance, in heights of a line, within which it is searched near its place."""
MIN_REACH = 4
GLYPH_REACH = 0.12
"""Distance, in heights of a line, within which a character is searched near its place in the line."""
FLAT = 6.0
"""Standard deviation of grey levels below which a crop has no ink."""


class PlacedCrop(NamedTuple):
    """The place of a line on the output: its shift in pixels and the correlation there."""

    right: int
    down: int
    correlation: float


class AlignedPages:
    """A page, and an output warped to the page's coordinates."""

    def __init__(self, before: Image, after: Image, matrix: Matrix) -> None:
        self.before = before
        self.size = Size(before.shape[1], before.shape[0])
        self.output = Size(after.shape[1], after.shape[0])
        self.matrix = matrix
        self.after = _warped(after, matrix, self.size)

    @property
    def enlargement(self) -> float:
        """Pixels of the output per pixel of the page."""
        return math.sqrt(abs(float(np.linalg.det(self.matrix[:, :2]))))

    @property
    def blur(self) -> float:
        """Distance in pixels of the page over which a smaller output smears an edge."""
        return max(0.0, 1 / self.enlargement - 1)

    @cached_property
    def before_grey(self) -> Grey:
        """The page in grey."""
        return np.asarray(cv2.cvtColor(self.before, cv2.COLOR_RGB2GRAY), np.uint8)

    @cached_property
    def after_grey(self) -> Grey:
        """The warped output in grey."""
        return np.asarray(cv2.cvtColor(self.after, cv2.COLOR_RGB2GRAY), np.uint8)

    @cached_property
    def frame(self) -> Box:
        """The part of the page inside the output's frame, in pixels of the page."""
        corners = [
            self.to_page(x, y) for x in (-0.5, self.output.width - 0.5) for y in (-0.5, self.output.height - 0.5)
        ]
        (left_top, left_bottom, right_top, right_bottom) = corners
        return Box(
            max(0.0, left_top[0], left_bottom[0]),
            max(0.0, left_top[1], right_top[1]),
            min(self.size.width, right_top[0] + 1, right_bottom[0] + 1),
            min(self.size.height, left_bottom[1] + 1, right_bottom[1] + 1),
        )

    def to_page(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the page at a point of the output."""
        point = np.linalg.solve(self.matrix[:, :2], np.array([x, y]) - self.matrix[:, 2])
        return float(point[0]), float(point[1])

    def box_to_page(self, box: Box) -> Box:
        """Return a box of the output on the page."""
        return _around([self.to_page(x, y) for x in (box.x1, box.x2) for y in (box.y1, box.y2)])

    def box_to_output(self, box: Box) -> Box:
        """Return a box of the page on the output, limited to its frame."""
        corners = np.array([[x, y, 1.0] for x in (box.x1, box.x2) for y in (box.y1, box.y2)]) @ self.matrix.T
        x1, y1, x2, y2 = _around([(float(x), float(y)) for x, y in corners])
        return Box(max(0.0, x1), max(0.0, y1), min(self.output.width, x2), min(self.output.height, y2))

    def settle(self, box: Box, *, reach: float = REACH) -> PlacedCrop:
        """Find a piece of the page on the output near its place."""
        return settle(self.before_grey, self.after_grey, box, reach)

    def settle_back(self, box: Box, *, reach: float = REACH) -> PlacedCrop:
        """Find a piece of the output on the page near its place."""
        return settle(self.after_grey, self.before_grey, box, reach)

    def glyph_correlations(
        self, box: Box, place: PlacedCrop, spans: list[tuple[float, float]], *, reach: float = GLYPH_REACH
    ) -> list[float]:
        """Return the correlation of parts of a line, given as shares of its width, with the output.

        Each is searched within `reach`, in heights of the line, of its place in the line.
        """
        height = box.y2 - box.y1
        pixels = max(1, round(reach * height))
        pad = max(1, round(0.04 * height))
        values = []
        for start, end in spans:
            x1 = box.x1 + start * (box.x2 - box.x1) - pad
            x2 = max(box.x1 + end * (box.x2 - box.x1) + pad, x1 + 3)
            piece = Box(x1, box.y1, x2, box.y2)
            values.append(settle(self.before_grey, self.after_grey, piece, pixels, place.right, place.down).correlation)
        return values


def settle(one: Grey, other: Grey, box: Box, reach: float, right: int = 0, down: int = 0) -> PlacedCrop:
    """Find a box of one image on another of the same size; `reach` is in heights if below 1, else in pixels."""
    x1, y1, x2, y2 = _pixels(box, one.shape)
    height = y2 - y1
    if x2 - x1 < 2 or height < 2:
        return PlacedCrop(right, down, 0.0)
    across = down_reach = int(reach) if reach >= 1 else max(MIN_REACH, round(reach * height))
    template = one[y1:y2, x1:x2]
    left, top = max(0, x1 + right - across), max(0, y1 + down - down_reach)
    window = other[top : y2 + down + down_reach, left : x2 + right + across]
    if window.shape[0] < height or window.shape[1] < x2 - x1 or template.std() < FLAT:
        return PlacedCrop(right, down, 0.0)
    scores = np.nan_to_num(cv2.matchTemplate(window, template, cv2.TM_CCOEFF_NORMED), nan=0.0, posinf=0.0, neginf=0.0)
    # Among equally good places the nearest: subtract a little for distance.
    rows, columns = np.indices(scores.shape)
    distance = np.hypot(columns + left - x1 - right, rows + top - y1 - down)
    best = int(np.argmax(scores - 0.002 * distance))
    row, column = divmod(best, scores.shape[1])
    return PlacedCrop(left + column - x1, top + row - y1, float(np.clip(scores[row, column], -1, 1)))


def cut(image: Image, box: Box, right: int = 0, down: int = 0) -> Image:
    """Return the pixels of a box, shifted; at least one pixel."""
    x1, y1, x2, y2 = _pixels(Box(box.x1 + right, box.y1 + down, box.x2 + right, box.y2 + down), image.shape)
    return np.ascontiguousarray(image[y1 : max(y2, y1 + 1), x1 : max(x2, x1 + 1)])


def _pixels(box: Box, shape: tuple[int, ...]) -> tuple[int, int, int, int]:
    height, width = shape[:2]
    x1, y1 = min(max(0, round(box.x1)), width - 1), min(max(0, round(box.y1)), height - 1)
    return x1, y1, min(width, max(x1 + 1, round(box.x2))), min(height, max(y1 + 1, round(box.y2)))


def _around(points: list[tuple[float, float]]) -> Box:
    xs, ys = zip(*points, strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys))


def _warped(after: Image, matrix: Matrix, page: Size) -> Image:
    """Return the output in the page's coordinates; what lies outside its frame has the colour of its paper."""
    output = Size(after.shape[1], after.shape[0])
    width, height = int(page.width), int(page.height)
    if np.allclose(matrix, whole_page(page, output)):
        if output == page:
            return after
        shrinks = output.width * output.height > page.width * page.height
        return np.asarray(
            cv2.resize(after, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_CUBIC), np.uint8
        )
    enlargement = math.sqrt(abs(float(np.linalg.det(matrix[:, :2]))))
    if enlargement > 1.2:  # smooth before points are dropped
        small = max(1, round(output.width / enlargement)), max(1, round(output.height / enlargement))
        after = np.asarray(cv2.resize(after, small, interpolation=cv2.INTER_AREA), np.uint8)
        shrink = whole_page(output, Size(*small))
        matrix = np.vstack([shrink, [0, 0, 1]]) @ np.vstack([matrix, [0, 0, 1]])
        matrix = matrix[:2]
    paper = np.median(after[:: max(1, len(after) // 200), :: max(1, after.shape[1] // 200)].reshape(-1, 3), axis=0)
    warped = cv2.warpAffine(
        after,
        matrix,
        (width, height),
        flags=cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=tuple(float(each) for each in paper),
    )
    return np.asarray(warped, np.uint8)
