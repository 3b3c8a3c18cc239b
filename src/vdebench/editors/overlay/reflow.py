"""Break words into lines and determine their positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from vdebench.editors.overlay.font_match import FontFit
from vdebench.editors.overlay.fonts import WordRenderer
from vdebench.editors.overlay.measurement import MeasuredLine
from vdebench.editors.overlay.words import LineWord, is_wide, units_of

Align = Literal["left", "center", "right"]
_SLACK = 0.1
"""Tolerated excess of a line over its column, in multiples of the size."""
_CLOSING = "，。、；：？！）》」』】”’"


class LineColumn(NamedTuple):
    """Left and right edge of lines, and their alignment."""

    left: float
    """Pen of a line's first word, in all lines but the first."""
    right: float
    align: Align
    justified: bool


@dataclass(eq=False, slots=True)
class PlacedWord:
    """A word and its pen position."""

    word: LineWord
    pen: float


class Layout:
    """Lines of words with pen positions."""

    def __init__(self, setter: WordRenderer, fit: FontFit, column: LineColumn) -> None:
        self.setter, self.fit, self.column = setter, fit, column

    def lines(self, words: Sequence[LineWord], first_pen: float) -> list[list[PlacedWord]]:
        """Break words into lines."""
        lines: list[list[LineWord]] = [[]]
        for unit in units_of(list(words)):
            line = lines[-1]
            trial = _without_soft([*line, *unit])
            start = first_pen if len(lines) == 1 else self.column.left
            fits = self._end(trial, start) <= self.column.right + _SLACK * self.fit.size
            if line and (unit[0].begins or not fits):
                lines.append(list(unit))
            else:
                lines[-1] = trial
        last = len(lines) - 1
        return [
            self._set(line, first_pen if index == 0 else self.column.left, index == last or lines[index + 1][0].begins)
            for index, line in enumerate(lines)
            if line
        ]

    def _end(self, words: Sequence[LineWord], start: float) -> float:
        """Return the end of a line's ink."""
        pens = self._pens(words, start)
        last = words[-1]
        half = last.advance > 0.8 * self.fit.size and last.text in _CLOSING
        return pens[-1] + last.advance * (0.5 if half else 1.0)

    def _pens(self, words: Sequence[LineWord], start: float) -> list[float]:
        pens = [start]
        for before, word in pairwise(words):
            pens.append(pens[-1] + before.advance + self._gap(before, word))
        return pens

    def _gap(self, before: LineWord, word: LineWord) -> float:
        """Return the space between two words: as on the page if they are adjacent there, else that of the font."""
        side_by_side = before.line is not None and before.line == word.line and before.right == word.left
        if side_by_side and not self.column.justified:
            return word.pen - before.pen - before.advance
        return self.setter.gaps([(before.text, word.part, word.text)], self.fit.style)[0] * self.fit.size

    def _set(self, words: Sequence[LineWord], start: float, last: bool) -> list[PlacedWord]:
        pens = self._pens(words, start)
        over = self._end(words, start) - self.column.right
        spaces = [index for index in range(1, len(words)) if words[index].part]
        wide = sum(is_wide(word.text) for word in words) > len(words) / 2
        where = list(range(1, len(words))) if wide else spaces
        if where and ((self.column.justified and not last) or over > 1):
            share = -over / len(where)
            pens = [pen + share * sum(1 for index in where if index <= k) for k, pen in enumerate(pens)]
        elif self.column.align != "left":
            slack = self.column.right - pens[-1] - words[-1].advance
            pens = [pen + (slack / 2 if self.column.align == "center" else slack) for pen in pens]
        return [PlacedWord(word, pen) for word, pen in zip(words, pens, strict=True)]


def _without_soft(words: list[LineWord]) -> list[LineWord]:
    """Remove hyphens that are no longer at the end of a line."""
    return [word for index, word in enumerate(words) if not (word.soft and index + 1 < len(words))]


def is_justified(setter: WordRenderer, fit: FontFit, rows: Sequence[MeasuredLine], right: float) -> bool:
    """Whether all lines but the last reach the same edge with varying spaces."""
    full = [row for row in rows[:-1] if len(row.words) > 2]
    if not full or any(abs(row.words[-1].right - right) > 0.45 * fit.size for row in full):
        return False
    ends = [row.words[-1].right for row in full]
    stretched = []
    for row in full:
        pairs = [(a.text, b.part, b.text) for a, b in pairwise(row.words)]
        natural = setter.gaps(pairs, fit.style)
        real = [b.pen - a.pen - a.advance for a, b in pairwise(row.words)]
        more = [one - other * fit.size for one, other, pair in zip(real, natural, pairs, strict=True) if pair[1]]
        stretched.append(float(np.mean(more)) if more else 0.0)
    flush = max(ends) - min(ends) < 0.25 * fit.size and len(full) > 1
    return flush or max(abs(value) for value in stretched) > 0.06 * fit.size
