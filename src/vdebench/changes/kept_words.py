"""Whether a change of some words keeps the words around them."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz import fuzz

from vdebench.changes.change import Change
from vdebench.changes.words import compared, is_meaningful

MIN_MISREAD = 80.0
"""Similarity in percent from which a text is a misread part of the new text, where the edit is done."""


def keeps_rest(change: Change, part: str, new: str) -> bool:
    """Whether a change puts the new text, or a part of it, in the place of a part of its words and keeps the others.

    >>> keeps_rest(Change("replaced", "上八点", "上九点"), "八点", "九点")
    True
    >>> keeps_rest(Change("replaced", "costs 21.88", "27.88"), "21.88", "27.88")
    False
    """
    wanted = compared(new).characters
    for middle in _replacements(change, part):
        misread = wanted not in middle and fuzz.partial_ratio(middle, wanted) >= MIN_MISREAD
        if middle in wanted or misread or not is_meaningful(middle):
            return True
    return False


def keeps_context(change: Change, part: str) -> bool:
    """Whether a change keeps its words around a part of them, whatever stands in the place of that part.

    >>> keeps_context(Change("lost", "the museum of"), "museum of")
    False
    """
    return any(True for _ in _replacements(change, part))


def _replacements(change: Change, part: str) -> Iterator[str]:
    """Yield what may stand in the place of a part of a change's words, if the others are kept."""
    before, after, old = (compared(text).characters for text in (change.before, change.after, part))
    for left, right in _rests(before, old):
        if len(left) + len(right) <= len(after) and after.startswith(left) and after.endswith(right):
            yield after[len(left) : len(after) - len(right)]


def _rests(before: str, old: str) -> Iterator[tuple[str, str]]:
    """Yield what stands left and right of a text in another, or of the part of it that begins or ends the other."""
    if before in old:
        yield "", ""
    for at in range(len(before) - len(old) + 1):
        if before.startswith(old, at):
            yield before[:at], before[at + len(old) :]
    for size in range(1, min(len(before), len(old))):
        if before.endswith(old[:size]):
            yield before[:-size], ""
        if before.startswith(old[-size:]):
            yield "", before[size:]
