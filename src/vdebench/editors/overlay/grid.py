"""Locate a table cell by the names of its row and column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import regex
from rapidfuzz.distance import Levenshtein

from vdebench.core.box import Box
from vdebench.editors.overlay.location import OverlayPage, fold
from vdebench.editors.overlay.paragraphs import joined_rows
from vdebench.instructions.request import NotUnderstoodError
from vdebench.readers.layout.grouping import center_inside, in_rows
from vdebench.readers.lines.line import Line


class GridCellArea(NamedTuple):
    """A cell: its area, its text, and similar cells."""

    box: Box
    lines: list[Line]
    like: list[Line]
    """Lines of other cells of the column, the nearest first."""


_PIECES = 0.3


def find_cell(page: OverlayPage, row: str, column: str) -> GridCellArea:
    """Return the cell of a row and column; raise `NotUnderstoodError` if it is not unique."""
    found = _named(page, row, column, 0.0) or _named(page, row, column, _PIECES)
    if not found:
        what = "a table with " if page.tables else "no table on the page, so not "
        raise NotUnderstoodError(f"{what}row “{row}” and column “{column}” was not found")
    if len(found) > 1:
        # A label may also occur as a value: headers are at the top, labels at the left.
        found.sort(key=lambda each: (each[3].y1, each[2].x1))
        best = [each for each in found if each[3].y1 == found[0][3].y1 and each[2].x1 - found[0][2].x1 < 3]
        if len(best) > 1:
            raise NotUnderstoodError(f"row “{row}” and column “{column}” match {len(best)} cells")
        found = best
    table, lines, label, head = found[0]
    return _cell(page, table, lines, label, head)


def _named(page: OverlayPage, row: str, column: str, far: float) -> list[tuple[Box, list[Line], Box, Box]]:
    """Yield tables with their lines, and the lines with the names of row and column.

    `far` is the maximum distance between pieces of one line, in line heights: heads of narrow columns are closer.
    """
    found = []
    for table in page.tables:
        lines = [line for line in page.lines if center_inside(line.box, table)]
        lines = joined_rows(lines, far) if far else lines
        rows = _labels(lines, row, table, across=False)
        heads = _labels(lines, column, table, across=True)
        found += [
            (table, lines, label, head) for label in rows for head in heads if _is_header_of(label, head, row, column)
        ]
    return found


def _is_header_of(label: Box, head: Box, row: str, column: str) -> bool:
    above = head.y2 <= label.y1 + 0.5 * (label.y2 - label.y1)
    beside = label.x2 <= head.x1 + 0.5 * (head.x2 - head.x1)
    return (above or row.startswith("#")) and (beside or column.startswith("#"))


def _labels(lines: Sequence[Line], name: str, table: Box, across: bool) -> list[Box]:
    """Return boxes with a name, or of the row or column with a number."""
    if name.startswith("#"):
        number = int(name[1:])
        groups = in_rows(lines) if not across else _in_columns(lines)
        index = number if number < 0 else number - 1
        if not -len(groups) <= index < len(groups):
            raise NotUnderstoodError(f"the table has no row or column {number}")
        return [Box.around(line.box for line in groups[index])]
    wanted = fold(name)
    single = [line.box for line in lines if fold(line.text) == wanted]
    if single:
        return single
    return (
        _stacked(lines, wanted)
        or [line.box for line in lines if _nearly(fold(line.text), wanted)]
        or [box for line in lines for box in _within(line, name)]
    )


def _within(line: Line, name: str) -> list[Box]:
    """Return the position of a name in a line of several cells that OCR read as one."""
    found = regex.search(rf"(?<!\S){regex.escape(name)}(?!\S)", line.text)
    if not found:
        return []
    wide = (line.box.x2 - line.box.x1) / len(line.text)
    return [line.box._replace(x1=line.box.x1 + wide * found.start(), x2=line.box.x1 + wide * found.end())]


def _in_columns(lines: Sequence[Line]) -> list[list[Line]]:
    """Arrange lines in columns from left to right, headed by the row with the most cells."""
    fullest = max(in_rows(lines), key=len)
    columns: list[list[Line]] = [[line] for line in fullest]
    return columns


def _stacked(lines: Sequence[Line], wanted: str) -> list[Box]:
    """Return stacked lines that together contain a name."""
    found = []
    for first in lines:
        if not wanted.startswith(fold(first.text)) or not fold(first.text):
            continue
        group, text = [first], fold(first.text)
        while text != wanted:
            last = group[-1].box
            following = [
                line
                for line in lines
                if 0 < line.box.y1 - last.y1 < 2 * first.height
                and min(line.box.x2, last.x2) > max(line.box.x1, last.x1)
                and wanted.startswith(text + fold(line.text))
                and line not in group
            ]
            if not following:
                break
            group.append(min(following, key=lambda line: line.box.y1))
            text += fold(group[-1].text)
        if text == wanted:
            found.append(Box.around(line.box for line in group))
    return found


def _nearly(read: str, wanted: str) -> bool:
    """Whether a label differs by one misread letter."""
    return len(wanted) > 3 and Levenshtein.distance(read, wanted, score_cutoff=1) <= 1


def _cell(page: OverlayPage, table: Box, lines: Sequence[Line], label: Box, head: Box) -> GridCellArea:
    """Return the cell in the row of a label and the column of a header."""
    middle_y, middle_x = (label.y1 + label.y2) / 2, (head.x1 + head.x2) / 2
    high = min(page.height, label.y2 - label.y1) if label.y2 > label.y1 else page.height
    left, right = _bounds(page.rules.down, middle_x, middle_y, table, across=True)
    top, bottom = _bounds(page.rules.across, middle_y, middle_x, table, across=False)
    in_row = [line for line in lines if line.box.y1 < middle_y < line.box.y2]
    in_column = [
        line for line in lines if line.box.x1 < head.x2 and line.box.x2 > head.x1 and line.box.y1 > head.y2 - 2
    ]
    heads = [line.box for line in lines if line.box.y1 < head.y2 and line.box.y2 > head.y1]
    # Without rules between columns, a cell ends where its neighbours' text begins.
    for box in (*heads, *(line.box for line in in_row)):
        middle = (box.x1 + box.x2) / 2
        if abs(middle - middle_x) < 0.5 * (head.x2 - head.x1) or box.x1 < middle_x < box.x2:
            continue
        if middle < middle_x:
            left = max(left, min(box.x2, head.x1))
        else:
            right = min(right, max(box.x1, head.x2))
    text = [line for line in in_row if left - 3 < (line.box.x1 + line.box.x2) / 2 < right + 3 and line.box != label]
    top, bottom = max(top, middle_y - 1.1 * high), min(bottom, middle_y + 1.1 * high)
    for line in in_column:
        middle = (line.box.y1 + line.box.y2) / 2
        if line in text:
            continue
        if middle < middle_y:
            top = max(top, min(line.box.y2 - 0.1 * high, middle_y - 0.6 * high))
        else:
            bottom = min(bottom, max(line.box.y1 + 0.1 * high, middle_y + 0.6 * high))
    box = Box(left + 2, top + 2, right - 2, bottom - 2)
    like = sorted(
        (line for line in in_column if line not in text),
        key=lambda line: abs((line.box.y1 + line.box.y2) / 2 - middle_y),
    )
    if len(text) > 1:
        text = [line for line in text if box.x1 - 2 <= line.box.x1 + 3 and line.box.x2 - 3 <= box.x2 + 2]
    return GridCellArea(box, text, like)


def _bounds(rules: Sequence[Box], at: float, other: float, table: Box, across: bool) -> tuple[float, float]:
    """Return the rules before and after a position, else the table's sides."""
    low, high = (table.x1, table.x2) if across else (table.y1, table.y2)
    for rule in rules:
        first, last, start, end = (
            (rule.x1, rule.x2, rule.y1, rule.y2) if across else (rule.y1, rule.y2, rule.x1, rule.x2)
        )
        if not start - 3 <= other <= end + 3:
            continue
        if last <= at:
            low = max(low, last)
        elif first >= at:
            high = min(high, first)
    return low, high
