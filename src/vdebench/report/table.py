"""A table of numbers with titles, notes and intervals; `rendering` turns it into text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

Best = Literal["higher", "lower", ""]
Bounds = tuple[float, float]
"""Of the interval of a mean."""


@dataclass(frozen=True)
class Column:
    """A column of numbers: its head, which way is better, how many digits it shows."""

    name: str
    best: Best = "higher"
    digits: int = 3
    group: str = ""
    published: bool = False
    headline: bool = False
    """Stays where not all columns fit."""


@dataclass(frozen=True)
class Row:
    """A row of numbers; None where there is none."""

    label: str
    values: Sequence[float | None]
    section: str = ""
    published: bool = False
    reference: bool = False
    """Not one of those that are compared."""
    bounds: Sequence[Bounds | None] = ()
    """Of every value, None where it has none; nothing where none has any."""


@dataclass(frozen=True)
class Table:
    """Numbers with heads and notes. `compare` says whether the best stands out per column or per row."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    head: str = "Model"
    compare: Literal["columns", "rows"] = "columns"
    notes: Sequence[str] = field(default_factory=tuple)
    interval_notes: Sequence[str] = field(default_factory=tuple)
    """What must be said where intervals are shown."""

    def best(self) -> set[tuple[int, int]]:
        """Positions (row, column) of the best numbers: per column within a section, or per row; measured and published
        numbers each apart, since they are seldom comparable."""
        lines: dict[tuple[object, ...], list[tuple[float, tuple[int, int]]]] = {}
        for r, row in enumerate(self.rows):
            for c, (column, value) in enumerate(zip(self.columns, row.values, strict=True)):
                if value is not None and column.best and not row.reference:
                    line = (r, column.published) if self.compare == "rows" else (c, row.section, row.published)
                    lines.setdefault(line, []).append((value, (r, c)))
        found: set[tuple[int, int]] = set()
        for cells in lines.values():
            if len(cells) > 1:
                way = self.columns[cells[0][1][1]].best
                top = (max if way == "higher" else min)(value for value, _ in cells)
                found |= {at for value, at in cells if value == top}
        return found

    def cell(self, row: Row, column: int) -> str:
        """A number as it is shown, a dash for none."""
        value = row.values[column]
        if value is not None and math.isinf(value):
            return "∞"
        return "–" if value is None else f"{value:.{self.columns[column].digits}f}"

    def interval(self, row: Row, column: int) -> tuple[str, str] | None:
        """The bounds of a number as they are shown, without the 0 before the point."""
        bounds = row.bounds[column] if row.bounds else None
        if bounds is None:
            return None
        low, high = (f"{bound:.{self.columns[column].digits}f}" for bound in bounds)
        return re.sub(r"^(-?)0\.", r"\1.", low), re.sub(r"^(-?)0\.", r"\1.", high)

    def without_intervals(self) -> Table:
        """The same without bounds."""
        return replace(self, rows=[replace(row, bounds=()) for row in self.rows])


def runs(names: Sequence[str]) -> list[tuple[str, int]]:
    """Equal neighbours counted.

    >>> runs(["a", "a", "b"])
    [('a', 2), ('b', 1)]
    """
    return [(name, len(list(same))) for name, same in groupby(names)]
