"""Samples: one editing task each; the operations that they ask for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from vdebench.core.box import Box, Size

LANGUAGES = ("english", "simplified_chinese", "en_ch_mixed")
SOURCES = (
    "PPT2PDF",
    "academic_literature",
    "book",
    "colorful_textbook",
    "exam_paper",
    "magazine",
    "newspaper",
    "note",
    "research_report",
)


class Operation(StrEnum):
    """The seven edits of VDE Bench, three of TextEditBench, `none` for a page without a task, `other` if unknown."""

    TEXT_REPLACE = "text_replace"
    TEXT_INSERT = "text_insert"
    TEXT_DELETE = "text_delete"
    TABLE_REPLACE = "table_replace"
    TABLE_INSERT = "table_insert"
    TABLE_DELETE = "table_delete"
    TABLE_STRUCTURE = "table_structure"
    TEXT_RELOCATION = "text_relocation"
    SCALING = "scaling"
    TEXT_ATTRIBUTE = "text_attribute"
    NONE = "none"
    OTHER = "other"

    @property
    def edit_class(self) -> str:
        """The edit class of the paper's tables 3, 9 and 10.

        >>> Operation.TABLE_DELETE.edit_class
        'Text Deletion'
        """
        return _FOUR_CLASSES.get(self.value.rpartition("_")[2], "Other")

    @property
    def is_deletion(self) -> bool:
        """Whether the edit only removes text."""
        return self in (Operation.TEXT_DELETE, Operation.TABLE_DELETE)

    @classmethod
    def parse(cls, name: str, *, in_table: bool = False) -> Operation:
        """Parse any of the spellings in use; `in_table` is set for samples of a table group.

        >>> Operation.parse("Text Replacement"), Operation.parse("in-table text addition")
        (<Operation.TEXT_REPLACE: 'text_replace'>, <Operation.TABLE_INSERT: 'table_insert'>)
        >>> Operation.parse("delete", in_table=True)
        <Operation.TABLE_DELETE: 'table_delete'>
        >>> Operation.parse("make it nicer")
        <Operation.OTHER: 'other'>
        """
        words = re.sub(r"[\W_]+", " ", name.lower()).strip()
        if _STRUCTURE.fullmatch(words):
            return cls.TABLE_STRUCTURE
        if name in (cls.TEXT_RELOCATION, cls.SCALING, cls.TEXT_ATTRIBUTE):
            return cls(name)
        edit = _TEXT_EDIT.fullmatch(words)
        if edit is None:
            return cls.OTHER
        where = "table" if in_table or edit["table"] else "text"
        return cls(f"{where}_{_VERBS[edit['verb'][:3]]}")


_FOUR_CLASSES = {
    "replace": "Text Modify",
    "insert": "Text Addition",
    "delete": "Text Deletion",
    "structure": "Table Structure Edit",
}
OPERATION_CLASSES = tuple(_FOUR_CLASSES.values())
_VERBS = {"rep": "replace", "mod": "replace", "cha": "replace", "ins": "insert", "add": "insert", "del": "delete"}
_TEXT_EDIT = re.compile(
    r"(?P<table>(in )?table )?(text )?"
    r"(?P<verb>replace(ment)?|modif(y|ication)|change|insert(ion)?|add(ition)?|delet(e|ion))"
    r"( text)?"
)
_STRUCTURE = re.compile(r"(table )?structur(e|al)( (edit(ing)?|modif(y|ication)|change))?")


@dataclass(frozen=True, slots=True)
class Region:
    """An edited region: left, top, width and height in percent of the edited page, as the release stores it."""

    x: float
    y: float
    width: float
    height: float
    page: Size | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def box(self, page: Size) -> Box:
        """Return the region in pixels of a page."""
        return Box.from_percent(self.x, self.y, self.width, self.height, page)


@dataclass(frozen=True, slots=True)
class Sample:
    """One editing task: images, instruction, edited regions.

    Image names are kept as the suite writes them; `extra` holds other fields of the suite's format.
    """

    id: str
    group: str
    instruction: str = ""
    operation: Operation = Operation.NONE
    language: str = "unknown"
    source: str = "unknown"
    source_image: str = ""
    reference_image: str = ""
    regions: tuple[Region, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def key(self) -> str:
        """Name that is unique in a suite; ids may repeat between groups.

        >>> Sample(id="17", group="table").key
        'table/17'
        """
        return f"{self.group}/{self.id}"

    @property
    def target_text(self) -> str:
        """All text that the edit writes, one piece in each line; "" if the suite does not state it.

        >>> Sample(id="17", group="text", extra={"target_text": ["Summary", "2025"]}).target_text
        'Summary\\n2025'
        """
        value = self.extra.get("target_text")
        pieces = value if isinstance(value, list | tuple) else [value]
        return "\n".join(piece.strip() for piece in pieces if isinstance(piece, str)).strip()
