"""Images of single lines, cut out of a page and turned upright."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from vdebench.core.images import Image
from vdebench.readers.lines.detection import Corners

MAX_TILT = 1.5
"""Lines whose corners deviate from an upright rectangle by at most so many pixels are cut out without rotation."""
TALL, SINGLE = 1.5, 3.0
"""Ratios of height to width from which a line may be vertical, and up to which it may be a single character."""
MIN_CELL = 0.6
"""Least height of a character in a vertical line, in widths of the line."""
_INK = 40
"""Least difference of grey levels between ink and paper."""


def cut_line(page: Image, corners: Corners) -> Image:
    """Return the image of a line: whole pixels of the page where it is upright, else straightened."""
    x1, y1 = corners.min(0)
    x2, y2 = corners.max(0)
    upright = np.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]], np.float32)
    if np.abs(corners - upright).max() <= MAX_TILT:
        return page[int(y1) : max(int(y2), int(y1) + 1), int(x1) : max(int(x2), int(x1) + 1)]
    top_left, top_right, bottom_right, bottom_left = corners
    width = max(1, int(max(np.linalg.norm(top_left - top_right), np.linalg.norm(bottom_right - bottom_left))))
    height = max(1, int(max(np.linalg.norm(top_left - bottom_left), np.linalg.norm(top_right - bottom_right))))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    transform = cv2.getPerspectiveTransform(corners, target)
    line = cv2.warpPerspective(page, transform, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return line.astype(np.uint8, copy=False)


def upright_candidates(line: Image) -> Iterator[Image]:
    """Yield the image of a line as it is and, if it is tall, turned either way, and as a column set in one row."""
    height, width = line.shape[:2]
    if height < SINGLE * width:
        yield line
    if height >= TALL * width:
        yield np.rot90(line)
        yield np.rot90(line, -1)
        yield set_in_row(line)


def set_in_row(column: Image) -> Image:
    """Return the characters of a vertical line side by side: parts between blank rows, about as high as wide."""
    width = column.shape[1]
    grey = cv2.cvtColor(np.ascontiguousarray(column), cv2.COLOR_RGB2GRAY).astype(np.int16)
    paper = int(np.median(grey))
    ink = (np.abs(grey - paper) > _INK).any(1)
    cells: list[tuple[int, int]] = []
    for start, end in np.flatnonzero(np.diff(ink, prepend=False, append=False)).reshape(-1, 2):
        if cells and end - cells[-1][0] <= width and cells[-1][1] - cells[-1][0] < MIN_CELL * width:
            cells[-1] = cells[-1][0], int(end)
        else:
            cells.append((int(start), int(end)))
    side = max([width, *(end - start for start, end in cells)])
    row = np.full((side, max(1, len(cells)) * side, 3), column[0, 0], np.uint8)
    for index, (start, end) in enumerate(cells):
        top, left = (side - (end - start)) // 2, index * side + (side - width) // 2
        row[top : top + end - start, left : left + width] = column[start:end]
    return row
