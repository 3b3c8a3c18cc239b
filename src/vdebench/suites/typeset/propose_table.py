"""Proposals for tables: values of cells; rows, columns and merged cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from vdebench.instructions.phrasing import phrasings
from vdebench.suites.typeset.document import DocumentCell, Table
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.language_rules import LanguageRules
from vdebench.suites.typeset.propose import DocumentView, Proposal, Reference


class ValueCell(NamedTuple):
    """A value cell with the names of its row and column."""

    table: Table
    cell: DocumentCell
    row: str
    column: str


def replace_value(page: DocumentView) -> Proposal | None:
    """Replace the value of a cell."""
    for value_cell in _value_cells(page):
        new = _value(page, value_cell.table, value_cell.cell.column, value_cell.cell.text)
        if value_cell.cell.text and new != value_cell.cell.text:
            return _set(value_cell, "set_cell", new, {"new": new})
    return None


def insert_value(page: DocumentView) -> Proposal | None:
    """Fill an empty cell, or append to a value."""
    value_cells = list(_value_cells(page))
    for value_cell in value_cells:
        if not value_cell.cell.text:
            new = _value(page, value_cell.table, value_cell.cell.column)
            return _set(value_cell, "fill_cell", new, {"new": new})
    for value_cell in value_cells:
        words = phrasings(_rules(page, value_cell.table).phrasing)
        asides = [aside for aside in words["asides"]["number"] if "{" not in aside]
        added = page.rng.choice(asides)
        gap = " " if added.isascii() else ""
        return _set(value_cell, "append_cell", value_cell.cell.text + gap + added, {"added": added})
    return None


def delete_value(page: DocumentView) -> Proposal | None:
    """Clear a cell."""
    for value_cell in _value_cells(page):
        if value_cell.cell.text:
            return _set(value_cell, "clear_cell", "", {})
    return None


def change_structure(page: DocumentView) -> Proposal | None:
    """Add, delete or merge rows, columns or cells."""
    kinds = [_add_row, _add_column, _delete_row, _delete_column, _merge_cells, _merge_rows, _merge_columns]
    for kind in page.rng.sample(kinds, len(kinds)):
        for table in page.tables:
            proposal = kind(page, table)
            if proposal is not None:
                return proposal
    return None


def _value_cells(page: DocumentView) -> Iterator[ValueCell]:
    """Yield value cells with the names of row and column, in random order."""
    for table in page.tables:
        cells = [cell for cell in table.cells if cell.row >= table.head and cell.column >= _label_columns(table)]
        for cell in page.rng.sample(cells, len(cells)):
            yield ValueCell(table, cell, _row_name(table, cell.row), _column_name(table, cell.column))


def _set(value_cell: ValueCell, phrasing: str, new: str, words: dict[str, str]) -> Proposal:
    table, cell = value_cell.table, value_cell.cell
    edit = DocumentEdit("set_cell", table.id, {"row": cell.row, "column": cell.column, "new": new})
    return Proposal(
        edit,
        phrasing,
        {"row": value_cell.row, "column": value_cell.column, **words},
        {},
        (Reference(value_cell.row, "cell"), Reference(value_cell.column, "cell")),
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
    """Whether a row inserted below this one belongs to the same group of rows."""
    group = table.at(row, 0)
    return _label_columns(table) == 1 or group.row + group.rowspan > row + 1


def _add_column(page: DocumentView, table: Table) -> Proposal | None:
    last = len(table.widths) - 1
    places = [column for column in _value_columns(table) if table.head == 1 or _same_group(table, column, column + 1)]
    if not places or not table.spare_columns or last > 6:
        return None
    column = page.rng.choice(places)
    head, kind = page.rng.choice(table.spare_columns)
    name, _, argument = kind.partition(":")
    count = table.height - table.head
    texts = [head, *(page.writer.value(name, argument, _rules(page, table).code) for _ in range(count))]
    edit = DocumentEdit("add_column", table.id, {"column": column + 1, "texts": texts})
    return _of_column(table, column, edit, "add_column", {"head": head, "cells": texts[1:]})


def _delete_row(page: DocumentView, table: Table) -> Proposal | None:
    places = [
        row for row in range(table.head, table.height) if _label_columns(table) == 1 or table.at(row, 0).rowspan > 1
    ]
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
    arguments = {"row": row, "column": column, "rowspan": 1, "colspan": 2, "new": new}
    names = {"column": _column_name(table, column), "other": _column_name(table, column + 1), "new": new}
    proposal = _of_row(table, row, DocumentEdit("merge_cells", table.id, arguments), "merge_cells", names)
    return _with_references(proposal, Reference(names["column"], "cell"), Reference(names["other"], "cell"))


def _merge_rows(page: DocumentView, table: Table) -> Proposal | None:
    places = [
        row
        for row in range(table.head, table.height - 1)
        if _label_columns(table) == 1 or table.at(row, 0) == table.at(row + 1, 0)
    ]
    if table.height - table.head < 3 or not places:
        return None
    row = page.rng.choice(places)
    upper = [cell for cell in table.ordered if cell.row == row and cell.column >= _label_columns(table) - 1]
    joined = [_joined(cell.text, table.at(row + 1, cell.column).text) for cell in upper]
    if not all(joined):
        return None
    kept = [cell.text for cell in table.ordered if cell.row == row and cell.column < _label_columns(table) - 1]
    edit = DocumentEdit("merge_rows", table.id, {"row": row, "texts": kept + joined})
    other = _row_name(table, row + 1)
    proposal = _of_row(table, row, edit, "merge_rows", {"other": other, "cells": joined})
    return _with_references(proposal, Reference(other, "cell"))


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
    return _with_references(_of_column(table, column, edit, "merge_columns", words), Reference(other, "cell"))


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


def _with_references(proposal: Proposal, *references: Reference) -> Proposal:
    return replace(proposal, references=(*proposal.references, *references))


def _label_columns(table: Table) -> int:
    """Return the number of label columns."""
    return sum(not kind for kind in table.values)


def _value_columns(table: Table) -> range:
    return range(_label_columns(table), len(table.widths))


def _same_group(table: Table, column: int, other: int) -> bool:
    return other < len(table.widths) and table.at(0, column) == table.at(0, other)


def _row_name(table: Table, row: int) -> str:
    return table.at(row, _label_columns(table) - 1).text


def _column_name(table: Table, column: int) -> str:
    return table.at(table.head - 1, column).text


def _rules(page: DocumentView, table: Table) -> LanguageRules:
    return page.rules_of("".join(cell.text for cell in table.cells if cell.row < table.head))


def _value(page: DocumentView, table: Table, column: int, old: str = "") -> str:
    name, _, argument = table.values[column].partition(":")
    return page.writer.value(name, argument, _rules(page, table).code, taken=[old])


def _joined(one: str, other: str) -> str:
    return " / ".join(text for text in (one, other) if text)
