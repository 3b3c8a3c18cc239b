"""Endpoints for a sample and its images."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from vdebench.errors import VdeError
from vdebench.review.listing import ListedSample, view_sample
from vdebench.review.refusals import Refusal
from vdebench.review.server.app_context import AppContext, AuthorizedRequest
from vdebench.review.server.responses import NOT_FOUND, UNKNOWN_SAMPLE, ApiReply, ReplyError, fail, problem, refused
from vdebench.review.workflow import FINAL, WORKFLOW

IMAGES = ("before", "after", "reference")
FOR_EVER = "private, max-age=31536000, immutable"


def visible_sample(context: AppContext, request: AuthorizedRequest, sample: str) -> ListedSample:
    """Return what the member may see of a sample; raise the same error for all unknown ids."""
    seen = view_sample(context.store, request.member.name, sample, request.now)
    if isinstance(seen, Refusal):
        raise ReplyError(refused(seen))
    return seen


def sample_json(context: AppContext, request: AuthorizedRequest, seen: ListedSample) -> dict[str, Any]:
    """Return a sample as the page receives it."""
    view = seen.view
    about: dict[str, Any] = {}
    readings, there = None, False
    with suppress(KeyError, VdeError):  # missing in the workspace: the member must still be able to skip it
        about, there = dict(context.pool.about(view.sample)), True
    if request.member.role == "annotator":
        about.pop("editor", None)  # annotators must not know the editor
    step = WORKFLOW.get(view.step)
    needs_text = step is not None and step.needs_text
    if view.boxes and (needs_text or view.step in FINAL or request.member.role != "annotator"):
        with suppress(KeyError, VdeError):  # its edit is gone; the image request reports it
            readings = context.pool.readings(view.sample, view.boxes)
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
    """Return the URL of an image; it changes with the content."""
    if which == "reference" and not seen.view.boxes:
        return None
    return "/api/image?" + urlencode({"id": seen.view.sample, "which": which, "v": version(seen, which)})


def version(seen: ListedSample, which: str) -> str:
    """Return a digest of the inputs of an image."""
    made_of = f"{which} {seen.edit} {seen.view.boxes if which == 'reference' else ''}"
    return hashlib.sha256(made_of.encode()).hexdigest()[:20]


def sample(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/sample."""
    return ApiReply(data=sample_json(context, request, visible_sample(context, request, wanted(request))))


def image(context: AppContext, request: AuthorizedRequest) -> ApiReply:
    """GET /api/image: the sample is looked up by id; nothing in the request is used as a path."""
    seen, which = visible_sample(context, request, wanted(request)), request.query.get("which", "")
    if which not in IMAGES:
        fail(400, "malformed", f"which is {which!r}"[:100] + f", expected one of {', '.join(IMAGES)}")
    if which == "reference" and not seen.view.boxes:
        return NOT_FOUND
    now = version(seen, which)
    named = request.query.get("v") == now
    headers = {"ETag": f'"{now}"', "Cache-Control": FOR_EVER if named else "private, no-cache"}
    if f'"{now}"' in request.headers.get("if-none-match", ""):
        return ApiReply(304, headers=headers)
    try:
        if which == "reference":
            file = context.pool.reference(seen.view.sample, seen.view.boxes, seen.edit)
        else:
            file = context.pool.picture(seen.view.sample, which, (), seen.edit)
    except KeyError:
        return UNKNOWN_SAMPLE
    except VdeError as error:
        return problem(409, "no_image", str(error)[:500])
    return ApiReply(file=file, kind="image/png", headers=headers)


def wanted(request: AuthorizedRequest) -> str:
    """Return the sample id of a request."""
    if not (found := request.query.get("id", "")):
        fail(400, "malformed", "id is missing, expected the id of a sample")
    return found
