"""Words of a page by type height, and how many of them an output garbles: what a codec or a resolution costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import regex

from vdebench.changes.change import Change, ChangeKind, TypeHeight
from vdebench.changes.type_size import type_size
from vdebench.changes.words import count_words, is_meaningful
from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.readers.lines.line import Line

COUNTER_OF_KIND: Mapping[ChangeKind, str] = {
    "replaced": "changed",
    "lost": "changed",
    "illegible": "illegible",
    "weakened": "weakened",
}
"""Kinds of changes that are counted by type height, and the number that counts them."""
_HAN = regex.compile(r"\p{Han}")


def lines_outside(lines: Iterable[Line], regions: Sequence[Box], margin: float = 0.0) -> list[Line]:
    """Return the lines of which no part is in a region, with a margin above and below it in heights of lines."""
    return [line for line in lines if not any(_is_touched(line.box, region, margin) for region in regions)]


def words_by_height(page: Image, lines: Iterable[Line], changes: Iterable[Change]) -> tuple[TypeHeight, ...]:
    """Count the words of lines of a page, and those of them that were changed, by type height.

    A change belongs to the line that its place on the page shares most with. Words outside the output's frame, and
    words of changes that were asked for, are not counted.
    """
    lines = [line for line in lines if is_meaningful(line.text)]
    boxes = np.array([line.box for line in lines], np.float64).reshape(-1, 4)
    counts = [dict.fromkeys(("words", "changed", "illegible", "weakened"), 0) for _ in lines]
    for line, count in zip(lines, counts, strict=True):
        count["words"] = count_words(line.text)
    for change in changes:
        index = _line_of(change, boxes)
        if index is None:
            continue
        if change.kind == "cropped" or change.asked:
            counts[index]["words"] -= affected_words(change)
        elif change.kind in COUNTER_OF_KIND:
            counts[index][COUNTER_OF_KIND[change.kind]] += affected_words(change)
    heights: dict[int, list[int]] = {}
    for line, count in zip(lines, counts, strict=True):
        left = words = max(0, count["words"])
        row = [words]
        for name in ("changed", "illegible", "weakened"):  # a word counts once
            row.append(min(left, count[name]))
            left -= row[-1]
        height = round(type_size(page, line))
        known = heights.get(height, [0, 0, 0, 0])
        heights[height] = [sum(pair) for pair in zip(known, row, strict=True)]
    return tuple(TypeHeight(height, *heights[height]) for height in sorted(heights) if heights[height][0])


def affected_words(change: Change) -> int:
    """Return the number of words of the page that a change concerns, without the Chinese characters of its context.

    >>> [affected_words(Change("replaced", *each)) for each in (("59.00 net", "69.00 net"), ("除菌键", "除霜键"))]
    [2, 1]
    """
    if "words" in change.evidence:
        return int(change.evidence["words"])
    before, after = change.before, change.after
    context = 0
    if change.kind in ("replaced", "weakened") and before and after:
        context += before[0] == after[0] and _HAN.match(before[0]) is not None
        context += len(before) > 1 and before[-1] == after[-1] and _HAN.match(before[-1]) is not None
    return max(1, count_words(before) - context) if before else 0


def _line_of(change: Change, lines: np.ndarray) -> int | None:
    """Return the index of the line that a change shares most with."""
    box = change.box_before
    if box is None or not len(lines):
        return None
    across = np.minimum(lines[:, 2], box.x2) - np.maximum(lines[:, 0], box.x1)
    down = np.minimum(lines[:, 3], box.y2) - np.maximum(lines[:, 1], box.y1)
    shared = np.maximum(across, 0) * np.maximum(down, 0)
    best = int(np.argmax(shared))
    return best if shared[best] > 0 else None


def _is_touched(line: Box, region: Box, margin: float) -> bool:
    """Whether the middle of a line, or of a region in it, is in the rows of the other, and they overlap across."""
    if min(line.x2, region.x2) <= max(line.x1, region.x1):
        return False
    middle, middle_of_region = (line.y1 + line.y2) / 2, (region.y1 + region.y2) / 2
    slack = margin * min(line.y2 - line.y1, region.y2 - region.y1)
    return region.y1 - slack <= middle <= region.y2 + slack or line.y1 <= middle_of_region <= line.y2
