"""Input of a corruption: a sample with its documents, and a workspace that typesets variants of them.

A ladder is a corruption at increasing levels (`ladder.py` lists them); level 0 is the reference page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vdebench.core.box import Box, Size
from vdebench.core.page_text import PageText
from vdebench.core.sample import Sample
from vdebench.errors import InputError
from vdebench.suites.suite import Suite
from vdebench.suites.typeset.document import Document, Table, Text
from vdebench.suites.typeset.edits import DocumentEdit, EditPlace
from vdebench.suites.typeset.ground_truth import box_of, crop_text, page_text_of
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import make_page
from vdebench.suites.typeset.suite import TypesetSuite
from vdebench.suites.typeset.typesetter import TypesetPage, Typesetter

Image = NDArray[np.uint8]


class CorruptedPage(NamedTuple):
    """A corrupted page: its pixels, and the ground truth of the page and of its regions' crops."""

    image: Image
    reading: PageText
    regions: tuple[PageText, ...]


class PrintedDocument(NamedTuple):
    """A typeset document: the blocks that fit, their positions, the pixels."""

    document: Document
    sheet: TypesetPage
    image: Image


@dataclass(frozen=True)
class LadderSample:
    """A sample of a typeset suite with the documents of its page before and after the edit."""

    sample: Sample
    before: Document
    after: Document
    edit: DocumentEdit

    @property
    def target(self) -> Text | Table | None:
        """The edited block after the edit; None if it is deleted."""
        if self.edit.action == "delete_block":
            return None
        added = self.edit.action == "insert_block"
        block = self.after.block(self.after.next_id - 1 if added else self.edit.block)
        return block if isinstance(block, Text | Table) else None

    @property
    def text_target(self) -> Text | None:
        """The target if it is a text block: only these have a font, size and colour of their own."""
        return self.target if isinstance(self.target, Text) else None

    @property
    def new_places(self) -> list[EditPlace]:
        """Positions of the new text; empty if the edit only removes text."""
        return self.edit.places(self.before, self.after)[1]

    def boxes(self, page: Size) -> list[Box]:
        """Return the sample's regions in pixels of a page of the given size."""
        return [Box(*(round(side) for side in region.box(page))) for region in self.sample.regions]


class CorruptionWorkspace:
    """Typesets variants of one sample (`subject`), and closes all typeset pages at the end."""

    def __init__(self, subject: LadderSample, typesetter: Typesetter, seed: int = 0) -> None:
        self.subject = subject
        self.seed = seed
        self._typesetter = typesetter
        self._sheets: list[TypesetPage] = []

    def __enter__(self) -> CorruptionWorkspace:
        """Return the workspace."""
        return self

    def __exit__(self, *problem: object) -> None:
        """Close the typeset pages."""
        for sheet in self._sheets:
            sheet.close()

    def rng(self, name: str) -> Random:
        """Return a random generator with the same state at every level, so that each level extends the one before."""
        return Random(f"{self.seed}/{name}/{self.subject.sample.key}")

    def typeset(self, document: Document) -> PrintedDocument:
        """Typeset a document; blocks that do not fit are left out."""
        sheet = self._typesetter.print(document)
        self._sheets.append(sheet)
        return PrintedDocument(document.only(sheet.present), sheet, sheet.image())

    @cached_property
    def reference(self) -> PrintedDocument:
        """The reference page."""
        return self.typeset(self.subject.after)

    @property
    def target_box(self) -> Box:
        """The target's box on the reference."""
        target = self.subject.target
        assert target is not None
        return box_of(self.reference.sheet, target)

    def page(self, printed: PrintedDocument) -> CorruptedPage:
        """Return a printed document with the ground truth of the page and of the sample's regions."""
        boxes = self.subject.boxes(printed.sheet.size)
        crops = tuple(crop_text(printed.document, printed.sheet, box) for box in boxes)
        return CorruptedPage(printed.image, page_text_of(printed.document, printed.sheet), crops)


def typeset_suite(suite: Suite) -> TypesetSuite:
    """Return the suite as a `TypesetSuite`; raise `InputError` if it is not generated, or has degraded pages."""
    if not isinstance(suite, TypesetSuite) or suite.recipe.degradation != "none":
        raise InputError(
            f"{suite.name}: cannot be corrupted, because its documents are unknown\n"
            "  expected a generated suite without degradation, such as typeset:n=60,seed=1,ppi=110"
        )
    return suite


def ladder_samples(suite: TypesetSuite) -> Iterator[LadderSample]:
    """Yield all samples of a suite, in order."""
    for number in range(page_count(suite)):
        yield from ladder_samples_on(suite, number)


def page_count(suite: TypesetSuite) -> int:
    """Return the number of pages of a suite."""
    return ceil(suite.n / suite.recipe.per_page)


def ladder_samples_on(suite: TypesetSuite, number: int) -> list[LadderSample]:
    """Return the samples of a page."""
    pairs = make_page(suite.recipe, number, cached_typesetter(suite.recipe.ppi))
    return [
        LadderSample(pair.sample, *pair.documents, pair.proposal.edit)
        for pair in pairs
        if int(pair.sample.id) < suite.n
    ]


@lru_cache(1)
def cached_typesetter(ppi: int) -> Typesetter:
    """Return a typesetter for a resolution; the last one is cached."""
    return Typesetter(ppi, font_folders())
