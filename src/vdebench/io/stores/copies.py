"""Local copies of files in a store, and their validation.

A hash of the version reported by the store (ETag, else modification time) is stored as the mtime of the copy, so that
copy and version are replaced in one step. The ctime tells whether the copy was downloaded or validated since the store
was mounted; then no process validates it again.
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
"""Names of the version in different stores, most reliable first."""


class StoredFile(NamedTuple):
    """Metadata of a file or folder in a store."""

    is_folder: bool
    size: int | None = None
    stamp: int | None = None
    """Hash of the version as a time stamp, or None if the store reports no version."""

    @classmethod
    def of(cls, info: Mapping[str, Any]) -> StoredFile:
        """Create it from the `info` of fsspec.

        >>> StoredFile.of({"type": "file", "size": 3, "ETag": '"abc"'})
        StoredFile(is_folder=False, size=3, stamp=1606133299)
        """
        version = next((str(info[key]) for key in _VERSIONS if info.get(key)), "")
        digits = int.from_bytes(hashlib.sha256(version.encode()).digest()[:8], "big")
        stamp = 1_000_000_000 + digits % 700_000_000 if version else None  # seconds, between 2001 and 2023
        return cls(info.get("type") == "directory", info.get("size"), stamp)

    def is_in(self, copy: os.stat_result) -> bool:
        """Whether a copy has this version."""
        return self.stamp is not None and int(copy.st_mtime) == self.stamp and self.size in (None, copy.st_size)


def copy_at(path: Path) -> os.stat_result | None:
    """Return the file status of a copy, or None if there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status if path.is_file() else None


def is_fresh(path: Path, since: float) -> bool:
    """Whether there is a copy that was downloaded or validated since a time."""
    copy = copy_at(path)
    return copy is not None and copy.st_ctime >= since


@contextmanager
def temporary_copy(path: Path) -> Iterator[Path]:
    """Yield an empty temporary file next to the copy; it is removed afterwards."""
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.touch(exist_ok=False)
    except OSError as error:
        raise InputError(f"{path}: no place for a copy: {error.strerror}; set VDE_CACHE to a writable folder") from None
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def settle(temporary: Path, path: Path, entry: StoredFile) -> None:
    """Move a complete copy to its path, marked with its version."""
    try:
        if entry.stamp is not None:
            os.utime(temporary, (time.time(), entry.stamp))
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: no place for a copy: {error.strerror}") from None
