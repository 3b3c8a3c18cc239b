"""Failed requests: one exception with the kind of failure, the reason, the remedy, and whether to retry.

Failures are classified here for all servers; the remedy depends on the user's options, so readers, editors and judges
pass the client their own advice by kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from vdebench.net.addresses import excerpt, redacted
from vdebench.net.retries import requested_wait

Kind: TypeAlias = Literal[
    "connection",  # no connection
    "broken",  # the connection broke
    "timeout",  # no answer within the timeout
    "too_long",  # the answer is too large or cannot be decompressed
    "redirect",  # the server redirects to another host
    "key",  # missing, invalid or unauthorised key
    "wall",  # a proxy or firewall rejects the request
    "money",  # the account is empty
    "quota",  # the quota of the day is used up
    "address",  # unknown address or model name
    "busy",  # too many requests
    "server",  # the server failed
    "size",  # the request is too large
    "policy",  # the content is refused
    "temperature",  # the model does not accept this temperature
    "request",  # the server rejects the request for another reason
    "answer",  # invalid answer
    "closed",  # the client was closed
]
State: TypeAlias = Literal["refused", "rate_limited", "timed_out", "too_large", "failed"]

FATAL: frozenset[Kind] = frozenset({"key", "money", "quota", "address", "redirect"})
"""Failures that every other request would have too."""
RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""HTTP statuses after which the same request may succeed."""
ADVICE: Mapping[Kind, str] = MappingProxyType(
    {
        "connection": "is the server running, and is its address right?",
        "broken": "see the server's log, then run again",
        "timeout": "increase the option timeout=SECONDS, or send fewer requests at once",
        "too_long": "see the server's log",
        "redirect": "requests and keys are not sent to another host: if that address is right, use it as the address",
        "key": "the server requires a key, or a different one",
        "wall": "a proxy or firewall in front of the server rejects the request",
        "money": "the account has no money or quota left; finished work is kept, so run again later",
        "quota": "the day's quota is used up; finished work is kept, so run again tomorrow",
        "address": "the server does not know this address or model name: correct them",
        "busy": "the server is overloaded: run again later, or with fewer requests at once",
        "server": "see the server's log or status page; finished work is kept, so run again when it works",
        "size": "the request is too large for the server: send fewer pixels, or raise its limit",
        "temperature": "the model does not accept this temperature",
        "request": "the server does not accept this request: check the model and the options",
        "answer": "is the address right? See the server's log",
        "closed": "run again",
    }
)
_BUSY_CODE = re.compile(r"rate.?limit|throttl|server.?error|internal|overload|timeout|unavailable|exhausted", re.I)
_MONEY = re.compile(  # not "billing" alone: Gemini mentions it for every rate limit
    r"insufficient_quota|billing_(hard_limit|not_active)|credit balance|arrearage|insufficient credits|AccountOverdue",
    re.I,
)
_QUOTA = re.compile(r'"quotaId"\s*:\s*"[^"]*PerDay', re.I)
_KEY = re.compile(r"API_KEY_INVALID|API key not valid|invalid.?api.?key|incorrect api key", re.I)
_MODEL = re.compile(r"model_?not_?found|InvalidEndpointOrModel|model.{0,60}(does not|not) exist", re.I)
_SIZE = re.compile(
    r"context[_ ]length|maximum context|too[_ ](large|long|big|many (tokens|images))|string_above_max_length"
    r"|exceeds? the (maximum|limit)|max(imum)? (image|payload|request) size",
    re.I,
)
_POLICY_CODE = re.compile(
    r"moderation|content_?policy|content_?filter|SensitiveContent|RiskDetection|data_?inspection", re.I
)
_POLICY_WORDS = re.compile(r"safety system|content (management )?policy|content moderation", re.I)


class RequestError(Exception):
    """A failed request. `str(error)` is the reason, with the remedy on a second line."""

    def __init__(
        self,
        kind: Kind,
        reason: str,
        advice: str = "",
        *,
        status: int = 0,
        retryable: bool = False,
        wait: float = 0.0,
        lost: bool = False,
    ) -> None:
        super().__init__(f"{reason}\n  {advice}" if advice else reason)
        self.kind, self.reason, self.advice, self.status, self.wait = kind, reason, advice, status, wait
        self.retryable = retryable
        """Whether the same request may succeed later."""
        self.lost = lost
        """Whether the request was sent but not answered, so that it may be charged."""
        self.message: ServerMessage | None = None
        """The error message of the server, if it sent one."""
        self.body: Any = None
        """The JSON body of the response."""

    @property
    def fatal(self) -> bool:
        """Whether every other request would fail too."""
        return self.kind in FATAL

    @property
    def state(self) -> State:
        """The failure as a state of a sample."""
        if self.kind == "policy":
            return "refused"
        if self.kind == "size":
            return "too_large"
        if self.status == 429:
            return "rate_limited"
        return "timed_out" if self.kind == "timeout" or self.status in (408, 504) else "failed"

    def noted(self, note: str) -> RequestError:
        """Return a copy that is not retryable, with a note appended to the reason."""
        about: Any = {"status": self.status, "wait": self.wait, "lost": self.lost}
        return RequestError(self.kind, f"{self.reason} ({note})", self.advice, **about)


