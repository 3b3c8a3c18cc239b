"""Boxes drawn by people: validation, agreement between groups, and the choice of the ground truth.

A sample may have several changed regions, so a group submits a set of boxes. The sets of all groups are matched one
to one. A region's agreement is the mean IoU over all pairs of groups; the sample's is that of its worst region, and 0
if groups drew different numbers of boxes: agreement on a large box must not hide that a small one was forgotten.
Everything is computed in integers and fractions, so that exactly 0.95 is not above 0.95.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from vdebench.core.box import Box
from vdebench.review.refusals import Reason, Refusal

MOST_BOXES = 100
Region = tuple[Box, ...]


class BoxAgreement(NamedTuple):
    """Agreement of the groups on the boxes of a sample."""

    value: Fraction
    """Mean pairwise IoU of the worst region."""
    regions: tuple[Region, ...]
    """For each region, one box per group; empty if the numbers of boxes differ."""

    def above(self, needed: float) -> bool:
        """Whether the groups agree.

        >>> BoxAgreement(Fraction(19, 20), ()).above(0.95)
        False
        """
        return self.value > Fraction(str(needed))

    def largest(self) -> tuple[Box, ...]:
        """Return the ground truth: the largest box of each region, ordered from top to bottom."""
        chosen = (max(region, key=lambda box: (box.area, box)) for region in self.regions)
        return tuple(sorted(chosen, key=lambda box: (box.y1, box.x1, box)))


def wrong_boxes(boxes: object, width: int, height: int, *, least: int = 1) -> Refusal | None:
    """Return a refusal if these are not valid boxes on an image of this size.

    >>> wrong_boxes([(0, 0, 10, 11)], 10, 10).reason
    <Reason.BOX_OUTSIDE: 'box_outside'>
    """
    if not isinstance(boxes, list | tuple):
        return Refusal(Reason.MALFORMED, f"boxes are {type(boxes).__name__}, expected a list")
    if len(boxes) < least:
        return Refusal(Reason.NO_BOX, "no box, expected one around every changed region")
    if len(boxes) > MOST_BOXES:
        return Refusal(Reason.TOO_MANY_BOXES, f"{len(boxes)} boxes, expected at most {MOST_BOXES}")
    for number, box in enumerate(boxes, start=1):
        if not isinstance(box, list | tuple) or len(box) != 4 or any(type(side) is not int for side in box):
            return Refusal(Reason.BOX_NOT_PIXELS, f"box {number} is {box!r}"[:200] + ", expected four whole numbers")
        x1, y1, x2, y2 = box
        if x1 < 0 or y1 < 0 or x2 > width or y2 > height:
            return Refusal(Reason.BOX_OUTSIDE, f"box {number} is {list(box)}, the image has {width}×{height} pixels")
        if x1 >= x2 or y1 >= y2:
            return Refusal(Reason.BOX_EMPTY, f"box {number} is {list(box)}: it holds no pixel")
    if len({tuple(box) for box in boxes}) < len(boxes):
        return Refusal(Reason.BOX_TWICE, "the same box was drawn twice")
    return None


def agreement(drawn: Sequence[Sequence[Box]]) -> BoxAgreement:
    """Compute the agreement of the groups' boxes, independent of the order of groups and boxes.

    >>> one, other = Box(0, 0, 300, 40), Box(1, 1, 301, 41)
    >>> round(float(agreement([[one], [other]]).value), 3)
    0.945
    """
    if len({len(boxes) for boxes in drawn}) != 1 or not drawn[0]:
        return BoxAgreement(Fraction(0), ())
    # matching three sets optimally is expensive; instead all are matched to one group's, and every group is tried
    return max((_matched_to(first, drawn) for first in range(len(drawn))), key=lambda found: found.value)


def _matched_to(first: int, drawn: Sequence[Sequence[Box]]) -> BoxAgreement:
    partners = [_partners(drawn[first], boxes) for boxes in drawn]
    regions = tuple(zip(*partners, strict=True))
    return BoxAgreement(min(map(_mean_iou, regions)), regions)


def _partners(boxes: Sequence[Box], others: Sequence[Box]) -> list[Box]:
    """Return the partner of each box among the others: the assignment with the largest sum of IoU."""
    if len(boxes) == 1:
        return list(others)
    overlaps = np.array([[box.iou(other) for other in others] for box in boxes])
    _, columns = linear_sum_assignment(overlaps, maximize=True)
    return [others[int(column)] for column in columns]


def _mean_iou(region: Sequence[Box]) -> Fraction:
    pairs = [_iou(one, other) for one, other in combinations(region, 2)]
    return sum(pairs, Fraction(0)) / len(pairs)


def _iou(one: Box, other: Box) -> Fraction:
    shared = int(one.shared_area(other))
    return Fraction(shared, int(one.area) + int(other.area) - shared)
