"""The funnel: number of pages, instructions and edits that entered each step, passed, or were rejected and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise
from typing import Any, NamedTuple

from vdebench.build.decisions import AUTOMATIC, STEPS, Decision, reached
from vdebench.build.edit import edited_file_digest, edits_of
from vdebench.build.workspace import Workspace
from vdebench.errors import RunFolderError
from vdebench.io.files import is_file, read_json


class FunnelStep(NamedTuple):
    """One step of the funnel."""

    name: str
    unit: str
    """Unit of the counts."""
    entered: int
    passed: int
    rejected: Mapping[str, int]
    """Counts by reason, most frequent first."""
    pending: int
    stood_in: int = 0
    """Number of decisions by the automatic filter."""

    @property
    def turned_down(self) -> int:
        """Number of rejected items."""
        return sum(self.rejected.values())

    @property
    def adds_up(self) -> bool:
        """Whether entered = passed + rejected + pending."""
        return self.entered == self.passed + self.turned_down + self.pending

    def to_json(self) -> dict[str, Any]:
        """Return the step as a JSON object."""
        return {**self._asdict(), "rejected": dict(self.rejected), "adds_up": self.adds_up}


def _step(
    name: str, unit: str, entered: Set[str], passed: Set[str], rejected: Mapping[str, str], stood_in: int = 0
) -> FunnelStep:
    """Count sets; overlapping sets, or items that did not enter, make the step inconsistent."""
    reasons = Counter(rejected.values())
    ordered = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    pending = len(entered - passed - rejected.keys())
    return FunnelStep(name, unit, len(entered), len(passed), ordered, pending, stood_in)


def funnel(workspace: Workspace) -> list[FunnelStep]:
    """Return all steps, from the pages found in the sources to the samples that can be packaged."""
    pages = workspace.pages()
    keys = {str(page.origin.get("key")) for page in pages.values()}
    rejections = workspace.rejections()
    rejected_pages = {each.id: each.reason for each in rejections if each.stage == "init" and each.id not in keys}
    found = {each["key"] for each in read_json(workspace.found_file)} if is_file(workspace.found_file) else set()
    draws, instructions = workspace.draws(), workspace.instructions()
    refused = {each.id: each.reason for each in rejections if each.stage == "instruct" and each.final}
    edits = {id: made for id, made in edits_of(workspace).items() if id in instructions}
    edited = {id for id, made in edits.items() if made.state == "edited"}
    steps = [
        _step("pages", "pages", found | keys | rejected_pages.keys(), keys, rejected_pages),
        _step("instructions", "draws", draws.keys(), instructions.keys(), refused),
        _step(
            "edits",
            "instructions",
            instructions.keys(),
            edited,
            {id: made.state for id, made in edits.items() if id not in edited},
        ),
    ]
    return steps + _reviewed(edited, current_decisions(workspace))


def current_decisions(workspace: Workspace) -> dict[str, dict[str, Decision]]:
    """Return the decisions on the current edits, by sample."""
    decisions = workspace.decisions()
    if not decisions:
        return {}
    made = {id: edit for id, edit in edits_of(workspace).items() if edit.state == "edited"}
    return {id: decisions.get((id, edited_file_digest(workspace, edit)), {}) for id, edit in made.items()}


def _reviewed(edited: Set[str], decided: Mapping[str, Mapping[str, Decision]]) -> list[FunnelStep]:
    entered, found = edited, []
    for number, (step, name) in enumerate(STEPS.items()):
        passed: set[str] = set()
        rejected: dict[str, str] = {}
        stood_in = 0
        for id in entered:
            through, ended = reached(decided.get(id, {}))
            if len(through) > number:
                passed.add(id)
            elif ended is not None:
                rejected[id] = ended.reason or "rejected"
            decision = decided.get(id, {}).get(step)
            stood_in += decision is not None and decision.kind == AUTOMATIC
        found.append(_step(name, "edits", entered, passed, rejected, stood_in))
        entered = passed
    return found


def require_consistent(steps: Sequence[FunnelStep]) -> None:
    """Raise `RunFolderError` if counts are inconsistent."""
    for step in steps:
        if not step.adds_up:
            raise RunFolderError(
                f"inconsistent counts at {step.name}: {step.entered} {step.unit} in; {step.passed} passed,"
                f" {step.turned_down} rejected, {step.pending} pending\n"
                "  a file of the workspace was changed by hand; see the ledger"
            )
    for before, after in pairwise(steps[2:]):  # pages and draws are different units
        if before.passed != after.entered:
            raise RunFolderError(
                f"inconsistent counts: {before.passed} passed {before.name}, {after.entered} entered {after.name}"
            )


def used_filter(steps: Iterable[FunnelStep]) -> bool:
    """Whether any decision was made by the filter."""
    return any(step.stood_in for step in steps)
