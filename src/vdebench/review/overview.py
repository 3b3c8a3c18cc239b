"""`vde review status`: samples by state, votes given and missing, rounds, conflicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vdebench.build.decisions import REJECTION_REASONS
from vdebench.build.workspace import Workspace
from vdebench.report.table import Column, Row, Table
from vdebench.review.assignment import waiting_for
from vdebench.review.funnel import funnel, passed_through
from vdebench.review.state import State, current_step
from vdebench.review.step import Step
from vdebench.review.visibility import conflicts, progress
from vdebench.review.workflow import PILOT, WORKFLOW
from vdebench.review.workspace import decisions

BOTH = ("done", "waiting")
NAMED = 5
"""Samples listed in a note."""


def overview(workspace: Workspace, state: State) -> dict[str, Any]:
    """Return the status as JSON."""
    waiting: Counter[tuple[str, str]] = Counter()
    for item in state.items.values():
        step, _ = current_step(state.study, item)
        waiting.update((voter, step) for voter in waiting_for(state.study, item))
    done = progress(state)
    groups = {
        group: {
            step.name: _both(done, waiting, step.voter("", group), step.name) for step in WORKFLOW.voted_by("group")
        }
        for group in state.study.options.groups
    }
    rounds = Counter(item.round for item in state.items.values())
    single = {step.name: _both(done, waiting, step.voters, step.name) for step in _single()}
    pilot = {
        "open": state.study.pilot_open,
        "done": sum(votes[PILOT] for votes in done.values()),
        "waiting": sum(number for (_, step), number in waiting.items() if step == PILOT),
    }
    return {
        "funnel": funnel(state).to_json(),
        "through": passed_through(state.items.values()),
        "groups": groups,
        **single,
        PILOT: pilot,
        "rounds": {str(round): count for round, count in sorted(rounds.items())},
        "conflicts": [item.id for item in conflicts(state)],
        "not_placed": not_placed(workspace, state),
        "members": len(state.study.annotators()),
    }


def not_placed(workspace: Workspace, state: State) -> list[str]:
    """Return samples that passed, but whose corrected text has no unique place on the page: they are not packaged."""
    decided = workspace.decisions()
    passed = [each for each in decisions(state) if each.step == "ocr" and each.verdict == "pass"]
    kept = {each.id: decided.get((each.id, each.edit), {}).get("ocr") for each in passed}
    return [id for id, decision in kept.items() if decision is not None and decision.verdict == "reject"]


def _single() -> list[Step]:
    """Return the steps in which one person votes."""
    return [step for step in WORKFLOW.steps if step.voters in ("person", "adjudicator")]


def status_tables(folder: Path, status: Mapping[str, Any], database: str = "") -> list[Table]:
    """Return the status as tables; `database` is the option of that name, if it was given."""
    found, through = status["funnel"], status["through"]
    rows = [Row(name, [count]) for name, count in found["places"].items() if count]
    title = f"{folder}: {found['total']} samples by state"
    where = Table(title, [Column("samples", "", 0)], rows, "", notes=_notes(status))
    group_steps = WORKFLOW.voted_by("group")
    columns = [Column(which, "", 0, group=step.title.lower()) for step in group_steps for which in BOTH]
    votes = [
        Row(f"group {group}", [counts[step.name][which] for step in group_steps for which in BOTH])
        for group, counts in status["groups"].items()
    ]
    single = [
        Row(step.title.lower(), [status[step.name][which] for which in BOTH])
        for step in (*WORKFLOW.voted_by("member"), *_single())
        if any(status[step.name][which] for which in BOTH)
    ]
    tables = [where, Table("votes of the groups", columns, votes, "")]
    if single:
        tables.append(Table("votes of single people", [Column(which, "", 0) for which in BOTH], single, ""))
    columns = [Column(step.title.lower(), "", 0) for step in WORKFLOW.pool]
    last = [f"next: {next_step(folder, status)}{f' --database {database}' if database and '@' not in database else ''}"]
    passed = Table("samples that passed", columns, [Row("", list(through.values()))], "", notes=last)
    return [*tables, passed]


def next_step(folder: Path, status: Mapping[str, Any]) -> str:
    """Return the command to run next."""
    places = status["funnel"]["places"]
    over = places[WORKFLOW.places()["passed"]] + places["rejected"] + places["withdrawn"]
    if over == status["funnel"]["total"]:
        return f"vde build package {folder}"
    first = next(iter(status["groups"]))
    return (
        f"vde review serve {folder}" if status["members"] else f"vde review invite {folder} --group {first} --number 5"
    )


def _notes(status: Mapping[str, Any]) -> list[str]:
    rejected = status["funnel"]["rejected"]
    notes = [f"rejected: {count} {reason} ({REJECTION_REASONS.get(reason, '')})" for reason, count in rejected.items()]
    if len(status["rounds"]) > 1:
        notes.append(f"rounds: {', '.join(f'{count} in round {name}' for name, count in status['rounds'].items())}")
    for key, words in (
        ("conflicts", "waiting for an adjudicator"),
        ("not_placed", "passed, but not packaged: a corrected text has no clear place on the page"),
    ):
        if status[key]:
            more = ", …" if len(status[key]) > NAMED else ""
            notes.append(f"{words}: {', '.join(status[key][:NAMED])}{more}")
    if status["pilot"]["open"]:
        notes.append("a pilot is open: other votes are refused until it ends")
    if not status["funnel"]["adds_up"]:
        notes.append("the counts do not add up")
    return notes


def _both(done: Mapping[str, Counter[str]], waiting: Counter[tuple[str, str]], voter: str, step: str) -> dict[str, int]:
    return {"done": done.get(voter, Counter())[step], "waiting": waiting[voter, step]}
