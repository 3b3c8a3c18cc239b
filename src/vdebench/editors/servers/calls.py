"""Requests to a server: each ends in time, none follows the server elsewhere with a page or a key, faults are typed."""

from __future__ import annotations

import random
import threading
import weakref
from collections.abc import Callable, Mapping
from functools import cache
from ssl import SSLContext
from typing import Any, NamedTuple, TypeVar

import httpx2

from vdebench.core.images import Image
from vdebench.editors.servers.errors import CallError, ServerMessage, complaint_in, fault_of
from vdebench.editors.servers.images import decoded
from vdebench.editors.servers.keys import cleaned
from vdebench.errors import InputError
from vdebench.io.files import parse_json
from vdebench.net.addresses import excerpt, shown
from vdebench.net.keys import Secret
from vdebench.net.retrying_client import RetryingClient

PAUSE = 1.0
"""Seconds before the second try, where the server asks for none; twice as many before each further one."""

LATE = 2
"""How often a request may get no answer in time: each may be charged, for the server may be at work all the same."""

Result = TypeVar("Result")


class HttpReply(NamedTuple):
    """An answer that came whole."""

    told: Any
    """JSON."""
    headers: Mapping[str, str]
    refusal: ServerMessage | None = None


@cache
def _certificates() -> SSLContext:
    return httpx2.create_ssl_context()  # a tenth of a second each time


class ServerClient:
    """Talks to one server, for any number of threads; and fetches pictures from wherever it says, without its key."""

    def __init__(self, headers: Mapping[str, str], timeout: float, tries: int, key: str, secret: Secret | None) -> None:
        self.timeout, self.tries, self.key, self._secret = timeout, tries, key, secret
        self._closed = threading.Event()
        self._client = RetryingClient(timeout, tries=1, headers=dict(headers), verify=_certificates())
        self._client.follow_redirects = False  # the page and the key are for this server alone
        self._plain = RetryingClient(timeout, tries=1, verify=_certificates())
        for client in (self._client, self._plain):  # whoever forgets to close it leaves no open sockets
            weakref.finalize(self, client.close)

    def close(self) -> None:
        """Let go of connections; who is pausing between two tries gives up."""
        self._closed.set()
        self._client.close()
        self._plain.close()

    def patiently(self, work: Callable[[], Result]) -> Result:
        """What some work comes to; faults that may pass are tried again, unless the pause is too long."""
        late = 0
        for number in range(1, self.tries + 1):
            try:
                return work()
            except CallError as fault:
                if not fault.passing:
                    raise
                pause = max(fault.wait, PAUSE * 2 ** (number - 1) * random.uniform(0.75, 1.25))
                too_long = pause > self.timeout
                late += fault.late
                if number == self.tries or late == LATE or too_long or self._closed.wait(pause):
                    asked = f", and the server asks for {fault.wait:.0f} s of pause" if too_long else ""
                    times = "once" if number == 1 else f"{number} times"
                    raise fault.told(f"{fault.reason} (tried {times}{asked})") from None
        raise AssertionError("the last try returns or raises")

    def get(self, url: str) -> Any:
        """The JSON at an address."""
        response = self._sent(self._client, "GET", url)
        told = self._told(response)
        if not response.is_success:
            text = cleaned(response.text, self._secret)
            raise fault_of(response.status_code, response.headers, text, complaint_in(told), self.key)
        return told

    def post(self, url: str, **content: Any) -> HttpReply:
        """The JSON that a request is answered with, which may be a refusal."""
        response = self._sent(self._client, "POST", url, **content)
        told = self._told(response)
        said = complaint_in(told)
        if response.is_success and said is None:
            if told is None:
                body = self._words(response.text) or "nothing"
                raise CallError(
                    f"the answer is no JSON: {body}", "is base_url right? See the server's log", passing=True
                )
            return HttpReply(told, response.headers)
        status = response.status_code
        if said and said.is_refusal and (response.is_success or status in (400, 422) or said.flagged):
            return HttpReply(told, response.headers, said)
        raise fault_of(status, response.headers, cleaned(response.text, self._secret), said, self.key)

    def fetch(self, url: str) -> Image:
        """The image at an address, at once, for it may expire; what was made is not asked for again."""
        try:
            return self.patiently(lambda: self._fetched(url))
        except CallError as fault:
            advice = fault.advice or "run again: the image is then asked for anew"
            raise CallError(f"the image at {shown(url)} could not be fetched: {fault.reason}", advice) from None

    def _fetched(self, url: str) -> Image:
        response = self._sent(self._plain, "GET", url)
        status = response.status_code
        if status in (401, 403, 404, 410):
            raise CallError(f"HTTP {status}", "its address has expired: run again, and the image is asked for anew")
        if not response.is_success:
            fault = fault_of(status, response.headers, "", None, self.key)
            raise CallError(f"HTTP {status}", passing=fault.passing, wait=fault.wait)
        return decoded(response.content)

    def _sent(self, client: RetryingClient, method: str, url: str, **content: Any) -> httpx2.Response:
        try:
            return client.request(method, url, **content)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            words = self._words(str(error)) or "it did not answer in time"
            raise CallError(
                f"no connection: {words}", "is the server running, and is its address right?", passing=True
            ) from None
        except httpx2.TimeoutException as error:
            advice = "give it more time with the option timeout=SECONDS, or ask for fewer at once: at_once=1"
            # To ask for what is there costs nothing, nor does what never left for want of a free connection.
            late = method == "POST" and not isinstance(error, httpx2.PoolTimeout)
            raise CallError(f"no answer in {self.timeout:g} seconds", advice, passing=True, late=late) from None
        except httpx2.TransportError as error:
            words = self._words(str(error)) or type(error).__name__
            advice = "see the server's log, then run again"
            lost = method == "POST"
            raise CallError(f"the connection broke: {words}", advice, passing=True, lost=lost) from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            words = self._words(str(error)) or type(error).__name__
            raise CallError(words, "see the server's log, then run again") from None
        except RuntimeError:  # what the client says of requests after its end
            if not self._closed.is_set():
                raise
            raise CallError("the editor was closed while it was asked", "run again") from None

    def _words(self, text: str) -> str:
        """The beginning of a text, without the key: were it shortened first, part of the key could stay."""
        return excerpt(cleaned(text, self._secret))

    def _told(self, response: httpx2.Response) -> Any:
        """The JSON, without the key, before anything is shortened."""
        try:
            return cleaned(parse_json(response.content, "the answer"), self._secret)
        except InputError:
            return None
