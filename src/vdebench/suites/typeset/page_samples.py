"""Samples of a page: one source, some edits, all set and read. The same recipe and number give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.page_text import PageText
from vdebench.core.sample import Operation, Region, Sample
from vdebench.errors import VdeError
from vdebench.suites.typeset import propose_look, propose_table, propose_text
from vdebench.suites.typeset.ambiguity_check import ambiguities
from vdebench.suites.typeset.degradation import wear_of
from vdebench.suites.typeset.difficulty import difficulty
from vdebench.suites.typeset.document import Block, Document, Table
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.ground_truth import (
    changed_boxes,
    crop_reading,
    is_legible,
    mask_of,
    moved_blocks,
    reading_of,
    tight_boxes,
)
from vdebench.suites.typeset.instructions import worded
from vdebench.suites.typeset.kinds import KINDS
from vdebench.suites.typeset.language_rules import get_language
from vdebench.suites.typeset.propose import DocumentView, Proposal, Proposer
from vdebench.suites.typeset.recipe import PageTask, SuiteRecipe
from vdebench.suites.typeset.typesetter import Image, TypesetPage, Typesetter
from vdebench.suites.typeset.words import Writer

PROPOSERS: dict[Operation, Proposer] = {
    Operation.TEXT_REPLACE: propose_text.replace_text,
    Operation.TEXT_INSERT: propose_text.insert_text,
    Operation.TEXT_DELETE: propose_text.delete_text,
    Operation.TABLE_REPLACE: propose_table.replace_value,
    Operation.TABLE_INSERT: propose_table.insert_value,
    Operation.TABLE_DELETE: propose_table.delete_value,
    Operation.TABLE_STRUCTURE: propose_table.change_structure,
    Operation.TEXT_RELOCATION: propose_look.relocate,
    Operation.SCALING: propose_look.scale,
    Operation.TEXT_ATTRIBUTE: propose_look.restyle,
}
_TRIES = 60
_TRIES_ON_A_PAGE = 6
_ROOM_FOR_EDITS = 30
"""Points left free at the end of an area, so that an edit may add a line or two."""


@dataclass(frozen=True, slots=True)
class TypesetSample:
    """A sample with all that belongs to it."""

    sample: Sample
    source: Image
    reference: Image
    mask: Image
    source_reading: PageText
    reference_reading: PageText
    region_readings: tuple[PageText, ...]
    documents: tuple[Document, Document]
    proposal: Proposal


def make_page(recipe: SuiteRecipe, number: int, press: Typesetter) -> list[TypesetSample]:
    """The samples of the recipe's page of that number. They share their source."""
    task = recipe.page(number)
    for attempt in range(_TRIES):
        rng = Random(f"{recipe.seed}/{number}/{attempt}")
        document = KINDS[task.kind](get_language(task.language), rng)
        if task.needs_table and not any(isinstance(block, Table) for block in document.blocks):
            continue
        sheet = press.print(document, _ROOM_FOR_EDITS)
        try:
            pairs = _Desk(recipe, task, _Printed(document.only(sheet.present), sheet), press, rng).pairs()
        finally:
            sheet.close()
        if pairs is not None:
            return pairs
    wanted = " and ".join(task.operations)
    raise VdeError(f"page {number}: {wanted} not found on a {task.language} {task.kind} page in {_TRIES} tries")


class _Printed:
    """A document, its sheet, and what is asked of them more than once."""

    def __init__(self, document: Document, sheet: TypesetPage) -> None:
        self.document = document
        self.sheet = sheet

    @property
    def both(self) -> tuple[Document, TypesetPage]:
        return self.document, self.sheet

    @cached_property
    def image(self) -> Image:
        return self.sheet.image()

    @cached_property
    def reading(self) -> PageText:
        return reading_of(self.document, self.sheet)

    @cached_property
    def heights(self) -> dict[Block, float]:
        return self.sheet.heights(self.document)


