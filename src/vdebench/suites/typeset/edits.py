"""Edits: functions from document to document, recorded as JSON so that they can be repeated.

An edit is an action, the block it changes, and arguments: `{"action": "replace_text", "block": 7, "start": 3, …}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from vdebench.suites.typeset.document import CELLS, Block, Document, DocumentCell, Span, Table, Text


class EditPlace(NamedTuple):
    """A range of the text of a numbered piece; the whole text if `end` is None."""

    number: int
    start: int = 0
    end: int | None = None


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """One recorded edit."""

    action: str
    block: int
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the edit as a flat object."""
        return {"action": self.action, "block": self.block, **self.arguments}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DocumentEdit:
        """Return the edit from the output of `to_json`.

        >>> DocumentEdit.from_json({"action": "delete_row", "block": 3, "row": 2}).arguments
        {'row': 2}
        """
        arguments = {key: value for key, value in data.items() if key not in ("action", "block")}
        return cls(data["action"], data["block"], arguments)

    def apply(self, document: Document) -> Document:
        """Return the edited document."""
        return ACTIONS[self.action](document, document.block(self.block), **self.arguments)

    def places(self, document: Document, edited: Document) -> tuple[list[EditPlace], list[EditPlace]]:
        """Return the changed places of the original document and those of the edited one."""
        number = self.block * CELLS
        arguments = self.arguments
        match self.action:
            case "replace_text":
                start = arguments["start"]
                return [EditPlace(number, start, arguments["end"])], [
                    EditPlace(number, start, start + len(arguments["new"]))
                ]
            case "insert_text":
                return [], [EditPlace(number, arguments["at"], arguments["at"] + len(arguments["new"]))]
            case "delete_text":
                return [EditPlace(number, arguments["start"], arguments["end"])], []
            case "style_text":
                place = EditPlace(number, arguments["start"], arguments["end"])
                return [place], [place]
            case "insert_block":
                return [], [EditPlace((edited.next_id - 1) * CELLS)]
            case "delete_block":
                return [EditPlace(number)], []
            case "move_block" | "align_block" | "scale_block":
                return [EditPlace(number)], [EditPlace(number)]
            case _:
                return self._cells(document, edited)

    def _cells(self, document: Document, edited: Document) -> tuple[list[EditPlace], list[EditPlace]]:
        """Return the changed cells of a table before and after the edit."""
        before, after = document.block(self.block), edited.block(self.block)
        assert isinstance(before, Table)
        assert isinstance(after, Table)
        arguments = self.arguments
        rows, columns = arguments.get("row"), arguments.get("column")
        span = (arguments.get("rowspan", 1), arguments.get("colspan", 1))

        def cells_in(table: Table, height: int, width: int) -> list[EditPlace]:
            indices = [
                index
                for index, cell in enumerate(table.ordered, start=1)
                if (rows is None or rows <= cell.row < rows + height)
                and (columns is None or columns <= cell.column < columns + width)
                and cell.text
            ]
            return [EditPlace(self.block * CELLS + index) for index in indices]

        match self.action:
            case "add_row" | "add_column":
                return [], cells_in(after, 1, 1)
            case "delete_row" | "delete_column":
                return cells_in(before, 1, 1), []
            case "merge_rows" | "merge_columns":
                return cells_in(before, 2, 2), cells_in(after, 1, 1)
            case "merge_cells":
                return cells_in(before, *span), cells_in(after, 1, 1)
            case _:
                return cells_in(before, 1, 1), cells_in(after, 1, 1)


def _replace_text(document: Document, block: Block, start: int, end: int, new: str) -> Document:
    assert isinstance(block, Text)
    return document.with_block(block.id, block.with_text(start, end, new))


def _insert_text(document: Document, block: Block, at: int, new: str) -> Document:
    return _replace_text(document, block, at, at, new)


def _delete_text(document: Document, block: Block, start: int, end: int) -> Document:
    return _replace_text(document, block, start, end, "")


def _style_text(document: Document, block: Block, start: int, end: int, **changes: Any) -> Document:
    assert isinstance(block, Text)
    return document.with_block(block.id, block.with_style(start, end, **changes))


def _insert_block(document: Document, block: Block, new: str) -> Document:
    """Insert a block of the same kind after this one."""
    assert isinstance(block, Text)
    return document.with_block(block.id, block, Text(document.next_id, block.role, (Span(new),), block.align))


def _delete_block(document: Document, block: Block) -> Document:
    return document.with_block(block.id)


def _move_block(document: Document, block: Block, after: int) -> Document:
    anchor = document.block(after)
    return document.with_block(block.id).with_block(after, anchor, block)


def _align_block(document: Document, block: Block, align: str) -> Document:
    assert isinstance(block, Text)
    return document.with_block(block.id, replace(block, align=align))


def _scale_block(document: Document, block: Block, factor: float) -> Document:
    assert isinstance(block, Text)
    return document.with_block(block.id, block.with_style(0, len(block.text), scale=factor))


