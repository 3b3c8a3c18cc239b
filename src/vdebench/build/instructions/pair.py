"""The instruction that leads from one reading of a page to another: by comparing their blocks, no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import regex

from vdebench.build.instructions.folding import folded, shown
from vdebench.build.instructions.onpage import Grid, OnPage
from vdebench.reading import Block, Reading
from vdebench.sample import Operation
from vdebench.suites.typeset.instructions import phrasings

_HAN = regex.compile(r"\p{Han}")
_WORDS = regex.compile(
    r"\p{Han}|[[\p{L}\p{N}$]--\p{Han}](?:[[\p{L}\p{N}]--\p{Han}]|[.,'’-](?=[\p{L}\p{N}]))*%?|\S", regex.V1
)
_LIKE = 0.5
"""How like two blocks must be to be one block before and after."""
_CONTEXT = 4
"""Words of an anchor."""
_BETWEEN = 2


class Inferred(NamedTuple):
    """What was done to a page, and the instruction that asks for it."""

    operation: Operation
    instruction: str
    target: str
    replacement: str = ""


def infer_from_pair(before: Reading, after: Reading, language: str = "") -> Inferred | None:
    """The one edit between two readings; nothing where they say the same, or differ in more than one place.

    >>> from vdebench.box import Box
    >>> one, other = (Reading((Block(Box(0, 0, 9, 9), f"Sales rose by {share} in May."),)) for share in ("5%", "7%"))
    >>> infer_from_pair(one, other).instruction
    'Replace "5%" with "7%".'
    """
    found = [*_table_changes(before, after), *_text_changes(before, after)]
    if len(found) != 1:
        return None
    operation, fields = found[0]
    phrasing = _phrasing(operation, fields)
    said = " ".join(value if isinstance(value, str) else " ".join(value) for value in fields.values())
    chinese = language == "simplified_chinese" or (language != "english" and bool(_HAN.search(said)))
    words = phrasings("zh" if chinese else "en")
    opening, closing = words["quote"]
    quoted = {
        name: words["list_join"].join(
            f"{opening}{each}{closing}" for each in ([value] if isinstance(value, str) else value)
        )
        for name, value in fields.items()
    }
    text = words["instructions"][phrasing][0].format(**quoted, table=words["the_table"])
    target = fields.get("target") or fields.get("anchor") or fields.get("row") or fields.get("column") or ""
    return Inferred(operation, text, str(target), str(fields.get("new") or fields.get("added") or ""))


Fields = dict[str, "str | list[str]"]
Change = tuple[Operation, Fields]


def _phrasing(operation: Operation, fields: Fields) -> str:
    """The typeset suite's name for an edit."""
    match operation:
        case Operation.TABLE_REPLACE:
            return "set_cell"
        case Operation.TABLE_INSERT:
            return "append_cell" if "added" in fields else "fill_cell"
        case Operation.TABLE_DELETE:
            return "clear_cell"
        case Operation.TABLE_STRUCTURE:
            return ("add_" if "cells" in fields else "delete_") + ("row" if "row" in fields else "column")
    return f"{operation.value.rpartition('_')[2]}_text"


def _text_changes(before: Reading, after: Reading) -> Iterator[Change]:
    old = [block for block in before.blocks if not block.html and folded(block.content)]
    new = [block for block in after.blocks if not block.html and folded(block.content)]
    pairs, lost, added = _paired(old, new)
    on_page = OnPage(before)
    for one, other in pairs:
        yield from _changes_in(shown(one.content), shown(other.content), on_page)
    for block in lost:
        yield Operation.TEXT_DELETE, {"target": " ".join(shown(block.content).split())}
    for block in added:
        above = [each for each in old if each.box.y2 <= block.box.y1 + 1]
        anchor = max(above, key=lambda each: each.box.y2, default=None)
        if anchor is not None:
            lines = " ".join(shown(anchor.content).split())
            yield Operation.TEXT_INSERT, {"anchor": lines[-60:], "new": " ".join(shown(block.content).split())}


def _paired(old: list[Block], new: list[Block]) -> tuple[list[tuple[Block, Block]], list[Block], list[Block]]:
    """Blocks before and after that are one, those that are gone, and those that have come; the same text first."""
    left, right, pairs = list(old), list(new), []
    for one in old:
        same = next((other for other in right if folded(other.content) == folded(one.content)), None)
        if same is not None:
            left.remove(one)
            right.remove(same)
    for one in list(left):
        best = max(right, key=lambda other: _likeness(one, other), default=None)
        if best is not None and _likeness(one, best) >= _LIKE:
            pairs.append((one, best))
            left.remove(one)
            right.remove(best)
    return pairs, left, right


