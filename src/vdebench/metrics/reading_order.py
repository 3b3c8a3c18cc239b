"""Boxes in the order in which a page is read, from where they stand alone."""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.core.box import Box


def bands(boxes: Sequence[Box]) -> list[list[int]]:
    """Indices of boxes in bands from top to bottom, within a band from left to right.

    A box joins the band above it where they share at least half of the lower one's height.

    >>> bands([Box(60, 0, 90, 20), Box(0, 1, 50, 21), Box(0, 30, 90, 50)])
    [[1, 0], [2]]
    """
    found: list[list[int]] = []
    reach: list[tuple[float, float]] = []
    for index in sorted(range(len(boxes)), key=lambda i: (boxes[i].y1 + boxes[i].y2, boxes[i].x1)):
        box = boxes[index]
        if found:
            top, bottom = reach[-1]
            shared = min(bottom, box.y2) - max(top, box.y1)
            if shared >= 0.5 * min(bottom - top, box.y2 - box.y1) and shared > 0:
                found[-1].append(index)
                reach[-1] = (min(top, box.y1), max(bottom, box.y2))
                continue
        found.append([index])
        reach.append((box.y1, box.y2))
    return [sorted(band, key=lambda i: (boxes[i].x1, boxes[i].y1)) for band in found]


def from_top(boxes: Sequence[Box]) -> list[int]:
    """Indices of boxes from top to bottom, those in one band from left to right.

    >>> from_top([Box(0, 30, 90, 50), Box(60, 0, 90, 20), Box(0, 1, 50, 21)])
    [2, 1, 0]
    """
    return [index for band in bands(boxes) for index in band]
