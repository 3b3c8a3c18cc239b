"""The store: events in a database, one vote per group and round, whatever happens at the same time (extra `review`).

A command is decided on, and what comes of it written, in one transaction that holds the sample's row. What was answered
as accepted is on disk.
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
    """A review in a database: a file of SQLite, or a URL of PostgreSQL."""

    def __init__(self, place: Path | str) -> None:
        self._database = Database(place)
        self._known: tuple[int, ReviewState] = (0, ReviewState())

    def __enter__(self) -> Store:
        """Itself; closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    @property
    def database(self) -> Database:
        """Where it is kept."""
        return self._database

    @contextmanager
    def reading(self) -> Iterator[tuple[Any, ReviewState]]:
        """A connection that sees one moment of the database, and the review at that moment."""
        with self._database.reading() as connection:
            yield connection, self._read_study(connection)

    def submit(
        self, command: Command, *, who: str, now: datetime, key: str = "", along: Callable[[Any], None] | None = None
    ) -> AcceptedCommand | Refusal:
        """Carry a command out, or say why not.

        With a `key` that the sender has chosen, the same command sent again is answered as the first time was, and
        counts once; so whoever got no answer sends it again. `along` writes in the same transaction, once the command
        is accepted; where it raises, nothing was written.
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
        """What a change comes to; a refusal where nothing can be written."""
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
        if key and (before := answered(connection, command, who, key)):  # behind the locks: it may just have come in
            return before
        events = decide(state, command, who=who, now=now, lease=lease)
        if isinstance(events, Refusal):
            return events
        rows = _append(connection, version, state, events)
        if key:
            remember(connection, command, who, key, rows, stamp(now))
        return AcceptedCommand(tuple(events))

    def _locked_study(self, connection: Any, *, changing: bool = False) -> tuple[int, ReviewState]:
        """The review; until the transaction ends nobody changes it, or with `changing` relies on it."""
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
        """What a member may see of the sample that they should look at next, held for them; as `next_for` chooses.

        Samples `without` are passed over; whoever asks holds them no more.
        """

        def taken(connection: Any) -> views.View | Refusal | None:
            _, study = self._locked_study(connection)
            lease = leases.take(connection, study, who, now, steps, without)
            return views.view(State(study, StoredItems(connection, study)), who, lease.sample) if lease else None

        return self._written(taken)

    def hold(self, who: str, sample: str, now: datetime) -> Lease | Refusal:
        """Hold a sample of one's own choice, or go on holding it."""

        def held(connection: Any) -> Lease | Refusal:
            _, study = self._locked_study(connection)
            item = _locked_item(connection, study, sample)
            if item is None:
                return Refusal(Reason.UNKNOWN_SAMPLE, f"no sample {sample!r}"[:250])
            return leases.hold(connection, study, item, who, now)

        return self._written(held)

    def release(self, who: str, sample: str) -> None:
        """Hold a sample no more."""
        if not wrong_name(who) and not wrong_name(sample):
            self._database.written(lambda connection: leases.release(connection, who, sample))

    def view(self, who: str, sample: str) -> views.View | Refusal:
        """What a member may see of a sample."""
        with self.reading() as (connection, study):
            return views.view(State(study, StoredItems(connection, study)), who, sample)

    def study(self) -> ReviewState:
        """The review without its samples."""
        with self.reading() as (_, study):
            return study

    def funnel(self) -> Funnel:
        """Where all samples are, without a replay."""
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
        """The replay of all events."""
        return replay(self.events())

    def check(self) -> list[str]:
        """Where the tables beside the events say something else than the events; nothing where all is well."""
        with self._database.reading() as connection:
            return differences(connection, replay(_events(connection)))

    def rebuild(self) -> None:
        """Make all tables beside the events anew; nobody holds a sample afterwards."""
        sa, at = sqlalchemy(), tables()
        with self._database.writing() as connection:
            self._locked_study(connection, changing=True)
            state = replay(_events(connection))
            rebuild_items(connection, state.items.values())
            rebuild_queue(connection, state.study, state.items.values())
            length = sa.select(sa.func.count()).where(at.events.c.stream == "").scalar_subquery()
            connection.execute(sa.update(at.study).values(version=length))


def _locked_item(connection: Any, study: ReviewState, sample: str) -> Item | None:
    """A sample that nobody else changes until the transaction ends."""
    if wrong_name(sample):
        return None
    known = connection.scalar(locked_item(), {"sample": sample}) is not None
    return StoredItems(connection, study)[sample] if known else None


def _append(connection: Any, version: int, state: State, events: list[Event]) -> list[dict[str, Any]]:
    """Write events and what follows from them; the rows that were written."""
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
