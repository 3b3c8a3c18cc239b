"""What every vote asks the database: statements built once, since building one takes longer than running it."""

from __future__ import annotations

from functools import cache
from typing import Any

from vdebench.review.tables import sqlalchemy, tables


@cache
def study_version(lock: str = "") -> Any:
    """How many events the review's own stream has; locked to rely on it (`share`) or to change it (`update`)."""
    found = sqlalchemy().select(tables().study.c.version)
    return found.with_for_update(read=lock == "share") if lock else found


@cache
def locked_item() -> Any:
    """Of a `sample`: its version, and its row for oneself until the transaction ends."""
    sa, items = sqlalchemy(), tables().items
    return sa.select(items.c.version).where(items.c.sample == sa.bindparam("sample")).with_for_update()


@cache
def bodies() -> Any:
    """The events of a `stream`, oldest first."""
    sa, events = sqlalchemy(), tables().events
    return sa.select(events.c.body).where(events.c.stream == sa.bindparam("stream")).order_by(events.c.version)


@cache
def holder() -> Any:
    """Who holds a `sample` in the place of a `voter`, and until when."""
    sa, queue = sqlalchemy(), tables().queue
    here = (queue.c.sample == sa.bindparam("sample")) & (queue.c.voter == sa.bindparam("voter"))
    return sa.select(queue.c.holder, queue.c.until).where(here)


@cache
def lend() -> Any:
    """Have `who` hold a `held` sample in the place of an `asked` voter, until `end`."""
    sa, queue = sqlalchemy(), tables().queue
    here = (queue.c.sample == sa.bindparam("held")) & (queue.c.voter == sa.bindparam("asked"))
    return sa.update(queue).where(here).values(holder=sa.bindparam("who"), until=sa.bindparam("end"))


@cache
def longest_held(by_step: bool, but_some: bool = False) -> Any:
    """Of what `who` holds `now` in the place of one of `voters` (in one of `steps`): what has waited longest.

    A hold is one until `latest` at most; with `but_some`, samples `without` are passed over.
    """
    sa, queue = sqlalchemy(), tables().queue
    mine = (queue.c.holder == sa.bindparam("who")) & queue.c.voter.in_(sa.bindparam("voters", expanding=True))
    lasts = (queue.c.until > sa.bindparam("now")) & (queue.c.until <= sa.bindparam("latest"))
    return _first(mine & lasts, by_step, but_some)


@cache
def longest_free(by_step: bool, but_some: bool = False) -> Any:
    """Of what waits for a `voter` (in one of `steps`) and nobody but `who` holds `now`: what has waited longest.

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
    """Let go of all that is held `by` somebody; with `some`, of these `samples` alone."""
    sa, queue = sqlalchemy(), tables().queue
    held = queue.c.holder == sa.bindparam("by")
    if some:
        held &= queue.c.sample.in_(sa.bindparam("samples", expanding=True))
    return sa.update(queue).where(held).values(holder=None, until=None)


@cache
def drop_invitations() -> Any:
    """Delete the invitations `of` somebody that were not used."""
    sa, invitations = sqlalchemy(), tables().invitations
    return sa.delete(invitations).where(invitations.c.name == sa.bindparam("of"), invitations.c.used_by.is_(None))


@cache
def answer() -> Any:
    """What was answered to `who` under a `key`."""
    sa, answers = sqlalchemy(), tables().answers
    return sa.select(answers).where(answers.c.who == sa.bindparam("who"), answers.c.key == sa.bindparam("key"))


@cache
def change_item() -> Any:
    """Change the row of a `changed` sample, where its version is still that `before`; the values come with it."""
    sa, items = sqlalchemy(), tables().items
    return sa.update(items).where(items.c.sample == sa.bindparam("changed"), items.c.version == sa.bindparam("before"))


@cache
def leave_queue() -> Any:
    """Wait for `voters` at a `sample` no more."""
    sa, queue = sqlalchemy(), tables().queue
    gone = queue.c.voter.in_(sa.bindparam("voters", expanding=True))
    return sa.delete(queue).where(queue.c.sample == sa.bindparam("sample"), gone)


@cache
def add_to(table: str) -> Any:
    """Put rows into a table."""
    return sqlalchemy().insert(getattr(tables(), table))
