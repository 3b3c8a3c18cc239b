"""Passwords: validation and hashes (argon2id)."""

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
    """Describe what is wrong with a password; empty if it is valid.

    >>> wrong_password("secret")
    'has 6 characters, expected at least 10'
    """
    if problem := wrong_text(password, LONGEST):
        return problem
    assert isinstance(password, str)
    return f"has {len(password)} characters, expected at least {SHORTEST}" if len(password) < SHORTEST else ""


class Passwords:
    """Hashes passwords. One hash takes a fifth of a second and 64 MiB on one core, so other requests go on."""

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
        """A hash that matches no password, so that unknown names take as long to check."""
        return self.hash(secrets.token_urlsafe(32))

    def hash(self, password: str) -> str:
        """Return the hash of a password, with a random salt."""
        return str(self._hasher.hash(_bytes(password)))

    def is_right(self, kept: str | None, password: str) -> bool:
        """Whether a password matches a hash; takes the same time without a hash."""
        import argon2

        try:
            self._hasher.verify(kept or self.nobodys, _bytes(password))
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            return False
        return kept is not None

    def is_old(self, kept: str) -> bool:
        """Whether a hash was created with other parameters."""
        return bool(self._hasher.check_needs_rehash(kept))


def _bytes(password: str) -> bytes:
    """Normalise a password, so that it does not depend on the keyboard."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
