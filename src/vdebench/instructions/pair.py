"""Infer the instruction between two versions of a page by comparing their text blocks, without a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import product
from typing import NamedTuple

import regex

from vdebench.core.box import Box
from vdebench.core.page_text import Block, PageText
from vdebench.core.sample import Operation
from vdebench.instructions.folding import folded, without_tex
from vdebench.instructions.page_index import Grid, GridCell, PageIndex, is_heading
from vdebench.instructions.phrasing import phrasings

_HAN = regex.compile(r"\p{Han}")
_WORDS = regex.compile(
    r"\p{Han}|[[\p{L}\p{N}$]--\p{Han}](?:[[\p{L}\p{N}]--\p{Han}]|[.,'’-](?=[\p{L}\p{N}]))*%?|\S", regex.V1
)
_LIKE = 0.5
"""Minimum similarity of two blocks to be matched."""
_CONTEXT = 4
"""Number of words of an anchor."""
_BETWEEN = 2
_WITHIN = "delete_within"
_DELETE_WITHIN = {"en": "In the text {within}, delete {target}.", "zh": "在文字{within}中，删除{target}。"}


class InferredInstruction(NamedTuple):
    """The edit of a page, and an instruction that asks for it."""

    operation: Operation
    instruction: str
    target: str
    replacement: str = ""


def infer_from_pair(before: PageText, after: PageText, language: str = "") -> InferredInstruction | None:
    """Return the single edit between two page texts; None if there is none or more than one, or if it cannot be
    phrased.

    Not phrased are edits of a text that is not unique with its context, of table headings, and of the span of cells.

    >>> from vdebench.core.box import Box
    >>> one, other = (PageText((Block(Box(0, 0, 9, 9), f"Sales rose by {share} in May."),)) for share in ("5%", "7%"))
    >>> infer_from_pair(one, other).instruction
    'Replace "5%" with "7%".'
    """
    on_page = PageIndex(before)
    changes = [*_table_changes(on_page, PageIndex(after)), *_text_changes(before, after, on_page)]
    if len(changes) != 1 or changes[0] is None:
        return None
    operation, fields = changes[0]
    phrasing = _phrasing(operation, fields)
    quoted_text = " ".join(value if isinstance(value, str) else " ".join(value) for value in fields.values())
    chinese = language == "simplified_chinese" or (language != "english" and bool(_HAN.search(quoted_text)))
    words = phrasings("zh" if chinese else "en")
    opening, closing = words["quote"]
    quoted = {
        name: words["list_join"].join(
            f"{opening}{each}{closing}" for each in ([value] if isinstance(value, str) else value)
        )
        for name, value in fields.items()
    }
    forms = _DELETE_WITHIN["zh" if chinese else "en"] if phrasing == _WITHIN else words["instructions"][phrasing][0]
    text = forms.format(**quoted, table=words["the_table"])
    target = fields.get("target") or fields.get("anchor") or fields.get("row") or fields.get("column") or ""
    return InferredInstruction(operation, text, str(target), str(fields.get("new") or fields.get("added") or ""))


Fields = dict[str, "str | list[str]"]
Change = tuple[Operation, Fields] | None
"""None: a change that cannot be phrased."""


def _phrasing(operation: Operation, fields: Fields) -> str:
    """Return the typeset suites' name of an edit."""
    match operation:
        case Operation.TABLE_REPLACE:
            return "set_cell"
        case Operation.TABLE_INSERT:
            return "append_cell" if "added" in fields else "fill_cell"
        case Operation.TABLE_DELETE:
            return "clear_cell"
        case Operation.TABLE_STRUCTURE:
            return ("add_" if "cells" in fields else "delete_") + ("row" if "row" in fields else "column")
        case Operation.TEXT_DELETE if "within" in fields:
            return _WITHIN
    return f"{operation.value.rpartition('_')[2]}_text"


def _text_changes(before: PageText, after: PageText, on_page: PageIndex) -> Iterator[Change]:
    old = [block for block in before.blocks if not block.html and folded(block.content)]
    new = [block for block in after.blocks if not block.html and folded(block.content)]
    pairs, lost, added = _paired(old, new)
    for one, other in pairs:
        yield from _changes_in(without_tex(one.content), without_tex(other.content), on_page)
    for block in lost:
        target = " ".join(without_tex(block.content).split())
        yield (Operation.TEXT_DELETE, {"target": target}) if on_page.count(target) == 1 else None
    for block in added:
        above = [each for each in old if each.box.y2 <= block.box.y1 + 1]
        anchor = max(above, key=lambda each: each.box.y2, default=None)
        text = " ".join(without_tex(anchor.content).split())[-60:] if anchor is not None else ""
        fields: Fields = {"anchor": text, "new": " ".join(without_tex(block.content).split())}
        yield (Operation.TEXT_INSERT, fields) if on_page.count(text) == 1 else None


def _paired(old: list[Block], new: list[Block]) -> tuple[list[tuple[Block, Block]], list[Block], list[Block]]:
    """Match blocks before and after, equal text first; return pairs, removed blocks and added blocks."""
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


