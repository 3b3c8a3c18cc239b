"""Set the text of a table cell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.editors.overlay.font_match import FontFit, stencil
from vdebench.editors.overlay.fonts import WordRenderer
from vdebench.editors.overlay.grid import GridCellArea, find_cell
from vdebench.editors.overlay.location import OverlayPage, fold
from vdebench.editors.overlay.measurement import UNLIKE, fit_line, ink_colour, measure_row
from vdebench.editors.overlay.paper import Paper, set_ink
from vdebench.editors.overlay.words import part_between
from vdebench.instructions.request import EditRequest, NotUnderstoodError
from vdebench.readers.lines.line import Line


def edit_cell(setter: WordRenderer, page: OverlayPage, request: EditRequest) -> Image:
    """Return the page with another text in a cell."""
    cell = find_cell(page, request.row, request.column)
    old = " ".join(line.text for line in cell.lines)
    if request.target and fold(request.target) not in fold(old):
        raise NotUnderstoodError(f"the cell reads “{old}”, not “{request.target}”")
    if request.action != "replace" and not _has_ink(page, cell):
        raise NotUnderstoodError("the cell is empty")
    out = page.image.copy()
    paper = Paper.of(page.image, _inked(cell))
    new = request.new
    if request.action in ("insert_after", "insert_before"):
        first, second = (old, new) if request.action == "insert_after" else (new, old)
        new = first + part_between(first, second) + second
    if request.action == "delete":
        paper.clean(out, *_columns(paper), *_rows(paper))
        return out
    models = [line for line in (*cell.lines, *cell.like) if line.text.strip()]
    if not models:
        raise NotUnderstoodError("no cell of the column shows its font")
    model = models[0]
    fit = fit_line(setter, page.image, model, model.text)
    if len(models) > 1 and len(model.text) < 4:  # a few digits are not enough to match a font: use the column
        others = [fit_line(setter, page.image, line, line.text) for line in models[1:4]]
        fit = max([fit, *others], key=lambda each: each.likeness) if fit.likeness < 0.97 else fit
    if fit.likeness < UNLIKE:
        raise NotUnderstoodError(f"the cell's font does not match our fonts (similarity {fit.likeness:.2f})")
    row = measure_row(setter, page.image, model, 0, model.text, fit, ())
    colour = ink_colour(setter, page.image, row, row.words, fit)
    if colour is None:
        raise NotUnderstoodError("the cell's text has no ink that could be matched")
    left = _pen(setter, cell, models, new, fit)
    word = setter.word(new, fit.style)
    if word.advance * fit.size > cell.box.x2 - cell.box.x1:
        raise NotUnderstoodError("the new text is wider than its cell")
    middle = (model.box.y1 + model.box.y2) / 2
    wanted = (cell.lines[0].box.y1 + cell.lines[0].box.y2) / 2 if cell.lines else (cell.box.y1 + cell.box.y2) / 2
    baseline = row.baseline + (0 if cell.lines else round(wanted - middle))
    paper.clean(out, *_columns(paper), *_rows(paper))
    drawn = stencil(setter, new, fit.style, fit.size)
    if drawn:
        set_ink(out, drawn.ink, colour, round(left) - drawn.pen, baseline - drawn.baseline)
    return out


def _inked(cell: GridCellArea) -> Box:
    """Return the part of a cell to be cleaned: its text, or the whole cell if OCR found none."""
    if not cell.lines:
        return cell.box
    text, box = Box.around(line.box for line in cell.lines), cell.box
    return Box(max(text.x1 - 3, box.x1), max(text.y1 - 2, box.y1), min(text.x2 + 3, box.x2), min(text.y2 + 2, box.y2))


def _columns(paper: Paper) -> tuple[int, int]:
    return paper.place.x1, paper.place.x2


def _rows(paper: Paper) -> tuple[int, int]:
    return paper.place.y1, paper.place.y2


def _has_ink(page: OverlayPage, cell: GridCellArea) -> bool:
    return bool(cell.lines) or float(Paper.of(page.image, cell.box).ink.max(initial=0)) > 0.3


def _pen(setter: WordRenderer, cell: GridCellArea, models: Sequence[Line], new: str, fit: FontFit) -> float:
    """Return the start of the new text, aligned as in the column."""
    width = setter.word(new, fit.style).advance * fit.size
    high = models[0].height
    boxes = [line.box for line in models]
    left = [box.x1 for box in boxes]
    right = [box.x2 for box in boxes]
    middle = [(box.x1 + box.x2) / 2 for box in boxes]
    spreads = {"center": np.ptp(middle), "left": np.ptp(left), "right": np.ptp(right)} if len(boxes) > 1 else {}
    align = min(spreads, key=lambda key: float(spreads[key]) - 0.1 * high * (key == "center")) if spreads else "center"
    air = 0.1 * high
    if align == "left":
        return float(np.median(left)) + air
    if align == "right":
        return float(np.median(right)) - air - width
    return (middle[0] if cell.lines else float(np.median(middle))) - width / 2