def _likeness(one: Block, other: Block) -> float:
    return max(SequenceMatcher(None, folded(one.content), folded(other.content)).ratio(), one.box.iou(other.box))


def _changes_in(before: str, after: str, on_page: OnPage) -> Iterator[Change]:
    """Changed stretches of a block, in whole words, with as much around them as makes them occur once on the page."""
    old, new = list(_WORDS.finditer(before)), list(_WORDS.finditer(after))
    one, other = ([folded(word[0]) for word in words] for words in (old, new))
    for kind, i1, i2, j1, j2 in _joined(SequenceMatcher(None, one, other, autojunk=False).get_opcodes()):
        inserted = after[new[j1].start() : new[j2 - 1].end()] if j2 > j1 else ""
        if kind == "insert":
            start = max(0, i1 - _CONTEXT)
            while start and on_page.count(before[old[start].start() : old[i1 - 1].end()]) > 1:
                start -= 1
            if i1:
                yield Operation.TEXT_INSERT, {"anchor": before[old[start].start() : old[i1 - 1].end()], "new": inserted}
            continue
        left, right = i1, i2
        while on_page.count(before[old[left].start() : old[right - 1].end()]) > 1 and (left or right < len(old)):
            left, right = max(0, left - 1), min(len(old), right + 1)
        target = before[old[left].start() : old[right - 1].end()]
        if kind == "delete":
            yield Operation.TEXT_DELETE, {"target": before[old[i1].start() : old[i2 - 1].end()]}
        else:
            around = before[old[left].start() : old[i1].start()], before[old[i2 - 1].end() : old[right - 1].end()]
            yield Operation.TEXT_REPLACE, {"target": target, "new": around[0] + inserted + around[1]}


def _joined(codes: Sequence[tuple[str, int, int, int, int]]) -> Iterator[tuple[str, int, int, int, int]]:
    """Changes with a word or two between them are one."""
    held: tuple[int, int, int, int] | None = None
    for kind, i1, i2, j1, j2 in codes:
        if kind != "equal":
            held = (held[0] if held else i1, i2, held[2] if held else j1, j2)
        elif held and i2 - i1 > _BETWEEN:
            yield _kind(*held), *held
            held = None
    if held:
        yield _kind(*held), *held


def _kind(i1: int, i2: int, j1: int, j2: int) -> str:
    return "insert" if i1 == i2 else "delete" if j1 == j2 else "replace"


def _table_changes(before: Reading, after: Reading) -> Iterator[Change]:
    for one, other in zip(OnPage(before).grids, OnPage(after).grids, strict=False):
        if (one.height, one.width) == (other.height, other.width):
            yield from _cell_changes(one, other)
        elif one.width == other.width:
            yield from _line_changes(_rows(one), _rows(other), "row")
        elif one.height == other.height:
            yield from _line_changes(_columns(one), _columns(other), "column")


def _cell_changes(one: Grid, other: Grid) -> Iterator[Change]:
    for cell in one.cells:
        now = other.at(cell.row, cell.column)
        if now is None or folded(now.text) == folded(cell.text):
            continue
        row, column = one.at(cell.row, 0), one.at(one.head - 1, cell.column)
        fields: Fields = {"row": row.text if row else "", "column": column.text if column else ""}
        if not now.text:
            yield Operation.TABLE_DELETE, fields
        elif not cell.text:
            yield Operation.TABLE_INSERT, fields | {"new": now.text}
        elif now.text.startswith(cell.text):
            yield Operation.TABLE_INSERT, fields | {"added": now.text[len(cell.text) :].strip()}
        else:
            yield Operation.TABLE_REPLACE, fields | {"new": now.text}


def _rows(grid: Grid) -> list[list[str]]:
    return [[cell.text if (cell := grid.at(row, c)) else "" for c in range(grid.width)] for row in range(grid.height)]


def _columns(grid: Grid) -> list[list[str]]:
    return [list(column) for column in zip(*_rows(grid), strict=True)]


def _line_changes(old: list[list[str]], new: list[list[str]], what: str) -> Iterator[Change]:
    one, other = ([tuple(map(folded, line)) for line in lines] for lines in (old, new))
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "delete":
            for line in old[i1:i2]:
                yield Operation.TABLE_STRUCTURE, {what: line[0]}
        elif kind == "insert" and i1:
            for line in new[j1:j2]:
                added: Fields = {what: old[i1 - 1][0], "cells": line if what == "row" else line[1:]}
                yield Operation.TABLE_STRUCTURE, added if what == "row" else added | {"head": line[0]}
        elif kind == "replace":
            yield Operation.TABLE_STRUCTURE, {what: old[i1][0]}
