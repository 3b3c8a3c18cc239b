"""Instructions that ask for several replacements: `Change "a" to "b" and "c" to "d"`."""

from __future__ import annotations

import regex

from vdebench.instructions.interpretation import InstructionMeaning, understand
from vdebench.instructions.quotations import cut_quotes
from vdebench.instructions.request import EditRequest, NotUnderstoodError, parse

_VALUE = r"(⟦\d+⟧|[^\s，,。、；;⟦⟧()（）]{1,24}?)"
_REPLACEMENTS = (
    regex.compile(
        rf"(?:将|把)?\s*{_VALUE}\s*(?:修改为|修改成|更改为|改成|改为|换成|换为|替换为|替换成|变成)\s*"
        r"(⟦\d+⟧|[^\s，,。、；;⟦⟧()（）]{1,24})"
    ),
    regex.compile(r"(⟦\d+⟧)(?:\s+\w+){0,4}?\s+(?:to|with|into|by|as|→|->)\s+(⟦\d+⟧)", regex.IGNORECASE),
)


def requests_of(instruction: str) -> list[EditRequest]:
    """Return all edits that an instruction asks for; empty if one of them is not understood by rule.

    >>> [(each.target, each.new) for each in requests_of('Change "2011" to "3120" and "MAPLES" to "LEAF".')]
    [('2011', '3120'), ('MAPLES', 'LEAF')]
    >>> [(each.target, each.new) for each in requests_of("将0改成7，“冷藏”改成“风速”。")]
    [('0', '7'), ('冷藏', '风速')]
    >>> requests_of("Make it nicer."), requests_of('Change "a" to "b" and delete "c".')
    ([], [])
    """
    words, quoted = cut_quotes(" ".join(instruction.split()))
    replacements: list[EditRequest] = []
    for pattern in _REPLACEMENTS:
        for match in pattern.finditer(words):
            target, new = (_unquoted(match[group], quoted) for group in (1, 2))
            request = EditRequest("replace", target, new)
            if target and new and request not in replacements:
                replacements.append(request)
    meaning = understand(instruction)
    named = {meaning.target, meaning.new, *meaning.others} - {""} if replacements else {*meaning.others}
    is_all = named <= {text for each in replacements for text in (each.target, each.new)}
    if len(replacements) > 1:
        return replacements if is_all else []
    try:
        return [parse(instruction)]
    except NotUnderstoodError:
        pass
    if meaning.several or not is_all:
        return []  # it asks for another edit too
    return _by_meaning(meaning) if meaning.within or not replacements else replacements


def _unquoted(value: str, quoted: list[str]) -> str:
    return quoted[int(value[1:-1])] if value.startswith("⟦") else value.strip()


def _by_meaning(meaning: InstructionMeaning) -> list[EditRequest]:
    """Return the edit that the quotations and verbs of an instruction suggest."""
    verb = meaning.operation.value.rpartition("_")[2]
    fields = {"row": meaning.row, "column": meaning.column, "within": meaning.within}
    if verb == "replace" and meaning.new and (meaning.target or meaning.row):
        return [EditRequest("replace", meaning.target, meaning.new, **fields)]
    if verb == "delete" and meaning.target:
        return [EditRequest("delete", meaning.target, **fields)]
    if verb == "insert" and meaning.new and meaning.target:
        return [EditRequest("insert_after", meaning.target, meaning.new, **fields)]
    return []
