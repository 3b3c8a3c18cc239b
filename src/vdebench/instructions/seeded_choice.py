"""Random choices from SHA-256, equal on every machine and version of Python."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def _digest(parts: Iterable[object]) -> bytes:
    hashed = hashlib.sha256()
    for part in parts:
        content = str(part).encode("utf-8", "surrogatepass")
        hashed.update(len(content).to_bytes(8, "big") + content)  # distinguishes ("a", "bc") from ("ab", "c")
    return hashed.digest()


def ranked(options: Iterable[str], *key: object) -> list[str]:
    """Sort options pseudo-randomly by key; adding an option does not change the order of the others.

    >>> ranked(["a", "b", "c"], "page-1", 1), ranked(["d", "c", "b", "a"], "page-1", 1)
    (['c', 'a', 'b'], ['c', 'a', 'b', 'd'])
    """
    return sorted(set(options), key=lambda option: (_digest([*key, option]), option))


class SeededChoice:
    """A sequence of choices determined by a key."""

    def __init__(self, *key: object) -> None:
        self._key = key
        self._count = 0

    def below(self, count: int) -> int:
        """Return a number from 0 to `count` - 1.

        >>> chance = SeededChoice("page-1", 7)
        >>> [chance.below(10) for _ in range(6)]
        [6, 6, 1, 3, 4, 9]
        """
        self._count += 1
        return int.from_bytes(_digest([*self._key, self._count])) % count  # 256 bits: the bias is negligible

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.below(len(options))]

    def shuffled(self, options: Iterable[T]) -> list[T]:
        """Return all options in random order."""
        items = list(options)
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items
