"""Parse an English or Chinese instruction into an edit request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import regex

from vdebench.instructions import request_en, request_zh
from vdebench.instructions.quotations import MARKERS, cut_quotes

Action = Literal["replace", "insert_after", "insert_before", "delete", "insert_block", "delete_block"]


@dataclass(frozen=True, slots=True)
class EditRequest:
    """One edit: the action, its target, the new text, and the position."""

    action: Action
    target: str = ""
    """Text to replace or delete, to insert next to, or the beginning of a block; may be empty for a cell."""
    new: str = ""
    row: str = ""
    """Label of a table row, or `#3` for the third and `#-1` for the last; with `column` it identifies a cell."""
    column: str = ""
    within: str = ""
    """A longer text that contains the target."""
    place: str = ""
    """Position on the page, in the words of the instruction."""
    everywhere: bool = False
    """Whether all places of the target are meant. Only `several.requests_of` sets this field and the next three."""
    occurrence: int = 0
    """Number of the place of the target, in reading order from 1; -1 for the last, 0 if it is not stated."""
    line: int = 0
    """Number of the line of the page that has the target, from 1; -1 for the last, 0 if it is not stated."""
    block: Literal["", "line", "item"] = ""
    """Where a block ends that is deleted: with its paragraph by default, with its `line`, or, for an `item` such as a
    heading or a list item, at a place that the page may not show."""

    @property
    def in_cell(self) -> bool:
        """Whether the request names a table cell."""
        return bool(self.row and self.column)


class NotUnderstoodError(ValueError):
    """The instruction is not supported; the message says why."""


_HAN = regex.compile(r"\p{Han}")


def parse(instruction: str) -> EditRequest:
    """Parse an instruction; raise `NotUnderstoodError` if it is not supported.

    >>> parse('Replace "2023" with "2024".').new
    '2024'
    >>> request = parse("在表格中，将“甲”行“乙”列的单元格改为“丙”。")
    >>> request.row, request.column, request.new
    ('甲', '乙', '丙')
    >>> parse("Make the title nicer.")
    Traceback (most recent call last):
    vdebench.instructions.request.NotUnderstoodError: the instruction quotes no text
    """
    if MARKERS & set(instruction):
        raise NotUnderstoodError("the instruction has the marks ⟦ or ⟧")
    words, quoted = cut_quotes(" ".join(instruction.split()))
    grammar = request_zh if _HAN.search(words) else request_en
    reason = grammar.unsupported_reason(words)
    if reason:
        raise NotUnderstoodError(reason)
    if not quoted:
        words, quoted = grammar.guess_quotes(words)
    if not quoted:
        raise NotUnderstoodError("the instruction quotes no text")
    for kind, pattern in grammar.PATTERNS:
        match = pattern.fullmatch(words)
        if match:
            texts = {name: value for name, value in match.groupdict().items() if value}
            fields: dict[str, Any] = {name: _unquoted(name, value, quoted) for name, value in texts.items()}
            return EditRequest(kind, **fields)
    raise NotUnderstoodError("the instruction is not supported")


def _unquoted(name: str, value: str, quoted: list[str]) -> str:
    """Return the value of a field: a quotation, the number of a row or column, or words."""
    if regex.fullmatch(r"⟦\d+⟧", value):
        return quoted[int(value[1:-1])]
    if name in ("row", "column"):
        return f"#{request_en.ORDINALS.get(value.lower()) or request_zh.ORDINALS.get(value) or value}"
    return regex.sub(r"⟦(\d+)⟧", lambda number: quoted[int(number[1])], value).strip(" .,")
