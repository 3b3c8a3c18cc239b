"""Installed editors, readers and image metrics, each ready or with the command that installs what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import NamedTuple

from vdebench.editors.catalog import EDITORS
from vdebench.metrics.image_metrics import loaders
from vdebench.readers.reader import DEFAULT, READERS
from vdebench.readers.tables.model import TableModel
from vdebench.registry import find


class InstalledPart(NamedTuple):
    """One part: its kind, its name, and what is missing ("" if it is ready)."""

    kind: str
    name: str
    missing: str
    default: bool = False


def examine() -> Iterator[InstalledPart]:
    """Yield all parts, without loading models."""
    for kind, ours in (("editor", EDITORS), ("reader", READERS)):
        plugins = {point.name for point in entry_points(group=f"vdebench.{kind}s")}
        for name in [*ours, *sorted(plugins - set(ours))]:
            yield InstalledPart(kind, name, _missing(f"{kind}s", name, ours), (kind, name) == ("reader", DEFAULT))
    yield InstalledPart("reader", "rapidocr: tables", TableModel.missing())
    yield InstalledPart("reader", "ready readings", "")
    for name, loader in loaders().items():
        yield InstalledPart("metric", name, loader.missing())


def _missing(kind: str, name: str, ours: Mapping[str, str]) -> str:
    try:
        return str(find(kind, name, ours).missing())
    except Exception as error:  # a plugin may fail in any way
        return f"cannot be loaded: {error}"
