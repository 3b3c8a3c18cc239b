"""Deformed characters: they read as before, but their shape changed more than that of the characters around them.

A recogniser reads a malformed Chinese character, or a hybrid of 3 and 8, as the nearest real one. Its pixels then
correlate less with those of the page than the rest of its own line does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from vdebench.changes.alignment import AlignedPages, cut
from vdebench.changes.change import Change
from vdebench.changes.style import MIN_HEIGHT
from vdebench.changes.text_changes import TextComparison
from vdebench.changes.words import PlacedText, fact_kind, is_meaningful, whole_tokens
from vdebench.core.box import Box

MIN_CHARACTERS = 4
"""Least number of letters and digits of a line from which its usual correlation is known."""
MIN_INK = 20.0
"""Least standard deviation of the grey levels at a character: where there is no ink, its place is wrong."""
MIN_USUAL = 0.75
"""Least usual correlation of a line: below, it was drawn anew, and its shapes cannot be compared."""
MIN_DROP, NOISE = 0.2, 0.5
"""Least drop of the correlation of a deformed character in a line that is reproduced exactly, and what is added to it
for each unit by which the line's usual correlation is below 1. Of 38,000 unchanged characters, after compression,
resizing and an autoencoder, the greatest drop was .22, in a line with a usual correlation of .88 (limit .26)."""
STRETCHED = 0.8
"""Distance in heights of the line within which a character is searched again: an edit may stretch a justified line."""


class _Glyph(NamedTuple):
    """A character whose pixels changed, by its position in the line."""

    at: int
    correlation: float
    drop: float


def deformed_text(pages: AlignedPages, text: TextComparison, restyled: Sequence[Change]) -> list[Change]:
    """Return the words of unchanged lines with deformed characters, without words that have another style."""
    result = []
    for line in text.unchanged:
        if (line.box.y2 - line.box.y1) * pages.enlargement < MIN_HEIGHT:
            continue
        words: dict[range, _Glyph] = {}
        for glyph in _deformed(pages, line):
            word = whole_tokens(line.text.text, range(glyph.at, glyph.at + 1))
            if word not in words or glyph.drop > words[word].drop:
                words[word] = glyph
        for word, glyph in words.items():
            box = line.part(word)
            if not any(each.box_before and each.box_before.shared_area(box) > 0 for each in restyled):
                result.append(_change(line, word, glyph, pages))
    return result


def _deformed(pages: AlignedPages, line: PlacedText) -> Iterator[_Glyph]:
    characters = [
        at
        for at, character in enumerate(line.text.text)
        if is_meaningful(character) and _is_shown(pages, line.part(range(at, at + 1)))
    ]
    if len(characters) < MIN_CHARACTERS:
        return
    place = pages.settle(line.box)
    spans = [line.text.span(at, at + 1) for at in characters]
    values = pages.glyph_correlations(line.box, place, spans)
    usual = float(np.median(values))
    limit = MIN_DROP + NOISE * (1 - usual)
    low = [index for index, value in enumerate(values) if usual - value > limit]
    if usual < MIN_USUAL or not low:
        return
    again = pages.glyph_correlations(line.box, place, [spans[index] for index in low], reach=STRETCHED)
    for index, value in zip(low, again, strict=True):
        if usual - value > limit:
            yield _Glyph(characters[index], value, usual - value)


def _is_shown(pages: AlignedPages, box: Box) -> bool:
    """Whether a character has ink on the page and lies inside the output's frame."""
    frame = pages.frame
    inside = box.x1 >= frame.x1 and box.x2 <= frame.x2 and box.y1 >= frame.y1 and box.y2 <= frame.y2
    return inside and float(cut(pages.before_grey, box).std()) >= MIN_INK


def _change(line: PlacedText, word: range, glyph: _Glyph, pages: AlignedPages) -> Change:
    words = line.text.text[word.start : word.stop]
    box = line.part(word)
    evidence = {"correlation": glyph.correlation, "correlation_drop": glyph.drop}
    note = f"shape of {line.text.text[glyph.at]} changed"
    fact = fact_kind(words)
    return Change(
        "weakened", words, words, box, pages.box_to_output(box), fact, confidence=0.8, evidence=evidence, note=note
    )
