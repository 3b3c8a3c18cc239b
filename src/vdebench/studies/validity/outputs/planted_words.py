"""Words with planted changes in a typeset document: the exact words and boxes of what differs between two pages.

The document is changed and typeset again: other words may move, but the list has only the real changes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.studies.validity.outputs.changed_words import (
    HAN,
    NUMBER,
    STOP,
    WORD,
    misspelt,
    other_number,
    other_stop,
    other_word,
)
from vdebench.studies.validity.outputs.look_alikes import chinese_look_alikes
from vdebench.suites.typeset.document import CELLS, Document, Table, Text
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.ground_truth import is_legible
from vdebench.suites.typeset.language_rules import get_language
from vdebench.suites.typeset.typesetter import TypesetPage, Typesetter
from vdebench.suites.typeset.words import Writer

_ATTEMPTS = 8


class Planted(NamedTuple):
    """A planted change: whole words or numbers before and after (for Chinese, the characters that differ)."""

    kind: str
    before: str
    after: str
    box: Box
    """Where it is on the page before, in pixels; for added text the line after which it stands."""
    height: float
    """Height of its line's ink on the page before, in pixels."""
    box_after: Box
    """Where it is on the page after."""

    @property
    def difference(self) -> tuple[str, str]:
        """The differing characters: both texts without their common beginning and end.

        >>> Planted("digit", "1,250", "1,350", Box(0, 0, 9, 9), 9, Box(0, 0, 9, 9)).difference
        ('2', '3')
        """
        old, new, start = self.before, self.after, 0
        while start < min(len(old), len(new)) and old[start] == new[start]:
            start += 1
        end = 0
        while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
            end += 1
        return old[start : len(old) - end], new[start : len(new) - end]


class PlantedPair(NamedTuple):
    """A page before and after its planted changes."""

    before: Image
    after: Image
    planted: list[Planted]


@dataclass(frozen=True)
class Page:
    """A document and the typesetter of its resolution."""

    seed: int
    language: str
    document: Document
    typesetter: Typesetter

    @property
    def name(self) -> str:
        """Seed, language, kind and resolution."""
        return f"{self.seed}-{self.language}-{self.document.kind}-{self.typesetter.ppi:g}"

    def image(self) -> Image:
        """The page as it is."""
        with closing(self.typesetter.print(self.document)) as sheet:
            return sheet.image()


class Place(NamedTuple):
    """A range of the text of a block (`part` 0) or of one of its cells (counted from 1), and its new text."""

    kind: str
    block: int
    part: int
    start: int
    end: int
    new: str


def plant_words(page: Page, counts: Mapping[str, int], rng: Random, kept: Collection[int] = ()) -> PlantedPair:
    """Plant changes on distinct lines; fewer, or none, if the page has no place for them.

    `counts` has the number of changes per kind: `digit`, `letter`, `word`, `punctuation`, `added_sentence`. Blocks with
    an id in `kept` keep their words.
    """
    with closing(page.typesetter.print(page.document)) as sheet:
        before = sheet.image()
        for _ in range(_ATTEMPTS):
            places = _choose_places(page, sheet, counts, rng, kept)
            edited = _edited(page.document, places)
            with closing(page.typesetter.print(edited)) as after:
                if after.present == sheet.present and is_legible(edited, after):
                    planted = _located(page.document, sheet, edited, after, places)
                    return PlantedPair(before, after.image(), planted)
    return PlantedPair(before, before, [])


def pieces(document: Document) -> Iterator[tuple[int, int, str]]:
    """Every text block and table cell: block, part, text."""
    for block in document.blocks:
        if isinstance(block, Text):
            yield block.id, 0, block.text
        elif isinstance(block, Table):
            yield from ((block.id, part, cell.text) for part, cell in enumerate(block.ordered, start=1) if cell.text)


def _text_of(document: Document, block: int, part: int) -> str:
    return next(text for *piece, text in pieces(document) if piece == [block, part])


