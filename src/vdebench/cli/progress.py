"""Progress bars on a terminal; elsewhere one line per minute."""

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

LOG_INTERVAL = 60.0
"""Seconds between progress lines."""
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
    """Yield a function that returns the progress callback of a title: bars on a terminal, otherwise log lines."""
    if quiet:
        yield lambda title: None
        return
    if not sys.stderr.isatty():
        yield lambda title: _ProgressLog(title)
        return
    console = Console(stderr=True)
    # Rich estimates the speed from the last 30 s by default: an editor may need longer for one page
    with RichProgress(*COLUMNS, console=console, transient=True, speed_estimate_period=3600) as rich_progress:
        tasks: dict[str, TaskID] = {}

        def bar(title: str) -> Progress:
            def update(done: int, total: int) -> None:
                if title not in tasks:
                    tasks[title] = rich_progress.add_task(title)
                rich_progress.update(tasks[title], completed=done, total=total)

            return update

        yield bar


class _ProgressLog:
    """Prints the number of finished items and the remaining time, once a minute."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._start = self._last = time.monotonic()
        self._first: int | None = None

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = done - 1  # items finished before the start do not count for the speed
        if now - self._last < LOG_INTERVAL or done >= total:
            return
        self._last = now
        left = (now - self._start) / max(1, done - self._first) * (total - done)
        print(f"{self._title}: {done:,} of {total:,}, {duration(left)} left", file=sys.stderr, flush=True)


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator[Progress | None]:
    """Yield the callback of one bar, which is visible from the start."""
    with progress_bars(quiet=quiet) as bar:
        update = bar(title)
        if update:
            update(0, 0)
        yield update
