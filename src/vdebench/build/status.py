"""Status of a workspace: the funnel as a table, and the next command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vdebench.build.edit import edited_file_digest, edits_of
from vdebench.build.funnel import FunnelStep, funnel
from vdebench.build.package_contents import PackagedSuite, provenance
from vdebench.build.read import label_of
from vdebench.build.workspace import Workspace
from vdebench.errors import VdeError
from vdebench.io.files import is_file, read_bytes, read_json
from vdebench.report.table import Column, Row, Table


def status_json(workspace: Workspace) -> dict[str, Any]:
    """Return the funnel as a JSON object."""
    steps = funnel(workspace)
    return {
        "name": workspace.settings.name,
        "steps": [step.to_json() for step in steps],
        "adds_up": all(step.adds_up for step in steps),
        "next": next_command(workspace, steps),
    }


def status_table(workspace: Workspace) -> Table:
    """Return the funnel as a table."""
    steps = funnel(workspace)
    columns = [Column(head, "", 0) for head in ("in", "passed", "rejected", "pending")]
    rows = [Row(step.name, [step.entered, step.passed, step.turned_down, step.pending]) for step in steps]
    notes = [
        f"{step.name}: {', '.join(f'{count} {reason}' for reason, count in step.rejected.items())}"
        for step in steps
        if step.rejected
    ]
    notes += [f"{step.name}: inconsistent counts" for step in steps if not step.adds_up]
    filtered = [step.name for step in steps if step.stood_in]
    if filtered:
        notes.append(f"not reviewed by people, but by the automatic filter ({', '.join(filtered)})")
    notes.append(f"next: {next_command(workspace, steps)}")
    return Table(f"{workspace.settings.name} ({workspace.root})", columns, rows, "", notes=notes)


def next_command(workspace: Workspace, steps: Sequence[FunnelStep]) -> str:
    """Return the next command to run."""
    root = workspace.root
    by_name = {step.name: step for step in steps}
    if by_name["pages"].pending or not by_name["pages"].passed:
        return f"vde build init {root}"
    if by_name["instructions"].pending or not by_name["instructions"].entered:
        return f"vde build instruct {root}"
    if by_name["edits"].pending:
        return f"vde build edit {root}"
    given = workspace.samples_in_review()
    if given and any(step.pending for step in steps[3:]):
        command = f"vde build review {root}"
        return f"vde review serve {root}" if len({id for id, _ in given}) >= by_name["edits"].passed else command
    if not given and not _is_read(workspace):
        return f"vde build read {root}"
    if any(step.pending for step in steps[3:]):
        return f"vde build review {root} --automatic"
    if not _is_packaged(workspace, steps):
        return f"vde build package {root}"
    return f"vde run {workspace.package} -e copy --out runs"


def _is_read(workspace: Workspace) -> bool:
    """Whether the current edits were read by the configured reader."""
    reads, instructions = workspace.edits_read(), workspace.instructions()
    try:
        reader = label_of(workspace.reader())
    except VdeError:  # the reader is not installed on this machine
        reader = ""
    for id, record in edits_of(workspace).items():
        if record.state != "edited" or id not in instructions:
            continue
        read = reads.get(id)
        if read is None or read.state != "read" or reader not in ("", read.reader):
            return False
        if read.edit != edited_file_digest(workspace, record):
            return False
    return True


def _is_packaged(workspace: Workspace, steps: Sequence[FunnelStep]) -> bool:
    """Whether there is a package of the current content."""
    files = [workspace.package / name for name in ("funnel.json", "provenance.jsonl")]
    if not all(map(is_file, files)):
        return False
    lines = "".join(f"{line}\n" for line in provenance(workspace, PackagedSuite(workspace)))
    return bool(read_json(files[0]) == [step.to_json() for step in steps] and read_bytes(files[1]) == lines.encode())
