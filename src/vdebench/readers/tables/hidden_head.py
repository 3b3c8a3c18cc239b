"""Cells of a table head whose rules have the colour of its panel, from the columns below it and the places of its text.

A head's text stands in the middle of its cell. A text between the middles of several columns spans them; a text in the
vertical middle spans both rows of a head with two rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

import numpy as np

from vdebench.core.box import Box
from vdebench.readers.tables.cells import GridCell

Columns = tuple[int, ...]


def head_cells(texts: Sequence[Box], head: Box, xs: Sequence[float], far: float) -> list[GridCell]:
    """Return the cells of a head: one row, or group heads above the heads of columns.

    `texts` are the boxes of the head's lines, `xs` the boundaries of the columns; `far` is the largest distance of a
    text from the middle of its cell.
    """
    columns = {box: _columns_under(box, xs, far) for box in texts}
    # A column with two texts has a wrapped head, or a group head of its own: with the latter if the texts are as far
    # apart as the two rows of the other columns.
    # Texts of the lower row stand near the middle if the row is high: the nearest ones are tried alone first.
    for near, pitch in product((far / 2, far), (0.0, 0.4 * (head.y2 - head.y1))):
        spanning = _two_row_columns(columns, head, len(xs) - 1, near, pitch)
        rest = [box for box in texts if not set(columns[box]) & spanning]
        middles = sorted({_middle(box) for box in rest})
        for cut in ((upper + lower) / 2 for upper, lower in pairwise(middles)):
            lower = [columns[box] for box in rest if _middle(box) > cut]
            upper = sorted(box for box in rest if _middle(box) < cut)
            under = sorted({column for each in lower for column in each})
            groups = _divide(under, upper, xs, far) if all(len(each) == 1 for each in lower) else None
            if groups and max(map(len, groups)) > 1:  # else a single row of wrapped texts
                return _two_rows(groups, head, cut, xs)
    return _row(0, head, set(columns.values()), xs)


def _columns_under(box: Box, xs: Sequence[float], far: float) -> Columns:
    """Return the fewest adjacent columns that hold a text in their middle; else the column of the text's centre."""
    center = (box.x1 + box.x2) / 2
    for count in range(1, len(xs)):
        for first in range(len(xs) - count):
            left, right = xs[first], xs[first + count]
            if left - far < box.x1 and box.x2 < right + far and abs(center - (left + right) / 2) < far:
                return tuple(range(first, first + count))
    return (int(np.clip(np.searchsorted(xs, center) - 1, 0, len(xs) - 2)),)


def _two_row_columns(columns: dict[Box, Columns], head: Box, count: int, far: float, pitch: float) -> set[int]:
    """Return the columns whose text stands in the vertical middle of the head, wrapped at most by a line pitch."""
    found = set()
    for column in range(count):
        own = sorted((box for box, each in columns.items() if each == (column,)), key=_middle)
        wrapped = all(_middle(lower) - _middle(upper) < pitch for upper, lower in pairwise(own))
        if own and wrapped and abs(_middle(Box.around(own)) - _middle(head)) < far:
            found.add(column)
    return found


def _divide(columns: Sequence[int], groups: Sequence[Box], xs: Sequence[float], far: float) -> list[Columns] | None:
    """Divide columns among group heads, from left to right, so that each stands in the middle of its columns."""
    if not groups:
        return None if columns else []
    for count in range(1, len(columns) + 1):
        own = tuple(columns[:count])
        center = (xs[own[0]] + xs[own[-1] + 1]) / 2
        adjacent = own[-1] - own[0] == count - 1
        if adjacent and abs((groups[0].x1 + groups[0].x2) / 2 - center) < far:
            rest = _divide(columns[count:], groups[1:], xs, far)
            if rest is not None:
                return [own, *rest]
    return None


def _two_rows(groups: Sequence[Columns], head: Box, cut: float, xs: Sequence[float]) -> list[GridCell]:
    grouped = {column for group in groups for column in group}
    single = [cell for cell in _row(0, head, set(), xs) if cell.column not in grouped]
    upper = [cell for cell in _row(0, head._replace(y2=cut), set(groups), xs) if cell.column in grouped]
    lower = [cell for cell in _row(1, head._replace(y1=cut), set(), xs) if cell.column in grouped]
    return [*(cell._replace(rowspan=2) for cell in single), *upper, *lower]


def _row(row: int, band: Box, ranges: set[Columns], xs: Sequence[float]) -> list[GridCell]:
    """Return the cells of a row: the given ranges of columns, and single columns between them."""
    covered = {column for columns in ranges for column in columns}
    ranges = ranges | {(column,) for column in range(len(xs) - 1) if column not in covered}
    return [
        GridCell(row, columns[0], 1, len(columns), band._replace(x1=xs[columns[0]], x2=xs[columns[-1] + 1]))
        for columns in sorted(ranges)
    ]


def _middle(box: Box) -> float:
    return (box.y1 + box.y2) / 2