class _Desk:
    """A set page on which edits are tried."""

    def __init__(self, recipe: SuiteRecipe, task: PageTask, source: _Printed, press: Typesetter, rng: Random) -> None:
        self.first = task.number * recipe.per_page
        self.task = task
        self.source = source
        self.press = press
        self.rng = rng
        self.language = get_language(task.language)
        self.page = DocumentView(source.document, Writer(self.language, rng, source.document.topic), rng)
        self.wear = wear_of(recipe.wear, rng, source.sheet.size)
        self.edits: list[DocumentEdit] = []

    def pairs(self) -> list[TypesetSample] | None:
        """A sample for each operation, or nothing where one cannot be found."""
        if not is_legible(*self.source.both):
            return None
        worn = self.wear.page(self.source.image)
        pairs: list[TypesetSample] = []
        for index, operation in enumerate(self.task.operations, start=self.first):
            pair = self._find(operation, index)
            if pair is None:
                return None
            pairs.append(replace(pair, source=worn))
        return pairs

    def _find(self, operation: Operation, index: int) -> TypesetSample | None:
        for _ in range(_TRIES_ON_A_PAGE):
            proposal = PROPOSERS[operation](self.page)
            if proposal is None:
                return None
            if proposal.edit in self.edits:
                continue
            edited = proposal.edit.apply(self.source.document)
            sheet = self.press.print(edited, heights=self.source.heights)
            try:
                fits = sheet.present == {block.id for block in edited.blocks}
                if fits and is_legible(edited, sheet):
                    found = self._pair(operation, index, proposal, _Printed(edited, sheet))
                    if found is not None:
                        self.edits.append(proposal.edit)
                        return found
            finally:
                sheet.close()
        return None

    def _pair(self, operation: Operation, index: int, proposal: Proposal, after: _Printed) -> TypesetSample | None:
        """The sample, or nothing where its instruction could mean two things or the edit cannot be seen."""
        before, wear, tongue = self.source, self.wear, self.language.lang
        wording = worded(proposal, tongue, self.rng)
        if any(ambiguities(wording.instruction, proposal.references, before.reading, tongue)):
            return None
        edit, size = proposal.edit, before.sheet.size
        places = edit.places(before.document, after.document)
        regions = changed_boxes(edit, before.both, after.both)
        tight_before = _seen(tight_boxes(*before.both, places[0]), before.image, after.image)
        tight_after = _seen(tight_boxes(*after.both, places[1]), before.image, after.image)
        if len(_seen(regions, before.image, after.image)) < len(regions) or not tight_before + tight_after:
            return None
        sample = Sample(
            id=str(index),
            group="table" if operation.value.startswith("table") else "text",
            instruction=wording.instruction,
            operation=operation,
            language=before.document.language,
            source=before.document.kind,
            source_image=f"source/{self.task.number:06}.png",
            reference_image=f"reference/{index:06}.png",
            regions=tuple(_region(wear.box(box), size) for box in regions),
            extra={
                "instruction type": operation.value,
                "edit": edit.to_json(),
                "references": [list(reference) for reference in proposal.references],
                "ambiguous": {"instruction": wording.ambiguous, "kind": wording.ambiguity},
                "tight_input": _labels([wear.box(box) for box in tight_before], size),
                "tight_output": _labels([wear.box(box) for box in tight_after], size),
                "moved_blocks": moved_blocks(edit, before.both, after.both),
                "difficulty": difficulty(before.document, proposal, operation, len(regions), wear.skewed),
                "topic": before.document.topic,
                "wear": wear.to_json(),
            },
        )
        return TypesetSample(
            sample=sample,
            source=before.image,
            reference=wear.page(after.image),
            mask=wear.mask(mask_of(before.both, after.both)),
            source_reading=wear.reading(before.reading),
            reference_reading=wear.reading(after.reading),
            region_readings=tuple(wear.crop(crop_reading(*after.both, box), box) for box in regions),
            documents=(before.document, after.document),
            proposal=proposal,
        )


def _seen(boxes: list[Box], source: Image, reference: Image) -> list[Box]:
    """Boxes inside which the two pages differ."""
    return [box for box in boxes if not np.array_equal(_cut(source, box), _cut(reference, box))]


def _cut(image: Image, box: Box) -> Image:
    x1, y1, x2, y2 = (max(0, int(side)) for side in box)
    return image[y1:y2, x1:x2]


def _region(box: Box, page: Size) -> Region:
    x, y, width, height = (round(side, 4) for side in box.to_percent(page))
    return Region(x, y, width, height, page)


def _labels(boxes: Sequence[Box], page: Size) -> list[dict[str, float]]:
    regions = (_region(box, page) for box in boxes)
    return [{"x": each.x, "y": each.y, "width": each.width, "height": each.height} for each in regions]
