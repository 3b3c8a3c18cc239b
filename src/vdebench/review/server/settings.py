"""Settings of a server: addresses, limits and clocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from vdebench.errors import InputError

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORTS = {"http": 80, "https": 443}


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The defaults are those of the documentation."""

    origins: tuple[str, ...]
    """Origins of the page, such as `https://review.example`; the first is shown to people."""
    secure: bool = False
    """Whether the cookie is sent only over https."""
    requests_per_second: float = 20
    """Average rate of a session, and of an address without one."""
    burst: int = 100
    tries_by_name: int = 10
    """Attempts to sign in per minute."""
    tries_by_address: int = 30
    largest_body: int = 256 * 1024
    largest_upload: int = 40 * 1024 * 1024
    body_seconds: float = 60
    """Time limit for receiving a body."""
    remembered_seconds: float = 5
    """How long a session is cached; another process may end it meanwhile."""
    forwarded: bool = False
    """Whether to trust X-Forwarded-For; only behind a proxy that sets it."""
    now: Callable[[], datetime] = _now
    ticks: Callable[[], float] = time.monotonic

    @classmethod
    def at(cls, host: str, port: int, *, url: str = "", https: bool = False, **more: Any) -> ServerSettings:
        """Return settings for a host and port, and optionally a public URL."""
        scheme = "https" if https else "http"
        if is_wildcard(host) and not url:
            raise InputError(
                f"--host {host}: every address of this machine; give the address that people open with --url"
            )
        here = is_loopback(host) or is_wildcard(host)
        names = LOOPBACK if here else (_bracketed(host),)
        bound = [_origin(f"{scheme}://{name}:{port}") for name in names]
        origins = [_origin(url), *bound] if url else bound
        return cls(tuple(origins), secure=https or url.startswith("https://"), **more)

    @property
    def hosts(self) -> frozenset[str]:
        """Accepted values of the Host header."""
        found = set()
        for origin in self.origins:
            scheme, _, host = origin.partition("://")
            found.add(host)
            if _port(origin) is None:
                found.add(f"{host}:{DEFAULT_PORTS[scheme]}")
        return frozenset(found)


def is_loopback(host: str) -> bool:
    """Whether a host is reachable only from this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Whether a host means all addresses of this machine."""
    return host in ("", "0.0.0.0", "::")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _port(origin: str) -> int | None:
    return urlsplit(origin).port


def _origin(url: str) -> str:
    """Return the origin of a URL as browsers write it.

    >>> _origin("https://Review.example:443/"), _origin("http://localhost:8765")
    ('https://review.example', 'http://localhost:8765')
    """
    wrong = InputError(f"{url}: expected an address without a path, such as https://review.example")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.path.strip("/") or parts.query:
        raise wrong
    shown = "" if port in (None, DEFAULT_PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{_bracketed(parts.hostname)}{shown}"
