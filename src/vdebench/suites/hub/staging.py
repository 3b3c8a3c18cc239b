"""Staging of downloads: files are moved into place when all are complete, so that a partial folder is never a suite."""

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
    """The staging folders: `files` are complete, `parts` are not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = folder / WORKSHOP / "files"
        self.parts = folder / WORKSHOP / "parts"

    def gather(
        self, expected: Sequence[HubFile], old: DownloadRecord | None, bar: Progress | None = None
    ) -> list[HubFile]:
        """Move existing files to the staging folder; return the files that are still missing.

        Of the folder's own files, only those of an earlier download that are no longer needed are deleted.
        """
        paths = {file.path for file in expected}
        if old is not None:
            self._clear(old, paths)
        if self.files.is_dir():  # unpacked by an earlier call that was interrupted
            present = [file.relative_to(self.files).as_posix() for file in self.files.rglob("*") if file.is_file()]
            self._remove(path for path in present if path not in paths)
        self.files.mkdir(parents=True, exist_ok=True)
        self.parts.mkdir(parents=True, exist_ok=True)
        missing = []
        for number, file in enumerate(expected, 1):
            staged, placed = self.files / file.path, self.folder / file.path
            is_placed = not is_file(staged) and is_file(placed)
            fault = file.fault(placed if is_placed else staged)
            if fault and is_placed and old is None:
                raise HubError(
                    f"{placed}: differs from the hub's file: {fault}\n"
                    "  it was not downloaded by vde and is not changed: move it away, or choose another folder"
                )
            if fault:
                (placed if is_placed else staged).unlink(missing_ok=True)
                missing.append(file)
            elif is_placed:
                staged.parent.mkdir(parents=True, exist_ok=True)
                placed.replace(staged)
            if bar:
                bar(number, len(expected))
        return missing

    def _clear(self, old: DownloadRecord, expected: set[str]) -> None:
        """Delete what an earlier call generated, and downloaded files that are no longer needed."""
        self._remove(member.path for member in old.members if member.path not in expected)
        self._remove(file.path for file in old.files if file.path not in expected)
        suite_file = self.folder / SUITE_FILE
        if old.suite_toml and is_file(suite_file) and digest_of(suite_file.read_bytes()) == old.suite_toml:
            suite_file.unlink()

    def _remove(self, paths: Iterable[str]) -> None:
        for path in paths:
            for root in (self.folder, self.files):
                (root / path).unlink(missing_ok=True)
                for parent in (root / path).parents:  # remove empty folders
                    if parent in (self.folder, self.files) or not parent.is_dir() or any(parent.iterdir()):
                        break
                    parent.rmdir()

    def settle(self, suite_toml: str) -> None:
        """Move everything into place, `suite.toml` last; an existing one is kept."""
        _move(self.files, self.folder)
        target = self.folder / SUITE_FILE
        if suite_toml and not is_file(target):
            write_text(target, suite_toml)
        shutil.rmtree(self.folder / WORKSHOP, ignore_errors=True)

    def require_space(self, missing: Sequence[HubFile], packed: Sequence[HubFile]) -> None:
        """Raise `HubError` if the disk has too little space for missing files and unpacked archives."""
        present = sum(part.stat().st_size for part in self.parts.iterdir())
        needed = sum(file.size for file in missing) - present + sum(file.size for file in packed)
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise HubError(
                f"{self.folder}: {_gigabytes(needed)} needed, {_gigabytes(free)} free\n"
                "  free some space, choose a folder on another disk (-o), or download a part (--only)"
            )


def _move(source: Path, target: Path) -> None:
    """Move a folder's content into another, by whole folders if possible."""
    for child in sorted(source.iterdir(), key=lambda one: one.name == SUITE_FILE):
        place = target / child.name
        if child.is_dir() and place.is_dir():
            _move(child, place)
        else:
            try:
                child.replace(place)
            except OSError as error:
                raise HubError(f"{place}: cannot be written: {error.strerror}; move away the existing file") from None


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of some bytes."""
    return hashlib.sha256(content).hexdigest()


def _gigabytes(count: int) -> str:
    """Format a number of bytes.

    >>> _gigabytes(2_500_000_000), _gigabytes(120_000)
    ('2.5 GB', '0.1 MB')
    """
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
