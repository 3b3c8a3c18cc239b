"""Make a precise instruction ambiguous, for studies of under-specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import regex

from vdebench.core.sample import Operation
from vdebench.errors import VdeError
from vdebench.instructions.interpretation import InstructionMeaning, patterns_of, understand
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
"""Kinds of ambiguity: the six dimensions that `vde ambiguity` grades."""
assert tuple(KINDS) == AMBIGUITIES  # the same list as in `phrasing`
_HAN = regex.compile(r"\p{Han}")
_OF_A_SENTENCE = regex.compile(r"\bsentence\b|一句")
_ENDS_IN_A_NUMBER = regex.compile(r"\d\s*[%％]?$")


class Ambiguous(NamedTuple):
    """An ambiguous instruction and the kind of its ambiguity."""

    text: str
    kind: str


def kinds_for(instruction: str) -> list[str]:
    """Return the kinds of ambiguity that the rules can create for an instruction; empty if they do not understand it.

    >>> kinds_for('Replace "2023" with "2024".')
    ['conditional', 'linguistic', 'operation', 'target']
    """
    return sorted(_ways(instruction))


def make_ambiguous(instruction: str, kind: str = "", seed: int = 0) -> Ambiguous:
    """Rephrase an instruction with one ambiguity; the seed selects the kind if none is given.

    >>> make_ambiguous('Replace "2023" with "2024".', "linguistic")
    Ambiguous(text='Change it to "2024".', kind='linguistic')
    """
    if kind and kind not in KINDS:
        raise VdeError(f"unknown ambiguity {kind!r}; available: {', '.join(KINDS)}")
    ways = _ways(instruction)
    if not ways:
        raise VdeError(f"the rules do not understand this instruction: {instruction[:80]!r}\n  use a model instead")
    if kind and kind not in ways:
        raise VdeError(f"the rules can make this instruction ambiguous in {', '.join(sorted(ways))}, not in {kind}")
    chance = SeededChoice("ambiguous", seed, instruction)
    chosen = kind or chance.choice(sorted(ways))
    return Ambiguous(chance.choice(ways[chosen]), chosen)


def _ways(instruction: str) -> dict[str, list[str]]:
    """Return ambiguous forms by kind: those of the typeset suites, with this instruction's quotations."""
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
    by_kind = {
        kind: [_filled(way, fields) for way in ways if one or not _OF_A_SENTENCE.search(way)]
        for kind, ways in forms.items()
    }
    return {kind: filled for kind, ways in by_kind.items() if (filled := [way for way in ways if way])}


def _of_text(meaning: InstructionMeaning) -> dict[str, Sequence[str]]:
    """Return the fields of forms for text and cells."""
    return {
        "target": [meaning.target],
        "anchor": [meaning.target],
        "new": [meaning.new],
        "added": [meaning.new],
        "row": [meaning.row],
        "column": [meaning.column],
    }


def _of_table(structure: StructureRequest, meaning: InstructionMeaning) -> dict[str, Sequence[str]]:
    """Return the fields of forms for rows, columns and cells.

    The forms say `below` and `to the right`, so no name is given for something inserted before a row or column.
    """
    names = () if structure.before else structure.named or tuple(filter(None, [meaning.target]))
    fields: dict[str, Sequence[str]] = {"head": [structure.head], "cells": structure.cells, "other": names[1:2]}
    if structure.what == "cells":
        return {"row": [meaning.row]}
    return {**fields, structure.what: names[:1]}


def _outside(instruction: str, meaning: InstructionMeaning) -> str:
    for quoted in meaning.quoted:
        instruction = instruction.replace(quoted, "")
    return instruction


def _filled(way: str, fields: Mapping[str, str]) -> str:
    """Fill a form; empty if a field is missing."""
    needed = regex.findall(r"\{(\w+)\}", way)
    return way.format(**fields) if all(name in fields for name in needed) else ""


def _is_sentence(text: str) -> bool:
    return bool(regex.search(r"[.。!！?？]$", text))


def _phrasing(instruction: str, meaning: InstructionMeaning, structure: StructureRequest | None) -> str:
    """Return the typeset suites' name of the edit; empty if it has none."""
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
    """Return whether text is appended to a cell or an empty cell is filled; empty if the words do not say."""
    words, _ = cut_quotes(instruction)
    patterns = patterns_of(words)
    if patterns.matches(patterns.FILLS, words):
        return "fill_cell"
    return "append_cell" if meaning.target or patterns.matches(patterns.APPENDS, words) else ""
