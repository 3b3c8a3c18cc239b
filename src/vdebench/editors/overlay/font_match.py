"""Match a line with our fonts: face, size, and the position of each word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.editors.overlay.fonts import STYLES, Coverage, FontStyle, WordRenderer

_WIDER = np.arange(0.60, 1.2401, 0.04)
_SIZES = np.arange(0.94, 1.0601, 0.03)
_FINER = np.arange(-0.025, 0.0251, 0.005)
_NARROWEST, _WIDEST = 0.7, 1.15
"""Natural width of a line relative to its ink: lines are often stretched, rarely compressed."""
_SURE = 0.93
"""Similarity from which italic faces are not tried."""
_STEP = 0.05
"""Cost of a pixel of stretched space, in pixels of misfitting ink."""
_AIR = 3


class FontFit(NamedTuple):
    """A face, a size in pixels, and the similarity with the page (a correlation, at most 1)."""

    style: FontStyle
    size: float
    likeness: float


class WordStencil(NamedTuple):
    """Cropped ink of a word, with the offset of its pen and baseline."""

    ink: Coverage
    pen: int
    baseline: int


def stencil(setter: WordRenderer, text: str, style: FontStyle, size: float) -> WordStencil | None:
    """Return a word's ink at a size; None if it has no ink."""
    ink, pen, baseline = setter.word(text, style).drawn(size)
    rows, columns = np.flatnonzero(ink.max(axis=1) > 0.02), np.flatnonzero(ink.max(axis=0) > 0.02)
    if not len(rows):
        return None
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    return WordStencil(np.ascontiguousarray(ink[top:bottom, left:right]), int(pen - left), int(baseline - top))


