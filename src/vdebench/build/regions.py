"""Boxes where an edit differs from its page, robust against recompression and small shifts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.metrics.edit_traces import scale_of
from vdebench.metrics.image import require_rgb_pair

IDENTITY = "regions-1"
"""Version of the constants below."""
STRONG, WEAK = 48, 20
"""Minimum grey-level difference from all pixels around the position; of neighbours from their counterparts."""
MAX_SHIFT, NEAR = 1, 14
"""Tolerated shift in pixels; distance at which weak differences belong to a strong one (page of 1,100 pixels)."""
MIN_STRONG = 6
"""Minimum number of strong pixels."""
GAP = 14
"""Maximum distance in pixels of regions that are joined."""
SPACE = 0.3
"""Width of a gap between words, as a share of the line's height."""
MARGIN = 0.2
"""Margin around a region, as a share of its line's height."""
INK = 40
"""Minimum grey-level difference between ink and paper."""
MAX_LINE_HEIGHT = 40
"""Maximum height of a line in pixels."""

Mask = NDArray[np.bool_]


def differing(source: Image, edited: Image, blocks: Sequence[Box] = ()) -> list[Box]:
    """Return boxes around differences, from top to bottom; boxes on adjacent lines of one block are joined.

    Each is extended to whole words. Both images are RGB of equal size.

    >>> page = np.full((200, 200, 3), 255, np.uint8)
    >>> edited = page.copy()
    >>> edited[50:60, 20:90] = 0
    >>> differing(page, page), [tuple(map(int, box)) for box in differing(page, edited)]
    ([], [(17, 47, 93, 63)])
    """
    require_rgb_pair(edited, source)
    scale = scale_of(max(source.shape[:2]))
    mask = _difference(source, edited, scale)
    boxes = _merged(list(_components(mask, scale)), GAP * scale)
    boxes = _joined_in_blocks(boxes, blocks, MAX_LINE_HEIGHT * scale)
    ink = _ink(source) | _ink(edited)
    height, width = mask.shape
    grown = [_whole_words(box, ink, round(MAX_LINE_HEIGHT * scale)) for box in boxes]
    return sorted((_clipped(box, width, height) for box in _merged(grown, 0)), key=lambda box: (box.y1, box.x1))


def _difference(source: Image, edited: Image, scale: float) -> Mask:
    """Return pixels that no pixel near their position explains, in either direction, and weaker differences next to
    them.
    """
    reach = max(1, round(MAX_SHIFT * scale))
    kernel = np.ones((2 * reach + 1, 2 * reach + 1), np.uint8)
    one, other = (cv2.GaussianBlur(image, (0, 0), 0.6 * scale).astype(np.int16) for image in (source, edited))
    weak = np.abs(one - other).max(-1) > WEAK
    strong = np.zeros_like(weak)
    for here, there in ((one, other), (other, one)):
        high, low = cv2.dilate(there, kernel), cv2.erode(there, kernel)
        strong |= (np.maximum(here - high, low - here).max(-1)) > STRONG
    near = round(NEAR * scale)
    around = cv2.dilate(strong.view(np.uint8), np.ones((2 * near + 1, 2 * near + 1), np.uint8)) > 0
    return np.asarray(_enough(strong, near) & weak & around, np.bool_)


def _enough(strong: Mask, near: int) -> Mask:
    """Return where at least `FEWEST` strong pixels are close together."""
    side = 2 * near + 1
    counts = cv2.boxFilter(strong.astype(np.float32), -1, (side, side), normalize=False, borderType=cv2.BORDER_CONSTANT)
    seen = (counts >= MIN_STRONG - 0.5).astype(np.uint8)
    return np.asarray(cv2.dilate(seen, np.ones((side, side), np.uint8)) > 0, np.bool_)


