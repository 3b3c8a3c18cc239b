"""Erase the ink of a whole paragraph, and no other."""

from __future__ import annotations

import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.editors.overlay.location import OverlayPage, Paragraph
from vdebench.editors.overlay.measurement import strip_of
from vdebench.editors.overlay.paper import Paper
from vdebench.readers.lines.line import Line


def wipe(page: OverlayPage, out: Image, paragraph: Paragraph) -> Box:
    """Erase a paragraph with the bullet before its first line; return the cleaned box."""
    boxes = []
    for number, line in enumerate(paragraph.lines):
        strip = strip_of(line)
        strip = strip._replace(y1=_edge(page, paragraph, line, -1), y2=_edge(page, paragraph, line, 1))
        if number == 0:
            strip = _with_mark(page, strip, line.height)
        paper = Paper.of(page.image, strip)
        rows = np.flatnonzero(paper.ink.max(axis=1) > 0.1)
        place = paper.place
        paper.clean(out, place.x1, place.x2, place.y1, place.y2)
        if len(rows):
            boxes.append(Box(place.x1, place.y1 + float(rows[0]), place.x2, place.y1 + float(rows[-1]) + 1))
    return Box.around(boxes or [paragraph.box])._replace(y2=_edge(page, paragraph, paragraph.lines[-1], 1))


def _edge(page: OverlayPage, paragraph: Paragraph, line: Line, side: int) -> float:
    """Return the row up to which ink above (-1) or below (1) a line belongs to it: half way to the next content."""
    box, middle = line.box, (line.box.y1 + line.box.y2) / 2
    edge = box.y2 + 0.12 * line.height if side > 0 else box.y1 - 0.12 * line.height
    for other in page.lines:
        meets = min(other.box.x2, box.x2) > max(other.box.x1, box.x1)
        if not meets or any(other.box == own.box for own in paragraph.lines):
            continue
        if side > 0 and other.box.y1 + other.box.y2 > 2 * middle:
            edge = min(edge, (other.box.y1 + box.y2) / 2)
        elif side < 0 and other.box.y1 + other.box.y2 < 2 * middle:
            edge = max(edge, (other.box.y2 + box.y1) / 2)
    return edge


def _with_mark(page: OverlayPage, strip: Box, high: float) -> Box:
    """Extend a strip to an unread bullet or number before it."""
    others = [
        line.box.x2
        for line in page.lines
        if line.box.x2 < strip.x1 + 0.5 * high and line.box.y1 < strip.y2 and line.box.y2 > strip.y1
    ]
    left = max([0.0, strip.x1 - 1.6 * high, *others])
    wider = strip._replace(x1=left)
    ink = Paper.of(page.image, wider).ink
    columns = np.flatnonzero(ink[:, : max(1, int(strip.x1 - left))].max(axis=0) > 0.3)
    tall = (ink[:, columns].max(axis=1) > 0.3).mean() if len(columns) else 1.0
    if not len(columns) or columns[0] < 2 or tall > 0.75:
        return strip
    return strip._replace(x1=left + float(columns[0]) - 2)
