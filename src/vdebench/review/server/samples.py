"""A sample as the page shows it, and its images."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from vdebench.errors import VdeError
from vdebench.review.listing import ListedSample, look
from vdebench.review.refusals import Refusal
from vdebench.review.server.app_context import AppContext, AuthorizedRequest
from vdebench.review.server.responses import NOT_FOUND, UNKNOWN_SAMPLE, ApiReply, ReplyError, fail, problem, refused
from vdebench.review.workflow import FINAL, WORKFLOW

IMAGES = ("before", "after", "reference")
FOR_EVER = "private, max-age=31536000, immutable"


def seen_by(desk: AppContext, asked: AuthorizedRequest, sample: str) -> ListedSample:
    """What somebody may see of a sample; the same words for every id that is none."""
    seen = look(desk.store, asked.member.name, sample, asked.now)
    if isinstance(seen, Refusal):
        raise ReplyError(refused(seen))
    return seen


def told(desk: AppContext, asked: AuthorizedRequest, seen: ListedSample) -> dict[str, Any]:
    """A sample for the page."""
    view = seen.view
    about: dict[str, Any] = {}
    readings, there = None, False
    with suppress(KeyError, VdeError):  # gone from the workspace: who holds it still has to see it, to get on
        about, there = dict(desk.pool.about(view.sample)), True
    if asked.member.role == "annotator":
        about.pop("editor", None)  # they judge the edit, not whose it is
    step = WORKFLOW.get(view.step)
    needs_text = step is not None and step.needs_text
    if view.boxes and (needs_text or view.step in FINAL or asked.member.role != "annotator"):
        with suppress(KeyError, VdeError):  # its edit is gone: the image says so
            readings = desk.pool.readings(view.sample, view.boxes)
    return {
        **view.to_json(),
        "about": about,
        "readings": readings,
        "ready": there and (not needs_text or readings is not None),
        "images": {which: image_url(seen, which) for which in IMAGES},
        "voter": seen.voter,
        "lease": {"until": seen.until} if seen.until else None,
    }


def image_url(seen: ListedSample, which: str) -> str | None:
    """Where an image is: of a name that changes with what it shows."""
    if which == "reference" and not seen.view.boxes:
        return None
    return "/api/image?" + urlencode({"id": seen.view.sample, "which": which, "v": version(seen, which)})


def version(seen: ListedSample, which: str) -> str:
    """What an image was made of."""
    made_of = f"{which} {seen.edit} {seen.view.boxes if which == 'reference' else ''}"
    return hashlib.sha256(made_of.encode()).hexdigest()[:20]


def sample(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """GET /api/sample."""
    return ApiReply(data=told(desk, asked, seen_by(desk, asked, wanted(asked))))


def image(desk: AppContext, asked: AuthorizedRequest) -> ApiReply:
    """GET /api/image: by an id that the store knows; nothing that was sent is ever a path."""
    seen, which = seen_by(desk, asked, wanted(asked)), asked.query.get("which", "")
    if which not in IMAGES:
        fail(400, "malformed", f"which is {which!r}"[:100] + f", expected one of {', '.join(IMAGES)}")
    if which == "reference" and not seen.view.boxes:
        return NOT_FOUND
    now = version(seen, which)
    named = asked.query.get("v") == now
    headers = {"ETag": f'"{now}"', "Cache-Control": FOR_EVER if named else "private, no-cache"}
    if f'"{now}"' in asked.headers.get("if-none-match", ""):
        return ApiReply(304, headers=headers)
    try:
        if which == "reference":
            file = desk.pool.reference(seen.view.sample, seen.view.boxes, seen.edit)
        else:
            file = desk.pool.picture(seen.view.sample, which, (), seen.edit)
    except KeyError:
        return UNKNOWN_SAMPLE
    except VdeError as error:
        return problem(409, "no_image", str(error)[:500])
    return ApiReply(file=file, kind="image/png", headers=headers)


def wanted(asked: AuthorizedRequest) -> str:
    """The sample that a request names."""
    if not (found := asked.query.get("id", "")):
        fail(400, "malformed", "id is missing, expected a sample's")
    return found
