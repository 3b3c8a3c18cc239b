"""What was read of a finished image: as it was read, with what it was made of, until and after people correct it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from vdebench.box import Box
from vdebench.build.workspace import Workspace
from vdebench.files import is_file, read_json, write_json
from vdebench.reading import Reading


class Finished(NamedTuple):
    """A finished image's readings."""

    edit: str
    """SHA-256 of the edited image."""
    boxes: tuple[Box, ...]
    page: Reading
    regions: tuple[Reading, ...]

    @property
    def texts(self) -> list[str]:
        """What stands in each region."""
        return [text_of(region) for region in self.regions]


def text_of(region: Reading) -> str:
    """What a person is shown of a region."""
    return "\n".join(block.content for block in region.blocks)


def keep_finished(workspace: Workspace, id: str, found: Finished) -> None:
    """Write what was read, whole or not at all."""
    told = {
        "edit": found.edit,
        "boxes": [list(box) for box in found.boxes],
        "page": found.page.to_json(),
        "regions": [region.to_json() for region in found.regions],
    }
    write_json(_file(workspace, id), told)


def finished(workspace: Workspace, id: str, edit: str, boxes: Sequence[Box]) -> Finished | None:
    """What was read of an edit with these boxes; nothing where that was not made yet."""
    file = _file(workspace, id)
    if not is_file(file):
        return None
    told = read_json(file)
    if told["edit"] != edit or [tuple(box) for box in told["boxes"]] != [tuple(box) for box in boxes]:
        return None
    regions = (Reading.from_json(region, str(file)) for region in told["regions"])
    return Finished(edit, tuple(boxes), Reading.from_json(told["page"], str(file)), tuple(regions))


def corrected(found: Finished, texts: Sequence[str]) -> Finished | str:
    """The readings with what a person says stands in the regions, or why a text has no clear place."""
    page, regions = found.page, []
    for number, (region, text) in enumerate(zip(found.regions, texts, strict=True), start=1):
        old = text_of(region)
        if text != old:
            if len(region.blocks) != 1:
                return f"region {number} was read as {len(region.blocks)} blocks: which of them it is is not clear"
            count = sum(block.content.count(old) for block in page.blocks) if old else 0
            if count != 1:
                return f"what was read in region {number} stands on the page {count} times: which one is not clear"
            page = _with_text(page, old, text)
            region = _with_text(region, old, text)
        regions.append(region)
    return found._replace(page=page, regions=tuple(regions))


def _with_text(reading: Reading, old: str, new: str) -> Reading:
    return replace(
        reading, blocks=tuple(replace(each, content=each.content.replace(old, new)) for each in reading.blocks)
    )


def _file(workspace: Workspace, id: str) -> Path:
    return workspace.references / "as_read" / f"{id}.json"
