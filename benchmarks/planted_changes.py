"""Typeset pages with planted changes: the exact words and boxes of what differs between two images of a page.

`digit`, `letter`, `word`, `punctuation` and `added_sentence` are made in the document, and the page is typeset again:
other words may move, but the list has only the real change. `lost_line` and `duplicated_line` leave the layout alone.
One page may have several changes of the first four kinds, on distinct lines (see `PLANS`), which saves time.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
import pypdfium2.raw as raw
from changed_words import HAN, NUMBER, STOP, WORD, misspelt, other_number, other_stop, other_word
from look_alikes import chinese_look_alikes
from page_transformations import TRANSFORMATIONS

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.core.sample import SOURCES
from vdebench.suites.typeset.document import CELLS, Document, Table, Text
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.ground_truth import is_legible
from vdebench.suites.typeset.kinds import KINDS
from vdebench.suites.typeset.language_rules import font_folders, get_language
from vdebench.suites.typeset.typesetter import TypesetPage, Typesetter
from vdebench.suites.typeset.words import Writer

__all__ = ["PLANS", "TRANSFORMATIONS", "Page", "Planted", "PlantedPair", "pieces", "plant", "typeset_pages"]

PLANS: dict[str, dict[str, int]] = {
    "characters": {"digit": 3, "letter": 3, "word": 2, "punctuation": 2},
    "lost_line": {"lost_line": 1},
    "duplicated_line": {"duplicated_line": 1},
    "added_sentence": {"added_sentence": 1},
}
"""Changes that are planted on one page, by the name of the plan."""
PLANTED_KINDS = tuple(kind for plan in PLANS.values() for kind in plan)
PPIS = (150, 150, 130, 110)
"""Resolutions, one drawn for each page: the project's default and lower ones."""
_RESERVE = 30
"""Points left free at the end of an area, so that a sentence can be added."""
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


class Line(NamedTuple):
    """A line of a text block: its text, its ink, and the runs of the PDF."""

    text: str
    box: Box
    runs: list[int]


