"""A folder that stands for a URL: what is asked for is fetched, what is written is put there."""

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

_FLAT = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss")
"""Stores without folders of their own: to make one could make a bucket."""
_Answer = TypeVar("_Answer")


class Mount:
    """A folder and its URL; `since` is when it was mounted."""

    def __init__(self, folder: str, url: str, since: float, before: Mount | None = None) -> None:
        self.folder = folder
        self.url = url
        self.since = since
        self._entries: dict[str, dict[str, StoredFile]] = {}
        """What listings have told, by folder and name: good for what is there, not for what is not."""
        self._held: set[str] = set()
        """Folders whose listings may be used again for now."""
        self._empty: set[str] = before._empty if before else set()
        """Folders that were made and hold nothing yet: stores know no such thing."""

    def url_of(self, path: Path | str) -> str:
        """Where a file of this folder is in truth."""
        protocol, _, place = (self.url + str(path).removeprefix(self.folder)).partition("://")
        return f"{protocol}://{posixpath.normpath(place)}"  # `..` is no folder in a store

    @cached_property
    def _system(self) -> Any:
        try:
            import fsspec
        except ImportError:
            raise MissingPartError(
                f"{self.url}: stores are reached through fsspec, which is not installed\n"
                "  pip install 'vdebench[storage]', and the store's own package, as s3fs for s3://"
            ) from None
        try:
            return fsspec.core.url_to_fs(self.url)[0]
        except ImportError as error:
            raise MissingPartError(
                f"{self.url}: {error}\n  install what it names, with pip, into vdebench's environment"
            ) from None
        except Exception as error:
            raise _failure(self.url, error) from None

    def _ask(self, path: Path | str, question: Callable[[Any, str], _Answer]) -> _Answer:
        """Ask the store; absence is an exception as of files, all else that goes wrong an error that names the URL."""
        url, system = self.url_of(path), self._system
        try:
            return question(system, system._strip_protocol(url))
        except (FileNotFoundError, NotADirectoryError) as error:
            if "bucket" in str(error).lower() and str(error) not in url:
                raise InputError(f"{url}: {error}") from None
            raise
        except Exception as error:  # every store has its own
            raise _failure(url, error) from None

    def _entry(self, path: Path) -> StoredFile | None:
        known = self._entries.get(str(path.parent), {}).get(path.name)
        return known if known is None or known.is_folder or known.size is not None else None

    def _now(self, path: Path) -> StoredFile:
        """What the store says now."""

        def info(system: Any, at: str) -> StoredFile:
            system.invalidate_cache()
            return StoredFile.of(system.info(at))

        entry = self._ask(path, info)
        self._entries.setdefault(str(path.parent), {})[path.name] = entry
        return entry

    def find(self, path: Path) -> StoredFile | None:
        """What is known of a name, or found out; nothing where it is not there."""
        entry = self._entry(path)
        if entry is None and is_fresh(path, self.since):
            return StoredFile(is_folder=False, size=path.stat().st_size)
        if entry is None and str(path) in self._empty:
            return StoredFile(is_folder=True)
        try:
            return entry or self._now(path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def fetch(self, path: Path) -> None:
        """Have a good copy of a file in its place."""
        copy, entry = copy_at(path), self._entry(path)
        if copy and (entry is None or entry.stamp is None) and copy.st_ctime >= self.since:
            return
        try:
            if entry is None or (copy and not entry.is_in(copy)):
                entry = self._now(path)
            if entry.is_folder:
                raise InputError(f"{self.url_of(path)}: is a folder, expected a file")
            if copy and entry.is_in(copy):
                if copy.st_ctime < self.since:
                    with suppress(OSError):  # another process may have replaced it
                        os.utime(path, (time.time(), copy.st_mtime))  # for all to see that it was compared
                return
            self._download(path, entry)
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(f"{self.url_of(path)}: cannot be read: no such file") from None

    def _download(self, path: Path, entry: StoredFile) -> None:
        with temporary_copy(path) as temporary:
            for _ in range(2):
                self._ask(path, lambda system, at: system.get_file(at, str(temporary)))
                size = temporary.stat().st_size
                if entry.size in (None, size):
                    settle(temporary, path, entry)
                    return
                entry = self._now(path)  # it was replaced in this moment
        raise InputError(f"{self.url_of(path)}: {size:,} bytes came, the store says {entry.size:,}; try again")

    def put(self, temporary: Path, path: Path) -> None:
        """Put a file into the store, then in its place here: what is here and not there was never written."""
        name = str(temporary)

        def send(system: Any, at: str) -> None:
            try:
                system.put_file(name, at)
            except FileNotFoundError:
                if self.url.partition(":")[0] in _FLAT:
                    raise
                system.makedirs(at.rpartition("/")[0], exist_ok=True)
                system.put_file(name, at)

        try:
            self._ask(path, send)
            entry = self._now(path)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise InputError(f"{self.url_of(path)}: cannot be written: {error}") from None
        if entry.size not in (None, temporary.stat().st_size):
            raise InputError(f"{self.url_of(path)}: cannot be written: the store kept {entry.size:,} bytes of it")
        self._empty -= {str(folder) for folder in path.parents}
        settle(temporary, path, entry)

    def remove(self, path: Path) -> None:
        """Remove a file, where it is there."""
        with suppress(FileNotFoundError):
            self._ask(path, lambda system, at: system.rm_file(at))
        self._entries.get(str(path.parent), {}).pop(path.name, None)

    def make_folder(self, path: Path) -> None:
        """Let a folder be there, also where nothing is in it yet."""
        if self.find(path) is None:
            self._empty.add(str(path))

    def names(self, path: Path) -> list[str]:
        """Names in a folder, as they are now."""
        if str(path) not in self._held:
            self._entries[str(path)] = self._list(path)
        return sorted(self._entries[str(path)])

    def _list(self, path: Path) -> dict[str, StoredFile]:
        def ls(system: Any, at: str) -> list[dict[str, Any]]:
            system.invalidate_cache()
            found: list[dict[str, Any]] = system.ls(at, detail=True)
            system.invalidate_cache()  # it would keep all in memory
            if [_name(info) for info in found] == [at.rstrip("/")] and found[0]["type"] == "file":
                raise NotADirectoryError(at)
            return [info for info in found if _name(info) != at.rstrip("/")]  # the mark of an empty folder

        try:
            return {_name(info).rpartition("/")[2]: StoredFile.of(info) for info in self._ask(path, ls)}
        except FileNotFoundError:
            if str(path) in self._empty:
                return {}
            raise InputError(f"{self.url_of(path)}: cannot be listed: nothing is there") from None
        except NotADirectoryError:
            raise InputError(f"{self.url_of(path)}: is a file, expected a folder") from None

    @contextmanager
    def listed(self, folder: Path) -> Iterator[list[Path]]:
        """All files below a folder by one question, and no other question about its folders inside the block."""

        def find(system: Any, at: str) -> list[tuple[str, StoredFile]]:
            system.invalidate_cache()
            found = system.find(at, detail=True)
            system.invalidate_cache()
            start = len(at.rstrip("/")) + 1
            return [(name[start:], StoredFile.of(info)) for name, info in found.items()]

        files = []
        listings: dict[str, dict[str, StoredFile]] = {}
        for name, entry in self._ask(folder, find):
            if not name or name.endswith("/"):
                continue
            path = folder / name
            files.append(path)
            listings.setdefault(str(path.parent), {})[path.name] = entry
            while (path := path.parent) != folder:
                listings.setdefault(str(path.parent), {})[path.name] = StoredFile(is_folder=True)
        self._entries |= listings
        self._held |= set(listings)
        try:
            yield files
        finally:
            self._held -= set(listings)


def _name(info: Mapping[str, Any]) -> str:
    return str(info["name"]).rstrip("/")


def _failure(url: str, error: Exception) -> InputError:
    """What a store's exception means."""
    told = " ".join(str(error).split())[:300] or "nothing is said"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return InputError(f"{url}: no place for a copy: {error.strerror}; make room, or set VDE_CACHE to another disk")
    if isinstance(error, PermissionError) or "credentials" in told.lower():
        return InputError(
            f"{url}: no permission: {told}\n"
            "  credentials come from the environment or from the store's own settings; see docs/storage.md"
        )
    return InputError(f"{url}: the store fails: {type(error).__name__}: {told}")
