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
"""Bounds of an interval."""


@dataclass(frozen=True)
class Column:
    """A column of numbers: its head, direction and number of digits."""

    name: str
    best: Best = "higher"
    digits: int = 3
    group: str = ""
    published: bool = False
    headline: bool = False
    """Shown also if not all columns fit."""


@dataclass(frozen=True)
class Row:
    """A row of numbers or None."""

    label: str
    values: Sequence[float | None]
    section: str = ""
    published: bool = False
    reference: bool = False
    """Never marked as best."""
    bounds: Sequence[Bounds | None] = ()
    """Bounds or None for every value; empty if none has any."""


@dataclass(frozen=True)
class Table:
    """Numbers with heads and notes. `compare`: whether the best of each column or of each row is marked."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    head: str = "Model"
    compare: Literal["columns", "rows"] = "columns"
    notes: Sequence[str] = field(default_factory=tuple)
    interval_notes: Sequence[str] = field(default_factory=tuple)
    """Notes shown with intervals."""

    def best(self) -> set[tuple[int, int]]:
        """Positions (row, column) of the best numbers, by column within a section or by row.

        Measured and published numbers are compared separately.
        """
        lines: dict[tuple[object, ...], list[tuple[float, tuple[int, int]]]] = {}
        for r, row in enumerate(self.rows):
            for c, (column, value) in enumerate(zip(self.columns, row.values, strict=True)):
                if value is not None and column.best and not row.reference:
                    line = (r, column.published) if self.compare == "rows" else (c, row.section, row.published)
                    lines.setdefault(line, []).append((value, (r, c)))
        positions: set[tuple[int, int]] = set()
        for cells in lines.values():
            if len(cells) > 1:
                direction = self.columns[cells[0][1][1]].best
                top = (max if direction == "higher" else min)(value for value, _ in cells)
                positions |= {position for value, position in cells if value == top}
        return positions

    def cell(self, row: Row, column: int) -> str:
        """Format a number; a dash for None."""
        value = row.values[column]
        if value is not None and math.isinf(value):
            return "∞"
        return "–" if value is None else f"{value:.{self.columns[column].digits}f}"

    def interval(self, row: Row, column: int) -> tuple[str, str] | None:
        """Format the bounds of a number, without the 0 before the point."""
        bounds = row.bounds[column] if row.bounds else None
        if bounds is None:
            return None
        low, high = (f"{bound:.{self.columns[column].digits}f}" for bound in bounds)
        return re.sub(r"^(-?)0\.", r"\1.", low), re.sub(r"^(-?)0\.", r"\1.", high)

    def without_intervals(self) -> Table:
        """Return the table without bounds."""
        return replace(self, rows=[replace(row, bounds=()) for row in self.rows])


def run_lengths(names: Sequence[str]) -> list[tuple[str, int]]:
    """Count equal neighbours.

    >>> run_lengths(["a", "a", "b"])
    [('a', 2), ('b', 1)]
    """
    return [(name, len(list(same))) for name, same in groupby(names)]
