"""Which folders of this machine stand for which URLs. Without any, a question costs one look at an empty table.

`s3://bucket/suite` is `<cache>/mounts/s3/bucket/suite`: code that works on paths works on it, and what it says of a
file can be understood. Other processes, also on other machines, learn of it from the environment (`environment`).
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from vdebench.errors import RunFolderError, VdeError
from vdebench.io.locations import cache_folder
from vdebench.io.stores.store import Mount
from vdebench.io.stores.urls import LOCAL, is_url, parse_url

VARIABLE = "VDE_MOUNTS"
"""Of the environment: JSON `{folder: [url, since]}`."""
_AT_ONCE = 16
"""Files under way together, where many are wanted: a store answers late, not slowly."""
_TICK = 0.011
"""Seconds: by as much as file systems' times lag behind."""

_mounts: dict[str, Mount] | None = None
_lock = threading.Lock()


def mounted(url: str | Path) -> Path:
    """The folder that stands for a URL; `file://` is the folder itself. To give a URL again is to look at it anew."""
    parsed = parse_url(url)
    if parsed.protocol in LOCAL:
        return Path(f"/{parsed.path}")
    folder = Path(os.path.abspath(cache_folder())) / "mounts" / parsed.protocol / parsed.path
    with _lock:
        known = _known()
        known[str(folder)] = Mount(str(folder), str(parsed), time.time(), known.get(str(folder)))
        os.environ.update(environment())
    time.sleep(_TICK)  # what is fetched from now on is later than `since` by the file system's clock too
    return folder


def place(given: str | Path) -> Path:
    """The folder that is given, or stands for the URL that is given."""
    return mounted(given) if is_url(given) else Path(given)


def address(path: Path) -> str:
    """What a path is called elsewhere: its URL, or its whole path."""
    mount = mount_of(path)
    return mount.url_of(path) if mount else os.path.abspath(path)


def require_local(given: str | Path, option: str = "--out") -> None:
    """Refuse a URL where a folder of this machine is needed."""
    if is_url(given) and parse_url(given).protocol not in LOCAL:
        raise RunFolderError(
            f"{option} {parse_url(given)}: a run's journal and tables are locked and appended to: not so in a store\n"
            "  choose a folder on this machine; the images alone may go to a store (`vde run --image-store URL`)"
        )


def environment() -> dict[str, str]:
    """Variables by which other processes know the same mounts."""
    told = {folder: [mount.url, mount.since] for folder, mount in _known().items()}
    return {VARIABLE: json.dumps(told)} if told else {}


def _known() -> dict[str, Mount]:
    """Mounts by folder: of this process, and of the one that started it."""
    global _mounts
    if _mounts is None:
        told = json.loads(os.environ.get(VARIABLE) or "{}")
        _mounts = {folder: Mount(folder, url, since) for folder, (url, since) in told.items()}
    return _mounts


def mount_of(path: Path) -> Mount | None:
    """The mount that a path is in, the innermost of several."""
    mounts = _mounts if _mounts is not None else _known()
    if not mounts:
        return None
    name = str(path)
    found = [mount for folder, mount in mounts.items() if name == folder or name.startswith(f"{folder}/")]
    return max(found, key=lambda mount: len(mount.folder), default=None)


def bring(paths: Iterable[Path]) -> None:
    """Fetch many files together, where they are in stores. What fails is told when it is asked for."""
    if _known():
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            for _ in pool.map(_brought, paths):
                pass


def _brought(path: Path) -> None:
    mount = mount_of(path)
    if mount:
        try:
            mount.fetch(path)
        except VdeError:
            return


@contextmanager
def at_once(folder: Path, *, fetched: bool = False) -> Iterator[None]:
    """List all below a folder by one question, for whoever walks through it now; perhaps fetch all of it, too."""
    mount = mount_of(folder)
    if mount is None:
        yield
        return
    with mount.listed(folder) as files:
        if fetched:
            bring(files)
        yield
