"""Style of changed text: colour, weight and size of the new words against the words they replace and their line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.changes.alignment import AlignedPages, cut
from vdebench.changes.change import Change
from vdebench.changes.text_changes import TextComparison
from vdebench.changes.words import is_meaningful
from vdebench.core.box import Box
from vdebench.core.images import Image

MAX_COLOUR = 24.0
"""Greatest distance of ink colours in CIELAB (ΔE 1976) of the same style."""
MIXED = 0.25
"""Share of the ink with another colour than its median from which the ink has several colours."""
MAX_WEIGHT, THIN, MAX_THIN_WEIGHT = 1.45, 2.0, 1.9
"""Greatest ratio of stroke widths of the same style; below a width in pixels, blur and noise change more of it."""
FADED, MIN_CONTRAST = 0.55, 40.0
"""Contrast relative to that of the same style below which ink is fainter, and the least contrast in grey levels of ink
of which this is measured."""
WIDE = 2.0
"""Least width, in heights of the line, of words whose stroke width is measured: that of a few letters depends on their
edges."""
RULE, COLUMN_RULE = 0.85, 0.97
"""Share of a row, and of a column, of pixels that only a rule covers with ink."""
MIN_HEIGHT = 9
"""Least height of a line in pixels of the output whose style can be measured."""


class InkStyle(NamedTuple):
    """Measured style of a piece of text."""

    colour: tuple[float, float, float]
    """CIELAB."""
    stroke: float
    """Mean stroke width in pixels."""
    height: float
    """Height of the ink in pixels."""
    contrast: float
    is_mixed: bool = False
    """Whether the ink has several colours, so that the median depends on small differences."""


def restyled_text(pages: AlignedPages, text: TextComparison) -> list[Change]:
    """Return the changed words whose style differs from that of the words they replace, or of their line."""
    result = []
    for change in text.changes:
        if change.kind not in ("replaced", "added") or change.box_after is None or not is_meaningful(change.after):
            continue
        box = pages.box_to_page(change.box_after)
        if (box.y2 - box.y1) * pages.enlargement < MIN_HEIGHT:
            continue
        rest = _rest_of_line(box, text.output_lines)
        old, new = _styles(pages, change, box, rest)
        if new is None or old is None:
            continue
        notes = style_differences(old, new, strokes=is_wide(box))
        if notes:
            result.append(
                Change(
                    "restyled",
                    change.before,
                    change.after,
                    change.box_before,
                    change.box_after,
                    change.fact,
                    confidence=0.8,
                    evidence=_evidence(old, new),
                    note=", ".join(notes),
                )
            )
    return result


def _styles(pages: AlignedPages, change: Change, box: Box, rest: Box | None) -> tuple[InkStyle | None, InkStyle | None]:
    """Return the style that the words should have, and their own without what the rest of the line changed too."""
    new = ink_style(cut(pages.after, box))
    usual = ink_style(cut(pages.after, rest)) if rest is not None else None
    if change.box_before is None:
        return usual, new
    old = ink_style(cut(pages.before, change.box_before))
    before = ink_style(cut(pages.before, rest)) if rest is not None else None
    return old, corrected(new, before, usual) if new is not None else None


def corrected(new: InkStyle, before: InkStyle | None, after: InkStyle | None) -> InkStyle:
    """Return a style without what its surroundings changed from `before` to `after`: a tint, blur, less contrast."""
    if before is None or after is None:
        return new
    lightness, green_red, blue_yellow = (
        own + float(np.clip(one - other, -12, 12))
        for own, one, other in zip(new.colour, before.colour, after.colour, strict=True)
    )
    stroke = new.stroke * float(np.clip(before.stroke / max(0.1, after.stroke), 0.7, 1.4))
    contrast = new.contrast * float(np.clip(before.contrast / max(1.0, after.contrast), 0.5, 2.0))
    return new._replace(colour=(lightness, green_red, blue_yellow), stroke=stroke, contrast=contrast)


def _rest_of_line(box: Box, lines: Sequence[Box]) -> Box | None:
    """Return the wider part of a line of the output beside a box; None if there is little."""
    line = next((each for each in lines if _holds(each, box)), None)
    if line is None:
        return None
    parts = [Box(line.x1, line.y1, box.x1 - 2, line.y2), Box(box.x2 + 2, line.y1, line.x2, line.y2)]
    widest = max(parts, key=lambda each: each.x2 - each.x1)
    return widest if widest.x2 - widest.x1 > 2 * (line.y2 - line.y1) else None


def is_wide(box: Box) -> bool:
    """Whether words are wide enough to measure their stroke width."""
    return box.x2 - box.x1 >= WIDE * (box.y2 - box.y1)


def _holds(line: Box, box: Box) -> bool:
    return line.shared_area(box) > 0.6 * box.area


def ink_style(image: Image, *, dark: bool | None = None) -> InkStyle | None:
    """Measure the ink of a piece of text, dark or light, by default what covers less; None if it has too little."""
    if min(image.shape[:2]) < 4:
        return None
    light = _light_pixels(image)
    mask = _without_rules(light ^ (has_dark_ink(image) if dark is None else dark))
    if not 0.02 < mask.mean() < 0.7:
        return None
    paper = np.median(image[~mask].reshape(-1, 3), axis=0)
    distance = np.abs(image.astype(np.float32) - paper).sum(-1)
    core = mask & (distance >= np.quantile(distance[mask], 0.6))
    inks = image[core].reshape(-1, 3)
    colour = np.median(inks, axis=0).astype(np.uint8).reshape(1, 1, 3)
    lab, *labs = cv2.cvtColor(np.vstack([colour[0], inks])[:, None].astype(np.float32) / 255, cv2.COLOR_RGB2LAB)[:, 0]
    others = np.linalg.norm(np.array(labs)[:, 1:] - lab[1:], axis=1) > MAX_COLOUR
    rows = np.flatnonzero(mask.any(1))
    edges = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    stroke = 2 * float(mask.sum()) / max(1.0, float(edges.sum()) / 2)
    contrast = float(np.abs(colour.astype(np.float32).mean() - paper.mean()))
    height, mixed = float(rows[-1] - rows[0] + 1), bool(others.mean() > MIXED)
    return InkStyle((float(lab[0]), float(lab[1]), float(lab[2])), stroke, height, contrast, mixed)


def _without_rules(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the ink of a piece of text without rules across or down it, which may have another colour.

    Rules are thin: rows and columns that have most of the ink are a box around light text.
    """
    across = mask.mean(1) > RULE if mask.shape[1] > mask.shape[0] else np.zeros(mask.shape[0], np.bool_)
    down = mask.mean(0) > COLUMN_RULE
    text = mask & ~across[:, None] & ~down[None, :]
    return text if 2 * text.sum() > mask.sum() else mask


