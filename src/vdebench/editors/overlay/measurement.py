"""Measure a paragraph: its font, and the position of each word in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.editors.overlay.font_match import FontFit, fit_style, place_words, stencil
from vdebench.editors.overlay.fonts import WordRenderer
from vdebench.editors.overlay.location import Paragraph, TextSpan, fold
from vdebench.editors.overlay.paper import Colour, Paper
from vdebench.editors.overlay.words import LineWord, is_wide, part_between, pieces_of
from vdebench.readers.lines.line import Line

UNLIKE = 0.55
"""Minimum similarity: below, the line is in another font, or was misread."""


@dataclass(eq=False)
class MeasuredLine:
    """A line of the page with its words."""

    paper: Paper
    baseline: int
    words: list[LineWord]
    over: int
    """Rows of ink above the baseline,"""
    under: int
    """and from it down."""
    colour: Colour | None = None

    @property
    def top(self) -> int:
        """First row of its ink."""
        return self.baseline - self.over

    @property
    def bottom(self) -> int:
        """First row below its ink."""
        return self.baseline + self.under


def strip_of(line: Line) -> Box:
    """Return a line with a margin, since OCR boxes cut letters."""
    high = line.height
    return Box(line.box.x1 - 0.5 * high, line.box.y1 - 0.12 * high, line.box.x2 + 0.5 * high, line.box.y2 + 0.12 * high)


def corrected(paragraph: Paragraph, spot: TextSpan, quoted: str) -> tuple[list[str], TextSpan]:
    """Return the lines with the range as quoted, if it differs only in spaces and widths, and the range.

    >>> from vdebench.readers.lines.line import Line
    >>> lines = (Line(Box(0, 0, 9, 9), "a than5 h"), Line(Box(0, 9, 9, 18), "ours,b"))
    >>> corrected(Paragraph(lines), TextSpan(0, 2, 1, 4), "than 5 hours")
    (['a than 5 h', 'ours,b'], TextSpan(line=0, start=2, last_line=1, end=4))
    """
    texts = [line.text for line in paragraph.lines]
    ends = [(spot.start if k == spot.line else 0, spot.end if k == spot.last_line else len(texts[k]))
            for k in range(spot.line, spot.last_line + 1)]  # fmt: skip
    parts = [texts[spot.line + k][start:end] for k, (start, end) in enumerate(ends)]
    if fold("".join(parts)) != fold(quoted):
        return texts, spot
    at, last = 0, spot
    for k, (start, end) in enumerate(ends):
        count, stop = len(fold(parts[k])), at
        while stop < len(quoted) and len(fold(quoted[at:stop])) < count:
            stop += 1
        while k == len(ends) - 1 and stop < len(quoted):
            stop += 1
        piece = quoted[at:stop].strip() if k else quoted[at:stop].rstrip()
        number = spot.line + k
        texts[number] = texts[number][:start] + piece + texts[number][end:]
        last = TextSpan(spot.line, spot.start, number, start + len(piece))
        at = stop
    return texts, last


def samples_of(text: str) -> list[str]:
    """Return words, or pairs of Chinese characters, for matching the font: the longest few."""
    pieces = [piece for piece, _, _ in pieces_of(text)]
    latin = sorted((piece for piece in pieces if not is_wide(piece)), key=len, reverse=True)
    chinese = [one + other for one, other in pairwise(pieces) if is_wide(one) and is_wide(other)]
    chinese = [pair for pair in chinese if all(letter.isalpha() for letter in pair)]
    if not chinese:
        return list(dict.fromkeys(latin[:4])) or [text.strip()]
    step = max(1, len(chinese) // 3)
    return list(dict.fromkeys([*chinese[::step][:3], *(word for word in latin[:1] if len(word) > 1)]))


def fit_line(setter: WordRenderer, image: Image, line: Line, text: str, part: str = "") -> FontFit:
    """Match the font of a line, or of a part of it."""
    paper = Paper.of(image, strip_of(line))
    return fit_style(setter, paper.ink, text.strip(), samples_of(part or text), 0.82 * line.height)


def measure_row(
    setter: WordRenderer, image: Image, line: Line, number: int, text: str, fit: FontFit, cuts: tuple[int, ...]
) -> MeasuredLine:
    """Measure the words of a line and their positions."""
    paper = Paper.of(image, strip_of(line))
    pieces = pieces_of(text, cuts)
    texts, parts = [piece for piece, _, _ in pieces], [part for _, part, _ in pieces]
    places = place_words(setter, paper.ink, texts, parts, fit)
    words = []
    over = under = 1
    edges = []
    advances = setter.words(texts, fit.style)
    for piece, part, pen, set_ in zip(texts, parts, places.pens, advances, strict=True):
        drawn = stencil(setter, piece, fit.style, fit.size)
        left = pen - drawn.pen if drawn else pen
        right = left + drawn.ink.shape[1] if drawn else pen
        if drawn:
            over, under = max(over, drawn.baseline), max(under, drawn.ink.shape[0] - drawn.baseline)
        edges.append((left, right))
        words.append(LineWord(piece, part, number, pen + paper.place.x1, advance=set_.advance * fit.size))
    columns = paper.ink.sum(axis=0)
    cuts_ = [_cut(columns, before[1], after[0]) for before, after in pairwise(edges)]
    bounds = [edges[0][0] - 1, *cuts_, edges[-1][1] + 1]
    for word, left, right in zip(words, bounds, bounds[1:], strict=False):
        word.left, word.right = left + paper.place.x1, right + paper.place.x1
    row = MeasuredLine(paper, places.baseline + paper.place.y1, words, over + 1, under + 1)
    _grow(row, paper)
    return row


def _cut(columns: np.ndarray, left: int, right: int) -> int:
    """Return the column with the least ink between two words, the middle one of several."""
    low, high = max(0, min(left, right) - 2), min(len(columns), max(left, right) + 2)
    if low >= high:
        return max(0, min(left, len(columns)))
    part = columns[low:high]
    white = np.flatnonzero(part <= part.min() + 0.05)
    return low + int(white[np.abs(white - (left + right) / 2 + low).argmin()])


def _grow(row: MeasuredLine, paper: Paper) -> None:
    """Include ink that touches the ends of the line and adjacent rows, as the page's letters may be larger."""
    x1, x2 = row.words[0].left - paper.place.x1, row.words[-1].right - paper.place.x1
    y1, y2 = row.top - paper.place.y1, row.bottom - paper.place.y1
    dark = paper.ink > 0.1
    high, wide = dark.shape
    for _ in range(4):
        if y1 > 0 and dark[y1, max(0, x1) : x2].any():
            y1 -= 1
        if y2 < high and dark[y2 - 1, max(0, x1) : x2].any():
            y2 += 1
        if x1 > 0 and dark[max(0, y1) : y2, min(x1, wide - 1)].any():
            x1 -= 1
        if x2 < wide and dark[max(0, y1) : y2, x2 - 1].any():
            x2 += 1
    row.over, row.under = row.baseline - paper.place.y1 - y1, y2 + paper.place.y1 - row.baseline
    row.words[0].left, row.words[-1].right = x1 + paper.place.x1, x2 + paper.place.x1


