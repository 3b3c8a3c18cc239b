"""Leases in the database: holder and end time in the rows of `queue`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from vdebench.review.assignment import Lease, latest_end, new_lease, voter_for
from vdebench.review.events import stamp
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import Item, ReviewState
from vdebench.review.statements import free_held, holder, lend, longest_free, longest_held


def take(
    connection: Any,
    study: ReviewState,
    who: str,
    now: datetime,
    steps: Collection[str] | None = None,
    without: Collection[str] = (),
) -> Lease | None:
    """Lease the next sample for a member, chosen as by `next_for`; samples in `without` are skipped and released."""
    member = study.member(who)
    if member is None or not member.active:
        return None
    asked: dict[str, Any] = {"who": who, "now": stamp(now), "latest": latest_end(study.options, now)}
    if steps is not None:
        asked["steps"] = list(steps)
    if without:
        asked["without"] = list(without)
        connection.execute(free_held(some=True), {"by": who, "samples": asked["without"]})
    limits = steps is not None, bool(without)
    held = connection.execute(longest_held(*limits), {**asked, "voters": member.voters}).all()
    # one query per voter: each uses the index and does not sort the queue
    free = (connection.execute(longest_free(*limits), {**asked, "voter": voter}) for voter in member.voters)
    found = held or [row for rows in free for row in rows]
    if not found:
        return None
    row = min(found, key=lambda each: (each.since, each.position))
    return _write(connection, new_lease(study.options, row.sample, row.voter, who, now))


def hold(connection: Any, study: ReviewState, item: Item, who: str, now: datetime) -> Lease | Refusal:
    """Lease a chosen sample, or renew the lease."""
    voter = voter_for(study, item, who)
    if voter is None:
        return Refusal(Reason.CLOSED, f"{item.id}: it does not wait for a vote of {who}")
    held = held_by(connection, study, item.id, voter, now)
    if held and held.who != who:
        return Refusal(Reason.LEASED, f"{item.id}: {held.who} of your group works on it until {held.until}")
    return _write(connection, new_lease(study.options, item.id, voter, who, now))


def release(connection: Any, who: str, sample: str) -> None:
    """Release a sample."""
    connection.execute(free_held(some=True), {"by": who, "samples": [sample]})


def held_by(connection: Any, study: ReviewState, sample: str, voter: str, now: datetime) -> Lease | None:
    """Return the valid lease on a sample for a voter; None without one."""
    row = connection.execute(holder(), {"sample": sample, "voter": voter}).first()
    if row is None or row.holder is None or not stamp(now) < row.until <= latest_end(study.options, now):
        return None
    return Lease(sample, voter, row.holder, row.until)


def _write(connection: Any, lease: Lease) -> Lease:
    told = {"held": lease.sample, "asked": lease.voter, "who": lease.who, "end": lease.until}
    connection.execute(lend(), told)
    return lease
