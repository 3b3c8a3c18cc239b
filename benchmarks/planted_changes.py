"""Typeset pages with planted changes: the exact words and boxes of what differs between two images of a page.

`digit`, `letter`, `word`, `punctuation` and `added_sentence` are made in the document, and the page is typeset again:
other words may move, but the list has only the real change. `lost_line` and `duplicated_line` leave the layout alone.
One page may have several changes of the first four kinds, on distinct lines (see `PLANS`), which saves time. The kinds
made in the document are those of `vdebench.studies.validity.outputs.planted_words`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
import pypdfium2.raw as raw
from page_transformations import TRANSFORMATIONS

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.core.sample import SOURCES
from vdebench.studies.validity.outputs.planted_words import Page, Planted, PlantedPair, pieces, plant_words
from vdebench.suites.typeset.document import CELLS, Text
from vdebench.suites.typeset.ground_truth import is_legible
from vdebench.suites.typeset.kinds import KINDS
from vdebench.suites.typeset.language_rules import font_folders, get_language
from vdebench.suites.typeset.typesetter import TypesetPage, Typesetter

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


def plant(page: Page, counts: Mapping[str, int], rng: Random) -> PlantedPair:
    """Plant changes of some kinds; fewer, or none, if the page has no place for them.

    `counts` has the number of changes per kind, as in `PLANS`. Lost and duplicated lines are not combined with others.
    """
    change = _lose_line if "lost_line" in counts else _duplicate_line if "duplicated_line" in counts else None
    if change is None:
        return plant_words(page, counts, rng)
    with closing(page.typesetter.print(page.document)) as sheet:
        return change(page, sheet, sheet.image(), rng)


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
