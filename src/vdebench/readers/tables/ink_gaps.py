"""Gaps between the letters of a line, from its pixels: where an engine read the texts of two cells as one line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from vdebench.core.box import Box

_INK = 40
"""Smallest difference in grey levels between ink and background."""
_RULE = 0.9
"""Smallest share of ink of a row of pixels that belongs to a rule at the edge of the box."""
_LEAST = 0.2
"""Smallest gap between two cells, in line heights: wider than any gap between two letters."""
_SPACE = 1.5
"""Smallest ratio of the gap between two cells to the spaces between the words of the line."""


def ink_gaps(grey: Any, box: Box) -> list[tuple[float, float]]:
    """Return start and end of each gap between the letters in a box, from left to right."""
    x1, y1, x2, y2 = (max(0, round(side)) for side in box)
    part = grey[y1:y2, x1:x2].astype(np.int16)
    if not part.size:
        return []
    ink = np.abs(part - np.median(part)) > _INK
    inked = np.flatnonzero(ink[ink.mean(axis=1) < _RULE].any(axis=0))
    return [(float(x1 + one + 1), float(x1 + other)) for one, other in pairwise(inked) if other - one > 1]


def cell_gap(grey: Any, box: Box, x: float, reach: float) -> float | None:
    """Return the middle of the gap nearest to a cell boundary; None if no gap near it is wider than a space.

    Only gaps with a part inside `reach` pixels of the boundary count, and of these the wide ones.
    """
    gaps = ink_gaps(grey, box)
    near = [gap for gap in gaps if gap[0] < x + reach and gap[1] > x - reach]
    spaces = [end - start for start, end in gaps if (start, end) not in near]
    least = max(_LEAST * (box.y2 - box.y1), _SPACE * max(spaces, default=0.0))
    widest = max((end - start for start, end in near), default=0.0)
    wide = [gap for gap in near if gap[1] - gap[0] >= widest / _SPACE] if widest >= least else []
    return min(((start + end) / 2 for start, end in wide), key=lambda middle: abs(middle - x), default=None)


def split_at_gaps(grey: Any, box: Box, xs: Sequence[float], reach: float) -> list[Box]:
    """Split the box of a line at those column boundaries that lie in a gap wider than a space."""
    found = (cell_gap(grey, box, x, reach) for x in xs if box.x1 < x < box.x2)
    cuts = sorted({cut for cut in found if cut is not None})
    return [box._replace(x1=left, x2=right) for left, right in pairwise([box.x1, *cuts, box.x2])]
