"""A suite with instructions that leave something open, made of one whose do not: the same pages, the same truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.core.box import Size
from vdebench.core.page_text import PageText
from vdebench.core.sample import Sample
from vdebench.errors import SuiteError, VdeError
from vdebench.instructions.ambiguity import KINDS, make_ambiguous
from vdebench.suites.export import export_suite, require_exportable
from vdebench.suites.suite import Fault, ImageFiles, Suite

_FORM = "vde-release"


class AmbiguousInstruction(NamedTuple):
    """An instruction that leaves something open, and what that is: target, operation, spatial, scope …"""

    instruction: str
    kind: str = ""


Rewrite = Callable[[Sample], AmbiguousInstruction]
"""A sample's instruction in ambiguous words; an error says why there are none."""


def own_form(sample: Sample) -> AmbiguousInstruction | None:
    """The ambiguous form that a sample brings, as those of typeset suites do."""
    told = sample.extra.get("ambiguous")
    if not isinstance(told, dict) or not isinstance(told.get("instruction"), str) or not told["instruction"].strip():
        return None
    return AmbiguousInstruction(told["instruction"], str(told.get("kind") or ""))


def rewriter(kind: str = "", seed: int = 0) -> Rewrite:
    """Samples' own ambiguous forms, and for those that bring none our rules; of one kind where it is named."""
    if kind and kind not in KINDS:
        raise VdeError(f"there is no ambiguity {kind!r}; there are: {', '.join(KINDS)}")

    def rewrite(sample: Sample) -> AmbiguousInstruction:
        own = own_form(sample)
        if own is not None and kind in ("", own.kind):
            return own
        return AmbiguousInstruction(*make_ambiguous(sample.instruction, kind, seed))

    return rewrite


def write_ambiguous(
    suite: Suite, out: Path, rewrite: Rewrite | None = None, progress: Callable[[int, int], Any] | None = None
) -> dict[str, str]:
    """Write the ambiguous suite into a new folder, and give what is not in it and why.

    Samples keep their ids, so that runs on both suites can be paired. `original_instruction` and `ambiguity` are kept
    with each.
    """
    require_exportable(_FORM, out)
    samples, left_out = [], {}
    rewrite = rewrite or rewriter()
    for sample in suite:
        try:
            found = rewrite(sample)
        except VdeError as error:
            left_out[sample.key] = str(error).partition("\n")[0]
            continue
        if found.instruction.strip() == sample.instruction.strip():
            left_out[sample.key] = "its ambiguous form is the instruction itself"
        else:
            kept = {key: value for key, value in sample.extra.items() if key != "ambiguous"}
            told = {"original_instruction": sample.instruction, "ambiguity": found.kind}
            samples.append(replace(sample, instruction=found.instruction, extra={**kept, **told}))
    if not samples:
        why = next((f"{key}: {reason}" for key, reason in left_out.items()), "it has no samples")
        raise SuiteError(
            f"suite {suite.name}: no sample can be made ambiguous: the first {why}\n"
            '  typeset suites bring ambiguous forms in their field \'ambiguous\': {"instruction": …, "kind": …}'
        )
    export_suite(_AmbiguousSuite(suite, samples), _FORM, out, progress)
    return left_out


class _AmbiguousSuite(Suite):
    """Another suite's samples with other instructions."""

    def __init__(self, of: Suite, samples: list[Sample]) -> None:
        super().__init__(of.root, f"{of.name} (ambiguous)", of.groups)
        self._of, self._samples = of, samples

    @property
    def samples(self) -> list[Sample]:
        return self._samples

    def ground_truth(self, sample: Sample) -> PageText:
        return self._of.ground_truth(sample)

    def digest(self, sample: Sample) -> str:
        return self._of.digest(sample)

    def faults(self) -> Iterator[Fault]:
        return self._of.faults()

    def source(self, sample: Sample) -> PageText | None:
        return self._of.source(sample)

    def ground_truth_regions(self, sample: Sample) -> list[PageText] | None:
        return self._of.ground_truth_regions(sample)

    def image_size(self, sample: Sample) -> Size | None:
        return self._of.image_size(sample)

    def image_files(self, sample: Sample) -> ImageFiles:
        return self._of.image_files(sample)
