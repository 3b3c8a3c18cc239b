"""Text that moved past other text: exchanged cells, lines or paragraphs.

An edit may push text further down or to the next line. What it pushes keeps its order; what changed places did not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change
from vdebench.changes.words import compared
from vdebench.core.box import Box

PASSED = "passed"
"""Evidence of a change whose words moved past others: how many lines."""
OVERLAP = 0.3
"""Share of the narrower of two pieces of text by which they are above each other."""
APART = 0.5
"""Least distance of two lines, in heights, of which one is above the other."""


def mark_reordered(changes: Sequence[Change], standing: Iterable[Box], pages: AlignedPages) -> list[Change]:
    """Return the changes; those of text that moved past other text have the number of lines in their evidence.

    `standing` are boxes of lines that did not move.
    """
    changes = _in_order(changes)
    moves = {
        number: (change.box_before, pages.box_to_page(change.box_after))
        for number, change in enumerate(changes)
        if change.kind == "moved" and change.box_before is not None and change.box_after is not None
    }
    unmoved = [(box, box) for box in standing]
    result = list(changes)
    for number, move in moves.items():
        others = [*unmoved, *(other for at, other in moves.items() if at != number)]
        passed = sum(_is_passed(move, other) for other in others)
        if passed:
            change = changes[number]
            evidence = {**change.evidence, PASSED: passed}
            result[number] = replace(change, evidence=evidence, note="not in the order of the page")
    return result


def _in_order(changes: Sequence[Change]) -> list[Change]:
    """Give moved pieces with the same words their new places from top to bottom: it does not matter which is which."""
    alike: dict[str, list[int]] = defaultdict(list)
    for number, change in enumerate(changes):
        if change.kind == "moved" and change.before and change.box_before is not None and change.box_after is not None:
            alike[compared(change.before).characters].append(number)
    result = list(changes)
    for numbers in alike.values():
        places = sorted((box.y1, box.x1, box) for number in numbers if (box := changes[number].box_after) is not None)
        ordered = sorted(numbers, key=lambda at: (changes[at].box_before or Box(0, 0, 0, 0))[1::-1])
        for number, (*_, box) in zip(ordered, places, strict=True):
            result[number] = replace(changes[number], box_after=box)
    return result


def _is_passed(move: tuple[Box, Box], other: tuple[Box, Box]) -> bool:
    """Whether a piece of text was above another one in its column and is below it now, or the other way round."""
    sides = []
    for one, two in zip(move, other, strict=True):
        across = min(one.x2, two.x2) - max(one.x1, two.x1)
        if across < OVERLAP * min(one.x2 - one.x1, two.x2 - two.x1):
            return False
        distance = (one.y1 + one.y2 - two.y1 - two.y2) / 2
        if abs(distance) < APART * min(one.y2 - one.y1, two.y2 - two.y1):
            return False
        sides.append(distance > 0)
    return sides[0] != sides[1]
