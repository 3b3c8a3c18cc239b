"""A progress bar where someone is looking."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress as RichProgress

from vdebench.scoring import Progress


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator[Progress | None]:
    """A bar on standard error, told of what is done; nothing where that is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with RichProgress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
