"""`.vde-get.json`: the pinned revision of a downloaded folder, and every file with its checksum."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

from vdebench.errors import InputError
from vdebench.io.files import is_file, read_json, write_json

RECORD = ".vde-get.json"
WORKSHOP = ".vde-get"
"""Folder of a download in progress: complete files in `files`, others in `parts`."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file with its checksum: SHA-256 if the hub has it (large files), else the SHA-1 of its git blob."""

    path: str
    size: int
    sha256: str = ""
    git_sha1: str = ""

    def fault(self, file: Path) -> str:
        """Return what is wrong with a local copy; empty if its bytes are correct."""
        try:
            size = file.stat().st_size
            if size != self.size:
                return f"{size:,} bytes, expected {self.size:,}"
            digest = hashlib.sha256() if self.sha256 else hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
            with file.open("rb") as stream:
                while chunk := stream.read(1 << 20):
                    digest.update(chunk)
        except OSError as error:
            return f"cannot be read: {error.strerror}"
        found, expected = digest.hexdigest(), self.sha256 or self.git_sha1
        if found == expected:
            return ""
        kind = "SHA-256" if self.sha256 else "git's SHA-1"
        return f"{kind} {found[:12]}…, expected {expected[:12]}…"

    def has_size(self, file: Path) -> bool:
        """Whether a file of this size exists: faster than `fault`."""
        try:
            return file.stat().st_size == self.size
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class DownloadRecord:
    """The content of `.vde-get.json`."""

    name: str
    repo: str
    revision: str
    asked: str
    licence: str
    only: tuple[str, ...] = ()
    files: tuple[HubFile, ...] = ()
    unpacked: Mapping[str, tuple[HubFile, ...]] = field(default_factory=dict)
    """Members of each archive."""
    suite: str = ""
    """Location of the suite relative to the folder: `.`, `textedit:data`."""
    suite_toml: str = ""
    """SHA-256 of the generated `suite.toml`."""
    when: str = ""
    complete: bool = False

    @classmethod
    def read(cls, folder: Path) -> DownloadRecord | None:
        """Return the folder's record; None if it has none."""
        path = folder / RECORD
        if not is_file(path):
            return None
        try:
            return cls._of(read_json(path))
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise InputError(
                f"{path}: not a record of `vde suite get` ({error})\n"
                "  delete it and run the command again: correct files are kept"
            ) from None

    @classmethod
    def _of(cls, data: Any) -> DownloadRecord:
        field_names = {one.name for one in fields(cls)}
        plain = {key: value for key, value in data.items() if key in field_names - {"files", "unpacked", "only"}}
        if not all(isinstance(value, bool if key == "complete" else str) for key, value in plain.items()):
            raise ValueError("a value is of another type than expected")
        return cls(
            **plain,
            only=tuple(map(str, data.get("only", []))),
            files=tuple(_file(one) for one in data["files"]),
            unpacked={name: tuple(map(_file, members)) for name, members in data.get("unpacked", {}).items()},
        )

    def write(self, folder: Path, **changes: Any) -> DownloadRecord:
        """Write the record with changes; return it."""
        changed = replace(self, **changes)
        data = asdict(changed)
        data["files"] = _to_json(changed.files)
        data["unpacked"] = {name: _to_json(members) for name, members in changed.unpacked.items()}
        write_json(folder / RECORD, data)
        return changed

    @property
    def members(self) -> list[HubFile]:
        """All files from archives."""
        return [member for members in self.unpacked.values() for member in members]

    def suite_in(self, folder: Path) -> str:
        """Return the argument of `load_suite` for the suite."""
        scheme, colon, inside = self.suite.rpartition(":")
        return f"{scheme}{colon}{folder / inside}" if self.suite else ""


def _to_json(files: Iterable[HubFile]) -> list[dict[str, Any]]:
    return [{key: value for key, value in asdict(file).items() if value != ""} for file in files]


def _file(data: Mapping[str, Any]) -> HubFile:
    one = HubFile(data["path"], int(data["size"]), str(data.get("sha256", "")), str(data.get("git_sha1", "")))
    if not is_safe(one.path):
        raise ValueError(f"the path {one.path!r} is outside the folder")
    return one


def is_safe(path: str) -> bool:
    """Whether a path stays below its folder on any system, and is not one of our own files.

    >>> [is_safe(path) for path in ("images/a.png", "../a", "/a", "a/../../b", "C:/a", ".vde-get.json", "")]
    [True, False, False, False, False, False, False]
    """
    parts = PurePosixPath(path).parts
    return (
        bool(parts)
        and not any(part == ".." or part.startswith("/") or "\\" in part or "\0" in part for part in parts)
        and not (len(parts[0]) > 1 and parts[0][1] == ":")
        and parts[0].casefold() not in (RECORD, WORKSHOP, ".lock")
        and os.path.normpath(path) == path
    )
