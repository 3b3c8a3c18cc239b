"""The funnel: how many pages, instructions and edits went into each step, came out, were turned down and why."""

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


class Step(NamedTuple):
    """One step of the funnel."""

    name: str
    unit: str
    """What is counted."""
    entered: int
    passed: int
    rejected: Mapping[str, int]
    """By reason, the commonest first."""
    pending: int
    stood_in: int = 0
    """Decisions of people that an automatic filter has taken in their place."""

    @property
    def turned_down(self) -> int:
        """All that were rejected."""
        return sum(self.rejected.values())

    @property
    def adds_up(self) -> bool:
        """Whether all that entered is accounted for."""
        return self.entered == self.passed + self.turned_down + self.pending

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {**self._asdict(), "rejected": dict(self.rejected), "adds_up": self.adds_up}


def _step(
    name: str, unit: str, entered: Set[str], passed: Set[str], rejected: Mapping[str, str], stood_in: int = 0
) -> Step:
    """A step of sets: what is in two of them, or comes from nowhere, makes it fail to add up."""
    reasons = Counter(rejected.values())
    ordered = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    pending = len(entered - passed - rejected.keys())
    return Step(name, unit, len(entered), len(passed), ordered, pending, stood_in)


def funnel(workspace: Workspace) -> list[Step]:
    """All steps, from what was found in the sources to what can be packaged."""
    pages = workspace.pages()
    keys = {str(page.origin.get("key")) for page in pages.values()}
    rejections = workspace.rejections()
    turned_down = {each.id: each.reason for each in rejections if each.stage == "init" and each.id not in keys}
    found = {each["key"] for each in read_json(workspace.found_file)} if is_file(workspace.found_file) else set()
    draws, instructions = workspace.draws(), workspace.instructions()
    refused = {each.id: each.reason for each in rejections if each.stage == "instruct" and each.final}
    edits = {id: made for id, made in edits_of(workspace).items() if id in instructions}
    edited = {id for id, made in edits.items() if made.state == "edited"}
    steps = [
        _step("pages", "pages", found | keys | turned_down.keys(), keys, turned_down),
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
    """What was decided of the edits as they are now, by sample."""
    decisions = workspace.decisions()
    if not decisions:
        return {}
    made = {id: edit for id, edit in edits_of(workspace).items() if edit.state == "edited"}
    return {id: decisions.get((id, edited_file_digest(workspace, edit)), {}) for id, edit in made.items()}


def _reviewed(edited: Set[str], decided: Mapping[str, Mapping[str, Decision]]) -> list[Step]:
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


def require_sums(steps: Sequence[Step]) -> None:
    """Refuse a funnel in which something got lost, or came from nowhere."""
    for step in steps:
        if not step.adds_up:
            raise RunFolderError(
                f"the funnel does not add up at {step.name}: {step.entered} {step.unit} in; {step.passed} passed,"
                f" {step.turned_down} rejected, {step.pending} pending\n"
                "  a file of the workspace was changed by hand; see the ledger"
            )
    for before, after in pairwise(steps[2:]):  # pages make draws: another unit
        if before.passed != after.entered:
            raise RunFolderError(
                f"the funnel does not add up: {before.passed} left {before.name}, {after.entered} came to {after.name}"
            )


def stood_in(steps: Iterable[Step]) -> bool:
    """Whether any decision was taken in place of people."""
    return any(step.stood_in for step in steps)
