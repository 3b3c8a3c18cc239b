"""The edits that an instruction asks for, also several: `Change "a" to "b" and "c" to "d"`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import regex

from vdebench.core.sample import Operation
from vdebench.instructions.extent import Extent, UnclearExtentError, cut_extent
from vdebench.instructions.interpretation import InstructionMeaning, understand
from vdebench.instructions.place import place_of
from vdebench.instructions.quotations import MARKERS, cut_quotes, insert_quotes
from vdebench.instructions.request import EditRequest, NotUnderstoodError, parse
from vdebench.instructions.unquoted import changes_look, quote_values

_VALUE = r"(⟦\d+⟧|[^\s，,。、；;⟦⟧()（）]{1,24}?)"
_REPLACEMENTS = (
    regex.compile(
        rf"(?:将|把)?\s*{_VALUE}\s*(?:修改为|修改成|更改为|改成|改为|换成|换为|替换为|替换成|变成)\s*"
        r"(⟦\d+⟧|[^\s，,。、；;⟦⟧()（）]{1,24})"
    ),
    regex.compile(r"(⟦\d+⟧)(?:\s+\w+){0,4}?\s+(?:to|with|into|by|as|→|->)\s+(⟦\d+⟧)", regex.IGNORECASE),
)
_VERB = r"(?:replace|change|delete|remove|insert|add|append|erase|update|correct|modify)\b"
_CLAUSE_END = regex.compile(
    rf"(?:\s*[,;]\s*|\s+)(?:and|then|and then|and also|also)\s+(?={_VERB})|\s*[.;]\s+(?:then\s+|also\s+)?(?={_VERB})"
    r"|(?<=⟧[^⟦]*)[，；。](?:然后|同时|并且|并|再)?(?:请)?(?=(?:将|把)[^⟦，。；]{0,8}⟦|在[^⟦，。；]{0,8}⟦|删[除去掉])"
    r"|(?<=⟧)(?:然后|同时|并且|并|再)(?=(?:将|把|在)[^⟦，。；]{0,8}⟦|删[除去掉])",
    regex.IGNORECASE,
)
_REMARK = regex.compile(
    r"(?<=[.;!]) ?(?:please )?(?:preserve|keep|maintain|leave|make sure|ensure|do not|don't|don’t|match)\b[^.;!]*[.;!]?"
    r"|(?<=[。；，])(?:请)?(?:保持|保留|不要|注意|确保|其他|其余)[^。；]*[。；]?",
    regex.IGNORECASE,
)
"""A sentence on what stays as it is."""
_MARK = regex.compile(r"[“”„\"「」『』«»]")
_SENTENCE = regex.compile(r"\b(?:sentence|phrase|word|clause|question)\b|句", regex.IGNORECASE)
_LINE = regex.compile(r"\bline\b|行", regex.IGNORECASE)
_PARAGRAPH = regex.compile(r"\b(?:paragraph|passage|section|block|text)\b|段|正文|文[字本]", regex.IGNORECASE)
_NOT_TEXT = (Operation.SCALING, Operation.TEXT_ATTRIBUTE, Operation.TEXT_RELOCATION, Operation.TABLE_STRUCTURE)
_NO_REPLACEMENT = (Operation.TEXT_INSERT, Operation.TEXT_DELETE)
_PLACED_FIRST = regex.compile(
    r"^(?:please )?(?:in|on|at|from|under|below|above|within|inside|near) (?:the|this|that|line)\b|^(?:请)?在",
    regex.IGNORECASE,
)
"""Whether an instruction begins with a place, which may hold for all its clauses."""


def requests_of(instruction: str) -> list[EditRequest]:
    """Return all edits that an instruction asks for; empty if one of them is not understood by rule.

    >>> [(each.target, each.new) for each in requests_of('Change "2011" to "3120" and "MAPLES" to "LEAF".')]
    [('2011', '3120'), ('MAPLES', 'LEAF')]
    >>> [(each.target, each.new) for each in requests_of("将0改成7，“冷藏”改成“风速”。")]
    [('0', '7'), ('冷藏', '风速')]
    >>> [(each.action, each.target) for each in requests_of('Change "a" to "b" and delete "c".')]
    [('replace', 'a'), ('delete', 'c')]
    >>> requests_of('Delete "a" everywhere.')[0].everywhere, requests_of("Make it nicer.")
    (True, [])
    """
    if MARKERS & set(instruction):
        return []
    words, quoted = quote_values(*cut_quotes(" ".join(instruction.split())))
    if _MARK.search(words) or changes_look(words):  # a mark: it is not clear where a quotation ends
        return []
    requests: list[EditRequest] = []
    for clause in _CLAUSE_END.split(words):
        found = _clause_requests(clause, quoted)
        if not found:
            return []
        requests += found
    placed = [bool(each.place or each.line) for each in requests]
    if _PLACED_FIRST.search(words) and placed[0] and not all(placed):
        return []  # does the place hold for the other clauses?
    return requests


def _clause_requests(words: str, quoted: list[str]) -> list[EditRequest]:
    """Return the edits of a clause, with the places that it means."""
    words = _REMARK.sub("", words)
    try:
        words, extent = cut_extent(words)
    except UnclearExtentError:
        return []
    requests = _requests(*cut_quotes(insert_quotes(words, quoted)))
    if len(requests) != 1:
        return [] if extent.is_stated else _placed_together(words, requests)
    (request,) = requests
    if request.action == "delete_block" and _SENTENCE.search(words):
        return []  # a part of a block
    if request.action == "delete_block":
        request = replace(request, block=_block_kind(words))
    if request.in_cell or request.action in ("insert_block", "delete_block"):
        return [] if extent.is_stated else [request]
    return [_placed(request, extent, place_of(words))]


def _block_kind(words: str) -> Literal["", "line", "item"]:
    """Return where a block ends, by the noun of an instruction without its quotations.

    >>> [_block_kind(f"delete the {noun} that begins with ⟦0⟧") for noun in ("whole paragraph", "line", "list item")]
    ['', 'line', 'item']
    """
    if _PARAGRAPH.search(words):
        return ""
    return "line" if _LINE.search(words) else "item"


def _placed_together(words: str, requests: list[EditRequest]) -> list[EditRequest]:
    """Return several edits of one clause at its place; none if the place may be that of one of them only.

    >>> found = requests_of('Change "a" to "b" and "c" to "d" in the second paragraph.')
    >>> [each.place for each in found]
    ['second paragraph', 'second paragraph']
    >>> requests_of('Change "a" in the title to "b" and "c" to "d".')
    []
    """
    place = place_of(words)
    if not place:
        return requests
    before, _, behind = words.partition(place)
    of_all = "⟦" not in behind or ("⟦" not in before and not behind.lstrip().startswith("⟦"))
    if not of_all or place_of(f"{before}{behind}"):
        return []
    return [replace(each, place=place) for each in requests]


def _placed(request: EditRequest, extent: Extent, place: str) -> EditRequest:
    everywhere, occurrence, line = extent
    return replace(request, place=place, everywhere=everywhere, occurrence=occurrence, line=line)


def _requests(words: str, quoted: list[str]) -> list[EditRequest]:
    instruction = insert_quotes(words, quoted)
    meaning = understand(instruction)
    replacements: list[EditRequest] = []
    for pattern in _REPLACEMENTS if meaning.operation not in _NO_REPLACEMENT else ():
        for match in pattern.finditer(words):
            target, new = (_unquoted(match[group], quoted) for group in (1, 2))
            request = EditRequest("replace", target, new)
            if target and new and request not in replacements:
                replacements.append(request)
    named = {meaning.target, meaning.new, *meaning.others} - {""} if replacements else {*meaning.others}
    is_all = named <= {text for each in replacements for text in (each.target, each.new)}
    if len(replacements) > 1:
        return replacements if is_all and meaning.operation not in _NOT_TEXT else []
    try:
        return [parse(instruction)]
    except NotUnderstoodError:
        pass
    if meaning.several or not is_all or meaning.operation in _NOT_TEXT:
        return []  # it asks for another edit, too or instead
    return _by_meaning(meaning) if meaning.within or not replacements else replacements


def _unquoted(value: str, quoted: list[str]) -> str:
    return quoted[int(value[1:-1])] if value.startswith("⟦") else value.strip()


def _by_meaning(meaning: InstructionMeaning) -> list[EditRequest]:
    """Return the edit that the quotations and verbs of an instruction suggest."""
    verb = meaning.operation.value.rpartition("_")[2]
    fields: dict[str, Any] = {"row": meaning.row, "column": meaning.column, "within": meaning.within}
    if verb == "replace" and meaning.new and (meaning.target or meaning.row):
        return [EditRequest("replace", meaning.target, meaning.new, **fields)]
    if verb == "delete" and meaning.target:
        return [EditRequest("delete", meaning.target, **fields)]
    if verb == "insert" and meaning.new and meaning.target:
        return [EditRequest("insert_after", meaning.target, meaning.new, **fields)]
    return []
