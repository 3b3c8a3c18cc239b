"""The size limit of the cache: the least recently used values are removed, OCR output of ground truth last."""

from __future__ import annotations

import logging
import math
import os
import re
import shutil
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from vdebench.errors import InputError, RunFolderError
from vdebench.io.cache_files import (
    DAY,
    REMOVED,
    StoredItem,
    Tier,
    folder_size,
    pack_folders,
    stored_items,
    unfinished_files,
)
from vdebench.io.files import locked, make_folder
from vdebench.io.locations import cache_folder
from vdebench.io.pack_file import PackFile

VARIABLE = "VDE_CACHE_SIZE"
DEFAULT = "20 GB"
_UNITS = ("", "K", "M", "G", "T")
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)B?\s*", re.ASCII | re.IGNORECASE)
_KEPT = 0.9
"""Part of the limit that remains after an automatic removal, so that removals are rare."""
_CHECKED = 0.02
"""Part of the limit after which the size of the cache is measured again."""
_STEP = 1 << 16
"""Bytes for which one byte is appended to the counter."""
_COUNTER = ".written"
_LOCK = ".prune-lock"
_log = logging.getLogger("vdebench.cache")
_uncounted: Counter[Path] = Counter()


def parse_size(text: str, name: str = "size") -> int:
    """Return the number of bytes.

    >>> parse_size("20 GB"), parse_size("1.5MB"), parse_size("4096")
    (20000000000, 1500000, 4096)
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise InputError(f"{name} is {text!r}, expected a number of bytes such as 20GB or 500MB")
    return int(float(match[1]) * 1000 ** _UNITS.index(match[2].upper()))


def format_size(size: float) -> str:
    """Return a size for people.

    >>> format_size(20_000_000_000), format_size(1_234)
    ('20.0 GB', '1.2 kB')
    """
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def cache_limit() -> int:
    """Return the size limit of the cache in bytes: `$VDE_CACHE_SIZE`, else 20 GB; raises `InputError`."""
    return parse_size(os.environ.get(VARIABLE) or DEFAULT, VARIABLE)


class Pruned(NamedTuple):
    """The result of a removal."""

    removed: int
    """Number of removed files, suites and reduced packs."""
    size: int
    """Bytes that remain."""
    recent: int
    """Number of removed files that were used in the last day."""


def note_written(root: Path, size: int) -> None:
    """Count bytes written to the cache, by all processes; when 2 % of the limit were written, enforce the limit.

    The counter is the length of a file, to which processes append a byte for every 64 KiB without a lock.
    """
    _uncounted[root] += size  # without a lock, which a forked process could find locked; a lost count does no harm
    steps, _uncounted[root] = divmod(_uncounted[root], _STEP)
    if not steps:
        return
    try:
        with (root / _COUNTER).open("ab") as counter:
            counter.write(b"." * steps)
            written = counter.tell() * _STEP
    except OSError:  # the write itself reports it
        return
    limit = cache_limit()
    if written >= limit * _CHECKED:
        with suppress(RunFolderError, OSError):  # another process does it, or may do it
            if recent := prune(root, limit, keep=_KEPT, wait=False).recent:
                _log.warning(
                    "%s: is limited to %s; %d values that were used today are removed and have to be computed again; "
                    "set %s to a larger size",
                    *(root, format_size(limit), recent, VARIABLE),
                )


def prune(root: Path | None = None, limit: int | None = None, *, keep: float = 1, wait: bool = True) -> Pruned:
    """Remove values if the cache is larger than the limit, down to `keep` times the limit.

    Editors' OCR output is removed first, then image metrics, values of lines, and OCR output of ground truth and
    answers of judges; in each of these the least recently used first. A removed value is computed again when it is
    needed. Raises `RunFolderError` if another process does the same, unless `wait`.
    """
    root, limit = root or cache_folder(), cache_limit() if limit is None else limit
    make_folder(root)
    with locked(root, wait=wait, name=_LOCK):
        with suppress(OSError):
            (root / _COUNTER).unlink(missing_ok=True)
        for path in unfinished_files(root):
            _delete(path)
        removal = _Removal(root, int(limit * keep), limit)
        removal.run()
    return Pruned(removal.removed, removal.size, removal.recent)


class _Removal:
    """One removal of values. Memory does not grow with their number: sizes are added up by tier and hour of use."""

    def __init__(self, root: Path, target: int, limit: int) -> None:
        self.root = root
        self.removed = self.recent = 0
        self._hours: dict[Tier, Counter[int]] = {tier: Counter() for tier in Tier}
        self.size = 0
        for item in stored_items(root):
            self.size += item.size
            if item.is_removable:
                self._hours[item.tier][_hour(item)] += item.size
        self.size += sum(map(folder_size, pack_folders(root)))
        self._excess = self.size - target if self.size > limit else 0

    def run(self) -> None:
        """Remove tier by tier until the cache is small enough."""
        for tier in Tier:
            if self._excess <= 0:
                break
            if tier == Tier.LINES:
                self._shrink_packs()
            else:
                self._remove_files(tier)

    def _remove_files(self, tier: Tier) -> None:
        """Remove what was last used before some hour, and in this hour as much as necessary."""
        remaining, last = self._excess, math.inf
        for hour, size in sorted(self._hours[tier].items()):
            if size >= remaining:
                last = hour
                break
            remaining -= size
        for item in stored_items(self.root):
            if item.tier != tier or not item.is_removable or _hour(item) > last:
                continue
            if _hour(item) == last:
                if remaining <= 0:
                    continue
                remaining -= item.size
            if _delete(Path(item.path)):
                self._count(item.size)
                self.recent += time.time() - item.used < DAY

    def _shrink_packs(self) -> None:
        for folder in pack_folders(self.root):
            if self._excess > 0:
                pack = PackFile(folder)
                before = pack.size()
                pack.shrink(max(0, before - self._excess))
                self._count(before - pack.size())

    def _count(self, size: int) -> None:
        self.removed += 1
        self.size -= size
        self._excess -= size


def _hour(item: StoredItem) -> int:
    return int(item.used // 3600)


def _delete(path: Path) -> bool:
    """Delete a file, or a folder by renaming it first, so that nobody takes a part of it for the whole."""
    try:
        if not path.is_dir():
            path.unlink()
            return True
        away = path if path.name.startswith(REMOVED) else path.rename(path.with_name(f"{REMOVED}{path.name}"))
    except OSError:  # removed by another process, or not ours
        return False
    shutil.rmtree(away, ignore_errors=True)
    return True
