"""What was read of a finished image: as it was read, with what it was made of, until and after people correct it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import regex

from vdebench.build.workspace import Workspace
from vdebench.core.box import Box
from vdebench.core.page_text import Block, PageText
from vdebench.io.files import is_file, read_json, write_json

_LETTER = r"[^\W\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"  # those know no spaces


class ReferenceText(NamedTuple):
    """A finished image's readings."""

    edit: str
    """SHA-256 of the edited image."""
    boxes: tuple[Box, ...]
    page: PageText
    regions: tuple[PageText, ...]

    @property
    def texts(self) -> list[str]:
        """What stands in each region."""
        return [text_of(region) for region in self.regions]


def text_of(region: PageText) -> str:
    """What a person is shown of a region."""
    return "\n".join(block.content for block in region.blocks)


def keep_finished(workspace: Workspace, id: str, found: ReferenceText) -> None:
    """Write what was read, whole or not at all."""
    told = {
        "edit": found.edit,
        "boxes": [list(box) for box in found.boxes],
        "page": found.page.to_json(),
        "regions": [region.to_json() for region in found.regions],
    }
    write_json(_file(workspace, id), told)


def finished(workspace: Workspace, id: str, edit: str, boxes: Sequence[Box]) -> ReferenceText | None:
    """What was read of an edit with these boxes; nothing where that was not made yet."""
    file = _file(workspace, id)
    if not is_file(file):
        return None
    told = read_json(file)
    if told["edit"] != edit or [tuple(box) for box in told["boxes"]] != [tuple(box) for box in boxes]:
        return None
    regions = (PageText.from_json(region, str(file)) for region in told["regions"])
    return ReferenceText(edit, tuple(boxes), PageText.from_json(told["page"], str(file)), tuple(regions))


def corrected(found: ReferenceText, texts: Sequence[str]) -> ReferenceText | str:
    """The readings with what a person says stands in the regions, or why a text has no clear place."""
    blocks, changes = found.page.blocks, list[tuple[_Place, str]]()
    regions = list(found.regions)
    for number, (box, region, text) in enumerate(zip(found.boxes, found.regions, texts, strict=True), start=1):
        old = text_of(region)
        if text == old:
            continue
        if len(region.blocks) != 1:
            return f"region {number} was read as {len(region.blocks)} blocks: which of them it is is not clear"
        places = _places(blocks, box, old)
        if len(places) != 1:
            return f"what was read in region {number} stands on the page {len(places)} times: which one is not clear"
        (place,) = places
        if any(not place.holds(other) for other in _places(blocks, box, text)):  # perhaps the page was read right
            return f"the text for region {number} stands at its place already, beside what was read: not clear"
        if any(place.meets(other) for other, _ in changes):
            return f"what was read in region {number} stands where another region's text does: which one is not clear"
        changes.append((place, text))
        regions[number - 1] = replace(region, blocks=(replace(region.blocks[0], content=text),))
    return found._replace(page=replace(found.page, blocks=_changed(blocks, changes)), regions=tuple(regions))


class _Place(NamedTuple):
    """Where a text stands in the blocks of a page."""

    block: int
    start: int
    end: int

    def holds(self, other: _Place) -> bool:
        return self.block == other.block and self.start <= other.start and other.end <= self.end

    def meets(self, other: _Place) -> bool:
        return self.block == other.block and self.start < other.end and other.start < self.end


def _places(blocks: Sequence[Block], box: Box, text: str) -> list[_Place]:
    """Where a text stands by itself, in blocks that lie where the region does; a table's tags are no text."""
    if not text:
        return []
    pattern = regex.compile(rf"({_by_itself(text)})|<[^>]*>")
    words = regex.compile(rf"({_by_itself(text)})")
    return [
        _Place(number, *match.span(1))
        for number, block in enumerate(blocks)
        if _together(block.box, box)
        for match in (pattern if block.html else words).finditer(block.content)
        if match[1]
    ]


def _together(block: Box, region: Box) -> bool:
    """Whether one lies in the other, half of it at least: neighbouring lines touch."""
    smaller = min(block.area, region.area)
    return smaller > 0 and block.shared_area(region) >= smaller / 2


def _by_itself(text: str) -> str:
    """A pattern for a text that is no part of a longer word or number."""
    before = rf"(?<!{_LETTER})" if regex.match(_LETTER, text[0]) else ""
    after = rf"(?!{_LETTER})" if regex.match(_LETTER, text[-1]) else ""
    before += r"(?<!\d[.,])" if text[0].isdigit() else ""
    after += r"(?![.,]\d)" if text[-1].isdigit() else ""
    return f"{before}{regex.escape(text)}{after}"


def _changed(blocks: Sequence[Block], changes: Sequence[tuple[_Place, str]]) -> tuple[Block, ...]:
    done = list(blocks)
    for (number, start, end), text in sorted(changes, reverse=True):  # from the end: what stands before does not move
        content = done[number].content
        done[number] = replace(done[number], content=f"{content[:start]}{text}{content[end:]}")
    return tuple(done)


def _file(workspace: Workspace, id: str) -> Path:
    return workspace.references / "as_read" / f"{id}.json"
