"""Words of a line: separators, and where lines may break."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import regex

_PIECES = regex.compile(
    r"\p{Han}|[\u3000-\u303f\uff00-\uffef“”‘’…—](?=[\p{Han}\u3000-\u303f\uff00-\uffef]|$)|[\u3001-\u303f\uff00-\uffef]"
    r"|[^\s\p{Han}\u3001-\u303f\uff00-\uffef]+"
)
_WIDE = regex.compile(r"\p{Han}|[\u3000-\u303f\uff00-\uffef]")
_NOT_FIRST = "，。、；：？！）》」』】”’…—～·,.;:?!)]}%％"
_NOT_LAST = "（《「『【“‘([{$¥￥"


@dataclass(eq=False, slots=True)
class LineWord:
    """A word of the page, or a new one."""

    text: str
    part: str
    """What stands before it: a space or nothing."""
    line: int | None = None
    """Line of the word; None for new words."""
    pen: int = 0
    left: int = 0
    right: int = 0
    """Left and right column of its ink."""
    advance: float = 0.0
    """In pixels."""
    soft: bool = False
    """A hyphen at a line end, removed when the word is joined again."""
    begins: bool = False
    """Whether it must begin a line."""

    @property
    def is_new(self) -> bool:
        """Whether it is not on the page yet."""
        return self.line is None


def pieces_of(text: str, cuts: tuple[int, ...] = ()) -> list[tuple[str, str, int]]:
    """Split a text into words with separators and start positions; `cuts` are additional boundaries.

    >>> pieces_of("约28.7%的 fund", (3,))
    [('约', '', 0), ('28', '', 1), ('.7%', '', 3), ('的', '', 6), ('fund', ' ', 8)]
    """
    found = []
    end = 0
    for hit in _PIECES.finditer(text):
        edges = [hit.start(), *sorted(cut for cut in set(cuts) if hit.start() < cut < hit.end()), hit.end()]
        for start, stop in pairwise(edges):
            found.append((text[start:stop], " " if start > end else "", start))
            end = stop
    return found


def is_wide(text: str) -> bool:
    """Whether a word is Chinese, which needs no spaces."""
    return bool(_WIDE.search(text))


def may_break(before: LineWord, word: LineWord) -> bool:
    """Whether a line may break between two words."""
    if word.begins or before.soft or word.part:
        return True
    if word.text[0] in _NOT_FIRST or before.text[-1] in _NOT_LAST:
        return False
    return is_wide(before.text[-1]) or is_wide(word.text[0])


def units_of(words: list[LineWord]) -> list[list[LineWord]]:
    """Group words that must stay together."""
    units: list[list[LineWord]] = []
    for word in words:
        if units and not may_break(units[-1][-1], word):
            units[-1].append(word)
        else:
            units.append([word])
    return units


def part_between(before: str, after: str) -> str:
    """Return the separator of two adjacent texts."""
    if not before or not after or is_wide(before[-1]) or is_wide(after[0]):
        return ""
    return "" if after[0] in ",.;:?!)]}%" or before[-1] in "([{$" else " "
