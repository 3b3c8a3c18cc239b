"""An HTTP client that tries again where that may help, once where it cannot, and always ends in time.

Tried again, with growing pauses or the one that the server asks for (Retry-After): a connection that fails or breaks,
and the statuses 408, 429, 500, 502, 503, 504. Not tried again: any other status, and a server that does not answer in
time, for it may still be at work. The time is for all tries together, pauses and slow bodies included.
"""

from __future__ import annotations

import random
import time
from typing import Any

import httpx2

from vdebench.errors import ReaderError
from vdebench.net.addresses import excerpt
from vdebench.net.retry_after import asked_wait

TRIES = 4
_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_BROKEN = (httpx2.ConnectError, httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)
_CONNECT_SECONDS = 10.0
_MAX_BYTES = 64 * 1024 * 1024  # a reading is a thousand times smaller


class RetryingClient(httpx2.Client):
    """A client whose requests end within `limit` seconds, whatever the server does."""

    def __init__(self, limit: float, *, tries: int = TRIES, pause: float = 0.5, **settings: Any) -> None:
        super().__init__(follow_redirects=True, **settings)
        self.limit = limit
        self.tries = tries
        self.pause = pause

    def send(self, request: httpx2.Request, *, stream: bool = False, **settings: Any) -> httpx2.Response:
        """Send a request; the response has been read to its end."""
        end = time.monotonic() + self.limit
        for left in reversed(range(self.tries)):
            pause = self.pause * 2 ** (self.tries - 1 - left) * random.uniform(0.75, 1.25)
            try:
                response = self._try(request, end, settings)
            except _BROKEN:
                if not left or time.monotonic() + pause > end:
                    raise
            else:
                pause = max(pause, asked_wait(response.headers))
                if response.status_code not in _PASSING or not left or time.monotonic() + pause > end:
                    return response
            time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _try(self, request: httpx2.Request, end: float, settings: dict[str, Any]) -> httpx2.Response:
        left = max(end - time.monotonic(), 0.01)
        timeout = httpx2.Timeout(left, connect=min(left, _CONNECT_SECONDS))
        request.extensions = {**request.extensions, "timeout": timeout.as_dict()}
        response = super().send(request, stream=True, **settings)
        try:
            body = bytearray()
            for chunk in response.iter_raw():  # the client's own timeout is for each chunk, not for all of them
                body += chunk
                if time.monotonic() > end:
                    raise httpx2.ReadTimeout("the body did not end in time", request=request)
                if len(body) > _MAX_BYTES:
                    raise httpx2.DecodingError(f"the body is longer than {_MAX_BYTES:,} bytes", request=request)
        finally:
            response.close()
        stream = httpx2.ByteStream(bytes(body))
        whole = httpx2.Response(response.status_code, headers=response.headers, stream=stream, request=response.request)
        whole.read()  # unpacks what came packed
        return whole


def no_answer(who: str, error: Exception) -> ReaderError:
    """The error for a request that got no answer; `who` names reader and server."""
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        advice = "is the server running, and is the address right?"
        return ReaderError(f"{who}: no connection: {error or 'it did not answer in time'}\n  {advice}")
    if isinstance(error, httpx2.TimeoutException):
        advice = "give it more time with the option timeout=SECONDS, or send it fewer pages at once"
        return ReaderError(f"{who}: no answer in time\n  {advice}")
    return ReaderError(f"{who}: {excerpt(str(error)) or type(error).__name__}\n  see the server's log, then run again")


def not_done(who: str, response: httpx2.Response, key: str) -> ReaderError:
    """The error for an answer that is no success; `key` says how to give a key."""
    status = response.status_code
    match status:
        case 401 | 403:
            advice = f"the server wants a key, or another one: {key}"
        case 404 | 405:
            advice = "nothing is served under this address or name: mend the address (url=…) or the model's name"
        case 408 | 429:
            advice = f"the server has too much to do, also after {TRIES} tries: run again later, or with fewer workers"
        case 413:
            advice = "the page is too large for the server: raise its limit"
        case _ if status >= 500:
            advice = "see the server's log; what was read is kept, so run again when it is mended"
        case _:
            advice = "the server does not take this request: compare its version with docs/readers.md"
    told = excerpt(response.text) or "no message"
    return ReaderError(f"{who}: HTTP {status} {response.reason_phrase}: {told}\n  {advice}")
