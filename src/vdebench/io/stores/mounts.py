"""The table of mounts: which local folders map to which URLs.

`s3://bucket/suite` maps to `<cache>/mounts/s3/bucket/suite`, so that code for paths works on it and its messages are
readable. Other processes, also on other machines, get the table through an environment variable (`environment`).
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
"""Environment variable with the table as JSON: `{folder: [url, since]}`."""
_THREADS = 16
"""Parallel downloads: stores have high latency."""
_TICK = 0.011
"""Seconds by which the time stamps of file systems can lag behind."""

_mounts: dict[str, Mount] | None = None
_lock = threading.Lock()


def mounted(url: str | Path) -> Path:
    """Mount a URL and return its folder; `file://` is the folder itself. Mounting again validates all copies again."""
    parsed = parse_url(url)
    if parsed.protocol in LOCAL:
        return Path(f"/{parsed.path}")
    folder = Path(os.path.abspath(cache_folder())) / "mounts" / parsed.protocol / parsed.path
    with _lock:
        mounts = _all_mounts()
        mounts[str(folder)] = Mount(str(folder), str(parsed), time.time(), mounts.get(str(folder)))
        os.environ.update(environment())
    time.sleep(_TICK)  # so that later downloads are newer than `since` by the file system's clock too
    return folder


def place(given: str | Path) -> Path:
    """Return the local folder for a path or URL; a URL is mounted."""
    return mounted(given) if is_url(given) else Path(given)


def address(path: Path) -> str:
    """Return the URL of a mounted path, else the absolute path."""
    mount = mount_of(path)
    return mount.url_of(path) if mount else os.path.abspath(path)


def require_local(given: str | Path, option: str = "--out") -> None:
    """Raise `RunFolderError` for a URL where a local folder is needed."""
    if is_url(given) and parse_url(given).protocol not in LOCAL:
        raise RunFolderError(
            f"{option} {parse_url(given)}: a run needs locks and appending, which stores do not support\n"
            "  choose a local folder; only the images can be in a store (`vde run --image-store URL`)"
        )


def environment() -> dict[str, str]:
    """Return the environment variables that give other processes the same mounts."""
    data = {folder: [mount.url, mount.since] for folder, mount in _all_mounts().items()}
    return {VARIABLE: json.dumps(data)} if data else {}


def _all_mounts() -> dict[str, Mount]:
    """Return the mounts of this process by folder, including those inherited through the environment."""
    global _mounts
    if _mounts is None:
        data = json.loads(os.environ.get(VARIABLE) or "{}")
        _mounts = {folder: Mount(folder, url, since) for folder, (url, since) in data.items()}
    return _mounts


def mount_of(path: Path) -> Mount | None:
    """Return the innermost mount that contains a path, or None."""
    mounts = _mounts if _mounts is not None else _all_mounts()
    if not mounts:
        return None
    name = str(path)
    matches = [mount for folder, mount in mounts.items() if name == folder or name.startswith(f"{folder}/")]
    return max(matches, key=lambda mount: len(mount.folder), default=None)


def bring(paths: Iterable[Path]) -> None:
    """Download files in parallel if they are in stores. Errors are ignored here; they appear when a file is opened."""
    if _all_mounts():
        with ThreadPoolExecutor(_THREADS) as pool:
            for _ in pool.map(_try_fetch, paths):
                pass


def _try_fetch(path: Path) -> None:
    mount = mount_of(path)
    if mount:
        try:
            mount.fetch(path)
        except VdeError:
            return


@contextmanager
def at_once(folder: Path, *, fetched: bool = False) -> Iterator[None]:
    """List everything below a folder with one request, for use inside the block; optionally download all files."""
    mount = mount_of(folder)
    if mount is None:
        yield
        return
    with mount.listed(folder) as files:
        if fetched:
            bring(files)
        yield
