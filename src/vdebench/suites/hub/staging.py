"""Where files wait until all are there: a folder half fetched is never taken for a suite."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from vdebench.io.files import is_file, write_text
from vdebench.suites.hub.errors import HubError
from vdebench.suites.hub.record import WORKSHOP, DownloadRecord, HubFile
from vdebench.suites.hub.transfer import Progress

SUITE_FILE = "suite.toml"


class Stage:
    """The workshop of a folder: `files` are finished, `parts` are not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = folder / WORKSHOP / "files"
        self.parts = folder / WORKSHOP / "parts"

    def gather(
        self, wanted: Sequence[HubFile], old: DownloadRecord | None, bar: Progress | None = None
    ) -> list[HubFile]:
        """Bring what is there already into the workshop: what is still to be fetched.

        Of the folder's own files only those go that an earlier call brought and that are wanted no more.
        """
        paths = {file.path for file in wanted}
        if old is not None:
            self._clear(old, paths)
        if self.files.is_dir():  # what an earlier call unpacked before it was stopped
            here = [file.relative_to(self.files).as_posix() for file in self.files.rglob("*") if file.is_file()]
            self._remove(path for path in here if path not in paths)
        self.files.mkdir(parents=True, exist_ok=True)
        self.parts.mkdir(parents=True, exist_ok=True)
        missing = []
        for number, file in enumerate(wanted, 1):
            staged, placed = self.files / file.path, self.folder / file.path
            is_placed = not is_file(staged) and is_file(placed)
            fault = file.fault(placed if is_placed else staged)
            if fault and is_placed and old is None:
                raise HubError(
                    f"{placed}: is not the hub's file: {fault}\n"
                    "  it was not fetched by us, so it stays as it is: move it away, or choose another folder"
                )
            if fault:
                (placed if is_placed else staged).unlink(missing_ok=True)
                missing.append(file)
            elif is_placed:
                staged.parent.mkdir(parents=True, exist_ok=True)
                placed.replace(staged)
            if bar:
                bar(number, len(wanted))
        return missing

    def _clear(self, old: DownloadRecord, wanted: set[str]) -> None:
        """Take away what an earlier call made, and what it fetched that is wanted no more."""
        self._remove(member.path for member in old.members if member.path not in wanted)
        self._remove(file.path for file in old.files if file.path not in wanted)
        made = self.folder / SUITE_FILE
        if old.suite_toml and is_file(made) and digest_of(made.read_bytes()) == old.suite_toml:
            made.unlink()

    def _remove(self, paths: Iterable[str]) -> None:
        for path in paths:
            for root in (self.folder, self.files):
                (root / path).unlink(missing_ok=True)
                for parent in (root / path).parents:  # folders that are empty now
                    if parent in (self.folder, self.files) or not parent.is_dir() or any(parent.iterdir()):
                        break
                    parent.rmdir()

    def settle(self, suite_toml: str) -> None:
        """Bring everything to its place, `suite.toml` last; one that someone wrote stays."""
        _move(self.files, self.folder)
        target = self.folder / SUITE_FILE
        if suite_toml and not is_file(target):
            write_text(target, suite_toml)
        shutil.rmtree(self.folder / WORKSHOP, ignore_errors=True)

    def require_space(self, missing: Sequence[HubFile], packed: Sequence[HubFile]) -> None:
        """Refuse to begin what would not fit: files to come, and archives once more for what they hold."""
        here = sum(part.stat().st_size for part in self.parts.iterdir())
        needed = sum(file.size for file in missing) - here + sum(file.size for file in packed)
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise HubError(
                f"{self.folder}: {_gigabytes(needed)} are needed, {_gigabytes(free)} are free\n"
                "  make room, choose a folder on another disk (-o), or fetch a part (--only)"
            )


def _move(source: Path, target: Path) -> None:
    """Move a folder's content into another, by whole folders where nothing of the name is there."""
    for child in sorted(source.iterdir(), key=lambda one: one.name == SUITE_FILE):
        place = target / child.name
        if child.is_dir() and place.is_dir():
            _move(child, place)
        else:
            try:
                child.replace(place)
            except OSError as error:
                raise HubError(f"{place}: cannot be written: {error.strerror}; move away what stands there") from None


def digest_of(content: bytes) -> str:
    """SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def _gigabytes(count: int) -> str:
    """A number of bytes for people.

    >>> _gigabytes(2_500_000_000), _gigabytes(120_000)
    ('2.5 GB', '0.1 MB')
    """
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
