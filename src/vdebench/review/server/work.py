"""Endpoints for reviewing: next sample, lists, leases, commands."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from re import compile as pattern
from typing import Any

from vdebench.errors import VdeError
from vdebench.review import listing
from vdebench.review.commands import Add, Join, Leave, Open, SampleCommand, command_from_json
from vdebench.review.listing import view_sample
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.server.app_context import AppContext, AuthorizedRequest, csrf_of
from vdebench.review.server.next_sample import next_sample
from vdebench.review.server.responses import NOTHING, ApiReply, ReplyError, fail, only, problem, refused, text_of
from vdebench.review.server.samples import sample_json, visible_sample
from vdebench.review.sessions import end_sessions
from vdebench.review.steps.ocr import Check
from vdebench.review.workflow import FINAL, WORKFLOW

KEY = pattern(r"[A-Za-z0-9-]{16,64}")
LISTS = ("todo", "mine", "all", "unvoted")


def me(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/me."""
    study, member = context.store.study(), request.member
    options = study.options
    data = {
        "name": member.name,
        "role": member.role,
        "group": member.group,
        "csrf": csrf_of(request.token),
        "options": {name: getattr(options, name) for name in options.__slots__},
        "pilot": {"open": study.pilot_open, "round": study.pilot, "samples": len(study.pilot_samples)},
        "steps": listing.own_counts(context.store, member),
        "workflow": [step.to_json() for step in WORKFLOW.steps],
    }
    return ApiReply(data=data)


def progress(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/progress."""
    return ApiReply(data=listing.progress(context.store))


def take(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/take."""
    only(request.body, "steps")
    steps = request.body.get("steps")
    if steps is not None and not (isinstance(steps, list) and all(step in WORKFLOW.names for step in steps)):
        fail(400, "malformed", f"steps: expected a list of {', '.join(WORKFLOW.names)}")
    return next_sample(context, request, steps)


def samples(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/samples."""
    which, step = request.query.get("which", "todo"), request.query.get("step", "")
    if which not in LISTS or (step and step not in (*WORKFLOW.names, *FINAL)):
        fail(400, "malformed", f"which or step is unknown, expected which of {', '.join(LISTS)}")
    if which == "todo":
        found = listing.todo(context.store, request.member, step)
    elif which == "mine":
        found = listing.mine(context.store, request.member, step)
    elif which == "unvoted":
        if request.member.role != "admin":  # annotators must not see which samples have votes
            fail(403, "forbidden", "this list is for admins")
        found = listing.unvoted(context.store)
    else:
        found = listing.everything(context.store, step)
    return ApiReply(data={"ids": [id for id, _ in found], "steps": [at for _, at in found]})


def hold(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/hold."""
    only(request.body, "id")
    lease = context.store.hold(request.member.name, text_of(request.body, "id"), request.now)
    return refused(lease) if isinstance(lease, Refusal) else ApiReply(data={"until": lease.until})


def release(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/release."""
    only(request.body, "id")
    context.store.release(request.member.name, text_of(request.body, "id"))
    return NOTHING


def commands(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/commands: execute a command."""
    only(request.body, "key", "command")
    key = text_of(request.body, "key")
    if not KEY.fullmatch(key):
        fail(400, "malformed", "key: expected 16 to 64 characters of A-Z, a-z, 0-9 and -, new for each command")
    command = command_from_json(request.body.get("command"))
    if isinstance(command, Refusal):
        return refused(command)
    if isinstance(command, Open | Join | Add):
        return problem(403, "forbidden", "this command is not available over HTTP")
    if isinstance(command, Check) and (words := _wrong_check(context, request, command)):
        return problem(409, str(Reason.BAD_VERDICT), words)
    along = _session_ender(command) if isinstance(command, Leave) else None
    answer = context.store.submit(command, who=request.member.name, now=request.now, key=key, along=along)
    if isinstance(answer, Refusal):
        return refused(answer)
    if isinstance(command, Leave):
        context.forget(command.name)
    sample = None
    if isinstance(command, SampleCommand):
        with suppress(ReplyError):  # the vote counts even if its sender was removed meanwhile
            sample = sample_json(context, request, visible_sample(context, request, command.sample))
    return ApiReply(data={"accepted": True, "sample": sample})


def _wrong_check(context: AppContext, request: AuthorizedRequest, command: Check) -> str:
    """Describe why OCR text cannot be approved: it is missing, or a corrected text cannot be inserted.

    Checked before the vote is accepted; not for a repeated vote.
    """
    if command.verdict not in ("correct", "corrected"):
        return ""
    seen = view_sample(context.store, request.member.name, command.sample, request.now)
    if isinstance(seen, Refusal) or seen.voter != "person" or not all(isinstance(text, str) for text in command.texts):
        return ""  # the rules refuse it
    readings = None
    with suppress(KeyError, VdeError):
        readings = context.pool.readings(command.sample, seen.view.boxes)
    if readings is None:
        return "its regions have not been read yet"
    if command.verdict == "correct":
        return ""
    find = getattr(context.pool, "wrong_correction", None)  # not every pool has this check
    with suppress(KeyError, VdeError):
        return str(find(command.sample, seen.view.boxes, command.texts)) if find else ""
    return ""


def _session_ender(command: Leave) -> Callable[[Any], None]:
    return lambda connection: end_sessions(connection, command.name)


def conflicts(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/conflicts."""
    return ApiReply(data={"ids": listing.conflicts(context.store)})
