"""Structure of a table from its rules: rows, columns and spans where rules surround every cell.

A complete grid states the structure exactly, so no model is needed. Horizontal rules give the rows; in each row, rules
that reach from its top to its bottom give the columns; where a rule is missing between two cells, they are one cell. A
dark table head hides its rules: see `hidden_head`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.readers.layout.grouping import center_inside, in_rows
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.cells import GridCell, TableStructure, fills_grid, structure_of
from vdebench.readers.tables.hidden_head import head_cells
from vdebench.readers.tables.ink_gaps import split_at_gaps
from vdebench.readers.tables.ruled_lines import rule_contrast


class GridLimits(NamedTuple):
    """Limits for reading a grid; lengths are in line heights of the page."""

    contrast: int = 20
    """Smallest difference in grey levels between a rule and its surroundings."""
    faint: float = 0.4
    """Smallest contrast of a rule, as a share of the strongest one in the table: ruled paper is fainter."""
    covered: float = 0.85
    """Smallest share of a cell's side that a rule covers."""
    apart: float = 0.35
    """Smallest distance between two parallel rules."""
    row: float = 0.7
    """Smallest height of a row."""
    middle: float = 0.4
    """Largest distance of a head's centre from the centre of the columns that it spans."""


GRID_LIMITS = GridLimits()
_EDGE = 3
"""Distance in pixels from the middle of a rule beyond which its cell starts."""


def grid_structure(
    image: Image,
    box: Box,
    across: Sequence[Box],
    lines: Sequence[Line],
    height: float,
    limits: GridLimits = GRID_LIMITS,
) -> TableStructure | None:
    """Return the structure of the table in a box of a page; None unless its rules form a complete grid.

    `across` are the horizontal rules of the page, `lines` the text lines of the table.
    """
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.int16)
    rules = _table_rules(grey, box, across, height)
    contrast = max(limits.contrast, limits.faint * max((strength for _, strength in rules), default=0.0))
    inner = [(rule.y1 + rule.y2) / 2 for rule, strength in rules if strength >= contrast]
    ys = _cluster([box.y1 + 2, *inner, box.y2 - 2], limits.apart * height)
    lines = [line for line in lines if center_inside(line.box, box)]
    ys = ys[: 1 + max((int(np.searchsorted(ys, (line.box.y1 + line.box.y2) / 2)) for line in lines), default=0)]
    grid = _Grid.of(grey, box, ys, height, contrast, limits)
    if grid is None:
        return None
    if _hidden_head(grid, lines):
        head = _hidden_head_cells(grey, grid, lines, height, limits)
        more = max(cell.row + cell.rowspan for cell in head) - 1
        body = grid.cells(1)
        cells = [*head, *(cell._replace(row=cell.row + more) for cell in body)] if body else []
    else:
        cells = grid.cells(0)
    if not fills_grid(cells) or _has_unruled_rows(cells, lines):
        return None
    return structure_of(cells)


def _table_rules(grey: NDArray[np.int16], box: Box, across: Sequence[Box], height: float) -> list[tuple[Box, float]]:
    """Return the horizontal rules in a box, and the contrast of each with its surroundings."""
    inside = [
        Box(max(rule.x1, box.x1), rule.y1, min(rule.x2, box.x2), rule.y2)
        for rule in across
        if box.y1 - height / 2 < rule.y1 and rule.y2 < box.y2 + height / 2 and rule.x1 < box.x2 and rule.x2 > box.x1
    ]
    return [(rule, rule_contrast(grey, rule)) for rule in inside]


def _cluster(positions: Sequence[float], apart: float) -> list[float]:
    """Return the means of positions that lie closer together than `apart`."""
    clusters: list[list[float]] = []
    for position in sorted(positions):
        if clusters and position - clusters[-1][-1] < apart:
            clusters[-1].append(position)
        else:
            clusters.append([position])
    return [sum(cluster) / len(cluster) for cluster in clusters]


