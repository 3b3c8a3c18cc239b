"""Edits of tables: values in cells, and rows, columns and merged cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from vdebench.instructions.phrasing import phrasings
from vdebench.suites.typeset.document import DocumentCell, Table
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.language_rules import tongue_of
from vdebench.suites.typeset.propose import DocumentView, Proposal, Reference


class ValueCell(NamedTuple):
    """A value's cell with the names of its row and column."""

    table: Table
    cell: DocumentCell
    row: str
    column: str


def replace_value(page: DocumentView) -> Proposal | None:
    """Another value in a cell."""
    for spot in _spots(page):
        new = _value(page, spot.table, spot.cell.column, spot.cell.text)
        if spot.cell.text and new != spot.cell.text:
            return _set(spot, "set_cell", new, {"new": new})
    return None


def insert_value(page: DocumentView) -> Proposal | None:
    """A value in an empty cell, or something behind a value."""
    spots = list(_spots(page))
    for spot in spots:
        if not spot.cell.text:
            new = _value(page, spot.table, spot.cell.column)
            return _set(spot, "fill_cell", new, {"new": new})
    for spot in spots:
        asides = [aside for aside in phrasings(_tongue(spot.table))["asides"]["number"] if "{" not in aside]
        added = page.rng.choice(asides)
        gap = " " if added.isascii() else ""
        return _set(spot, "append_cell", spot.cell.text + gap + added, {"added": added})
    return None


def delete_value(page: DocumentView) -> Proposal | None:
    """A cell left empty."""
    for spot in _spots(page):
        if spot.cell.text:
            return _set(spot, "clear_cell", "", {})
    return None


def change_structure(page: DocumentView) -> Proposal | None:
    """A row or column more or less, or some merged."""
    kinds = [_add_row, _add_column, _delete_row, _delete_column, _merge_cells, _merge_rows, _merge_columns]
    for kind in page.rng.sample(kinds, len(kinds)):
        for table in page.tables:
            found = kind(page, table)
            if found is not None:
                return found
    return None


def _spots(page: DocumentView) -> Iterator[ValueCell]:
    """Cells of values whose row and column can be named, in a random order."""
    for table in page.tables:
        cells = [cell for cell in table.cells if cell.row >= table.head and cell.column >= _left(table)]
        for cell in page.rng.sample(cells, len(cells)):
            yield ValueCell(table, cell, _row_name(table, cell.row), _column_name(table, cell.column))


def _set(spot: ValueCell, phrasing: str, new: str, words: dict[str, str]) -> Proposal:
    table, cell = spot.table, spot.cell
    edit = DocumentEdit("set_cell", table.id, {"row": cell.row, "column": cell.column, "new": new})
    return Proposal(
        edit,
        phrasing,
        {"row": spot.row, "column": spot.column, **words},
        {},
        (Reference(spot.row, "cell"), Reference(spot.column, "cell")),
    )


def _add_row(page: DocumentView, table: Table) -> Proposal | None:
    places = [row for row in range(table.head, table.height) if _fits_below(table, row)]
    if not places or not table.spare_rows:
        return None
    row = page.rng.choice(places)
    texts = [page.rng.choice(table.spare_rows), *(_value(page, table, column) for column in _value_columns(table))]
    edit = DocumentEdit("add_row", table.id, {"row": row + 1, "texts": texts})
    return _of_row(table, row, edit, "add_row", {"cells": texts})


def _fits_below(table: Table, row: int) -> bool:
    """Whether a new row below this one belongs to the same group of rows."""
    group = table.at(row, 0)
    return _left(table) == 1 or group.row + group.rowspan > row + 1


def _add_column(page: DocumentView, table: Table) -> Proposal | None:
    last = len(table.widths) - 1
    places = [column for column in _value_columns(table) if table.head == 1 or _same_group(table, column, column + 1)]
    if not places or not table.spare_columns or last > 6:
        return None
    column = page.rng.choice(places)
    head, kind = page.rng.choice(table.spare_columns)
    name, _, argument = kind.partition(":")
    count = table.height - table.head
    texts = [head, *(page.writer.value(name, argument, _tongue(table)) for _ in range(count))]
    edit = DocumentEdit("add_column", table.id, {"column": column + 1, "texts": texts})
    return _of_column(table, column, edit, "add_column", {"head": head, "cells": texts[1:]})


def _delete_row(page: DocumentView, table: Table) -> Proposal | None:
    places = [row for row in range(table.head, table.height) if _left(table) == 1 or table.at(row, 0).rowspan > 1]
    if table.height - table.head < 3 or not places:
        return None
    row = page.rng.choice(places)
    return _of_row(table, row, DocumentEdit("delete_row", table.id, {"row": row}), "delete_row", {})


