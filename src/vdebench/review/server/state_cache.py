"""A cached replay of all events; only new events are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

from vdebench.review.events import event_from_json
from vdebench.review.state import EMPTY, State, replay
from vdebench.review.store import Store
from vdebench.review.tables import sqlalchemy, tables

Found = TypeVar("Found")


class StateCache:
    """The state of a review and values computed from it, valid until the next event."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock, self._computing = Lock(), Lock()
        self._kept: tuple[int, int, State] = (0, 0, EMPTY)
        self._found: dict[Hashable, tuple[int, Any]] = {}

    def state(self) -> tuple[int, State]:
        """Return the number of events and the state."""
        sa, events = sqlalchemy(), tables().events
        with self._lock:
            count, last, state = self._kept
            with self._store.database.reading() as connection:
                total = int(connection.scalar(sa.select(sa.func.count()).select_from(events)))
                rows = self._after(connection, last) if total != count else []
                if count + len(rows) != total:  # in PostgreSQL a lower number may become visible after a higher one
                    rows, state = self._after(connection, 0), EMPTY
            if rows:
                told = (event_from_json(json.loads(body), f"event {number}") for number, body in rows)
                self._kept = total, rows[-1][0], replay(told, state)
            return self._kept[0], self._kept[2]

    def _after(self, connection: Any, number: int) -> list[Any]:
        events = tables().events
        found = sqlalchemy().select(events.c.seq, events.c.body).where(events.c.seq > number).order_by(events.c.seq)
        return list(connection.execute(found))

    def computed(self, what: Hashable, compute: Callable[[State], Found]) -> Found:
        """Return a value computed from the state; computed once per state, one at a time."""
        with self._computing:
            count, state = self.state()
            known = self._found.get(what)
            if known is None or known[0] != count:
                known = self._found[what] = count, compute(state)
            found: Found = known[1]
            return found
