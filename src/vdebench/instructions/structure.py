"""What is asked of a table's rows, columns or cells as a whole: whether one is added, deleted or merged, and which."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import regex

from vdebench.instructions.extra_quotations import is_other_end, is_place, others
from vdebench.instructions.interpretation import InstructionMeaning, tongue_of
from vdebench.instructions.quotations import cut_quotes


class StructureRequest(NamedTuple):
    """An instruction on a table's structure taken apart; what it does not say is empty."""

    verb: str = ""
    """add, delete or merge."""
    what: str = ""
    """row, column or cells; nothing where several rows or columns come or go."""
    named: tuple[str, ...] = ()
    """What names rows or columns that the page has: each must be there."""
    before: bool = False
    """Whether what is added is to stand above or to the left of what is named."""
    head: str = ""
    cells: tuple[str, ...] = ()
    """Of what is added, or comes of rows or columns that are merged: none of it needs to be on the page."""
    others: tuple[str, ...] = ()
    """What else is quoted to name something: of a deletion or an addition it may be a second row or column."""


def structure_of(instruction: str, meaning: InstructionMeaning) -> StructureRequest:
    """What an instruction asks of a table.

    >>> from vdebench.instructions.interpretation import understand
    >>> told = 'Add a row below the row "North" with the cells "West" and "3".'
    >>> structure_of(told, understand(told))[:3]
    ('add', 'row', ('North',))
    """
    words, _ = cut_quotes(" ".join(instruction.split()))
    tongue = tongue_of(words)
    verb = _verb(words, tongue)
    by_signs = tuple(filter(None, (meaning.row or meaning.column,)))
    if verb == "add":
        return _added(words, tongue, meaning)
    if verb == "merge":
        what = tongue.merged(words)
        if what == "cells":
            return StructureRequest(verb, what, by_signs if meaning.row else ())
        return StructureRequest(verb, what, meaning.quoted[:2], cells=meaning.quoted[2:])
    what = _noun(tongue.matches(tongue.LINE, words)) if verb else ""
    return StructureRequest(
        verb, what, by_signs, others=_beside_the_first(words, tongue, meaning, by_signs) if verb else ()
    )


def _beside_the_first(
    words: str, tongue: ModuleType, meaning: InstructionMeaning, named: tuple[str, ...]
) -> tuple[str, ...]:
    """What is quoted beside the row or column that is named, or else beside the first that says not only where."""
    numbers = range(len(meaning.quoted))
    bare = [number for number in numbers if not is_place(words, number, tongue)]
    first = [number for number in numbers if meaning.quoted[number] in named] or bare or list(numbers)
    return tuple(meaning.quoted[number] for number in others(words, meaning.quoted, first[:1], tongue))


def _verb(words: str, tongue: ModuleType) -> str:
    """The first of the verbs; the words `a new row` alone tell it where there is none."""
    signs = {"add": tongue.ADDED, "merge": tongue.MERGED, "delete": tongue.DELETED, "": tongue.REARRANGED}
    found = [(match.start(), verb) for verb, sign in signs.items() if (match := tongue.matches(sign, words))]
    return min(found)[1] if found else "add" if tongue.matches(tongue.NEW_LINE, words) else ""


def _added(words: str, tongue: ModuleType, meaning: InstructionMeaning) -> StructureRequest:
    what = _noun(tongue.matches(tongue.ADDED, words) or tongue.matches(tongue.NEW_LINE, words))
    beside = next((match for sign in tongue.BESIDE_LINE if (match := tongue.matches(sign, words))), None)
    head = next(
        (
            int(match["quoted"])
            for match in regex.finditer(tongue.HEAD, words, regex.IGNORECASE)
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
        named, before = [meaning.quoted[at]], bool(tongue.matches(tongue.IN_FRONT, beside[0]))
        ends = {number for number in range(len(meaning.quoted)) if is_other_end(words, number, tongue)} - {at}
        named += [meaning.quoted[number] for number in sorted(ends)]
        left = set(range(len(meaning.quoted))) - {at} - ends
        second = _beside(words, tongue) & left
    cells = tuple(meaning.quoted[number] for number in sorted(left - {head}))
    more = tuple(meaning.quoted[number] for number in sorted(second))
    return StructureRequest("add", what, tuple(named), before, heading, cells, more)


def _beside(words: str, tongue: ModuleType) -> set[int]:
    """All quotations beside which something is said to stand."""
    signs = tongue.BESIDE_LINE
    return {int(match["quoted"]) for sign in signs for match in regex.finditer(sign, words, regex.IGNORECASE)}


def _noun(match: regex.Match[str] | None) -> str:
    """Row or column; nothing where several are meant."""
    kinds = {"row": "row", "column": "column", "行": "row", "列": "column", "栏": "column"}
    return kinds.get(match["line"].lower(), "") if match and not match.groupdict().get("several") else ""
