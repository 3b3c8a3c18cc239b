"""Parse instructions on table structure: add, delete or merge rows, columns or cells."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import regex

from vdebench.instructions.extra_quotations import is_other_end, is_place, others
from vdebench.instructions.interpretation import InstructionMeaning, patterns_of
from vdebench.instructions.quotations import cut_quotes


class StructureRequest(NamedTuple):
    """A parsed instruction on table structure; fields that it does not state are empty."""

    verb: str = ""
    """add, delete or merge."""
    what: str = ""
    """row, column or cells; empty if several rows or columns are added or deleted."""
    named: tuple[str, ...] = ()
    """Names of existing rows or columns."""
    before: bool = False
    """Whether to add above or to the left of the named line."""
    head: str = ""
    cells: tuple[str, ...] = ()
    """Texts of added or merged cells; they need not be on the page."""
    others: tuple[str, ...] = ()
    """Other quotations that name something: possibly a second row or column."""


def structure_of(instruction: str, meaning: InstructionMeaning) -> StructureRequest:
    """Parse what an instruction asks of a table's structure.

    >>> from vdebench.instructions.interpretation import understand
    >>> text = 'Add a row below the row "North" with the cells "West" and "3".'
    >>> structure_of(text, understand(text))[:3]
    ('add', 'row', ('North',))
    """
    words, _ = cut_quotes(" ".join(instruction.split()))
    patterns = patterns_of(words)
    verb = _verb(words, patterns)
    by_signs = tuple(filter(None, (meaning.row or meaning.column,)))
    if verb == "add":
        return _added(words, patterns, meaning)
    if verb == "merge":
        what = patterns.merged(words)
        if what == "cells":
            return StructureRequest(verb, what, by_signs if meaning.row else ())
        return StructureRequest(verb, what, meaning.quoted[:2], cells=meaning.quoted[2:])
    what = _noun(patterns.matches(patterns.LINE, words)) if verb else ""
    return StructureRequest(
        verb, what, by_signs, others=_beside_the_first(words, patterns, meaning, by_signs) if verb else ()
    )


def _beside_the_first(
    words: str, patterns: ModuleType, meaning: InstructionMeaning, named: tuple[str, ...]
) -> tuple[str, ...]:
    """Return quotations besides the named row or column, or besides the first that is not a place."""
    numbers = range(len(meaning.quoted))
    bare = [number for number in numbers if not is_place(words, number, patterns)]
    first = [number for number in numbers if meaning.quoted[number] in named] or bare or list(numbers)
    return tuple(meaning.quoted[number] for number in others(words, meaning.quoted, first[:1], patterns))


def _verb(words: str, patterns: ModuleType) -> str:
    """Return the first verb; `add` if only `a new row` is mentioned."""
    signs = {"add": patterns.ADDED, "merge": patterns.MERGED, "delete": patterns.DELETED, "": patterns.REARRANGED}
    found = [(match.start(), verb) for verb, sign in signs.items() if (match := patterns.matches(sign, words))]
    return min(found)[1] if found else "add" if patterns.matches(patterns.NEW_LINE, words) else ""


def _added(words: str, patterns: ModuleType, meaning: InstructionMeaning) -> StructureRequest:
    what = _noun(patterns.matches(patterns.ADDED, words) or patterns.matches(patterns.NEW_LINE, words))
    beside = next((match for sign in patterns.BESIDE_LINE if (match := patterns.matches(sign, words))), None)
    head = next(
        (
            int(match["quoted"])
            for match in regex.finditer(patterns.HEAD, words, regex.IGNORECASE)
            if what == "column" and not (beside and match["quoted"] == beside["quoted"])
        ),
        None,
    )
    heading = "" if head is None else meaning.quoted[head]
    if beside is None:
        lines = [name for name in (meaning.row, meaning.column) if name and name != heading]
        named = lines[:1] or [meaning.target] * bool(meaning.target)
        left = {number for number, text in enumerate(meaning.quoted) if text not in named}
        before, second = False, set[int]()
    else:
        at = int(beside["quoted"])
        named, before = [meaning.quoted[at]], bool(patterns.matches(patterns.IN_FRONT, beside[0]))
        ends = {number for number in range(len(meaning.quoted)) if is_other_end(words, number, patterns)} - {at}
        named += [meaning.quoted[number] for number in sorted(ends)]
        left = set(range(len(meaning.quoted))) - {at} - ends
        second = _beside(words, patterns) & left
    cells = tuple(meaning.quoted[number] for number in sorted(left - {head}))
    more = tuple(meaning.quoted[number] for number in sorted(second))
    return StructureRequest("add", what, tuple(named), before, heading, cells, more)


def _beside(words: str, patterns: ModuleType) -> set[int]:
    """Return all quotations next to which something is placed."""
    signs = patterns.BESIDE_LINE
    return {int(match["quoted"]) for sign in signs for match in regex.finditer(sign, words, regex.IGNORECASE)}


def _noun(match: regex.Match[str] | None) -> str:
    """Return `row` or `column`; empty if several are meant."""
    kinds = {"row": "row", "column": "column", "行": "row", "列": "column", "栏": "column"}
    return kinds.get(match["line"].lower(), "") if match and not match.groupdict().get("several") else ""
