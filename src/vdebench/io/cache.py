"""Things that are kept by the content they were made from: made once, ever, however many processes ask."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.errors import InputError, RunFolderError, VdeError
from vdebench.io.files import fetched, is_file, locked, parse_json, read_bytes, read_json, write_json, write_text
from vdebench.io.locations import cache_folder

KINDS = ("readings", "measures", "grades")
_ADVICE = "set VDE_CACHE to a folder that can be written"


class Cache:
    """JSON values of one kind by one maker: `<kind>/<maker>-<identity>/<ab>/<key>.json`.

    Whatever changes a value is in the maker's identity or in the key. Who makes a value holds its lock, so that others
    wait for it in place of making it again.
    """

    def __init__(self, kind: str, identity: Mapping[str, str], root: Path | None = None) -> None:
        self.identity = dict(identity)
        self.folder = (root or cache_folder()) / kind / folder_name(identity)

    def find(self, key: str) -> Any | None:
        """A value that was kept; nothing where there is none, or one that cannot be read."""
        file = self._file(key)
        if not is_file(file):
            return None
        try:
            return parse_json(read_bytes(file), file)
        except VdeError:
            return None

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """The value of a key, made where it is not there yet."""
        found = self.find(key)
        if found is not None:
            return found
        with locked(self._locks(key), wait=True):
            found = self.find(key)
            if found is None:
                found = make()
                self.put(key, found)
        return found

    def put(self, key: str, value: Any) -> None:
        """Store a value, whole or not at all."""
        try:
            self._describe()
            write_text(self._file(key), json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
        except InputError as error:
            raise RunFolderError(f"{error}; {_ADVICE}") from None

    def _locks(self, key: str) -> Path:
        """Where the lock of a key is. Keys share a few thousand locks, which stay: to delete one is to race for it."""
        folder = self.folder / ".locks" / key[:3]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{folder}: cannot be made: {error.strerror}; {_ADVICE}") from None
        return folder

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _describe(self) -> None:
        """Say in the folder whose values it holds."""
        file = self.folder / "maker.json"
        if not is_file(file):
            write_json(file, self.identity)


def folder_name(identity: Mapping[str, str]) -> str:
    """A folder for the values of one maker with one set of versions and options.

    >>> folder_name({"name": "rapidocr", "version": "3.10.0"})
    'rapidocr-7ed6567e877560e6'
    """
    return f"{identity['name']}-{digest_of(json.dumps(dict(identity), sort_keys=True))[:16]}"


def digest_of(*parts: str) -> str:
    """One key of several parts."""
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def digest_of_file(file: Path) -> str:
    """Hash of a file's bytes."""
    try:
        about = fetched(file).stat()
    except OSError:
        return _digest_of_bytes(file, 0, 0)  # which says what is wrong
    return _digest_of_bytes(file, about.st_mtime_ns, about.st_size)


@lru_cache(1 << 16)
def _digest_of_bytes(file: Path, changed: int, size: int) -> str:
    """A run asks for the same files again and again: each is hashed once, unless it changes."""
    return hashlib.sha256(read_bytes(file)).hexdigest()


class CacheUsage(NamedTuple):
    """What one maker has in the cache."""

    kind: str
    maker: Mapping[str, str]
    values: int
    size: int
    """In bytes."""


def kept(root: Path | None = None) -> list[CacheUsage]:
    """What is kept, by kind and maker."""
    found = []
    for kind in KINDS:
        folder = (root or cache_folder()) / kind
        for place in sorted(folder.iterdir()) if folder.is_dir() else ():
            sizes = [file.stat().st_size for file in place.glob("??/*.json")]
            about = read_json(place / "maker.json") if is_file(place / "maker.json") else {"name": place.name}
            found.append(CacheUsage(kind, about, len(sizes), sum(sizes)))
    return found
