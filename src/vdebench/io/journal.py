"""Append-only JSON Lines files, one record per line, validated when they are read.

Several processes may append to a journal. A process that is killed while it writes leaves an incomplete last line:
readers skip it and the next append removes it. Any other line that is not a valid record is never used: `Journal`
raises an error for it, or reports it and treats what it is about as not done.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Generic, NamedTuple

from vdebench.errors import InputError, RunFolderError
from vdebench.io.files import fetched, is_file, replacing
from vdebench.io.records import Record, parse_record

_log = logging.getLogger("vdebench.journal")


class JournalLine(NamedTuple, Generic[Record]):
    """A line of a journal: its record, or what is wrong with it."""

    file: Path
    number: int
    """From 1."""
    offset: int
    """Position in the file, in bytes."""
    data: Mapping[str, Any]
    """The JSON object; empty where the line is none."""
    record: Record | None
    problem: str = ""

    @property
    def where(self) -> str:
        """File and line number, for messages."""
        return f"{self.file}: line {self.number}"


class Journal(Generic[Record]):
    """A journal of records of one type; iterating over it raises InputError at the first invalid line."""

    def __init__(self, file: Path, kind: type[Record]) -> None:
        self.file = file
        self._kind = kind

    def append(self, record: Record) -> int:
        """Write a record after the others and return its offset; the file is closed when this returns."""
        return _append_line(self.file, _fields(record))

    def replace(self, records: Iterable[Record]) -> None:
        """Rewrite the whole file, or leave it as it is where that fails."""
        with replacing(self.file) as temporary, temporary.open("wb") as file:
            for record in records:
                file.write(_encode(_fields(record)))

    def __iter__(self) -> Iterator[Record]:
        """All records, oldest first."""
        for line in self.lines():
            if line.record is None:
                raise InputError(f"{line.where}: {line.problem}\n  correct that line or delete it")
            yield line.record

    def latest(self, key: str) -> dict[str, Record]:
        """Return the last record of each value of a field; where its last line is invalid, there is none.

        Invalid lines are logged as warnings.
        """
        found: dict[str, Record] = {}
        for line in self.lines():
            if line.record is None:
                report(line)
                found.pop(str(line.data.get(key)), None)
            else:
                found[getattr(line.record, key)] = line.record
        return found

    def lines(self) -> Iterator[JournalLine[Record]]:
        """Yield all lines, valid or not, one by one; nothing where there is no file."""
        if not is_file(self.file):
            return
        offset = 0
        try:
            with fetched(self.file).open("rb") as file:
                for number, content in enumerate(file, start=1):
                    line = self._parse(content, number, offset)
                    offset += len(content)
                    if content.strip() and (line.data or content.endswith(b"\n")):
                        yield line
        except OSError as error:
            raise InputError(f"{self.file}: cannot be read: {error.strerror}") from None

    def read_at(self, file: BinaryIO, offset: int) -> Record | None:
        """Return the record at an offset of the opened file."""
        file.seek(offset)
        return self._parse(file.readline(), 0, offset).record

    def _parse(self, content: bytes, number: int, offset: int) -> JournalLine[Record]:
        try:
            data = json.loads(content)
        except (ValueError, RecursionError) as error:
            return JournalLine(self.file, number, offset, {}, None, f"not JSON: {error}")
        try:
            return JournalLine(self.file, number, offset, data, parse_record(self._kind, data))
        except ValueError as error:
            return JournalLine(self.file, number, offset, data if isinstance(data, dict) else {}, None, str(error))


def report(line: JournalLine[Any]) -> None:
    """Log that an invalid line is not used."""
    _log.warning("%s: %s; the line is ignored, and what it is about is done again", line.where, line.problem)


def _append_line(file: Path, record: Mapping[str, Any]) -> int:
    """Write a JSON object after the other lines of a file and return its offset; wait while others write."""
    line = _encode(record)
    try:
        with file.open("a+b") as lines:
            _lock(lines)
            _complete(lines)
            offset = lines.seek(0, 2)
            lines.write(line)
            return offset
    except OSError as error:
        raise RunFolderError(
            f"{file}: cannot be written: {error.strerror}; fix that and run the same command again"
        ) from None


def _fields(record: Any) -> dict[str, Any]:
    fields: dict[str, Any] = record._asdict()
    return fields


def _encode(record: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    except ValueError:  # JSON has no NaN: it is unknown
        text = json.dumps(_finite(record), ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _lock(lines: BinaryIO) -> None:
    """Keep other writers out until the file is closed: to them a line that is being written looks incomplete."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    fcntl.flock(lines, fcntl.LOCK_EX)


def _complete(lines: BinaryIO) -> None:
    """Remove an incomplete last line; end one that lacks only its line break, as other programs may write it."""
    size = lines.seek(0, 2)
    if not size or (lines.seek(size - 1), lines.read(1))[1] == b"\n":
        return
    lines.seek(0)
    content = lines.read()
    start = content.rfind(b"\n") + 1
    try:
        json.loads(content[start:])
    except ValueError:
        lines.truncate(start)
    else:
        lines.write(b"\n")
