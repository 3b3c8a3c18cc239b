"""A progress bar where someone is looking."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress as RichProgress
from rich.progress import TaskID

from vdebench.scoring import Progress


@contextmanager
def progress_bars(*, quiet: bool = False) -> Iterator[Callable[[str], Progress | None]]:
    """Bars on standard error by title, each shown once something is done; none where that is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda title: None
        return
    with RichProgress(console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, TaskID] = {}

        def bar(title: str) -> Progress:
            def tell(done: int, total: int) -> None:
                if title not in tasks:
                    tasks[title] = shown.add_task(title)
                shown.update(tasks[title], completed=done, total=total)

            return tell

        yield bar


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator[Progress | None]:
    """One bar, shown at once."""
    with progress_bars(quiet=quiet) as bar:
        tell = bar(title)
        if tell:
            tell(0, 0)
        yield tell
