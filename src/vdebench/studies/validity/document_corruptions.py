"""Corruptions of the document, which is then set again: pixels and reading are both what a typesetter would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from vdebench.studies.validity.subject import CorruptedPage, CorruptionWorkspace, LadderSample
from vdebench.suites.typeset.document import CELLS, Block, Document, DocumentCell, Span, Table, Text

ENOUGH_LETTERS = 8
SIZES = (1.05, 1.1, 1.2, 1.4)
_ALIKE = ("0123456789", "acekosuvxyz", "bdghnpq", "fijlrt", "mw", "ABCDEFGHKLNOPQRSTUVXYZ", "IJ", "MW")
"""Characters of about one width: the lines of a block then break where they did."""
_COPIED = ("replace_text", "insert_text", "insert_block", "set_cell")


class Letter(NamedTuple):
    """A place in a document's text: block, part of it (0 for all its text, else the cell's number), character."""

    block: int
    part: int
    at: int


def letters_of(block: Block) -> list[Letter]:
    """Letters and digits of a block."""
    if isinstance(block, Text):
        pieces: list[tuple[int, str]] = [(0, block.text)]
    elif isinstance(block, Table):
        pieces = [(k, cell.text) for k, cell in enumerate(block.ordered, start=1)]
    else:
        pieces = []
    return [Letter(block.id, part, at) for part, text in pieces for at, letter in enumerate(text) if letter.isalnum()]


def character_at(document: Document, place: Letter) -> str:
    """The character at a place."""
    block = document.block(place.block)
    if isinstance(block, Text):
        return block.text[place.at]
    assert isinstance(block, Table)
    return block.ordered[place.part - 1].text[place.at]


def with_character(document: Document, place: Letter, new: str) -> Document:
    """The document with one character replaced."""
    block = document.block(place.block)
    if isinstance(block, Text):
        return document.with_block(block.id, block.with_text(place.at, place.at + 1, new))
    assert isinstance(block, Table)
    cell = block.ordered[place.part - 1]
    return _with_cell(document, block, cell, cell.text[: place.at] + new + cell.text[place.at + 1 :])


def _with_cell(document: Document, table: Table, cell: DocumentCell, text: str) -> Document:
    cells = tuple(replace(each, text=text) if each == cell else each for each in table.cells)
    return document.with_block(table.id, replace(table, cells=cells))


def another(letter: str, page: Sequence[str], rng: Random) -> str:
    """Another character of the same kind and about the same width; of a script we do not know, one the page has.

    >>> another("7", [], Random(1)).isdigit(), another("M", [], Random(1)), another("中", ["中", "国"], Random(1))
    (True, 'W', '国')
    """
    alike = next((group for group in _ALIKE if letter in group), "".join(page))
    return rng.choice([each for each in alike if each != letter] or ["○"])


def in_edited_text(subject: LadderSample) -> tuple[list[Letter], list[Letter]]:
    """Letters of the edited text, and those of the rest of its block."""
    target = subject.target
    letters = letters_of(target) if target else []
    spans = [(place.number % CELLS, place.start, place.end) for place in subject.edited]

    def edited(letter: Letter) -> bool:
        return any(
            letter.part == part and start <= letter.at and (end is None or letter.at < end)
            for part, start, end in spans
        )

    return [each for each in letters if edited(each)], [each for each in letters if not edited(each)]


def has_letters(subject: LadderSample) -> bool:
    """Whether the edited block has enough letters for every level."""
    return sum(map(len, in_edited_text(subject))) >= ENOUGH_LETTERS


def wrong_characters(workshop: CorruptionWorkspace, count: float) -> CorruptedPage:
    """So many characters wrong: the edited text's, then its block's where it has no more."""
    rng = workshop.rng("characters")
    first, then = in_edited_text(workshop.subject)
    places = rng.sample(first, len(first)) + rng.sample(then, len(then))
    return workshop.page(workshop.set(_damaged(workshop.subject.after, places, int(count), rng)))


def has_neighbours(subject: LadderSample) -> bool:
    """Whether there is text besides the edited block."""
    return len(_neighbours(subject)) >= 64


def wrong_neighbours(workshop: CorruptionWorkspace, count: float) -> CorruptedPage:
    """So many characters wrong, all outside the edited block."""
    rng = workshop.rng("neighbours")
    letters = _neighbours(workshop.subject)
    places = rng.sample(letters, len(letters))
    return workshop.page(workshop.set(_damaged(workshop.subject.after, places, int(count), rng)))


def _neighbours(subject: LadderSample) -> list[Letter]:
    own = subject.target.id if subject.target else -1
    return [letter for block in subject.after.blocks if block.id != own for letter in letters_of(block)]


def _damaged(document: Document, places: Sequence[Letter], count: int, rng: Random) -> Document:
    every = [character_at(document, letter) for block in document.blocks for letter in letters_of(block)]
    han = sorted({letter for letter in every if not letter.isascii()})
    for place in places[:count]:
        document = with_character(document, place, another(character_at(document, place), han, rng))
    return document


def has_copy(subject: LadderSample) -> bool:
    """Whether the edit wrote something that can be written again."""
    return subject.edit.action in _COPIED and bool(_new_text(subject))


def _new_text(subject: LadderSample) -> str:
    return str(subject.edit.arguments.get("new", ""))


def done_again(workshop: CorruptionWorkspace, times: float) -> CorruptedPage:
    """The edit's text once more, and once more, as often as the page has room for."""
    for count in range(int(times), -1, -1):
        document = _with_copies(workshop.subject, count)
        made = workshop.set(document)
        if made.document == document:
            break
    return workshop.page(made)