class _Grid:
    """Boundaries of rows and columns, and which sides of the elementary cells have a rule."""

    def __init__(self, xs: list[float], ys: list[float], beside: NDArray[np.bool_], below: NDArray[np.bool_]) -> None:
        self.xs, self.ys = xs, ys
        self.beside, self.below = beside, below
        """Whether a rule is at the right of a cell, and below it; shape rows × columns."""

    @classmethod
    def of(
        cls, grey: NDArray[np.int16], box: Box, ys: list[float], height: float, contrast: float, limits: GridLimits
    ) -> _Grid | None:
        """Find the columns between horizontal rules; None if the rules enclose no grid of at least 2 × 2 cells."""
        if len(ys) < 3 or min(y2 - y1 for y1, y2 in pairwise(ys)) < limits.row * height:
            return None
        left, right = max(0, round(box.x1 - _EDGE)), min(grey.shape[1], round(box.x2 + _EDGE))
        upright = np.greater(_edges(grey.T).T, contrast)
        upright = cv2.dilate(upright.astype(np.uint8), np.ones((1, 3), np.uint8)).astype(bool)
        bands = [upright[round(y1) + _EDGE : round(y2) - _EDGE, left:right] for y1, y2 in pairwise(ys)]
        shares = np.array([band.mean(0) if band.size else np.zeros(right - left) for band in bands])
        found = (shares >= limits.covered).any(0)
        xs = _cluster(
            [box.x1 + 2, *(left + float(x) for x in np.flatnonzero(found)), box.x2 - 2], limits.apart * height
        )
        reach = int(limits.apart * height)
        beside = np.array(
            [
                [
                    share[max(0, round(x) - left - reach) : round(x) - left + reach + 1].max() >= limits.covered
                    for x in xs[1:]
                ]
                for share in shares
            ]
        )
        flat = np.greater(_edges(grey), contrast)
        below = np.array([[_is_ruled(flat, x1, x2, y, reach, limits) for x1, x2 in pairwise(xs)] for y in ys[1:]])
        if len(xs) < 3 or 2 * beside.sum(0).min() < len(bands) - 1:  # strokes of large letters
            return None
        return cls(xs, ys, beside, below)

    @property
    def head(self) -> Box:
        """Box of the first row."""
        return self.box(0, 0, 1, len(self.xs) - 1)

    def box(self, row: int, column: int, rowspan: int = 1, colspan: int = 1) -> Box:
        """Box of a range of elementary cells."""
        return Box(self.xs[column], self.ys[row], self.xs[column + colspan], self.ys[row + rowspan])

    def cells(self, first: int) -> list[GridCell]:
        """Return the cells from a row on: elementary cells, joined where no rule separates them; [] if a joined cell
        has a rule inside.
        """
        cells = []
        taken: set[tuple[int, int]] = set()
        rows, columns = self.beside.shape
        for row in range(first, rows):
            for column in range(columns):
                if (row, column) in taken:
                    continue
                colspan = rowspan = 1
                while column + colspan < columns and not self.beside[row, column + colspan - 1]:
                    colspan += 1
                while row + rowspan < rows and not self.below[row + rowspan - 1, column]:
                    rowspan += 1
                rows_in, columns_in = slice(row, row + rowspan), slice(column, column + colspan)
                if self.beside[rows_in, columns_in][:, :-1].any() or self.below[rows_in, columns_in][:-1].any():
                    return []
                taken |= {(row + down, column + right) for down in range(rowspan) for right in range(colspan)}
                cells.append(GridCell(row, column, rowspan, colspan, self.box(row, column, rowspan, colspan)))
        return cells


def _edges(grey: NDArray[np.int16]) -> NDArray[np.int16]:
    """Difference of the grey levels above and below each pixel."""
    edges = np.zeros_like(grey)
    edges[1:-1] = np.abs(grey[2:] - grey[:-2])
    return edges


def _is_ruled(flat: NDArray[np.bool_], x1: float, x2: float, y: float, reach: int, limits: GridLimits) -> bool:
    """Whether a horizontal rule near a position covers the width between two others."""
    part = flat[max(0, round(y) - reach) : round(y) + reach + 1, round(x1) + _EDGE : round(x2) - _EDGE]
    if not part.size:
        return False
    near = cv2.dilate(part.astype(np.uint8), np.ones((3, 1), np.uint8))
    return bool(near.mean(1).max() >= limits.covered)


def _has_unruled_rows(cells: Sequence[GridCell], lines: Sequence[Line]) -> bool:
    """Whether a row of the grid holds equally many rows of text in most cells: rows without rules between them."""
    for row in {cell.row for cell in cells}:
        counts = [
            len(in_rows([line for line in lines if center_inside(line.box, cell.box)]))
            for cell in cells
            if cell.row == row and cell.rowspan == 1
        ]
        most = max(counts, default=0)
        if most > 2 and counts.count(most) > 1 and 2 * counts.count(most) >= sum(count > 0 for count in counts):
            return True
    return False


def _hidden_head(grid: _Grid, lines: Sequence[Line]) -> bool:
    """Whether the first row has no rules between its columns, but texts side by side."""
    inside = [line for line in lines if center_inside(line.box, grid.head)]
    beside = any(len(row) > 1 for row in in_rows(inside))
    return not grid.beside[0, :-1].any() and bool(grid.beside[1:, :-1].any()) and beside


def _hidden_head_cells(
    grey: NDArray[np.int16], grid: _Grid, lines: Sequence[Line], height: float, limits: GridLimits
) -> list[GridCell]:
    boxes = [line.box for line in lines if center_inside(line.box, grid.head)]
    # Heads of two columns that the engine read as one line have a wide gap between them.
    boxes = [piece for box in boxes for piece in split_at_gaps(grey, box, grid.xs, limits.apart * height)]
    return head_cells(boxes, grid.head, grid.xs, limits.middle * height)