def fit_style(setter: WordRenderer, ink: Coverage, whole: str, samples: Sequence[str], guess: float) -> FontFit:
    """Return the face and size that best match a strip of ink and the words read in it.

    `whole` is the complete text, `samples` some of its words; `guess` is the size if the ink does not determine it.
    """
    padded = np.pad(ink, _AIR)
    rows = np.flatnonzero(ink.sum(axis=1) > 1.0)
    tall = float(rows[-1] + 1 - rows[0]) if len(rows) else guess
    columns = np.flatnonzero(ink.max(axis=0) > 0.2)
    wide = float(columns[-1] + 1 - columns[0]) if len(columns) else float(ink.shape[1])
    best: list[FontFit] = []
    for styles in (STYLES[: len(STYLES) // 2], STYLES[len(STYLES) // 2 :]):
        for style in styles:
            setter.words([whole, *samples], style)
            drawn = stencil(setter, whole, style, 40)
            sizes = [guess * _WIDER]
            if drawn:  # the height of the ink gives the size, unless the strip contains neighbours or rules
                sizes.append(40 * tall / drawn.ink.shape[0] * _SIZES)
            every = np.concatenate(sizes)
            natural = every * setter.word(whole, style).advance
            fits = (natural > _NARROWEST * wide) & (natural < _WIDEST * wide)
            best.append(_best_size(setter, padded, samples, style, every[fits] if fits.any() else every))
        if max(fit.likeness for fit in best) > _SURE:
            break
    best = sorted(best, key=lambda fit: -fit.likeness)[:3]
    finer = [_best_size(setter, padded, samples, fit.style, fit.size * (1 + _FINER)) for fit in best]
    return max(finer, key=lambda fit: fit.likeness)


def _best_size(
    setter: WordRenderer, ink: Coverage, samples: Sequence[str], style: FontStyle, sizes: NDArray[np.float64]
) -> FontFit:
    likeness = [(_likeness(setter, ink, samples, style, float(size)), float(size)) for size in sizes]
    best, size = max(likeness)
    return FontFit(style, size, best)


def _likeness(setter: WordRenderer, ink: Coverage, samples: Sequence[str], style: FontStyle, size: float) -> float:
    total = weight = 0.0
    for text in samples:
        drawn = stencil(setter, text, style, size)
        if drawn is None:
            continue
        framed = np.pad(drawn.ink, ((0, 0), (1, 1)))
        fits = framed.shape[0] <= ink.shape[0] and framed.shape[1] <= ink.shape[1]
        like = _best_likeness(ink, framed) if fits else 0.0
        total, weight = total + len(text) * like, weight + len(text)
    return total / weight if weight else 0.0


def _best_likeness(ink: Coverage, word: Coverage) -> float:
    """Return the best correlation, among positions with as much ink as the word; it is undefined on blank paper."""
    found = cv2.matchTemplate(ink, word, cv2.TM_CCOEFF_NORMED)
    sums = cv2.integral(ink)
    height, width = word.shape
    inked = sums[height:, width:] - sums[:-height, width:] - sums[height:, :-width] + sums[:-height, :-width]
    found[inked < 0.4 * float(word.sum())] = 0
    return float(found.max())


class WordPositions(NamedTuple):
    """Positions of the words of a line in a strip: the pen before each, and the row of the baseline."""

    pens: list[int]
    baseline: int


def place_words(
    setter: WordRenderer,
    ink: Coverage,
    texts: Sequence[str],
    parts: Sequence[str],
    fit: FontFit,
    baseline: int | None = None,
) -> WordPositions:
    """Return the positions at which the words, in order, best cover the ink; spaces may stretch.

    `parts[k]` is the separator before word k, a space or nothing.
    """
    em = fit.size
    air = round(em)
    field = np.pad(ink, air)
    width = field.shape[1]
    maps = [_misfit(setter, field, text, fit) for text in texts]
    low, high = max(low for _, low in maps), min(low + len(rows) for rows, low in maps)
    totals = [sum(float(rows[row - low_].min()) for rows, low_ in maps) for row in range(low, high)]
    row = low + int(np.argmin(totals)) if baseline is None else min(max(baseline + air, low), high - 1)
    costs = [rows[row - low_] for rows, low_ in maps]
    pairs = [(texts[k - 1], parts[k], texts[k]) for k in range(1, len(texts))]
    gaps = setter.gaps(pairs, fit.style)
    advances = [word.advance for word in setter.words(texts, fit.style)]
    best, sources = costs[0], []
    for index in range(1, len(texts)):
        step = round((advances[index - 1] + gaps[index - 1]) * em)
        wide = 2.5 if parts[index] else 0.4
        stretch = np.arange(-round(0.2 * em), round(wide * em) + 1)
        options = np.full((len(stretch), width), np.inf, np.float32)
        for line, more in enumerate(stretch):
            shift = step + int(more)
            if shift <= 0:
                continue
            options[line, shift:] = best[: width - shift] + _STEP * abs(int(more))
        choice = options.argmin(axis=0)
        sources.append(np.arange(width) - step - stretch[choice])
        best = options.min(axis=0) + costs[index]
    pens = [int(np.argmin(best))]
    for source in reversed(sources):
        pens.append(int(source[pens[-1]]))
    return WordPositions([pen - air for pen in reversed(pens)], row - air)


def _misfit(setter: WordRenderer, field: Coverage, text: str, fit: FontFit) -> tuple[NDArray[np.float32], int]:
    """Return the misfit of a word for each baseline row (from the second return value on) and pen position."""
    drawn = stencil(setter, text, fit.style, fit.size)
    height, width = field.shape
    if drawn is None or drawn.ink.shape[0] > height or drawn.ink.shape[1] > width:
        return np.zeros((height, width), np.float32), 0
    found = cv2.matchTemplate(field, drawn.ink, cv2.TM_SQDIFF)
    pens = np.full((found.shape[0], width), 1e6, np.float32)
    first = max(0, -drawn.pen)
    last = min(found.shape[1], width - drawn.pen)
    pens[:, first + drawn.pen : last + drawn.pen] = found[:, first:last]
    return pens, drawn.baseline
