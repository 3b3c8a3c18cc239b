"""Write a copy of a suite with ambiguous instructions and the same pages and ground truth."""

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
    """An ambiguous instruction and its kind of ambiguity: target, operation, spatial, scope …"""

    instruction: str
    kind: str = ""


Rewrite = Callable[[Sample], AmbiguousInstruction]
"""Returns an ambiguous instruction for a sample; raises `VdeError` if there is none."""


def own_form(sample: Sample) -> AmbiguousInstruction | None:
    """Return the ambiguous form stored in a sample, as in typeset suites; None if there is none."""
    form = sample.extra.get("ambiguous")
    if not isinstance(form, dict) or not isinstance(form.get("instruction"), str) or not form["instruction"].strip():
        return None
    return AmbiguousInstruction(form["instruction"], str(form.get("kind") or ""))


def rewriter(kind: str = "", seed: int = 0) -> Rewrite:
    """Return a function that uses the samples' own ambiguous forms, else rules; `kind` restricts the ambiguity."""
    if kind and kind not in KINDS:
        raise VdeError(f"unknown ambiguity {kind!r}; available: {', '.join(KINDS)}")

    def rewrite(sample: Sample) -> AmbiguousInstruction:
        own = own_form(sample)
        if own is not None and kind in ("", own.kind):
            return own
        return AmbiguousInstruction(*make_ambiguous(sample.instruction, kind, seed))

    return rewrite


def write_ambiguous(
    suite: Suite, out: Path, rewrite: Rewrite | None = None, progress: Callable[[int, int], Any] | None = None
) -> dict[str, str]:
    """Write the ambiguous suite to a new folder; return the omitted samples with the reason.

    Samples keep their ids, so that runs on both suites can be paired. Each has the extra fields `original_instruction`
    and `ambiguity`.
    """
    require_exportable(_FORM, out)
    samples, left_out = [], {}
    rewrite = rewrite or rewriter()
    for sample in suite:
        try:
            ambiguous = rewrite(sample)
        except VdeError as error:
            left_out[sample.key] = str(error).partition("\n")[0]
            continue
        if ambiguous.instruction.strip() == sample.instruction.strip():
            left_out[sample.key] = "its ambiguous form equals the instruction"
        else:
            kept = {key: value for key, value in sample.extra.items() if key != "ambiguous"}
            added = {"original_instruction": sample.instruction, "ambiguity": ambiguous.kind}
            samples.append(replace(sample, instruction=ambiguous.instruction, extra={**kept, **added}))
    if not samples:
        why = next((f"{key}: {reason}" for key, reason in left_out.items()), "it has no samples")
        raise SuiteError(
            f"suite {suite.name}: no sample can be made ambiguous: the first {why}\n"
            '  typeset suites contain ambiguous forms in the field \'ambiguous\': {"instruction": …, "kind": …}'
        )
    export_suite(_AmbiguousSuite(suite, samples), _FORM, out, progress)
    return left_out


class _AmbiguousSuite(Suite):
    """The samples of another suite with other instructions."""

    def __init__(self, of: Suite, samples: list[Sample]) -> None:
        super().__init__(of.root, f"{of.name} (ambiguous)", of.groups)
        self._of, self._samples = of, samples

    @property
    def samples(self) -> list[Sample]:
        return self._samples

    def has_reference(self, sample: Sample) -> bool:
        return self._of.has_reference(sample)

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