def _choose_places(
    page: Page, sheet: TypesetPage, counts: Mapping[str, int], rng: Random, kept: Collection[int]
) -> list[Place]:
    """Choose places on distinct lines."""
    chosen: list[Place] = []
    taken: list[Box] = []
    for kind, count in counts.items():
        candidates = [place for place in _candidates(page, kind, rng) if place.block not in kept]
        rng.shuffle(candidates)
        for place in candidates:
            if sum(each.kind == kind for each in chosen) == count:
                break
            text = _text_of(page.document, place.block, place.part)
            start = place.end - 1 if kind == "added_sentence" else place.start
            boxes = sheet.part(place.block * CELLS + place.part, text, start, place.end)
            if len(boxes) != 1:
                continue  # on two lines, or not printed
            near = Box(boxes[0].x1 - 200, boxes[0].y1 - 12, boxes[0].x2 + 200, boxes[0].y2 + 12)
            if all(near.shared_area(other) == 0 for other in taken):
                chosen.append(place)
                taken.append(boxes[0])
    return chosen


def _candidates(page: Page, kind: str, rng: Random) -> Iterator[Place]:
    words = sorted({word for *_, text in pieces(page.document) for word in WORD.findall(text)})
    pairs = sorted({pair for *_, text in pieces(page.document) for pair in re.findall(f"[{HAN}]{{2}}", text)})
    for block, part, text in pieces(page.document):
        match kind:
            case "digit":
                for found in NUMBER.finditer(text):
                    yield Place(kind, block, part, *found.span(), other_number(found[0], rng))
            case "letter":
                for found in WORD.finditer(text):
                    if len(found[0]) >= 3 and page.language == "en":
                        yield Place(kind, block, part, *found.span(), misspelt(found[0], rng))
                for at, letter in enumerate(text):
                    if letter in chinese_look_alikes():
                        yield Place(kind, block, part, at, at + 1, rng.choice(chinese_look_alikes()[letter]))
            case "word":
                for found in WORD.finditer(text) if page.language == "en" else re.finditer(f"[{HAN}]{{2}}", text):
                    new = other_word(found[0], words if page.language == "en" else pairs, rng)
                    if len(found[0]) >= 4 or page.language != "en":
                        yield Place(kind, block, part, *found.span(), new)
            case "punctuation":
                for found in STOP.finditer(text):
                    yield Place(kind, block, part, *found.span(), other_stop(found[0], rng))
            case "added_sentence":
                target = page.document.block(block)
                rules = get_language(page.language).rules_of(text)
                writer = Writer(get_language(page.language), rng, page.document.topic)
                for start, end in target.sentences if isinstance(target, Text) else ():
                    new = text[start:end] + rules.separator + writer.sentence(rules.code).text
                    yield Place(kind, block, part, start, end, new)


def _edited(document: Document, places: Sequence[Place]) -> Document:
    for place in sorted(places, key=lambda each: -each.start):
        block = document.block(place.block)
        if isinstance(block, Table):
            cell = block.ordered[place.part - 1]
            new = cell.text[: place.start] + place.new + cell.text[place.end :]
            edit = DocumentEdit("set_cell", block.id, {"row": cell.row, "column": cell.column, "new": new})
        else:
            arguments = {"start": place.start, "end": place.end, "new": place.new}
            edit = DocumentEdit("replace_text", block.id, arguments)
        document = edit.apply(document)
    return document


def _located(
    document: Document, sheet: TypesetPage, edited: Document, after: TypesetPage, places: Sequence[Place]
) -> list[Planted]:
    """Return the changes with the boxes of their words on both pages."""
    planted = []
    for place in places:
        number = place.block * CELLS + place.part
        text, new_text = (_text_of(each, place.block, place.part) for each in (document, edited))
        earlier = (other for other in places if other[1:3] == place[1:3] and other.start < place.start)
        start = place.start + sum(len(other.new) - (other.end - other.start) for other in earlier)
        old, new, place_start = text[place.start : place.end], place.new, place.start
        if place.kind == "added_sentence":
            place_start, start, new = place.end - 1, start + len(old), new[len(old) :]
            old = ""
        box = Box.around(sheet.part(number, text, place_start, place.end))
        box_after = Box.around(after.part(number, new_text, start, start + len(new)))
        height = _line_height(sheet, number, box)
        planted.append(Planted(place.kind, old, new.strip(), box, height, box_after))
    return planted


def _line_height(sheet: TypesetPage, number: int, box: Box) -> float:
    middle = (box.y1 + box.y2) / 2
    return max(ink.y2 - ink.y1 for ink in sheet.marks[number].ink if ink.y1 <= middle <= ink.y2)