def has_dark_ink(image: Image) -> bool:
    """Whether the darker part of a piece of text is its ink: the part that covers less."""
    return float(_light_pixels(image).mean()) > 0.5


def _light_pixels(image: Image) -> NDArray[np.bool_]:
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    _, light = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    return np.asarray(light > 0, np.bool_)


def style_differences(old: InkStyle, new: InkStyle, *, strokes: bool = True) -> list[str]:
    """Return the differences between two styles that a person notices, in words; `strokes`: their widths too."""
    notes = []
    hue = float(np.hypot(old.colour[1] - new.colour[1], old.colour[2] - new.colour[2]))
    if hue > MAX_COLOUR:
        notes.append(f"other colour (ΔE {hue:.0f})")
    ratio = max(old.stroke, new.stroke) / max(0.1, min(old.stroke, new.stroke))
    if strokes and ratio > max_weight(old.stroke):
        notes.append(f"stroke width ×{new.stroke / max(0.1, old.stroke):.2f}")
    if not notes and old.contrast >= MIN_CONTRAST and new.contrast < FADED * old.contrast:
        notes.append("fainter ink")
    return notes


def max_weight(stroke: float) -> float:
    """Return the greatest ratio of stroke widths of the same style, for a width in pixels."""
    return MAX_WEIGHT if stroke >= THIN else MAX_THIN_WEIGHT


def _evidence(old: InkStyle, new: InkStyle) -> dict[str, float]:
    hue = float(np.hypot(old.colour[1] - new.colour[1], old.colour[2] - new.colour[2]))
    return {"colour": hue, "stroke": new.stroke / max(0.1, old.stroke), "size": new.height / max(1.0, old.height)}
