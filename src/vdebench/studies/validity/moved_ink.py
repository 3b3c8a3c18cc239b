"""Ink that was moved or taken away after a page was set: the sheet that reads as the pixels now are."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from vdebench.core.box import Box
from vdebench.suites.typeset.document import CELLS, Block, Document, DocumentCell, Table, Text
from vdebench.suites.typeset.typesetter import PieceMark, TypesetPage

Stretches = dict[int, list[list[int]]]


class MovedInkSheet(TypesetPage):
    """A sheet with marks of its own. Its pixels are whoever changed them's business."""

    def __init__(self, sheet: TypesetPage, stretches: Stretches) -> None:
        self.scale = sheet.scale
        self.size = sheet.size
        self.marks = {number: PieceMark(mark.box, [*mark.ink], []) for number, mark in sheet.marks.items()}
        self._known = stretches

    def close(self) -> None:
        """Nothing to give back: the sheet it was made from is closed by its owner."""

    def letter_indices(self, number: int, text: str) -> list[list[int]]:
        """For each stretch of a piece, where in its text each of the printed letters stands."""
        return self._known[number]


def placed(document: Document, sheet: TypesetPage) -> MovedInkSheet:
    """The sheet as one whose ink can be moved."""
    found = {number: sheet.letter_indices(number, text) for number, text in _texts(document) if number in sheet.marks}
    return MovedInkSheet(sheet, found)


def _texts(document: Document) -> list[tuple[int, str]]:
    """Number and text of every piece that can lose letters."""
    pieces: list[tuple[int, str]] = []
    for block in document.blocks:
        if isinstance(block, Text):
            pieces.append((block.id * CELLS, block.text))
        elif isinstance(block, Table):
            pieces += [(block.id * CELLS + k, cell.text) for k, cell in enumerate(block.ordered, start=1)]
    return pieces


def move(sheet: MovedInkSheet, block: int, change: Callable[[Box], Box]) -> None:
    """Put all ink of a block elsewhere."""
    for number, mark in sheet.marks.items():
        if number // CELLS == block:
            mark.box = change(mark.box)
            mark.ink = [change(ink) for ink in mark.ink]


def wipe(
    document: Document, sheet: MovedInkSheet, area: Box, only: Callable[[int], bool] = lambda block: True
) -> Document:
    """Take away the letters whose middle lies in an area, of the blocks that `only` says; what is left reads so."""
    for block in list(document.blocks):
        if only(block.id):
            left = _wiped(block, sheet, area)
            document = document.with_block(block.id, *([left] if left else []))
    return document


def _wiped(block: Block, sheet: MovedInkSheet, area: Box) -> Block | None:
    number = block.id * CELLS
    mark = sheet.marks[number]
    if isinstance(block, Text):
        gone = _wipe_piece(sheet, number, block.text, area)
        for at in sorted(gone, reverse=True):
            block = block.with_text(at, at + 1, "")
        return block if block.text else None
    if isinstance(block, Table):
        cells: list[DocumentCell] = []
        for k, cell in enumerate(block.ordered, start=1):
            gone = _wipe_piece(sheet, number + k, cell.text, area) if number + k in sheet.marks else []
            cells.append(replace(cell, text=_without(cell.text, gone)))
        mark.box = clipped(mark.box, area)
        return replace(block, cells=tuple(cells)) if any(cell.text for cell in cells) else None
    return None if _holds_middle(area, mark.box) else block


def _wipe_piece(sheet: MovedInkSheet, number: int, text: str, area: Box) -> list[int]:
    """Take a piece's ink out of an area; which of its characters go with it."""
    mark, kept_ink, kept_places = sheet.marks[number], list[Box](), list[list[int]]()
    stretches = sheet.letter_indices(number, text)
    lost: set[int] = set()
    for ink, places in zip(mark.ink, stretches, strict=True):
        letters = list(zip(places, evenly(ink, len(places)), strict=True))
        kept = [(place, box) for place, box in letters if not _holds_middle(area, box)]
        lost |= {place for place, _ in letters} - {place for place, _ in kept}
        if len(kept) == len(letters):
            kept_ink.append(ink)
            kept_places.append([*places])
        elif any(not text[place].isspace() for place, _ in kept):
            kept_ink.append(Box.around(box for place, box in kept if not text[place].isspace()))
            kept_places.append([place for place, _ in kept])
    if not lost:
        return []
    gone = _with_spaces(text, lost)
    left = [at for at in range(len(text)) if at not in gone]
    new = {old: at for at, old in enumerate(left)}
    mark.ink = kept_ink
    sheet._known[number] = [[new[place] for place in places if place in new] for places in kept_places]
    return sorted(gone)


def _with_spaces(text: str, lost: Collection[int]) -> set[int]:
    """The lost places, and the spaces that would be left over behind them or at the ends.

    >>> sorted(_with_spaces("one two six", {4, 5, 6}))
    [4, 5, 6, 7]
    """
    gone = set(lost)
    for at, letter in enumerate(text):
        if letter.isspace() and at not in gone and (at == 0 or at - 1 in gone):
            gone.add(at)
    for at in reversed(range(len(text))):
        if at not in gone:
            if not text[at].isspace():
                break
            gone.add(at)
    return gone


def _without(text: str, gone: Collection[int]) -> str:
    return "".join(letter for at, letter in enumerate(text) if at not in gone)


def evenly(ink: Box, count: int) -> list[Box]:
    """A stretch cut into as many letters, all of one width: near enough to say which are covered.

    >>> evenly(Box(0, 0, 10, 4), 2)
    [Box(x1=0.0, y1=0, x2=5.0, y2=4), Box(x1=5.0, y1=0, x2=10.0, y2=4)]
    """
    step = (ink.x2 - ink.x1) / max(1, count)
    return [Box(ink.x1 + k * step, ink.y1, ink.x1 + (k + 1) * step, ink.y2) for k in range(count)]


def clipped(box: Box, area: Box) -> Box:
    """A box without an area that covers one end of it.

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


def _holds_middle(area: Box, box: Box) -> bool:
    x, y = (box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2
    return area.x1 <= x < area.x2 and area.y1 <= y < area.y2
