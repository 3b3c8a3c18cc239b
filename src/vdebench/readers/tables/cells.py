"""Cells of a table: positions, spans, boxes, HTML tags, and the lines that belong to each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vdebench.core.box import Box
from vdebench.readers.lines.line import Line


class TableStructure(NamedTuple):
    """HTML tags of a table and the boxes of its cells, in the order of the tags."""

    tags: list[str]
    cells: list[Box]


class GridCell(NamedTuple):
    """A cell with its position in the grid, its spans and its box."""

    row: int
    column: int
    rowspan: int
    colspan: int
    box: Box


def structure_of(cells: Sequence[GridCell]) -> TableStructure:
    """Return the tags of cells that fill a grid.

    >>> cell = GridCell(0, 0, 1, 2, Box(0, 0, 9, 9))
    >>> "".join(structure_of([cell, cell._replace(row=1, colspan=1), cell._replace(row=1, column=1, colspan=1)]).tags)
    '<tr><td colspan="2"></td></tr><tr><td></td><td></td></tr>'
    """
    structure = TableStructure([], [])
    for row in range(max(cell.row + cell.rowspan for cell in cells)):
        structure.tags.append("<tr>")
        for cell in sorted((cell for cell in cells if cell.row == row), key=lambda cell: cell.column):
            spans = [f' {name}="{getattr(cell, name)}"' for name in ("rowspan", "colspan") if getattr(cell, name) > 1]
            structure.tags.extend(["<td", *spans, ">", "</td>"] if spans else ["<td></td>"])
            structure.cells.append(cell.box)
        structure.tags.append("</tr>")
    return structure


def fills_grid(cells: Sequence[GridCell]) -> bool:
    """Whether cells cover a rectangle of at least 2 × 2 places without overlap."""
    places = [
        (cell.row + down, cell.column + right)
        for cell in cells
        for down in range(cell.rowspan)
        for right in range(cell.colspan)
    ]
    rows, columns = (1 + max((place[axis] for place in places), default=-1) for axis in (0, 1))
    return len(places) == len(set(places)) == rows * columns and rows > 1 and columns > 1


def assign_to_cells(cells: Sequence[Box], lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of each cell: a line belongs to the cell with the largest IoU, else to the nearest."""
    cell_lines: list[list[Line]] = [[] for _ in cells]
    for line in lines if cells else ():
        cell_lines[max(range(len(cells)), key=lambda index: _cell_distance(cells[index], line.box))].append(line)
    return cell_lines


def _cell_distance(cell: Box, line: Box) -> tuple[float, float]:
    return cell.iou(line), -sum(abs(one - other) for one, other in zip(cell, line, strict=True))
