"""Early stops: Ctrl-C, exhausted budget, or an unusable editor. Edits in progress are finished."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

Item = TypeVar("Item")


class Stop:
    """A request to start no more jobs, with its reason."""

    def __init__(self) -> None:
        self.reason = ""
        self.interrupted = False
        self._event = threading.Event()

    def now(self, reason: str) -> None:
        """Request a stop; the first reason counts."""
        self.reason = self.reason or reason
        self._event.set()

    @property
    def requested(self) -> bool:
        """Whether a stop was requested."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep until a stop is requested; return whether it was."""
        return self._event.wait(seconds)

    def until(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items until a stop is requested.

        >>> stop = Stop()
        >>> for item in stop.until([1, 2, 3]):
        ...     stop.now("enough")
        ...     print(item)
        1
        """
        for item in items:
            if self.requested:
                return
            yield item


@contextmanager
def stopped_by_ctrl_c(stop: Stop) -> Iterator[None]:
    """Request a stop at the first Ctrl-C; the second one interrupts edits in progress."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def first(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # not `before`: background jobs ignore SIGINT
        print(
            "\nstopping: edits in progress are finished and kept; press Ctrl-C again to stop at once", file=sys.stderr
        )
        stop.interrupted = True
        stop.now("interrupted")

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
