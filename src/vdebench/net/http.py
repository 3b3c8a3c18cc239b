"""The HTTP client of all readers, editors and judges.

Every request has a deadline that includes slow bodies, and a limit on the decompressed size of the answer; redirects
are followed on the same host only; keys are removed from messages; every failure is a `RequestError`. The
implementation is asynchronous; `HttpClient` runs it in a thread for synchronous code.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
import weakref
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import cache
from ssl import SSLContext
from typing import Any, TypeVar

import httpx2

from vdebench.errors import InputError
from vdebench.io.files import parse_json
from vdebench.net.addresses import excerpt
from vdebench.net.errors import ADVICE, Kind, RequestError, message_in, status_error
from vdebench.net.keys import NO_KEY, Secret
from vdebench.net.retries import RetryPolicy

MAX_BYTES = 64 * 1024 * 1024
"""Maximum size of an answer, decompressed."""
REDIRECTS = 5
_CONNECT_SECONDS = 10.0
Result = TypeVar("Result")


@dataclass(frozen=True)
class Reply:
    """A successful response with its complete body."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    key: Secret = NO_KEY

    @property
    def text(self) -> str:
        """The content as text, without the key."""
        return str(self.key.redact(self.content.decode("utf-8", "replace")))

    def json(self) -> Any:
        """The content as JSON, without the key; raises `InputError` if it is not JSON."""
        return self.key.redact(parse_json(self.content, "the answer"))


@cache
def _certificates() -> SSLContext:
    return httpx2.create_ssl_context()  # takes a tenth of a second


