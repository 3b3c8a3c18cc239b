"""Which sample somebody gets next: not one that is still being prepared, as long as another waits."""

from __future__ import annotations

from collections.abc import Collection

from vdebench.review.refusals import Refusal
from vdebench.review.server.app_context import AppContext, AuthorizedRequest
from vdebench.review.server.responses import NOTHING, ApiReply, refused
from vdebench.review.server.samples import seen_by, told
from vdebench.review.visibility import View
from vdebench.review.workflow import WORKFLOW

MOST_TRIED = 20
"""Samples that are looked at for one that is ready; then what has to be read first is passed over altogether."""


def next_sample(desk: AppContext, asked: AuthorizedRequest, steps: Collection[str] | None) -> ApiReply:
    """The sample that has waited longest of those that are ready; else one that is not, which the page waits for."""
    without = desk.unready.now()
    for _ in range(MOST_TRIED):
        taken = desk.store.take(asked.member.name, asked.now, steps, without)
        if not isinstance(taken, View):
            break
        reply = _told(desk, asked, taken)
        if reply.data["ready"]:
            return reply
        desk.unready.add(taken.sample)
        without.add(taken.sample)
    else:
        others = [step for step in (WORKFLOW.names if steps is None else steps) if not WORKFLOW[step].needs_text]
        taken = desk.store.take(asked.member.name, asked.now, others, without)
    if taken is None and without:
        taken = desk.store.take(asked.member.name, asked.now, steps)
    if taken is None:
        return NOTHING
    return refused(taken) if isinstance(taken, Refusal) else _told(desk, asked, taken)


def _told(desk: AppContext, asked: AuthorizedRequest, taken: View) -> ApiReply:
    return ApiReply(data=told(desk, asked, seen_by(desk, asked, taken.sample)))
