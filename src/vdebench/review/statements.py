"""SQL statements of every vote, built once: building one takes longer than running it."""

from __future__ import annotations

from functools import cache
from typing import Any

from vdebench.review.tables import sqlalchemy, tables


@cache
def study_version(lock: str = "") -> Any:
    """Number of events in the review's own stream, locked for reading (`share`) or writing (`update`)."""
    found = sqlalchemy().select(tables().study.c.version)
    return found.with_for_update(read=lock == "share") if lock else found


@cache
def locked_item() -> Any:
    """Version of a `sample`; locks its row until the end of the transaction."""
    sa, items = sqlalchemy(), tables().items
    return sa.select(items.c.version).where(items.c.sample == sa.bindparam("sample")).with_for_update()


@cache
def bodies() -> Any:
    """Events of a `stream`, oldest first."""
    sa, events = sqlalchemy(), tables().events
    return sa.select(events.c.body).where(events.c.stream == sa.bindparam("stream")).order_by(events.c.version)


@cache
def holder() -> Any:
    """Holder and end of the lease on a `sample` for a `voter`."""
    sa, queue = sqlalchemy(), tables().queue
    here = (queue.c.sample == sa.bindparam("sample")) & (queue.c.voter == sa.bindparam("voter"))
    return sa.select(queue.c.holder, queue.c.until).where(here)


@cache
def lend() -> Any:
    """Lease a `held` sample for an `asked` voter to `who`, until `end`."""
    sa, queue = sqlalchemy(), tables().queue
    here = (queue.c.sample == sa.bindparam("held")) & (queue.c.voter == sa.bindparam("asked"))
    return sa.update(queue).where(here).values(holder=sa.bindparam("who"), until=sa.bindparam("end"))


@cache
def longest_held(by_step: bool, but_some: bool = False) -> Any:
    """The longest waiting sample that `who` has leased `now` for one of `voters` (in one of `steps`).

    A hold is one until `latest` at most; with `but_some`, samples `without` are passed over.
    """
    sa, queue = sqlalchemy(), tables().queue
    mine = (queue.c.holder == sa.bindparam("who")) & queue.c.voter.in_(sa.bindparam("voters", expanding=True))
    lasts = (queue.c.until > sa.bindparam("now")) & (queue.c.until <= sa.bindparam("latest"))
    return _first(mine & lasts, by_step, but_some)


@cache
def longest_free(by_step: bool, but_some: bool = False) -> Any:
    """The longest waiting sample for a `voter` (in one of `steps`) that nobody but `who` has leased `now`.

    A hold is one until `latest` at most; with `but_some`, samples `without` are passed over.
    """
    sa, queue = sqlalchemy(), tables().queue
    over = (queue.c.until <= sa.bindparam("now")) | (queue.c.until > sa.bindparam("latest"))
    free = queue.c.holder.is_(None) | (queue.c.holder == sa.bindparam("who")) | over
    return _first((queue.c.voter == sa.bindparam("voter")) & free, by_step, but_some)


def _first(where: Any, by_step: bool, but_some: bool) -> Any:
    sa, queue = sqlalchemy(), tables().queue
    if by_step:
        where &= queue.c.step.in_(sa.bindparam("steps", expanding=True))
    if but_some:
        where &= queue.c.sample.not_in(sa.bindparam("without", expanding=True))
    first = sa.select(queue).where(where).order_by(queue.c.since, queue.c.position).limit(1)
    return first.with_for_update(skip_locked=True)


@cache
def free_held(some: bool = False) -> Any:
    """Release all leases `by` a member; with `some`, only on these `samples`."""
    sa, queue = sqlalchemy(), tables().queue
    held = queue.c.holder == sa.bindparam("by")
    if some:
        held &= queue.c.sample.in_(sa.bindparam("samples", expanding=True))
    return sa.update(queue).where(held).values(holder=None, until=None)


@cache
def drop_invitations() -> Any:
    """Delete the unused invitations `of` a member."""
    sa, invitations = sqlalchemy(), tables().invitations
    return sa.delete(invitations).where(invitations.c.name == sa.bindparam("of"), invitations.c.used_by.is_(None))


@cache
def answer() -> Any:
    """Stored answer to `who` under a `key`."""
    sa, answers = sqlalchemy(), tables().answers
    return sa.select(answers).where(answers.c.who == sa.bindparam("who"), answers.c.key == sa.bindparam("key"))


@cache
def change_item() -> Any:
    """Update the row of a `changed` sample if its version is still `before`."""
    sa, items = sqlalchemy(), tables().items
    return sa.update(items).where(items.c.sample == sa.bindparam("changed"), items.c.version == sa.bindparam("before"))


@cache
def leave_queue() -> Any:
    """Delete the queue rows of `voters` for a `sample`."""
    sa, queue = sqlalchemy(), tables().queue
    gone = queue.c.voter.in_(sa.bindparam("voters", expanding=True))
    return sa.delete(queue).where(queue.c.sample == sa.bindparam("sample"), gone)


@cache
def add_to(table: str) -> Any:
    """Insert rows into a table."""
    return sqlalchemy().insert(getattr(tables(), table))
