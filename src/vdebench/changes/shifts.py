"""What moved with the lines of text around it, where an edit pushed a part of the page up or down.

Formulas, labels of figures and rules may be read differently at their new place, or not at all; their pixels tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from vdebench.changes.alignment import AlignedPages, settle
from vdebench.changes.change import Change
from vdebench.core.box import Box

MAX_SHIFTS, MARGIN, REACH, ALIKE = 8, 4, 4, 0.7
"""Number of shifts of text that are tried, pixels around a piece that are compared and within which it is searched, and
the least correlation of a piece that moved."""
THIN, THIN_ALIKE = 3, 0.6
"""Greatest thickness in pixels of a thin rule, and the least correlation of one that moved: by half a pixel more, it is
.68."""
STANDS = 0.8
"""Correlation from which the page had the same at the new place already."""
Shift = tuple[int, int]
"""Pixels of the page, right and down."""
Grey = NDArray[np.uint8]


def frequent_shifts(changes: Iterable[Change], pages: AlignedPages) -> list[Shift]:
    """Return the most frequent shifts of lines that moved."""
    counts: Counter[Shift] = Counter()
    for change in changes:
        if change.kind == "moved" and change.box_before is not None and change.box_after is not None:
            box = pages.box_to_page(change.box_after)
            counts[round(box.x1 - change.box_before.x1), round(box.y1 - change.box_before.y1)] += 1
    found: list[Shift] = []
    for shift, _ in counts.most_common():
        if all(max(abs(shift[0] - right), abs(shift[1] - down)) > REACH for right, down in found):
            found.append(shift)  # nearer ones are searched with it
    return found[:MAX_SHIFTS]


def moved_by(one: Grey, other: Grey, box: Box, shifts: Sequence[Shift]) -> Shift | None:
    """Return the shift by which a box of one image stands on the other; None if it stands at none of them."""
    wide = Box(box.x1 - MARGIN, box.y1 - MARGIN, box.x2 + MARGIN, box.y2 + MARGIN)
    least = THIN_ALIKE if min(box.x2 - box.x1, box.y2 - box.y1) <= THIN else ALIKE
    for right, down in shifts:
        place = settle(one, other, wide, REACH, right, down)
        if place.correlation >= least:
            return place.right, place.down
    return None


def shifted(box: Box, shift: Shift) -> Box:
    """Return a box at another place."""
    right, down = shift
    return Box(box.x1 + right, box.y1 + down, box.x2 + right, box.y2 + down)


def with_moved_pieces(changes: Sequence[Change], pages: AlignedPages) -> list[Change]:
    """Return changes of text in which pieces that moved with the lines around them are neither lost nor added."""
    shifts = frequent_shifts(changes, pages)
    back = [(-right, -down) for right, down in shifts]
    if not shifts:
        return list(changes)
    result = []
    for change in changes:
        if change.kind == "lost" and change.box_before is not None:
            shift = _new_place(pages.before_grey, pages.after_grey, change.box_before, shifts)
            if shift is not None:
                place = pages.box_to_output(shifted(change.box_before, shift))
                change = Change("moved", change.before, change.before, change.box_before, place, change.fact)
        elif change.kind in ("added", "duplicated") and change.box_after is not None:
            box = pages.box_to_page(change.box_after)
            if _new_place(pages.after_grey, pages.before_grey, box, back) is not None:
                continue
        result.append(change)
    return result


def _new_place(one: Grey, other: Grey, box: Box, shifts: Sequence[Shift]) -> Shift | None:
    """Return the shift of a piece to a place where the first image has something else."""
    shift = moved_by(one, other, box, shifts)
    if shift is None or settle(other, one, shifted(box, shift), REACH).correlation >= STANDS:
        return None
    return shift
