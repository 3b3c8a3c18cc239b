"""Templates for tables: cells named by what they say or by their row and column; rows and columns by their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

from vdebench.instructions.folding import folded
from vdebench.instructions.page_index import Grid, GridCell, PageIndex
from vdebench.instructions.quoting import tongue_of
from vdebench.instructions.seeded_choice import SeededChoice
from vdebench.instructions.template_text import PhrasedEdit
from vdebench.instructions.values import bank, other_number, values_in

_CLEAN = regex.compile(r"[\p{L}\p{N} ,.;:!?()%％/±+\-–—，。；：（）、～~&$¥￥°]+")
_NO_NAME = regex.compile(r"(?!(?:1[5-9]|20)\d\d$)[\d\s.,~～%±+–—\-/()]+")
"""Numbers other than years: a name that looks like a value is none."""
_LONGEST = 40
_TELLING = 3
"""Letters of a value that is named by itself."""
_WIDEST, _TALLEST = 6, 8


class NamedCell(NamedTuple):
    """A cell of a value, with the names of its row and column where they have some that no other cell has."""

    grid: Grid
    cell: GridCell
    row: str
    column: str
    tongue: str

    @property
    def is_named(self) -> bool:
        """Whether row and column tell which cell it is."""
        return bool(self.row and self.column)


def spots(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[NamedCell]:
    """Cells of values, in a random order."""
    for grid in chance.shuffled(on_page.grids):
        tongue = tongue_of(grid.block.plain_text, language)
        inner = [cell for cell in grid.cells if cell.row >= grid.head and cell.column >= grid.left]
        for cell in chance.shuffled(cell for cell in inner if cell.colspan == cell.rowspan == 1):
            yield NamedCell(
                grid, cell, _row_name(on_page, grid, cell.row), _column_name(on_page, grid, cell.column), tongue
            )


def _name(on_page: PageIndex, cell: GridCell | None) -> str:
    """What a cell says, if it is clean and no other cell says it."""
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
    """Whether a cell can be named by what it says: nothing else on the page says it, not even as a part."""
    telling = len(folded(cell.text)) >= _TELLING and len(cell.text) <= _LONGEST and _CLEAN.fullmatch(cell.text)
    return bool(telling) and on_page.count(cell.text) == 1


def replacements(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """Another value in a cell."""
    for spot in spots(on_page, language, chance):
        new = _other(on_page, spot, chance)
        if not new or new == spot.cell.text:
            continue
        yield from _either(
            on_page, spot, chance, ("cell_replace", {"target": spot.cell.text, "new": new}), ("set_cell", {"new": new})
        )


def insertions(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """A value in an empty cell, or a remark behind a value."""
    found = list(spots(on_page, language, chance))
    for spot in found:
        if not spot.cell.text and spot.is_named:
            yield _said(spot, "fill_cell", {"new": _alike(spot, chance)})
    for spot in found:
        if spot.cell.text:
            new = chance.choice(bank(spot.tongue)["cell_remarks"])
            yield from _either(
                on_page,
                spot,
                chance,
                ("cell_insert", {"anchor": spot.cell.text, "new": new}),
                ("append_cell", {"added": new}),
            )


def deletions(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """A cell left empty."""
    for spot in spots(on_page, language, chance):
        if spot.cell.text:
            yield from _either(on_page, spot, chance, ("cell_delete", {"target": spot.cell.text}), ("clear_cell", {}))


def structures(on_page: PageIndex, language: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    """A row or a column more or less."""
    kinds = [_row_less, _column_less, _row_more, _column_more]
    for kind in chance.shuffled(kinds):
        for grid in chance.shuffled(grid for grid in on_page.grids if grid.is_whole):
            yield from kind(on_page, grid, tongue_of(grid.block.plain_text, language), chance)


def _either(
    on_page: PageIndex,
    spot: NamedCell,
    chance: SeededChoice,
    by_itself: tuple[str, dict[str, str]],
    by_names: tuple[str, dict[str, str]],
) -> Iterator[PhrasedEdit]:
    """The cell named by what it says where that is enough, else by its row and column."""
    ways = [by_itself] * _by_itself(on_page, spot.cell) + [by_names] * spot.is_named
    for way in chance.shuffled(ways):
        yield _said(spot, *way) if way is by_names else PhrasedEdit(way[0], dict(way[1]), "", spot.tongue)


def _said(spot: NamedCell, phrasing: str, fields: dict[str, str]) -> PhrasedEdit:
    return PhrasedEdit(phrasing, {"row": spot.row, "column": spot.column, **fields}, "", spot.tongue)


def _other(on_page: PageIndex, spot: NamedCell, chance: SeededChoice) -> str:
    """Another value for a cell, that the page does not have."""
    text = spot.cell.text
    if not text or len(text) > _LONGEST or not _CLEAN.fullmatch(text):
        return ""
    options = [_swapped(text, spot.tongue, chance), *chance.shuffled(bank(spot.tongue)["cell_words"])]
    options = [new for new in options if new != text]
    return next((new for new in options if not on_page.count(new)), "")


def _swapped(text: str, tongue: str, chance: SeededChoice) -> str:
    """A text with other digits, or else with another word of a group."""
    if regex.search(r"\d\s*[~～–—-]\s*\d", text):  # a range stays one: only its last digit changes
        last = max(place for place, letter in enumerate(text) if letter.isdigit())
        return text[:last] + other_number(text[last], chance) + text[last + 1 :]
    digits = regex.search(r"\d[\d,]*(?:\.\d+)?", text)
    if digits:
        return text[: digits.start()] + other_number(digits[0], chance) + text[digits.end() :]
    for value in values_in(text, tongue, chance):
        return text[: value.start] + value.new + text[value.end :]
    return text


def _alike(spot: NamedCell, chance: SeededChoice) -> str:
    """A value like those of the column."""
    column = [spot.grid.at(row, spot.cell.column) for row in range(spot.grid.head, spot.grid.height)]
    numbers = [cell.text for cell in column if cell and regex.fullmatch(r"[$¥]?[\d,]*\.?\d+%?", cell.text)]
    return other_number(chance.choice(numbers), chance) if numbers else chance.choice(bank(spot.tongue)["fill_words"])


def _row_less(on_page: PageIndex, grid: Grid, tongue: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for row in chance.shuffled(range(grid.head, grid.height)):
        if _is_free_row(grid, row) and (name := _row_name(on_page, grid, row)):
            yield PhrasedEdit("delete_row", {"row": name}, "", tongue)


def _column_less(on_page: PageIndex, grid: Grid, tongue: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    for column in chance.shuffled(range(grid.left, grid.width)):
        if _is_free_column(grid, column) and (name := _column_name(on_page, grid, column)):
            yield PhrasedEdit("delete_column", {"column": name}, "", tongue)


def _row_more(on_page: PageIndex, grid: Grid, tongue: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    if grid.width > _WIDEST:
        return
    for row in chance.shuffled(range(grid.head, grid.height)):
        label = next((new for new in chance.shuffled(bank(tongue)["row_labels"]) if not on_page.count(new)), "")
        name = _row_name(on_page, grid, row)
        above = [cell.text for column in range(1, grid.width) if (cell := grid.at(row, column))]
        clean = all(_CLEAN.fullmatch(text) and len(text) <= _LONGEST for text in above)
        if label and name and clean and _is_free_row(grid, row):
            yield PhrasedEdit(
                "add_row",
                {"row": name, "cells": [label, *(_swapped(text, tongue, chance) for text in above)]},
                "",
                tongue,
            )


def _column_more(on_page: PageIndex, grid: Grid, tongue: str, chance: SeededChoice) -> Iterator[PhrasedEdit]:
    below = grid.height - grid.head
    if below > _TALLEST or grid.head > 1 or not _is_free_column(grid, grid.width - 1):
        return
    head = next((new for new in chance.shuffled(bank(tongue)["column_heads"]) if not on_page.count(new)), "")
    cells = [chance.choice(bank(tongue)["column_cells"]) for _ in range(below)]
    for column in chance.shuffled(range(grid.left, grid.width)):
        if head and (name := _column_name(on_page, grid, column)):
            yield PhrasedEdit("add_column", {"column": name, "head": head, "cells": cells}, "", tongue)


def _is_free_row(grid: Grid, row: int) -> bool:
    """Whether a row can go, or one come below it, without touching cells of several rows."""
    return all(cell.rowspan == 1 for cell in grid.cells if cell.covers(row, cell.column))


def _is_free_column(grid: Grid, column: int) -> bool:
    """The same of a column; a heading above several may lose one of them."""
    return all(cell.colspan == 1 for cell in grid.cells if cell.row >= grid.head - 1 and cell.covers(cell.row, column))
