"""What people do all day: ask for a sample, look at it, vote."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from re import compile as pattern
from typing import Any

from vdebench.errors import VdeError
from vdebench.review import listing
from vdebench.review.commands import Add, Join, Leave, Open, SampleCommand, command_from_json
from vdebench.review.listing import look
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.server.app_context import AppContext, AuthorizedRequest, csrf_of
from vdebench.review.server.next_sample import next_sample
from vdebench.review.server.responses import NOTHING, ApiReply, ReplyError, fail, only, problem, refused, text_of
from vdebench.review.server.samples import seen_by, told
from vdebench.review.sessions import end_sessions
from vdebench.review.steps.ocr import Check
from vdebench.review.workflow import FINAL, WORKFLOW

KEY = pattern(r"[A-Za-z0-9-]{16,64}")
LISTS = ("todo", "mine", "all", "unvoted")


def me(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """GET /api/me."""
    study, member = desk.store.study(), asked.member
    options = study.options
    data = {
        "name": member.name,
        "role": member.role,
        "group": member.group,
        "csrf": csrf_of(asked.token),
        "options": {name: getattr(options, name) for name in options.__slots__},
        "pilot": {"open": study.pilot_open, "round": study.pilot, "samples": len(study.pilot_samples)},
        "steps": listing.own_counts(desk.store, member),
        "workflow": [step.to_json() for step in WORKFLOW.steps],
    }
    return ApiReply(data=data)


def progress(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """GET /api/progress."""
    return ApiReply(data=listing.progress(desk.store))


def take(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """POST /api/take."""
    only(asked.body, "steps")
    steps = asked.body.get("steps")
    if steps is not None and not (isinstance(steps, list) and all(step in WORKFLOW.names for step in steps)):
        fail(400, "malformed", f"steps are no list of {', '.join(WORKFLOW.names)}")
    return next_sample(desk, asked, steps)


def samples(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """GET /api/samples."""
    which, step = asked.query.get("which", "todo"), asked.query.get("step", "")
    if which not in LISTS or (step and step not in (*WORKFLOW.names, *FINAL)):
        fail(400, "malformed", f"which or step is not known, expected which of {', '.join(LISTS)}")
    if which == "todo":
        found = listing.todo(desk.store, asked.member, step)
    elif which == "mine":
        found = listing.mine(desk.store, asked.member, step)
    elif which == "unvoted":
        if asked.member.role != "admin":  # what others have voted on is not for those who vote
            fail(403, "forbidden", "this list is for admins")
        found = listing.unvoted(desk.store)
    else:
        found = listing.everything(desk.store, step)
    return ApiReply(data={"ids": [id for id, _ in found], "steps": [at for _, at in found]})


def hold(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """POST /api/hold."""
    only(asked.body, "id")
    lease = desk.store.hold(asked.member.name, text_of(asked.body, "id"), asked.now)
    return refused(lease) if isinstance(lease, Refusal) else ApiReply(data={"until": lease.until})


def release(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """POST /api/release."""
    only(asked.body, "id")
    desk.store.release(asked.member.name, text_of(asked.body, "id"))
    return NOTHING


def commands(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """POST /api/commands: all that changes the review."""
    only(asked.body, "key", "command")
    key = text_of(asked.body, "key")
    if not KEY.fullmatch(key):
        fail(400, "malformed", "key: expected 16 to 64 letters of A-Z, a-z, 0-9 and -, new for each command")
    command = command_from_json(asked.body.get("command"))
    if isinstance(command, Refusal):
        return refused(command)
    if isinstance(command, Open | Join | Add):
        return problem(403, "forbidden", "this is not done over HTTP")
    if isinstance(command, Check) and (words := _wrong_check(desk, asked, command)):
        return problem(409, str(Reason.BAD_VERDICT), words)
    along = _session_ender(command) if isinstance(command, Leave) else None
    answer = desk.store.submit(command, who=asked.member.name, now=asked.now, key=key, along=along)
    if isinstance(answer, Refusal):
        return refused(answer)
    if isinstance(command, Leave):
        desk.forget(command.name)
    sample = None
    if isinstance(command, SampleCommand):
        with suppress(ReplyError):  # the vote counts, whatever has become of whoever gave it
            sample = told(desk, asked, seen_by(desk, asked, command.sample))
    return ApiReply(data={"accepted": True, "sample": sample})


def _wrong_check(desk: AppContext, asked: AuthorizedRequest, command: Check) -> str:
    """Why readings cannot be approved: they are not there, or a corrected text could not be put into them.

    Told now, while somebody can do something about it; of a vote that came before and is sent again, never.
    """
    if command.verdict not in ("correct", "corrected"):
        return ""
    seen = look(desk.store, asked.member.name, command.sample, asked.now)
    if isinstance(seen, Refusal) or seen.voter != "person" or not all(isinstance(text, str) for text in command.texts):
        return ""  # the rules say why
    readings = None
    with suppress(KeyError, VdeError):
        readings = desk.pool.readings(command.sample, seen.view.boxes)
    if readings is None:
        return "its regions are not read yet"
    if command.verdict == "correct":
        return ""
    find = getattr(desk.pool, "wrong_correction", None)  # not every pool can tell
    with suppress(KeyError, VdeError):
        return str(find(command.sample, seen.view.boxes, command.texts)) if find else ""
    return ""


def _session_ender(command: Leave) -> Callable[[Any], None]:
    return lambda connection: end_sessions(connection, command.name)


def conflicts(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """GET /api/conflicts."""
    return ApiReply(data={"ids": listing.conflicts(desk.store)})
