"""`vde build review`: open a review where there is none, and put what was edited into its pool."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.build.edit import edits_of
from vdebench.build.ledger import Entry
from vdebench.build.workspace import Workspace
from vdebench.errors import InputError
from vdebench.files import is_file
from vdebench.review.answers import Accepted
from vdebench.review.commands import Add, Command, Open
from vdebench.review.opening import opened_review
from vdebench.review.options import Options
from vdebench.review.preparing import require_its_own
from vdebench.review.refusals import Refusal
from vdebench.review.state import State, Study
from vdebench.review.store import Store
from vdebench.review.workspace import PATIENCE, gather, note_given, require_edits
from vdebench.runs.cache import digest_of_file
from vdebench.scoring import Progress


class Filled(NamedTuple):
    """What became of a pool."""

    admin: str
    opened: bool
    """Whether the review began now."""
    added: list[str]
    known: int
    """Samples that were in it before."""
    left_out: dict[str, str]
    """Samples that nobody could look at, and why."""
    changed: list[str]
    """Samples that were edited anew after they came into the pool: what people have seen of them is gone."""


def fill_pool(
    folder: Path,
    database: str | Path = "",
    *,
    admin: str = "",
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Filled:
    """Put every edit of a workspace into the pool of its review that is not in it; open the review where there is none.

    `options` are those that were named; a review that was opened with others refuses them.
    """
    workspace = Workspace(folder)
    require_edits(workspace)
    with opened_review(folder, database, begin=True) as store:
        state = store.state()
        require_its_own(workspace, state)
        who = _admin(state.study, admin)
        _require_options(state.study, options or {})
        found = gather(folder, state.items.keys(), progress)
        if found.left_out and not found.samples and not state.items:
            told = "\n  ".join(list(found.left_out.values())[:5])
            raise InputError(f"{folder}: none of its {len(found.left_out)} edits can be reviewed:\n  {told}")
        opened = not state.study.opened
        if opened:
            _do(store, Open(replace(Options(), **(options or {}))), who)
        with workspace.at_work(PATIENCE):
            for id, words in found.left_out.items():
                workspace.ledger.note(Entry("review", id, "left out", "image check", words=words))
            note_given(workspace, {sample.sample: sample.edit for sample in found.samples})  # first: no filter decides
            if found.samples:
                _do(store, Add(tuple(found.samples)), who)
    added = [sample.sample for sample in found.samples]
    return Filled(who, opened, added, len(state.items), found.left_out, _changed(workspace, state))


def _admin(study: Study, told: str) -> str:
    """In whose name samples are added."""
    admins = [member.name for member in study.members if member.active and member.role == "admin"]
    if study.opened and told and told not in admins:
        raise InputError(f"{told!r} is no admin of this review, whose admins are {', '.join(admins)}")
    return told or (admins[0] if admins else getpass.getuser())


def _require_options(study: Study, told: Mapping[str, Any]) -> None:
    for name, value in told.items():
        now = getattr(study.options, name)
        if study.opened and now != value:
            raise InputError(
                f"the review was opened with {name} {_shown(now)}, not {_shown(value)}: what a review is run by"
                " is never changed; go on without that option"
            )


def _shown(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value).lower()


def _do(store: Store, command: Command, who: str) -> Accepted:
    answer = store.submit(command, who=who, now=datetime.now(UTC))
    if isinstance(answer, Refusal):
        raise InputError(f"the review refuses it: {answer.words}")
    return answer


def _changed(workspace: Workspace, state: State) -> list[str]:
    """Samples whose edit is another one now."""
    edits = edits_of(workspace)
    files = {id: workspace.edits / edits[id].file for id in state.items if id in edits and edits[id].file}
    return [id for id, file in files.items() if is_file(file) and digest_of_file(file) != state.items[id].edit]
