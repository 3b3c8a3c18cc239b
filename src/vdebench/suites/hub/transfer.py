"""Download files in parallel and in resumable parts; each file is verified."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol as Interface
from typing import TypeVar

from vdebench.net.retries import RetryPolicy
from vdebench.suites.hub.errors import HubAwayError, HubBusyError, HubError, WrongBytesError
from vdebench.suites.hub.record import HubFile

PARALLELISM = 8
MAX_ATTEMPTS = 5
"""Maximum consecutive attempts without new data."""
LONGEST_WAIT = 300.0
SHOWN = 5
T = TypeVar("T")
Progress = Callable[[int, int], object]


class ByteSource(Interface):
    """Interface of a source of bytes, such as `Repository`."""

    def opened(self, file: HubFile, commit: str, start: int) -> AbstractContextManager[tuple[int, Iterator[bytes]]]:
        """Open a file from `start` on, or from 0; return the actual start and the bytes."""


class Fetcher:
    """Downloads files of one commit to `place`, using the folder `parts`."""

    def __init__(
        self, source: ByteSource, commit: str, place: Path, parts: Path, *, parallelism: int = PARALLELISM
    ) -> None:
        self._source = source
        self._commit = commit
        self._place = place
        self._parts = parts
        self._parallelism = parallelism
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self._done = 0
        self._total = 0
        self._progress: Progress | None = None

    def fetch(self, files: Sequence[HubFile], progress: Progress | None = None) -> None:
        """Download all files. A failure of one file does not stop the others; an error at the end lists them."""
        self._done, self._total = 0, sum(file.size for file in files)
        self._progress = progress
        failed: list[HubError] = []
        with ThreadPoolExecutor(self._parallelism, thread_name_prefix="vde-get") as pool:
            waiting = [pool.submit(self._fetch, file) for file in files]
            try:
                for future in as_completed(waiting):
                    try:
                        future.result()
                    except (HubBusyError, WrongBytesError) as error:
                        failed.append(error)
            except BaseException as error:  # Ctrl-C, a full disk, no permission: the others would fail too
                self._stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                if isinstance(error, OSError):
                    raise HubError(f"{self._place}: cannot be written: {error.strerror}") from None
                raise
        if failed:
            shown = "\n  ".join(str(error) for error in failed[:SHOWN])
            more = f"\n  … and {len(failed) - SHOWN} more" if len(failed) > SHOWN else ""
            raise HubError(
                f"{len(failed)} of {len(files)} files could not be downloaded:\n  {shown}{more}\n"
                "  run the same command again to resume"
            )

    def _fetch(self, file: HubFile) -> None:
        """Download one file; repeat once from the beginning if its bytes are wrong."""
        if self._stop.is_set():
            return
        place = self._place / file.path
        part = self._parts / f"{hashlib.sha256(file.path.encode()).hexdigest()[:16]}-{file.sha256 or file.git_sha1}"
        part.parent.mkdir(parents=True, exist_ok=True)
        for attempt in (1, 2):
            try:
                self._fill(file, part)
                if fault := file.fault(part):
                    raise WrongBytesError(f"{file.path}: {fault}: different from what the hub announces")
                break
            except WrongBytesError:
                self._add(-_size(part))
                part.unlink(missing_ok=True)
                if attempt == 2:
                    raise
        place.parent.mkdir(parents=True, exist_ok=True)
        part.replace(place)

    def _fill(self, file: HubFile, part: Path) -> None:
        """Complete a part; continue as long as new data arrives."""
        self._add(_size(part))
        attempts = 0
        while True:
            received = _size(part)
            if received >= file.size > 0:
                return
            try:
                if self._stream(file, part, received):
                    return
                error = HubBusyError(
                    f"{file.path}: the connection was lost after {_size(part):,} of {file.size:,} bytes"
                )
            except HubBusyError as busy:
                error = busy
            attempts = 1 if _size(part) > received else attempts + 1
            if attempts >= MAX_ATTEMPTS:
                raise error
            self._sleep(max(error.wait, 2.0 ** (attempts - 1)))

    def _stream(self, file: HubFile, part: Path, received: int) -> bool:
        """Append received data to a part; return whether it is complete."""
        with self._source.opened(file, self._commit, received) as (start, chunks):
            if start != received:
                self._add(start - received)
            with part.open("r+b" if start else "wb") as stream:
                stream.seek(start)
                stream.truncate()
                for chunk in chunks:
                    if self._stop.is_set():
                        raise HubAwayError("interrupted")
                    stream.write(chunk)
                    self._add(len(chunk))
                    if stream.tell() > file.size:
                        raise WrongBytesError(f"{file.path}: more than the {file.size:,} bytes that the hub announces")
        return _size(part) == file.size

    def _add(self, count: int) -> None:
        with self._guard:
            self._done += count
            if self._progress:
                self._progress(self._done, self._total)

    def _sleep(self, seconds: float) -> None:
        self._stop.wait(min(seconds, LONGEST_WAIT))


def retry_while_busy(call: Callable[[], T]) -> T:
    """Call a function, again while the hub is busy."""
    policy = RetryPolicy(MAX_ATTEMPTS, pause=1.0, longest_wait=LONGEST_WAIT)
    return policy.call(call, sleep=lambda seconds: rest(seconds))


def rest(seconds: float) -> None:
    """Sleep."""
    time.sleep(seconds)


def _size(part: Path) -> int:
    try:
        return part.stat().st_size
    except FileNotFoundError:
        return 0
