"""Help texts of the options about output file names, and printing of warnings."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from vdebench.cli.printing import warn

MATCH_HELP = (
    "Pattern of the file names, if they differ from the reference images': `{stem}_edited.*`, `run1/{id}.png`,"
    " `{id:int}.png`; `{stem}` is the reference image's name, `*` anything but a slash. See docs/scoring.md."
)
STRICT_HELP = "Fail if a sample has no file or a file belongs to no sample."


@contextmanager
def printed_warnings() -> Iterator[None]:
    """Print warnings about output file names and journal lines on standard error, each message once."""
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
        """Print a message that was not printed before."""
        message = record.getMessage()
        if message not in self._seen:
            self._seen.add(message)
            warn(message)
