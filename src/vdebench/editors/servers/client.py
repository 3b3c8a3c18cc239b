"""The client of editors behind servers: JSON that may be a refusal, and images that the server names by an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from vdebench.core.images import Image
from vdebench.editors.servers.images import decoded
from vdebench.errors import InputError
from vdebench.net.addresses import excerpt, shown
from vdebench.net.errors import Kind, RequestError, ServerMessage, message_in, status_error
from vdebench.net.http import HttpClient
from vdebench.net.keys import Secret
from vdebench.net.pacing import RateLimit
from vdebench.net.retries import RetryPolicy

PAUSE = 1.0
"""Seconds before the second attempt, where the server asks for none."""
TIMEOUTS = 2
"""How often a request may get no answer in time: each may be charged, for the server may be working on it."""
MAX_BYTES = 256 * 1024 * 1024
"""Of an answer: a large image in base64."""
_SMALLER = "if the page is too large for the server, send fewer pixels: max_pixels=1000000"

Result = TypeVar("Result")


class HttpReply(NamedTuple):
    """An answer, or a refusal."""

    told: Any
    """JSON."""
    headers: Mapping[str, str]
    refusal: ServerMessage | None = None


class ServerClient:
    """One server, for any number of threads; images at other addresses are fetched without its key."""

    def __init__(
        self, headers: Mapping[str, str], timeout: float, tries: int, how: str, key: Secret, per_minute: float = 0
    ) -> None:
        advice: dict[Kind, str] = {
            "timeout": "give it more time with the option timeout=SECONDS, or send fewer requests at once: at_once=1",
            "key": f"the server wants a key, or another one, or does not let this one edit: {how}",
            "wall": f"something before the server does not let the request pass; or {how}",
            "address": "nothing is served under this address or name: correct base_url=… or model=…",
            "busy": "the server is overloaded: run again later, or send fewer at once (at_once=, per_minute=)",
            "redirect": "pages and keys are not sent to another host: correct base_url=…",
            "size": _SMALLER,
            "policy": "the server refuses the content",
            "temperature": "the server does not accept this request: check model=… and the options",
            "request": f"the server does not accept this request: check model=… and the options; {_SMALLER}",
            "answer": "is base_url right? See what the server says, and its log",
        }
        self._rate = RateLimit(per_minute)
        self._retries = RetryPolicy(tries, min(TIMEOUTS, tries), pause=PAUSE, longest_wait=timeout)
        self._http = HttpClient(timeout, key=key, headers=headers, advice=advice, max_bytes=MAX_BYTES)
        self._plain = HttpClient(timeout, key=key, other_hosts=True, max_bytes=MAX_BYTES)  # sends no key

    def close(self) -> None:
        """Close all connections; a thread that pauses between two attempts gives up."""
        self._http.close()
        self._plain.close()

    def patiently(self, work: Callable[[], Result]) -> Result:
        """The result of some work, tried again after failures that may pass."""
        return self._http.patiently(work, self._retries)

    def get(self, url: str) -> Any:
        """The JSON at an address; None where it is not JSON."""
        try:
            return self._http.request("GET", url).json()
        except InputError:
            return None

    def post(self, url: str, **content: Any) -> HttpReply:
        """The JSON that answers a request, which may be a refusal."""
        if delay := self._rate.delay():  # repeated requests count too
            self._http.pause(delay)
        try:
            reply = self._http.request("POST", url, **content)
        except RequestError as error:
            said = error.message
            if said and said.is_refusal and (error.status in (400, 422) or said.flagged):
                return HttpReply(error.body, {}, said)
            raise
        try:
            told = reply.json()
        except InputError:
            reason = f"the answer is not JSON: {excerpt(reply.text) or 'an empty body'}"
            raise RequestError("answer", reason, "is base_url right? See the server's log", retryable=True) from None
        said = message_in(told)
        if said and not said.is_refusal:
            raise status_error(reply.status, reply.headers, reply.text, said, self._http.advice)
        return HttpReply(told, reply.headers, said)

    def fetch(self, url: str) -> Image:
        """The image at an address, at once, for it may expire; only the download is tried again."""
        try:
            return self._plain.patiently(lambda: decoded(self._plain.request("GET", url).content), self._retries)
        except RequestError as error:
            advice = "run again: the image is then requested anew"
            if error.status in (401, 403, 404, 410):
                advice = "its address has expired: run again, and the image is requested anew"
            reason = f"HTTP {error.status}" if error.status else error.reason
            raise RequestError("answer", f"the image at {shown(url)} could not be fetched: {reason}", advice) from None
