"""Templates for tables: cells named by what they say or by their row and column; rows and columns by their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

from vdebench.instructions.folding import folded
from vdebench.instructions.page_index import Grid, GridCell, PageIndex
from vdebench.instructions.quoting import language_code_of
from vdebench.instructions.seeded_choice import SeededChoice
from vdebench.instructions.template_text import PhrasedEdit
from vdebench.instructions.values import bank, other_number, values_in

_CLEAN = regex.compile(r"[\p{L}\p{N} ,.;:!?()%％/±+\-–—，。；：（）、～~&$¥￥°]+")
_NO_NAME = regex.compile(r"(?!(?:1[5-9]|20)\d\d$)[\d\s.,~～%±+–—\-/()]+")
"""Numbers other than years: a name that looks like a value is none."""
_LONGEST = 40
_MIN_LENGTH = 3
"""Letters of a value that is named by itself."""
_WIDEST, _TALLEST = 6, 8


class NamedCell(NamedTuple):
    """A cell of a value, with the names of its row and column where they have some that no other cell has."""

    grid: Grid
    cell: GridCell
    row: str
    column: str
    language_code: str

    @property
    def is_named(self) -> bool:
        """Whether row and column tell which cell it is."""
        return bool(self.row and self.column)


def named_cells(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[NamedCell]:
    """Yield value cells in random order."""
    for grid in chance.shuffled(on_page.grids):
        language_code = language_code_of(grid.block.plain_text, language)
        inner = [cell for cell in grid.cells if cell.row >= grid.head and cell.column >= grid.left]
        for cell in chance.shuffled(cell for cell in inner if cell.colspan == cell.rowspan == 1):
            yield NamedCell(
                grid, cell, _row_name(on_page, grid, cell.row), _column_name(on_page, grid, cell.column), language_code
            )


def _name(on_page: PageIndex, cell: GridCell | None) -> str:
    """Return the text of a cell if it is clean and unique among cells, else an empty string."""
    text = cell.text if cell else ""
    clean = 0 < len(text) <= _LONGEST and _CLEAN.fullmatch(text) and not _NO_NAME.fullmatch(text)
    return text if clean and len(on_page.cells_reading(text)) == 1 else ""


def _row_name(on_page: PageIndex, grid: Grid, row: int) -> str:
    cell = grid.at(row, 0)
    return _name(on_page, cell) if cell and cell.rowspan == 1 and cell.colspan == 1 else ""


def _column_name(on_page: PageIndex, grid: Grid, column: int) -> str:
    cell = grid.at(grid.head - 1, column)
    return _name(on_page, cell) if cell and cell.colspan == 1 else ""


def _by_itself(on_page: PageIndex, cell: GridCell) -> bool:
    """Whether the text of a cell is unique on the page, also as part of other text."""
    quotable = len(folded(cell.text)) >= _MIN_LENGTH and len(cell.text) <= _LONGEST and _CLEAN.fullmatch(cell.text)
    return bool(quotable) and on_page.count(cell.text) == 1


def replacements(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """Propose another value of a cell."""
    for named_cell in named_cells(on_page, language, chance):
        new = _other(on_page, named_cell, chance)
        if not new or new == named_cell.cell.text:
            continue
        yield from _either(
            on_page,
            named_cell,
            chance,
            ("cell_replace", {"target": named_cell.cell.text, "new": new}),
            ("set_cell", {"new": new}),
        )


def insertions(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """Propose a value for an empty cell, or a remark after a value."""
    cells = list(named_cells(on_page, language, chance))
    for named_cell in cells:
        if not named_cell.cell.text and named_cell.is_named:
            yield _by_row_and_column(named_cell, "fill_cell", {"new": _similar_value(named_cell, chance)})
    for named_cell in cells:
        if named_cell.cell.text:
            new = chance.choice(bank(named_cell.language_code)["cell_remarks"])
            yield from _either(
                on_page,
                named_cell,
                chance,
                ("cell_insert", {"anchor": named_cell.cell.text, "new": new}),
                ("append_cell", {"added": new}),
            )


def deletions(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """Propose to clear a cell."""
    for named_cell in named_cells(on_page, language, chance):
        if named_cell.cell.text:
            yield from _either(
                on_page, named_cell, chance, ("cell_delete", {"target": named_cell.cell.text}), ("clear_cell", {})
            )


def structures(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """Propose to add or delete a row or column."""
    kinds = [_delete_row, _delete_column, _add_row, _add_column]
    for kind in chance.shuffled(kinds):
        for grid in chance.shuffled(grid for grid in on_page.grids if grid.is_whole):
            yield from kind(on_page, grid, language_code_of(grid.block.plain_text, language), chance)


def _either(
    on_page: PageIndex,
    named_cell: NamedCell,
    chance: SeededChoice,
    by_itself: tuple[str, dict[str, str]],
    by_names: tuple[str, dict[str, str]],
) -> Iterator[PhrasedEdit]:
    """Name the cell by its text if that is unique, else by row and column."""
    ways = [by_itself] * _by_itself(on_page, named_cell.cell) + [by_names] * named_cell.is_named
    for way in chance.shuffled(ways):
        yield (
            _by_row_and_column(named_cell, *way)
            if way is by_names
            else PhrasedEdit(way[0], dict(way[1]), "", named_cell.language_code)
        )


def _by_row_and_column(named_cell: NamedCell, phrasing: str, fields: dict[str, str]) -> PhrasedEdit:
    return PhrasedEdit(
        phrasing, {"row": named_cell.row, "column": named_cell.column, **fields}, "", named_cell.language_code
    )


def _other(on_page: PageIndex, named_cell: NamedCell, chance: SeededChoice) -> str:
    """Return another value for a cell that does not occur on the page."""
    text = named_cell.cell.text
    if not text or len(text) > _LONGEST or not _CLEAN.fullmatch(text):
        return ""
    options = [
        _changed(text, named_cell.language_code, chance),
        *chance.shuffled(bank(named_cell.language_code)["cell_words"]),
    ]
    options = [new for new in options if new != text]
    return next((new for new in options if not on_page.count(new)), "")


def _changed(text: str, language_code: str, chance: SeededChoice) -> str:
    """Return the text with other digits, or with another word of its group."""
    if regex.search(r"\d\s*[~～–—-]\s*\d", text):  # a range stays a range: only the last digit changes
        last = max(place for place, letter in enumerate(text) if letter.isdigit())
        return text[:last] + other_number(text[last], chance) + text[last + 1 :]
    digits = regex.search(r"\d[\d,]*(?:\.\d+)?", text)
    if digits:
        return text[: digits.start()] + other_number(digits[0], chance) + text[digits.end() :]
    for value in values_in(text, language_code, chance):
        return text[: value.start] + value.new + text[value.end :]
    return text


def _similar_value(named_cell: NamedCell, chance: SeededChoice) -> str:
    """Return a value like those of the column."""
    column = [
        named_cell.grid.at(row, named_cell.cell.column) for row in range(named_cell.grid.head, named_cell.grid.height)
    ]
    numbers = [cell.text for cell in column if cell and regex.fullmatch(r"[$¥]?[\d,]*\.?\d+%?", cell.text)]
    return (
        other_number(chance.choice(numbers), chance)
        if numbers
        else chance.choice(bank(named_cell.language_code)["fill_words"])
    )


def _delete_row(on_page: PageIndex, grid: Grid, language_code: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for row in chance.shuffled(range(grid.head, grid.height)):
        if _is_free_row(grid, row) and (name := _row_name(on_page, grid, row)):
            yield PhrasedEdit("delete_row", {"row": name}, "", language_code)


def _delete_column(on_page: PageIndex, grid: Grid, language_code: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for column in chance.shuffled(range(grid.left, grid.width)):
        if _is_free_column(grid, column) and (name := _column_name(on_page, grid, column)):
            yield PhrasedEdit("delete_column", {"column": name}, "", language_code)


def _add_row(on_page: PageIndex, grid: Grid, language_code: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    if grid.width > _WIDEST:
        return
    for row in chance.shuffled(range(grid.head, grid.height)):
        label = next((new for new in chance.shuffled(bank(language_code)["row_labels"]) if not on_page.count(new)), "")
        name = _row_name(on_page, grid, row)
        above = [cell.text for column in range(1, grid.width) if (cell := grid.at(row, column))]
        clean = all(_CLEAN.fullmatch(text) and len(text) <= _LONGEST for text in above)
        if label and name and clean and _is_free_row(grid, row):
            yield PhrasedEdit(
                "add_row",
                {"row": name, "cells": [label, *(_changed(text, language_code, chance) for text in above)]},
                "",
                language_code,
            )


def _add_column(on_page: PageIndex, grid: Grid, language_code: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    below = grid.height - grid.head
    if below > _TALLEST or grid.head > 1 or not _is_free_column(grid, grid.width - 1):
        return
    head = next((new for new in chance.shuffled(bank(language_code)["column_heads"]) if not on_page.count(new)), "")
    cells = [chance.choice(bank(language_code)["column_cells"]) for _ in range(below)]
    for column in chance.shuffled(range(grid.left, grid.width)):
        if head and (name := _column_name(on_page, grid, column)):
            yield PhrasedEdit("add_column", {"column": name, "head": head, "cells": cells}, "", language_code)


def _is_free_row(grid: Grid, row: int) -> bool:
    """Whether a row can be deleted, or one added below, without affecting cells that span several rows."""
    return all(cell.rowspan == 1 for cell in grid.cells if cell.covers(row, cell.column))


def _is_free_column(grid: Grid, column: int) -> bool:
    """Whether a column can be deleted; headings above several columns may shrink."""
    return all(cell.colspan == 1 for cell in grid.cells if cell.row >= grid.head - 1 and cell.covers(cell.row, column))
