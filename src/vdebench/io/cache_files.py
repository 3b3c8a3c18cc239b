"""The files of the cache: their sizes, the time of their last use, and the order in which they are removed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import IntEnum
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from vdebench.errors import VdeError
from vdebench.io.files import is_file, read_json
from vdebench.io.locations import cache_folder
from vdebench.io.pack_file import PackFile

Kind = Literal["readings", "measures", "grades"]
"""Values in a file each: OCR output, image metrics, answers of judges."""
PackKind = Literal["lines", "pixels"]
"""Values in one file per maker: text of single lines, digests of decoded images."""
SUITES = "typeset"
"""Folder of generated suites."""
FOLDERS: tuple[str, ...] = (*get_args(Kind), *get_args(PackKind), SUITES)
LASTING = ".lasting.json"
"""Ending of OCR output of a suite's pages; others end in `.json`."""
DAY = 24 * 3600
SUITE_REST = 30 * DAY
"""Seconds without use after which a generated suite may be removed: it may belong to a run that takes days."""


REMOVED = ".removed-"
"""Beginning of the name of a generated suite while its files are deleted."""


class Tier(IntEnum):
    """Order of removal: all values of a tier are removed before the first one of the next."""

    OUTPUTS = 0
    """OCR output of editors' images; generated suites that were not used for a month."""
    METRICS = 1
    LINES = 2
    GROUND_TRUTH = 3
    """OCR output of a suite's pages, which all runs need, and answers of judges, which cost money."""


class StoredItem(NamedTuple):
    """A value in a file of its own, or a generated suite."""

    path: str
    """Not a `Path`, of which a million take long to create."""
    size: int
    """Bytes on disk."""
    used: float
    """Time of the last use, exact to a day."""
    tier: Tier
    is_removable: bool = True


class CacheUsage(NamedTuple):
    """The size of one maker's values."""

    kind: str
    maker: Mapping[str, str]
    values: int
    size: int
    """Bytes on disk."""


def cache_usage(root: Path | None = None) -> list[CacheUsage]:
    """Return the number and size of all values by kind and maker, and of the generated suites."""
    root = root or cache_folder()
    rows = []
    for kind in get_args(Kind):
        for folder in _folders(root / kind):
            sizes = [disk_size(about) for _, about in _files(folder)]
            rows.append(CacheUsage(kind, _maker(folder), len(sizes), sum(sizes)))
    for kind in get_args(PackKind):
        rows += [
            CacheUsage(kind, _maker(folder), PackFile(folder).count(), folder_size(folder))
            for folder in _folders(root / kind)
        ]
    suites = [folder_size(folder) for folder in _folders(root / SUITES)]
    return [*rows, CacheUsage(SUITES, {"name": "generated suites"}, len(suites), sum(suites))] if suites else rows


def stored_items(root: Path) -> Iterator[StoredItem]:
    """Yield all values in files of their own, and all generated suites, one by one: there may be millions."""
    for kind in get_args(Kind):
        for folder in _folders(root / kind):
            for path, about in _files(folder):
                yield StoredItem(path, disk_size(about), about.st_mtime, _tier(kind, path))
    for folder in _folders(root / SUITES):
        with suppress(OSError):
            file = folder / "suite.toml"
            used = (file if file.exists() else folder).stat().st_mtime
            is_at_rest = time.time() - used > SUITE_REST
            yield StoredItem(str(folder), folder_size(folder), used, Tier.OUTPUTS, is_at_rest)


def pack_folders(root: Path) -> list[Path]:
    """Return the folders of packs, the least recently used first."""
    return sorted((folder for kind in get_args(PackKind) for folder in _folders(root / kind)), key=_last_write)


def unfinished_files(root: Path) -> Iterator[Path]:
    """Yield temporary files and folders that killed processes left more than a day ago."""
    for folder in (root / kind / maker.name for kind in get_args(Kind) for maker in _folders(root / kind)):
        for part in _folders(folder):
            yield from (path for path in part.glob(".*.json.*") if time.time() - _last_write(path) > DAY)
    yield from (root / SUITES).glob(f"{REMOVED}*")


def record_use(file: Path, last: float | None = None) -> None:
    """Set the time of a file's last use to now, at most once a day; `last` is the recorded time, if it is known."""
    with suppress(OSError):  # removed meanwhile, or in a cache that cannot be written
        if time.time() - (file.stat().st_mtime if last is None else last) > DAY:
            os.utime(file)


def disk_size(about: os.stat_result) -> int:
    """Return the bytes that a file takes on disk: at least one block, also for a small value."""
    return max(about.st_size, 512 * getattr(about, "st_blocks", 0))


def folder_size(folder: Path) -> int:
    """Return the bytes that the files of a folder take on disk."""
    sizes = []
    for path in folder.rglob("*"):
        with suppress(OSError):
            sizes.append(disk_size(path.lstat()))
    return sum(sizes)


def _tier(kind: str, path: str) -> Tier:
    if kind == "grades" or path.endswith(LASTING):
        return Tier.GROUND_TRUTH
    return Tier.OUTPUTS if kind == "readings" else Tier.METRICS


def _folders(folder: Path) -> Iterator[Path]:
    """Yield the folders in a folder by name, without hidden ones; nothing if there is no such folder."""
    with suppress(OSError):
        yield from sorted(path for path in folder.iterdir() if path.name[0] != "." and path.is_dir())


def _files(maker: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the value files of a maker; other processes may add and remove some at the same time."""
    for part in _folders(maker):
        with suppress(OSError), os.scandir(part) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and entry.name[0] != ".":
                    with suppress(OSError):
                        yield entry.path, entry.stat()


def _maker(folder: Path) -> Mapping[str, str]:
    file = folder / "maker.json"
    about = None
    with suppress(VdeError):  # damaged
        about = read_json(file) if is_file(file) else None
    return about if isinstance(about, dict) else {"name": folder.name}


def _last_write(path: Path) -> float:
    """Return the time of the last change of a file, or of a file in a folder."""
    times = [0.0]
    with suppress(OSError):  # already removed, or no permission
        times.append(path.stat().st_mtime)
        times += [each.stat().st_mtime for each in (path.iterdir() if path.is_dir() else ())]
    return max(times)