def _delete_column(page: DocumentView, table: Table) -> Proposal | None:
    places = [column for column in _value_columns(table) if table.head == 1 or table.at(0, column).colspan > 1]
    if len(_value_columns(table)) < 3 or not places:
        return None
    column = page.rng.choice(places)
    edit = DocumentEdit("delete_column", table.id, {"column": column})
    return _of_column(table, column, edit, "delete_column", {})


def _merge_cells(page: DocumentView, table: Table) -> Proposal | None:
    places = [
        (row, column)
        for row in range(table.head, table.height)
        for column in _value_columns(table)[:-1]
        if table.at(row, column).text and table.at(row, column + 1).text
    ]
    if not places:
        return None
    row, column = page.rng.choice(places)
    new = f"{table.at(row, column).text} / {table.at(row, column + 1).text}"
    given = {"row": row, "column": column, "rowspan": 1, "colspan": 2, "new": new}
    names = {"column": _column_name(table, column), "other": _column_name(table, column + 1), "new": new}
    found = _of_row(table, row, DocumentEdit("merge_cells", table.id, given), "merge_cells", names)
    return _also(found, Reference(names["column"], "cell"), Reference(names["other"], "cell"))


def _merge_rows(page: DocumentView, table: Table) -> Proposal | None:
    places = [
        row
        for row in range(table.head, table.height - 1)
        if _left(table) == 1 or table.at(row, 0) == table.at(row + 1, 0)
    ]
    if table.height - table.head < 3 or not places:
        return None
    row = page.rng.choice(places)
    upper = [cell for cell in table.ordered if cell.row == row and cell.column >= _left(table) - 1]
    joined = [_joined(cell.text, table.at(row + 1, cell.column).text) for cell in upper]
    if not all(joined):
        return None
    kept = [cell.text for cell in table.ordered if cell.row == row and cell.column < _left(table) - 1]
    edit = DocumentEdit("merge_rows", table.id, {"row": row, "texts": kept + joined})
    other = _row_name(table, row + 1)
    found = _of_row(table, row, edit, "merge_rows", {"other": other, "cells": joined})
    return _also(found, Reference(other, "cell"))


def _merge_columns(page: DocumentView, table: Table) -> Proposal | None:
    columns = _value_columns(table)
    places = [column for column in columns[:-1] if table.head == 1 or _same_group(table, column, column + 1)]
    if len(columns) < 3 or not places:
        return None
    column = page.rng.choice(places)
    rows = range(table.head - 1, table.height)
    texts = [_joined(table.at(row, column).text, table.at(row, column + 1).text) for row in rows]
    if not all(texts):
        return None
    edit = DocumentEdit("merge_columns", table.id, {"column": column, "texts": texts})
    other = _column_name(table, column + 1)
    words: dict[str, str | list[str]] = {"other": other, "head": texts[0], "cells": texts[1:]}
    return _also(_of_column(table, column, edit, "merge_columns", words), Reference(other, "cell"))


def _of_row(
    table: Table, row: int, edit: DocumentEdit, phrasing: str, words: Mapping[str, str | list[str]]
) -> Proposal:
    name = _row_name(table, row)
    references = (Reference(name, "cell"),)
    return Proposal(edit, phrasing, {"row": name, **words}, {}, references)


def _of_column(
    table: Table, column: int, edit: DocumentEdit, phrasing: str, words: Mapping[str, str | list[str]]
) -> Proposal:
    name = _column_name(table, column)
    references = (Reference(name, "cell"),)
    return Proposal(edit, phrasing, {"column": name, **words}, {}, references)


def _also(proposal: Proposal, *references: Reference) -> Proposal:
    return replace(proposal, references=(*proposal.references, *references))


def _left(table: Table) -> int:
    """Number of columns with labels."""
    return sum(not kind for kind in table.values)


def _value_columns(table: Table) -> range:
    return range(_left(table), len(table.widths))


def _same_group(table: Table, column: int, other: int) -> bool:
    return other < len(table.widths) and table.at(0, column) == table.at(0, other)


def _row_name(table: Table, row: int) -> str:
    return table.at(row, _left(table) - 1).text


def _column_name(table: Table, column: int) -> str:
    return table.at(table.head - 1, column).text


def _tongue(table: Table) -> str:
    return tongue_of("".join(cell.text for cell in table.cells if cell.row < table.head)).code


def _value(page: DocumentView, table: Table, column: int, old: str = "") -> str:
    name, _, argument = table.values[column].partition(":")
    return page.writer.value(name, argument, _tongue(table), taken=[old])


def _joined(one: str, other: str) -> str:
    return " / ".join(text for text in (one, other) if text)