class AsyncHttpClient:
    """An asynchronous client for one server with one key."""

    def __init__(
        self,
        timeout: float,
        *,
        key: Secret = NO_KEY,
        headers: Mapping[str, str] | None = None,
        advice: Mapping[Kind, str] | None = None,
        other_hosts: bool = False,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.timeout, self.key, self.max_bytes = timeout, key, max_bytes
        self.advice = {**ADVICE, **(advice or {})}
        self._other_hosts = other_hosts
        self._client = httpx2.AsyncClient(
            headers=dict(headers or {}),
            verify=_certificates(),
            mounts=dict.fromkeys(("all://localhost", "all://127.0.0.1", "all://[::1]")),  # no proxy for this machine
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),  # `send` sets the deadline of the whole request
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),  # callers limit their requests
        )

    def build(self, method: str, url: str, **content: Any) -> httpx2.Request:
        """Build a request; `content` are arguments of httpx: `json=`, `params=`, `files=`, `headers=`."""
        try:
            return self._client.build_request(method, url, **content)
        except httpx2.InvalidURL as error:
            raise self._error("address", self.words(error)) from None

    async def request(self, method: str, url: str, **content: Any) -> Reply:
        """Send a request once."""
        return await self.send(self.build(method, url, **content))

    async def send(self, request: httpx2.Request, timeout: float | None = None, limit: float | None = None) -> Reply:
        """Send a request once; raise `RequestError` if it does not succeed.

        `limit` is the time stated in messages; `timeout` is the part of it that earlier attempts left.
        """
        seconds = self.timeout if timeout is None else timeout
        post = request.method != "GET"  # a sent request without an answer may have been processed
        try:
            async with asyncio.timeout(seconds):
                response, content = await self._exchange(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            words = _system_words(error) or self.words(error, "connection timed out")
            raise self._error("connection", f"no connection: {words}", retryable=True) from None
        except (TimeoutError, httpx2.TimeoutException):
            reason = f"no answer in {limit or seconds:g} seconds"
            raise self._error("timeout", reason, retryable=True, lost=post) from None
        except httpx2.TransportError as error:
            reason = f"the connection broke: {self.words(error)}"
            raise self._error("broken", reason, retryable=True, lost=post) from None
        except httpx2.DecodingError as error:
            raise self._error("too_long", f"the answer cannot be decompressed: {self.words(error)}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise self._error("request", self.words(error)) from None
        except RuntimeError:
            if not self._client.is_closed:
                raise
            raise self._error("closed", "the client was closed") from None
        reply = Reply(response.status_code, response.headers, content, self.key)
        if not response.is_success:
            raise self._status_error(reply)
        return reply

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    def words(self, error: BaseException, default: str = "") -> str:
        """Return the beginning of an error message, with the key removed first."""
        return excerpt(self.key.redact(str(error))) or default or type(error).__name__

    async def _exchange(self, request: httpx2.Request) -> tuple[httpx2.Response, bytes]:
        for _ in range(REDIRECTS):
            response = await self._client.send(request, stream=True, follow_redirects=False)
            try:
                content = await self._content(response)
            finally:
                await response.aclose()
            if response.next_request is None or not self._follows(request.url, response.next_request.url):
                return response, content
            request = response.next_request
        return response, content

    async def _content(self, response: httpx2.Response) -> bytes:
        content = bytearray()
        async for chunk in response.aiter_bytes():  # decompressed, in chunks of at most 1 MiB
            content += chunk
            if len(content) > self.max_bytes:
                raise self._error("too_long", f"an answer of more than {self.max_bytes:,} bytes")
        return bytes(content)

    def _follows(self, old: httpx2.URL, new: httpx2.URL) -> bool:
        same = (old.scheme, old.host, old.port) == (new.scheme, new.host, new.port)
        upgrade = old.host == new.host and (old.scheme, new.scheme, old.port, new.port) == ("http", "https", None, None)
        return self._other_hosts or same or upgrade

    def _error(self, kind: Kind, reason: str, **about: Any) -> RequestError:
        return RequestError(kind, reason, self.advice.get(kind, ""), **about)

    def _status_error(self, reply: Reply) -> RequestError:
        try:
            body = reply.json()
        except InputError:
            body = None
        headers = {name.lower(): self.key.redact(value) for name, value in reply.headers.items()}
        error = status_error(reply.status, headers, reply.text, message_in(body), self.advice)
        error.body = body
        return error


def _system_words(error: BaseException) -> str:
    """Return the system's message for a failed connection, such as "Connection refused"; empty if there is none.

    >>> _system_words(ConnectionRefusedError(111, "Connect call failed"))
    'Connection refused'
    """
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno) if cause.errno > 0 else str(cause.strerror)
        cause = cause.__cause__ or cause.__context__
    return ""


class HttpClient:
    """A synchronous, thread-safe client with retries.

    With `retries`, the timeout covers all attempts of a request; without, a caller can retry with `with_retries`.
    """

    def __init__(self, timeout: float, *, retries: RetryPolicy | None = None, **settings: Any) -> None:
        self.retries = retries
        self._client = AsyncHttpClient(timeout, **settings)
        self._closed = threading.Event()
        self._thread = _EventLoopThread()
        self._finalizer = weakref.finalize(self, self._thread.stop, self._client.close)  # if not closed explicitly

    @property
    def timeout(self) -> float:
        """Seconds for a request."""
        return self._client.timeout

    @property
    def advice(self) -> Mapping[Kind, str]:
        """Remedies of failures, by kind."""
        return self._client.advice

    def request(
        self, method: str, url: str, *, retry: bool = True, timeout: float | None = None, **content: Any
    ) -> Reply:
        """Send a request; raise `RequestError` if it does not succeed."""
        request = self._client.build(method, url, **content)
        limit = self.timeout if timeout is None else timeout
        end = time.monotonic() + limit

        def attempt() -> Reply:
            return self._once(request, max(end - time.monotonic(), 0.01), limit)

        return self.with_retries(attempt, self.retries, limit) if self.retries and retry else attempt()

    def with_retries(self, work: Callable[[], Result], retries: RetryPolicy, limit: float | None = None) -> Result:
        """Call a function, with retries after temporary failures; closing the client ends the pauses."""
        failures: list[RequestError] = []

        def attempt() -> Result:
            if failures and self._closed.is_set():
                raise failures[-1].noted("closed before the next attempt")
            try:
                return work()
            except RequestError as error:
                failures.append(error)
                raise

        return retries.call(attempt, limit=limit, sleep=self.pause)

    def pause(self, seconds: float) -> None:
        """Wait for some seconds or until the client is closed."""
        self._closed.wait(seconds)

    def close(self) -> None:
        """Close all connections and end all pauses."""
        self._closed.set()
        self._finalizer()

    def _once(self, request: httpx2.Request, seconds: float, limit: float) -> Reply:
        if self._closed.is_set():
            raise RequestError("closed", "the client was closed", ADVICE["closed"])
        try:
            return self._thread.run(self._client.send(request, seconds, limit))
        except CancelledError:
            raise RequestError("closed", "the client was closed", ADVICE["closed"]) from None


class _EventLoopThread:
    """An event loop in a daemon thread, started with the first request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="vde-http", daemon=True)
                self._thread.start()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # the wait was interrupted
            raise

    def stop(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel requests in progress, close the client, end the thread."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = None
        if loop is None or thread is None:
            return

        async def end() -> None:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await close()
            loop.stop()

        asyncio.run_coroutine_threadsafe(end(), loop)
        if threading.current_thread() is not thread:
            thread.join(5.0)
            if not thread.is_alive():
                loop.close()
