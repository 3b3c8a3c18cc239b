"""Interpret instructions by rules: operation, target, new text, position."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import regex

from vdebench.core.sample import Operation
from vdebench.instructions import words_en, words_zh
from vdebench.instructions.extra_quotations import is_place, others
from vdebench.instructions.quotations import cut_quotes
from vdebench.instructions.request import NotUnderstoodError, parse

_HAN = regex.compile(r"\p{Han}")


class InstructionMeaning(NamedTuple):
    """A parsed instruction; fields that it does not state are empty."""

    operation: Operation
    target: str = ""
    """Text on the page that changes, or next to which text is inserted."""
    new: str = ""
    row: str = ""
    column: str = ""
    within: str = ""
    """A longer text that contains the target."""
    quoted: tuple[str, ...] = ()
    several: str = ""
    """Words that ask for more than one edit or place."""
    others: tuple[str, ...] = ()
    """Other quotations of text and cells, which neither belong to the edit nor locate it."""


def classify(text: str) -> Operation:
    """Return the operation that an instruction asks for; `OTHER` if it is not clear.

    >>> classify('Replace "2023" with "2024".'), classify("在表格中，将“甲”行“乙”列的单元格改为“丙”。")
    (<Operation.TEXT_REPLACE: 'text_replace'>, <Operation.TABLE_REPLACE: 'table_replace'>)
    >>> classify("Make the page nicer.")
    <Operation.OTHER: 'other'>
    """
    words, _ = _cut(text)
    patterns = patterns_of(words)
    return _operation(_without_what_stays(words, patterns), patterns)


def understand(text: str) -> InstructionMeaning:
    """Parse an instruction.

    >>> understand('After "in May", add the remark "(estimated)".')[1:3]
    ('in May', '(estimated)')
    """
    words, quoted = _cut(text)
    patterns = patterns_of(words)
    words = _without_what_stays(words, patterns)
    operation = _operation(words, patterns)
    meaning = InstructionMeaning(operation, quoted=tuple(quoted), several=_several(words, patterns, operation))
    if operation is not Operation.TABLE_STRUCTURE:
        try:
            request = parse(text)
        except NotUnderstoodError:
            pass
        else:
            if request.target or request.in_cell:
                row, column = (request.row, request.column) if request.in_cell else ("", "")
                return meaning._replace(
                    target=request.target, new=request.new, within=request.within, row=row, column=column
                )
    return _by_signs(meaning, words, patterns)


def patterns_of(words: str) -> ModuleType:
    """Return the word patterns of the language of an instruction, ignoring quotations."""
    return words_zh if _HAN.search(words) else words_en


def _cut(text: str) -> tuple[str, list[str]]:
    return cut_quotes(" ".join(text.split()))


def _without_what_stays(words: str, patterns: ModuleType) -> str:
    return regex.sub(patterns.KEEPS, "", words, flags=regex.IGNORECASE)


def _operation(words: str, patterns: ModuleType) -> Operation:
    for name, sign in patterns.OTHERS:
        if patterns.matches(sign, words):
            return Operation(name)
    in_table = patterns.matches(patterns.IN_TABLE, words) and not patterns.matches(patterns.NOT_IN_TABLE, words)
    if in_table and any(patterns.matches(sign, words) for sign in patterns.STRUCTURE):
        return Operation.TABLE_STRUCTURE
    verb = _verb(words, patterns)
    return Operation(f"{'table' if in_table else 'text'}_{verb}") if verb else Operation.OTHER


def _verb(words: str, patterns: ModuleType) -> str:
    """Return the kind of text edit: by the first verb, unless a phrase says otherwise."""
    matches = sorted(
        (match.start(), verb)
        for verb, sign in patterns.VERBS.items()
        if (match := patterns.matches(_bounded(sign, patterns), words))
    )
    first = matches[0][1] if matches else ""
    if first == "replace" and patterns.matches(patterns.BY_ADDING, words):
        return "insert"
    if first == "replace" and patterns.matches(patterns.BY_REMOVING, words):
        return "delete"
    if first == "insert" and patterns.matches(patterns.INSTEAD, words):
        return "replace"
    if first == "replace" and patterns.matches(patterns.FILLS, words):
        return "insert"
    return first or next((verb for verb, sign in patterns.SHOULD if patterns.matches(sign, words)), "")


def _bounded(sign: str, patterns: ModuleType) -> str:
    return rf"\b(?:{sign})\b" if patterns is words_en else sign


def _several(words: str, patterns: ModuleType, operation: Operation) -> str:
    signs = patterns.SEVERAL_LINES if operation is Operation.TABLE_STRUCTURE else patterns.SEVERAL
    return next((match[0] for sign in signs if (match := patterns.matches(sign, words))), "")


def _by_signs(meaning: InstructionMeaning, words: str, patterns: ModuleType) -> InstructionMeaning:
    """Assign quotations to fields by the words around them; the first unassigned one is the target."""
    verb = meaning.operation.value.rpartition("_")[2]
    in_table = meaning.operation.value.startswith("table")
    assigned: dict[int, str] = {}

    def claim(field: str, signs: tuple[str, ...]) -> None:
        for sign in signs:
            for match in regex.finditer(sign, words, regex.IGNORECASE):
                if int(match[1]) not in assigned and field not in assigned.values():
                    assigned[int(match[1])] = field

    if in_table:
        claim("row", patterns.ROW)
        claim("column", patterns.COLUMN)
    claim("within", patterns.WITHIN)
    if verb == "insert":
        claim("target", patterns.ANCHOR)
    claim("new", patterns.NEW.get(verb, ()))
    if verb == "replace" and patterns.matches(patterns.INSTEAD, words):
        claim("target", patterns.ANCHOR)
    edits_text = verb in patterns.VERBS
    left = [number for number in range(len(meaning.quoted)) if number not in assigned]
    places = [number for number in left if edits_text and is_place(words, number, patterns)]
    if "target" not in assigned.values() and left:
        bare = [number for number in left if number not in places]
        assigned[(bare or left)[0]] = "target"
    bare = [number for number in left if number not in {*assigned, *places}]
    if verb in ("replace", "insert") and "new" not in assigned.values() and bare:
        assigned[bare[-1]] = "new"
    remaining = others(words, meaning.quoted, assigned, patterns) if edits_text else ()
    fields = {field: meaning.quoted[number] for number, field in assigned.items()}
    around = [meaning.quoted[number] for number in places if fields.get("target", "") in meaning.quoted[number]]
    if "within" not in fields and around and fields.get("target") not in around:
        fields["within"] = around[0]
    if "target" not in fields and "within" in fields:
        fields["target"] = fields.pop("within")
    beside = tuple(meaning.quoted[number] for number in remaining)
    return InstructionMeaning(
        meaning.operation, quoted=meaning.quoted, several=meaning.several, others=beside, **fields
    )