def typeset_pages(
    seeds: Iterable[int], languages: Sequence[str] = ("en", "zh"), ppi: int | Sequence[int] = PPIS
) -> Iterator[Page]:
    """Yield one page for each seed; the nine kinds and the languages take turns among even and among odd seeds."""
    for seed in seeds:
        kind, language = SOURCES[seed % len(SOURCES)], languages[seed // 2 % len(languages)]
        resolution = ppi if isinstance(ppi, int) else Random(f"ppi/{seed}").choice(ppi)
        typesetter = _typesetter(resolution)
        for attempt in range(60):
            document = KINDS[kind](get_language(language), Random(f"planted/{seed}/{attempt}"))
            with closing(typesetter.print(document, _RESERVE)) as sheet:
                document = document.only(sheet.present)
                if is_legible(document, sheet):
                    break
        yield Page(seed, language, document, typesetter)


@cache
def _typesetter(ppi: int) -> Typesetter:
    return Typesetter(ppi, font_folders())


def plant(page: Page, counts: Mapping[str, int], rng: Random, kept: Collection[int] = ()) -> PlantedPair:
    """Plant changes of some kinds; fewer, or none, if the page has no place for them.

    `counts` has the number of changes per kind, as in `PLANS`. Lost and duplicated lines are not combined with others.
    Blocks with an id in `kept` keep their words.
    """
    with closing(page.typesetter.print(page.document)) as sheet:
        before = sheet.image()
        if "lost_line" in counts:
            return _lose_line(page, sheet, before, rng)
        if "duplicated_line" in counts:
            return _duplicate_line(page, sheet, before, rng)
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


def _lines(page: Page, sheet: TypesetPage) -> Iterator[list[Line]]:
    """The lines of each text block."""
    for block in page.document.blocks:
        if not isinstance(block, Text):
            continue
        lines: list[Line] = []
        number = block.id * CELLS
        ink = sheet.marks[number].ink
        for run, places in enumerate(sheet.letter_indices(number, block.text)):
            words = block.text[places[0] : places[-1] + 1]
            if run and ink[run].x1 >= ink[run - 1].x1 and ink[run].y1 < ink[run - 1].y2:
                last = lines[-1]
                lines[-1] = Line(last.text + words, Box.around([last.box, ink[run]]), [*last.runs, run])
            else:
                lines.append(Line(words, ink[run], [run]))
        yield [line._replace(runs=[number, *line.runs]) for line in lines]


def _without(sheet: TypesetPage, lines: Sequence[Line]) -> Image:
    """The page without some lines; the last use of the sheet."""
    for line in lines:
        number, *runs = line.runs
        for run in runs:
            for recolour in (raw.FPDFPageObj_SetFillColor, raw.FPDFPageObj_SetStrokeColor):
                recolour(sheet.marks[number].objects[run], 0, 0, 0, 0)
    return sheet.image()


def _lose_line(page: Page, sheet: TypesetPage, before: Image, rng: Random) -> PlantedPair:
    """Remove one line, or a paragraph of two lines."""
    choices = [[line] for lines in _lines(page, sheet) for line in lines if len(line.text) >= 5]
    choices += [lines for lines in _lines(page, sheet) if len(lines) == 2]
    lost = rng.choice(choices)
    text = " ".join(line.text.strip() for line in lost)
    box = Box.around(line.box for line in lost)
    planted = Planted("lost_line", text, "", box, lost[0].box.y2 - lost[0].box.y1, box)
    return PlantedPair(before, _without(sheet, lost), [planted])


def _duplicate_line(page: Page, sheet: TypesetPage, before: Image, rng: Random) -> PlantedPair:
    """Repeat a line in the nearest blank place of the same background, below it if there is one."""
    lines = [line for lines in _lines(page, sheet) for line in lines if len(line.text) >= 5]
    rng.shuffle(lines)
    for line in lines[:200]:
        spot = _blank_spot(before, line.box)
        if spot is None:
            continue
        x, y, height, width = *spot, *_window(line.box)
        left, top = int(line.box.x1), int(line.box.y1)
        bare = _without(sheet, [line])
        ink = before.astype(int) - bare  # the line's own ink, without its neighbours'
        after = before.astype(int)
        after[y : y + height, x : x + width] += ink[top : top + height, left : left + width]
        box = Box(line.box.x1 + x - left, line.box.y1 + y - top, line.box.x2 + x - left, line.box.y2 + y - top)
        planted = Planted("duplicated_line", "", line.text.strip(), box, line.box.y2 - line.box.y1, box)
        return PlantedPair(before, np.clip(after, 0, 255).astype(np.uint8), [planted])
    return PlantedPair(before, before, [])


def _window(box: Box) -> tuple[int, int]:
    return int(box.y2) + 2 - int(box.y1), int(box.x2) + 2 - int(box.x1)


def _blank_spot(image: Image, box: Box) -> tuple[int, int] | None:
    """Top left corner of the nearest place for a line, with room around it; None if there is none."""
    height, width = _window(box)
    margin, beside = max(3, height // 3), 2 * height
    background = image[max(0, int(box.y1) - 2), max(0, int(box.x1) - 2)]
    used = np.pad((image != background).any(axis=2).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    tall, wide = height + 2 * margin, width + 2 * beside
    inside = used[tall:, wide:] - used[:-tall, wide:] - used[tall:, :-wide] + used[:-tall, :-wide]
    ys, xs = np.nonzero(inside == 0)
    if not len(ys):
        return None
    down, across = ys + margin - box.y1, np.abs(xs + beside - box.x1)
    best = np.argmin(np.where(down > 0, down, -2 * down) + 2 * across)
    return int(xs[best]) + beside, int(ys[best]) + margin
