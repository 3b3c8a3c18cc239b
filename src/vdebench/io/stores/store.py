"""A mount: a local folder for a URL. Files are downloaded when they are read and uploaded when they are written."""

from __future__ import annotations

import errno
import os
import posixpath
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from vdebench.errors import InputError, MissingPartError
from vdebench.io.stores.copies import StoredFile, copy_at, is_fresh, settle, temporary_copy

_WITHOUT_FOLDERS = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss")
"""Stores without folders: creating one could create a bucket."""
_Result = TypeVar("_Result")


class Mount:
    """A local folder and its URL; `since` is the time when it was mounted."""

    def __init__(self, folder: str, url: str, since: float, before: Mount | None = None) -> None:
        self.folder = folder
        self.url = url
        self.since = since
        self._entries: dict[str, dict[str, StoredFile]] = {}
        """Metadata from listings, by folder and name. A missing name does not mean that the file does not exist."""
        self._cached_listings: set[str] = set()
        """Folders whose listings are currently reused."""
        self._empty: set[str] = before._empty if before else set()
        """Folders that were created and are still empty; stores have no empty folders."""

    def url_of(self, path: Path | str) -> str:
        """Return the URL of a file in this folder."""
        protocol, _, rest = (self.url + str(path).removeprefix(self.folder)).partition("://")
        return f"{protocol}://{posixpath.normpath(rest)}"  # stores do not resolve `..`

    @cached_property
    def _system(self) -> Any:
        try:
            import fsspec
        except ImportError:
            raise MissingPartError(
                f"{self.url}: access to stores needs fsspec, which is not installed\n"
                "  pip install 'vdebench[storage]', and the store's own package, such as s3fs for s3://"
            ) from None
        try:
            return fsspec.core.url_to_fs(self.url)[0]
        except ImportError as error:
            raise MissingPartError(
                f"{self.url}: {error}\n  install the named package with pip in the environment of vdebench"
            ) from None
        except Exception as error:
            raise _failure(self.url, error) from None

    def _request(self, path: Path | str, operation: Callable[[Any, str], _Result]) -> _Result:
        """Call the store. Raises `FileNotFoundError`, `NotADirectoryError`, and `InputError` for other failures."""
        url, system = self.url_of(path), self._system
        try:
            return operation(system, system._strip_protocol(url))
        except (FileNotFoundError, NotADirectoryError) as error:
            if "bucket" in str(error).lower() and str(error) not in url:
                raise InputError(f"{url}: {error}") from None
            raise
        except Exception as error:  # every store has its own exceptions
            raise _failure(url, error) from None

    def _entry(self, path: Path) -> StoredFile | None:
        entry = self._entries.get(str(path.parent), {}).get(path.name)
        return entry if entry is None or entry.is_folder or entry.size is not None else None

    def _fresh_entry(self, path: Path) -> StoredFile:
        """Request the current metadata from the store."""

        def info(system: Any, at: str) -> StoredFile:
            system.invalidate_cache()
            return StoredFile.of(system.info(at))

        entry = self._request(path, info)
        self._entries.setdefault(str(path.parent), {})[path.name] = entry
        return entry

    def find(self, path: Path) -> StoredFile | None:
        """Return the metadata of a path, requested if unknown, or None if it does not exist."""
        entry = self._entry(path)
        if entry is None and is_fresh(path, self.since):
            return StoredFile(is_folder=False, size=path.stat().st_size)
        if entry is None and str(path) in self._empty:
            return StoredFile(is_folder=True)
        try:
            return entry or self._fresh_entry(path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def fetch(self, path: Path) -> None:
        """Ensure that there is a valid copy of a file; raises `InputError`."""
        copy, entry = copy_at(path), self._entry(path)
        if copy and (entry is None or entry.stamp is None) and copy.st_ctime >= self.since:
            return
        try:
            if entry is None or (copy and not entry.is_in(copy)):
                entry = self._fresh_entry(path)
            if entry.is_folder:
                raise InputError(f"{self.url_of(path)}: is a folder, expected a file")
            if copy and entry.is_in(copy):
                if copy.st_ctime < self.since:
                    with suppress(OSError):  # another process may have replaced it
                        os.utime(
                            path, (time.time(), copy.st_mtime)
                        )  # sets the ctime, which marks the copy as validated
                return
            self._download(path, entry)
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(f"{self.url_of(path)}: cannot be read: no such file") from None

    def _download(self, path: Path, entry: StoredFile) -> None:
        with temporary_copy(path) as temporary:
            for _ in range(2):
                self._request(path, lambda system, at: system.get_file(at, str(temporary)))
                size = temporary.stat().st_size
                if entry.size in (None, size):
                    settle(temporary, path, entry)
                    return
                entry = self._fresh_entry(path)  # the file was replaced during the download
        raise InputError(f"{self.url_of(path)}: {size:,} bytes received, expected {entry.size:,}; try again")

    def put(self, temporary: Path, path: Path) -> None:
        """Upload a file, then move it to its local path, so that no local file is missing in the store."""
        name = str(temporary)

        def send(system: Any, at: str) -> None:
            try:
                system.put_file(name, at)
            except FileNotFoundError:
                if self.url.partition(":")[0] in _WITHOUT_FOLDERS:
                    raise
                system.makedirs(at.rpartition("/")[0], exist_ok=True)
                system.put_file(name, at)

        try:
            self._request(path, send)
            entry = self._fresh_entry(path)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise InputError(f"{self.url_of(path)}: cannot be written: {error}") from None
        if entry.size not in (None, temporary.stat().st_size):
            raise InputError(f"{self.url_of(path)}: cannot be written: the store has only {entry.size:,} bytes")
        self._empty -= {str(folder) for folder in path.parents}
        settle(temporary, path, entry)

    def remove(self, path: Path) -> None:
        """Remove a file if it exists."""
        with suppress(FileNotFoundError):
            self._request(path, lambda system, at: system.rm_file(at))
        self._entries.get(str(path.parent), {}).pop(path.name, None)

    def make_folder(self, path: Path) -> None:
        """Remember an empty folder."""
        if self.find(path) is None:
            self._empty.add(str(path))

    def names(self, path: Path) -> list[str]:
        """Return the current names in a folder."""
        if str(path) not in self._cached_listings:
            self._entries[str(path)] = self._list(path)
        return sorted(self._entries[str(path)])

    def _list(self, path: Path) -> dict[str, StoredFile]:
        def ls(system: Any, at: str) -> list[dict[str, Any]]:
            system.invalidate_cache()
            infos: list[dict[str, Any]] = system.ls(at, detail=True)
            system.invalidate_cache()  # frees the memory
            if [_name(info) for info in infos] == [at.rstrip("/")] and infos[0]["type"] == "file":
                raise NotADirectoryError(at)
            return [info for info in infos if _name(info) != at.rstrip("/")]  # the marker of an empty folder

        try:
            return {_name(info).rpartition("/")[2]: StoredFile.of(info) for info in self._request(path, ls)}
        except FileNotFoundError:
            if str(path) in self._empty:
                return {}
            raise InputError(f"{self.url_of(path)}: cannot be listed: no such folder") from None
        except NotADirectoryError:
            raise InputError(f"{self.url_of(path)}: is a file, expected a folder") from None

    @contextmanager
    def listed(self, folder: Path) -> Iterator[list[Path]]:
        """Yield all files below a folder with one request; inside the block, its folders are not listed again."""

        def find(system: Any, at: str) -> list[tuple[str, StoredFile]]:
            system.invalidate_cache()
            infos = system.find(at, detail=True)
            system.invalidate_cache()
            start = len(at.rstrip("/")) + 1
            return [(name[start:], StoredFile.of(info)) for name, info in infos.items()]

        files = []
        listings: dict[str, dict[str, StoredFile]] = {}
        for name, entry in self._request(folder, find):
            if not name or name.endswith("/"):
                continue
            path = folder / name
            files.append(path)
            listings.setdefault(str(path.parent), {})[path.name] = entry
            while (path := path.parent) != folder:
                listings.setdefault(str(path.parent), {})[path.name] = StoredFile(is_folder=True)
        self._entries |= listings
        self._cached_listings |= set(listings)
        try:
            yield files
        finally:
            self._cached_listings -= set(listings)


def _name(info: Mapping[str, Any]) -> str:
    return str(info["name"]).rstrip("/")


def _failure(url: str, error: Exception) -> InputError:
    """Convert an exception of a store."""
    message = " ".join(str(error).split())[:300] or "no message"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return InputError(f"{url}: no place for a copy: {error.strerror}; make room, or set VDE_CACHE to another disk")
    if isinstance(error, PermissionError) or "credentials" in message.lower():
        return InputError(
            f"{url}: no permission: {message}\n"
            "  credentials come from the environment or from the store's own settings; see docs/storage.md"
        )
    return InputError(f"{url}: the store fails: {type(error).__name__}: {message}")
