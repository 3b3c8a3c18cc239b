"""A progress bar where someone is looking, a line a minute where a log is kept."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from vdebench.pipeline.options import Progress
from vdebench.report.provenance import duration

EVERY = 60.0
"""Seconds between lines of a log."""
COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeElapsedColumn(),
    TextColumn("left"),
    TimeRemainingColumn(),
)


@contextmanager
def progress_bars(*, quiet: bool = False) -> Iterator[Callable[[str], Progress | None]]:
    """Bars on standard error by title, each shown once something is done; lines where that is no terminal."""
    if quiet:
        yield lambda title: None
        return
    if not sys.stderr.isatty():
        yield lambda title: _Lines(title)
        return
    console = Console(stderr=True)
    # by default Rich forgets after 30 s how fast it went: an editor may need longer for a page
    with RichProgress(*COLUMNS, console=console, transient=True, speed_estimate_period=3600) as shown:
        tasks: dict[str, TaskID] = {}

        def bar(title: str) -> Progress:
            def tell(done: int, total: int) -> None:
                if title not in tasks:
                    tasks[title] = shown.add_task(title)
                shown.update(tasks[title], completed=done, total=total)

            return tell

        yield bar


class _Lines:
    """For logs: how far it is and how long it will take, once a minute."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._start = self._last = time.monotonic()
        self._first: int | None = None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = done - 1  # what was done before is no measure of speed
        if now - self._last < EVERY or done >= total:
            return
        self._last = now
        left = (now - self._start) / max(1, done - self._first) * (total - done)
        print(f"{self._title}: {done:,} of {total:,}, {duration(left)} left", file=sys.stderr, flush=True)


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator[Progress | None]:
    """One bar, shown at once."""
    with progress_bars(quiet=quiet) as bar:
        tell = bar(title)
        if tell:
            tell(0, 0)
        yield tell
