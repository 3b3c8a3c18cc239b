"""Whether a table became what was asked of its rows, columns or cells: that line or cell, and all others as before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from vdebench.instructions.folding import confusable, folded
from vdebench.instructions.interpretation import understand
from vdebench.instructions.page_index import Grid, GridCell, PageIndex, is_heading
from vdebench.instructions.structure import StructureRequest, structure_of

Wrong = tuple[str, str]
"""A reason of the filter, and what was found."""
Lines = list[tuple[str, ...]]
"""Rows from the top, or columns from the left: what each cell says, in marks that readers do not confuse."""


class TableRequest(NamedTuple):
    """What is asked of a table, and the names and texts that it quotes for it."""

    structure: StructureRequest
    named: tuple[str, ...]
    quoted: tuple[str, ...]

    @property
    def is_row(self) -> bool:
        """Whether lines are rows; else they are columns."""
        return self.structure.what == "row"

    @property
    def come(self) -> tuple[str, ...]:
        """What is to be read that was not there."""
        return tuple(filter(folded, (self.structure.head, *self.structure.cells)))

    @property
    def gone(self) -> str:
        """The name that is not to be read any more."""
        return self.named[0] if self.structure.verb == "delete" and self.named else ""


def asked_of_table(instruction: str) -> TableRequest:
    """What an instruction asks of a table.

    >>> asked_of_table('Delete the row "North" from the table.').gone
    'North'
    """
    meaning = understand(instruction)
    structure = structure_of(instruction, meaning)
    return TableRequest(structure, structure.named or tuple(filter(None, [meaning.target])), meaning.quoted)


def wrong_structure(instruction: str, before: PageIndex, after: PageIndex) -> Wrong | None:
    """What is wrong with the tables that are read after an edit; nothing where all is as asked or as before."""
    asked = asked_of_table(instruction)
    if not asked.structure.verb or not asked.structure.what or not asked.named:
        return "not_decided", "the words do not tell which row, column or cells are meant"
    if not before.grids:
        return "target_not_read", "no table is read on the page"
    found = [_line(before, name, asked.structure.what) for name in asked.named]
    if None in found:
        return "target_not_read", f"“{asked.named[found.index(None)]}” is not read once as the name of a row or column"
    lines = [line for line in found if line]
    if len(after.grids) != len(before.grids):
        return "more_changed", f"{len(after.grids)} tables are read, {len(before.grids)} before"
    if len({line.table for line in lines}) > 1 or any(line.end - line.start > 1 for line in lines):
        return "not_decided", "what is named is in two tables, or spans several rows or columns"
    one, other = before.grids[lines[0].table], after.grids[lines[0].table]
    wrong = _wrong_table(asked, lines, one, other)
    for number, grid in enumerate(before.grids):
        if wrong is None and grid is not one and _lines(grid, True) != _lines(after.grids[number], True):
            return "more_changed", f"table {number + 1} of the page reads differently too"
    return wrong


class _Line(NamedTuple):
    table: int
    start: int
    end: int


def _line(page: PageIndex, name: str, what: str) -> _Line | None:
    """The row or column of a name; the row where cells of it are merged."""
    cells = page.cells_reading(name)
    if len(cells) > 1:
        cells = [cell for cell in cells if is_heading(cell, page) and (what == "column" or cell.column == 0)]
    if len(cells) != 1:
        return None
    cell = cells[0]
    if what == "column":
        return _Line(cell.table, cell.column, cell.column + cell.colspan)
    return _Line(cell.table, cell.row, cell.row + cell.rowspan)


def _wrong_table(asked: TableRequest, named: list[_Line], one: Grid, other: Grid) -> Wrong | None:
    if asked.structure.what == "cells":
        return _wrong_merged_cells(asked, named[0].start, one, other)
    old, new = _lines(one, asked.is_row), _lines(other, asked.is_row)
    if (one.height, one.width) == (other.height, other.width):
        return "structure_not_changed", f"{other.height} rows and {other.width} columns, as before"
    first, before = named[0].start, asked.structure.before
    match asked.structure.verb:
        case "delete":
            return _wrong_deletion(asked, first, old, new)
        case "add":
            return _wrong_line(asked, first if before else first + 1, old, new, other)
    if not asked.come:
        return "not_decided", "the words do not quote what is to come of it"
    merged = sorted({line.start for line in named})
    left = [line for number, line in enumerate(old) if number not in merged]
    return _wrong_line(asked, merged[0], left, new, other)


def _wrong_deletion(asked: TableRequest, at: int, old: Lines, new: Lines) -> Wrong | None:
    label = _told(asked.gone)
    counts = [sum(line.count(label) for line in lines) for lines in (old, new)]
    if counts[1] >= counts[0]:
        return "target_still_there", f"“{asked.gone}” is read {counts[1]} times, {counts[0]} times before"
    return _wrong_others(old[:at] + old[at + 1 :], new)


def _wrong_line(asked: TableRequest, at: int, old: Lines, new: Lines, grid: Grid) -> Wrong | None:
    """What is wrong where one line is to stand at a place, and these are all others."""
    if new[:at] + new[at + 1 :] != old:
        elsewhere = any(new[:place] + new[place + 1 :] == old for place in range(len(new)))
        if elsewhere and len(new) == len(old) + 1:
            return "other_place", "the new row or column does not stand where it was to"
        return _wrong_others(old, new[:at] + new[at + 1 :])
    read = [cell.text for cell in _cells(grid, asked.is_row)[at] if cell and _is_of(cell, asked.is_row)]
    read = [text for text in read if folded(text)]
    if [_told(text) for text in read] != [_told(text) for text in asked.come]:
        return "replacement_not_read", f"it reads {_shown(read)}, expected {_shown(asked.come)}"
    return None


def _wrong_others(old: Lines, new: Lines) -> Wrong | None:
    if old == new:
        return None
    if len(old) != len(new):
        return "more_changed", f"{len(new)} rows or columns are read, expected {len(old)}"
    number = next(number for number, line in enumerate(old) if line != new[number])
    return "more_changed", f"number {number + 1} of the other rows or columns reads differently too"


def _wrong_merged_cells(asked: TableRequest, row: int, one: Grid, other: Grid) -> Wrong | None:
    """What is wrong where two cells of a row, named by their columns or by what they say, are to be one."""
    columns: list[int] = []
    texts = []
    for quoted in asked.quoted:
        at = _column_of(quoted, row, one) if len(columns) < 2 else None
        if at is not None and at not in columns:
            columns.append(at)
        elif quoted not in asked.named:
            texts.append(quoted)
    if len(columns) < 2 or len(texts) > 1:
        return "not_decided", "the words do not tell which two cells are meant, or what is to come of them"
    start, end = sorted(columns)
    cell = other.at(row, start)
    if cell is None or cell.colspan < 2 or cell is not other.at(row, end):
        return "structure_not_changed", "the cells are not read as one"
    if (cell.row, cell.column, cell.rowspan, cell.colspan) != (row, start, 1, end - start + 1):
        return "more_changed", "more cells than these two are read as one"
    joined = "".join(each.text for column in range(start, end + 1) if (each := one.at(row, column)))
    wanted = texts[0] if texts else joined
    if _told(cell.text) != _told(wanted):
        return "replacement_not_read", f"it reads “{cell.text}”, expected “{wanted}”"
    old, new = (_lines(grid, True) for grid in (one, other))
    for lines in (old, new):
        if row < len(lines):
            lines[row] = lines[row][:start] + lines[row][end + 1 :]
    return _wrong_others(old, new)


def _column_of(text: str, row: int, grid: Grid) -> int | None:
    """The column that a text names for a cell of a row: its heading, or what the cell says."""
    told = _told(text)
    heads = {cell.column for cell in grid.cells if cell.row < min(grid.head, row) and _told(cell.text) == told}
    own = {cell.column for cell in grid.cells if cell.row == row and cell.column and _told(cell.text) == told}
    found = heads or own
    return next(iter(found)) if told and len(found) == 1 else None


def _cells(grid: Grid, rows: bool) -> list[list[GridCell | None]]:
    outer, inner = (grid.height, grid.width) if rows else (grid.width, grid.height)
    return [[grid.at(one, two) if rows else grid.at(two, one) for two in range(inner)] for one in range(outer)]


def _lines(grid: Grid, rows: bool) -> Lines:
    return [tuple(_told(cell.text) if cell else "" for cell in line) for line in _cells(grid, rows)]


def _is_of(cell: GridCell, rows: bool) -> bool:
    """Whether a cell is of one line alone, not a heading above several columns."""
    return (cell.rowspan if rows else cell.colspan) == 1


def _shown(texts: Iterable[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts) or "nothing"


def _told(text: str) -> str:
    return confusable(folded(text))
