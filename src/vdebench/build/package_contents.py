"""What is packaged: the edits that have passed every step, as a suite with right answers and their readings."""

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
    """An edit that is a sample now."""

    instruction: Instruction
    page: SourcePageRecord
    made: EditRecord
    steps: dict[str, Decision]

    @property
    def boxes(self) -> tuple[Box, ...]:
        """What was changed, as far as the page goes."""
        return clipped(self.steps["boxes"].boxes, Size(self.page.width, self.page.height), self.instruction.id)

    @property
    def by_people(self) -> bool:
        """Whether people have taken every step."""
        return all(decision.kind == PEOPLE for decision in self.steps.values())


class PackagedSuite(Suite):
    """A suite of the edits that have passed."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        super().__init__(workspace.root, workspace.settings.name, self._present_groups)

    def _present_groups(self) -> list[SuiteGroup]:
        names = dict.fromkeys(sample.group for sample in self.samples)
        return [SuiteGroup(name, self._workspace.instructions_file) for name in names]

    @cached_property
    def passed(self) -> dict[str, AcceptedEdit]:
        """What has passed, by the sample's id, text before tables."""
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
            sample_of(each.instruction, each.page, each.boxes, _told(each, identity)) for each in self.passed.values()
        ]

    @property
    def samples(self) -> list[Sample]:
        """All that have passed, in the order of the draws, text before tables."""
        return self._samples

    def ground_truth(self, sample: Sample) -> PageText:
        """What the right answer reads."""
        return self._workspace.reference_reading(sample.id)

    def ground_truth_regions(self, sample: Sample) -> list[PageText]:
        """What its regions read."""
        return [self._workspace.reference_reading(sample.id, number) for number in range(len(sample.regions))]

    def source(self, sample: Sample) -> PageText:
        """What the reader read on the page before the edit."""
        return self._workspace.source_reading(self.passed[sample.id].page)

    def digest(self, sample: Sample) -> str:
        """Hash of the instruction and the edit."""
        each = self.passed[sample.id]
        return digest_of(each.page.sha256, each.instruction.instruction, each.steps["boxes"].edit)

    def image_files(self, sample: Sample) -> ImageFiles:
        """The page, the right answer, and where they may differ."""
        each, workspace = self.passed[sample.id], self._workspace
        reference = workspace.reference_image(sample.id)
        if not is_file(reference):
            raise InputError(f"{reference}: is gone; run `vde build review {workspace.root}` to make it again")
        mask = self.mask_file(sample)
        return ImageFiles(workspace.page_image(each.page), reference, mask)

    def mask_file(self, sample: Sample) -> Path:
        """Where its mask is once it is written."""
        return self._workspace.references / "masks" / f"{sample.id}.png"

    def write_masks(self) -> None:
        """Write the masks of all samples: white in their regions."""
        for sample in self.samples:
            each = self.passed[sample.id]
            mask = mask_of(Size(each.page.width, each.page.height), each.boxes)
            write_bytes(self.mask_file(sample), encode_png(mask))

    def faults(self) -> Iterator[Fault]:
        """None: the package is checked when it is written."""
        return iter(())


def provenance(workspace: Workspace, suite: PackagedSuite) -> Iterator[str]:
    """The ledger's lines on all that is packaged: samples and their pages. What failures said stays in the ledger:
    it may name folders and servers."""
    pages = {each.page.id for each in suite.passed.values()}
    for entry in workspace.ledger:
        wanted = pages if entry.stage == "init" else suite.passed  # a page may bear the name of another's sample
        if entry.id in wanted and entry.stage != "package":
            told = entry._replace(by=without_places(entry.by), words="" if entry.what == "failed" else entry.words)
            yield json.dumps(told._asdict(), ensure_ascii=False)


def _told(each: AcceptedEdit, identity: dict[str, str]) -> dict[str, Any]:
    """How a sample came to be, in the sample itself."""
    instruction, made = each.instruction, each.made
    editor = {key: without_places(identity[key]) for key in ("name", "version", "model") if key in identity}
    if made.by_hand:
        editor = {"name": BY_HAND}
    told = {
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
        "editor_model": without_places(str(made.parameters.get("model") or "")),
        "reviewed_by_people": each.by_people,
    }
    return {key: value for key, value in told.items() if value not in ("", None)}