def _changes_in(before: str, after: str, on_page: PageIndex) -> Iterator[Change]:
    """Yield the changed word ranges of a block, extended until they are unique on the page."""
    old, new = list(_WORDS.finditer(before)), list(_WORDS.finditer(after))
    one, other = ([folded(word[0]) for word in words] for words in (old, new))
    for kind, i1, i2, j1, j2 in _joined(SequenceMatcher(None, one, other, autojunk=False).get_opcodes()):
        inserted = after[new[j1].start() : new[j2 - 1].end()] if j2 > j1 else ""
        if kind == "insert":
            start = max(0, i1 - _CONTEXT)
            while start and on_page.count(before[old[start].start() : old[i1 - 1].end()]) > 1:
                start -= 1
            anchor = before[old[start].start() : old[i1 - 1].end()] if i1 else ""
            yield (Operation.TEXT_INSERT, {"anchor": anchor, "new": inserted}) if on_page.count(anchor) == 1 else None
            continue
        left, right = i1, i2
        while on_page.count(before[old[left].start() : old[right - 1].end()]) > 1 and (left or right < len(old)):
            left, right = max(0, left - 1), min(len(old), right + 1)
        target = before[old[left].start() : old[right - 1].end()]
        if on_page.count(target) != 1:
            yield None
        elif kind == "delete":
            yield _deleted(before[old[i1].start() : old[i2 - 1].end()], target)
        else:
            around = before[old[left].start() : old[i1].start()], before[old[i2 - 1].end() : old[right - 1].end()]
            yield Operation.TEXT_REPLACE, {"target": target, "new": around[0] + inserted + around[1]}


def _deleted(deleted: str, within: str) -> Change:
    """Return a deletion; text that is not unique is quoted within its context."""
    if deleted == within:
        return Operation.TEXT_DELETE, {"target": deleted}
    around = PageIndex(PageText((Block(Box(0, 0, 1, 1), within),)))
    return (Operation.TEXT_DELETE, {"target": deleted, "within": within}) if around.count(deleted) == 1 else None


def _joined(codes: Sequence[tuple[str, int, int, int, int]]) -> Iterator[tuple[str, int, int, int, int]]:
    """Join changes that are at most two words apart."""
    pending: tuple[int, int, int, int] | None = None
    for kind, i1, i2, j1, j2 in codes:
        if kind != "equal":
            pending = (pending[0] if pending else i1, i2, pending[2] if pending else j1, j2)
        elif pending and i2 - i1 > _BETWEEN:
            yield _kind(*pending), *pending
            pending = None
    if pending:
        yield _kind(*pending), *pending


def _kind(i1: int, i2: int, j1: int, j2: int) -> str:
    return "insert" if i1 == i2 else "delete" if j1 == j2 else "replace"


def _table_changes(before: PageIndex, after: PageIndex) -> Iterator[Change]:
    if len(before.grids) != len(after.grids):
        yield None
        return
    for one, other in zip(before.grids, after.grids, strict=True):
        if (one.height, one.width) == (other.height, other.width):
            yield from _cell_changes(one, other, before)
        elif one.width == other.width:
            yield from _line_changes(_rows(one), _rows(other), "row", before)
        elif one.height == other.height:
            yield from _line_changes(_columns(one), _columns(other), "column", before)
        else:
            yield None


def _cell_changes(one: Grid, other: Grid, on_page: PageIndex) -> Iterator[Change]:
    for row, column in product(range(one.height), range(one.width)):
        cell, new_cell = one.at(row, column), other.at(row, column)
        if _shape(cell) != _shape(new_cell):
            yield None  # cells were merged or split
        elif cell is None or new_cell is None or (cell.row, cell.column) != (row, column):
            continue
        elif folded(new_cell.text) != folded(cell.text):
            yield _cell_change(one, cell, new_cell, on_page)


def _shape(cell: GridCell | None) -> tuple[int, ...] | None:
    return (cell.row, cell.column, cell.rowspan, cell.colspan) if cell else None


def _cell_change(grid: Grid, cell: GridCell, new_cell: GridCell, on_page: PageIndex) -> Change:
    """Return the change of a cell if the names of its row and column identify it."""
    row, column = grid.at(cell.row, 0), grid.at(grid.head - 1, cell.column)
    if not row or not column or on_page.cells_at(row.text, column.text) != [cell]:
        return None
    fields: Fields = {"row": row.text, "column": column.text}
    if not new_cell.text:
        return Operation.TABLE_DELETE, fields
    if not cell.text:
        return Operation.TABLE_INSERT, fields | {"new": new_cell.text}
    if new_cell.text.startswith(cell.text):
        return Operation.TABLE_INSERT, fields | {"added": new_cell.text[len(cell.text) :].strip()}
    return Operation.TABLE_REPLACE, fields | {"new": new_cell.text}


def _rows(grid: Grid) -> list[list[str]]:
    return [[cell.text if (cell := grid.at(row, c)) else "" for c in range(grid.width)] for row in range(grid.height)]


def _columns(grid: Grid) -> list[list[str]]:
    return [list(column) for column in zip(*_rows(grid), strict=True)]


def _line_changes(old: list[list[str]], new: list[list[str]], what: str, on_page: PageIndex) -> Iterator[Change]:
    one, other = ([tuple(map(folded, line)) for line in lines] for lines in (old, new))
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if kind == "replace" or (kind == "insert" and not i1):  # no line before it to name its position
            yield None
        elif kind == "delete":
            for line in old[i1:i2]:
                yield _named(line[0], {what: line[0]}, on_page)
        else:
            for line in new[j1:j2]:
                added: Fields = {what: old[i1 - 1][0], "cells": line if what == "row" else line[1:]}
                yield _named(old[i1 - 1][0], added if what == "row" else added | {"head": line[0]}, on_page)


def _named(name: str, fields: Fields, on_page: PageIndex) -> Change:
    """Return the change of a row or column if its name is unique."""
    heads = [cell for cell in on_page.cells_reading(name) if is_heading(cell, on_page)]
    return (Operation.TABLE_STRUCTURE, fields) if len(heads) == 1 else None
