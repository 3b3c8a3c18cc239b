"""What servers answer when they do not answer: statuses and broken connections as typed answers with advice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vdebench.errors import VdeError
from vdebench.io.files import parse_json
from vdebench.net.addresses import excerpt
from vdebench.net.answer import ModelAnswer
from vdebench.net.retry_after import asked_wait

_PASSING = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 522, 524, 529})
_TOO_LARGE = re.compile(
    r"context[_ ]length|maximum context|too[_ ](large|long|big|many (tokens|images))|string_above_max_length"
    r"|exceeds? the (maximum|limit)|max(imum)? (image|payload|request) size",
    re.IGNORECASE,
)
_POLICY = re.compile(r"content_policy|content_filter|content management policy|safety system", re.IGNORECASE)
_NO_MONEY = re.compile(r"insufficient_quota|billing_hard_limit|credit balance is too low", re.IGNORECASE)
_WAIT = re.compile(
    r"(?:try again in|retry in|retryDelay\W+)\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s)\b", re.IGNORECASE
)
_SAMPLING = re.compile(r"temperature", re.IGNORECASE)


def of_status(status: int, headers: Mapping[str, str], body: str) -> ModelAnswer:
    """What an HTTP status other than success means for a question."""
    told = f"HTTP {status}: {_message(body)}"
    match status:
        case 401 | 403:
            return ModelAnswer("failed", reason=f"{told}\n  the server wants a key, or another one", fatal=True)
        case 402:
            return ModelAnswer("failed", reason=f"{told}\n  the account has no money left", fatal=True)
        case 429 if _NO_MONEY.search(body):
            return ModelAnswer("rate_limited", reason=f"{told}\n  the account has no money left", fatal=True)
        case 429:
            return ModelAnswer("rate_limited", reason=told, passing=True, wait=asked_wait(headers) or _wait_in(body))
        case 413:
            return ModelAnswer("too_large", reason=f"{told}\n  send smaller images: --image-size PIXELS")
        case 400 | 422 if _TOO_LARGE.search(body):
            return ModelAnswer("too_large", reason=f"{told}\n  send smaller images: --image-size PIXELS")
        case 400 | 422 if _POLICY.search(body):
            return ModelAnswer("refused", reason=told)
        case 400 | 422 if _SAMPLING.search(body):
            advice = "the model takes no such temperature: --temperature default"
            return ModelAnswer("failed", reason=f"{told}\n  {advice}")
        case 400 | 422:
            return ModelAnswer("failed", reason=told, may_be_the_schema=True)
        case 404 | 405:
            advice = "nothing is served under this name or address: mend --judge or --base-url"
            return ModelAnswer("failed", reason=f"{told}\n  {advice}")
        case 408 | 504:
            return ModelAnswer("timed_out", reason=told, passing=True, wait=asked_wait(headers))
        case _:
            return ModelAnswer("failed", reason=told, passing=status in _PASSING, wait=asked_wait(headers))


def _wait_in(body: str) -> float:
    """Seconds to wait, where a server says so in words.

    >>> _wait_in("Please try again in 350ms."), _wait_in('{"retryDelay": "34s"}'), _wait_in("later")
    (0.35, 34.0, 0.0)
    """
    found = _WAIT.search(body)
    return float(found["number"]) / (1000 if found["unit"].lower() == "ms" else 1) if found else 0.0


def _message(body: str) -> str:
    """What a server says in words: most put it in `error.message`."""
    try:
        told: Any = parse_json(body.encode("utf-8", "replace"), "the answer")
    except VdeError:
        told = None
    if isinstance(told, list) and told:
        told = told[0]
    for key in ("error", "message", "detail"):
        told = told[key] if isinstance(told, dict) and key in told else told
    return excerpt(told if isinstance(told, str) else body, 300) or "no message"


def timed_out(limit: float) -> ModelAnswer:
    """No answer in time."""
    return ModelAnswer(
        "timed_out", reason=f"no answer in {limit:g} seconds; give more with --timeout", passing=True, lost=True
    )


def broken(error: BaseException) -> ModelAnswer:
    """A connection that failed or broke."""
    cause = error.__cause__ or error
    words = excerpt(str(cause)) or type(cause).__name__
    return ModelAnswer("failed", reason=f"no answer: {words}", passing=True, lost="Connect" not in type(cause).__name__)


def no_answer_in(what: str, body: str) -> ModelAnswer:
    """Something came with the status of success that is no answer: a broken proxy, half a body."""
    return ModelAnswer("failed", reason=f"{what}: {excerpt(body) or 'nothing came'}", passing=True, lost=True)