def _with_copies(subject: LadderSample, count: int) -> Document:
    target, new, document = subject.target, _new_text(subject), subject.after
    space = "" if new and not new[-1].isascii() else " "
    if subject.edit.action == "insert_block":
        assert isinstance(target, Text)
        copies = [replace(target, id=document.next_id + k) for k in range(count)]
        return document.with_block(target.id, target, *copies)
    if isinstance(target, Table):
        cell = target.at(subject.edit.arguments["row"], subject.edit.arguments["column"])
        return _with_cell(document, target, cell, space.join([new] * (1 + count)))
    assert isinstance(target, Text)
    end = subject.edited[0].end
    assert end is not None
    return document.with_block(target.id, target.with_text(end, end, (space + new) * count))


def is_text(subject: LadderSample) -> bool:
    """Whether the edited block is text: cells of tables have no style of their own."""
    return subject.text_target is not None


def wrong_font(workshop: CorruptionWorkspace, share: float) -> CorruptedPage:
    """That share of the edited block in another font."""
    target = workshop.subject.text_target
    assert target is not None
    usual = workshop.subject.after.styles[target.role].font
    font = "serif" if usual in ("sans", "mono") else "sans"
    end = max(1, round(len(target.text) * share))
    return _restyled(workshop, target.with_style(0, end, font=font))


def wrong_size(workshop: CorruptionWorkspace, factor: float) -> CorruptedPage:
    """The edited block that much larger, as far as the page has room for it."""
    target = workshop.subject.text_target
    assert target is not None
    for size in (size for size in reversed((1.0, *SIZES)) if size <= factor):
        larger = tuple(_larger(span, size) for span in target.spans)
        document = workshop.subject.after.with_block(target.id, replace(target, spans=larger))
        made = workshop.set(document)
        if made.document == document:
            break
    return workshop.page(made)


def _larger(span: Span, factor: float) -> Span:
    return replace(span, style=replace(span.style, scale=(span.style.scale or 1) * factor))


def wrong_colour(workshop: CorruptionWorkspace, share: float) -> CorruptedPage:
    """The edited block's ink mixed with so much of a colour that is far from it."""
    target = workshop.subject.text_target
    assert target is not None
    usual = workshop.subject.after.styles[target.role].ink

    def tinted(span: Span) -> Span:
        return replace(span, style=replace(span.style, ink=mixed(span.style.ink or usual, share)))

    return _restyled(workshop, replace(target, spans=tuple(map(tinted, target.spans))))


def mixed(ink: str, share: float) -> str:
    """An ink mixed with a bright colour: red, or green where it is red already.

    >>> mixed("#000000", 0.5), mixed("#ff0000", 1.0)
    ('#780a0a', '#14c814')
    """
    old = [int(ink[at : at + 2], 16) for at in (1, 3, 5)]
    far = (20, 200, 20) if old[0] > 150 and max(old[1:]) < 120 else (240, 20, 20)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(old, far, strict=True))


def _restyled(workshop: CorruptionWorkspace, block: Text) -> CorruptedPage:
    return workshop.page(workshop.set(workshop.subject.after.with_block(block.id, block)))
