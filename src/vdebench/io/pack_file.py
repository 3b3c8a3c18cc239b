"""An SQLite file of small values with checksums, which several processes use and which may be damaged."""

from __future__ import annotations

import hashlib
import logging
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

_AT_ONCE = 500
"""Keys in one query."""
_PATIENCE = 60
"""Seconds to wait for another process that writes; a write takes milliseconds, the removal of values seconds."""
_NAME = re.compile(r"values-(\d+)\.sqlite")
_COLUMNS = "id INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB, checksum BLOB, used INTEGER"
_DAMAGED = {
    *(sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_INTERNAL),
    *(sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH),
}
"""Error codes of a file with wrong content; with the others, such as a full disk, the file cannot be used now."""
_log = logging.getLogger("vdebench.cache")
Result = TypeVar("Result")


class PackFile:
    """Values by 32-byte keys in the file `values-<number>.sqlite` of a folder.

    Every call opens the file itself, so threads and processes can use it at the same time, also after a fork. A value
    is returned only if its checksum is right. A damaged file is logged, deleted and replaced by one with the next
    number: a process that still writes to the old file does not harm the new one. A file that cannot be used is logged
    once; no method raises an error for the state of the file.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._is_reported = False

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored values of those keys that have one."""
        return self._use(lambda connection: _find(connection, keys)) or {}

    def put(self, values: Mapping[bytes, bytes], limit: int) -> None:
        """Store values in one transaction; above `limit` bytes, remove a tenth, the least recently used first."""
        self._use(lambda connection: _put(connection, values, limit), create=True)

    def shrink(self, size: int) -> None:
        """Remove the least recently used values until the file has at most `size` bytes."""
        self._use(lambda connection: _shrink(connection, size))

    def count(self) -> int:
        """Return the number of values."""
        return self._use(lambda connection: _count(connection) if _has_table(connection) else 0) or 0

    def size(self) -> int:
        """Return the size of the file in bytes."""
        sizes = [0]
        for file in self.folder.glob("values-*"):
            with suppress(OSError):
                sizes.append(file.stat().st_size)
        return sum(sizes)

    def _use(self, task: Callable[[sqlite3.Connection], Result], *, create: bool = False) -> Result | None:
        """Run a task on the file; None if there is no file, or it cannot be used. Replace a damaged file."""
        for _ in range(3):  # another process may replace the file at the same time
            number = self._number()
            if number == 0 and not create:
                return None
            try:
                if number == 0:
                    self.folder.mkdir(parents=True, exist_ok=True)
                with _connection(self._file(max(number, 1)), create=number == 0) as connection:
                    return task(connection)
            except OSError as error:
                self._report(f"{self.folder}: cannot be written: {error.strerror}")
                return None
            except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter: damage in the text of a message
                code = _code(error)
                if code is None:  # a mistake of the caller
                    raise
                file = self._file(max(number, 1))
                if code in _DAMAGED:
                    if not self._replace(max(number, 1), error):
                        return None
                elif number == 0 or file.exists():
                    self._report(f"{file}: cannot be used: {error}")
                    return None
        return None

    def _replace(self, number: int, error: Exception) -> bool:
        """Delete a damaged file, after creating the next one so that other processes use that."""
        file = self._file(number)
        try:
            self._file(number + 1).touch()
            for old in self.folder.glob("values-*"):
                if (match := _NAME.match(old.name)) and int(match[1]) <= number:
                    old.unlink(missing_ok=True)
        except OSError:
            self._report(f"{file}: is damaged ({error}) and cannot be replaced")
            return False
        _log.warning("%s: is damaged (%s) and is replaced; its values are computed again", file, error)
        return True

    def _report(self, message: str) -> None:
        if not self._is_reported:
            self._is_reported = True
            _log.warning("%s; its values are computed again", message)

    def _number(self) -> int:
        """Return the number of the current file, 0 if there is none."""
        matches = (_NAME.fullmatch(file.name) for file in self.folder.glob("values-*.sqlite"))
        return max((int(match[1]) for match in matches if match), default=0)

    def _file(self, number: int) -> Path:
        return self.folder / f"values-{number}.sqlite"


@contextmanager
def _connection(file: Path, *, create: bool) -> Iterator[sqlite3.Connection]:
    """Open the file; a write-protected file is opened for reading only."""
    address = f"file:{quote(str(file.absolute()))}?mode={'rwc' if create else 'rw'}"
    with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)) as connection:
        # After a crash of the machine the file may be damaged, after a crash of the process it is not. Checksums
        # protect the values, and waiting for the disk on every page does not.
        connection.execute("PRAGMA synchronous = OFF")
        connection.text_factory = bytes  # there is no text, except in a damaged file
        yield connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run statements as one change; undo it if one fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _find(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    if not _has_table(connection):
        return {}
    wanted = set(keys)
    found: dict[bytes, bytes] = {}
    unused: list[int] = []
    for start in range(0, len(keys), _AT_ONCE):
        part = keys[start : start + _AT_ONCE]
        marks = ",".join("?" * len(part))
        query = f"SELECT id, key, value, checksum, used FROM pack WHERE key IN ({marks})"
        for row, key, value, checksum, used in connection.execute(query, part):
            if isinstance(value, bytes) and key in wanted and checksum == _checksum(key, value):
                found[key] = value
                if used != _today():
                    unused.append(row)
    if unused:
        with suppress(sqlite3.OperationalError), _transaction(connection):  # a write-protected file has no dates of use
            connection.executemany(f"UPDATE pack SET used = {_today()} WHERE id = ?", ((row,) for row in unused))
    return found


def _put(connection: sqlite3.Connection, values: Mapping[bytes, bytes], limit: int) -> None:
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # for a new file: it can shrink
    rows = ((key, value, _checksum(key, value), _today()) for key, value in values.items())
    with _transaction(connection):
        connection.execute(f"CREATE TABLE IF NOT EXISTS pack ({_COLUMNS})")
        connection.executemany("INSERT OR REPLACE INTO pack (key, value, checksum, used) VALUES (?, ?, ?, ?)", rows)
    if _bytes(connection) > limit:
        _shrink(connection, limit * 9 // 10)


def _shrink(connection: sqlite3.Connection, size: int) -> None:
    if not _has_table(connection):
        return
    with _transaction(connection):
        while (now := _bytes(connection)) > size and (count := _count(connection)):
            removed = max(1, round(count * (1 - size / now)))
            oldest = f"SELECT id FROM pack ORDER BY used, id LIMIT {removed}"
            connection.execute(f"DELETE FROM pack WHERE id IN ({oldest})")
    connection.executescript("PRAGMA incremental_vacuum")  # `execute` frees one page only


def _has_table(connection: sqlite3.Connection) -> bool:
    """Whether the file is complete: the process that created it may have been killed."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'pack'").fetchone() is not None


def _count(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM pack").fetchone()
    return int(count)


def _bytes(connection: sqlite3.Connection) -> int:
    """Return the size of the file without the pages that are free."""
    names = "page_count", "freelist_count", "page_size"
    pages, free, size = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return (pages - free) * size


def _checksum(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(value, key=key, digest_size=8).digest()


def _today() -> int:
    """Return the number of the day: dates of use are exact to a day, so that reading rarely writes."""
    return int(time.time() // 86400)


def _code(error: sqlite3.Error | UnicodeDecodeError) -> int | None:
    """Return SQLite's primary error code; None for an error of Python's module."""
    if isinstance(error, UnicodeDecodeError):
        return sqlite3.SQLITE_CORRUPT
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
