"""How far a workspace is: the funnel as a table, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vdebench.build.funnel import Step, funnel
from vdebench.build.workspace import Workspace
from vdebench.files import is_file, is_folder
from vdebench.report.table import Column, Row, Table


def status_json(workspace: Workspace) -> dict[str, Any]:
    """The funnel for programs."""
    steps = funnel(workspace)
    return {
        "name": workspace.settings.name,
        "steps": [step.to_json() for step in steps],
        "adds_up": all(step.adds_up for step in steps),
        "next": next_command(workspace, steps),
    }


def status_table(workspace: Workspace) -> Table:
    """The funnel for people."""
    steps = funnel(workspace)
    columns = [Column(head, "", 0) for head in ("in", "passed", "rejected", "pending")]
    rows = [Row(step.name, [step.entered, step.passed, step.turned_down, step.pending]) for step in steps]
    notes = [
        f"{step.name}: {', '.join(f'{count} {reason}' for reason, count in step.rejected.items())}"
        for step in steps
        if step.rejected
    ]
    notes += [f"{step.name}: the counts do not add up" for step in steps if not step.adds_up]
    filtered = [step.name for step in steps if step.stood_in]
    if filtered:
        notes.append(f"not reviewed by people: a filter stood in for them ({', '.join(filtered)})")
    notes.append(f"next: {next_command(workspace, steps)}")
    return Table(f"{workspace.settings.name} ({workspace.root})", columns, rows, "", notes=notes)


def next_command(workspace: Workspace, steps: Sequence[Step]) -> str:
    """What to run next."""
    root = workspace.root
    by_name = {step.name: step for step in steps}
    if by_name["pages"].pending or not by_name["pages"].passed:
        return f"vde build init {root}"
    if by_name["instructions"].pending or not by_name["instructions"].entered:
        return f"vde build instruct {root}"
    if by_name["edits"].pending:
        return f"vde build edit {root}"
    if not is_file(workspace.readings / "readings.jsonl") or len(workspace.edits_read()) < by_name["edits"].passed:
        return f"vde build read {root}"
    if any(step.pending for step in steps[3:]):
        return f"vde build review {root} --automatic"
    if not is_folder(workspace.package):
        return f"vde build package {root}"
    return f"vde run {workspace.package} -e copy --out runs"
