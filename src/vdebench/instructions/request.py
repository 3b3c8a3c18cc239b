"""What an instruction asks for, in English or Chinese; or why we do not know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import regex

from vdebench.instructions import request_en, request_zh
from vdebench.instructions.quotations import cut_quotes

Action = Literal["replace", "insert_after", "insert_before", "delete", "insert_block", "delete_block"]


@dataclass(frozen=True, slots=True)
class EditRequest:
    """One edit: what to do, to which text, with which text, and where."""

    action: Action
    target: str = ""
    """Text on the page: what to replace or delete, what to insert beside, how a block begins. In a cell it may lack."""
    new: str = ""
    row: str = ""
    """Label of a table's row, or `#3` for the third and `#-1` for the last; with `column`, the edit is in that cell."""
    column: str = ""
    within: str = ""
    """A longer text in which the target stands."""
    place: str = ""
    """Where on the page it stands, in the instruction's words."""

    @property
    def in_cell(self) -> bool:
        """Whether a table's cell is named."""
        return bool(self.row and self.column)


class NotUnderstoodError(ValueError):
    """An instruction that we cannot carry out; says why."""


_HAN = regex.compile(r"\p{Han}")


def parse(instruction: str) -> EditRequest:
    """The request of an instruction.

    >>> parse('Replace "2023" with "2024".').new
    '2024'
    >>> request = parse("在表格中，将“甲”行“乙”列的单元格改为“丙”。")
    >>> request.row, request.column, request.new
    ('甲', '乙', '丙')
    >>> parse("Make the title nicer.")
    Traceback (most recent call last):
    vdebench.instructions.request.NotUnderstoodError: the instruction quotes no text
    """
    words, quoted = cut_quotes(" ".join(instruction.split()))
    tongue = request_zh if _HAN.search(words) else request_en
    reason = tongue.reason_against(words)
    if reason:
        raise NotUnderstoodError(reason)
    if not quoted:
        words, quoted = tongue.guess_quotes(words)
    if not quoted:
        raise NotUnderstoodError("the instruction quotes no text")
    for kind, pattern in tongue.WAYS:
        found = pattern.fullmatch(words)
        if found:
            fields = {name: value for name, value in found.groupdict().items() if value}
            return EditRequest(kind, **{name: _unquoted(name, value, quoted) for name, value in fields.items()})
    raise NotUnderstoodError("the instruction is not one we understand")


def _unquoted(name: str, value: str, quoted: list[str]) -> str:
    """A field as it is meant: a quotation, a number of a row or column, or words."""
    if regex.fullmatch(r"⟦\d+⟧", value):
        return quoted[int(value[1:-1])]
    if name in ("row", "column"):
        return f"#{request_en.ORDINALS.get(value.lower()) or request_zh.ORDINALS.get(value) or value}"
    return regex.sub(r"⟦(\d+)⟧", lambda number: quoted[int(number[1])], value).strip(" .,")
