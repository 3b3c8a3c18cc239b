"""The stage `edit`: every instruction carried out by the workspace's editor; refusals and failures are states."""

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
from vdebench.pipeline.scoring.stage import Progress


def edit(
    workspace: Workspace, *, budget: float | None = None, workers: int = 0, progress: Progress | None = None
) -> Counter[str]:
    """Have all instructions carried out; what was made before is not made again. `budget` is in dollars."""
    with workspace.at_work():
        workspace.require("instruct", workspace.instructions(), "it has no instructions yet")
        suite = WorkspaceSuite(workspace)
        chosen = workspace.settings.editor
        spent = total_cost(read_edits(workspace.edits))["dollars"] or 0.0
        try:
            made = edit_suite(
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
            note_edits(workspace)
        return Counter(states_of(made))


def choose_editor(workspace: Workspace, name: str, options: Mapping[str, Any]) -> Workspace:
    """Name another editor in `build.toml`, as long as none has begun."""
    there = workspace.settings.editor
    chosen = Component(name or there.name, dict(options))
    if chosen == there:
        return workspace
    if edits_of(workspace):
        raise RunFolderError(
            f"{workspace.root}: {there.name} has begun to edit; go on without --editor, or choose another folder\n"
            f"  to begin anew, delete {workspace.edits} and change [editor] in {workspace.root / FILE}"
        )
    require_editor(chosen)
    write_settings(workspace.root, replace(workspace.settings, editor=chosen))
    return Workspace(workspace.root)


def edits_of(workspace: Workspace) -> dict[str, EditRecord]:
    """What became of each instruction at the editor, by id."""
    return {made.sample.partition("/")[2]: made for made in read_edits(workspace.edits)}


def edited_file_digest(workspace: Workspace, made: EditRecord) -> str:
    """Hash of an edited image, or an error that says what to do where it is gone."""
    file = workspace.edits / made.file
    if not is_file(file):
        raise RunFolderError(f"{file}: is gone; run `vde build edit {workspace.root}` to make it again")
    return digest_of_file(file)


def note_edits(workspace: Workspace) -> None:
    """Bring the ledger up to what the editor's own journal says."""
    if not is_file(workspace.edits / "editor.json"):
        return
    identity = identity_of(workspace.edits)
    name = " ".join(str(identity[key]) for key in ("name", "version") if key in identity)
    instructions, pages = workspace.instructions(), workspace.pages()
    for id, made in edits_of(workspace).items():
        if id not in instructions:
            continue
        model = made.parameters.get("model")
        by = str(model) if made.by_hand else f"{name}: {model}" if model else name
        instruction = instructions[id]
        inputs = {"page": pages[instruction.page].sha256, "instruction": digest_of(instruction.instruction)}
        file = workspace.edits / made.file
        outputs = {"image": digest_of_file(file)} if made.file and is_file(file) else {}
        when = datetime.fromtimestamp(file.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if outputs else ""
        seed = None if made.by_hand else workspace.settings.seed
        entry = LedgerEntry("edit", id, made.state, by, when, seed, inputs=inputs, outputs=outputs, words=made.reason)
        workspace.ledger.note(entry)
