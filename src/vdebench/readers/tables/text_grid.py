"""Structure of a table without vertical rules, from the places of its texts.

Below the head, texts of one column stand above each other and leave a gutter to the next column; texts of one row share
a baseline. Labels in the first column may span several rows, and stand in their middle. The head is read by
`hidden_head`, which needs the boundaries of the columns: a column whose texts are centred reaches as far to the left of
its middle as to the right, so boundaries follow from the table's right side on.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from vdebench.core.box import Box
from vdebench.readers.layout.grouping import center_inside
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.cells import GridCell, TableStructure, fills_grid, structure_of
from vdebench.readers.tables.hidden_head import head_cells
from vdebench.readers.tables.ink_gaps import split_at_gaps


class TextGridLimits(NamedTuple):
    """Limits, in line heights unless stated otherwise."""

    wide: float = 0.9
    """Smallest length of a rule below a head, as a share of the table's width."""
    gutter: float = 0.3
    """Smallest width of a gutter between two columns."""
    padding: float = 0.15
    """Padding of the engine's boxes at each side."""
    row: float = 0.65
    """Smallest distance of two rows; the lines of a wrapped text are nearer to the middle of their row."""
    middle: float = 0.4
    """Largest distance of a text from the middle of the rows or columns that it spans."""
    filled: float = 0.6
    """Smallest share of cells with text below the head."""


TEXT_GRID_LIMITS = TextGridLimits()


def text_grid(
    grey: Any,
    box: Box,
    across: Sequence[Box],
    lines: Sequence[Line],
    height: float,
    limits: TextGridLimits = TEXT_GRID_LIMITS,
) -> TableStructure | None:
    """Return the structure of a table in a box of a page; None if its texts are not clearly in rows and columns."""
    lines = [line for line in lines if center_inside(line.box, box)]
    split = _below_head(box, across, lines, height, limits)
    if split is None:
        return None
    texts = [line.box for line in lines if _middle(line.box) > split]
    columns = _columns(texts, box, height, limits)
    if len(columns) < 2:
        return None
    rows = _rows(texts, columns, height, limits)
    if len(rows) < 2:
        return None
    xs = _boundaries(texts, columns, box, height, limits)
    ys = [split, *((upper + lower) / 2 for upper, lower in pairwise(rows)), box.y2]
    body = _body_cells(texts, columns, rows, xs, ys, height, limits)
    if body is None:
        return None
    heads = [line.box for line in lines if _middle(line.box) < split]
    heads = [piece for head in heads for piece in split_at_gaps(grey, head, xs[1:-1], limits.gutter * height)]
    head = head_cells(heads, box._replace(y2=split), xs, limits.middle * height)
    below = max(cell.row + cell.rowspan for cell in head)
    if below == 1 and any(
        box.y1 + height / 2 < _middle(rule) < split - height / 2 and _length(rule, box) > 0 for rule in across
    ):
        return None  # a rule between two rows of heads
    cells = [*head, *(cell._replace(row=cell.row + below) for cell in body)]
    return structure_of(cells) if fills_grid(cells) else None


def _below_head(
    box: Box, across: Sequence[Box], lines: Sequence[Line], height: float, limits: TextGridLimits
) -> float | None:
    """Return the position of the first rule over the full width below a text; None if there is no text below it."""
    width = limits.wide * (box.x2 - box.x1)
    inside = sorted((rule.y1 + rule.y2) / 2 for rule in across if _length(rule, box) > width)
    for y in inside:
        if box.y1 + height / 2 < y < box.y2 - height and any(_middle(line.box) < y for line in lines):
            return y
    return None


def _length(rule: Box, box: Box) -> float:
    return min(rule.x2, box.x2) - max(rule.x1, box.x1)


def _columns(texts: Sequence[Box], box: Box, height: float, limits: TextGridLimits) -> list[tuple[float, float]]:
    """Return left and right of each column: ranges of text between gutters that hardly any text crosses."""
    left = round(box.x1)
    covering = np.zeros(round(box.x2) - left + 1, int)
    padding = limits.padding * height
    for text in texts:
        covering[max(0, round(text.x1 + padding) - left) : max(0, round(text.x2 - padding) - left)] += 1
    inked = np.flatnonzero(covering > 1)  # a single text may span two columns
    if not len(inked):
        return []
    breaks = np.flatnonzero(np.diff(inked) > limits.gutter * height)
    starts, ends = [inked[0], *inked[breaks + 1]], [*inked[breaks], inked[-1]]
    return [(float(left + start), float(left + end)) for start, end in zip(starts, ends, strict=True)]


