"""Whether a change of some words keeps the words around them."""

from __future__ import annotations

from collections.abc import Iterator

from rapidfuzz import fuzz

from vdebench.changes.change import Change
from vdebench.changes.targets import find_in
from vdebench.changes.words import compared, is_meaningful, similarity, tokens, whole_tokens

MIN_MISREAD = 80.0
"""Similarity in percent from which a text is a misread part of the new text, where the edit is done."""

MIN_ADDED = 0.5
"""Similarity above which an added text is a misread new text."""
_MARKS = ".,;:!?'\"，。；：！？、“”‘’…"
"""Marks that may stand beside the new text."""


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
    """Yield what may stand in the place of a part of a change's words, if the others are kept; marks may go with it."""
    lost = change.before.strip(_MARKS + " ") if change.kind == "lost" else ""
    before, after, old = (compared(text).characters for text in (lost or change.before, change.after, part))
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


def adds_part(change: Change, new: str) -> bool:
    """Whether added text is the new text, a part of it, or a misreading of it; not if it has more than the new text.

    It may have the mark that stood behind the words before.

    >>> adds_part(Change("added", "", "museum"), "the museum"), adds_part(Change("added", "", "old museum"), "museum")
    (True, False)
    """
    text, wanted = compared(change.after.strip(_MARKS + " ") or change.after).characters, compared(new).characters
    if not text:
        return False
    misread = wanted not in text and similarity(change.after, new) > MIN_ADDED
    return text in wanted or text.removesuffix("-") in wanted or misread


def writes_part(change: Change, new: str, *, broken: bool = False) -> bool:
    """Whether a change writes whole words of the new text, in their order; `broken`: also parts of words that are
    divided at the end of a line.

    >>> writes_part(Change("replaced", "the old cost", "the new cost"), "new")
    True
    >>> writes_part(Change("replaced", "392.70", "492.70"), "412.70"), writes_part(Change("added", "", "9"), "49")
    (False, False)
    """
    text = _without_kept_words(change).strip().strip(_MARKS)
    if broken:
        text = text.removesuffix("-")
    for span in find_in(new, text):
        inside = whole_tokens(new, span) != span
        if not inside or (broken and not any(each.isdigit() for each in text)):
            return True
    return False


def _without_kept_words(change: Change) -> str:
    """Return the words after a change without those that it has before too, at the beginning and at the end."""
    before, after = ([text[each.start : each.stop] for each in tokens(text)] for text in (change.before, change.after))
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    stop = 0
    while stop < min(len(before), len(after)) - start and before[-1 - stop] == after[-1 - stop]:
        stop += 1
    spans = tokens(change.after)[start : len(after) - stop]
    return change.after[spans[0].start : spans[-1].stop] if spans else ""
