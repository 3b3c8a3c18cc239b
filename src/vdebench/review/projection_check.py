"""Check that the projected tables agree with the events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vdebench.review.projection import item_row, queue_rows
from vdebench.review.state import State
from vdebench.review.tables import sqlalchemy, tables


def differences(connection: Any, state: State) -> list[str]:
    """Describe all differences; empty if there are none. Leases are not in the events and are not compared."""
    sa, at = sqlalchemy(), tables()
    items = {row["sample"]: row for row in map(item_row, state.items.values())}
    waiting = {
        (row["sample"], row["voter"]): row for item in state.items.values() for row in queue_rows(state.study, item)
    }
    kept_items = {row["sample"]: dict(row) for row in connection.execute(sa.select(at.items)).mappings()}
    kept_queue = {
        (row["sample"], row["voter"]): {name: row[name] for name in row if name not in ("holder", "until")}
        for row in connection.execute(sa.select(at.queue)).mappings()
    }
    length = connection.scalar(sa.select(sa.func.count()).where(at.events.c.stream == ""))
    kept = connection.scalar(sa.select(at.study.c.version))
    told = [] if length == kept else [f"study: {kept} events, the log has {length}"]
    return told + _differing("items", items, kept_items) + _differing("queue", waiting, kept_queue)


def _differing(table: str, wanted: Mapping[Any, Any], kept: Mapping[Any, Any]) -> list[str]:
    keys = sorted(wanted.keys() | kept.keys())
    return [
        f"{table}: {key}: {kept.get(key)}, the events say {wanted.get(key)}"
        for key in keys
        if wanted.get(key) != kept.get(key)
    ]
