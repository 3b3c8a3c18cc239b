"""Retries with growing pauses, built on tenacity: one policy for readers, editors, judges and downloads."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Protocol, TypeVar, cast

import tenacity

Result = TypeVar("Result")
_WAIT = re.compile(r"(?:try again in|retry in|retryDelay\W+)\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s)\b", re.I)
_RESET = re.compile(r";\s*t=(\d+)")


class Failure(Protocol):
    """A failed attempt: an exception, or a result that represents a failure."""

    retryable: bool
    wait: float
    """Seconds to wait before the next attempt, as requested by the server; 0 if not."""


@dataclass(frozen=True)
class RetryPolicy:
    """Number of attempts and length of the pauses.

    >>> RetryPolicy(tries=3).call(lambda: 7)
    7
    """

    tries: int = 4
    timeouts: int = 1
    """Maximum number of attempts that time out: the server may still be working on each of them."""
    rate_limits: int = 0
    """Maximum number of attempts rejected by a rate limit (0: as many as `tries`)."""
    pause: float = 0.5
    """Seconds before the second attempt; doubled before each further one, plus or minus a quarter."""
    longest_pause: float = 60.0
    longest_wait: float = 120.0
    """Seconds. If a server requests a longer pause, there is no further attempt."""

    def call(
        self,
        attempt: Callable[[], Result],
        *,
        limit: float | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Result:
        """Return the result of the first successful attempt; `limit` is the time for all attempts, in seconds.

        A failed attempt raises an exception, or returns a result, with `retryable` set. The last failure is raised (or
        returned) with the number of attempts added to its reason.
        """
        return tenacity.Retrying(sleep=sleep, **self._rules(limit))(attempt)

    async def call_async(self, attempt: Callable[[], Awaitable[Result]]) -> Result:
        """Like `call`, for an asynchronous attempt."""
        return cast(Result, await tenacity.AsyncRetrying(sleep=asyncio.sleep, **self._rules(None))(attempt))

    def _rules(self, limit: float | None) -> dict[str, Any]:
        counts = {"timed_out": 0, "rate_limited": 0, "other": 0}
        most = {"timed_out": self.timeouts, "rate_limited": self.rate_limits or self.tries, "other": self.tries}

        def wait(state: tenacity.RetryCallState) -> float:
            failure = _failure(state)
            grown = min(self.pause * 2 ** (state.attempt_number - 1), self.longest_pause)
            return max(failure.wait, float(grown) * random.uniform(0.75, 1.25))

        def waits_too_long(state: tenacity.RetryCallState) -> bool:
            late = limit is not None and (state.seconds_since_start or 0.0) + state.upcoming_sleep > limit
            return late or _failure(state).wait > self.longest_wait

        def stop(state: tenacity.RetryCallState) -> bool:
            group = _group(_failure(state))
            counts[group] += 1
            over = counts[group] >= most[group] or state.attempt_number >= max(self.tries, self.rate_limits)
            return over or waits_too_long(state)

        def give_up(state: tenacity.RetryCallState) -> Any:
            failure = _failure(state)
            times = "once" if state.attempt_number == 1 else f"{state.attempt_number} times"
            pause = f"; the server asks for a pause of {failure.wait:.0f} s" if failure.wait else ""
            noted = getattr(failure, "noted", None)
            failure = noted(f"tried {times}{pause if waits_too_long(state) else ''}") if noted else failure
            if isinstance(failure, BaseException):
                raise failure from None
            return failure

        retry = tenacity.retry_if_exception(_is_retryable) | tenacity.retry_if_result(_is_retryable)
        return {"wait": wait, "stop": stop, "retry": retry, "retry_error_callback": give_up}


def _is_retryable(outcome: object) -> bool:
    return bool(getattr(outcome, "retryable", False))


def _failure(state: tenacity.RetryCallState) -> Failure:
    outcome = state.outcome
    assert outcome is not None  # tenacity calls this after an attempt
    return cast(Failure, outcome.exception() or outcome.result())


def _group(failure: Failure) -> str:
    """Return the limit that a failure counts against; an error response that mentions a timeout is not a timeout."""
    state = getattr(failure, "state", "")
    if state == "rate_limited" or (state == "timed_out" and getattr(failure, "lost", False)):
        return str(state)
    return "other"


def requested_wait(headers: Mapping[str, str], body: str = "") -> float:
    """Return the pause that a server requests in Retry-After (number or date), RateLimit, or its error message.

    >>> requested_wait({"retry-after": "2"}), requested_wait({"retry-after-ms": "1500"}), requested_wait({})
    (2.0, 1.5, 0.0)
    >>> requested_wait({"ratelimit": '"api";r=0;t=55'}), requested_wait({}, "Please try again in 350ms.")
    (55.0, 0.35)
    """
    retry_after = headers.get("retry-after", "")
    wait = _number(headers.get("retry-after-ms", "")) / 1000 or _number(retry_after) or _until(retry_after)
    if not 0 < wait < 1e6 and (reset := _RESET.search(headers.get("ratelimit", ""))):
        wait = float(reset[1])
    if not 0 < wait < 1e6 and (words := _WAIT.search(body)):
        wait = float(words["number"]) / (1000 if words["unit"].lower() == "ms" else 1)
    return wait if 0 < wait < 1e6 else 0.0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _until(date: str) -> float:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0
