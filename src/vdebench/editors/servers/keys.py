"""Keys of editors behind servers: whose they are, and out of all that is kept or shown."""

from __future__ import annotations

import re
from typing import Any

from vdebench.net.keys import Secret

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_variable(name: str) -> bool:
    """Whether a text can be the name of an environment variable.

    >>> is_variable("MY_KEY"), is_variable("sk-0123")
    (True, False)
    """
    return bool(_VARIABLE.fullmatch(name))


def cleaned(told: Any, secret: Secret | None) -> Any:
    """The same without the key, wherever a server repeats it."""
    if secret is None:
        return told
    if isinstance(told, str):
        return secret.out_of(told)
    if isinstance(told, dict):
        return {cleaned(name, secret): cleaned(value, secret) for name, value in told.items()}
    return [cleaned(value, secret) for value in told] if isinstance(told, list) else told
