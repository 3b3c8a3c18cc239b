"""Copies of a store's files, and how to know that they are good.

The store's name for a version (its etag, else its time) is kept as the copy's time of change (mtime), so that a copy is
replaced together with what is known of it. Whether it was fetched or compared since a mount was made is told by the
other time that file systems keep (ctime): no process asks for it again.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.errors import InputError

_VERSIONS = (
    *("ETag", "etag", "md5Hash", "content_md5", "generation", "mtime"),
    *("LastModified", "last_modified", "updated", "modified", "created"),
)
"""What stores call it, the surest first."""


class StoredFile(NamedTuple):
    """What a store says of a name."""

    is_folder: bool
    size: int | None = None
    stamp: int | None = None
    """Stands for the version; nothing where the store does not tell."""

    @classmethod
    def of(cls, info: Mapping[str, Any]) -> StoredFile:
        """As fsspec tells it.

        >>> StoredFile.of({"type": "file", "size": 3, "ETag": '"abc"'})
        StoredFile(is_folder=False, size=3, stamp=1606133299)
        """
        version = next((str(info[key]) for key in _VERSIONS if info.get(key)), "")
        digits = int.from_bytes(hashlib.sha256(version.encode()).digest()[:8], "big")
        stamp = 1_000_000_000 + digits % 700_000_000 if version else None  # seconds, between 2001 and 2023
        return cls(info.get("type") == "directory", info.get("size"), stamp)

    def is_in(self, copy: os.stat_result) -> bool:
        """Whether a copy is of this version."""
        return self.stamp is not None and int(copy.st_mtime) == self.stamp and self.size in (None, copy.st_size)


def copy_at(path: Path) -> os.stat_result | None:
    """The copy in a place, where there is one."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found if path.is_file() else None


def is_fresh(path: Path, since: float) -> bool:
    """Whether there is a copy that was fetched, or compared with its store, since then."""
    copy = copy_at(path)
    return copy is not None and copy.st_ctime >= since


@contextmanager
def temporary_copy(path: Path) -> Iterator[Path]:
    """An empty file beside a copy's place, which is gone afterwards."""
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.touch(exist_ok=False)
    except OSError as error:
        raise InputError(
            f"{path}: no place for a copy: {error.strerror}; set VDE_CACHE to a folder that can be written"
        ) from None
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def settle(temporary: Path, path: Path, entry: StoredFile) -> None:
    """Put a whole copy in its place, marked with its version."""
    try:
        if entry.stamp is not None:
            os.utime(temporary, (time.time(), entry.stamp))
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: no place for a copy: {error.strerror}") from None
