"""The next sample for a member; samples still being prepared come last."""

from __future__ import annotations

from collections.abc import Collection

from vdebench.review.refusals import Refusal
from vdebench.review.server.app_context import AppContext, AuthorizedRequest
from vdebench.review.server.responses import NOTHING, ApiReply, refused
from vdebench.review.server.samples import sample_json, visible_sample
from vdebench.review.visibility import View
from vdebench.review.workflow import WORKFLOW

MOST_TRIED = 20
"""Samples tried before steps that need OCR text are skipped."""


def next_sample(context: AppContext, request: AuthorizedRequest, steps: Collection[str] | None) -> ApiReply:
    """Return the longest waiting sample that is ready; else one that is not, for which the page waits."""
    without = context.unready.now()
    for _ in range(MOST_TRIED):
        taken = context.store.take(request.member.name, request.now, steps, without)
        if not isinstance(taken, View):
            break
        reply = _reply(context, request, taken)
        if reply.data["ready"]:
            return reply
        context.unready.add(taken.sample)
        without.add(taken.sample)
    else:
        others = [step for step in (WORKFLOW.names if steps is None else steps) if not WORKFLOW[step].needs_text]
        taken = context.store.take(request.member.name, request.now, others, without)
    if taken is None and without:
        taken = context.store.take(request.member.name, request.now, steps)
    if taken is None:
        return NOTHING
    return refused(taken) if isinstance(taken, Refusal) else _reply(context, request, taken)


def _reply(context: AppContext, request: AuthorizedRequest, taken: View) -> ApiReply:
    return ApiReply(data=sample_json(context, request, visible_sample(context, request, taken.sample)))
