"""What stands on a page, by its reading: how often words occur, where, and in which cell of a table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import regex

from vdebench.core.page_text import Block, PageText
from vdebench.instructions.folding import FoldedText, confusable, fold, folded, shown
from vdebench.metrics.teds import TableCell, parse_table

_WORDLY = regex.compile(r"[^\W_]")
_HAN = regex.compile(r"\p{Han}")
_WIDEST = 100
"""Columns of a cell: more are a fault of the reading."""
LONG_ENOUGH = 6
"""Letters from which on a text may differ in marks that readers confuse."""


class TextPlace(NamedTuple):
    """A stretch of a block's text, or of a table's cell."""

    block: Block
    text: FoldedText
    """What the block or the cell says."""
    start: int
    end: int
    cell: GridCell | None = None


class GridCell(NamedTuple):
    """A cell with its place in its table."""

    table: int
    row: int
    column: int
    text: str
    """As it is shown: formulas without their TeX."""
    colspan: int = 1
    rowspan: int = 1

    def covers(self, row: int, column: int) -> bool:
        """Whether it stands at a place, by its span too."""
        return self.row <= row < self.row + self.rowspan and self.column <= column < self.column + self.colspan


class Grid:
    """A table of the page as rows and columns."""

    def __init__(self, number: int, block: Block) -> None:
        self.number = number
        self.block = block
        self.cells = list(_placed(number, parse_table(block.html)))
        self.height = max((cell.row + cell.rowspan for cell in self.cells), default=0)
        self.width = max((cell.column + cell.colspan for cell in self.cells), default=0)
        self._at = {(row, column): cell for cell in self.cells for row, column in _covered(cell)}

    def at(self, row: int, column: int) -> GridCell | None:
        """The cell at a place; none where a row is too short."""
        return self._at.get((row, column))

    @cached_property
    def head(self) -> int:
        """Rows of headings at the top: the first that is as fine as the rows below it, with all above."""
        for row in range(self.height - 1):
            here = [self.at(row, column) for column in range(self.left, self.width)]
            if all(cell is not None and cell.colspan == 1 and cell.row + cell.rowspan == row + 1 for cell in here):
                return row + 1
        return 1

    @property
    def left(self) -> int:
        """Columns of labels at the left: as many as the corner at the top covers, unless it is a title above all."""
        corner = self.at(0, 0)
        return corner.colspan if corner and corner.colspan < self.width else 1

    @property
    def is_whole(self) -> bool:
        """Whether every place has a cell, and there is something to name one by."""
        full = all(self.at(row, column) for row in range(self.height) for column in range(self.width))
        return full and self.height >= 2 and self.width >= 2


def _covered(cell: GridCell) -> Iterator[tuple[int, int]]:
    for row in range(cell.row, cell.row + cell.rowspan):
        for column in range(cell.column, cell.column + cell.colspan):
            yield row, column


def _placed(number: int, rows: tuple[tuple[TableCell, ...], ...]) -> Iterator[GridCell]:
    taken: set[tuple[int, int]] = set()
    for row, cells in enumerate(rows):
        column = 0
        for cell in cells:
            while (row, column) in taken:
                column += 1
            deep = min(cell.rowspan, len(rows) - row)
            placed = GridCell(number, row, column, shown(cell.text), min(cell.colspan, _WIDEST), deep)
            taken.update(_covered(placed))
            yield placed
            column += placed.colspan


_Text = tuple[Block, FoldedText, GridCell | None]


class PageIndex:
    """A page's reading as something to look words up in."""

    def __init__(self, reading: PageText) -> None:
        self.reading = reading
        self.grids = [Grid(number, block) for number, block in enumerate(b for b in reading.blocks if b.html)]
        self.cells = [cell for grid in self.grids for cell in grid.cells]
        self._texts: list[_Text] = [(block, fold(block.content), None) for block in reading.blocks if not block.html]
        self._texts += [(self.grids[cell.table].block, fold(cell.text), cell) for cell in self.cells]

    @cached_property
    def _confusable(self) -> list[_Text]:
        return [(block, text._replace(text=confusable(text.text)), cell) for block, text, cell in self._texts]

    def count(self, words: str) -> int:
        """How often words occur, also as a part of longer ones.

        >>> page = PageIndex(PageText((Block((0, 0, 9, 9), "12 of 2012"),)))
        >>> page.count("12"), len(page.places("12"))
        (2, 1)
        """
        return len(_found(folded(words), self._texts))

    def places(self, words: str) -> list[TextPlace]:
        """Where words stand: whole ones where there are such; else with marks for each other that readers confuse."""
        wanted = folded(words)
        found = _found(wanted, self._texts)
        if not found and len(wanted) >= LONG_ENOUGH:
            found = _found(confusable(wanted), self._confusable)
        return [place for place in found if not _cuts_a_word(place)] or found

    def cells_reading(self, words: str) -> list[GridCell]:
        """Cells that say just that; else those that say it nearly, in marks that readers confuse."""
        wanted = folded(words)
        return self._cells_by_text[0].get(wanted) or self._cells_by_text[1].get(confusable(wanted)) or []

    @cached_property
    def _cells_by_text(self) -> tuple[dict[str, list[GridCell]], dict[str, list[GridCell]]]:
        exact: dict[str, list[GridCell]] = {}
        nearly: dict[str, list[GridCell]] = {}
        for _, text, cell in self._texts:
            if cell is not None and text.text:
                exact.setdefault(text.text, []).append(cell)
                nearly.setdefault(confusable(text.text), []).append(cell)
        return exact, nearly

    def cells_at(self, row: str, column: str) -> list[GridCell]:
        """Cells in a row and a column that are named by the text of one of their cells."""
        found = []
        for label in self.cells_reading(row):
            for head in self.cells_reading(column):
                grid = self.grids[label.table]
                if label.table != head.table or head.row >= label.row or label.column >= head.column:
                    continue
                if (cell := grid.at(label.row, head.column)) and cell not in (label, head):
                    found.append(cell)
        return found


def is_heading(cell: GridCell, on_page: PageIndex) -> bool:
    """Whether a cell can name a row or column: at the left or at the top."""
    return cell.column == 0 or cell.row < on_page.grids[cell.table].head


def _found(wanted: str, texts: list[_Text]) -> list[TextPlace]:
    return [
        TextPlace(block, text, start, start + len(wanted), cell)
        for block, text, cell in texts
        for start in (_overlapping(text.text, wanted) if wanted else ())
    ]


def _overlapping(text: str, wanted: str) -> list[int]:
    found, at = [], text.find(wanted)
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _cuts_a_word(place: TextPlace) -> bool:
    """Whether a word or number goes on before or behind it."""
    return _runs_on(place.text, place.start) or _runs_on(place.text, place.end)


def _runs_on(text: FoldedText, at: int) -> bool:
    if at in text.gaps or not 0 < at < len(text.text):
        return False
    return all(_WORDLY.match(letter) and not _HAN.match(letter) for letter in text.text[at - 1 : at + 1])