def _with_cells(
    document: Document, table: Block, change: Callable[[DocumentCell], DocumentCell | None], *new: DocumentCell
) -> Document:
    assert isinstance(table, Table)
    kept = (change(cell) for cell in table.cells)
    return document.with_block(table.id, replace(table, cells=(*(cell for cell in kept if cell), *new)))


def _set_cell(document: Document, table: Block, row: int, column: int, new: str) -> Document:
    return _with_cells(
        document, table, lambda cell: replace(cell, text=new) if (cell.row, cell.column) == (row, column) else cell
    )


def _add_row(document: Document, table: Block, row: int, texts: list[str]) -> Document:
    """Insert a row at an index; cells that span the index grow."""

    def moved(cell: DocumentCell) -> DocumentCell:
        if cell.row >= row:
            return replace(cell, row=cell.row + 1)
        return replace(cell, rowspan=cell.rowspan + 1) if cell.row + cell.rowspan > row else cell

    assert isinstance(table, Table)
    spanned = {
        column for column in range(len(table.widths)) if 0 < row < table.height and table.at(row, column).row < row
    }
    free = [column for column in range(len(table.widths)) if column not in spanned]
    new = [DocumentCell(row, column, text) for column, text in zip(free, texts, strict=True)]
    return _with_cells(document, table, moved, *new)


def _add_column(document: Document, table: Block, column: int, texts: list[str]) -> Document:
    """Insert a column at an index: its head, then its values; group heads above it grow."""

    def moved(cell: DocumentCell) -> DocumentCell:
        if cell.column >= column:
            return replace(cell, column=cell.column + 1)
        return replace(cell, colspan=cell.colspan + 1) if cell.column + cell.colspan > column else cell

    assert isinstance(table, Table)
    grown = replace(table, widths=(*table.widths[:column], 1.0, *table.widths[column:]))
    spanned = column < len(table.widths) and table.at(0, column).column < column
    first = table.head - 1 if spanned or table.head == 1 else 0
    new = [DocumentCell(first, column, texts[0], rowspan=table.head - first)]
    new += [DocumentCell(row, column, text) for row, text in enumerate(texts[1:], start=table.head)]
    return _with_cells(document, grown, moved, *new)


def _delete_row(document: Document, table: Block, row: int) -> Document:
    def moved(cell: DocumentCell) -> DocumentCell | None:
        if cell.row > row:
            return replace(cell, row=cell.row - 1)
        if cell.row + cell.rowspan > row:
            return replace(cell, rowspan=cell.rowspan - 1) if cell.rowspan > 1 else None
        return cell

    return _with_cells(document, table, moved)


def _delete_column(document: Document, table: Block, column: int) -> Document:
    def moved(cell: DocumentCell) -> DocumentCell | None:
        if cell.column > column:
            return replace(cell, column=cell.column - 1)
        if cell.column + cell.colspan > column:
            return replace(cell, colspan=cell.colspan - 1) if cell.colspan > 1 else None
        return cell

    assert isinstance(table, Table)
    narrower = replace(table, widths=table.widths[:column] + table.widths[column + 1 :])
    return _with_cells(document, narrower, moved)


def _merge_cells(
    document: Document, table: Block, row: int, column: int, rowspan: int, colspan: int, new: str
) -> Document:
    """Merge several cells into one with a new text."""

    def inside(cell: DocumentCell) -> bool:
        return row <= cell.row < row + rowspan and column <= cell.column < column + colspan

    merged = DocumentCell(row, column, new, rowspan, colspan)
    return _with_cells(document, table, lambda cell: None if inside(cell) else cell, merged)


def _merge_columns(document: Document, table: Block, column: int, texts: list[str]) -> Document:
    """Merge a column and its right neighbour: its head, then its values."""
    assert isinstance(table, Table)
    cells = [table.at(row, column) for row in range(table.head - 1, table.height)]
    for cell, text in zip(cells, texts, strict=True):
        document = _set_cell(document, document.block(table.id), cell.row, column, text)
    return _delete_column(document, document.block(table.id), column + 1)


def _merge_rows(document: Document, table: Block, row: int, texts: list[str]) -> Document:
    """Merge a row and the row below it."""
    assert isinstance(table, Table)
    cells = sorted((cell for cell in table.cells if cell.row == row), key=lambda cell: cell.column)
    for cell, text in zip(cells, texts, strict=True):
        document = _set_cell(document, document.block(table.id), row, cell.column, text)
    return _delete_row(document, document.block(table.id), row + 1)


ACTIONS: dict[str, Callable[..., Document]] = {
    "replace_text": _replace_text,
    "insert_text": _insert_text,
    "delete_text": _delete_text,
    "style_text": _style_text,
    "insert_block": _insert_block,
    "delete_block": _delete_block,
    "move_block": _move_block,
    "align_block": _align_block,
    "scale_block": _scale_block,
    "set_cell": _set_cell,
    "add_row": _add_row,
    "add_column": _add_column,
    "delete_row": _delete_row,
    "delete_column": _delete_column,
    "merge_cells": _merge_cells,
    "merge_columns": _merge_columns,
    "merge_rows": _merge_rows,
}
