"""`ledger.jsonl`: everything that was done in a workspace, in the order in which it was done. It only grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from vdebench._version import __version__
from vdebench.io.journal import Journal

FILE = "ledger.jsonl"
TOOL = f"vdebench {__version__}"


class LedgerEntry(NamedTuple):
    """One thing that was done."""

    stage: str
    """init, instruct, edit, read, review, package."""
    id: str
    """Of the page or the sample; nothing where it concerns the workspace."""
    what: str
    """page, answered, accepted, rejected, edited, refused, failed, read, a step of the review, packaged."""
    by: str = ""
    """Who: a model as its server named it, an editor, a reader, a person, `automatic`."""
    when: str = ""
    """UTC."""
    seed: int | None = None
    prompt: str = ""
    """Hash of the prompt."""
    inputs: Mapping[str, str] = {}
    """SHA-256 of what it was made from, by name."""
    outputs: Mapping[str, str] = {}
    """SHA-256 of what came of it, by name."""
    words: str = ""
    """A reason, or what else is worth knowing."""
    tool: str = TOOL


class Ledger:
    """The ledger of a workspace."""

    def __init__(self, root: Path) -> None:
        self._journal = Journal(root / FILE, LedgerEntry)
        self.file = self._journal.file
        self._seen: set[tuple[str, ...]] | None = None
        self._lock = Lock()

    def __iter__(self) -> Iterator[LedgerEntry]:
        """All entries, oldest first."""
        return iter(self._journal)

    def note(self, entry: LedgerEntry) -> None:
        """Write something down, unless the same was written down before."""
        with self._lock:  # generators are asked by threads
            if self._seen is None:
                self._seen = {_mark(each) for each in self}
            if _mark(entry) not in self._seen:
                self._journal.append(entry._replace(when=entry.when or now()))
                self._seen.add(_mark(entry))


def _mark(entry: LedgerEntry) -> tuple[str, ...]:
    """What makes an entry another one: a stage that goes on after a kill may come by the same work again."""
    hashes = (f"{name}={value}" for part in (entry.inputs, entry.outputs) for name, value in sorted(part.items()))
    return (entry.stage, entry.id, entry.what, entry.by, entry.words, *hashes)


def now() -> str:
    """This moment, in UTC.

    >>> now()[10], now()[-1]
    ('T', 'Z')
    """
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
