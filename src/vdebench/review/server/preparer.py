"""Creates and reads reference images in a child process, so that votes do not wait for it."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

from vdebench.errors import VdeError
from vdebench.review import listing
from vdebench.review.store import Store
from vdebench.review.workflow import WORKFLOW

log = logging.getLogger("vdebench.review.server")
EVERY_SECONDS = 2.0
FIRST_WAIT, LONGEST_WAIT = 30.0, 900.0
"""Seconds until a failed sample is retried: the first time, and at most."""
MOST_WORDS = 500
Wanted = tuple[str, int]
"""A sample and its round."""


class _Failure(NamedTuple):
    times: int
    again: float
    words: str


class Preparer:
    """Polls for samples without a reference image and starts a process for them, one at a time."""

    def __init__(
        self,
        store: Store,
        pool: Any,
        command: Sequence[str],
        environment: dict[str, str] | None = None,
        *,
        every: float = EVERY_SECONDS,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store, self.pool, self.command = store, pool, list(command)
        self.environment, self.every, self.ticks = environment or {}, every, ticks
        self.passes = 0
        self._ready: set[Wanted] = set()
        self._failed: dict[Wanted, _Failure] = {}
        self._stopping, self._thread = Event(), Thread(target=self._run, name="review-preparer", daemon=True)

    @classmethod
    def of(cls, store: Store, pool: Any, folder: Path, database: str | Path) -> Preparer:
        """Create a preparer for a workspace."""
        command = [sys.executable, "-m", "vdebench.review.server.child", str(folder.resolve())]
        told = str(database.resolve()) if isinstance(database, Path) else database
        return cls(store, pool, command, {"VDE_REVIEW_DATABASE": told})  # not as an argument: it may contain a password

    def __enter__(self) -> Preparer:
        """Start polling."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop polling and end the process."""
        self._stopping.set()
        self._thread.join()

    def unfinished(self) -> list[Wanted]:
        """Return the samples whose reference image is not ready yet."""
        waiting = [step.name for step in WORKFLOW.steps if step.image == "reference"]
        found = []
        for sample, round in listing.in_steps(self.store, waiting):
            if (sample, round) in self._ready or self._stopping.is_set():
                continue
            try:
                ready = self.pool.readings(sample, listing.agreed_boxes(self.store, sample)) is not None
            except (VdeError, KeyError):  # its edit is gone; the process reports the error
                ready = False
            if ready:
                self._ready.add((sample, round))
            else:
                found.append((sample, round))
        return found

    def run_once(self) -> bool:
        """Start a process if a sample is due; return whether one ran."""
        waiting = self.unfinished()
        self._failed = {each: self._failed[each] for each in waiting if each in self._failed}
        now = self.ticks()
        if all(each in self._failed and self._failed[each].again > now for each in waiting):
            return False
        self.passes += 1
        words, by_sample = self._pass()
        left = set(self.unfinished())
        failed = {each: known for each, known in self._failed.items() if each in left}
        for each in waiting:
            if each not in left:
                continue
            times = failed[each].times if each in failed else 0
            wait = min(FIRST_WAIT * 2**times, LONGEST_WAIT)
            why = by_sample.get(each[0]) or ("" if by_sample else words) or "no error message"
            failed[each] = _Failure(times + 1, self.ticks() + wait, why)
            log.warning("%s: preparation failed, next try in %.0f seconds: %s", each[0], wait, why)
        self._failed = failed
        return True

    def stuck(self) -> list[dict[str, str]]:
        """Return the samples that failed the last time, with the error."""
        return [{"id": sample, "words": failure.words[:MOST_WORDS]} for (sample, _), failure in self._failed.items()]

    def _run(self) -> None:
        while not self._stopping.wait(self.every):
            try:
                self.run_once()
            except Exception:
                log.exception("searching for samples to prepare failed")
                self._stopping.wait(FIRST_WAIT)

    def _pass(self) -> tuple[str, dict[str, str]]:
        """Run the process until it ends or the server stops; return its error output and the errors by sample."""
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as listed:
            try:
                child = subprocess.Popen(
                    self.command,
                    stdin=subprocess.PIPE,
                    stdout=listed,
                    stderr=said,
                    env={**os.environ, **self.environment},
                    start_new_session=True,  # Ctrl-C reaches only the server
                )
            except OSError as error:
                return str(error), {}
            try:
                while child.poll() is None and not self._stopping.wait(0.1):
                    pass
            finally:
                assert child.stdin is not None
                child.stdin.close()  # the process and its children exit by themselves
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(5)
                child.kill()
                child.wait()
            said.seek(0)
            listed.seek(0)
            words = said.read()[-2000:].decode("utf-8", "replace").strip() if child.returncode else ""
            return words, _failures(listed.read())


def _failures(told: bytes) -> dict[str, str]:
    """Read the errors by sample from the last line of output."""
    try:
        failed = json.loads(told.splitlines()[-1])["failed"]
        return {str(sample): str(words) for sample, words in failed.items()}
    except (LookupError, TypeError, ValueError, AttributeError):
        return {}
