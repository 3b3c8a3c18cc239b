"""API keys: read from environment variables only, and removed from every printed or stored text."""

from __future__ import annotations

import json
import os
import re
from typing import Any
from urllib.parse import quote

from vdebench.errors import VdeError

HIDDEN = "[key]"
_SHORTEST = 8
"""Shorter values are placeholders for local servers, such as `none` or `EMPTY`."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Secret:
    """A key that is never printed.

    >>> key = Secret("sk-very-secret")
    >>> key, f"{key}", key.redact("Incorrect API key provided: sk-very-secret.")
    ([key], '[key]', 'Incorrect API key provided: [key].')
    """

    __slots__ = ("_pattern", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        spellings = {value, quote(value, safe=""), json.dumps(value)[1:-1]} if len(value) >= _SHORTEST else set()
        longest_first = sorted(spellings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def reveal(self) -> str:
        """Return the key, for the client that sends it."""
        return self._value

    @property
    def bearer(self) -> dict[str, str]:
        """The authorization header; empty if there is no key.

        >>> Secret("sk-0123").bearer, NO_KEY.bearer
        ({'Authorization': 'Bearer sk-0123'}, {})
        """
        return {"Authorization": f"Bearer {self._value}"} if self else {}

    def redact(self, value: Any) -> Any:
        """Return a string, list or dictionary with the key replaced in all strings.

        >>> Secret("sk-very-secret").redact({"sk-very-secret": ["a sk-very-secret", 3]})
        {'[key]': ['a [key]', 3]}
        """
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self._pattern.sub(HIDDEN, value)
        if isinstance(value, dict):
            return {self.redact(name): self.redact(each) for name, each in value.items()}
        return [self.redact(each) for each in value] if isinstance(value, list) else value

    def __bool__(self) -> bool:
        """Whether there is a key."""
        return self._value not in ("", "none")

    def __repr__(self) -> str:
        """Return a placeholder."""
        return HIDDEN

    def __reduce__(self) -> str:
        """Raise an error: a key is never stored."""
        raise TypeError("a key is not to be written anywhere")


NO_KEY = Secret("none")
"""For servers without authentication."""


def key_from(variable: str, *, needed: str = "") -> Secret:
    """Return the key in an environment variable, or `NO_KEY`; if `needed` names its user, a missing key is an error."""
    value = os.environ.get(variable, "").strip()
    if not value and needed:
        raise VdeError(
            f"{needed} needs a key, but the environment variable {variable} is not set\n"
            f"  set {variable}, or name another variable with --key-variable NAME"
        )
    return checked_key(value, variable)


def checked_key(value: str, variable: str) -> Secret:
    """Return a key; raise an error if it has characters that cannot be sent in a header."""
    if not value.isascii() or not value.isprintable():
        raise VdeError(f"the key in {variable} has invalid characters (a line break?); set it again")
    return Secret(value) if value else NO_KEY


def is_variable(name: str) -> bool:
    """Whether a string is a valid name of an environment variable.

    >>> is_variable("MY_KEY"), is_variable("sk-0123")
    (True, False)
    """
    return bool(_VARIABLE.fullmatch(name))
