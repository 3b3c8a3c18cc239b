"""Files of JSON lines that only grow: a last line that is not whole is passed over, so that a kill costs nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from vdebench.errors import InputError, RunFolderError
from vdebench.io.files import is_file, read_bytes

Record = TypeVar("Record")


def add_line(file: Path, record: Mapping[str, Any]) -> None:
    """Write a record behind the others, on disk before this returns."""
    line = json.dumps(record, ensure_ascii=False, allow_nan=False)
    try:
        with file.open("a+b") as lines:
            _wait_for_others(lines)
            lines.write(_mended(lines) + line.encode("utf-8", "backslashreplace") + b"\n")
    except OSError as error:
        raise RunFolderError(f"{file}: cannot be written: {error.strerror}") from None


def _wait_for_others(lines: BinaryIO) -> None:
    """Until the file is closed nobody else adds to it: what they are just writing would look unfinished."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    fcntl.flock(lines, fcntl.LOCK_EX)


def _mended(lines: BinaryIO) -> bytes:
    """What must be written before another line: a last line that a kill has left unfinished is taken away."""
    size = lines.seek(0, 2)
    if not size or (lines.seek(size - 1), lines.read(1))[1] == b"\n":
        return b""
    lines.seek(0)
    content = lines.read()
    begin = content.rfind(b"\n") + 1
    try:
        json.loads(content[begin:])
    except ValueError:
        lines.truncate(begin)
        return b""
    return b"\n"  # whole but for its end, as other programs may write it


def read_lines(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every line, with the words that name it in messages; nothing where there is no file.

    A last line that is unfinished is passed over; another that is no JSON is an error.
    """
    if not is_file(file):
        return
    lines = read_bytes(file).split(b"\n")  # not at what Unicode takes for an end
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            if number == len(lines):
                continue
            raise InputError(f"{file}: line {number} is no JSON: {error}\n  mend that line or delete it") from None
        if not isinstance(record, dict):
            raise InputError(f"{file}: line {number} is no object, expected one JSON object per line")
        yield f"{file}: line {number}", record


def read_records(file: Path, make: Callable[..., Record]) -> Iterator[Record]:
    """The lines of a file as records; an error names a line that lacks a field, or has one too many."""
    for where, line in read_lines(file):
        try:
            yield make(**line)
        except TypeError as error:
            told = str(error).partition(") ")[2] or str(error)
            raise InputError(f"{where}: {told}\n  the formats of a workspace's files are in docs/building.md") from None
