"""What a reader sees outside a mask, and inside it: did a neighbour's text change, is the new text there?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from vdebench.core.images import Image, resized
from vdebench.core.page_text import PageText
from vdebench.core.sample import Operation, Sample
from vdebench.io.cache import Digest, digest_of, digest_of_file
from vdebench.io.images import open_image
from vdebench.metrics.alignment import Alignment, Row, warped
from vdebench.pipeline.scoring.mask_sample import MaskTask, size_of, union_of
from vdebench.protocols import get_protocol
from vdebench.protocols.pages.comparison import compare
from vdebench.readers.cached import CachedReader

MARGIN = 8
"""Pixels around a mask's box when its inside is read."""
CHANGES_TEXT = (Operation.TEXT_REPLACE, Operation.TEXT_INSERT, Operation.TEXT_DELETE)
"""Operations that change what is read: the others change looks or places, which only pixels show."""
Side = Literal["inside", "outside"]


@dataclass(frozen=True)
class MaskedPicture:
    """One side of a mask in an image, the other covered with a colour; as a reader can be asked to read it."""

    file: Path
    page: Path
    """Whose size it is brought to."""
    masks: tuple[Path, ...]
    side: Side
    paint: tuple[int, ...]
    transform: tuple[Row, Row] | None = None

    @property
    def key(self) -> Digest:
        """What its reading is kept under."""
        files = map(digest_of_file, (self.file, self.page, *self.masks))
        return digest_of("masked-1", *files, self.side, repr(self.paint), repr(self.transform))

    def open(self) -> Image:
        """The image that is read."""
        page, image = open_image(self.page), open_image(self.file)
        size = size_of(page)
        moved = self.transform and warped(image, Alignment("aligned", self.transform), size)
        placed = resized(image, size) if moved is None else moved
        mask = union_of(self.masks, page)
        covered = np.where(
            (mask if self.side == "outside" else ~mask)[..., None], np.array(self.paint, np.uint8), placed
        )
        if self.side == "outside":
            return covered
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        top, left = max(rows[0] - MARGIN, 0), max(columns[0] - MARGIN, 0)
        return np.ascontiguousarray(covered[top : rows[-1] + MARGIN + 1, left : columns[-1] + MARGIN + 1])


class MaskTexts(NamedTuple):
    """All that is read of a sample."""

    page_outside: MaskedPicture
    output_outside: MaskedPicture
    page_inside: MaskedPicture | None = None
    output_inside: MaskedPicture | None = None
    source_inside: MaskedPicture | None = None


def sides(task: MaskTask, sample: Sample, found: Mapping[str, Any]) -> MaskTexts:
    """What must be read for a sample, from what was measured of it."""
    used = found["transform"] if found["alignment"] == "aligned" else None
    transform: tuple[Row, Row] | None = (tuple(used[0]), tuple(used[1])) if used else None
    paint = tuple(found["paint"])

    def view(file: Path, side: Side, transform: Any = None) -> MaskedPicture:
        return MaskedPicture(file, task.page, task.masks, side, paint, transform)

    around = view(task.page, "outside"), view(task.prediction, "outside", transform)
    if task.reference is None or sample.operation not in CHANGES_TEXT or not found["mask_share"]:
        return MaskTexts(*around)
    pages = view(task.reference, "inside"), view(task.prediction, "inside", transform), view(task.source, "inside")
    return MaskTexts(*around, *pages)


def pictures(found: MaskTexts) -> Iterator[MaskedPicture]:
    """Those that are there."""
    return (picture for picture in found if picture is not None)


def text_row(found: MaskTexts, reader: CachedReader) -> dict[str, float | None]:
    """Text kept outside, and how far the inside went from the input's text to the reference's."""
    row: dict[str, float | None] = {
        "text_kept": likeness(reader.read(found.page_outside), reader.read(found.output_outside))
    }
    if found.page_inside and found.output_inside and found.source_inside:
        wanted = reader.read(found.page_inside)
        before, after = (
            1.0 if value is None else value
            for value in (likeness(wanted, reader.read(side)) for side in (found.source_inside, found.output_inside))
        )
        row["edit_text"] = after
        row["done_text"] = min(max((after - before) / (1 - before), 0.0), 1.0) if before < 1 else None
    return row


def likeness(wanted: PageText, read: PageText) -> float | None:
    """Share of characters that two readings have in common, block by block; nothing where neither has any."""
    units = compare(wanted, read, get_protocol("strict")).units
    characters = sum(unit.characters for unit in units)
    return 1 - sum(unit.edits for unit in units) / characters if characters else None
