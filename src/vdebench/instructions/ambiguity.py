"""An instruction that leaves something open, made of one that does not: for studies of under-specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import regex

from vdebench.core.sample import Operation
from vdebench.errors import VdeError
from vdebench.instructions.interpretation import InstructionMeaning, tongue_of, understand
from vdebench.instructions.phrasing import AMBIGUITIES, phrasings
from vdebench.instructions.quotations import cut_quotes
from vdebench.instructions.seeded_choice import SeededChoice
from vdebench.instructions.structure import StructureRequest, structure_of

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "target": "which text or cell of the page is meant",
        "operation": "what is to be done to it",
        "spatial": "where on the page the change is to be",
        "scope": "how much of the page is to change",
        "conditional": "whether the change is to be made at all",
        "linguistic": "what a word such as `it` or `there` refers to",
    }
)
"""What can be left open: the six dimensions that `vde ambiguity` grades."""
assert tuple(KINDS) == AMBIGUITIES  # one list of them in the project
_HAN = regex.compile(r"\p{Han}")
_OF_A_SENTENCE = regex.compile(r"\bsentence\b|一句")
_ENDS_IN_A_NUMBER = regex.compile(r"\d\s*[%％]?$")


class Ambiguous(NamedTuple):
    """An instruction that leaves something open, and what."""

    text: str
    kind: str


def kinds_for(instruction: str) -> list[str]:
    """What can be left open of an instruction by our rules; nothing where they do not understand it.

    >>> kinds_for('Replace "2023" with "2024".')
    ['conditional', 'linguistic', 'operation', 'target']
    """
    return sorted(_ways(instruction))


def make_ambiguous(instruction: str, kind: str = "", seed: int = 0) -> Ambiguous:
    """The same wish with one thing left open; which one, the seed decides where none is named.

    >>> make_ambiguous('Replace "2023" with "2024".', "linguistic")
    Ambiguous(text='Change it to "2024".', kind='linguistic')
    """
    if kind and kind not in KINDS:
        raise VdeError(f"there is no ambiguity {kind!r}; there are: {', '.join(KINDS)}")
    ways = _ways(instruction)
    if not ways:
        raise VdeError(f"not an instruction that our rules understand: {instruction[:80]!r}\n  ask a model instead")
    if kind and kind not in ways:
        raise VdeError(f"our rules leave open {', '.join(sorted(ways))} of this instruction, not {kind}")
    chance = SeededChoice("ambiguous", seed, instruction)
    found = kind or chance.choice(sorted(ways))
    return Ambiguous(chance.choice(ways[found]), found)


def _ways(instruction: str) -> dict[str, list[str]]:
    """Ambiguous forms by kind: the typeset suite's, with this instruction's quotations."""
    meaning = understand(instruction)
    words = phrasings("zh" if _HAN.search(_outside(instruction, meaning)) else "en")
    opening, closing = words["quote"]
    structure = structure_of(instruction, meaning) if meaning.operation is Operation.TABLE_STRUCTURE else None
    phrasing = _phrasing(instruction, meaning, structure)
    if not phrasing:
        return {}
    named = _of_table(structure, meaning) if structure else _of_text(meaning)
    fields = {
        name: words["list_join"].join(f"{opening}{each}{closing}" for each in values)
        for name, values in named.items()
        if all(values) and values
    }
    fields |= {"table": words["the_table"]}
    forms: dict[str, list[str]] = words["ambiguous"][phrasing]
    one = _is_sentence(meaning.new or meaning.target)
    made = {
        kind: [_filled(way, fields) for way in ways if one or not _OF_A_SENTENCE.search(way)]
        for kind, ways in forms.items()
    }
    return {kind: found for kind, ways in made.items() if (found := [way for way in ways if way])}


def _of_text(meaning: InstructionMeaning) -> dict[str, Sequence[str]]:
    """The fields of forms for text and cells."""
    return {
        "target": [meaning.target],
        "anchor": [meaning.target],
        "new": [meaning.new],
        "added": [meaning.new],
        "row": [meaning.row],
        "column": [meaning.column],
    }


def _of_table(structure: StructureRequest, meaning: InstructionMeaning) -> dict[str, Sequence[str]]:
    """The fields of forms for rows, columns and cells. The forms say `below` and `to the right`: not of what is
    to stand before a row or column."""
    names = () if structure.before else structure.named or tuple(filter(None, [meaning.target]))
    told: dict[str, Sequence[str]] = {"head": [structure.head], "cells": structure.cells, "other": names[1:2]}
    if structure.what == "cells":
        return {"row": [meaning.row]}
    return {**told, structure.what: names[:1]}


def _outside(instruction: str, meaning: InstructionMeaning) -> str:
    for quoted in meaning.quoted:
        instruction = instruction.replace(quoted, "")
    return instruction


def _filled(way: str, fields: Mapping[str, str]) -> str:
    """A form with its fields, or nothing where one lacks."""
    needed = regex.findall(r"\{(\w+)\}", way)
    return way.format(**fields) if all(name in fields for name in needed) else ""


def _is_sentence(text: str) -> bool:
    return bool(regex.search(r"[.。!！?？]$", text))


def _phrasing(instruction: str, meaning: InstructionMeaning, structure: StructureRequest | None) -> str:
    """The typeset suite's name for what is asked; nothing where it has none."""
    if structure is not None:
        if not structure.verb or not structure.what:
            return ""
        several = "s" if structure.verb == "merge" and structure.what != "cells" else ""
        return f"{structure.verb}_{structure.what}{several}"
    number = _ENDS_IN_A_NUMBER.search(meaning.target) and not _is_sentence(meaning.new)
    names: Mapping[Operation, Callable[[], str]] = {
        Operation.TEXT_REPLACE: lambda: "replace_text",
        Operation.TEXT_INSERT: lambda: "insert_text" if number else "insert_sentence",
        Operation.TEXT_DELETE: lambda: "delete_text",
        Operation.TABLE_REPLACE: lambda: "set_cell",
        Operation.TABLE_INSERT: lambda: _of_cell(instruction, meaning),
        Operation.TABLE_DELETE: lambda: "clear_cell",
    }
    return names[meaning.operation]() if meaning.operation in names and meaning.quoted else ""


def _of_cell(instruction: str, meaning: InstructionMeaning) -> str:
    """Whether a cell that has a text gets more of it, or an empty one gets its text; nothing where no word tells."""
    words, _ = cut_quotes(instruction)
    tongue = tongue_of(words)
    if tongue.matches(tongue.FILLS, words):
        return "fill_cell"
    return "append_cell" if meaning.target or tongue.matches(tongue.APPENDS, words) else ""
