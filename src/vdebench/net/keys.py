"""An API key: from the environment only, and out of every text that anyone may see or keep."""

from __future__ import annotations

import json
import os
import re
from urllib.parse import quote

from vdebench.errors import VdeError

HIDDEN = "[key]"
_SHORTEST = 8
"""Shorter ones are no keys: `none`, `EMPTY`, as local servers want them."""


class Secret:
    """A key that does not show itself.

    >>> key = Secret("sk-very-secret")
    >>> key, f"{key}", key.out_of("Incorrect API key provided: sk-very-secret.")
    ([key], '[key]', 'Incorrect API key provided: [key].')
    """

    __slots__ = ("_pattern", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        spellings = {value, quote(value, safe=""), json.dumps(value)[1:-1]} if len(value) >= _SHORTEST else set()
        longest_first = sorted(spellings, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def reveal(self) -> str:
        """The key, for the client that sends it and nobody else."""
        return self._value

    def out_of(self, text: str) -> str:
        """A text without the key."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text

    def __repr__(self) -> str:
        """Not the key."""
        return HIDDEN

    def __reduce__(self) -> str:
        """Never: a key is in no file."""
        raise TypeError("a key is not to be written anywhere")


def key_from(variable: str, *, needed: str = "") -> Secret:
    """The key in an environment variable; where it is `needed` by someone and not there, an error that says so."""
    value = os.environ.get(variable, "").strip()
    if not value and needed:
        raise VdeError(
            f"{needed} needs a key, and the environment variable {variable} has none\n"
            f"  set {variable}, or name another variable with --key-variable NAME; keys are taken from nowhere else"
        )
    if not value.isascii() or not value.isprintable():
        raise VdeError(f"the key in {variable} has characters that no key has (a line break?); set it again")
    return Secret(value or "none")