class ServerMessage(NamedTuple):
    """An error message of a server."""

    code: str
    words: str
    flagged: bool = False
    """Whether a moderation filter flagged the request."""

    @property
    def is_refusal(self) -> bool:
        """Whether the content is refused, so that a retry is useless."""
        return bool(self.flagged or _POLICY_CODE.search(self.code) or _POLICY_WORDS.search(self.words))


def message_in(body: Any) -> ServerMessage | None:
    """Return the error in a JSON body of any status; None if there is none.

    >>> message_in({"error": {"code": "moderation_blocked", "message": "no"}}).is_refusal
    True
    >>> message_in({"code": "Throttling", "message": "slower", "request_id": "1"})
    ServerMessage(code='Throttling', words='slower', flagged=False)
    >>> message_in({"data": [], "error": None})
    """
    if isinstance(body, list) and body:  # Gemini's errors, wrapped in a list by a proxy
        body = body[0]
    if not isinstance(body, dict):
        return None
    error = body.get("error") or body.get("errors")
    if not error and (body.get("object") == "error" or (body.get("code") and body.get("message"))):
        error = body
    if not error:
        return None
    if not isinstance(error, dict):
        return ServerMessage("", excerpt(str(error), 300))
    code = next((str(error[key]) for key in ("code", "status", "type") if error.get(key)), "")
    if code.isdigit() and error.get("status"):  # Gemini's code is the HTTP status; its status is more specific
        code = f"{code} {error['status']}"
    about = error.get("metadata")
    flagged = isinstance(about, dict) and bool(about.get("reasons") or about.get("flagged_input"))
    words = next((str(error[key]) for key in ("message", "detail", "msg") if error.get(key)), "")
    return ServerMessage(code, excerpt(words, 300), flagged)


def status_error(
    status: int,
    headers: Mapping[str, str],
    body: str,
    message: ServerMessage | None,
    advice: Mapping[Kind, str] = ADVICE,
) -> RequestError:
    """Classify an unsuccessful status, or an error message in a successful response.

    >>> status_error(429, {"retry-after": "7"}, "slow down", None).wait
    7.0
    >>> status_error(400, {}, "", ServerMessage("context_length_exceeded", "no")).kind
    'size'
    """
    if 200 <= status < 300 and message and 300 <= (inner := _number(message.code)) < 600:
        return status_error(inner, headers, body, message, advice)
    words = message.words if message and message.words else excerpt(body, 300) or "no message"
    if 300 <= status < 400 and (location := headers.get("location")):
        words = f"redirects to {excerpt(redacted(location))}"
    code = f" ({message.code})" if message and message.code and message.code != str(status) else ""
    kind = _kind(status, body, message)
    retryable = kind in ("busy", "server") and (status in RETRYABLE or 200 <= status < 300)
    wait = requested_wait(headers, body) if retryable else 0.0
    reason = f"HTTP {status}{code}: {words}"
    error = RequestError(kind, reason, advice.get(kind, ""), status=status, retryable=retryable, wait=wait)
    error.message = message
    return error


def _kind(status: int, body: str, message: ServerMessage | None) -> Kind:
    words = f"{message.code} {message.words}" if message else ""
    if status == 402 or _MONEY.search(words):
        return "money"
    if status == 429:
        return "quota" if _QUOTA.search(body) else "busy"
    if status == 401 or _KEY.search(words) or (status == 403 and message):
        return "key"
    if status == 403:  # not in the format of the server's errors
        return "wall"
    if status in (404, 405) or _MODEL.search(words):
        return "address"
    if 300 <= status < 400:
        return "redirect"
    if status in RETRYABLE or status >= 500:
        return "busy" if status == 408 else "server"
    if status == 413:
        return "size"
    if 200 <= status < 300:
        return "server" if message and _BUSY_CODE.search(message.code.split(" ")[0]) else "answer"
    return _kind_of_bad_request(words or body, message)


def _kind_of_bad_request(words: str, message: ServerMessage | None) -> Kind:
    if _SIZE.search(words):
        return "size"
    if message and message.is_refusal:
        return "policy"
    return "temperature" if "temperature" in words.lower() else "request"


def _number(code: str) -> int:
    first = code.split(" ")[0]
    return int(first) if first.isdigit() else 0
