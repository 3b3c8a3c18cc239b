"""What this installation can do: every reader and image metric, ready or with what is missing and how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import NamedTuple

from vdebench.metrics.measures import MEASURES
from vdebench.readers.reader import DEFAULT, READERS
from vdebench.readers.tables import TableModel
from vdebench.registry import find


class Finding(NamedTuple):
    """One part: its kind, its name, what is missing ("" where it is ready)."""

    kind: str
    name: str
    missing: str
    default: bool = False


def examine() -> Iterator[Finding]:
    """Look at all parts; nothing is loaded that takes long."""
    others = {point.name for point in entry_points(group="vdebench.readers")}
    for name in [*READERS, *sorted(others - set(READERS))]:
        yield Finding("reader", name, _missing_reader(name), name == DEFAULT)
    yield Finding("reader", "rapidocr: tables", TableModel.missing())
    yield Finding("reader", "ready readings", "")
    for name, measure in MEASURES.items():
        yield Finding("metric", name, measure.missing())


def _missing_reader(name: str) -> str:
    try:
        return str(find("readers", name, READERS).missing())
    except Exception as error:  # another package's reader may fail in any way; the others are still to be told
        return f"cannot be asked: {error}"
