"""How hard an edit is: TextEditBench's ten attributes of 0, 1 or 2, their sum, and the tier that follows from it."""

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
_WRITTEN = re.compile(r"\s*(?P<total>\d{1,3})?\s*[(（](?P<parts>[^()（）]*)[)）]\s*", re.ASCII)
_MISSPELT = {"esay": "easy", "meduim": "medium"}


def tier_of(total: int) -> Tier:
    """The tier of a sum.

    >>> [tier_of(total) for total in (0, 5, 6, 10, 11, 20, 21)]
    ['easy', 'easy', 'medium', 'medium', 'hard', 'hard', 'unknown']
    """
    if not 0 <= total <= HIGHEST:
        return "unknown"
    return "easy" if total <= 5 else "medium" if total <= 10 else "hard"


def tier_named(word: str) -> Tier:
    """The tier that a word names, in whatever case, with spaces around it, or misspelt as it is in the release.

    >>> tier_named(" Medium"), tier_named("esay"), tier_named("so so")
    ('medium', 'easy', 'unknown')
    """
    plain = word.strip().lower()
    known = _MISSPELT.get(plain, plain)
    return next((tier for tier in TIERS if tier == known), "unknown")


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The parts in the order of `ATTRIBUTES`, as they are written, and the total that is written beside them."""

    parts: tuple[int, ...]
    total: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether there are ten parts of 0, 1 or 2, so that each belongs to its attribute."""
        return len(self.parts) == len(ATTRIBUTES) and all(part in (0, 1, 2) for part in self.parts)

    @property
    def sum(self) -> int | None:
        """What the parts add up to where they are complete, else the written total.

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
        """Each attribute's value, nothing where the parts are not complete."""
        return dict(zip(ATTRIBUTES, self.parts, strict=True)) if self.is_complete else None

    def __str__(self) -> str:
        """As the release writes it.

        >>> str(Difficulty.of({"text_length": 2, "occlusion": 1}))
        '3(0,2,0,0,0,1,0,0,0,0)'
        """
        return f"{'' if self.total is None else self.total}({','.join(map(str, self.parts))})"

    @classmethod
    def of(cls, values: Mapping[str, int]) -> Difficulty:
        """The difficulty with these values; attributes that are not named are 0."""
        parts = tuple(values.get(name, 0) for name in ATTRIBUTES)
        return cls(parts, sum(parts))


def parse(text: object) -> tuple[Difficulty | None, list[str]]:
    """A difficulty as the release writes it, and all that is wrong with it.

    >>> parse("2(0,0,0,0,0,0,0,2,0,0)")
    (Difficulty(parts=(0, 0, 0, 0, 0, 0, 0, 2, 0, 0), total=2), [])
    >>> parse("3(0,0,0,0,0,0,0,2,0,0)")[1]
    ['its parts add up to 2, not to 3']
    >>> parse("(0,2)")[1]
    ['no total before the parts', '2 parts, expected 10']
    >>> parse("hard")
    (None, ["expected a total and ten parts such as '2(0,0,0,0,0,0,0,2,0,0)'"])
    """
    written = _WRITTEN.fullmatch(text) if isinstance(text, str) else None
    words = re.split(r"[,，]", written["parts"]) if written else []
    if written is None or not all(re.fullmatch(r"\s*-?\d{1,3}\s*", word, re.ASCII) for word in words):
        return None, ["expected a total and ten parts such as '2(0,0,0,0,0,0,0,2,0,0)'"]
    found = Difficulty(tuple(map(int, words)), None if written["total"] is None else int(written["total"]))
    return found, list(_wrong(found.parts, found.total))


def _wrong(parts: Sequence[int], total: int | None) -> list[str]:
    wrong = []
    if total is None:
        wrong.append("no total before the parts")
    if len(parts) != len(ATTRIBUTES):
        wrong.append(f"{len(parts)} parts, expected {len(ATTRIBUTES)}")
    if odd := [str(part) for part in parts if part not in (0, 1, 2)]:
        wrong.append(f"parts of {', '.join(odd)}, expected 0, 1 or 2")
    if total is not None and sum(parts) != total:
        wrong.append(f"its parts add up to {sum(parts)}, not to {total}")
    return wrong
