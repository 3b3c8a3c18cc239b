"""Whether all words of a deleted text are gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from vdebench.changes.change import TEXT_KINDS, Change, EditOutcome
from vdebench.changes.engine import PageComparison
from vdebench.changes.line_pairs import line_text
from vdebench.changes.targets import Target, find_in
from vdebench.changes.words import PlacedText, compared, is_meaningful, tokens
from vdebench.core.box import Box
from vdebench.readers.layout.grouping import center_inside, group_lines
from vdebench.readers.lines.line import Line

_REMOVING = (*TEXT_KINDS, "cropped", "illegible")
"""Kinds of changes after which words of the page no longer stand where they stood."""


def deletion_outcome(comparison: PageComparison, target: Target, near: tuple[str, str]) -> EditOutcome:
    """Return `done` if no word of a target is left, `partly` if some are, `not_done` if all are.

    A word is left if no change at its place removes it, or it is read there, and if it is read as often as if it stood
    there: on the whole output, and `near` the target (the texts of the page and of the output; both have the words of
    the lines around). Text that moves up into the gap is therefore not taken for the words that stood there.
    """
    wanted = _words(target.text)
    removed: Counter[str] = Counter()
    for each in comparison.result.changes:
        if each.kind in _REMOVING and _overlaps(each, target):
            removed += _words(each.before) - _words(each.after)
    page, output = ([line.text for line in side.lines] for side in (comparison.page, comparison.output))
    left = 0
    seen = (wanted - removed) | (wanted & _words_inside(comparison, target))
    for word, count in seen.items():
        there = _still_read(word, wanted[word], page, output)
        if comparison.pages is not None:
            there = min(there, _still_read(word, wanted[word], near[:1], near[1:]))
        left += min(count, there)
    if not left:
        return "done"
    return "not_done" if left == wanted.total() else "partly"


def _words_inside(comparison: PageComparison, target: Target) -> Counter[str]:
    """Count the words that are read on the output inside the boxes of a target; none if it is not registered."""
    inside: Counter[str] = Counter()
    if comparison.pages is None:
        return inside
    for line in comparison.output.lines:
        box, text = comparison.pages.box_to_page(line.box), line_text(line)
        for token in tokens(text.text):
            place = PlacedText(box, text).part(token)
            x, y = (place.x1 + place.x2) / 2, (place.y1 + place.y2) / 2
            if any(each.x1 <= x <= each.x2 and each.y1 <= y <= each.y2 for each in target.boxes):
                inside += _words(text.text[token.start : token.stop])
    return inside


def _overlaps(change: Change, target: Target) -> bool:
    return change.box_before is not None and any(change.box_before.shared_area(box) > 0 for box in target.boxes)


def _words(text: str) -> Counter[str]:
    """Count the words of a text.

    >>> _words("The museum, the end")["the"], _words("三人三")["三"]
    (1, 2)
    """
    words = (text[token.start : token.stop] for token in tokens(text))
    return Counter(compared(word).characters for word in words if is_meaningful(word))


def _still_read(word: str, count: int, page: Iterable[str], output: Iterable[str]) -> int:
    """Return how many of the target's `count` places of a word are still read on the output."""
    before, after = (sum(_count(word, text) for text in side) for side in (page, output))
    return max(0, after - max(0, before - count))


def _count(word: str, text: str) -> int:
    """Return how often a text has a word; also inside other words, as readers lose spaces, if it is no single letter.

    >>> _count("of", "theof of"), _count("a", "a man"), _count("三", "三人三")
    (2, 1, 2)
    """
    if len(word) == 1 and word.isascii():
        return _words(text)[word]
    return len(find_in(text, word))


def block_from(beginning: Target, lines: Sequence[Line], *, one_line: bool = False) -> Target:
    """Return the lines of a page's block from the one on in which it begins, or only those beside that one."""
    first = lines[beginning.parts[0][0]].box
    block = max((each.box for each in group_lines(lines)), key=first.shared_area)
    if one_line:
        block = Box(block.x1, first.y1, block.x2, first.y2)
    numbers = [number for number, line in enumerate(lines) if _is_from(line, first, block)]
    texts = [line_text(lines[number]).text for number in numbers]
    parts = tuple((number, range(len(text))) for number, text in zip(numbers, texts, strict=True))
    return Target(parts, tuple(lines[number].box for number in numbers), " ".join(texts))


def _is_from(line: Line, first: Box, block: Box) -> bool:
    """Whether a line of a block is its first one, or beside or below it."""
    return line.box == first or (center_inside(line.box, block) and (line.box.y1 + line.box.y2) / 2 > first.y1)
