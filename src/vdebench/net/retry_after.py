"""The pause that a server asks for before the next request."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def asked_wait(headers: Mapping[str, str]) -> float:
    """Seconds that a server asks to wait: Retry-After as a number or a date, or the milliseconds some send.

    >>> asked_wait({"retry-after": "2"}), asked_wait({"retry-after-ms": "1500"}), asked_wait({})
    (2.0, 1.5, 0.0)
    """
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        told = headers.get(name, "")
        try:
            number = float(told) / scale if told else 0.0
        except ValueError:
            number = _until(told)
        if 0 < number < 1e6:
            return number
    return 0.0


def _until(date: str) -> float:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0
