"""Where a page lies in an output of other proportions that was drawn anew: a rough comparison of light and dark.

It gives the geometry alone. It is not exact enough to compare text at its place.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.changes.change import Geometry
from vdebench.core.box import Box, Size
from vdebench.core.images import Image

LONG_SIDE = 200
"""Longer side of the page in pixels at the comparison."""
MIN_CHANGE = 0.06
"""Least change of proportions: an output of the page's proportions is not cropped to fit its frame."""
VISIBLE = np.arange(0.9, 1.001, 0.025)
"""Parts of the largest window of the output's proportions that are tried: such outputs fill their frame."""
STRETCH = 0.92, 1.0, 1.08
MIN_CORRELATION = 0.5
MIN_DEVIATION = 2.0
"""Least deviation of grey levels of an image that is not blank."""


def find_crop(before: Image, after: Image) -> Geometry | None:
    """Return the geometry of an output that shows a part of the page in other proportions; None if none is found."""
    page, output = Size(before.shape[1], before.shape[0]), Size(after.shape[1], after.shape[0])
    proportions = output.width / output.height
    if abs(math.log(proportions * page.height / page.width)) < MIN_CHANGE:
        return None
    scale = LONG_SIDE / max(page)
    small = _shrunk(before, page.width * scale, page.height * scale)
    if small.std() < MIN_DEVIATION or _shrunk(after, *output).std() < MIN_DEVIATION:
        return None  # a blank image correlates with anything
    best: tuple[float, Box] | None = None
    for share in VISIBLE:
        for stretch in STRETCH:
            width = min(small.shape[1], small.shape[0] * proportions * stretch) * share
            height = width / proportions / stretch
            if min(width, height) < 16 or width > small.shape[1] or height > small.shape[0]:
                continue
            scores = cv2.matchTemplate(small, _shrunk(after, width, height), cv2.TM_CCOEFF_NORMED)
            row, column = divmod(int(scores.argmax()), scores.shape[1])
            score = float(scores[row, column])
            if best is None or score > best[0]:
                best = (
                    score,
                    Box(
                        column / small.shape[1],
                        row / small.shape[0],
                        min(1.0, (column + width) / small.shape[1]),
                        min(1.0, (row + height) / small.shape[0]),
                    ),
                )
    if best is None or best[0] < MIN_CORRELATION:
        return None
    visible = best[1]
    across, down = 1 / (visible.x2 - visible.x1), 1 / (visible.y2 - visible.y1)
    shift = -visible.x1 * across, -visible.y1 * down
    return Geometry("cropped", page, output, across, down, shift, visible=visible)


def _shrunk(image: Image, width: float, height: float) -> NDArray[np.uint8]:
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (max(1, int(width)), max(1, int(height))), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 1), np.uint8)