def _components(mask: Mask, scale: float) -> Iterator[Box]:
    side = max(3, round(5 * scale))
    closed = cv2.morphologyEx(mask.view(np.uint8), cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    count, _, found, _ = cv2.connectedComponentsWithStats(closed, connectivity=8)
    for x, y, width, height, _ in found[1:count]:
        yield Box(float(x), float(y), float(x + width), float(y + height))


def _merged(boxes: list[Box], gap: float) -> list[Box]:
    """Merge boxes until no two are closer than the gap."""
    done: list[Box] = []
    while boxes:
        box = boxes.pop()
        near = [other for other in done if _apart(box, other) <= gap]
        if near:
            done = [other for other in done if other not in near]
            boxes.append(Box.around([box, *near]))
        else:
            done.append(box)
    return done


def _apart(one: Box, other: Box) -> float:
    across = max(one.x1 - other.x2, other.x1 - one.x2)
    down = max(one.y1 - other.y2, other.y1 - one.y2)
    return max(across, down) + (1e-9 if max(across, down) == 0 else 0)


def _joined_in_blocks(boxes: list[Box], blocks: Sequence[Box], line: float) -> list[Box]:
    """Join boxes on adjacent lines of one block: reflowed text continues on the next line."""
    done: list[Box] = []
    left = list(boxes)
    while left:
        box = left.pop()
        others = [
            other
            for other in done
            if _down(box, other) <= max(line, 2 * min(box.y2 - box.y1, other.y2 - other.y1))
            and any(_holds(block, line, box, other) for block in blocks)
        ]
        if others:
            done = [other for other in done if other not in others]
            left.append(Box.around([box, *others]))
        else:
            done.append(box)
    return done


def _down(one: Box, other: Box) -> float:
    """Return the vertical distance."""
    return max(one.y1 - other.y2, other.y1 - one.y2)


def _holds(block: Box, line: float, *boxes: Box) -> bool:
    """Whether the centres of all boxes are in a block, or on a line added below it."""
    middles = [((box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2) for box in boxes]
    return all(block.x1 <= x <= block.x2 and block.y1 <= y <= block.y2 + line for x, y in middles)


def _ink(image: Image) -> Mask:
    """Return pixels that differ from the median colour around them."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    paper = cv2.resize(
        cv2.medianBlur(cv2.resize(grey, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA), 21), grey.shape[::-1]
    )
    return np.asarray(np.abs(grey.astype(np.int16) - paper) > INK, np.bool_)


def _whole_words(box: Box, ink: Mask, tallest: int) -> Box:
    """Extend the box to whole letters and words, with a margin."""
    x1, y1, x2, y2 = (int(side) for side in box)
    written = np.asarray(ink[:, x1:x2].any(1))
    y1 -= _run(written[:y1][::-1], tallest)
    y2 += _run(written[y2:], tallest)
    line = min(y2 - y1, tallest)
    gap = max(3, round(SPACE * line))
    written = np.asarray(ink[y1:y2].any(0))
    x1 = _edge(written[:x1][::-1], gap, x1, -1)
    x2 = _edge(written[x2:], gap, x2, 1)
    margin = max(2, round(MARGIN * line))
    return Box(x1 - margin, y1 - margin, x2 + margin, y2 + margin)


def _run(beyond: Mask, longest: int) -> int:
    """Return how far the ink continues; 0 if it is longer than a letter, as it is a rule or a picture then."""
    blank = np.flatnonzero(~beyond[: longest + 1])
    length = int(blank[0]) if len(blank) else len(beyond[: longest + 1])
    return length if length <= longest else 0


def _edge(beyond: Mask, gap: int, start: int, way: int) -> int:
    """Return the end of a word: before the first gap."""
    last, limit = 0, min(len(beyond), 40 * gap)
    for place in range(limit):
        if beyond[place]:
            last = place + 1
        elif place - last >= gap:
            break
    return start + way * last


def _clipped(box: Box, width: int, height: int) -> Box:
    return Box(max(0.0, box.x1), max(0.0, box.y1), min(float(width), box.x2), min(float(height), box.y2))
