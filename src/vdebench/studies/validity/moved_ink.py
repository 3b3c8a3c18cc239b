"""Moving and removing ink after a page was typeset, with the ground truth that matches the new pixels."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from vdebench.core.box import Box
from vdebench.suites.typeset.document import CELLS, Block, Document, DocumentCell, Table, Text
from vdebench.suites.typeset.typesetter import PieceMark, TypesetPage

Stretches = dict[int, list[list[int]]]


class MovedInkSheet(TypesetPage):
    """A sheet with modifiable marks. Pixels are not checked: the caller modifies them."""

    def __init__(self, sheet: TypesetPage, stretches: Stretches) -> None:
        self.scale = sheet.scale
        self.size = sheet.size
        self.marks = {number: PieceMark(mark.box, [*mark.ink], []) for number, mark in sheet.marks.items()}
        self._known = stretches

    def close(self) -> None:
        """Do nothing: the owner of the original sheet closes it."""

    def letter_indices(self, number: int, text: str) -> list[list[int]]:
        """For each stretch of a piece, the indices of its printed letters in the text."""
        return self._known[number]


def movable_sheet(document: Document, sheet: TypesetPage) -> MovedInkSheet:
    """Copy a sheet so that its ink can be moved."""
    stretches = {
        number: sheet.letter_indices(number, text) for number, text in _texts(document) if number in sheet.marks
    }
    return MovedInkSheet(sheet, stretches)


def _texts(document: Document) -> list[tuple[int, str]]:
    """Number and text of every piece of text."""
    pieces: list[tuple[int, str]] = []
    for block in document.blocks:
        if isinstance(block, Text):
            pieces.append((block.id * CELLS, block.text))
        elif isinstance(block, Table):
            pieces += [(block.id * CELLS + k, cell.text) for k, cell in enumerate(block.ordered, start=1)]
    return pieces


def move(sheet: MovedInkSheet, block: int, change: Callable[[Box], Box]) -> None:
    """Move all ink of a block."""
    for number, mark in sheet.marks.items():
        if number // CELLS == block:
            mark.box = change(mark.box)
            mark.ink = [change(ink) for ink in mark.ink]


def wipe(
    document: Document, sheet: MovedInkSheet, area: Box, only: Callable[[int], bool] = lambda block: True
) -> Document:
    """Remove the letters whose centre is in an area, of the blocks selected by `only`; return the new document."""
    for block in list(document.blocks):
        if only(block.id):
            remaining = _wipe_block(block, sheet, area)
            document = document.with_block(block.id, *([remaining] if remaining else []))
    return document


def _wipe_block(block: Block, sheet: MovedInkSheet, area: Box) -> Block | None:
    number = block.id * CELLS
    mark = sheet.marks[number]
    if isinstance(block, Text):
        removed = _wipe_piece(sheet, number, block.text, area)
        for at in sorted(removed, reverse=True):
            block = block.with_text(at, at + 1, "")
        return block if block.text else None
    if isinstance(block, Table):
        cells: list[DocumentCell] = []
        for k, cell in enumerate(block.ordered, start=1):
            removed = _wipe_piece(sheet, number + k, cell.text, area) if number + k in sheet.marks else []
            cells.append(replace(cell, text=_without(cell.text, removed)))
        mark.box = clipped(mark.box, area)
        return replace(block, cells=tuple(cells)) if any(cell.text for cell in cells) else None
    return None if _contains_centre(area, mark.box) else block


def _wipe_piece(sheet: MovedInkSheet, number: int, text: str, area: Box) -> list[int]:
    """Remove a piece's ink from an area; return the indices of the removed characters."""
    mark, remaining_ink, remaining_indices = sheet.marks[number], list[Box](), list[list[int]]()
    stretches = sheet.letter_indices(number, text)
    wiped: set[int] = set()
    for ink, indices in zip(mark.ink, stretches, strict=True):
        letters = list(zip(indices, split_evenly(ink, len(indices)), strict=True))
        visible = [(index, box) for index, box in letters if not _contains_centre(area, box)]
        wiped |= {index for index, _ in letters} - {index for index, _ in visible}
        if len(visible) == len(letters):
            remaining_ink.append(ink)
            remaining_indices.append([*indices])
        elif any(not text[index].isspace() for index, _ in visible):
            remaining_ink.append(Box.around(box for index, box in visible if not text[index].isspace()))
            remaining_indices.append([index for index, _ in visible])
    if not wiped:
        return []
    removed = _with_spaces(text, wiped)
    remaining = [position for position in range(len(text)) if position not in removed]
    new = {old: position for position, old in enumerate(remaining)}
    mark.ink = remaining_ink
    sheet._known[number] = [[new[index] for index in indices if index in new] for indices in remaining_indices]
    return sorted(removed)


def _with_spaces(text: str, indices: Collection[int]) -> set[int]:
    """The indices, and those of spaces left over after them or at the ends.

    >>> sorted(_with_spaces("one two six", {4, 5, 6}))
    [4, 5, 6, 7]
    """
    removed = set(indices)
    for index, letter in enumerate(text):
        if letter.isspace() and index not in removed and (index == 0 or index - 1 in removed):
            removed.add(index)
    for index in reversed(range(len(text))):
        if index not in removed:
            if not text[index].isspace():
                break
            removed.add(index)
    return removed


def _without(text: str, removed: Collection[int]) -> str:
    return "".join(letter for index, letter in enumerate(text) if index not in removed)


def split_evenly(ink: Box, count: int) -> list[Box]:
    """Split a stretch into letters of equal width, an approximation.

    >>> split_evenly(Box(0, 0, 10, 4), 2)
    [Box(x1=0.0, y1=0, x2=5.0, y2=4), Box(x1=5.0, y1=0, x2=10.0, y2=4)]
    """
    step = (ink.x2 - ink.x1) / max(1, count)
    return [Box(ink.x1 + k * step, ink.y1, ink.x1 + (k + 1) * step, ink.y2) for k in range(count)]


def clipped(box: Box, area: Box) -> Box:
    """Cut off the end of a box that an area covers.

    >>> clipped(Box(0, 0, 10, 10), Box(6, -1, 12, 11))
    Box(x1=0, y1=0, x2=6, y2=10)
    """
    if area.y1 <= box.y1 and area.y2 >= box.y2:
        if area.x1 <= box.x1 < area.x2 < box.x2:
            return box._replace(x1=area.x2)
        if area.x2 >= box.x2 > area.x1 > box.x1:
            return box._replace(x2=area.x1)
    if area.x1 <= box.x1 and area.x2 >= box.x2:
        if area.y1 <= box.y1 < area.y2 < box.y2:
            return box._replace(y1=area.y2)
        if area.y2 >= box.y2 > area.y1 > box.y1:
            return box._replace(y2=area.y1)
    return box


def _contains_centre(area: Box, box: Box) -> bool:
    x, y = (box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2
    return area.x1 <= x < area.x2 and area.y1 <= y < area.y2
