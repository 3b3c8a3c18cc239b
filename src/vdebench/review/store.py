"""The store: events in a database, with one vote per voter and round under any concurrency (extra `review`).

A command is decided and its events are written in one transaction that locks the row of the sample. An accepted
command is on disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from vdebench.review import leases
from vdebench.review import visibility as views
from vdebench.review.assignment import Lease, voter_for
from vdebench.review.commands import Command, SampleCommand
from vdebench.review.database import Answer, BusyError, Database, LostRaceError
from vdebench.review.event_types import Added, Left
from vdebench.review.events import Event, event_from_json, stamp
from vdebench.review.funnel import Funnel, FunnelPlace, count
from vdebench.review.idempotency import AcceptedCommand, answered, remember
from vdebench.review.projection import (
    StoredItems,
    add_samples,
    changes_queue,
    event_row,
    forget_member,
    project_item,
    rebuild_items,
    rebuild_queue,
    stream,
)
from vdebench.review.projection_check import differences
from vdebench.review.refusals import Reason, Refusal
from vdebench.review.rules import decide
from vdebench.review.state import Item, ReviewState, State, item_after, replay, study_after
from vdebench.review.statements import add_to, locked_item, study_version
from vdebench.review.step import VoteCommand
from vdebench.review.tables import sqlalchemy, tables
from vdebench.review.text_check import wrong_name
from vdebench.review.workflow import PILOT, WORKFLOW


class Store:
    """A review in a database: an SQLite file or a PostgreSQL URL."""

    def __init__(self, place: Path | str) -> None:
        self._database = Database(place)
        self._known: tuple[int, ReviewState] = (0, ReviewState())

    def __enter__(self) -> Store:
        """Return the store; it is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    @property
    def database(self) -> Database:
        """The database."""
        return self._database

    @contextmanager
    def reading(self) -> Iterator[tuple[Any, ReviewState]]:
        """Open a connection with a consistent snapshot; yield it with the state of the review."""
        with self._database.reading() as connection:
            yield connection, self._read_study(connection)

    def submit(
        self, command: Command, *, who: str, now: datetime, key: str = "", along: Callable[[Any], None] | None = None
    ) -> AcceptedCommand | Refusal:
        """Execute a command; return its events or a refusal.

        With a `key` chosen by the sender, the same command sent again gets the first answer and is executed once, so a
        client without an answer can send it again. `along` writes in the same transaction after the command is
        accepted; if it raises, nothing is written.
        """
        if problem := wrong_name(who) or (key and wrong_name(key)):
            return Refusal(Reason.BAD_TEXT, f"the sender's name or the key {problem}")

        def submitted(connection: Any) -> AcceptedCommand | Refusal:
            answer = self._submit(connection, command, who, now, key)
            if along and isinstance(answer, AcceptedCommand):
                along(connection)
            return answer

        return self._written(submitted)

    def _written(self, change: Callable[[Any], Answer]) -> Answer | Refusal:
        """Run a change; return a refusal if the database is busy."""
        try:
            return self._database.written(change)
        except BusyError as error:
            return Refusal(Reason.BUSY, str(error))

    def _submit(
        self, connection: Any, command: Command, who: str, now: datetime, key: str
    ) -> AcceptedCommand | Refusal:
        version, study = self._locked_study(connection, changing=not isinstance(command, SampleCommand))
        state, lease = State(study, StoredItems(connection, study)), None
        if isinstance(command, SampleCommand):
            item = _locked_item(connection, study, command.sample)
            state = State(study, {item.id: item} if item else {})
            if item and isinstance(command, VoteCommand) and (voter := voter_for(study, item, who)):
                lease = leases.held_by(connection, study, item.id, voter, now)
        if key and (before := answered(connection, command, who, key)):  # after locking: it may just have been stored
            return before
        events = decide(state, command, who=who, now=now, lease=lease)
        if isinstance(events, Refusal):
            return events
        rows = _append(connection, version, state, events)
        if key:
            remember(connection, command, who, key, rows, stamp(now))
        return AcceptedCommand(tuple(events))

    def _locked_study(self, connection: Any, *, changing: bool = False) -> tuple[int, ReviewState]:
        """Return the review, locked for reading until the transaction ends; with `changing`, for writing."""
        found = study_version("update" if changing else "share")
        return self._at(connection, int(connection.scalar(found)))

    def _read_study(self, connection: Any) -> ReviewState:
        return self._at(connection, int(connection.scalar(study_version())))[1]

    def _at(self, connection: Any, version: int) -> tuple[int, ReviewState]:
        known = self._known
        if known[0] != version:
            known = self._known = (version, replay(stream(connection, "")).study)
        return known

    def take(
        self, who: str, now: datetime, steps: Collection[str] | None = None, without: Collection[str] = ()
    ) -> views.View | Refusal | None:
        """Lease the next sample for a member, chosen as by `next_for`, and return its view; None if there is none.

        Samples in `without` are skipped, and the member's leases on them released.
        """

        def taken(connection: Any) -> views.View | Refusal | None:
            _, study = self._locked_study(connection)
            lease = leases.take(connection, study, who, now, steps, without)
            return views.view(State(study, StoredItems(connection, study)), who, lease.sample) if lease else None

        return self._written(taken)

    def hold(self, who: str, sample: str, now: datetime) -> Lease | Refusal:
        """Lease a chosen sample, or renew the lease."""

        def held(connection: Any) -> Lease | Refusal:
            _, study = self._locked_study(connection)
            item = _locked_item(connection, study, sample)
            if item is None:
                return Refusal(Reason.UNKNOWN_SAMPLE, f"no sample {sample!r}"[:250])
            return leases.hold(connection, study, item, who, now)

        return self._written(held)

    def release(self, who: str, sample: str) -> None:
        """Release a sample."""
        if not wrong_name(who) and not wrong_name(sample):
            self._database.written(lambda connection: leases.release(connection, who, sample))

    def view(self, who: str, sample: str) -> views.View | Refusal:
        """What a member may see of a sample."""
        with self.reading() as (connection, study):
            return views.view(State(study, StoredItems(connection, study)), who, sample)

    def study(self) -> ReviewState:
        """Return the state of the review without its samples."""
        with self.reading() as (_, study):
            return study

    def funnel(self) -> Funnel:
        """Count the samples by state, without a replay."""
        sa, items = sqlalchemy(), tables().items
        with self.reading() as (connection, study):
            grouped = sa.select(items.c.step, items.c.reason, sa.func.count()).group_by(items.c.step, items.c.reason)
            places: dict[FunnelPlace, int] = {}
            for step, reason, number in connection.execute(grouped):
                place = FunnelPlace(step, reason if step == "rejected" else "")
                places[place] = places.get(place, 0) + number
            if study.pilot_open:
                named = items.c.sample.in_(study.pilot_samples) & (items.c.step == WORKFLOW.first)
                in_pilot = connection.scalar(sa.select(sa.func.count()).where(named))
                places[FunnelPlace(PILOT)] = in_pilot
                first = FunnelPlace(WORKFLOW.first)
                places[first] = places.get(first, 0) - in_pilot
            return count(places, len(StoredItems(connection, study)))

    def events(self) -> Iterator[Event]:
        """All events, oldest first."""
        with self._database.reading() as connection:
            yield from _events(connection)

    def state(self) -> State:
        """Return the state by replaying all events."""
        return replay(self.events())

    def check(self) -> list[str]:
        """Describe differences between tables and events; empty if there are none."""
        with self._database.reading() as connection:
            return differences(connection, replay(_events(connection)))

    def rebuild(self) -> None:
        """Rebuild the tables from the events; all leases are lost."""
        sa, at = sqlalchemy(), tables()
        with self._database.writing() as connection:
            self._locked_study(connection, changing=True)
            state = replay(_events(connection))
            rebuild_items(connection, state.items.values())
            rebuild_queue(connection, state.study, state.items.values())
            length = sa.select(sa.func.count()).where(at.events.c.stream == "").scalar_subquery()
            connection.execute(sa.update(at.study).values(version=length))


