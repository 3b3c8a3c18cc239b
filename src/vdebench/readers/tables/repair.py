"""Repair of a table structure that a model found, by the places of the text in it.

Without vertical rules the model invents rows and columns that hold no text, and misses cells that span two columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.cells import GridCell, TableStructure, assign_to_cells, structure_of

_SPAN = regex.compile(r'(rowspan|colspan)="?(\d+)')
FilledCell = tuple[GridCell, list[Line]]
"""A cell and the lines in it."""


def repaired(structure: TableStructure, lines: Sequence[Line]) -> TableStructure:
    """Return a structure without empty rows and columns, with cells joined where a text stands between two columns.

    A structure whose cells do not fill a grid is returned as it is.
    """
    placed = grid_cells(structure)
    if not placed or not lines:
        return structure
    cells = list(zip(placed, assign_to_cells(structure.cells, lines), strict=True))
    cells = _without_empty_rows(cells)
    cells = [(_transposed(cell), own) for cell, own in _without_empty_rows([(_transposed(c), own) for c, own in cells])]
    return structure_of([cell for cell, _ in _with_spanning_cells(cells)])


def grid_cells(structure: TableStructure) -> list[GridCell]:
    """Return the cells of a structure with their positions; [] if they do not fill a grid.

    >>> structure = TableStructure(["<tr>", "<td", ' colspan="2"', ">", "</td>", "</tr>"], [Box(0, 0, 9, 9)])
    >>> [cell[:4] for cell in grid_cells(structure)]
    [(0, 0, 1, 2)]
    """
    cells: list[GridCell] = []
    taken: set[tuple[int, int]] = set()
    boxes, row, spans = iter(structure.cells), -1, dict[str, int]()
    for tag in structure.tags:
        if tag == "<tr>":
            row += 1
        elif (span := _SPAN.search(tag)) is not None:
            spans[span[1]] = max(1, int(span[2]))
        elif tag in ("<td></td>", "</td>"):
            column = next(place for place in range(len(taken) + 1) if (row, place) not in taken)
            box = next(boxes, None)
            if box is None:  # the model's tags are broken
                return []
            cell = GridCell(row, column, spans.get("rowspan", 1), spans.get("colspan", 1), box)
            places = _places(cell)
            if places & taken:
                return []
            taken |= places
            cells.append(cell)
            spans = {}
    rows, columns = (1 + max((place[axis] for place in taken), default=-1) for axis in (0, 1))
    return cells if len(taken) == rows * columns and len(cells) == len(structure.cells) else []


def _places(cell: GridCell) -> set[tuple[int, int]]:
    rows, columns = range(cell.row, cell.row + cell.rowspan), range(cell.column, cell.column + cell.colspan)
    return {(row, column) for row in rows for column in columns}


def _transposed(cell: GridCell) -> GridCell:
    return GridCell(cell.column, cell.row, cell.colspan, cell.rowspan, cell.box)


def _without_empty_rows(cells: list[FilledCell]) -> list[FilledCell]:
    """Remove the rows in which no cell with text starts; cells that span them become lower."""
    for row in reversed(range(max(cell.row + cell.rowspan for cell, _ in cells))):
        if not any(lines for cell, lines in cells if cell.row == row):
            shrunk = [(_without_row(cell, row), lines) for cell, lines in cells]
            cells = [(cell, lines) for cell, lines in shrunk if cell is not None]
    return cells


def _without_row(cell: GridCell, row: int) -> GridCell | None:
    if cell.row > row:
        return cell._replace(row=cell.row - 1)
    if cell.row + cell.rowspan > row:
        return cell._replace(rowspan=cell.rowspan - 1) if cell.rowspan > 1 else None
    return cell


def _with_spanning_cells(cells: list[FilledCell]) -> list[FilledCell]:
    """Join a cell with the empty cell at its right or left if its text stands between the texts of both columns."""
    joined = list(cells)
    for cell, lines in cells:
        for empty, _ in [each for each in cells if not each[1] and _are_beside(cell, each[0])]:
            left, right = sorted([cell, empty], key=lambda each: each.column)
            if lines and (empty, []) in joined and _stands_between(lines, left.column, right.column, cells):
                wide = left._replace(colspan=2, box=Box.around([left.box, right.box]))
                joined = [each for each in joined if each[0] not in (cell, empty)] + [(wide, lines)]
                break
    return joined


def _are_beside(cell: GridCell, other: GridCell) -> bool:
    single = cell.rowspan == other.rowspan == cell.colspan == other.colspan == 1
    return single and cell.row == other.row and abs(cell.column - other.column) == 1


def _stands_between(lines: Sequence[Line], left: int, right: int, cells: Sequence[FilledCell]) -> bool:
    """Whether the middle of lines lies right of all other texts of one column and left of those of the next."""
    box = Box.around(line.box for line in lines)
    center = (box.x1 + box.x2) / 2
    ends = [_column_texts(column, cells, lines) for column in (left, right)]
    return all(ends) and max(each.x2 for each in ends[0]) < center < min(each.x1 for each in ends[1])


def _column_texts(column: int, cells: Sequence[FilledCell], without: Sequence[Line]) -> list[Box]:
    return [
        line.box
        for cell, lines in cells
        for line in lines
        if (cell.column, cell.colspan) == (column, 1) and line not in without
    ]
