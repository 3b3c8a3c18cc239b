"""`vde build review`: open a review if there is none, and add edited samples to its pool."""

from __future__ import annotations

import getpass
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.build.decisions import PEOPLE, Decision
from vdebench.build.edit import edits_of
from vdebench.build.ledger import LedgerEntry, now
from vdebench.build.workspace import Workspace
from vdebench.errors import InputError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import is_file
from vdebench.pipeline.options import Progress
from vdebench.review.commands import Add, Command, Open
from vdebench.review.connection import opened_review
from vdebench.review.events import PROTOCOL
from vdebench.review.idempotency import AcceptedCommand
from vdebench.review.options import Options
from vdebench.review.preparation import TURNED_DOWN, its_own
from vdebench.review.refusals import Refusal
from vdebench.review.state import ReviewState, State
from vdebench.review.store import Store
from vdebench.review.workflow import FINAL, WORKFLOW
from vdebench.review.workspace import PATIENCE, gather, note_given, require_edits, write_decision


class PoolImport(NamedTuple):
    """Result of `fill_pool`."""

    admin: str
    opened: bool
    """Whether the review was opened by this call."""
    added: list[str]
    known: int
    """Samples that were in the pool before."""
    left_out: dict[str, str]
    """Samples whose images cannot be shown, with the error."""
    changed: list[str]
    """Samples that were edited again during their review: the reviewed image is gone."""
    changed_since: dict[str, str]
    """Samples that were edited again after their review, with their final state."""

    def warnings(self) -> Iterator[str]:
        """Yield warnings for the person who runs the review."""
        for id, words in self.left_out.items():
            yield f"{id} is left out: {words}"
        for id in self.changed:
            yield (
                f"{id} was edited again after it was added to the pool: restore the old edit, or withdraw the sample,"
                " which is out for good then"
            )
        for id, step in self.changed_since.items():
            if step == "passed":
                yield f"{id} was edited again after it had passed: it is packaged only with the edit that passed"
            else:
                yield f"{id} was edited again after it was {step}: it stays {step}"


def fill_pool(
    folder: Path,
    database: str | Path = "",
    *,
    admin: str = "",
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> PoolImport:
    """Add all new edits of a workspace to the pool of its review; open the review if there is none.

    `options` are those that were named; a review that was opened with others refuses them.
    """
    workspace = Workspace(folder)
    require_edits(workspace)
    with opened_review(folder, database, begin=True) as store:
        state = store.state()
        its_own(workspace, state)
        who = _admin(state.study, admin)
        _require_options(state.study, options or {})
        found = gather(folder, state.items.keys(), progress)
        if found.left_out and not found.samples and not state.items:
            told = "\n  ".join(list(found.left_out.values())[:5])
            raise InputError(f"{folder}: none of its {len(found.left_out)} edits can be reviewed:\n  {told}")
        changed = _changed(workspace, state)
        opened = not state.study.opened
        if opened:
            _do(store, Open(replace(Options(), **(options or {}))), who)
        with workspace.stage_lock(PATIENCE), workspace.review_lock():
            for id, words in found.left_out.items():
                workspace.ledger.note(LedgerEntry("review", id, "left out", "image check", words=words))
            note_given(
                workspace, {sample.sample: sample.edit for sample in found.samples}
            )  # before adding: no filter may decide on them
            if found.samples:
                _do(store, Add(tuple(found.samples)), who)
            _note_out(workspace, state, changed)
    ended = {id: state.items[id].step for id in changed if state.items[id].step in FINAL}
    added = [sample.sample for sample in found.samples]
    under_way = [id for id in changed if id not in ended]
    return PoolImport(who, opened, added, len(state.items), found.left_out, under_way, ended)


def _admin(study: ReviewState, told: str) -> str:
    """Return the admin in whose name samples are added."""
    admins = [member.name for member in study.members if member.active and member.role == "admin"]
    if study.opened and told and told not in admins:
        raise InputError(f"{told!r} is not an admin of this review; its admins are {', '.join(admins)}")
    return told or (admins[0] if admins else getpass.getuser())


def _require_options(study: ReviewState, told: Mapping[str, Any]) -> None:
    for name, value in told.items():
        now = getattr(study.options, name)
        if study.opened and now != value:
            raise InputError(
                f"the review was opened with {name} {_shown(now)}, not {_shown(value)}: what a review is run by"
                " is never changed; go on without that option"
            )


def _shown(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value).lower()


def _do(store: Store, command: Command, who: str) -> AcceptedCommand:
    answer = store.submit(command, who=who, now=datetime.now(UTC))
    if isinstance(answer, Refusal):
        raise InputError(f"the review refused the command: {answer.words}")
    return answer


def _changed(workspace: Workspace, state: State) -> dict[str, str]:
    """Return the samples whose edit has changed, with the new digest."""
    edits = edits_of(workspace)
    files = {id: workspace.edits / edits[id].file for id in state.items if id in edits and edits[id].file}
    digests = {id: digest_of_file(file) for id, file in files.items() if is_file(file)}
    return {id: edit for id, edit in digests.items() if edit != state.items[id].edit}


def _note_out(workspace: Workspace, state: State, changed: Mapping[str, str]) -> None:
    """Record that rejected or withdrawn samples stay out with a new edit; otherwise they would wait forever."""
    decided = workspace.decisions()
    for id, edit in changed.items():
        item = state.items[id]
        if item.step in TURNED_DOWN and (id, edit) not in decided:
            words = f"it was {item.step} before it was edited again"
            write_decision(
                workspace, Decision(id, edit, WORKFLOW.first, "reject", PROTOCOL, PEOPLE, now(), "edited_anew", words)
            )
