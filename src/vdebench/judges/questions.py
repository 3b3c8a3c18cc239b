"""Questions for a judge: a sample, a dimension, a draw; with all that the rows say of them and all that is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.io.cache import digest_of
from vdebench.judges.canary import CanaryCase
from vdebench.judges.dimension import Dimension
from vdebench.net.image_payloads import SENDING, ImageInput
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite

BEFORE = "Image 1: before the edit"
AFTER = "Image 2: after the edit (the one to grade)"
REFERENCE = "Image 3: the reference"
PAGE = "Image 1: the page that the instruction is for"


@dataclass(frozen=True)
class JudgedSample:
    """What is judged: a sample with its images, or why it cannot be."""

    sample: Sample
    pages: tuple[ImageInput, ...] = ()
    absent: str = ""
    """Why there is nothing to judge."""
    state: str = "missing"
    """What that makes of its questions: missing (no output), or failed."""

    @property
    def instruction(self) -> str:
        """What the editor was told."""
        return self.sample.instruction

    @property
    def operation(self) -> str:
        """The kind of edit, in words."""
        return self.sample.operation.value.replace("_", " ")

    @property
    def knowledge(self) -> str:
        """What follows from the edit elsewhere; often nothing."""
        return str(self.sample.extra.get("knowledge") or "")

    @property
    def has_reference(self) -> bool:
        """Whether the judge is shown the right answer too."""
        return len(self.pages) == 3

    def dimensions(self, asked: Sequence[Dimension]) -> list[Dimension]:
        """Those of some dimensions that it can be asked about."""
        return [each for each in asked if self.knowledge or not each.needs_knowledge]


@dataclass(frozen=True)
class Question:
    """One thing to ask, once."""

    subject: JudgedSample
    dimension: Dimension
    draw: int

    @property
    def place(self) -> tuple[str, str, int]:
        """Its row: sample, dimension and draw."""
        return self.subject.sample.key, self.dimension.key, self.draw

    @property
    def prompt(self) -> str:
        """The text that goes with the images."""
        return self.dimension.prompt(self.subject, self.subject.has_reference)

    def digest(self, judge: str, images: str) -> str:
        """Hash of all that the answer depends on: who is asked, and how, and what; the images' policy and contents."""
        shown = [[page.label, page.digest] for page in self.subject.pages]
        schema = json.dumps(self.dimension.schema, sort_keys=True)
        return digest_of(judge, self.prompt, json.dumps(shown), images, SENDING, schema, str(self.draw))


def questions_of(subject: JudgedSample, dimensions: Sequence[Dimension], repeat: int) -> Iterator[Question]:
    """All questions about a subject, dimension by dimension."""
    for dimension in subject.dimensions(dimensions):
        for draw in range(repeat):
            yield Question(subject, dimension, draw)


def edited(suite: Suite, outputs: Outputs) -> Iterator[JudgedSample]:
    """The outputs of an editor, one by one."""
    for sample in suite.samples:
        try:
            files = suite.image_files(sample)
            output = outputs.find(sample)
            if output is None:
                yield JudgedSample(sample, absent=f"no output in {outputs.root}")
                continue
            yield JudgedSample(sample, _edit_pages(_source(suite, sample), output, files.reference))
        except VdeError as error:
            yield JudgedSample(sample, absent=str(error), state="failed")


def _edit_pages(source: Path, output: Path, reference: Path | None) -> tuple[ImageInput, ...]:
    pages: tuple[ImageInput, ...] = (ImageInput(BEFORE, source), ImageInput(AFTER, output))
    pages += () if reference is None else (ImageInput(REFERENCE, reference),)
    for page in pages:
        _ = page.digest, page.size  # what cannot be read is told now, not to the judge
    return pages


def instructed(suite: Suite) -> Iterator[JudgedSample]:
    """The instructions of a suite with their pages, one by one."""
    for sample in suite.samples:
        try:
            page = ImageInput(PAGE, _source(suite, sample))
            _ = page.digest, page.size
            if not sample.instruction.strip():
                yield JudgedSample(sample, absent=f"sample {sample.key}: has no instruction")
                continue
            yield JudgedSample(sample, (page,))
        except VdeError as error:
            yield JudgedSample(sample, absent=str(error), state="failed")


def _source(suite: Suite, sample: Sample) -> Path:
    source = suite.image_files(sample).source
    if source is None:
        raise VdeError(
            f"sample {sample.key}: the suite has no image of the page before the edit, which a judge must see\n"
            f"  name their folder in suite.toml (source_images of [groups.{sample.group}])"
        )
    return source


def canaries(cases: Sequence[CanaryCase], *, reference: bool) -> Iterator[JudgedSample]:
    """The canary's cases as they are shown: with a reference where the suite has references."""
    for case in cases:
        pages = (ImageInput(BEFORE, case.source), ImageInput(AFTER, case.output), ImageInput(REFERENCE, case.reference))
        yield JudgedSample(case.sample, pages if reference else pages[:2])
