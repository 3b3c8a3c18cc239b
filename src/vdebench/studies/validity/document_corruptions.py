"""Corruptions of the document, which is then typeset again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

from vdebench.studies.validity.subject import CorruptedPage, CorruptionWorkspace, LadderSample
from vdebench.suites.typeset.document import CELLS, Block, Document, DocumentCell, Span, Table, Text

ENOUGH_LETTERS = 8
SIZES = (1.05, 1.1, 1.2, 1.4)
_SIMILAR_WIDTH = ("0123456789", "acekosuvxyz", "bdghnpq", "fijlrt", "mw", "ABCDEFGHKLNOPQRSTUVXYZ", "IJ", "MW")
"""Characters of similar width, so that line breaks stay."""
_COPIED = ("replace_text", "insert_text", "insert_block", "set_cell")


class Letter(NamedTuple):
    """A position in a document: block, part (0 for its text, else the number of a cell), index of the character."""

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


def character_at(document: Document, letter: Letter) -> str:
    """The character at a place."""
    block = document.block(letter.block)
    if isinstance(block, Text):
        return block.text[letter.at]
    assert isinstance(block, Table)
    return block.ordered[letter.part - 1].text[letter.at]


def with_character(document: Document, letter: Letter, new: str) -> Document:
    """The document with one character replaced."""
    block = document.block(letter.block)
    if isinstance(block, Text):
        return document.with_block(block.id, block.with_text(letter.at, letter.at + 1, new))
    assert isinstance(block, Table)
    cell = block.ordered[letter.part - 1]
    return _with_cell(document, block, cell, cell.text[: letter.at] + new + cell.text[letter.at + 1 :])


def _with_cell(document: Document, table: Table, cell: DocumentCell, text: str) -> Document:
    cells = tuple(replace(other, text=text) if other == cell else other for other in table.cells)
    return document.with_block(table.id, replace(table, cells=cells))


def similar_character(letter: str, page: Sequence[str], rng: Random) -> str:
    """Another character of the same kind and similar width; for other scripts, one of the page.

    >>> similar_character("M", [], Random(1)), similar_character("中", ["中", "国"], Random(1))
    ('W', '国')
    """
    candidates = next((group for group in _SIMILAR_WIDTH if letter in group), "".join(page))
    return rng.choice([candidate for candidate in candidates if candidate != letter] or ["○"])


def in_edited_text(subject: LadderSample) -> tuple[list[Letter], list[Letter]]:
    """Letters of the edited text, and those of the rest of its block."""
    target = subject.target
    letters = letters_of(target) if target else []
    spans = [(place.number % CELLS, place.start, place.end) for place in subject.new_places]

    def edited(letter: Letter) -> bool:
        return any(
            letter.part == part and start <= letter.at and (end is None or letter.at < end)
            for part, start, end in spans
        )

    return [letter for letter in letters if edited(letter)], [letter for letter in letters if not edited(letter)]


def has_letters(subject: LadderSample) -> bool:
    """Whether the edited block has enough letters for every level."""
    return sum(map(len, in_edited_text(subject))) >= ENOUGH_LETTERS


def wrong_characters(workspace: CorruptionWorkspace, count: float) -> CorruptedPage:
    """Replace characters of the edited text, then of the rest of its block."""
    rng = workspace.rng("characters")
    first, rest = in_edited_text(workspace.subject)
    positions = rng.sample(first, len(first)) + rng.sample(rest, len(rest))
    return workspace.page(workspace.typeset(_replace_characters(workspace.subject.after, positions, int(count), rng)))


def has_neighbours(subject: LadderSample) -> bool:
    """Whether there is text besides the edited block."""
    return len(_neighbours(subject)) >= 64


def wrong_neighbours(workspace: CorruptionWorkspace, count: float) -> CorruptedPage:
    """Replace characters outside the edited block."""
    rng = workspace.rng("neighbours")
    letters = _neighbours(workspace.subject)
    positions = rng.sample(letters, len(letters))
    return workspace.page(workspace.typeset(_replace_characters(workspace.subject.after, positions, int(count), rng)))


def _neighbours(subject: LadderSample) -> list[Letter]:
    target = subject.target.id if subject.target else -1
    return [letter for block in subject.after.blocks if block.id != target for letter in letters_of(block)]


def _replace_characters(document: Document, positions: Sequence[Letter], count: int, rng: Random) -> Document:
    characters = [character_at(document, letter) for block in document.blocks for letter in letters_of(block)]
    han = sorted({letter for letter in characters if not letter.isascii()})
    for position in positions[:count]:
        document = with_character(document, position, similar_character(character_at(document, position), han, rng))
    return document


def has_copy(subject: LadderSample) -> bool:
    """Whether the edit added text that can be repeated."""
    return subject.edit.action in _COPIED and bool(_new_text(subject))


def _new_text(subject: LadderSample) -> str:
    return str(subject.edit.arguments.get("new", ""))


def done_again(workspace: CorruptionWorkspace, times: float) -> CorruptedPage:
    """Repeat the new text, as often as the page has room."""
    for count in range(int(times), -1, -1):
        document = _with_copies(workspace.subject, count)
        printed = workspace.typeset(document)
        if printed.document == document:
            break
    return workspace.page(printed)


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
    end = subject.new_places[0].end
    assert end is not None
    return document.with_block(target.id, target.with_text(end, end, (space + new) * count))


def is_text(subject: LadderSample) -> bool:
    """Whether the edited block is text: cells of tables have no style of their own."""
    return subject.text_target is not None


def wrong_font(workspace: CorruptionWorkspace, share: float) -> CorruptedPage:
    """Set a share of the edited block in another font."""
    target = workspace.subject.text_target
    assert target is not None
    default = workspace.subject.after.styles[target.role].font
    font = "serif" if default in ("sans", "mono") else "sans"
    end = max(1, round(len(target.text) * share))
    return _restyled(workspace, target.with_style(0, end, font=font))


def wrong_size(workspace: CorruptionWorkspace, factor: float) -> CorruptedPage:
    """Enlarge the edited block, as far as the page has room."""
    target = workspace.subject.text_target
    assert target is not None
    for size in (size for size in reversed((1.0, *SIZES)) if size <= factor):
        larger = tuple(_larger(span, size) for span in target.spans)
        document = workspace.subject.after.with_block(target.id, replace(target, spans=larger))
        printed = workspace.typeset(document)
        if printed.document == document:
            break
    return workspace.page(printed)


def _larger(span: Span, factor: float) -> Span:
    return replace(span, style=replace(span.style, scale=(span.style.scale or 1) * factor))


def wrong_colour(workspace: CorruptionWorkspace, share: float) -> CorruptedPage:
    """Mix the edited block's ink with a bright colour."""
    target = workspace.subject.text_target
    assert target is not None
    default = workspace.subject.after.styles[target.role].ink

    def tinted(span: Span) -> Span:
        return replace(span, style=replace(span.style, ink=mixed(span.style.ink or default, share)))

    return _restyled(workspace, replace(target, spans=tuple(map(tinted, target.spans))))


def mixed(ink: str, share: float) -> str:
    """Mix an ink with red, or with green if it is reddish.

    >>> mixed("#000000", 0.5), mixed("#ff0000", 1.0)
    ('#780a0a', '#14c814')
    """
    old = [int(ink[at : at + 2], 16) for at in (1, 3, 5)]
    target = (20, 200, 20) if old[0] > 150 and max(old[1:]) < 120 else (240, 20, 20)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(old, target, strict=True))


def _restyled(workspace: CorruptionWorkspace, block: Text) -> CorruptedPage:
    return workspace.page(workspace.typeset(workspace.subject.after.with_block(block.id, block)))
