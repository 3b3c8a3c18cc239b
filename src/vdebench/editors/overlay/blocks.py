"""Alignment of paragraphs, and deletion of whole paragraphs."""

from __future__ import annotations

import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.editors.overlay.erasure import wipe
from vdebench.editors.overlay.location import OverlayPage, Paragraph
from vdebench.editors.overlay.paper import usual_colour
from vdebench.editors.overlay.reflow import Align
from vdebench.editors.overlay.room import below, blocks_on, shift


def alignment_of(page: OverlayPage, paragraph: Paragraph) -> Align:
    """Return the alignment of a paragraph, from its lines or, for a single line, from its column."""
    lines, high = paragraph.lines, paragraph.height
    lefts, rights = [line.box.x1 for line in lines], [line.box.x2 for line in lines]
    if len(lines) > 1:
        middles = [left + right for left, right in zip(lefts, rights, strict=True)]
        if _spread(lefts) < 0.8 * high or (_spread(lefts[1:]) < 0.5 * high and len(lines) > 2):
            return "left"
        if _spread(middles) < high:
            return "center"
        return "right" if _spread(rights) < 0.5 * high else "left"
    box = paragraph.box
    if paragraph.in_table:
        return _in_table(page, paragraph)
    others = [other for other in blocks_on(page) if other != box]
    if any(abs(other.x1 - box.x1) < 0.5 * high for other in others):
        return "left"
    if any(abs(other.x1 + other.x2 - box.x1 - box.x2) < 0.8 * high and other.area > box.area for other in others):
        return "center"
    width = page.image.shape[1]
    if abs(box.x1 + box.x2 - width) < 0.8 * high:
        return "center"
    if any(abs(other.x2 - box.x2) < 0.5 * high for other in others):
        return "right"
    return "left"


def _in_table(page: OverlayPage, paragraph: Paragraph) -> Align:
    box, high = paragraph.box, paragraph.height
    same = [
        other.box
        for other in page.paragraphs
        if other.in_table and other is not paragraph and min(other.box.x2, box.x2) > max(other.box.x1, box.x1)
    ]
    votes = {
        "left": sum(abs(other.x1 - box.x1) < 0.25 * high for other in same),
        "center": sum(abs(other.x1 + other.x2 - box.x1 - box.x2) < 0.5 * high for other in same),
        "right": sum(abs(other.x2 - box.x2) < 0.25 * high for other in same),
    }
    most = max(votes.values())
    if not most:
        return "center"
    return "center" if votes["center"] == most else "left" if votes["left"] == most else "right"


def _spread(values: list[float]) -> float:
    return max(values) - min(values) if values else 0.0


def delete_block(page: OverlayPage, paragraph: Paragraph) -> Image:
    """Delete a paragraph; content below it in its column moves up."""
    out = page.image.copy()
    cleaned = wipe(page, out, paragraph)
    panel = _panel(page, paragraph.box)
    if panel is not None:
        out[int(panel.y1) : int(panel.y2), int(panel.x1) : int(panel.x2)] = usual_colour(
            page.image.astype(np.float32)[::4, ::4]
        )
        cleaned = panel
    following, _ = below(page, paragraph.box, paragraph.height)
    if following is not None and panel is None:
        up = round(paragraph.box.y1 - following.y1)
        shift(page, out, paragraph.box, paragraph.height, cleaned.y2, up)
    return out


def _panel(page: OverlayPage, box: Box) -> Box | None:
    """Return the panel that contains only this paragraph; None if it is on the page's background."""
    image = page.image
    base = usual_colour(image.astype(np.float32)[::4, ::4])
    y1, y2 = int(box.y1), int(box.y2)
    x1, x2 = int(box.x1), int(box.x2)
    own = usual_colour(image[y1:y2, x1:x2].astype(np.float32))
    if np.abs(own - base).max() < 6:
        return None
    differs = np.abs(image.astype(np.int16) - base.astype(np.int16)).max(axis=2) > 3
    middle = (y1 + y2) // 2
    height, width = differs.shape
    while x1 > 0 and differs[middle, x1 - 1]:
        x1 -= 1
    while x2 < width and differs[middle, x2]:
        x2 += 1
    while y1 > 0 and differs[y1 - 1, (x1 + x2) // 2]:
        y1 -= 1
    while y2 < height and differs[y2, (x1 + x2) // 2]:
        y2 += 1
    panel = Box(x1, y1, x2, y2)
    inside = [line for line in page.lines if panel.shared_area(line.box) > 0]
    alone = all(
        box.x1 - 5 <= line.box.x1 and line.box.y1 >= box.y1 - 5 and line.box.y2 <= box.y2 + 5 for line in inside
    )
    return panel if alone and x1 > 0 and x2 < width else None
