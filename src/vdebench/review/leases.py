"""Leases in the database: the rows of `queue`, and who holds them until when."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from vdebench.review.events import stamp
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import Item, Study
from vdebench.review.statements import holder, lend, longest_free, longest_held
from vdebench.review.tables import sqlalchemy, tables
from vdebench.review.work import Lease, lent, voter_for


def take(connection: Any, study: Study, who: str, now: datetime, steps: Collection[str] | None) -> Lease | None:
    """Hold the sample that a member should look at next, as `work.next_for` chooses it."""
    member = study.member(who)
    if member is None or not member.active:
        return None
    asked = {"who": who, "now": stamp(now), **({} if steps is None else {"steps": list(steps)})}
    by_step = steps is not None
    held = connection.execute(longest_held(by_step), {**asked, "voters": member.voters}).all()
    # one by one: so each goes by the index, and does not sort the queue
    free = (connection.execute(longest_free(by_step), {**asked, "voter": voter}) for voter in member.voters)
    found = held or [row for rows in free for row in rows]
    if not found:
        return None
    row = min(found, key=lambda each: (each.since, each.position))
    return _write(connection, lent(study.options, row.sample, row.voter, who, now))


def hold(connection: Any, study: Study, item: Item, who: str, now: datetime) -> Lease | Refusal:
    """Hold a sample of one's own choice, or go on holding it."""
    voter = voter_for(study, item, who)
    if voter is None:
        return Refusal(Reason.CLOSED, f"{item.id}: nothing is asked of {who} here now")
    held = held_by(connection, item.id, voter)
    if held and held.keeps_out(who, stamp(now)):
        return Refusal(Reason.LEASED, f"{item.id}: {held.who} of your group works on it until {held.until}")
    return _write(connection, lent(study.options, item.id, voter, who, now))


def release(connection: Any, who: str, sample: str) -> None:
    """Hold a sample no more."""
    queue = tables().queue
    mine = (queue.c.sample == sample) & (queue.c.holder == who)
    connection.execute(sqlalchemy().update(queue).where(mine).values(holder=None, until=None))


def held_by(connection: Any, sample: str, voter: str) -> Lease | None:
    """The last hold on a sample in the place of a voter; it may be over."""
    row = connection.execute(holder(), {"sample": sample, "voter": voter}).first()
    return Lease(sample, voter, row.holder, row.until) if row and row.holder else None


def _write(connection: Any, lease: Lease) -> Lease:
    told = {"held": lease.sample, "asked": lease.voter, "who": lease.who, "end": lease.until}
    connection.execute(lend(), told)
    return lease