def _locked_item(connection: Any, study: ReviewState, sample: str) -> Item | None:
    """Return a sample, locked until the transaction ends."""
    if wrong_name(sample):
        return None
    known = connection.scalar(locked_item(), {"sample": sample}) is not None
    return StoredItems(connection, study)[sample] if known else None


def _append(connection: Any, version: int, state: State, events: list[Event]) -> list[dict[str, Any]]:
    """Write events and update the tables; return the event rows."""
    sa, at, study = sqlalchemy(), tables(), state.study
    lengths: dict[str, int] = {"": version}
    changed: dict[str, Item] = {}
    rows = []
    for event in events:
        name = event.sample
        if isinstance(event.what, Added):
            lengths[name] = 0
        elif name:
            before = changed.get(name) or state.items[name]
            lengths[name] = len(before.history)
            changed[name] = item_after(study, before, event)
        else:
            study = study_after(study, event)
            if isinstance(event.what, Left):
                forget_member(connection, event.what.name)
        lengths[name] += 1
        rows.append(event_row(event, lengths[name]))
    if rows:
        connection.execute(add_to("events"), rows)
    add_samples(connection, study, events)
    for item in changed.values():
        if not project_item(connection, study, state.items[item.id], item):
            raise LostRaceError
    if lengths[""] != version:
        moved = sa.update(at.study).where(at.study.c.version == version).values(version=lengths[""])
        if connection.execute(moved).rowcount != 1:
            raise LostRaceError
        if any(changes_queue(event, state.study) for event in events):
            rebuild_queue(connection, study, StoredItems(connection, study).values())
    return rows


def _events(connection: Any) -> Iterator[Event]:
    events = tables().events
    found = sqlalchemy().select(events.c.seq, events.c.body).order_by(events.c.seq)
    for number, body in connection.execute(found.execution_options(yield_per=1000)):
        yield event_from_json(json.loads(body), f"event {number}")