def _column_of(text: Box, columns: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Return the column of a text, or two columns if its middle lies between them."""
    center = (text.x1 + text.x2) / 2
    for index, (start, _) in enumerate(columns):
        if abs(text.x1 - start) < 0.5 * (text.y2 - text.y1):  # at the left of its column
            return (index,)
    for index, (start, end) in enumerate(columns):
        if center < start:
            return (max(0, index - 1), index) if index else (0,)
        if center <= end:
            return (index,)
    return (len(columns) - 1,)


def _rows(
    texts: Sequence[Box], columns: Sequence[tuple[float, float]], height: float, limits: TextGridLimits
) -> list[float]:
    """Return the vertical middle of each row.

    The position that most columns share comes first; others that are nearer to it than a row are lines of wrapped
    texts. Labels of the first column count last: they may stand between the rows that they span.
    """
    others = [text for text in texts if _column_of(text, columns) != (0,)]
    rows: list[float] = []
    support = {
        text: len({_column_of(other, columns) for other in others if abs(_middle(other) - _middle(text)) < height / 4})
        for text in others
    }
    for text in sorted(others, key=lambda text: (-support[text], text.y1)):
        if all(abs(_middle(text) - row) > limits.row * height for row in rows):
            rows.append(_middle(text))
    rows.sort()
    pitch = min((lower - upper for upper, lower in pairwise(rows)), default=0.0)
    for label in (text for text in texts if text not in others):  # rows without values
        near = min((abs(_middle(label) - row) for row in rows), default=0.0)
        if near > 0.8 * pitch > 0:
            rows.append(_middle(label))
    return sorted(rows)


def _boundaries(
    texts: Sequence[Box], columns: Sequence[tuple[float, float]], box: Box, height: float, limits: TextGridLimits
) -> list[float]:
    """Return the boundaries of columns from their centred texts, or the middle of the gutter where they are not."""
    xs = [box.x2]
    for index in reversed(range(1, len(columns))):
        own = [(text.x1 + text.x2) / 2 for text in texts if _column_of(text, columns) == (index,)]
        mirrored = 2 * float(np.median(own)) - xs[-1] if own else -np.inf
        start, end = columns[index - 1][1], columns[index][0]
        fits = start - limits.middle * height < mirrored < end + limits.middle * height
        xs.append(mirrored if fits else (start + end) / 2)
    return [box.x1, *reversed(xs)]


def _body_cells(
    texts: Sequence[Box],
    columns: Sequence[tuple[float, float]],
    rows: Sequence[float],
    xs: Sequence[float],
    ys: Sequence[float],
    height: float,
    limits: TextGridLimits,
) -> list[GridCell] | None:
    """Return the cells below the head; None if too few have text."""
    if not _rows_fit(texts, columns, rows, height):
        return None
    spans = _row_spans([text for text in texts if _column_of(text, columns) == (0,)], rows, height, limits)
    taken = {(row, 0) for row in range(len(rows))} if spans else set()
    cells = [GridCell(row, 0, count, 1, Box(xs[0], ys[row], xs[1], ys[row + count])) for row, count in (spans or [])]
    filled: set[tuple[int, int]] = set(taken)
    for text in texts:
        place = _column_of(text, columns)
        if spans and 0 in place:
            continue
        row = int(np.argmin([abs(_middle(text) - each) for each in rows]))
        filled |= {(row, column) for column in place}
        if len(place) == 2 and (row, place[0]) not in taken and (row, place[1]) not in taken:
            taken |= {(row, column) for column in place}
            cells.append(GridCell(row, place[0], 1, 2, Box(xs[place[0]], ys[row], xs[place[1] + 1], ys[row + 1])))
    every = [(row, column) for row in range(len(rows)) for column in range(len(columns))]
    if len(filled) < limits.filled * len(every):
        return None
    single = [place for place in every if place not in taken]
    return cells + [GridCell(r, c, 1, 1, Box(xs[c], ys[r], xs[c + 1], ys[r + 1])) for r, c in single]


def _rows_fit(
    texts: Sequence[Box], columns: Sequence[tuple[float, float]], rows: Sequence[float], height: float
) -> bool:
    """Whether the texts of every cell, wrapped or not, stand in the middle of their row, and no row has a single text.

    Labels of the first column may stand between rows, or alone.
    """
    cells: dict[tuple[int, tuple[int, ...]], list[Box]] = {}
    for text in texts:
        place = int(np.argmin([abs(_middle(text) - row) for row in rows])), _column_of(text, columns)
        cells.setdefault(place, []).append(text)
    middles = {place: _middle(Box.around(own)) for place, own in cells.items()}
    fit = {place for place, middle in middles.items() if abs(middle - rows[place[0]]) < 0.3 * height}
    alone = [row for row in range(len(rows)) if [place for place in fit if place[0] == row and place[1] != (0,)]]
    supported = all(len([place for place in fit if place[0] == row]) > 1 for row in alone)
    return supported and all(place in fit or place[1] == (0,) for place in middles)


def _row_spans(
    texts: Sequence[Box], rows: Sequence[float], height: float, limits: TextGridLimits
) -> list[tuple[int, int]] | None:
    """Return first row and number of rows of each label, so that each stands in the middle of its rows; None if every
    row has its own label, or they cannot be divided.
    """
    labels = sorted(texts, key=_middle)
    if all(any(abs(_middle(label) - row) < height / 4 for label in labels) for row in rows):
        return None
    wrapped: list[Box] = []
    for text in labels:
        if wrapped and text.y1 - wrapped[-1].y2 < 0.1 * height:
            wrapped[-1] = Box.around([wrapped[-1], text])
        else:
            wrapped.append(text)
    for each in (labels, wrapped):
        if 1 < len(each) < len(rows) and (spans := _divided(each, rows, 0, limits.middle * height)):
            return spans
    return None


def _divided(labels: Sequence[Box], rows: Sequence[float], first: int, far: float) -> list[tuple[int, int]] | None:
    if not labels:
        return [] if first == len(rows) else None
    for count in range(1, len(rows) - first + 1):
        if abs((rows[first] + rows[first + count - 1]) / 2 - _middle(labels[0])) < far:
            rest = _divided(labels[1:], rows, first + count, far)
            if rest is not None:
                return [(first, count), *rest]
    return None


def _middle(box: Box) -> float:
    return (box.y1 + box.y2) / 2
