"""A short-lived record of samples that are being prepared."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

SECONDS, MOST = 2.0, 500


class PendingSamples:
    """Samples that were not ready recently, to be skipped by other requests."""

    def __init__(self, ticks: Callable[[], float]) -> None:
        self._ticks, self._until, self._lock = ticks, dict[str, float](), Lock()

    def add(self, sample: str) -> None:
        """Skip a sample for a moment."""
        with self._lock:
            self._until[sample] = self._ticks() + SECONDS

    def now(self) -> set[str]:
        """Return the samples to skip now."""
        with self._lock:
            now = self._ticks()
            lasting = {sample: until for sample, until in self._until.items() if until > now}
            self._until = dict(list(lasting.items())[-MOST:])
            return set(self._until)
