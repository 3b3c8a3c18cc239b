"""Addresses of servers, options about servers, and excerpts of answers. Needs no package beyond the base install."""

from __future__ import annotations

import math
import os
from urllib.parse import urlsplit

from vdebench.errors import VdeError

INSTALL = "pip install 'vdebench[servers]'"
"""The command that installs what `net.http` needs."""


def setting(given: str, *variables: str) -> str:
    """An option, else the first environment variable that says something."""
    return given or next(filter(None, (os.environ.get(name, "") for name in variables)), "")


def seconds(value: float | str, option: str = "timeout") -> float:
    """An option that is a time, from Python or from the command line.

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
    """An error where an option is none of the values it may have."""
    if value not in known:
        raise VdeError(f"{reader}: {option} is {value!r}, expected one of {', '.join(filter(None, known))}")


def bad_address(url: str) -> str:
    """Why an address cannot be one of a server, or nothing.

    >>> bad_address("localhost:8080"), bad_address("http://localhost:8080")
    ("'localhost:8080' is no address of a server, expected http://host:port or https://host", '')
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        good = False
    return "" if good else f"{shown(url)!r} is no address of a server, expected http://host:port or https://host"


def shown(url: str) -> str:
    """An address without the password or key that may be in it.

    >>> shown("https://me:secret@host:80/v1?key=secret")
    'https://host:80/v1'
    """
    head, sign, rest = url.partition("://")
    if not sign:
        head, rest = "", url
    place, slash, path = rest.partition("/")
    return f"{head}{sign}{place.rpartition('@')[2]}{slash}{path}".partition("?")[0].rstrip("/")


def joined(url: str, path: str) -> str:
    """An address with a path added; a query stays at the end.

    >>> joined("http://host/v1/", "/models"), joined("http://host/v1?token=a", "/models")
    ('http://host/v1/models', 'http://host/v1/models?token=a')
    """
    parts = urlsplit(url)
    return parts._replace(path=parts.path.rstrip("/") + path).geturl()


def excerpt(text: str, length: int = 160) -> str:
    """The beginning of a text, on one line.

    >>> excerpt("a" * 9 + "  " + "b" * 9, 12)
    'aaaaaaaaa b…'
    """
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length and len(text) <= 4 * length else line[: length - 1] + "…"
