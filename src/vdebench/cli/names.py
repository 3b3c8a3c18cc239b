"""Names of outputs on the command line: options; and warnings, of names and of journals."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

MATCH_HELP = (
    "How files are named, where not as the reference images: `{stem}_edited.*`, `run1/{id}.png`, `{id:int}.png`;"
    " `{stem}` is the reference image's name, `*` anything but a slash. See docs/scoring.md."
)
STRICT_HELP = "Stop where a sample has no file, or a file belongs to no sample."


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Print warnings about names of outputs and lines of journals on standard error, each message once."""
    logs, handler = [logging.getLogger(f"vdebench.{name}") for name in ("names", "journal")], _Once()
    for log in logs:
        log.addHandler(handler)
    try:
        yield
    finally:
        for log in logs:
            log.removeHandler(handler)


class _Once(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self._seen: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message that is new."""
        message = record.getMessage()
        if message not in self._seen:
            self._seen.add(message)
            Console(stderr=True, highlight=False, soft_wrap=True).print(f"vde: {message}", markup=False)
