"""Bullets at the start of lines, from their pixels: recognisers drop them or confuse discs, squares and middle dots.

A bullet is the first ink of a line: solid, as wide as high, a quarter of the letters' height, apart from the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import regex

from vdebench.readers.lines.line import Line

DISC, SQUARE = "•", "▪"


class MarkLimits(NamedTuple):
    """Limits for bullets, in heights of the line's ink unless stated otherwise."""

    least: float = 0.17
    """Smallest width and height; a middle dot and a full stop are smaller."""
    most: float = 0.45
    """Largest width and height; legends of charts and check boxes are larger."""
    ratio: float = 0.75
    """Smallest ratio of width and height (smaller / larger)."""
    fill: float = 0.6
    """Smallest share of ink in the box around the mark; the middle half must be all ink, unlike that of a letter."""
    corner: float = 0.8
    """Smallest darkness of the corners of a square, as a share of what its sides imply."""
    near: float = 0.2
    """Smallest gap between the mark and the text."""
    far: float = 1.1
    """Largest gap between the mark and the text."""
    left: float = 1.2
    """Distance to the left of a line, in line heights, at which a mark that the engine left out is looked for."""
    contrast: int = 40
    """Smallest difference in grey levels between ink and paper."""


MARK_LIMITS = MarkLimits()
_READ_AS = regex.compile(r"^(?:[.·•▪■●◆*°。∙・]\s*|[oO0]\s)")
"""What recognisers return for a bullet."""


def with_list_marks(lines: Sequence[Line], grey: Any, limits: MarkLimits = MARK_LIMITS) -> list[Line]:
    """Return lines with the bullets that their pixels show."""
    return [_with_mark(line, lines, grey, limits) for line in lines]


def _with_mark(line: Line, lines: Sequence[Line], grey: Any, limits: MarkLimits) -> Line:
    if _has_left_neighbour(line, lines, limits.left):
        return line
    found = find_mark(line, grey, limits)
    if found is None:
        return line
    mark, x1 = found
    text = f"{mark} {_READ_AS.sub('', line.text)}"
    return line._replace(text=text, box=line.box._replace(x1=min(line.box.x1, x1)))


def _has_left_neighbour(line: Line, lines: Sequence[Line], left: float) -> bool:
    """Whether another line ends shortly before a line, in the same row: then the line does not start a paragraph."""
    near = line.box._replace(x1=line.box.x1 - left * line.height, x2=line.box.x1 + 0.5 * line.height)
    return any(other is not line and other.box.shared_area(near) > 0 and other.box.x1 < line.box.x1 for other in lines)


def find_mark(line: Line, grey: Any, limits: MarkLimits = MARK_LIMITS) -> tuple[str, float] | None:
    """Return the bullet at the start of a line and the position of its left side; None if there is none."""
    height = line.height
    start = max(0, round(line.box.x1 - limits.left * height))
    y1, y2, end = (max(0, round(side)) for side in (line.box.y1, line.box.y2, line.box.x2))
    part = grey[y1:y2, start:end].astype(np.int16)
    if not part.size:
        return None
    shade = np.abs(part - np.median(part))
    ink = shade > max(limits.contrast, 0.5 * float(np.percentile(shade, 99)))
    columns = np.flatnonzero(ink.any(0))
    breaks = np.flatnonzero(np.diff(columns) > 1)
    if not len(breaks):
        return None
    first, last, next_one = int(columns[0]), int(columns[breaks[0]]), int(columns[breaks[0] + 1])
    rows, text_rows = (np.flatnonzero(part_ink.any(1)) for part_ink in (ink[:, first : last + 1], ink[:, next_one:]))
    letters = int(text_rows[-1] - text_rows[0] + 1)
    wide, high = last - first + 1, int(rows[-1] - rows[0] + 1)
    sized = limits.least * letters <= min(wide, high) and max(wide, high) <= limits.most * letters
    apart = limits.near * letters <= next_one - last - 1 <= limits.far * letters
    if not (sized and apart and min(wide, high) >= limits.ratio * max(wide, high)):
        return None
    mark, mark_ink = (each[rows[0] : rows[-1] + 1, first : last + 1] for each in (shade, ink))
    core = mark_ink[high // 4 : -(high // 4) or None, wide // 4 : -(wide // 4) or None]
    if mark_ink.mean() < limits.fill or not core.all():
        return None
    return (SQUARE if _corner_darkness(mark) >= limits.corner else DISC), float(start + first)


def _corner_darkness(mark: Any) -> float:
    """Mean darkness of a mark's corners, as a share of what the darkness of its sides implies for a rectangle.

    A side between two pixels is lighter than the middle; the corner of a rectangle is lighter by both of its sides.
    """
    middle = np.array(mark.shape) // 2
    center = max(1.0, float(mark[tuple(middle)]))
    shares = [
        mark[y, x] / max(1.0, float(mark[y, middle[1]]) * float(mark[middle[0], x]) / center)
        for y in (0, -1)
        for x in (0, -1)
    ]
    return float(np.mean(shares))
