"""What a server is run by: its addresses, its limits and its clocks."""

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
    """Without any: the limits of the documentation."""

    origins: tuple[str, ...]
    """Under which the page is opened, such as `https://review.example`; the first one is told to people."""
    secure: bool = False
    """Whether the cookie is for https alone."""
    requests_per_second: float = 20
    """Of one session, on average; so many of an address without one, too."""
    burst: int = 100
    tries_by_name: int = 10
    """To sign in, in a minute."""
    tries_by_address: int = 30
    largest_body: int = 256 * 1024
    largest_upload: int = 40 * 1024 * 1024
    body_seconds: float = 60
    """So long may a body take to come."""
    remembered_seconds: float = 5
    """So long a session is believed without a look into the database, where another process may have ended it."""
    forwarded: bool = False
    """Whether X-Forwarded-For is believed: only behind a proxy of one's own."""
    now: Callable[[], datetime] = _now
    ticks: Callable[[], float] = time.monotonic

    @classmethod
    def at(cls, host: str, port: int, *, url: str = "", https: bool = False, **more: Any) -> ServerSettings:
        """For a server bound to a host and port, and reached by a URL too where one is given."""
        scheme = "https" if https else "http"
        if is_wildcard(host) and not url:
            raise InputError(f"--host {host}: every address of this machine; say with --url which one people open")
        here = is_loopback(host) or is_wildcard(host)
        names = LOOPBACK if here else (_bracketed(host),)
        bound = [_origin(f"{scheme}://{name}:{port}") for name in names]
        origins = [_origin(url), *bound] if url else bound
        return cls(tuple(origins), secure=https or url.startswith("https://"), **more)

    @property
    def hosts(self) -> frozenset[str]:
        """What a request's Host may say."""
        found = set()
        for origin in self.origins:
            scheme, _, host = origin.partition("://")
            found.add(host)
            if _port(origin) is None:
                found.add(f"{host}:{DEFAULT_PORTS[scheme]}")
        return frozenset(found)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host.

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
    """The origin of a URL as browsers write it.

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
