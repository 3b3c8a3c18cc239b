"""Middleware for every request: host check, security headers, and an answer for unexpected errors."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from vdebench.review.server.responses import ApiReply, problem
from vdebench.review.server.settings import ServerSettings

log = logging.getLogger("vdebench.review.server")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_BYTES = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class SafetyMiddleware:
    """Wraps the whole application."""

    def __init__(self, app: Any, settings: ServerSettings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_safely(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = _with_ours(message.get("headers", []), scope["path"])
            await send(message)

        try:
            hosts = [value for name, value in scope["headers"] if name == b"host"]
            if len(hosts) != 1 or hosts[0].decode("latin-1").lower() not in self.settings.hosts:
                words = "the request names another host than this server's; open it by its own address"
                await answer(problem(400, "wrong_host", words), send_safely)
                return
            await self.app(scope, receive, send_safely)
        except Exception:
            log.exception("%s %s failed", scope["method"], _printable(scope["path"]))
            if started:
                raise
            await answer(problem(500, "broken", "the server had an error; see its log"), send_safely)


async def answer(reply: ApiReply, send: Send) -> None:
    """Send a reply without a file."""
    body = reply.body()
    headers = [(b"content-length", str(len(body)).encode())]
    if body:
        headers.append((b"content-type", reply.kind.encode()))
    headers += [(name.lower().encode(), value.encode("latin-1")) for name, value in reply.headers.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _with_ours(headers: Any, path: str) -> list[tuple[bytes, bytes]]:
    """Add security headers; responses are not cached unless they say so."""
    given = list(headers)
    names = {name for name, _ in given}
    if b"cache-control" not in names:
        given.append((b"cache-control", b"no-store"))
    return given + [each for each in _BYTES if each[0] not in names]


def _printable(path: str) -> str:
    return path[:200].encode("unicode_escape").decode("ascii")
