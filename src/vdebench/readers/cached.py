"""Readings that are kept: an image is read once, ever, by a reader of one identity, however many processes ask."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.files import cache_folder, is_file, locked, parse_json, read_bytes, read_json, write_json, write_text
from vdebench.images import open_image
from vdebench.readers.reader import Reader
from vdebench.reading import Reading


class CachedReader:
    """Reads image files, or finds what was read before.

    A reading lies in `readings/<reader>-<identity>/<ab>/<image>.json`, where image is the hash of the file's bytes. Who
    reads holds a lock of that name, so that others wait for the reading in place of making it again.
    """

    def __init__(self, reader: Reader, root: Path | None = None) -> None:
        self.reader = reader
        self.folder = (root or cache_folder()) / "readings" / folder_name(reader.identity)

    def read(self, file: Path) -> Reading:
        """The reading of an image file."""
        content = read_bytes(file)
        image = hashlib.sha256(content).hexdigest()
        kept = self.folder / image[:2] / f"{image}.json"
        found = _kept(kept)
        if found is not None:
            return found
        lock = kept.parent / f".{image}"
        lock.mkdir(parents=True, exist_ok=True)
        try:
            with locked(lock, wait=True):
                found = _kept(kept)
                if found is None:
                    found = self.reader.read(open_image(file))
                    self._describe()
                    write_text(kept, json.dumps(found.to_json(), ensure_ascii=False) + "\n")
        finally:
            with suppress(OSError):  # another process may be in it
                (lock / ".lock").unlink(missing_ok=True)
                lock.rmdir()
        return found

    def _describe(self) -> None:
        """Say in the folder whose readings it holds."""
        file = self.folder / "reader.json"
        if not is_file(file):
            write_json(file, dict(self.reader.identity))


def folder_name(identity: Mapping[str, str]) -> str:
    """A folder for the readings of one reader with one set of versions and options.

    >>> folder_name({"name": "rapidocr", "version": "3.10.0"})
    'rapidocr-7ed6567e877560e6'
    """
    told = json.dumps(dict(identity), sort_keys=True)
    return f"{identity['name']}-{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _kept(file: Path) -> Reading | None:
    """A reading that was kept; nothing where there is none, or one that cannot be read."""
    if not is_file(file):
        return None
    try:
        return Reading.from_json(parse_json(read_bytes(file), file), str(file))
    except VdeError:
        return None


def kept_readings(root: Path | None = None) -> list[tuple[dict[str, str], int, int]]:
    """Whose readings are kept: identity, number of readings, bytes."""
    folder = (root or cache_folder()) / "readings"
    found = []
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        sizes = [file.stat().st_size for file in place.glob("??/*.json")]
        about = read_json(place / "reader.json") if is_file(place / "reader.json") else {"name": place.name}
        found.append((about, len(sizes), sum(sizes)))
    return found
