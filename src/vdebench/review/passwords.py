"""Passwords: what may be one, and its hash (argon2id)."""

from __future__ import annotations

import secrets
import unicodedata
from functools import cached_property
from typing import Any

from vdebench.errors import MissingPartError
from vdebench.review.tables import INSTALL
from vdebench.review.text_check import wrong_text

SHORTEST, LONGEST = 10, 200


def wrong_password(password: object) -> str:
    """What is wrong with a password; nothing where it can be one.

    >>> wrong_password("secret")
    'has 6 characters, expected at least 10'
    """
    if problem := wrong_text(password, LONGEST):
        return problem
    assert isinstance(password, str)
    return f"has {len(password)} characters, expected at least {SHORTEST}" if len(password) < SHORTEST else ""


class Passwords:
    """Hashes of passwords. A fifth of a second and 64 MiB each, on one core: others go on voting on the rest."""

    def __init__(self, rounds: int = 3, memory_kib: int = 65_536) -> None:
        self.rounds, self.memory_kib = rounds, memory_kib

    @cached_property
    def _hasher(self) -> Any:
        try:
            import argon2
        except ImportError:
            raise MissingPartError(f"accounts of a review need argon2-cffi: {INSTALL}") from None
        return argon2.PasswordHasher(
            time_cost=self.rounds, memory_cost=self.memory_kib, parallelism=1, type=argon2.Type.ID
        )

    @cached_property
    def nobodys(self) -> str:
        """A hash that no password has: to look as long for a name that nobody has."""
        return self.hash(secrets.token_urlsafe(32))

    def hash(self, password: str) -> str:
        """With a salt of its own."""
        return str(self._hasher.hash(_bytes(password)))

    def is_right(self, kept: str | None, password: str) -> bool:
        """Whether a password is the one whose hash is kept; takes as long where none is."""
        import argon2

        try:
            self._hasher.verify(kept or self.nobodys, _bytes(password))
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            return False
        return kept is not None

    def is_old(self, kept: str) -> bool:
        """Whether a hash was made with other numbers than these."""
        return bool(self._hasher.check_needs_rehash(kept))


def _bytes(password: str) -> bytes:
    """The same for all keyboards."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
