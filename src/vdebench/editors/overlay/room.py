"""Space on the page: the column of a paragraph, and moving content below it."""

from __future__ import annotations

import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.editors.overlay.location import OverlayPage, Paragraph
from vdebench.editors.overlay.paper import as_pixels, usual_colour

_FAR = 14
"""Minimum grey-level difference of content from the background."""
_GAP = 3.2
"""Maximum gap within a column in line heights; footers are further away."""


def blocks_on(page: OverlayPage) -> list[Box]:
    """Return the boxes of paragraphs and tables."""
    return [*(paragraph.box for paragraph in page.paragraphs if not paragraph.in_table), *page.tables]


def beside(one: Box, other: Box) -> bool:
    """Whether two boxes do not overlap horizontally."""
    return one.x2 <= other.x1 or other.x2 <= one.x1


def right_edge(page: OverlayPage, paragraph: Paragraph, align: str) -> float:
    """Return the right limit of lines: as far as others that start at the same left edge."""
    box, high = paragraph.box, paragraph.height
    right = box.x2
    for other in page.paragraphs:
        peer = other.box
        if other is paragraph or other.in_table or align != "left":
            continue
        near = abs(peer.x1 - box.x1) < 3 * high and 0.6 < other.height / high < 1.7
        if near and not _between(page, box, peer):
            right = max(right, peer.x2)
    for table in page.tables:
        if align == "left" and abs(table.x1 - box.x1) < 2 * high:
            right = max(right, table.x2)
    walls = [
        line.box.x1 - 0.8 * high
        for line in page.lines
        if line.box.x1 > box.x2 - 0.3 * high and min(line.box.y2, box.y2) - max(line.box.y1, box.y1) > 0
    ]
    walls += [
        rule.x1 - 0.3 * high for rule in page.rules.down if rule.x1 > box.x2 - 0.2 * high and _rows_meet(rule, box)
    ]
    return min([right, *walls]) if walls else right


def _rows_meet(one: Box, other: Box) -> bool:
    return min(one.y2, other.y2) > max(one.y1, other.y1)


def _between(page: OverlayPage, box: Box, peer: Box) -> bool:
    """Whether something is beside the box where the peer is wider."""
    return any(line.box.x1 > box.x2 and line.box.x1 < peer.x2 and _rows_meet(line.box, box) for line in page.lines)


def below(page: OverlayPage, box: Box, high: float) -> tuple[Box | None, float]:
    """Return the content below a box in its column that moves with it, and the lowest row it may move to."""
    blocks = [other for other in blocks_on(page) if other != box]
    stop = float(page.image.shape[0]) - high
    while True:
        span = Box(0, box.y1, page.image.shape[1], stop)
        sides = [other for other in blocks if beside(other, box) and _rows_meet(other, span)]
        low = max([0.0, *(other.x2 for other in sides if other.x2 <= box.x1)])
        top = min([float(page.image.shape[1]), *(other.x1 for other in sides if other.x1 >= box.x2)])
        under = sorted(
            (
                other
                for other in blocks
                if not beside(other, box) and other.y1 >= box.y2 - 0.3 * high and other.y1 < stop
            ),
            key=lambda other: other.y1,
        )
        wide = [other for other in under if other.x1 <= low or other.x2 >= top]
        if not wide:
            break
        stop = wide[0].y1
    moved: list[Box] = []
    reach = box.y2
    for other in under:
        if other.y1 - reach > _GAP * high:
            stop = min(stop, other.y1)
            break
        moved.append(other)
        reach = max(reach, other.y2)
    return (Box.around(moved) if moved else None), stop


class NoRoomError(ValueError):
    """The content below cannot be moved."""


def frame_of(image: Image, box: Box, top: float, stop: float) -> tuple[int, int, int, int]:
    """Return the pixel box of content with its panels and rules, surrounded by blank paper."""
    base = usual_colour(image.astype(np.float32)[::4, ::4])
    dark = np.abs(image.astype(np.int16) - base.astype(np.int16)).max(axis=2) > _FAR
    height, width = dark.shape
    x1, x2 = max(0, int(box.x1) - 2), min(width, int(box.x2) + 2)
    near = [int(top) + by for by in (0, 1, -1, 2, -2, 3, -3, 4) if 0 <= int(top) + by < height]
    clear = [row for row in near if not dark[row, x1:x2].any()]
    if not clear:
        raise NoRoomError("the content below touches the line above it")
    y1, y2 = clear[0], min(height, int(box.y2) + 2)
    for _ in range(height + width):
        before = (x1, y1, x2, y2)
        if x1 > 0 and dark[y1:y2, x1].any():
            x1 -= 1
        if x2 < width and dark[y1:y2, x2 - 1].any():
            x2 += 1
        if y2 < height and dark[y2 - 1, x1:x2].any():
            y2 += 1
        if before == (x1, y1, x2, y2):
            break
    if x1 <= 1 or x2 >= width - 1 or y2 > stop + 1:
        raise NoRoomError("the content below cannot be separated from the content beside it")
    return x1, y1, x2, y2


def shift(page: OverlayPage, out: Image, box: Box, high: float, top: float, by: int) -> bool:
    """Move the content below a box, from a row on, down (or up); return whether there was any."""
    moved, stop = below(page, box, high)
    image = page.image
    base = usual_colour(image.astype(np.float32)[::4, ::4])
    if moved is None:
        return True
    try:
        x1, y1, x2, y2 = frame_of(out, moved, top, stop)
    except NoRoomError:
        return False
    if by > 0:
        free = image[y2 : y2 + by + 4, x1:x2].astype(np.int16)
        if y2 + by + 4 > stop or np.abs(free - base.astype(np.int16)).max(initial=0) > _FAR:
            return False
    part = out[y1:y2, x1:x2].copy()
    out[y1:y2, x1:x2] = as_pixels(base)
    out[y1 + by : y2 + by, x1:x2] = part
    return True


def is_free(page: OverlayPage, out: Image, left: float, top: float, right: float, bottom: float) -> bool:
    """Whether an area contains only background of one colour."""
    part = out[max(0, int(top)) : int(bottom), max(0, int(left)) : int(right)].astype(np.int16)
    if int(bottom) > out.shape[0] or not part.size:
        return False
    return bool(np.abs(part - np.median(part, axis=(0, 1))).max() <= _FAR)
