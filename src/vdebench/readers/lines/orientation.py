"""Orientation of a page: turned by quarter turns, written vertically, or skewed; and the view in which it is upright.

Only the lines that were detected and read are evidence. A page whose lines are wide, level and legible is left alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.readers.lines.detection import Corners
from vdebench.readers.lines.images import SINGLE, cut_line, set_in_row
from vdebench.readers.lines.legibility import unread_reason
from vdebench.readers.lines.recognition import RecognizedLine
from vdebench.readers.lines.vertical_text import MIN_AGREEMENT, agreement

MOST = 0.5
"""Share of the lines, by length, that must be tall, or not legible, before a page is examined."""
PROBES = 8
"""Number of lines, the longest ones, that are read in each position."""
MIN_READ = 0.6
"""Least mean probability of these lines in the position that is chosen; 0 counts for a line that is not legible."""
MIN_LEAD = 0.2
"""Least lead of the position that is chosen over the page as it is."""
MIN_SKEW, MAX_SKEW = 0.4, 12.0
"""Angles in degrees that are straightened. Below, the boxes of lines hardly overlap; above, lines are not text."""
SKEW_SPREAD, MIN_AGREEING = 0.5, 0.7
"""Share of the lines, by length, whose angle must be within so many degrees of the median: not so in perspective."""
LONG = 6.0
"""Least ratio of width to height of a line whose angle counts."""
MIN_LINES, MIN_RISE = 3, 4.0
"""Least number of such lines, and least rise in pixels from end to end of the longest: corners are whole pixels."""

Recognize = Callable[[Sequence[Image]], list[RecognizedLine]]


class PageView(NamedTuple):
    """A page turned upright: first by quarter turns, then by an angle about its middle."""

    width: int
    height: int
    """Size of the page as it is."""
    turns: int = 0
    """Quarter turns, counterclockwise."""
    skew: float = 0.0
    """Angle of the lines after the turns, in degrees, clockwise."""

    @property
    def is_page(self) -> bool:
        """Whether it is the page as it is."""
        return not self.turns and not self.skew

    def image(self, page: Image) -> Image:
        """Return the page as seen in this view."""
        turned = np.ascontiguousarray(np.rot90(page, self.turns)) if self.turns else page
        if not self.skew:
            return turned
        edge = np.concatenate([turned[0], turned[-1], turned[:, 0], turned[:, -1]])
        paper = np.median(edge, axis=0).tolist()
        matrix, size = self._straightening()
        straight = cv2.warpAffine(turned, matrix[:2], size, flags=cv2.INTER_LANCZOS4, borderValue=paper)
        return straight.astype(np.uint8, copy=False)

    def corners(self, corners: Corners) -> Corners:
        """Return the corners of a line in this view, clockwise from its top left one."""
        moved = _moved(corners, self._matrix())
        return np.roll(moved, -self.turns, axis=0).astype(np.float32)

    def box(self, corners: Corners) -> Box:
        """Return the box in this view of a line of the page: around it, or level through its sides' middles if skewed.

        The box around a line that was straightened would be higher than the line by what its angle is off.
        """
        if not self.skew:
            moved = corners if self.is_page else self.corners(corners)
            (left, top), (right, bottom) = moved.min(0), moved.max(0)
            return Box(float(left), float(top), float(right), float(bottom))
        middles = (self.corners(corners) + np.roll(self.corners(corners), -1, axis=0)) / 2  # top, right, bottom, left
        left, top, right, bottom = middles[3, 0], middles[0, 1], middles[1, 0], middles[2, 1]
        return Box(*(round(float(side), 2) for side in (left, top, right, bottom)))

    def box_on_page(self, box: Box) -> Box:
        """Return the box on the page around a box of this view; sides are cut off at the edges of the page."""
        if self.is_page:
            return box
        moved = _moved(_rectangle(np.array(box, np.float64)), np.linalg.inv(self._matrix()))
        limits = [self.width, self.height]
        low, high = (np.clip(side, 0, limits).round(2) for side in (moved.min(0), moved.max(0)))
        return Box(float(low[0]), float(low[1]), float(high[0]), float(high[1]))

    def _matrix(self) -> NDArray[np.float64]:
        """Return the transform of homogeneous coordinates from the page to this view."""
        width, height = self.width, self.height
        matrix = np.eye(3)
        for _ in range(self.turns % 4):  # counterclockwise: the right side becomes the top
            matrix = np.array([[0, 1, 0], [-1, 0, width], [0, 0, 1]], np.float64) @ matrix
            width, height = height, width
        return self._straightening()[0] @ matrix if self.skew else matrix

    def _straightening(self) -> tuple[NDArray[np.float64], tuple[int, int]]:
        """Return the rotation of the turned page about its middle, and the size of a canvas that holds all of it."""
        width, height = (self.height, self.width) if self.turns % 2 else (self.width, self.height)
        cosine, sine = math.cos(math.radians(self.skew)), math.sin(math.radians(self.skew))
        wide = math.ceil(width * cosine + height * abs(sine))
        high = math.ceil(height * cosine + width * abs(sine))
        rotation = np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]])
        to_middle, back = np.eye(3), np.eye(3)
        to_middle[:2, 2] = -width / 2, -height / 2
        back[:2, 2] = wide / 2, high / 2
        return back @ rotation @ to_middle, (wide, high)


class Writing(NamedTuple):
    """Quarter turns, counterclockwise, that make the lines of a page horizontal; whether the writing is vertical."""

    turns: int = 0
    vertical: bool = False


def is_tall(corners: Corners) -> bool:
    """Whether a line is so much higher than wide that it is no single character, such as a digit in a crop."""
    width, height = corners.max(0) - corners.min(0)
    return bool(height >= SINGLE * width)


def most_lines_are_tall(lines: Sequence[Corners]) -> bool:
    """Whether most lines of a page, by length, are higher than wide."""
    return _share(lines, [is_tall(line) for line in lines]) > MOST


def writing_of_tall_lines(page: Image, lines: Sequence[Corners], recognize: Recognize) -> Writing:
    """Return how a page lies most of whose lines are tall: turned either way, or written vertically."""
    images = [cut_line(page, line) for line in _longest([line for line in lines if is_tall(line)])]
    left = [np.ascontiguousarray(np.rot90(each)) for each in images]
    right = [np.ascontiguousarray(np.rot90(each, -1)) for each in images]
    texts = recognize(left)
    counterclockwise, clockwise = _legible(left, texts), _legible(right, recognize(right))
    if max(counterclockwise, clockwise) < MIN_READ:
        return Writing()
    if clockwise > counterclockwise:
        return Writing(3)
    rows = recognize([set_in_row(each) for each in images])
    agreements = [agreement(text, row) for text, row in zip(texts, rows, strict=True)]
    return Writing(1, vertical=float(np.mean(agreements)) >= MIN_AGREEMENT)


def is_upside_down(page: Image, lines: Sequence[Corners], legible: Sequence[bool], recognize: Recognize) -> bool:
    """Whether a page, most of whose lines are not legible, is legible when it is turned by 180°."""
    if not lines or _share(lines, [not each for each in legible]) <= MOST:
        return False
    images = [cut_line(page, line) for line in _longest(lines)]
    turned = [np.ascontiguousarray(np.rot90(each, 2)) for each in images]
    read = _legible(turned, recognize(turned))
    return read >= MIN_READ and read >= _legible(images, recognize(images)) + MIN_LEAD


def skew_of(lines: Sequence[Corners]) -> float:
    """Return the angle of the lines of a page in degrees, clockwise; 0 if it is small, or if the lines do not agree.

    >>> line = np.array([[0, 0], [1000, 35], [999, 65], [-1, 30]], np.float32)
    >>> round(skew_of([line, line + 50, line + 100]), 1), skew_of([line, line, -line[::-1], -line[::-1]])
    (2.0, 0.0)
    """
    angles, lengths = [], []
    for top_left, top_right, bottom_right, bottom_left in lines:
        along = (top_right - top_left + bottom_right - bottom_left) / 2
        length = float(np.linalg.norm(along))
        if length >= LONG * float(np.linalg.norm(bottom_left - top_left)):
            angles.append(math.degrees(math.atan2(along[1], along[0])))
            lengths.append(length)
    if len(angles) < MIN_LINES:
        return 0.0
    order = np.argsort(angles)
    sums = np.cumsum(np.array(lengths)[order])
    median = angles[order[int(np.searchsorted(sums, sums[-1] / 2))]]
    near = np.abs(np.array(angles) - median) <= SKEW_SPREAD
    agreeing = float(np.array(lengths)[near].sum() / sums[-1])
    rise = math.sin(math.radians(abs(median))) * max(lengths)
    if agreeing < MIN_AGREEING or rise < MIN_RISE or not MIN_SKEW <= abs(median) <= MAX_SKEW:
        return 0.0
    # Corners are whole pixels, so the angle of a line is known to about a pixel per length: long lines weigh most.
    return round(float(np.average(np.array(angles)[near], weights=np.array(lengths)[near] ** 2)), 3)


def _legible(images: Sequence[Image], texts: Sequence[RecognizedLine]) -> float:
    """Return the mean probability of lines, 0 for each that is not legible."""
    scores = [0.0 if unread_reason(*each) else each[1].score for each in zip(images, texts, strict=True)]
    return sum(scores) / len(scores) if scores else 0.0


def _longest(lines: Sequence[Corners]) -> list[Corners]:
    return sorted(lines, key=_length, reverse=True)[:PROBES]


def _length(line: Corners) -> float:
    return float((line.max(0) - line.min(0)).max())


def _share(lines: Sequence[Corners], chosen: Sequence[bool]) -> float:
    lengths = np.array([_length(line) for line in lines])
    return float(lengths[np.array(chosen, bool)].sum() / max(1.0, lengths.sum()))


def _moved(points: NDArray[Any], matrix: NDArray[Any]) -> NDArray[np.float64]:
    moved: NDArray[np.float64] = points.astype(np.float64) @ matrix[:2, :2].T + matrix[:2, 2]
    return moved


def _rectangle(sides: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the corners of a rectangle, clockwise from its top left one."""
    return sides[[0, 1, 2, 1, 2, 3, 0, 3]].reshape(4, 2)
