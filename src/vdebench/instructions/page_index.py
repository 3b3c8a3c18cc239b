"""Index of a page's text: how often words occur, where, and in which table cell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import regex

from vdebench.core.page_text import Block, PageText
from vdebench.instructions.folding import FoldedText, confusable, fold, folded, without_tex
from vdebench.metrics.teds import TableCell, parse_table

_WORD_CHARACTER = regex.compile(r"[^\W_]")
_HAN = regex.compile(r"\p{Han}")
_WIDEST = 100
"""Maximum colspan: larger values are OCR errors."""
LONG_ENOUGH = 6
"""Minimum length of a text that may match with confusable characters."""


class TextPlace(NamedTuple):
    """A range of the text of a block or of a table cell."""

    block: Block
    text: FoldedText
    """Text of the block or cell."""
    start: int
    end: int
    cell: GridCell | None = None


class GridCell(NamedTuple):
    """A cell with its position in its table."""

    table: int
    row: int
    column: int
    text: str
    """Text with formulas converted from TeX."""
    colspan: int = 1
    rowspan: int = 1

    def covers(self, row: int, column: int) -> bool:
        """Whether the cell, with its span, covers a position."""
        return self.row <= row < self.row + self.rowspan and self.column <= column < self.column + self.colspan


class Grid:
    """A table of the page as rows and columns."""

    def __init__(self, number: int, block: Block) -> None:
        self.number = number
        self.block = block
        self.cells = list(_grid_cells(number, parse_table(block.html)))
        self.height = max((cell.row + cell.rowspan for cell in self.cells), default=0)
        self.width = max((cell.column + cell.colspan for cell in self.cells), default=0)
        self._at = {(row, column): cell for cell in self.cells for row, column in _covered(cell)}

    def at(self, row: int, column: int) -> GridCell | None:
        """Return the cell at a position; None if a row is too short."""
        return self._at.get((row, column))

    @cached_property
    def head(self) -> int:
        """Number of header rows: up to the first row whose cells are as fine as those below."""
        for row in range(self.height - 1):
            here = [self.at(row, column) for column in range(self.left, self.width)]
            if all(cell is not None and cell.colspan == 1 and cell.row + cell.rowspan == row + 1 for cell in here):
                return row + 1
        return 1

    @property
    def left(self) -> int:
        """Number of label columns: the colspan of the top left cell, unless that is a title over the whole table."""
        corner = self.at(0, 0)
        return corner.colspan if corner and corner.colspan < self.width else 1

    @property
    def is_whole(self) -> bool:
        """Whether every position has a cell, and there are at least two rows and columns."""
        full = all(self.at(row, column) for row in range(self.height) for column in range(self.width))
        return full and self.height >= 2 and self.width >= 2


def _covered(cell: GridCell) -> Iterator[tuple[int, int]]:
    for row in range(cell.row, cell.row + cell.rowspan):
        for column in range(cell.column, cell.column + cell.colspan):
            yield row, column


def _grid_cells(number: int, rows: tuple[tuple[TableCell, ...], ...]) -> Iterator[GridCell]:
    taken: set[tuple[int, int]] = set()
    for row, cells in enumerate(rows):
        column = 0
        for cell in cells:
            while (row, column) in taken:
                column += 1
            rowspan = min(cell.rowspan, len(rows) - row)
            grid_cell = GridCell(number, row, column, without_tex(cell.text), min(cell.colspan, _WIDEST), rowspan)
            taken.update(_covered(grid_cell))
            yield grid_cell
            column += grid_cell.colspan


_Text = tuple[Block, FoldedText, GridCell | None]


class PageIndex:
    """Search index of a page's text."""

    def __init__(self, page_text: PageText) -> None:
        self.page_text = page_text
        self.grids = [Grid(number, block) for number, block in enumerate(b for b in page_text.blocks if b.html)]
        self.cells = [cell for grid in self.grids for cell in grid.cells]
        self._texts: list[_Text] = [(block, fold(block.content), None) for block in page_text.blocks if not block.html]
        self._texts += [(self.grids[cell.table].block, fold(cell.text), cell) for cell in self.cells]

    @cached_property
    def _confusable(self) -> list[_Text]:
        return [(block, text._replace(text=confusable(text.text)), cell) for block, text, cell in self._texts]

    def count(self, words: str) -> int:
        """Return how often words occur, also as part of longer words.

        >>> page = PageIndex(PageText((Block((0, 0, 9, 9), "12 of 2012"),)))
        >>> page.count("12"), len(page.places("12"))
        (2, 1)
        """
        return len(_matches(folded(words), self._texts))

    def places(self, words: str) -> list[TextPlace]:
        """Return where words occur: as whole words if possible, else with characters that OCR engines confuse."""
        target = folded(words)
        found = _matches(target, self._texts)
        if not found and len(target) >= LONG_ENOUGH:
            found = _matches(confusable(target), self._confusable)
        return [place for place in found if not _cuts_a_word(place)] or found

    def cells_reading(self, words: str) -> list[GridCell]:
        """Return cells with exactly this text, else cells that differ only in confusable characters."""
        target = folded(words)
        return self._cells_by_text[0].get(target) or self._cells_by_text[1].get(confusable(target)) or []

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
        """Return cells in a row and a column that are named by the text of one of their cells."""
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


def _matches(target: str, texts: list[_Text]) -> list[TextPlace]:
    return [
        TextPlace(block, text, start, start + len(target), cell)
        for block, text, cell in texts
        for start in (_overlapping(text.text, target) if target else ())
    ]


def _overlapping(text: str, target: str) -> list[int]:
    found, at = [], text.find(target)
    while at >= 0:
        found.append(at)
        at = text.find(target, at + 1)
    return found


def _cuts_a_word(place: TextPlace) -> bool:
    """Whether a word or number continues before or after the place."""
    return _runs_on(place.text, place.start) or _runs_on(place.text, place.end)


def _runs_on(text: FoldedText, at: int) -> bool:
    if at in text.gaps or not 0 < at < len(text.text):
        return False
    return all(_WORD_CHARACTER.match(letter) and not _HAN.match(letter) for letter in text.text[at - 1 : at + 1])
