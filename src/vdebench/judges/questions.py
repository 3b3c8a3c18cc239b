"""Questions for a judge: sample, dimension and draw, with the images."""

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
from vdebench.net.image_payloads import PAYLOAD_VERSION, ImageInput
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite

BEFORE = "Image 1: before the edit"
AFTER = "Image 2: after the edit (the one to grade)"
REFERENCE = "Image 3: the reference"
PAGE = "Image 1: the page that the instruction is for"


@dataclass(frozen=True)
class JudgedSample:
    """A sample with its images, or the reason why it cannot be judged."""

    sample: Sample
    pages: tuple[ImageInput, ...] = ()
    absent: str = ""
    """Reason why the sample cannot be judged."""
    state: str = "missing"
    """State of its questions in that case: missing (no output) or failed."""

    @property
    def instruction(self) -> str:
        """The instruction of the editor."""
        return self.sample.instruction

    @property
    def operation(self) -> str:
        """The operation in words."""
        return self.sample.operation.value.replace("_", " ")

    @property
    def knowledge(self) -> str:
        """Expected consequences of the edit; often empty."""
        return str(self.sample.extra.get("knowledge") or "")

    @property
    def has_reference(self) -> bool:
        """Whether the images include the reference."""
        return len(self.pages) == 3

    def dimensions(self, requested: Sequence[Dimension]) -> list[Dimension]:
        """Return the dimensions that apply to the sample."""
        return [each for each in requested if self.knowledge or not each.needs_knowledge]


@dataclass(frozen=True)
class Question:
    """One question: a sample, a dimension and the number of the draw."""

    subject: JudgedSample
    dimension: Dimension
    draw: int

    @property
    def place(self) -> tuple[str, str, int]:
        """Key of its row: sample, dimension and draw."""
        return self.subject.sample.key, self.dimension.key, self.draw

    @property
    def prompt(self) -> str:
        """The text of the request."""
        return self.dimension.prompt(self.subject, self.subject.has_reference)

    def digest(self, judge: str, images: str) -> str:
        """Return the hash of everything that the answer depends on: judge, prompt, images, schema and draw."""
        pages = [[page.label, page.digest] for page in self.subject.pages]
        schema = json.dumps(self.dimension.schema, sort_keys=True)
        return digest_of(judge, self.prompt, json.dumps(pages), images, PAYLOAD_VERSION, schema, str(self.draw))


def questions_of(subject: JudgedSample, dimensions: Sequence[Dimension], repeat: int) -> Iterator[Question]:
    """Yield all questions about a sample, dimension by dimension."""
    for dimension in subject.dimensions(dimensions):
        for draw in range(repeat):
            yield Question(subject, dimension, draw)


def edit_subjects(suite: Suite, outputs: Outputs) -> Iterator[JudgedSample]:
    """Yield every sample with the output of an editor."""
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
        _ = page.digest, page.size  # raise an error for unreadable images now
    return pages


def instruction_subjects(suite: Suite) -> Iterator[JudgedSample]:
    """Yield every sample with its source page."""
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
            f"sample {sample.key}: the suite has no source image, which a judge needs\n"
            f"  name their folder in suite.toml (source_images of [groups.{sample.group}])"
        )
    return source


def canary_subjects(cases: Sequence[CanaryCase], *, reference: bool) -> Iterator[JudgedSample]:
    """Yield the cases of the canary, with or without reference images."""
    for case in cases:
        pages = (ImageInput(BEFORE, case.source), ImageInput(AFTER, case.output), ImageInput(REFERENCE, case.reference))
        yield JudgedSample(case.sample, pages if reference else pages[:2])
