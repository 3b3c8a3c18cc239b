"""Files of JSON lines that only grow: a line is whole or is passed over, so that a kill costs nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from vdebench.errors import InputError, RunFolderError
from vdebench.files import is_file, read_bytes

Record = TypeVar("Record")


def add_line(file: Path, record: Mapping[str, Any]) -> None:
    """Write a record behind the others, on disk before this returns."""
    line = json.dumps(record, ensure_ascii=False, allow_nan=False)
    try:
        with file.open("a+b") as lines:
            size = lines.seek(0, 2)
            torn = size > 0 and (lines.seek(size - 1), lines.read(1))[1] != b"\n"  # a kill left a line unfinished
            lines.write((b"\n" if torn else b"") + line.encode("utf-8", "backslashreplace") + b"\n")
    except OSError as error:
        raise RunFolderError(f"{file}: cannot be written: {error.strerror}") from None


def read_lines(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every whole line, with the words that name it in messages; nothing where there is no file."""
    if not is_file(file):
        return
    for number, line in enumerate(read_bytes(file).split(b"\n"), start=1):  # not at what Unicode takes for an end
        try:
            record = json.loads(line)
        except ValueError:  # unfinished, or empty
            continue
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
