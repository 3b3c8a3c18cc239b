"""OCR outside and inside a mask: whether other text changed, and whether the new text is there."""

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
"""Margin in pixels around a mask's box for OCR of its inside."""
CHANGES_TEXT = (Operation.TEXT_REPLACE, Operation.TEXT_INSERT, Operation.TEXT_DELETE)
"""Operations that change text; the others change style or position, which only pixels show."""
Side = Literal["inside", "outside"]


@dataclass(frozen=True)
class MaskedPicture:
    """OCR input: one side of a mask in an image, the other covered with a colour."""

    file: Path
    page: Path
    """Page that defines the size."""
    masks: tuple[Path, ...]
    side: Side
    paint: tuple[int, ...]
    transform: tuple[Row, Row] | None = None
    lasting: bool = False
    """Whether the image is one of the suite."""

    @property
    def key(self) -> Digest:
        """Hash of the files' bytes and the options."""
        files = map(digest_of_file, (self.file, self.page, *self.masks))
        return digest_of("masked-1", *files, self.side, repr(self.paint), repr(self.transform))

    def open(self) -> Image:
        """Return the image for OCR."""
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
    """OCR inputs of a sample."""

    page_outside: MaskedPicture
    output_outside: MaskedPicture
    page_inside: MaskedPicture | None = None
    output_inside: MaskedPicture | None = None
    source_inside: MaskedPicture | None = None


def ocr_inputs(task: MaskTask, sample: Sample, measures: Mapping[str, Any]) -> MaskTexts:
    """Return the OCR inputs of a sample; `measures` are its measurements."""
    matrix = measures["transform"] if measures["alignment"] == "aligned" else None
    transform: tuple[Row, Row] | None = (tuple(matrix[0]), tuple(matrix[1])) if matrix else None
    paint = tuple(measures["paint"])

    def view(file: Path, side: Side, transform: Any = None) -> MaskedPicture:
        return MaskedPicture(file, task.page, task.masks, side, paint, transform, lasting=file != task.prediction)

    around = view(task.page, "outside"), view(task.prediction, "outside", transform)
    if task.reference is None or sample.operation not in CHANGES_TEXT or not measures["mask_share"]:
        return MaskTexts(*around)
    pages = view(task.reference, "inside"), view(task.prediction, "inside", transform), view(task.source, "inside")
    return MaskTexts(*around, *pages)


def pictures(texts: MaskTexts) -> Iterator[MaskedPicture]:
    """Return the OCR inputs that exist."""
    return (picture for picture in texts if picture is not None)


def text_row(texts: MaskTexts, reader: CachedReader) -> dict[str, float | None]:
    """Return the text preserved outside, and the progress inside from the input's text to the reference's."""
    row: dict[str, float | None] = {
        "text_kept": text_similarity(reader.read(texts.page_outside), reader.read(texts.output_outside))
    }
    if texts.page_inside and texts.output_inside and texts.source_inside:
        expected = reader.read(texts.page_inside)
        before, after = (
            1.0 if value is None else value
            for value in (
                text_similarity(expected, reader.read(side)) for side in (texts.source_inside, texts.output_inside)
            )
        )
        row["edit_text"] = after
        row["done_text"] = min(max((after - before) / (1 - before), 0.0), 1.0) if before < 1 else None
    return row


def text_similarity(expected: PageText, page: PageText) -> float | None:
    """Return 1 − edits / characters over the blocks of two pages; None if both are empty."""
    units = compare(expected, page, get_protocol("strict")).units
    characters = sum(unit.characters for unit in units)
    return 1 - sum(unit.edits for unit in units) / characters if characters else None
