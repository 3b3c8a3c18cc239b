"""Reading order of boxes by position."""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.core.box import Box


def bands(boxes: Sequence[Box]) -> list[list[int]]:
    """Group boxes into horizontal bands; return indices from top to bottom and left to right.

    A box joins the previous band if they overlap by at least half of the smaller height.

    >>> bands([Box(60, 0, 90, 20), Box(0, 1, 50, 21), Box(0, 30, 90, 50)])
    [[1, 0], [2]]
    """
    groups: list[list[int]] = []
    extents: list[tuple[float, float]] = []
    for index in sorted(range(len(boxes)), key=lambda i: (boxes[i].y1 + boxes[i].y2, boxes[i].x1)):
        box = boxes[index]
        if groups:
            top, bottom = extents[-1]
            shared = min(bottom, box.y2) - max(top, box.y1)
            if shared >= 0.5 * min(bottom - top, box.y2 - box.y1) and shared > 0:
                groups[-1].append(index)
                extents[-1] = (min(top, box.y1), max(bottom, box.y2))
                continue
        groups.append([index])
        extents.append((box.y1, box.y2))
    return [sorted(band, key=lambda i: (boxes[i].x1, boxes[i].y1)) for band in groups]


def from_top(boxes: Sequence[Box]) -> list[int]:
    """Return indices of boxes from top to bottom, within a band from left to right.

    >>> from_top([Box(0, 30, 90, 50), Box(60, 0, 90, 20), Box(0, 1, 50, 21)])
    [2, 1, 0]
    """
    return [index for band in bands(boxes) for index in band]
