"""Server addresses and options, and excerpts of answers. Needs no package beyond the base install."""

from __future__ import annotations

import math
import os
from urllib.parse import urlsplit

from vdebench.errors import VdeError

INSTALL = "pip install 'vdebench[servers]'"
"""Installs the packages that `net.http` needs."""


def setting(option: str, *variables: str) -> str:
    """Return an option, or if it is empty the first of these environment variables that is set."""
    return option or next(filter(None, (os.environ.get(name, "") for name in variables)), "")


def seconds(value: float | str, option: str = "timeout") -> float:
    """Parse an option that is a duration.

    >>> seconds("90")
    90.0
    >>> seconds("soon")
    Traceback (most recent call last):
    vdebench.errors.VdeError: timeout is 'soon', expected a number of seconds above 0
    """
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise VdeError(f"{option} is {value!r}, expected a number of seconds above 0")
    return number


def one_of(reader: str, option: str, value: str, known: tuple[str, ...]) -> None:
    """Raise an error if an option has an unknown value."""
    if value not in known:
        raise VdeError(f"{reader}: {option} is {value!r}, expected one of {', '.join(filter(None, known))}")


def bad_address(url: str) -> str:
    """Return the error message for an invalid server address; an empty string for a valid one.

    >>> bad_address("localhost:8080"), bad_address("http://localhost:8080")
    ("'localhost:8080' is not a server address, expected http://host:port or https://host", '')
    """
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        valid = False
    return "" if valid else f"{redacted(url)!r} is not a server address, expected http://host:port or https://host"


def redacted(url: str) -> str:
    """Return a URL without user, password and query, which may contain keys.

    >>> redacted("https://me:secret@host:80/v1?key=secret")
    'https://host:80/v1'
    """
    scheme, separator, rest = url.partition("://")
    if not separator:
        scheme, rest = "", url
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}".partition("?")[0].rstrip("/")


def join_path(url: str, path: str) -> str:
    """Append a path to a URL; a query stays at the end.

    >>> join_path("http://host/v1/", "/models"), join_path("http://host/v1?token=a", "/models")
    ('http://host/v1/models', 'http://host/v1/models?token=a')
    """
    parts = urlsplit(url)
    return parts._replace(path=parts.path.rstrip("/") + path).geturl()


def excerpt(text: str, length: int = 160) -> str:
    """Return the beginning of a text, on one line.

    >>> excerpt("a" * 9 + "  " + "b" * 9, 12)
    'aaaaaaaaa b…'
    """
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length and len(text) <= 4 * length else line[: length - 1] + "…"
