"""HTTP client of editors behind servers: JSON answers, refusals, and downloads of images."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from vdebench.core.images import Image
from vdebench.editors.servers.images import decoded
from vdebench.errors import InputError
from vdebench.net.addresses import excerpt, redacted
from vdebench.net.errors import Kind, RequestError, ServerMessage, message_in, status_error
from vdebench.net.http import HttpClient
from vdebench.net.keys import Secret
from vdebench.net.pacing import RateLimit
from vdebench.net.retries import RetryPolicy

PAUSE = 1.0
"""Seconds before the first retry, unless the server requests another pause."""
TIMEOUTS = 2
"""Maximum number of timeouts of a request: each may be charged."""
MAX_BYTES = 256 * 1024 * 1024
"""Maximum size of an answer, which may be a large image in base64."""
_SMALLER = "if the page is too large for the server, send fewer pixels: max_pixels=1000000"

Result = TypeVar("Result")


class HttpReply(NamedTuple):
    """An answer, or a refusal."""

    body: Any
    """JSON."""
    headers: Mapping[str, str]
    refusal: ServerMessage | None = None


class ServerClient:
    """A thread-safe client of one server; images at other addresses are fetched without its key."""

    def __init__(
        self, headers: Mapping[str, str], timeout: float, tries: int, how: str, key: Secret, per_minute: float = 0
    ) -> None:
        advice: dict[Kind, str] = {
            "timeout": "increase the option timeout=SECONDS, or send fewer requests at once: concurrency=1",
            "key": f"the server requires a key, or a different one with permission to edit: {how}",
            "wall": f"a proxy or firewall in front of the server rejects the request; or {how}",
            "address": "the server does not know this address or model: correct base_url=… or model=…",
            "busy": "the server is overloaded: run again later, or send fewer at once (concurrency=, per_minute=)",
            "redirect": "pages and keys are not sent to another host: correct base_url=…",
            "size": _SMALLER,
            "policy": "the server refuses the content",
            "temperature": "the server does not accept this request: check model=… and the options",
            "request": f"the server does not accept this request: check model=… and the options; {_SMALLER}",
            "answer": "is base_url right? See the server's answer and log",
        }
        self._rate = RateLimit(per_minute)
        self._retries = RetryPolicy(tries, min(TIMEOUTS, tries), pause=PAUSE, longest_wait=timeout)
        self._http = HttpClient(timeout, key=key, headers=headers, advice=advice, max_bytes=MAX_BYTES)
        self._plain = HttpClient(timeout, key=key, other_hosts=True, max_bytes=MAX_BYTES)  # sends no key

    def close(self) -> None:
        """Close all connections and end pauses between attempts."""
        self._http.close()
        self._plain.close()

    def with_retries(self, work: Callable[[], Result]) -> Result:
        """Call a function, with retries after temporary failures."""
        return self._http.with_retries(work, self._retries)

    def get(self, url: str) -> Any:
        """Return the JSON at an address; None if it is not JSON."""
        try:
            return self._http.request("GET", url).json()
        except InputError:
            return None

    def post(self, url: str, **content: Any) -> HttpReply:
        """Return the JSON answer to a request, or the refusal."""
        if delay := self._rate.delay():  # repeated requests count too
            self._http.pause(delay)
        try:
            reply = self._http.request("POST", url, **content)
        except RequestError as error:
            message = error.message
            if message and message.is_refusal and (error.status in (400, 422) or message.flagged):
                return HttpReply(error.body, {}, message)
            raise
        try:
            body = reply.json()
        except InputError:
            reason = f"the answer is not JSON: {excerpt(reply.text) or 'an empty body'}"
            raise RequestError("answer", reason, "is base_url right? See the server's log", retryable=True) from None
        message = message_in(body)
        if message and not message.is_refusal:
            raise status_error(reply.status, reply.headers, reply.text, message, self._http.advice)
        return HttpReply(body, reply.headers, message)

    def fetch(self, url: str) -> Image:
        """Download an image at once, because its URL may expire; retries repeat only the download."""
        try:
            return self._plain.with_retries(lambda: decoded(self._plain.request("GET", url).content), self._retries)
        except RequestError as error:
            advice = "run again to request a new image"
            if error.status in (401, 403, 404, 410):
                advice = "its URL has expired: run again to request a new image"
            reason = f"HTTP {error.status}" if error.status else error.reason
            raise RequestError(
                "answer", f"the image at {redacted(url)} could not be fetched: {reason}", advice
            ) from None