def ink_colour(
    setter: WordRenderer, image: Image, row: MeasuredLine, words: Sequence[LineWord], fit: FontFit
) -> Colour | None:
    """Return the colour of some words of a row."""
    found = []
    for word in words:
        drawn = stencil(setter, word.text, fit.style, fit.size)
        if drawn:
            colour = row.paper.colour(image, drawn.ink, word.pen - drawn.pen, row.baseline - drawn.baseline)
            if colour is not None:
                found.append(colour)
    return np.median(np.array(found), axis=0).astype(np.float32) if found else None


def link_rows(rows: Sequence[MeasuredLine]) -> None:
    """Set the separator between the last word of a line and the first of the next; hyphens at line ends become soft."""
    for above, below in pairwise(rows):
        last, first = above.words[-1], below.words[0]
        broken = len(last.text) > 1 and last.text.endswith("-") and last.text[-2].islower() and first.text[0].islower()
        if broken:
            width = max(3, (last.right - last.left) // len(last.text))
            hyphen = LineWord("-", "", last.line, last.right - width, last.right - width, last.right, width, soft=True)
            last.text, last.right = last.text[:-1], last.right - width
            last.advance -= width
            above.words.append(hyphen)
            first.part = ""
        else:
            first.part = part_between(last.text, first.text)
