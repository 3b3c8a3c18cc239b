"""Projection of events to tables: the rows of events, and the present state of samples for fast queries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vdebench.review.assignment import waiting_for
from vdebench.review.event_types import Added, Joined, Left, PilotEnded, PilotStarted
from vdebench.review.events import Event, event_from_json
from vdebench.review.state import Item, ReviewState, current_step, item_after
from vdebench.review.statements import add_to, bodies, change_item, drop_invitations, free_held, leave_queue
from vdebench.review.tables import sqlalchemy, tables
from vdebench.review.text_check import wrong_name


class StoredItems(Mapping[str, Item]):
    """The samples of a database, read on access."""

    def __init__(self, connection: Any, study: ReviewState) -> None:
        self._connection, self._study = connection, study

    def __getitem__(self, sample: str) -> Item:
        """Return a sample by replaying its events."""
        item = None
        if wrong_name(sample):
            raise KeyError(sample)
        for event in stream(self._connection, sample):
            item = item_after(self._study, item, event)
        if item is None:
            raise KeyError(sample)
        return item

    def __contains__(self, sample: object) -> bool:
        """Whether the sample exists."""
        items = tables().items
        found = sqlalchemy().select(items.c.sample).where(items.c.sample == sample)
        return self._connection.execute(found).first() is not None

    def __iter__(self) -> Iterator[str]:
        """Iterate over all ids, in the order in which they were added."""
        items = tables().items
        return iter(self._connection.scalars(sqlalchemy().select(items.c.sample).order_by(items.c.position)).all())

    def __len__(self) -> int:
        """Return the number of samples."""
        sa = sqlalchemy()
        return int(self._connection.scalar(sa.select(sa.func.count()).select_from(tables().items)))


def stream(connection: Any, name: str) -> Iterator[Event]:
    """Yield the events of a sample, or of the review itself (empty name), oldest first."""
    for body in connection.scalars(bodies(), {"stream": name}):
        yield event_from_json(json.loads(body), f"{name or 'the review'}: event")


def event_row(event: Event, version: int) -> dict[str, Any]:
    """Return an event as a row; `version` is its number in its stream."""
    return {
        "stream": event.sample,
        "version": version,
        "kind": event.kind,
        "who": event.who,
        "moment": event.when,
        "step": event.step or getattr(event.what, "step", ""),
        "round": getattr(event.what, "round", 0),
        "voter": event.voter or None,
        "body": json.dumps(event.to_json(), ensure_ascii=False, allow_nan=False),
    }


def item_row(item: Item) -> dict[str, Any]:
    """Return a sample as a row of `items`."""
    same = ("position", "edit", "width", "height", "step", "round", "reason", "since")
    return {"sample": item.id, **{name: getattr(item, name) for name in same}, "version": len(item.history)}


def queue_rows(study: ReviewState, item: Item) -> list[dict[str, Any]]:
    """Return the missing voters of a sample as rows of `queue`, without leases."""
    step, round = current_step(study, item)
    row = {"sample": item.id, "step": step, "round": round, "since": item.since, "position": item.position}
    return [{**row, "voter": voter} for voter in waiting_for(study, item)]


def changes_queue(event: Event, study: ReviewState) -> bool:
    """Whether an event of the review changes the voters that its samples wait for."""
    return isinstance(event.what, PilotStarted | PilotEnded) or (
        study.pilot_open and isinstance(event.what, Joined | Left)
    )


def forget_member(connection: Any, name: str) -> None:
    """Release the leases of a member who leaves, and delete their invitations."""
    connection.execute(free_held(), {"by": name})
    connection.execute(drop_invitations(), {"of": name})


def add_samples(connection: Any, study: ReviewState, added: list[Event]) -> None:
    """Insert rows for new samples, all at once."""
    sa, at = sqlalchemy(), tables()
    items = [item_after(study, None, event) for event in added if isinstance(event.what, Added)]
    if items:
        connection.execute(sa.insert(at.items), [item_row(item) for item in items])
    if rows := [row for item in items for row in queue_rows(study, item)]:
        connection.execute(sa.insert(at.queue), rows)


def project_item(connection: Any, study: ReviewState, before: Item, after: Item) -> bool:
    """Update the rows of a sample; return False if another transaction has changed them in the meantime."""
    known = {"changed": before.id, "before": len(before.history)}
    if connection.execute(change_item(), {**item_row(after), **known}).rowcount != 1:
        return False
    old = {row["voter"]: row for row in queue_rows(study, before)}
    new = {row["voter"]: row for row in queue_rows(study, after)}
    gone = [voter for voter, row in old.items() if new.get(voter) != row]
    if gone:
        connection.execute(leave_queue(), {"sample": before.id, "voters": gone})
    if come := [row for voter, row in new.items() if old.get(voter) != row]:
        connection.execute(add_to("queue"), come)
    return True


def rebuild_queue(connection: Any, study: ReviewState, items: Iterable[Item]) -> None:
    """Rebuild the queue; all leases are lost."""
    sa, at = sqlalchemy(), tables()
    connection.execute(sa.delete(at.queue))
    if rows := [row for item in items for row in queue_rows(study, item)]:
        connection.execute(sa.insert(at.queue), rows)


def rebuild_items(connection: Any, items: Iterable[Item]) -> None:
    """Rebuild the table of samples."""
    sa, at = sqlalchemy(), tables()
    connection.execute(sa.delete(at.items))
    if rows := [item_row(item) for item in items]:
        connection.execute(sa.insert(at.items), rows)
