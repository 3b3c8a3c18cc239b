"""The stage `edit`: run the workspace's editor on every instruction; refusals and failures are recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from vdebench.build.ledger import LedgerEntry
from vdebench.build.settings import FILE, Component, write_settings
from vdebench.build.settings_check import require_editor
from vdebench.build.suite import WorkspaceSuite
from vdebench.build.workspace import Workspace
from vdebench.errors import RunFolderError
from vdebench.io.cache import digest_of, digest_of_file
from vdebench.io.files import is_file
from vdebench.net.budget import Budget
from vdebench.pipeline.editing import EditRecord, edit_suite, identity_of, read_edits, states_of, total_cost
from vdebench.pipeline.options import Progress


def edit(
    workspace: Workspace, *, budget: float | None = None, workers: int = 0, progress: Progress | None = None
) -> Counter[str]:
    """Edit all instructions that have no result yet; `budget` is in dollars."""
    with workspace.stage_lock():
        workspace.require("instruct", workspace.instructions(), "it has no instructions yet")
        suite = WorkspaceSuite(workspace)
        chosen = workspace.settings.editor
        spent = total_cost(read_edits(workspace.edits))["dollars"] or 0.0
        try:
            records = edit_suite(
                suite,
                chosen.name,
                workspace.edits,
                options=chosen.options,
                seed=workspace.settings.seed,
                budget=None if budget is None else Budget(budget, spent),
                workers=workers,
                progress=progress,
            )
        finally:
            record_edits(workspace)
        return Counter(states_of(records))


def choose_editor(workspace: Workspace, name: str, options: Mapping[str, Any]) -> Workspace:
    """Change the editor in `build.toml`, if nothing has been edited yet."""
    current = workspace.settings.editor
    chosen = Component(name or current.name, dict(options))
    if chosen == current:
        return workspace
    if edits_of(workspace):
        raise RunFolderError(
            f"{workspace.root}: {current.name} has edited samples already; omit --editor, or choose another folder\n"
            f"  to start again, delete {workspace.edits} and change [editor] in {workspace.root / FILE}"
        )
    require_editor(chosen)
    write_settings(workspace.root, replace(workspace.settings, editor=chosen))
    return Workspace(workspace.root)


def edits_of(workspace: Workspace) -> dict[str, EditRecord]:
    """Return the result of each instruction by id."""
    return {record.sample.partition("/")[2]: record for record in read_edits(workspace.edits)}


def edited_file_digest(workspace: Workspace, record: EditRecord) -> str:
    """Return the hash of an edited image; raise `RunFolderError` if the file is missing."""
    file = workspace.edits / record.file
    if not is_file(file):
        raise RunFolderError(f"{file}: missing; run `vde build edit {workspace.root}` to create it again")
    return digest_of_file(file)


def record_edits(workspace: Workspace) -> None:
    """Add the records of the editor's journal to the ledger."""
    if not is_file(workspace.edits / "editor.json"):
        return
    identity = identity_of(workspace.edits)
    name = " ".join(str(identity[key]) for key in ("name", "version") if key in identity)
    instructions, pages = workspace.instructions(), workspace.pages()
    for id, record in edits_of(workspace).items():
        if id not in instructions:
            continue
        model = record.parameters.get("model")
        by = str(model) if record.by_hand else f"{name}: {model}" if model else name
        instruction = instructions[id]
        inputs = {"page": pages[instruction.page].sha256, "instruction": digest_of(instruction.instruction)}
        file = workspace.edits / record.file
        outputs = {"image": digest_of_file(file)} if record.file and is_file(file) else {}
        when = datetime.fromtimestamp(file.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if outputs else ""
        seed = None if record.by_hand else workspace.settings.seed
        entry = LedgerEntry(
            "edit", id, record.state, by, when, seed, inputs=inputs, outputs=outputs, words=record.reason
        )
        workspace.ledger.note(entry)
