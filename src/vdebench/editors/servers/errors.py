"""What goes wrong between us and a server: whether to ask again, how long to wait, and what to tell the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from vdebench.net.addresses import excerpt
from vdebench.net.replies import of_status

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_PASSING_CODE = re.compile(r"rate.?limit|throttl|server.?error|internal|overload|timeout|unavailable|exhausted", re.I)
_NO_MONEY = re.compile(  # not "billing" alone: Gemini speaks of it whenever a minute's requests are used up
    r"insufficient_quota|billing_(hard_limit|not_active)|credit balance|arrearage|insufficient credits|AccountOverdue",
    re.I,
)
_OF_THE_DAY = re.compile(r'"quotaId"\s*:\s*"[^"]*PerDay', re.I)
_NO_KEY = re.compile(r"API_KEY_INVALID|API key not valid|invalid.?api.?key|incorrect api key", re.I)
_NO_MODEL = re.compile(r"model_?not_?found|InvalidEndpointOrModel|model.{0,60}(does not|not) exist", re.I)
_POLICY_CODE = re.compile(
    r"moderation|content_?policy|content_?filter|SensitiveContent|RiskDetection|data_?inspection", re.I
)
_POLICY_WORDS = re.compile(r"safety system|content (management )?policy|content moderation", re.I)
_SMALLER = "where the page is too large for the server, send fewer pixels: max_pixels=1000000"


class CallError(Exception):
    """One try that came to nothing: `passing` where another may do better, `fatal` where no page can."""

    def __init__(
        self,
        reason: str,
        advice: str = "",
        *,
        passing: bool = False,
        fatal: bool = False,
        wait: float = 0.0,
        lost: bool = False,
        late: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.advice, self.passing, self.fatal, self.wait = reason, advice, passing, fatal, wait
        self.lost = lost or late
        """Whether a request was sent and not answered, so that it may be charged all the same."""
        self.late = late
        """Whether it was not answered in time."""

    def told(self, reason: str, advice: str = "") -> CallError:
        """The same in other words, and for good: it has been tried often enough."""
        return CallError(reason, advice or self.advice, fatal=self.fatal)


class ServerMessage(NamedTuple):
    """An error as a server words it."""

    code: str
    words: str
    flagged: bool = False
    """Whether it says itself that a moderator flagged the request."""

    @property
    def is_refusal(self) -> bool:
        """Whether it is about what the page or the instruction says, so that asking again is of no use."""
        return bool(self.flagged or _POLICY_CODE.search(self.code) or _POLICY_WORDS.search(self.words))


def complaint_in(told: Any) -> ServerMessage | None:
    """The error in a body, whatever its status was; nothing in a good one.

    >>> complaint_in({"error": {"code": "moderation_blocked", "message": "no"}}).is_refusal
    True
    >>> complaint_in({"code": "Throttling", "message": "slower", "request_id": "1"})
    ServerMessage(code='Throttling', words='slower', flagged=False)
    >>> complaint_in({"data": [], "error": None})
    """
    if isinstance(told, list) and told:  # Gemini's, where a proxy made a list of it
        told = told[0]
    if not isinstance(told, dict):
        return None
    error = told.get("error") or told.get("errors")
    if not error and (told.get("object") == "error" or (told.get("code") and told.get("message"))):
        error = told
    if not error:
        return None
    if not isinstance(error, dict):
        return ServerMessage("", excerpt(str(error), 300))
    code = next((str(error[key]) for key in ("code", "status", "type") if error.get(key)), "")
    if code.isdigit() and error.get("status"):  # Gemini's number is the status, its word says more
        code = f"{code} {error['status']}"
    about = error.get("metadata")
    flagged = isinstance(about, dict) and bool(about.get("reasons") or about.get("flagged_input"))
    words = next((str(error[key]) for key in ("message", "detail", "msg") if error.get(key)), "")
    return ServerMessage(code, excerpt(words, 300), flagged)


def fault_of(status: int, headers: Mapping[str, str], body: str, said: ServerMessage | None, key: str) -> CallError:
    """What a status other than success, or an error in a body of success, means; `key` says how to give a key."""
    words = said.words if said and said.words else excerpt(body, 300) or "no message"
    named = f" ({said.code})" if said and said.code and said.code != str(status) else ""
    reason = f"HTTP {status}{named}: {words}"
    found = f"{said.code} {said.words}" if said else ""
    if status == 402 or _NO_MONEY.search(found):
        advice = "the account has no money or quota left; what was edited is kept, so run again then"
        return CallError(reason, advice, fatal=True)
    if status == 429 and _OF_THE_DAY.search(body):
        advice = "the day's quota is used up; what was edited is kept, so run again when the next day's is there"
        return CallError(reason, advice, fatal=True)
    if status == 401 or _NO_KEY.search(found) or (status == 403 and said):
        advice = f"the server wants a key, or another one, or does not let this one edit: {key}"
        return CallError(reason, advice, fatal=True)
    if status == 403:  # not in the server's own form: some wall before it, which may mind this page alone
        return CallError(reason, f"something before the server does not let the request pass; or {key}")
    if status in (404, 405) or _NO_MODEL.search(found):
        advice = "nothing is served under this address or name: mend base_url=… or model=…"
        return CallError(reason, advice, fatal=True)
    if 200 <= status < 300:
        return _of_good_status(reason, said, key, headers, body)
    if status in PASSING or status >= 500:
        advice = "the server has too much to do: run again later, or ask for fewer at once (at_once=, per_minute=)"
        if status not in (408, 429):
            advice = "see the server's log or status page; what was edited is kept, so run again when it is mended"
        return CallError(reason, advice, passing=status in PASSING, wait=of_status(429, headers, body).wait)
    if 300 <= status < 400:
        advice = "the server points elsewhere, and pages and keys are not sent after it: mend base_url=…"
        return CallError(reason, advice, fatal=True)
    if status == 413:
        return CallError(reason, _SMALLER)
    return CallError(reason, f"the server does not take this request: look at model=… and the options; {_SMALLER}")


def _of_good_status(
    reason: str, said: ServerMessage | None, key: str, headers: Mapping[str, str], body: str
) -> CallError:
    code = said.code.split(" ")[0] if said else ""
    if code.isdigit() and 300 <= int(code) < 600:
        inner = fault_of(int(code), headers, body, said, key)
        return CallError(reason, inner.advice, passing=inner.passing, fatal=inner.fatal, wait=inner.wait)
    passing = bool(_PASSING_CODE.search(code))
    return CallError(reason, "the server answered with an error instead of an image; see what it says", passing=passing)
