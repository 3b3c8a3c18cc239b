"""Vertical Chinese and Japanese lines: letters of the turned image, punctuation of the characters set in a row.

The recogniser reads a column that is turned counterclockwise, lying characters and all, and makes nearly no mistake in
letters, but it misses most of the punctuation. With the characters set side by side, it reads the punctuation, but
some characters are cut in two. The two texts are aligned.
"""

from __future__ import annotations

from typing import NamedTuple

import regex
from rapidfuzz.distance import Levenshtein

from vdebench.readers.lines.recognition import RecognizedLine
from vdebench.readers.lines.text import FULL_WIDTH

MIN_AGREEMENT = 0.7
"""Least similarity of the letters of the two texts; below, the line is not vertical text."""
_LETTER = regex.compile(r"[\p{L}\p{N}]")


class _Character(NamedTuple):
    text: str
    start: float
    probability: float


def letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(_LETTER.findall(text))


def may_be_column(text: RecognizedLine) -> bool:
    """Whether a tall line may be vertical text: most of its letters are full-width characters."""
    found = letters(text.text)
    return 2 * len(FULL_WIDTH.findall(found)) > len(found) > 0


def agreement(turned: RecognizedLine, row: RecognizedLine) -> float:
    """Return the similarity of the letters of two texts, from 0 to 1; 0 without letters."""
    one, other = letters(turned.text), letters(row.text)
    return float(Levenshtein.normalized_similarity(one, other)) if one and other else 0.0


def merge_column(turned: RecognizedLine, row: RecognizedLine) -> RecognizedLine:
    """Return the letters of the first text with the punctuation of the second, if they agree; else the first text.

    >>> turned = RecognizedLine("心中有言’丝绸", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1), (1,) * 7)
    >>> row = RecognizedLine("心中有言，丝一绸。", tuple(each / 9 for each in range(10)), (1,) * 9)
    >>> merge_column(turned, row).text
    '心中有言，丝绸。'
    """
    if agreement(turned, row) < MIN_AGREEMENT:
        return turned
    before, other = _characters(turned), _characters(row)
    merged: list[_Character] = []
    for step in Levenshtein.opcodes(turned.text, row.text):
        old = before[step.src_start : step.src_end]
        marks = [each for each in other[step.dest_start : step.dest_end] if not _LETTER.match(each.text)]
        if step.tag == "equal" or (not marks and step.tag == "delete"):
            merged += old
            continue
        start = before[step.src_start].start if step.src_start < len(before) else turned.edges[-1]
        kept = [each for each in old if _LETTER.match(each.text)] if marks else old
        end = kept[-1].start if kept else start
        merged += [*kept, *(mark._replace(start=max(start, end)) for mark in marks)]
    edges = (*(each.start for each in merged), turned.edges[-1])
    return RecognizedLine("".join(each.text for each in merged), edges, tuple(each.probability for each in merged))


def _characters(line: RecognizedLine) -> list[_Character]:
    return [_Character(*each) for each in zip(line.text, line.edges[:-1], line.probabilities, strict=True)]
