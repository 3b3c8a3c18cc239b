"""Samples of a page: one source, several edits, each typeset and with ground truth.

The same recipe and number give the same bytes.
"""

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
from vdebench.suites.typeset.degradation import draw_degradation
from vdebench.suites.typeset.difficulty import difficulty
from vdebench.suites.typeset.document import Block, Document, Table
from vdebench.suites.typeset.edits import DocumentEdit
from vdebench.suites.typeset.ground_truth import (
    changed_boxes,
    crop_text,
    is_legible,
    mask_of,
    moved_blocks,
    page_text_of,
    tight_boxes,
)
from vdebench.suites.typeset.instructions import phrase_instruction
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
_MAX_ATTEMPTS = 60
_MAX_ATTEMPTS_PER_OPERATION = 6
_ROOM_FOR_EDITS = 30
"""Points left free at the end of an area, so that an edit can add a line or two."""


@dataclass(frozen=True, slots=True)
class TypesetSample:
    """A sample with its images, ground truth, documents and proposal."""

    sample: Sample
    source: Image
    reference: Image
    mask: Image
    source_text: PageText
    reference_text: PageText
    region_texts: tuple[PageText, ...]
    documents: tuple[Document, Document]
    proposal: Proposal


def make_page(recipe: SuiteRecipe, number: int, typesetter: Typesetter) -> list[TypesetSample]:
    """Return the samples of one page of the recipe, which share their source; raise `VdeError` if no edits can be
    found.
    """
    task = recipe.page(number)
    for attempt in range(_MAX_ATTEMPTS):
        rng = Random(f"{recipe.seed}/{number}/{attempt}")
        document = KINDS[task.kind](get_language(task.language), rng)
        if task.needs_table and not any(isinstance(block, Table) for block in document.blocks):
            continue
        page = typesetter.print(document, _ROOM_FOR_EDITS)
        try:
            samples = _EditFinder(
                recipe, task, _RenderedDocument(document.only(page.present), page), typesetter, rng
            ).samples()
        finally:
            page.close()
        if samples is not None:
            return samples
    operations = " and ".join(task.operations)
    raise VdeError(
        f"page {number}: no {operations} possible on a {task.language} {task.kind} page in {_MAX_ATTEMPTS} attempts"
    )


class _RenderedDocument:
    """A document and its typeset page, with cached properties."""

    def __init__(self, document: Document, page: TypesetPage) -> None:
        self.document = document
        self.page = page

    @property
    def document_and_page(self) -> tuple[Document, TypesetPage]:
        return self.document, self.page

    @cached_property
    def image(self) -> Image:
        return self.page.image()

    @cached_property
    def page_text(self) -> PageText:
        return page_text_of(self.document, self.page)

    @cached_property
    def heights(self) -> dict[Block, float]:
        return self.page.heights(self.document)


class _EditFinder:
    """Tries edits on a typeset page."""

    def __init__(
        self, recipe: SuiteRecipe, task: PageTask, source: _RenderedDocument, typesetter: Typesetter, rng: Random
    ) -> None:
        self.first = task.number * recipe.per_page
        self.task = task
        self.source = source
        self.typesetter = typesetter
        self.rng = rng
        self.language = get_language(task.language)
        self.view = DocumentView(source.document, Writer(self.language, rng, source.document.topic), rng)
        self.degradation = draw_degradation(recipe.degradation, rng, source.page.size)
        self.edits: list[DocumentEdit] = []

    def samples(self) -> list[TypesetSample] | None:
        """Return a sample for each operation; None if one cannot be found."""
        if not is_legible(*self.source.document_and_page):
            return None
        source = self.degradation.page(self.source.image)
        samples: list[TypesetSample] = []
        for index, operation in enumerate(self.task.operations, start=self.first):
            sample = self._find_sample(operation, index)
            if sample is None:
                return None
            samples.append(replace(sample, source=source))
        return samples

    def _find_sample(self, operation: Operation, index: int) -> TypesetSample | None:
        for _ in range(_MAX_ATTEMPTS_PER_OPERATION):
            proposal = PROPOSERS[operation](self.view)
            if proposal is None:
                return None
            if proposal.edit in self.edits:
                continue
            edited = proposal.edit.apply(self.source.document)
            page = self.typesetter.print(edited, heights=self.source.heights)
            try:
                fits = page.present == {block.id for block in edited.blocks}
                if fits and is_legible(edited, page):
                    sample = self._sample(operation, index, proposal, _RenderedDocument(edited, page))
                    if sample is not None:
                        self.edits.append(proposal.edit)
                        return sample
            finally:
                page.close()
        return None

    def _sample(
        self, operation: Operation, index: int, proposal: Proposal, after: _RenderedDocument
    ) -> TypesetSample | None:
        """Return the sample; None if its instruction is ambiguous or the edit is not visible."""
        before, degradation, language = self.source, self.degradation, self.language.lang
        phrased = phrase_instruction(proposal, language, self.rng)
        if any(ambiguities(phrased.instruction, proposal.references, before.page_text, language)):
            return None
        edit, size = proposal.edit, before.page.size
        places = edit.places(before.document, after.document)
        regions = changed_boxes(edit, before.document_and_page, after.document_and_page)
        tight_before = _visible(tight_boxes(*before.document_and_page, places[0]), before.image, after.image)
        tight_after = _visible(tight_boxes(*after.document_and_page, places[1]), before.image, after.image)
        if len(_visible(regions, before.image, after.image)) < len(regions) or not tight_before + tight_after:
            return None
        sample = Sample(
            id=str(index),
            group="table" if operation.value.startswith("table") else "text",
            instruction=phrased.instruction,
            operation=operation,
            language=before.document.language,
            source=before.document.kind,
            source_image=f"source/{self.task.number:06}.png",
            reference_image=f"reference/{index:06}.png",
            regions=tuple(_region(degradation.box(box), size) for box in regions),
            extra={
                "instruction type": operation.value,
                "edit": edit.to_json(),
                "references": [list(reference) for reference in proposal.references],
                "ambiguous": {"instruction": phrased.ambiguous, "kind": phrased.ambiguity},
                "tight_input": _labels([degradation.box(box) for box in tight_before], size),
                "tight_output": _labels([degradation.box(box) for box in tight_after], size),
                "moved_blocks": moved_blocks(edit, before.document_and_page, after.document_and_page),
                "difficulty": difficulty(before.document, proposal, operation, len(regions), degradation.skewed),
                "topic": before.document.topic,
                "wear": degradation.to_json(),
            },
        )
        return TypesetSample(
            sample=sample,
            source=before.image,
            reference=degradation.page(after.image),
            mask=degradation.mask(mask_of(before.document_and_page, after.document_and_page)),
            source_text=degradation.text(before.page_text),
            reference_text=degradation.text(after.page_text),
            region_texts=tuple(degradation.crop(crop_text(*after.document_and_page, box), box) for box in regions),
            documents=(before.document, after.document),
            proposal=proposal,
        )


def _visible(boxes: list[Box], source: Image, reference: Image) -> list[Box]:
    """Return the boxes inside which the two pages differ."""
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
