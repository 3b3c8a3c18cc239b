"""What an instruction asks for, by rules on its words: the operation, the target, what is to stand there, the place."""

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
_QUOTE = regex.compile(r"⟦\d+⟧")


class InstructionMeaning(NamedTuple):
    """An instruction taken apart; what it does not say is empty."""

    operation: Operation
    target: str = ""
    """Text on the page: what changes, or what stands beside what is inserted."""
    new: str = ""
    row: str = ""
    column: str = ""
    within: str = ""
    """A longer text in which the target stands."""
    quoted: tuple[str, ...] = ()
    several: str = ""
    """The words that ask for more than one edit, or for more than one place."""
    others: tuple[str, ...] = ()
    """What else is quoted, neither of this edit nor to say where it is: of text and cells."""


def classify(text: str) -> Operation:
    """The operation that an instruction asks for, `OTHER` where its words do not say.

    >>> classify('Replace "2023" with "2024".'), classify("在表格中，将“甲”行“乙”列的单元格改为“丙”。")
    (<Operation.TEXT_REPLACE: 'text_replace'>, <Operation.TABLE_REPLACE: 'table_replace'>)
    >>> classify("Make the page nicer.")
    <Operation.OTHER: 'other'>
    """
    words, _ = _cut(text)
    tongue = tongue_of(words)
    return _operation(_without_what_stays(words, tongue), tongue)


def understand(text: str) -> InstructionMeaning:
    """What an instruction means.

    >>> understand('After "in May", add the remark "(estimated)".')[1:3]
    ('in May', '(estimated)')
    """
    words, quoted = _cut(text)
    tongue = tongue_of(words)
    words = _without_what_stays(words, tongue)
    operation = _operation(words, tongue)
    found = InstructionMeaning(operation, quoted=tuple(quoted), several=_several(words, tongue, operation))
    if operation is not Operation.TABLE_STRUCTURE:
        try:
            request = parse(text)
        except NotUnderstoodError:
            pass
        else:
            if request.target or request.in_cell:
                row, column = (request.row, request.column) if request.in_cell else ("", "")
                return found._replace(
                    target=request.target, new=request.new, within=request.within, row=row, column=column
                )
    return _by_signs(found, words, tongue)


def tongue_of(words: str) -> ModuleType:
    """The signs of the language that an instruction is written in, quotations aside."""
    return words_zh if _HAN.search(words) else words_en


def _cut(text: str) -> tuple[str, list[str]]:
    return cut_quotes(" ".join(text.split()))


def _without_what_stays(words: str, tongue: ModuleType) -> str:
    return regex.sub(tongue.KEEPS, "", words, flags=regex.IGNORECASE)


def _operation(words: str, tongue: ModuleType) -> Operation:
    for name, sign in tongue.OTHERS:
        if tongue.matches(sign, words):
            return Operation(name)
    in_table = tongue.matches(tongue.IN_TABLE, words) and not tongue.matches(tongue.NOT_IN_TABLE, words)
    if in_table and any(tongue.matches(sign, words) for sign in tongue.STRUCTURE):
        return Operation.TABLE_STRUCTURE
    verb = _verb(words, tongue)
    return Operation(f"{'table' if in_table else 'text'}_{verb}") if verb else Operation.OTHER


def _verb(words: str, tongue: ModuleType) -> str:
    """What is done to text: by the first verb of editing, except where a turn of phrase says otherwise."""
    found = sorted(
        (match.start(), verb)
        for verb, sign in tongue.VERBS.items()
        if (match := tongue.matches(_bounded(sign, tongue), words))
    )
    first = found[0][1] if found else ""
    if first == "replace" and tongue.matches(tongue.BY_ADDING, words):
        return "insert"
    if first == "replace" and tongue.matches(tongue.BY_REMOVING, words):
        return "delete"
    if first == "insert" and tongue.matches(tongue.INSTEAD, words):
        return "replace"
    if first == "replace" and tongue.matches(tongue.FILLS, words):
        return "insert"
    return first or next((verb for verb, sign in tongue.SHOULD if tongue.matches(sign, words)), "")


def _bounded(sign: str, tongue: ModuleType) -> str:
    return rf"\b(?:{sign})\b" if tongue is words_en else sign


def _several(words: str, tongue: ModuleType, operation: Operation) -> str:
    signs = tongue.SEVERAL_LINES if operation is Operation.TABLE_STRUCTURE else tongue.SEVERAL
    return next((match[0] for sign in signs if (match := tongue.matches(sign, words))), "")


def _by_signs(found: InstructionMeaning, words: str, tongue: ModuleType) -> InstructionMeaning:
    """Which quotation is what, by the words around each; what none of them claims, is the target."""
    verb = found.operation.value.rpartition("_")[2]
    in_table = found.operation.value.startswith("table")
    taken: dict[int, str] = {}

    def claim(field: str, signs: tuple[str, ...]) -> None:
        for sign in signs:
            for match in regex.finditer(sign, words, regex.IGNORECASE):
                if int(match[1]) not in taken and field not in taken.values():
                    taken[int(match[1])] = field

    if in_table:
        claim("row", tongue.ROW)
        claim("column", tongue.COLUMN)
    claim("within", tongue.WITHIN)
    if verb == "insert":
        claim("target", tongue.ANCHOR)
    claim("new", tongue.NEW.get(verb, ()))
    if verb == "replace" and tongue.matches(tongue.INSTEAD, words):
        claim("target", tongue.ANCHOR)
    edits_text = verb in tongue.VERBS
    left = [number for number in range(len(found.quoted)) if number not in taken]
    places = [number for number in left if edits_text and is_place(words, number, tongue)]
    if "target" not in taken.values() and left:
        bare = [number for number in left if number not in places]
        taken[(bare or left)[0]] = "target"
    bare = [number for number in left if number not in {*taken, *places}]
    if verb in ("replace", "insert") and "new" not in taken.values() and bare:
        taken[bare[-1]] = "new"
    more = others(words, found.quoted, taken, tongue) if edits_text else ()
    fields = {field: found.quoted[number] for number, field in taken.items()}
    around = [found.quoted[number] for number in places if fields.get("target", "") in found.quoted[number]]
    if "within" not in fields and around and fields.get("target") not in around:
        fields["within"] = around[0]
    if "target" not in fields and "within" in fields:
        fields["target"] = fields.pop("within")
    beside = tuple(found.quoted[number] for number in more)
    return InstructionMeaning(found.operation, quoted=found.quoted, several=found.several, others=beside, **fields)
