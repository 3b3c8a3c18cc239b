"""`vde review status`: where all samples are, what every group has done, what waits for whom, which came back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vdebench.build.decisions import REJECTION_REASONS
from vdebench.build.workspace import Workspace
from vdebench.report.table import Column, Row, Table
from vdebench.review.assignment import GROUP_STEPS, waiting_for
from vdebench.review.funnel import funnel, passed_through
from vdebench.review.state import CONFLICT, STEPS, State
from vdebench.review.visibility import conflicts, progress
from vdebench.review.workspace import decisions

SHOWN = {
    "pilot": "pilot",
    "score": "score",
    "boxes": "boxes",
    "screen": "screen",
    "ocr": "readings",
    CONFLICT: "conflicts",
}
"""What people call the steps."""
BOTH = ("done", "waiting")
NAMED = 5
"""Samples that are named in a line."""


def overview(workspace: Workspace, state: State) -> dict[str, Any]:
    """All of it, for programs."""
    found = funnel(state)
    waiting: Counter[tuple[str, str]] = Counter()
    for item in state.items.values():
        step = "pilot" if state.study.pilot_open else item.step
        waiting.update((voter, step) for voter in waiting_for(state.study, item))
    done = progress(state)
    asked = [f"group:{group}" for group in state.study.options.groups]
    groups = {
        voter.partition(":")[2]: {step: _both(done, waiting, voter, step) for step in GROUP_STEPS} for voter in asked
    }
    rounds = Counter(item.round for item in state.items.values())
    members = Counter(step for voter, step in waiting.elements() if voter.startswith("member:"))
    piloted = sum(counts["pilot"] for voter, counts in done.items() if voter.startswith("member:"))
    return {
        "funnel": found.to_json(),
        "through": passed_through(state.items.values()),
        "groups": groups,
        "ocr": _both(done, waiting, "person", "ocr"),
        "conflict": _both(done, waiting, "adjudicator", CONFLICT),
        "pilot": {"open": state.study.pilot_open, "done": piloted, "waiting": members["pilot"]},
        "rounds": {str(round): count for round, count in sorted(rounds.items())},
        "conflicts": [item.id for item in conflicts(state)],
        "not_placed": not_placed(workspace, state),
        "members": len(state.study.annotators()),
    }


def not_placed(workspace: Workspace, state: State) -> list[str]:
    """Samples that people have let pass with a corrected text that has no clear place: they are not packaged."""
    decided = workspace.decisions()
    passed = [each for each in decisions(state) if each.step == "ocr" and each.verdict == "pass"]
    kept = {each.id: decided.get((each.id, each.edit), {}).get("ocr") for each in passed}
    return [id for id, decision in kept.items() if decision is not None and decision.verdict == "reject"]


def status_tables(folder: Path, told: Mapping[str, Any], database: str = "") -> list[Table]:
    """The same for people; `database` is where they have named one."""
    found, through = told["funnel"], told["through"]
    rows = [Row(name, [count]) for name, count in found["places"].items() if count]
    title = f"{folder}: where its {found['total']} samples are"
    where = Table(title, [Column("samples", "", 0)], rows, "", notes=_notes(told))
    columns = [Column(which, "", 0, group=SHOWN[step]) for step in GROUP_STEPS for which in BOTH]
    votes = [
        Row(f"group {group}", [steps[step][which] for step in GROUP_STEPS for which in BOTH])
        for group, steps in told["groups"].items()
    ]
    single = [
        Row(SHOWN[step], [told[step][which] for which in BOTH])
        for step in ("pilot", "ocr", CONFLICT)
        if any(told[step][which] for which in BOTH)
    ]
    tables = [where, Table("votes of the groups", columns, votes, "")]
    if single:
        tables.append(Table("votes of single people", [Column(which, "", 0) for which in BOTH], single, ""))
    columns = [Column(SHOWN[step], "", 0) for step in STEPS]
    last = [f"next: {next_step(folder, told)}{f' --database {database}' if database and '@' not in database else ''}"]
    passed = Table("have come through", columns, [Row("", list(through.values()))], "", notes=last)
    return [*tables, passed]


def next_step(folder: Path, told: Mapping[str, Any]) -> str:
    """What to run next."""
    places = told["funnel"]["places"]
    over = places["OCR checked"] + places["rejected"] + places["withdrawn"]
    if over == told["funnel"]["total"]:
        return f"vde build package {folder}"
    first = next(iter(told["groups"]))
    return f"vde review serve {folder}" if told["members"] else f"vde review invite {folder} --group {first} --number 5"


def _notes(told: Mapping[str, Any]) -> list[str]:
    rejected = told["funnel"]["rejected"]
    notes = [f"rejected: {count} {reason} ({REJECTION_REASONS.get(reason, '')})" for reason, count in rejected.items()]
    if len(told["rounds"]) > 1:
        notes.append(f"rounds: {', '.join(f'{count} in round {name}' for name, count in told['rounds'].items())}")
    for key, words in (
        ("conflicts", "waiting for an adjudicator"),
        ("not_placed", "passed, but not packaged: a corrected text has no clear place on the page"),
    ):
        if told[key]:
            more = ", …" if len(told[key]) > NAMED else ""
            notes.append(f"{words}: {', '.join(told[key][:NAMED])}{more}")
    if told["pilot"]["open"]:
        notes.append("a pilot is under way: nothing else can be voted on")
    if not told["funnel"]["adds_up"]:
        notes.append("the counts do not add up")
    return notes


def _both(done: Mapping[str, Counter[str]], waiting: Counter[tuple[str, str]], voter: str, step: str) -> dict[str, int]:
    return {"done": done.get(voter, Counter())[step], "waiting": waiting[voter, step]}
