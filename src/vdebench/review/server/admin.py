"""Endpoints for admins: funnel, agreement, rounds, invitations, uploads of edits, downloads."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime
from typing import Any

from vdebench.errors import InputError, TooLargeError, VdeError
from vdebench.review import listing
from vdebench.review.commands import Add
from vdebench.review.funnel import passed_through
from vdebench.review.ratings_table import COLUMNS, group_ratings, pilot_ratings
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.server.app_context import AppContext, AuthorizedRequest
from vdebench.review.server.responses import NOT_FOUND, NOTHING, UNKNOWN_SAMPLE, ApiReply, fail, only, problem, refused
from vdebench.review.server.samples import wanted
from vdebench.review.state import State
from vdebench.review.text_check import wrong_name
from vdebench.stats.reliability.ratings import Rating
from vdebench.stats.reliability.scales import reliability_by_scale

RATINGS = {"pilot": pilot_ratings, "pool": group_ratings}


def overview(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/admin/overview."""
    through = context.replayed.computed("through", lambda state: passed_through(state.items.values()))
    data = {
        "funnel": context.store.funnel().to_json(),
        "through": through,
        "rounds": listing.by_round(context.store),
        "members": listing.members(context.store),
        "stuck": context.stuck(),
        "invitations": [_shown(each._asdict()) for each in context.accounts.invitations()],
    }
    return ApiReply(data=data)


def _shown(invitation: dict[str, Any]) -> dict[str, Any]:
    return {name: invitation[name] for name in ("id", "role", "group", "name", "by", "until", "used_by")}


def agreement(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/admin/agreement."""
    of = _of(request)
    return ApiReply(data=context.replayed.computed(("agreement", of), lambda state: _agreement(state, of)))


def _agreement(state: State, of: str) -> dict[str, Any]:
    rows = [
        Rating(who, unit, scale, value, datetime.fromisoformat(when))
        for who, unit, scale, value, when in _ratings(state, of)
    ]
    found: dict[str, Any] = {}
    for each in reliability_by_scale(rows):
        found[each.scale] = {**_told(each.result.to_json()), "day": []}
    for each in reliability_by_scale(rows, over="day"):
        found[each.scale]["day"].append({"window": each.window, **_told(each.result.to_json())})
    return {"of": of, "scales": found}


def _ratings(state: State, of: str) -> list[Any]:
    return list(RATINGS[of](state))


def _told(found: dict[str, Any]) -> dict[str, Any]:
    """Add the field names that the page uses."""
    return {**found, "fleiss": found["kappa"], "percent": found["pairwise"]}


def _of(request: AuthorizedRequest) -> str:
    of = request.query.get("of", "pool")
    if of not in RATINGS:
        fail(400, "malformed", "of: expected pilot or pool")
    return of


def rounds(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/admin/rounds."""
    return ApiReply(data=context.replayed.computed("rounds", _rounds))


def _rounds(state: State) -> list[dict[str, Any]]:
    back = [
        item for item in state.items.values() if any(each.outcome in ("again", "conflict") for each in item.closings())
    ]
    return [
        {
            "id": item.id,
            "round": item.round,
            "agreements": [each.agreement for each in item.closings() if each.agreement is not None],
            "step": item.step,
        }
        for item in sorted(back, key=lambda item: (-item.round, item.position))
    ]


def invite(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/admin/invitations."""
    only(request.body, "role", "group", "days", "name")
    role, group, name = (request.body.get(key, "") for key in ("role", "group", "name"))
    for value in (role, group, name):
        if value != "" and wrong_name(value):
            fail(400, "malformed", "role, group or name is not a valid text")
    days = request.body.get("days", 7)
    try:
        token = context.accounts.invite(role, group, by=request.member.name, days=days, name=name, now=request.now)
    except InputError as error:
        return problem(400, "malformed", str(error))
    return ApiReply(data={"link": f"{context.settings.origins[0]}/#join={token}"})


def take_back(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """DELETE /api/admin/invitations."""
    return NOTHING if context.accounts.take_back(wanted(request)) else NOT_FOUND


def upload(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """POST /api/admin/upload: upload an edit."""
    id = wanted(request)
    if wrong_name(id):
        return UNKNOWN_SAMPLE
    if listing.is_known(context.store, id):
        return problem(409, str(Reason.KNOWN_SAMPLE), "the sample already has an edit and is in the review")
    try:
        sample = context.pool.upload(id, request.content, request.member.name)
    except KeyError:
        return UNKNOWN_SAMPLE
    except TooLargeError as error:
        return problem(413, "too_large", str(error)[:500])
    except VdeError as error:
        return problem(400, "bad_image", str(error)[:500])
    added = context.store.submit(Add((sample,)), who=request.member.name, now=request.now)
    if isinstance(added, Refusal):
        return refused(added)
    return ApiReply(data={"accepted": True, "sample": sample.sample})


def events(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/admin/events.jsonl."""
    lines = (json.dumps(event.to_json(), ensure_ascii=False) for event in context.store.events())
    return _download("events.jsonl", "application/x-ndjson", "".join(f"{line}\n" for line in lines))


def ratings(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/admin/ratings.csv."""
    of = _of(request)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_ratings(context.replayed.state()[1], of))
    return _download(f"ratings-{of}.csv", "text/csv; charset=utf-8", text.getvalue())


def _download(name: str, kind: str, text: str) -> ApiReply:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return ApiReply(content=text.encode("utf-8", "backslashreplace"), kind=kind, headers=headers)
