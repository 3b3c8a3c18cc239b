"""A workspace as a suite: its pages and instructions, without ground truth."""

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
    """Return an instruction as a sample; `boxes` are in pixels of the page."""
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
    """Input of an editor: source pages and instructions."""

    def __init__(self, workspace: Workspace) -> None:
        groups = [SuiteGroup(name, workspace.instructions_file) for name in ("text", "table")]
        super().__init__(workspace.root, workspace.settings.name, groups)
        self._workspace = workspace

    @cached_property
    def _all(self) -> dict[str, tuple[Sample, Instruction, SourcePageRecord]]:
        pages = self._workspace.pages()
        instructions = self._workspace.instructions().values()
        entries = [(sample_of(each, pages[each.page]), each, pages[each.page]) for each in instructions]
        return {sample.key: (sample, each, page) for sample, each, page in entries}

    @property
    def samples(self) -> list[Sample]:
        """One sample per instruction."""
        return [sample for sample, _, _ in self._all.values()]

    def ground_truth(self, sample: Sample) -> PageText:
        """Raise `SuiteError`: there is no ground truth before packaging."""
        raise SuiteError(f"suite {self.name}: {sample.key} has no ground truth before it is reviewed and packaged")

    def source(self, sample: Sample) -> PageText | None:
        """Return the text of the page before the edit."""
        return self._workspace.page_reading(self._all[sample.key][2])

    def digest(self, sample: Sample) -> str:
        """Return a hash of page and instruction."""
        _, instruction, page = self._all[sample.key]
        return digest_of(page.sha256, instruction.instruction)

    def image_files(self, sample: Sample) -> ImageFiles:
        """Return the page before the edit."""
        return ImageFiles(self._workspace.page_image(self._all[sample.key][2]))

    def faults(self) -> Iterator[Fault]:
        """Yield nothing: the stages report faults."""
        return iter(())
