"""Samples that are being prepared, remembered for a moment."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

SECONDS, MOST = 2.0, 500


class PendingSamples:
    """Samples that were not ready a moment ago, so that nobody else has to find that out."""

    def __init__(self, ticks: Callable[[], float]) -> None:
        self._ticks, self._until, self._lock = ticks, dict[str, float](), Lock()

    def add(self, sample: str) -> None:
        """Pass it over for a moment."""
        with self._lock:
            self._until[sample] = self._ticks() + SECONDS

    def now(self) -> set[str]:
        """Those that are passed over now."""
        with self._lock:
            now = self._ticks()
            lasting = {sample: until for sample, until in self._until.items() if until > now}
            self._until = dict(list(lasting.items())[-MOST:])
            return set(self._until)
