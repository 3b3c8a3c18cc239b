"""OCR output of a reference image, stored with its inputs, and corrections by people."""

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

_LETTER = r"[^\W\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"  # others have no spaces


class ReferenceText(NamedTuple):
    """OCR output of a reference image and its regions."""

    edit: str
    """SHA-256 of the edited image."""
    boxes: tuple[Box, ...]
    page: PageText
    regions: tuple[PageText, ...]

    @property
    def texts(self) -> list[str]:
        """Text of each region."""
        return [text_of(region) for region in self.regions]


def text_of(region: PageText) -> str:
    """Return the text of a region as people see it."""
    return "\n".join(block.content for block in region.blocks)


def keep_finished(workspace: Workspace, id: str, found: ReferenceText) -> None:
    """Write the OCR output atomically."""
    told = {
        "edit": found.edit,
        "boxes": [list(box) for box in found.boxes],
        "page": found.page.to_json(),
        "regions": [region.to_json() for region in found.regions],
    }
    write_json(_file(workspace, id), told)


def finished(workspace: Workspace, id: str, edit: str, boxes: Sequence[Box]) -> ReferenceText | None:
    """Return the OCR output for an edit with these boxes; None if it does not exist yet."""
    file = _file(workspace, id)
    if not is_file(file):
        return None
    told = read_json(file)
    if told["edit"] != edit or [tuple(box) for box in told["boxes"]] != [tuple(box) for box in boxes]:
        return None
    regions = (PageText.from_json(region, str(file)) for region in told["regions"])
    return ReferenceText(edit, tuple(boxes), PageText.from_json(told["page"], str(file)), tuple(regions))


def corrected(found: ReferenceText, texts: Sequence[str]) -> ReferenceText | str:
    """Return the OCR output with corrected texts, or a message if the place of a text is ambiguous."""
    blocks, changes = found.page.blocks, list[tuple[_Place, str]]()
    regions = list(found.regions)
    for number, (box, region, text) in enumerate(zip(found.boxes, found.regions, texts, strict=True), start=1):
        old = text_of(region)
        if text == old:
            continue
        if len(region.blocks) != 1:
            return f"region {number} was read as {len(region.blocks)} blocks; which one to correct is ambiguous"
        places = _places(blocks, box, old)
        if len(places) != 1:
            return f"the OCR text of region {number} occurs {len(places)} times on the page; its place is ambiguous"
        (place,) = places
        if any(not place.holds(other) for other in _places(blocks, box, text)):  # the page may have been read correctly
            return f"the corrected text of region {number} is already at its place, next to the OCR text; ambiguous"
        if any(place.meets(other) for other, _ in changes):
            return f"the OCR text of region {number} overlaps that of another region; its place is ambiguous"
        changes.append((place, text))
        regions[number - 1] = replace(region, blocks=(replace(region.blocks[0], content=text),))
    return found._replace(page=replace(found.page, blocks=_changed(blocks, changes)), regions=tuple(regions))


class _Place(NamedTuple):
    """Position of a text in the blocks of a page."""

    block: int
    start: int
    end: int

    def holds(self, other: _Place) -> bool:
        return self.block == other.block and self.start <= other.start and other.end <= self.end

    def meets(self, other: _Place) -> bool:
        return self.block == other.block and self.start < other.end and other.start < self.end


def _places(blocks: Sequence[Block], box: Box, text: str) -> list[_Place]:
    """Return the positions of a text as whole words, in blocks that overlap the region; tags of tables are skipped."""
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
    """Whether at least half of one box lies in the other; neighbouring lines touch."""
    smaller = min(block.area, region.area)
    return smaller > 0 and block.shared_area(region) >= smaller / 2


def _by_itself(text: str) -> str:
    """Return a pattern for a text that is not part of a longer word or number."""
    before = rf"(?<!{_LETTER})" if regex.match(_LETTER, text[0]) else ""
    after = rf"(?!{_LETTER})" if regex.match(_LETTER, text[-1]) else ""
    before += r"(?<!\d[.,])" if text[0].isdigit() else ""
    after += r"(?![.,]\d)" if text[-1].isdigit() else ""
    return f"{before}{regex.escape(text)}{after}"


def _changed(blocks: Sequence[Block], changes: Sequence[tuple[_Place, str]]) -> tuple[Block, ...]:
    done = list(blocks)
    for (number, start, end), text in sorted(
        changes, reverse=True
    ):  # from the end, so that earlier positions stay valid
        content = done[number].content
        done[number] = replace(done[number], content=f"{content[:start]}{text}{content[end:]}")
    return tuple(done)


def _file(workspace: Workspace, id: str) -> Path:
    return workspace.references / "as_read" / f"{id}.json"
