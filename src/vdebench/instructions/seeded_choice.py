"""Choices that are the same on every machine and for every version of Python: made by SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def _digest(parts: Iterable[object]) -> bytes:
    hashed = hashlib.sha256()
    for part in parts:
        told = str(part).encode("utf-8", "surrogatepass")
        hashed.update(len(told).to_bytes(8, "big") + told)  # so that ("a", "bc") is not ("ab", "c")
    return hashed.digest()


def ranked(options: Iterable[str], *key: object) -> list[str]:
    """Options in an order that the key decides; one more option leaves the order of the others as it is.

    >>> ranked(["a", "b", "c"], "page-1", 1), ranked(["d", "c", "b", "a"], "page-1", 1)
    (['c', 'a', 'b'], ['c', 'a', 'b', 'd'])
    """
    return sorted(set(options), key=lambda option: (_digest([*key, option]), option))


class SeededChoice:
    """A row of choices that a key decides."""

    def __init__(self, *key: object) -> None:
        self._key = key
        self._made = 0

    def below(self, count: int) -> int:
        """A number from 0 up to, and without, `count`.

        >>> chance = SeededChoice("page-1", 7)
        >>> [chance.below(10) for _ in range(6)]
        [6, 6, 1, 3, 4, 9]
        """
        self._made += 1
        return int.from_bytes(_digest([*self._key, self._made])) % count  # 256 bits: the rest favours nobody

    def choice(self, options: Sequence[T]) -> T:
        """One of some."""
        return options[self.below(len(options))]

    def shuffled(self, options: Iterable[T]) -> list[T]:
        """All of them in another order."""
        left = list(options)
        for last in range(len(left) - 1, 0, -1):
            other = self.below(last + 1)
            left[last], left[other] = left[other], left[last]
        return left
