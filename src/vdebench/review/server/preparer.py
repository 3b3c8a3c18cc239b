"""Has finished images made and read that people wait for: by a process of its own, so that votes do not wait for it."""

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
"""Seconds until what failed is tried again: the first time, and at most."""
MOST_WORDS = 500
Wanted = tuple[str, int]
"""A sample and the round whose boxes were agreed on."""


class _Failure(NamedTuple):
    times: int
    again: float
    words: str


class Preparer:
    """Looks now and then for samples that wait to be finished, and starts a process for them; one at a time."""

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
        """For a workspace."""
        command = [sys.executable, "-m", "vdebench.review.server.child", str(folder.resolve())]
        told = str(database.resolve()) if isinstance(database, Path) else database
        return cls(store, pool, command, {"VDE_REVIEW_DATABASE": told})  # not an argument: it may hold a password

    def __enter__(self) -> Preparer:
        """Begin to look."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop; the process ends too."""
        self._stopping.set()
        self._thread.join()

    def unfinished(self) -> list[Wanted]:
        """What people wait for that is not made and read yet."""
        waiting = [step.name for step in WORKFLOW.steps if step.image == "reference"]
        found = []
        for sample, round in listing.in_steps(self.store, waiting):
            if (sample, round) in self._ready or self._stopping.is_set():
                continue
            try:
                ready = self.pool.readings(sample, listing.agreed_boxes(self.store, sample)) is not None
            except (VdeError, KeyError):  # its edit is gone: the process says what is wrong
                ready = False
            if ready:
                self._ready.add((sample, round))
            else:
                found.append((sample, round))
        return found

    def look(self) -> bool:
        """Start a process where something waits whose time has come; whether one ran."""
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
            why = by_sample.get(each[0]) or ("" if by_sample else words) or "no word why"
            failed[each] = _Failure(times + 1, self.ticks() + wait, why)
            log.warning("%s: not finished, tried again in %.0f seconds: %s", each[0], wait, why)
        self._failed = failed
        return True

    def stuck(self) -> list[dict[str, str]]:
        """What could not be finished when it was last tried, and why."""
        return [{"id": sample, "words": failure.words[:MOST_WORDS]} for (sample, _), failure in self._failed.items()]

    def _run(self) -> None:
        while not self._stopping.wait(self.every):
            try:
                self.look()
            except Exception:
                log.exception("looking for samples to finish failed")
                self._stopping.wait(FIRST_WAIT)

    def _pass(self) -> tuple[str, dict[str, str]]:
        """Run the process to its end, or to ours; what it says where it fails, in all and of samples."""
        with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as listed:
            try:
                child = subprocess.Popen(
                    self.command,
                    stdin=subprocess.PIPE,
                    stdout=listed,
                    stderr=said,
                    env={**os.environ, **self.environment},
                    start_new_session=True,  # Ctrl-C is for the server
                )
            except OSError as error:
                return str(error), {}
            try:
                while child.poll() is None and not self._stopping.wait(0.1):
                    pass
            finally:
                assert child.stdin is not None
                child.stdin.close()  # it ends by itself, and all that it has started
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(5)
                child.kill()
                child.wait()
            said.seek(0)
            listed.seek(0)
            words = said.read()[-2000:].decode("utf-8", "replace").strip() if child.returncode else ""
            return words, _failures(listed.read())


def _failures(told: bytes) -> dict[str, str]:
    """Why samples could not be finished, by the last line of what a process has told."""
    try:
        failed = json.loads(told.splitlines()[-1])["failed"]
        return {str(sample): str(words) for sample, words in failed.items()}
    except (LookupError, TypeError, ValueError, AttributeError):
        return {}
