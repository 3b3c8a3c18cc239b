"""Leases in the database: the rows of `queue`, and who holds them until when."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from vdebench.review.events import stamp
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.state import Item, Study
from vdebench.review.tables import sqlalchemy, tables
from vdebench.review.work import Lease, lent, voter_for


def take(connection: Any, study: Study, who: str, now: datetime, steps: Collection[str] | None) -> Lease | None:
    """Hold the sample that a member should look at next, as `work.next_for` chooses it."""
    member = study.member(who)
    if member is None or not member.active:
        return None
    sa, queue, moment = sqlalchemy(), tables().queue, stamp(now)
    mine = (queue.c.holder == who) & (queue.c.until > moment)
    free = queue.c.holder.is_(None) | (queue.c.holder == who) | (queue.c.until <= moment)
    for condition in (mine, free):
        found = []
        for voter in member.voters:  # one by one: so each goes by the index, and does not sort the queue
            here = (queue.c.voter == voter) & condition
            if steps is not None:
                here &= queue.c.step.in_(list(steps))
            first = sa.select(queue).where(here).order_by(queue.c.since, queue.c.position).limit(1)
            found += connection.execute(first.with_for_update(skip_locked=True)).all()
        if found:
            row = min(found, key=lambda each: (each.since, each.position))
            return _write(connection, lent(study.options, row.sample, row.voter, who, now))
    return None


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
    queue = tables().queue
    here = (queue.c.sample == sample) & (queue.c.voter == voter)
    row = connection.execute(sqlalchemy().select(queue.c.holder, queue.c.until).where(here)).first()
    return Lease(sample, voter, row.holder, row.until) if row and row.holder else None


def _write(connection: Any, lease: Lease) -> Lease:
    queue = tables().queue
    here = (queue.c.sample == lease.sample) & (queue.c.voter == lease.voter)
    connection.execute(sqlalchemy().update(queue).where(here).values(holder=lease.who, until=lease.until))
    return lease
