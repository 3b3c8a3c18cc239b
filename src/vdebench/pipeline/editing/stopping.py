"""An end before the end: Ctrl-C, no money left, or an editor that cannot be used. What is under way is finished."""

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
    """Whether no more work is to be given out, and why."""

    def __init__(self) -> None:
        self.reason = ""
        self.interrupted = False
        self._asked = threading.Event()

    def now(self, reason: str) -> None:
        """Give out no more; the first reason counts."""
        self.reason = self.reason or reason
        self._asked.set()

    @property
    def asked(self) -> bool:
        """Whether someone did."""
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleep, unless it is time to stop."""
        return self._asked.wait(seconds)

    def until(self, items: Iterable[Item]) -> Iterator[Item]:
        """Items as long as work is given out.

        >>> stop = Stop()
        >>> for item in stop.until([1, 2, 3]):
        ...     stop.now("enough")
        ...     print(item)
        1
        """
        for item in items:
            if self.asked:
                return
            yield item


@contextmanager
def stopped_by_ctrl_c(stop: Stop) -> Iterator[None]:
    """The first Ctrl-C lets what is under way finish, the second does not."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def first(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # not `before`: a job in the background ignores it
        print("\nstopping: what is under way is finished and kept; Ctrl-C again to end at once", file=sys.stderr)
        stop.interrupted = True
        stop.now("interrupted")

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
