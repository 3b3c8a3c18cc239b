"""Content-addressed cache of JSON values: a value is stored under the digest of everything that it is made from."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, NewType, TypeVar

import numpy as np

from vdebench.core.images import Image
from vdebench.errors import InputError, RunFolderError, VdeError
from vdebench.io.cache_files import LASTING, Kind, record_use
from vdebench.io.cache_limit import cache_limit, note_written
from vdebench.io.files import fetched, is_file, locked, parse_json, read_bytes, write_json, write_text
from vdebench.io.locations import cache_folder

Digest = NewType("Digest", str)
"""SHA-256 in hexadecimal digits, as the functions `digest_of…` return it: the only type of key."""
Value = TypeVar("Value")
_ADVICE = "set VDE_CACHE to a folder that can be written"
_BLOCK = 4096
"""Bytes that a small file takes on most disks."""


class Cache(Generic[Value]):
    """Values of one kind by one maker, such as one OCR engine: `<kind>/<maker>-<identity>/<ab>/<digest>.json`.

    The full key of a value is its kind, the maker's identity (versions and options) and the digest of its inputs.
    `parse` turns stored JSON into a value and raises an error where it is not one; such a value is made again. The
    cache has a size limit (see `cache_limit`). Values that are `lasting` are removed last; their files end in
    `.lasting.json`.
    """

    def __init__(
        self, kind: Kind, identity: Mapping[str, str], parse: Callable[[Any], Value], root: Path | None = None
    ) -> None:
        self.identity = dict(identity)
        self._root = root or cache_folder()
        self.folder = self._root / kind / folder_name(identity)
        self._parse = parse
        cache_limit()  # raises an error if the setting is not valid

    def find(self, key: Digest, *, lasting: bool = False) -> Value | None:
        """Return a stored value; None where there is none, or it is not valid. A found value can be made lasting."""
        found = self._find(key, lasting)
        return None if found is None else found[1]

    def find_json(self, key: Digest) -> Any | None:
        """Return a stored value as JSON, for another cache; None where there is none, or it is not valid."""
        found = self._find(key)
        return None if found is None else found[0]

    def _find(self, key: Digest, lasting: bool = False) -> tuple[Any, Value] | None:
        for is_lasting in (True, False):
            file = self._file(key, is_lasting)
            try:
                used = file.stat().st_mtime
                data = parse_json(read_bytes(file), file)
                value = self._parse(data)
            except (OSError, VdeError, ValueError, TypeError, KeyError):
                continue
            record_use(file, used)
            if lasting and not is_lasting:
                with suppress(OSError):  # removed meanwhile, or in a cache that cannot be written
                    file.replace(self._file(key, lasting))
            return data, value
        return None

    def get(self, key: Digest, make: Callable[[], Any], *, lasting: bool = False) -> Value:
        """Return the value of a key; where there is none, make it, while other processes that need it wait."""
        if (found := self.find(key, lasting=lasting)) is not None:
            return found
        with locked(self._locks(key), wait=True):
            if (found := self.find(key, lasting=lasting)) is not None:
                return found
            data = make()
            self._write(key, data, lasting)
            return self._parse(data)

    def put(self, key: Digest, data: Any, *, lasting: bool = False) -> None:
        """Store a value that was made elsewhere, as JSON, unless there is one."""
        if self.find(key, lasting=lasting) is None:
            self._write(key, data, lasting)

    def _write(self, key: Digest, data: Any, lasting: bool) -> None:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            self._describe()
            write_text(self._file(key, lasting), text)
        except InputError as error:
            raise RunFolderError(f"{error}; {_ADVICE}") from None
        note_written(self._root, max(len(text), _BLOCK))

    def _locks(self, key: Digest) -> Path:
        """Return the folder of a key's lock. Keys share a few thousand locks; deleting one would be a race."""
        folder = self.folder / ".locks" / key[:3]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RunFolderError(f"{folder}: cannot be made: {error.strerror}; {_ADVICE}") from None
        return folder

    def _file(self, key: Digest, lasting: bool) -> Path:
        return self.folder / key[:2] / f"{key}{LASTING if lasting else '.json'}"

    def _describe(self) -> None:
        """Write the maker's identity to its folder, for people."""
        file = self.folder / "maker.json"
        if not is_file(file):
            write_json(file, self.identity)


def folder_name(identity: Mapping[str, str]) -> str:
    """A folder for the values of one maker with one set of versions and options.

    >>> folder_name({"name": "rapidocr", "version": "3.10.0"})
    'rapidocr-7ed6567e877560e6'
    """
    return f"{identity['name']}-{digest_of(json.dumps(dict(identity), sort_keys=True))[:16]}"


def as_object(data: Any) -> dict[str, Any]:
    """Return a JSON object as it is; raise TypeError for any other JSON: the least that a parser checks."""
    if not isinstance(data, dict):
        raise TypeError(f"found {type(data).__name__}, expected an object")
    return data


def as_numbers(data: Any) -> dict[str, float | None]:
    """Return a JSON object of finite numbers and nulls as it is; raise TypeError for any other JSON."""
    if not all(value is None or is_finite(value) for value in as_object(data).values()):
        raise TypeError("expected finite numbers")
    return as_object(data)


def is_finite(value: Any) -> bool:
    """Return whether a JSON value is a finite number."""
    return isinstance(value, int | float) and math.isfinite(value)


def digest_of(*parts: str) -> Digest:
    """Return one digest of several texts."""
    return Digest(hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest())


def digest_of_image(image: Image) -> Digest:
    """Return the digest of an image's pixels and size."""
    digest = hashlib.sha256(f"{image.shape}".encode())
    digest.update(np.ascontiguousarray(image).data)
    return Digest(digest.hexdigest())


def digest_of_file(file: Path) -> Digest:
    """Return the digest of a file's bytes."""
    try:
        about = fetched(file).stat()
    except OSError:
        return _digest_of_bytes(file, 0, 0)  # which says what is wrong
    return _digest_of_bytes(file, about.st_mtime_ns, about.st_size)


@lru_cache(1 << 16)
def _digest_of_bytes(file: Path, changed: int, size: int) -> Digest:
    """Hash a file once, unless it changes: a run needs the same digests again and again."""
    return Digest(hashlib.sha256(read_bytes(file)).hexdigest())
