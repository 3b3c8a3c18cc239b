"""Difficulty of an edit: TextEditBench's ten attributes of 0, 1 or 2, their sum, and the tier of the sum."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Tier = Literal["easy", "medium", "hard", "unknown"]
ATTRIBUTES = (
    "num_text_regions",
    "text_length",
    "font_complexity",
    "language",
    "surface_geometry",
    "occlusion",
    "context_dependency",
    "background_clutter",
    "task_category",
    "semantic_linkage",
)
TIERS: tuple[Tier, ...] = ("easy", "medium", "hard")
HIGHEST = 2 * len(ATTRIBUTES)
_NOTATION = re.compile(r"\s*(?P<total>\d{1,3})?\s*[(（](?P<parts>[^()（）]*)[)）]\s*", re.ASCII)
_MISSPELT = {"esay": "easy", "meduim": "medium"}


def tier_of(total: int) -> Tier:
    """Return the tier of a sum.

    >>> [tier_of(total) for total in (0, 5, 6, 10, 11, 20, 21)]
    ['easy', 'easy', 'medium', 'medium', 'hard', 'hard', 'unknown']
    """
    if not 0 <= total <= HIGHEST:
        return "unknown"
    return "easy" if total <= 5 else "medium" if total <= 10 else "hard"


def tier_named(word: str) -> Tier:
    """Return the tier that a word names; ignores case and surrounding spaces and accepts the release's misspellings.

    >>> tier_named(" Medium"), tier_named("esay"), tier_named("so so")
    ('medium', 'easy', 'unknown')
    """
    plain = word.strip().lower()
    spelling = _MISSPELT.get(plain, plain)
    return next((tier for tier in TIERS if tier == spelling), "unknown")


@dataclass(frozen=True, slots=True)
class Difficulty:
    """Attribute values in the order of `ATTRIBUTES`, and the total as the file states it."""

    parts: tuple[int, ...]
    total: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether there are ten values of 0, 1 or 2, one for each attribute."""
        return len(self.parts) == len(ATTRIBUTES) and all(part in (0, 1, 2) for part in self.parts)

    @property
    def sum(self) -> int | None:
        """Sum of the values if they are complete, else the stated total.

        >>> Difficulty((0, 2, 0, 0, 0, 0, 0, 2, 0, 2), 4).sum, Difficulty((1, 1), 4).sum
        (6, 4)
        """
        return sum(self.parts) if self.is_complete else self.total

    @property
    def tier(self) -> Tier:
        """The tier of the sum."""
        return "unknown" if self.sum is None else tier_of(self.sum)

    @property
    def by_attribute(self) -> dict[str, int] | None:
        """Value of each attribute; None if the values are not complete."""
        return dict(zip(ATTRIBUTES, self.parts, strict=True)) if self.is_complete else None

    def __str__(self) -> str:
        """Return the difficulty in the notation of the release.

        >>> str(Difficulty.of({"text_length": 2, "occlusion": 1}))
        '3(0,2,0,0,0,1,0,0,0,0)'
        """
        return f"{'' if self.total is None else self.total}({','.join(map(str, self.parts))})"

    @classmethod
    def of(cls, values: Mapping[str, int]) -> Difficulty:
        """Return the difficulty with these values; attributes that are not named are 0."""
        parts = tuple(values.get(name, 0) for name in ATTRIBUTES)
        return cls(parts, sum(parts))


def parse(text: object) -> tuple[Difficulty | None, list[str]]:
    """Parse the notation of the release; return the difficulty (None if it cannot be parsed) and a list of problems.

    >>> parse("2(0,0,0,0,0,0,0,2,0,0)")
    (Difficulty(parts=(0, 0, 0, 0, 0, 0, 0, 2, 0, 0), total=2), [])
    >>> parse("3(0,0,0,0,0,0,0,2,0,0)")[1]
    ['its parts add up to 2, not to 3']
    >>> parse("(0,2)")[1]
    ['no total before the parts', '2 parts, expected 10']
    >>> parse("hard")
    (None, ["expected a total and ten parts such as '2(0,0,0,0,0,0,0,2,0,0)'"])
    """
    match = _NOTATION.fullmatch(text) if isinstance(text, str) else None
    words = re.split(r"[,，]", match["parts"]) if match else []
    if match is None or not all(re.fullmatch(r"\s*-?\d{1,3}\s*", word, re.ASCII) for word in words):
        return None, ["expected a total and ten parts such as '2(0,0,0,0,0,0,0,2,0,0)'"]
    difficulty = Difficulty(tuple(map(int, words)), None if match["total"] is None else int(match["total"]))
    return difficulty, _problems(difficulty.parts, difficulty.total)


def _problems(parts: Sequence[int], total: int | None) -> list[str]:
    problems = []
    if total is None:
        problems.append("no total before the parts")
    if len(parts) != len(ATTRIBUTES):
        problems.append(f"{len(parts)} parts, expected {len(ATTRIBUTES)}")
    if invalid := [str(part) for part in parts if part not in (0, 1, 2)]:
        problems.append(f"parts of {', '.join(invalid)}, expected 0, 1 or 2")
    if total is not None and sum(parts) != total:
        problems.append(f"its parts add up to {sum(parts)}, not to {total}")
    return problems
