"""Responses (data, file or error) and strict JSON parsing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from vdebench.review.refusals import Reason, Refusal

DEEPEST = 20
LARGEST_NUMBER = 2**53
STATUS_OF = {Reason.MALFORMED: 400, Reason.UNKNOWN_SAMPLE: 404, Reason.BUSY: 503}
"""HTTP status of refusals; 409 for all others."""


@dataclass(frozen=True, slots=True)
class ApiReply:
    """A response."""

    status: int = 200
    data: Any = None
    """Sent as JSON, unless None."""
    content: bytes | None = None
    file: Path | None = None
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    def body(self) -> bytes:
        """Return the body of a response without a file."""
        if self.content is not None:
            return self.content
        if self.data is None:
            return b""
        told = json.dumps(self.data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return told.encode("utf-8", "backslashreplace")


class ReplyError(Exception):
    """An exception that carries a response."""

    def __init__(self, reply: ApiReply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def problem(status: int, error: str, words: str, **headers: str) -> ApiReply:
    """Return an error response with a code and a message."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ApiReply(status, {"error": error, "words": words}, headers=named)


def fail(status: int, error: str, words: str, **headers: str) -> NoReturn:
    """Raise an error response."""
    raise ReplyError(problem(status, error, words, **headers))


def refused(refusal: Refusal) -> ApiReply:
    """Return the response for a refusal of the rules."""
    if refusal.reason is Reason.UNKNOWN_SAMPLE:
        return UNKNOWN_SAMPLE
    more = {"Retry_After": "1"} if refusal.reason is Reason.BUSY else {}
    return problem(STATUS_OF.get(refusal.reason, 409), str(refusal.reason), refusal.words, **more)


UNKNOWN_SAMPLE = problem(404, str(Reason.UNKNOWN_SAMPLE), "no such sample")
NOT_FOUND = problem(404, "not_found", "not found")
NOTHING = ApiReply(204)


def object_from(content: bytes) -> dict[str, Any]:
    """Parse a JSON object strictly: no duplicate keys, no NaN or infinity, limited depth.

    >>> object_from(b'{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    try:
        told = json.loads(
            content.decode("utf-8"),
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_no_key_twice,
        )
    except RecursionError:
        fail(400, "malformed", "the body is nested too deeply")
    except ValueError as error:  # invalid JSON or UTF-8
        fail(400, "malformed", f"the body is not JSON: {error}"[:200])
    if not isinstance(told, dict):
        fail(400, "malformed", f"the body is {type(told).__name__}, expected an object")
    if _depth(told) > DEEPEST:
        fail(400, "malformed", "the body is nested too deeply")
    return told


def text_of(body: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    """Return a text field of a body."""
    found = body.get(name, None if needed else "")
    if not isinstance(found, str):
        fail(400, "malformed", f"{name} is {'missing' if found is None else 'not text'}, expected text")
    return found


def only(body: Mapping[str, Any], *names: str) -> None:
    """Refuse a body with other fields."""
    for name in body:
        if name not in names:
            fail(400, "malformed", f"{name!r}"[:100] + f" is not known, expected {', '.join(names) or 'nothing'}")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    if not isfinite(value := float(text)):
        raise ValueError("a number is too large")
    return value


def _whole(text: str) -> int:
    if len(text) > 20 or abs(value := int(text)) > LARGEST_NUMBER:
        raise ValueError("a number is too large")
    return value


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("an object has a duplicate key")
    return told


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level:
        deepest += 1
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())
        ]
    return deepest
