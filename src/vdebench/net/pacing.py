"""Rate limits: a fixed number of requests per minute, or an adaptive number of concurrent requests."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import median

FIRST = 4
_GROWTH = 0.5
"""Growth of the window per round after the server's limit was reached."""
_CUT = 0.9
"""Factor of the window after a slow round; small cuts repeat, a large one would leave the server idle."""
_SLOW = 2.5
"""Ratio to the fastest round from which a server counts as overloaded."""
_LEAST = 8
"""Minimum number of answers in a round."""
_ROUNDS = 50
"""Number of rounds among which the fastest is searched."""


class RateLimit:
    """A thread-safe limit of requests per minute, evenly spread; 0 for no limit.

    >>> rate = RateLimit(600)
    >>> rate.delay(), 0.05 < rate.delay() <= 0.1
    (0.0, True)
    """

    def __init__(self, per_minute: float) -> None:
        self._gap = 60 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def delay(self) -> float:
        """Reserve the next request; return the seconds until it."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._gap
        return turn - now


class RequestWindow:
    """An adaptive limit of concurrent requests: it doubles every round until the first rejection, then grows slowly.

    Every rejected request reduces the window by one, so it converges to the number that the server accepts, at least
    one. Timeouts and slow answers cut it by a tenth, once for all requests in progress at that time.
    """

    def __init__(self, most: int = 64) -> None:
        self.most = max(1, most)
        self.window = float(min(FIRST, self.most))
        self.under_way = 0
        self.cuts = 0
        self._starting = True
        self._last_cut = 0.0
        self._resume_at = 0.0
        self._refusals = 0
        self._known_good = 0.0
        self._round: list[float] = []
        self._round_size = _LEAST
        self._quickest: deque[float] = deque(maxlen=_ROUNDS)
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[float]:
        """Wait for a free slot and the end of a pause; yield the time at which the request is sent."""
        async with self._changed:
            while True:
                if (rest := self._resume_at - time.monotonic()) > 0:
                    self._changed.release()
                    try:
                        await asyncio.sleep(rest)
                    finally:
                        await self._changed.acquire()
                elif self.under_way < int(self.window):
                    break
                else:
                    await self._changed.wait()
            self.under_way += 1
        try:
            yield time.monotonic()
        finally:
            async with self._changed:
                self.under_way -= 1
                self._changed.notify(max(1, int(self.window) - self.under_way))

    def answered(self, sent: float) -> None:
        """Record an answer."""
        self._refusals = 0
        took = time.monotonic() - sent
        self._round.append(took)
        if not self._is_slow(took):
            self._grow()
        if len(self._round) >= self._round_size:
            self._end_round()

    def _grow(self) -> None:
        if self._starting or self.window < self._known_good:
            self.window += 1  # doubles in a round
        elif self.under_way >= int(self.window) - 1:
            self.window += _GROWTH / self.window
        self.window = min(self.window, float(self.most))

    def _end_round(self) -> None:
        usual = median(self._round)
        self._round.clear()
        self._round_size = max(_LEAST, int(self.window))
        if self._is_slow(usual) and self.window > FIRST:
            self._cut(time.monotonic())
        self._quickest.append(usual)

    def _is_slow(self, took: float) -> bool:
        return bool(self._quickest) and took > _SLOW * min(self._quickest)

    def timed_out(self, sent: float) -> None:
        """Record a timeout."""
        if sent >= self._last_cut:
            self._cut(time.monotonic())

    def rejected(self, wait: float = 0.0) -> None:
        """Record a rejection because of a rate limit, with the pause that the server requests."""
        self._starting = False
        if not self._refusals:
            self._known_good = self.window / 2  # fast growth up to here after a short outage
        self._refusals += 1
        self.window = max(1.0, self.window - 1)
        if self._refusals > max(2, self.window / 2):  # all requests are rejected: pause
            self._resume_at = max(self._resume_at, time.monotonic() + wait)

    def _cut(self, now: float) -> None:
        self._starting = False
        self._last_cut = now
        self.cuts += 1
        self.window = max(1.0, self.window * _CUT)
