"""`ledger.jsonl`: append-only record of all actions in a workspace, in order."""

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
    """One action."""

    stage: str
    """init, instruct, edit, read, review, package."""
    id: str
    """Id of the page or sample; empty if the entry concerns the workspace."""
    what: str
    """page, answered, accepted, rejected, edited, refused, failed, read, a step of the review, packaged."""
    by: str = ""
    """Model, editor, reader, person, or `automatic`."""
    when: str = ""
    """UTC."""
    seed: int | None = None
    prompt: str = ""
    """Hash of the prompt."""
    inputs: Mapping[str, str] = {}
    """SHA-256 of the inputs, by name."""
    outputs: Mapping[str, str] = {}
    """SHA-256 of the outputs, by name."""
    words: str = ""
    """A reason or other details."""
    tool: str = TOOL


class Ledger:
    """The ledger of a workspace."""

    def __init__(self, root: Path) -> None:
        self._journal = Journal(root / FILE, LedgerEntry)
        self.file = self._journal.file
        self._seen: set[tuple[str, ...]] | None = None
        self._lock = Lock()

    def __iter__(self) -> Iterator[LedgerEntry]:
        """Iterate over all entries, oldest first."""
        return iter(self._journal)

    def note(self, entry: LedgerEntry) -> None:
        """Append an entry unless an equal one exists."""
        with self._lock:  # generators run in threads
            if self._seen is None:
                self._seen = {_mark(each) for each in self}
            if _mark(entry) not in self._seen:
                self._journal.append(entry._replace(when=entry.when or now()))
                self._seen.add(_mark(entry))


def _mark(entry: LedgerEntry) -> tuple[str, ...]:
    """Return the identity of an entry; a resumed stage may repeat the same action."""
    hashes = (f"{name}={value}" for part in (entry.inputs, entry.outputs) for name, value in sorted(part.items()))
    return (entry.stage, entry.id, entry.what, entry.by, entry.words, *hashes)


def now() -> str:
    """Return the current time in UTC.

    >>> now()[10], now()[-1]
    ('T', 'Z')
    """
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
