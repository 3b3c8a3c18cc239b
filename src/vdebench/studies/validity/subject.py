"""What a corruption starts from: a sample with its documents, and a press to set others."""

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
    """A page as an editor could have left it: its pixels, and what it and its regions' crops exactly read."""

    image: Image
    reading: PageText
    regions: tuple[PageText, ...]


class PrintedDocument(NamedTuple):
    """A document as it was set: the blocks that found room, where they stand, the pixels."""

    document: Document
    sheet: TypesetPage
    image: Image


@dataclass(frozen=True)
class LadderSample:
    """A sample with its page's documents before and after the edit."""

    sample: Sample
    before: Document
    after: Document
    edit: DocumentEdit

    @property
    def target(self) -> Text | Table | None:
        """The block that the edit worked on, as it should be; nothing where it should be gone."""
        if self.edit.action == "delete_block":
            return None
        added = self.edit.action == "insert_block"
        block = self.after.block(self.after.next_id - 1 if added else self.edit.block)
        return block if isinstance(block, Text | Table) else None

    @property
    def text_target(self) -> Text | None:
        """The target where it is a block of text, which can be set in other styles."""
        return self.target if isinstance(self.target, Text) else None

    @property
    def edited(self) -> list[EditPlace]:
        """Where the new text stands, nothing where the edit only took some away."""
        return self.edit.places(self.before, self.after)[1]

    def boxes(self, page: Size) -> list[Box]:
        """The sample's regions in whole pixels."""
        return [Box(*(round(side) for side in region.box(page))) for region in self.sample.regions]


class CorruptionWorkspace:
    """A subject on the press. Sheets that were set are closed with it."""

    def __init__(self, subject: LadderSample, press: Typesetter, seed: int = 0) -> None:
        self.subject = subject
        self.seed = seed
        self._press = press
        self._sheets: list[TypesetPage] = []

    def __enter__(self) -> CorruptionWorkspace:
        """Nothing is set before it is asked for."""
        return self

    def __exit__(self, *problem: object) -> None:
        """Give the sheets' memory back."""
        for sheet in self._sheets:
            sheet.close()

    def rng(self, name: str) -> Random:
        """Chance that is the same at every level, so that each level goes on where the last one stopped."""
        return Random(f"{self.seed}/{name}/{self.subject.sample.key}")

    def set(self, document: Document) -> PrintedDocument:
        """The document, set; what found no room is not on it."""
        sheet = self._press.print(document)
        self._sheets.append(sheet)
        return PrintedDocument(document.only(sheet.present), sheet, sheet.image())

    @cached_property
    def reference(self) -> PrintedDocument:
        """The page as it should be."""
        return self.set(self.subject.after)

    @property
    def target_box(self) -> Box:
        """Where the target stands on the reference."""
        target = self.subject.target
        assert target is not None
        return box_of(self.reference.sheet, target)

    def page(self, made: PrintedDocument) -> CorruptedPage:
        """What a print reads, as a whole and in the sample's regions."""
        boxes = self.subject.boxes(made.sheet.size)
        crops = tuple(crop_text(made.document, made.sheet, box) for box in boxes)
        return CorruptedPage(made.image, page_text_of(made.document, made.sheet), crops)


def typeset_suite(suite: Suite) -> TypesetSuite:
    """The suite as one made to order, or an error: only of those are the documents known."""
    if not isinstance(suite, TypesetSuite) or suite.recipe.degradation != "none":
        raise InputError(
            f"{suite.name}: cannot be corrupted, since its documents are not known\n"
            "  expected a generated suite without degradation, such as typeset:n=60,seed=1,ppi=110"
        )
    return suite


def subjects_of(suite: TypesetSuite) -> Iterator[LadderSample]:
    """All subjects of a suite, in the order of their numbers."""
    for number in range(pages_in(suite)):
        yield from subjects_on(suite, number)


def pages_in(suite: TypesetSuite) -> int:
    """How many pages the samples of a suite are on."""
    return ceil(suite.n / suite.recipe.per_page)


def subjects_on(suite: TypesetSuite, number: int) -> list[LadderSample]:
    """The subjects that share a page."""
    pairs = make_page(suite.recipe, number, press_of(suite.recipe.ppi))
    return [
        LadderSample(pair.sample, *pair.documents, pair.proposal.edit)
        for pair in pairs
        if int(pair.sample.id) < suite.n
    ]


@lru_cache(1)
def press_of(ppi: int) -> Typesetter:
    """A press that stays warm."""
    return Typesetter(ppi, font_folders())
