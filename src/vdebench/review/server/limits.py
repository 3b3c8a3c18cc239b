"""Rate limits in memory: a token bucket, and attempts per minute."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import ceil
from threading import Lock

MINUTE = 60.0
_MANY = 5_000
"""Above this number of keys, expired ones are dropped."""


class TokenBuckets:
    """Token bucket per key: an average rate with bursts.

    >>> time = 0.0
    >>> buckets = TokenBuckets(2, 3, lambda: time)
    >>> [buckets.wait("anna") for _ in range(4)]
    [0, 0, 0, 1]
    >>> time = 0.5
    >>> buckets.wait("anna"), buckets.wait("anna")
    (0, 1)
    """

    def __init__(self, per_second: float, burst: int, ticks: Callable[[], float]) -> None:
        self.per_second, self.burst, self._ticks = per_second, burst, ticks
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def wait(self, key: str) -> int:
        """Return 0 if a request is allowed, else the seconds to wait."""
        with self._lock:
            now = self._ticks()
            left, last = self._left.get(key, (float(self.burst), now))
            left = min(float(self.burst), left + (now - last) * self.per_second)
            if left < 1:
                self._left[key] = left, now
                return max(1, ceil((1 - left) / self.per_second))
            if key not in self._left and len(self._left) >= _MANY:
                self._drop_full(now)
            self._left[key] = left - 1, now
            return 0

    def _drop_full(self, now: float) -> None:
        full = self.burst / self.per_second
        self._left = {key: (left, last) for key, (left, last) in self._left.items() if now - last < full}


class AttemptLimit:
    """Attempts per minute, per key.

    >>> time = 0.0
    >>> tries = AttemptLimit(2, lambda: time)
    >>> tries.wait("anna"), tries.wait("anna"), tries.wait("anna")
    (0, 0, 60)
    >>> time = 61.0
    >>> tries.wait("anna")
    0
    """

    def __init__(self, most: int, ticks: Callable[[], float]) -> None:
        self.most, self._ticks = most, ticks
        self._made: dict[str, deque[float]] = {}
        self._lock = Lock()

    def wait(self, key: str) -> int:
        """Count an attempt and return 0 if it is allowed, else the seconds to wait."""
        with self._lock:
            now = self._ticks()
            if key not in self._made and len(self._made) >= _MANY:
                self._made = {name: made for name, made in self._made.items() if made and now - made[-1] < MINUTE}
            made = self._made.setdefault(key, deque())
            while made and now - made[0] >= MINUTE:
                made.popleft()
            if len(made) >= self.most:
                return max(1, ceil(MINUTE - (now - made[0])))
            made.append(now)
            return 0

    def forget(self, key: str) -> None:
        """Reset a key."""
        with self._lock:
            self._made.pop(key, None)
