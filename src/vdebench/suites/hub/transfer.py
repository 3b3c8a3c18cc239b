"""Fetching files: several at once, each in parts that a later call goes on with, each verified before it counts."""

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

AT_ONCE = 8
TRIES = 5
"""In a row without a new byte."""
LONGEST_WAIT = 300.0
SHOWN = 5
T = TypeVar("T")
Progress = Callable[[int, int], object]


class ByteSource(Interface):
    """Where bytes come from: a `Repository`."""

    def opened(self, file: HubFile, commit: str, start: int) -> AbstractContextManager[tuple[int, Iterator[bytes]]]:
        """A file's bytes from `start` on, or from 0: where they begin, and the bytes."""


class Fetcher:
    """Fetches files of one commit into `place`, by way of `parts`."""

    def __init__(self, source: ByteSource, commit: str, place: Path, parts: Path, *, at_once: int = AT_ONCE) -> None:
        self._source = source
        self._commit = commit
        self._place = place
        self._parts = parts
        self._at_once = at_once
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self._done = 0
        self._total = 0
        self._progress: Progress | None = None

    def fetch(self, files: Sequence[HubFile], progress: Progress | None = None) -> None:
        """Fetch all of them. What fails for itself does not keep the others; an error at the end names it."""
        self._done, self._total = 0, sum(file.size for file in files)
        self._progress = progress
        failed: list[HubError] = []
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="vde-get") as pool:
            waiting = [pool.submit(self._fetch, file) for file in files]
            try:
                for future in as_completed(waiting):
                    try:
                        future.result()
                    except (HubBusyError, WrongBytesError) as error:
                        failed.append(error)
            except BaseException as error:  # Ctrl-C, a full disk, no permission: nothing else would fare better
                self._stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                if isinstance(error, OSError):
                    raise HubError(f"{self._place}: cannot be written: {error.strerror}") from None
                raise
        if failed:
            shown = "\n  ".join(str(error) for error in failed[:SHOWN])
            more = f"\n  … and {len(failed) - SHOWN} more" if len(failed) > SHOWN else ""
            raise HubError(
                f"{len(failed)} of {len(files)} files could not be fetched:\n  {shown}{more}\n"
                "  run the same command again: it goes on where it is"
            )

    def _fetch(self, file: HubFile) -> None:
        """One file; a second time from its beginning where its bytes turn out wrong."""
        if self._stop.is_set():
            return
        place = self._place / file.path
        part = self._parts / f"{hashlib.sha256(file.path.encode()).hexdigest()[:16]}-{file.sha256 or file.git_sha1}"
        part.parent.mkdir(parents=True, exist_ok=True)
        for attempt in (1, 2):
            try:
                self._fill(file, part)
                if fault := file.fault(part):
                    raise WrongBytesError(f"{file.path}: {fault}: not the bytes that the hub announces")
                break
            except WrongBytesError:
                self._add(-_size(part))
                part.unlink(missing_ok=True)
                if attempt == 2:
                    raise
        place.parent.mkdir(parents=True, exist_ok=True)
        part.replace(place)

    def _fill(self, file: HubFile, part: Path) -> None:
        """Bring a part to its full size, going on as long as new bytes come."""
        self._add(_size(part))
        tries = 0
        while True:
            had = _size(part)
            if had >= file.size > 0:
                return
            try:
                if self._stream(file, part, had):
                    return
                error = HubBusyError(f"{file.path}: the line was cut after {_size(part):,} of {file.size:,} bytes")
            except HubBusyError as busy:
                error = busy
            tries = 1 if _size(part) > had else tries + 1
            if tries >= TRIES:
                raise error
            self._sleep(max(error.wait, 2.0 ** (tries - 1)))

    def _stream(self, file: HubFile, part: Path, had: int) -> bool:
        """Add what comes to a part; whether it is whole now."""
        with self._source.opened(file, self._commit, had) as (start, chunks):
            if start != had:
                self._add(start - had)
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


def patiently(ask: Callable[[], T]) -> T:
    """The answer to a question, asked again while the hub is busy."""
    return RetryPolicy(TRIES, pause=1.0, longest_wait=LONGEST_WAIT).call(ask, sleep=lambda seconds: rest(seconds))


def rest(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


def _size(part: Path) -> int:
    try:
        return part.stat().st_size
    except FileNotFoundError:
        return 0
