"""Content of the package: the accepted edits as a suite with ground truth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.build.decisions import PEOPLE, STEPS, Decision, clipped, reached
from vdebench.build.edit import edits_of
from vdebench.build.funnel import current_decisions
from vdebench.build.paste_back import mask_of
from vdebench.build.suite import sample_of
from vdebench.build.workspace import Workspace
from vdebench.core.box import Box, Size
from vdebench.core.page_text import PageText
from vdebench.core.png import encode_png
from vdebench.core.sample import Sample
from vdebench.errors import InputError
from vdebench.instructions.records import Instruction, SourcePageRecord
from vdebench.io.cache import digest_of
from vdebench.io.files import is_file, write_bytes
from vdebench.io.redaction import without_places
from vdebench.pipeline.editing import EditRecord, identity_of
from vdebench.pipeline.editing.journal import BY_HAND
from vdebench.suites.suite import Fault, ImageFiles, Suite, SuiteGroup


class AcceptedEdit(NamedTuple):
    """An accepted edit."""

    instruction: Instruction
    page: SourcePageRecord
    record: EditRecord
    steps: dict[str, Decision]

    @property
    def boxes(self) -> tuple[Box, ...]:
        """Changed regions, limited to the page."""
        return clipped(self.steps["boxes"].boxes, Size(self.page.width, self.page.height), self.instruction.id)

    @property
    def by_people(self) -> bool:
        """Whether people made every decision."""
        return all(decision.kind == PEOPLE for decision in self.steps.values())


class PackagedSuite(Suite):
    """A suite of the accepted edits."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        super().__init__(workspace.root, workspace.settings.name, self._present_groups)

    def _present_groups(self) -> list[SuiteGroup]:
        names = dict.fromkeys(sample.group for sample in self.samples)
        return [SuiteGroup(name, self._workspace.instructions_file) for name in names]

    @cached_property
    def passed(self) -> dict[str, AcceptedEdit]:
        """Accepted edits by id, text before tables."""
        workspace = self._workspace
        pages, edits = workspace.pages(), edits_of(workspace)
        decided = current_decisions(workspace)
        found = {
            id: AcceptedEdit(instruction, pages[instruction.page], edits[id], decided[id])
            for id, instruction in workspace.instructions().items()
            if len(reached(decided.get(id, {}))[0]) == len(STEPS)
        }
        return dict(sorted(found.items(), key=lambda item: item[1].instruction.operation.startswith("table")))

    @cached_property
    def _samples(self) -> list[Sample]:
        identity = identity_of(self._workspace.edits) if self.passed else {}
        return [
            sample_of(each.instruction, each.page, each.boxes, _provenance_of(each, identity))
            for each in self.passed.values()
        ]

    @property
    def samples(self) -> list[Sample]:
        """Samples in the order of the draws, text before tables."""
        return self._samples

    def ground_truth(self, sample: Sample) -> PageText:
        """Return the OCR output of the reference image."""
        return self._workspace.reference_reading(sample.id)

    def ground_truth_regions(self, sample: Sample) -> list[PageText]:
        """Return the OCR output of each region."""
        return [self._workspace.reference_reading(sample.id, number) for number in range(len(sample.regions))]

    def source(self, sample: Sample) -> PageText:
        """Return the OCR output of the page before the edit."""
        return self._workspace.source_reading(self.passed[sample.id].page)

    def digest(self, sample: Sample) -> str:
        """Return a hash of page, instruction and edit."""
        each = self.passed[sample.id]
        return digest_of(each.page.sha256, each.instruction.instruction, each.steps["boxes"].edit)

    def image_files(self, sample: Sample) -> ImageFiles:
        """Return the source page, the reference and the mask."""
        each, workspace = self.passed[sample.id], self._workspace
        reference = workspace.reference_image(sample.id)
        if not is_file(reference):
            raise InputError(f"{reference}: missing; run `vde build review {workspace.root}` to create it again")
        mask = self.mask_file(sample)
        return ImageFiles(workspace.page_image(each.page), reference, mask)

    def mask_file(self, sample: Sample) -> Path:
        """Return the file of the mask."""
        return self._workspace.references / "masks" / f"{sample.id}.png"

    def write_masks(self) -> None:
        """Write the masks of all samples, white in their regions."""
        for sample in self.samples:
            each = self.passed[sample.id]
            mask = mask_of(Size(each.page.width, each.page.height), each.boxes)
            write_bytes(self.mask_file(sample), encode_png(mask))

    def faults(self) -> Iterator[Fault]:
        """Yield nothing: the package is checked when it is written."""
        return iter(())


def provenance(workspace: Workspace, suite: PackagedSuite) -> Iterator[str]:
    """Yield ledger lines of all packaged samples and pages. Messages of failures are removed: they may name folders and
    servers.
    """
    pages = {each.page.id for each in suite.passed.values()}
    for entry in workspace.ledger:
        ids = pages if entry.stage == "init" else suite.passed  # pages and samples may have equal ids
        if entry.id in ids and entry.stage != "package":
            values = entry._replace(by=without_places(entry.by), words="" if entry.what == "failed" else entry.words)
            yield json.dumps(values._asdict(), ensure_ascii=False)


def _provenance_of(each: AcceptedEdit, identity: dict[str, str]) -> dict[str, Any]:
    """Return the provenance of a sample for its entry."""
    instruction, record = each.instruction, each.record
    editor = {key: without_places(identity[key]) for key in ("name", "version", "model") if key in identity}
    if record.by_hand:
        editor = {"name": BY_HAND}
    values = {
        "page": each.page.id,
        "origin": {key: value for key, value in each.page.origin.items() if key not in ("key", "pixels")},
        "target": instruction.target,
        "replacement": instruction.replacement,
        "generator": instruction.generator,
        "generator_model": without_places(instruction.model),
        "prompt": instruction.prompt,
        "prompt_hash": instruction.prompt_hash,
        "seed": instruction.seed,
        "editor": editor,
        "editor_model": without_places(str(record.parameters.get("model") or "")),
        "reviewed_by_people": each.by_people,
    }
    return {key: value for key, value in values.items() if value not in ("", None)}
