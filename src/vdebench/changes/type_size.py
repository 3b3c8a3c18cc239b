"""The size of the type of a line, from its ink and its letters.

The box of a line does not tell it: detectors add a margin, and give lines of 8 and of 10 pixels boxes of one height.
"""

from __future__ import annotations

import numpy as np
import regex
from numpy.typing import NDArray

from vdebench.changes.alignment import FLAT, cut
from vdebench.core.images import Image
from vdebench.readers.lines.images import SINGLE
from vdebench.readers.lines.line import Line

CAPITAL, SMALL, DESCENDER, COMMA = 0.7, 0.5, 0.21, 0.13
"""Heights of letters above the baseline, and depths below it, as shares of the type size, in common Latin typefaces."""
HAN = 0.9
"""Height of a line of Chinese characters as a share of the type size."""
INK = 0.35
"""Share of the strongest contrast of a line from which a pixel is ink."""
RULE = 0.8
"""Share of the columns with ink from which a row of pixels is a rule and not text."""
GAP = 0.08
"""Share of the box of a line that may be empty between parts of its letters."""
BOX = 0.75
"""Type size as a share of the height of the box, where the ink tells nothing."""
LEAST = 0.4
"""Least type size as a share of the height of the box; less is that of a mark, such as a dash."""

_HAN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
_SMALL = regex.compile(r"[acegmnopqrsuvwxyz.,:;·\-–—_~+=<>\s]")
_DEEP = regex.compile(r"[gjpqyQ()\[\]{}|/@_§]")


def type_size(page: Image, line: Line) -> float:
    """Return the type size (em) of a line in pixels: 14 for type of 10 points at 100 pixels per inch."""
    ink = _ink(page, line)
    height, width = line.box.y2 - line.box.y1, line.box.x2 - line.box.x1
    if height >= SINGLE * width:  # vertical; columns are as wide as a line is high
        ink, height = ink.T, width
    rows = _text_rows(ink, max(1, round(GAP * height)))
    size = rows / extent(line.text)
    return size if size >= LEAST * height else BOX * height


def extent(text: str) -> float:
    """Return the distance from the highest to the lowest ink of a text as a share of its type size.

    >>> [round(extent(text), 2) for text in ("Total", "page", "no", "12,5", "价格")]
    [0.7, 0.71, 0.5, 0.83, 0.9]
    """
    if _HAN.search(text):
        return HAN
    top = SMALL if all(_SMALL.match(each) for each in text) else CAPITAL
    bottom = DESCENDER if _DEEP.search(text) else COMMA if "," in text or ";" in text else 0.0
    return top + bottom


def _ink(page: Image, line: Line) -> NDArray[np.bool_]:
    """Return which pixels of a line have ink; none on a flat crop."""
    crop = cut(page, line.box).astype(np.float32)
    paper = np.median(crop.reshape(-1, crop.shape[2]), axis=0)
    contrast = np.abs(crop - paper).max(axis=2)
    strongest = float(np.percentile(contrast, 98))
    return np.asarray(contrast >= max(INK * strongest, FLAT), np.bool_)


def _text_rows(ink: NDArray[np.bool_], gap: int) -> int:
    """Return the number of rows of pixels that the text takes up, around the row with the most ink."""
    counts = ink.sum(axis=1)
    counts[counts > RULE * ink.shape[1]] = 0
    if not counts.any():
        return 0
    start = stop = int(np.argmax(counts))
    while counts[max(0, start - gap) : start].any():
        start = int(np.flatnonzero(counts[:start])[-1])
    while counts[stop + 1 : stop + 1 + gap].any():
        stop = stop + 1 + int(np.flatnonzero(counts[stop + 1 :])[0])
    return stop - start + 1
