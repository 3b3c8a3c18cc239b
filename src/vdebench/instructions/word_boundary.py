"""Word boundaries."""

from __future__ import annotations

import re


def next_boundary(text: str, at: int, step: int) -> int:
    """Return the next word boundary in direction `step`: not inside a word or number, not next to a space.

    >>> next_boundary("rose by 12.5% in May", 4, 1), next_boundary("增长12.5%左右", 2, 1)
    (7, 7)
    """
    inside = re.compile(r"[A-Za-z0-9.,%’$:-]")
    at += step
    while 0 < at < len(text):
        before, after = text[at - 1], text[at]
        within = inside.match(before) and inside.match(after)
        beside_space = before.isspace() if step > 0 else after.isspace()
        if not within and not beside_space:
            return at
        at += step
    return max(0, min(at, len(text)))
