"""Check that a table's structure changed as requested: that row, column or cell, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from vdebench.instructions.folding import confusable, folded
from vdebench.instructions.interpretation import understand
from vdebench.instructions.page_index import Grid, GridCell, PageIndex, is_heading
from vdebench.instructions.structure import StructureRequest, structure_of

Wrong = tuple[str, str]
"""A reason of the filter, and details."""
Lines = list[tuple[str, ...]]
"""Rows from the top, or columns from the left: cell texts with confusable characters unified."""


class TableRequest(NamedTuple):
    """A requested change of a table, with the quoted names and texts."""

    structure: StructureRequest
    named: tuple[str, ...]
    quoted: tuple[str, ...]

    @property
    def is_row(self) -> bool:
        """Whether the request concerns rows; else columns."""
        return self.structure.what == "row"

    @property
    def added(self) -> tuple[str, ...]:
        """Texts that should be added."""
        return tuple(filter(folded, (self.structure.head, *self.structure.cells)))

    @property
    def removed(self) -> str:
        """The name that should be removed."""
        return self.named[0] if self.structure.verb == "delete" and self.named else ""


def table_request(instruction: str) -> TableRequest:
    """Parse what an instruction asks of a table.

    >>> table_request('Delete the row "North" from the table.').removed
    'North'
    """
    meaning = understand(instruction)
    structure = structure_of(instruction, meaning)
    return TableRequest(structure, structure.named or tuple(filter(None, [meaning.target])), meaning.quoted)


def wrong_structure(instruction: str, before: PageIndex, after: PageIndex) -> Wrong | None:
    """Compare the tables before and after an edit with the instruction; return what is wrong, None if nothing."""
    request = table_request(instruction)
    if not request.structure.verb or not request.structure.what or not request.named:
        return "not_decided", "the instruction does not identify the row, column or cells"
    if not before.grids:
        return "target_not_read", "no table is read on the page"
    found = [_line(before, name, request.structure.what) for name in request.named]
    if None in found:
        return (
            "target_not_read",
            f"“{request.named[found.index(None)]}” is not read exactly once as the name of a row or column",
        )
    lines = [line for line in found if line]
    if len(after.grids) != len(before.grids):
        return "more_changed", f"{len(after.grids)} tables are read, {len(before.grids)} before"
    if len({line.table for line in lines}) > 1 or any(line.end - line.start > 1 for line in lines):
        return "not_decided", "the named lines are in two tables, or span several rows or columns"
    one, other = before.grids[lines[0].table], after.grids[lines[0].table]
    wrong = _wrong_table(request, lines, one, other)
    for number, grid in enumerate(before.grids):
        if wrong is None and grid is not one and _lines(grid, True) != _lines(after.grids[number], True):
            return "more_changed", f"table {number + 1} of the page changed too"
    return wrong


class _Line(NamedTuple):
    table: int
    start: int
    end: int


def _line(page: PageIndex, name: str, what: str) -> _Line | None:
    """Return the row or column of a name; for merged cells, the row."""
    cells = page.cells_reading(name)
    if len(cells) > 1:
        cells = [cell for cell in cells if is_heading(cell, page) and (what == "column" or cell.column == 0)]
    if len(cells) != 1:
        return None
    cell = cells[0]
    if what == "column":
        return _Line(cell.table, cell.column, cell.column + cell.colspan)
    return _Line(cell.table, cell.row, cell.row + cell.rowspan)


def _wrong_table(request: TableRequest, named: list[_Line], one: Grid, other: Grid) -> Wrong | None:
    if request.structure.what == "cells":
        return _wrong_merged_cells(request, named[0].start, one, other)
    old, new = _lines(one, request.is_row), _lines(other, request.is_row)
    if (one.height, one.width) == (other.height, other.width):
        return "structure_not_changed", f"{other.height} rows and {other.width} columns, as before"
    first, before = named[0].start, request.structure.before
    match request.structure.verb:
        case "delete":
            return _wrong_deletion(request, first, old, new)
        case "add":
            return _wrong_line(request, first if before else first + 1, old, new, other)
    if not request.added:
        return "not_decided", "the instruction does not quote the merged text"
    merged = sorted({line.start for line in named})
    left = [line for number, line in enumerate(old) if number not in merged]
    return _wrong_line(request, merged[0], left, new, other)


def _wrong_deletion(request: TableRequest, at: int, old: Lines, new: Lines) -> Wrong | None:
    label = _unified(request.removed)
    counts = [sum(line.count(label) for line in lines) for lines in (old, new)]
    if counts[1] >= counts[0]:
        return "target_still_there", f"“{request.removed}” is read {counts[1]} times, {counts[0]} times before"
    return _wrong_others(old[:at] + old[at + 1 :], new)


def _wrong_line(request: TableRequest, at: int, old: Lines, new: Lines, grid: Grid) -> Wrong | None:
    """Check one added line at a position, with all other lines unchanged."""
    if new[:at] + new[at + 1 :] != old:
        elsewhere = any(new[:place] + new[place + 1 :] == old for place in range(len(new)))
        if elsewhere and len(new) == len(old) + 1:
            return "other_place", "the new row or column is at the wrong position"
        return _wrong_others(old, new[:at] + new[at + 1 :])
    read = [cell.text for cell in _cells(grid, request.is_row)[at] if cell and _is_of(cell, request.is_row)]
    read = [text for text in read if folded(text)]
    if [_unified(text) for text in read] != [_unified(text) for text in request.added]:
        return "replacement_not_read", f"it reads {_quoted(read)}, expected {_quoted(request.added)}"
    return None


def _wrong_others(old: Lines, new: Lines) -> Wrong | None:
    if old == new:
        return None
    if len(old) != len(new):
        return "more_changed", f"{len(new)} rows or columns are read, expected {len(old)}"
    number = next(number for number, line in enumerate(old) if line != new[number])
    return "more_changed", f"number {number + 1} of the other rows or columns changed too"


def _wrong_merged_cells(request: TableRequest, row: int, one: Grid, other: Grid) -> Wrong | None:
    """Check the merging of two cells of a row, named by their columns or texts."""
    columns: list[int] = []
    texts = []
    for quoted in request.quoted:
        at = _column_of(quoted, row, one) if len(columns) < 2 else None
        if at is not None and at not in columns:
            columns.append(at)
        elif quoted not in request.named:
            texts.append(quoted)
    if len(columns) < 2 or len(texts) > 1:
        return "not_decided", "the instruction does not identify the two cells or the merged text"
    start, end = sorted(columns)
    cell = other.at(row, start)
    if cell is None or cell.colspan < 2 or cell is not other.at(row, end):
        return "structure_not_changed", "the cells are not merged"
    if (cell.row, cell.column, cell.rowspan, cell.colspan) != (row, start, 1, end - start + 1):
        return "more_changed", "more than these two cells are merged"
    joined = "".join(each.text for column in range(start, end + 1) if (each := one.at(row, column)))
    expected = texts[0] if texts else joined
    if _unified(cell.text) != _unified(expected):
        return "replacement_not_read", f"it reads “{cell.text}”, expected “{expected}”"
    old, new = (_lines(grid, True) for grid in (one, other))
    for lines in (old, new):
        if row < len(lines):
            lines[row] = lines[row][:start] + lines[row][end + 1 :]
    return _wrong_others(old, new)


def _column_of(text: str, row: int, grid: Grid) -> int | None:
    """Return the column that a text names for a cell of a row, by its heading or its own text."""
    text_key = _unified(text)
    heads = {cell.column for cell in grid.cells if cell.row < min(grid.head, row) and _unified(cell.text) == text_key}
    own = {cell.column for cell in grid.cells if cell.row == row and cell.column and _unified(cell.text) == text_key}
    found = heads or own
    return next(iter(found)) if text_key and len(found) == 1 else None


def _cells(grid: Grid, rows: bool) -> list[list[GridCell | None]]:
    outer, inner = (grid.height, grid.width) if rows else (grid.width, grid.height)
    return [[grid.at(one, two) if rows else grid.at(two, one) for two in range(inner)] for one in range(outer)]


def _lines(grid: Grid, rows: bool) -> Lines:
    return [tuple(_unified(cell.text) if cell else "" for cell in line) for line in _cells(grid, rows)]


def _is_of(cell: GridCell, rows: bool) -> bool:
    """Whether a cell belongs to one line only, unlike a heading above several columns."""
    return (cell.rowspan if rows else cell.colspan) == 1


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts) or "nothing"


def _unified(text: str) -> str:
    return confusable(folded(text))
