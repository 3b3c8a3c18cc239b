"""Style of unchanged words: words that read as before and have another colour, weight or contrast.

A codec, a tint or another size changes the style of a whole page; a word is restyled if it changed otherwise than the
others of its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vdebench.changes.alignment import AlignedPages, cut
from vdebench.changes.change import Change
from vdebench.changes.style import (
    FADED,
    MAX_COLOUR,
    MIN_CONTRAST,
    MIN_HEIGHT,
    InkStyle,
    has_dark_ink,
    ink_style,
    is_wide,
    max_weight,
)
from vdebench.changes.text_changes import TextComparison
from vdebench.changes.words import PlacedText, fact_kind, is_meaningful, tokens
from vdebench.core.box import Box

MIN_PIECES = 12
"""Least number of pieces of one size from which the usual change of their strokes and contrast is known."""
LINE_PIECES = 3
"""Least number of pieces of a line whose stroke width is measured: that of a few letters depends on their edges."""
SAME_SIZE = 1.25
MAX_TINT = 12.0
"""Greatest change of colour of a whole page that is no change of style."""
LEAST_SATURATION = 0.35
"""Share of its colour that small type may keep where colours are stored at a lower resolution, as in JPEG."""


class _Piece(NamedTuple):
    """Some words of a line, with their styles on both images."""

    line: int
    span: range
    box: Box
    old: InkStyle
    new: InkStyle

    @property
    def height(self) -> float:
        return self.box.y2 - self.box.y1

    @property
    def strokes(self) -> float:
        return self.new.stroke / max(0.1, self.old.stroke)

    @property
    def contrasts(self) -> float:
        return self.new.contrast / max(1.0, self.old.contrast)


class _Usual(NamedTuple):
    """The usual change of the pieces of one size; None if it is not known."""

    strokes: float | None = None
    contrast: float | None = None


def restyled_unchanged(pages: AlignedPages, text: TextComparison) -> list[Change]:
    """Return the words of unchanged lines whose style changed otherwise than that of the page."""
    lines = [line for line in text.unchanged if (line.box.y2 - line.box.y1) * pages.enlargement >= MIN_HEIGHT]
    pieces = [piece for number, line in enumerate(lines) for piece in _measured(number, line, pages)]
    if not pieces:
        return []
    shifts = [np.subtract(piece.new.colour[1:], piece.old.colour[1:]) for piece in pieces]
    tint = np.clip(np.median(shifts, axis=0), -MAX_TINT, MAX_TINT)
    usual = _usual(pieces)
    strokes = _line_strokes(pieces, usual)
    noted = [
        (piece, _notes(piece, tint, strokes.get(piece.line), usual[at].contrast)) for at, piece in enumerate(pieces)
    ]
    result = []
    for (number, note), group in groupby(noted, key=lambda item: (item[0].line, item[1])):
        if note:
            result.append(_change(lines[number], [piece for piece, _ in group], note, pages))
    return result


def _measured(number: int, line: PlacedText, pages: AlignedPages) -> Iterator[_Piece]:
    for span in _spans(line):
        box = line.part(span)
        dark = has_dark_ink(cut(pages.before, box))  # of both: bold type may cover half of its paper
        old, new = (ink_style(cut(image, box), dark=dark) for image in (pages.before, pages.after))
        if old is not None and new is not None and old.contrast >= MIN_CONTRAST and not old.is_mixed:
            yield _Piece(number, span, box, old, new)


def _spans(line: PlacedText) -> Iterator[range]:
    """Yield ranges of whole words, each wide enough to be measured."""
    start: int | None = None
    stop = 0
    for token in tokens(line.text.text):
        start = token.start if start is None else start
        stop = token.stop
        if is_wide(line.part(range(start, stop))):
            yield range(start, stop)
            start = None
    if start == 0:
        yield range(start, stop)  # a short line


def _usual(pieces: Sequence[_Piece]) -> list[_Usual]:
    """Return for each piece the median change of pieces of its size; nothing for few."""
    heights = np.array([piece.height for piece in pieces])
    strokes = np.array([piece.strokes for piece in pieces])
    contrasts = np.array([piece.contrasts for piece in pieces])
    result = []
    for height in heights:
        same = (heights < SAME_SIZE * height) & (heights > height / SAME_SIZE)
        known = same.sum() >= MIN_PIECES
        result.append(_Usual(float(np.median(strokes[same])), float(np.median(contrasts[same]))) if known else _Usual())
    return result


def _line_strokes(pieces: Sequence[_Piece], usual: Sequence[_Usual]) -> dict[int, float]:
    """Return the change of stroke width, relative to what is usual, of the lines with another one, by their number.

    It is not known of short lines.
    """
    ratios: dict[int, list[tuple[float, float]]] = {}
    for piece, each in zip(pieces, usual, strict=True):
        if each.strokes is not None:
            ratios.setdefault(piece.line, []).append((piece.strokes / max(0.1, each.strokes), piece.old.stroke))
    medians = {line: np.median(found, axis=0) for line, found in ratios.items() if len(found) >= LINE_PIECES}
    return {
        line: float(ratio)
        for line, (ratio, stroke) in medians.items()
        if max(ratio, 1 / max(0.1, ratio)) > max_weight(stroke)
    }


def _notes(piece: _Piece, tint: NDArray[np.float64], strokes: float | None, contrast: float | None) -> str:
    """Return in words how the style of a piece changed beyond what is usual on the page, or "".

    `strokes` is the change of the stroke width of its line, if it has another one.
    """
    old, new = np.array(piece.old.colour[1:]), np.array(piece.new.colour[1:]) - tint
    length = float(old @ old)
    kept = float(np.clip(new @ old / length, LEAST_SATURATION, 1.0)) if length else 1.0
    notes = ["other colour"] if float(np.linalg.norm(new - kept * old)) > MAX_COLOUR else []
    if strokes is not None:
        notes.append(f"stroke width ×{strokes:.2f}")
    if contrast is not None and not notes and piece.contrasts < FADED * contrast:
        notes.append("fainter ink")
    return ", ".join(notes)


def _change(line: PlacedText, pieces: Sequence[_Piece], note: str, pages: AlignedPages) -> Change:
    words = line.text.text[pieces[0].span.start : pieces[-1].span.stop]
    box = Box.around([piece.box for piece in pieces])
    fact = fact_kind(words) if is_meaningful(words) else ""
    evidence = {"height": pieces[0].height * pages.enlargement}
    return Change(
        "restyled",
        words,
        words,
        box,
        pages.box_to_output(box),
        fact,
        confidence=0.8,
        evidence=evidence,
        note=note,
    )
