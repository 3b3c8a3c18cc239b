"""A workspace as a suite: its pages and instructions, before anybody has edited them, without right answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from vdebench.build.workspace import Workspace, group_of
from vdebench.core.box import Box, Size
from vdebench.core.page_text import PageText
from vdebench.core.sample import Operation, Region, Sample
from vdebench.errors import SuiteError
from vdebench.instructions.records import Instruction, SourcePageRecord
from vdebench.io.cache import digest_of
from vdebench.suites.suite import Fault, ImageFiles, Suite, SuiteGroup


def sample_of(
    instruction: Instruction, page: SourcePageRecord, boxes: Sequence[Box] = (), extra: Mapping[str, Any] | None = None
) -> Sample:
    """An instruction as a sample; `boxes` are in pixels of the page."""
    size = Size(page.width, page.height)
    return Sample(
        id=instruction.id,
        group=group_of(instruction.operation),
        instruction=instruction.instruction,
        operation=Operation(instruction.operation),
        language=instruction.language,
        source=page.source,
        source_image=page.image.rpartition("/")[2],
        reference_image=f"{instruction.id}.png",
        regions=tuple(Region(*box.to_percent(size), size) for box in boxes),
        extra=dict(extra or {}),
    )


class WorkspaceSuite(Suite):
    """What an editor is given: source pages and instructions."""

    def __init__(self, workspace: Workspace) -> None:
        groups = [SuiteGroup(name, workspace.instructions_file) for name in ("text", "table")]
        super().__init__(workspace.root, workspace.settings.name, groups)
        self._workspace = workspace

    @cached_property
    def _all(self) -> dict[str, tuple[Sample, Instruction, SourcePageRecord]]:
        pages = self._workspace.pages()
        made = self._workspace.instructions().values()
        found = [(sample_of(each, pages[each.page]), each, pages[each.page]) for each in made]
        return {sample.key: (sample, each, page) for sample, each, page in found}

    @property
    def samples(self) -> list[Sample]:
        """One for each instruction."""
        return [sample for sample, _, _ in self._all.values()]

    def ground_truth(self, sample: Sample) -> PageText:
        """Nobody knows yet."""
        raise SuiteError(f"suite {self.name}: {sample.key} has no right answer before it is reviewed and packaged")

    def source(self, sample: Sample) -> PageText | None:
        """What the page reads before the edit."""
        return self._workspace.page_reading(self._all[sample.key][2])

    def digest(self, sample: Sample) -> str:
        """Hash of the page and the instruction."""
        _, instruction, page = self._all[sample.key]
        return digest_of(page.sha256, instruction.instruction)

    def image_files(self, sample: Sample) -> ImageFiles:
        """The page before the edit."""
        return ImageFiles(self._workspace.page_image(self._all[sample.key][2]))

    def faults(self) -> Iterator[Fault]:
        """None: what is wrong is found by the stages."""
        return iter(())
