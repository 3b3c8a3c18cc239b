"""Sunburst charts: groups inside, their parts outside, and a list with shares of the whole and of every group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from vdebench.report.figures.colours import ink_on, part_colour
from vdebench.report.figures.drawing import LEFT, Drawing, shortened, wide_enough, width_of

_HOLE, _MIDDLE, _RIM = 52.0, 100.0, 168.0
_TOP, _LINE, _COLUMN, _NAME = 62.0, 22.0, 66.0, 170.0
_GREYS = ("#3f4a56", "#8b96a3", "#c3cad2")
Groups = Mapping[str, Mapping[str, int]]
"""Counts of parts, by group."""


class _Wedge(NamedTuple):
    start: float
    """In turns, from the top, clockwise."""
    end: float
    inner: float
    outer: float

    @property
    def path(self) -> str:
        if self.end - self.start > 0.999999:  # SVG draws no full circle as one arc
            half = (self.start + self.end) / 2
            return " ".join(self._replace(start=a, end=b).path for a, b in ((self.start, half), (half, self.end)))
        large = int(self.end - self.start > 0.5)
        (x1, y1), (x2, y2) = _at(self.start, self.outer), _at(self.end, self.outer)
        (x3, y3), (x4, y4) = _at(self.end, self.inner), _at(self.start, self.inner)
        return (
            f"M{x1:.2f} {y1:.2f}A{self.outer:g} {self.outer:g} 0 {large} 1 {x2:.2f} {y2:.2f}"
            f"L{x3:.2f} {y3:.2f}A{self.inner:g} {self.inner:g} 0 {large} 0 {x4:.2f} {y4:.2f}Z"
        )

    @property
    def middle(self) -> tuple[float, float]:
        """The position of a label."""
        return _at((self.start + self.end) / 2, (self.inner + self.outer) / 2)

    def has_room(self, text: str, size: float) -> bool:
        """Whether a text fits at any rotation of the wedge."""
        radius = (self.inner + self.outer) / 2
        long = 2 * radius * math.sin(math.pi * min(self.end - self.start, 0.5))
        return min(long, self.outer - self.inner) > width_of(text, size) * 0.98 and long > size * 1.5


def _at(turn: float, radius: float) -> tuple[float, float]:
    angle = 2 * math.pi * turn
    return LEFT + _RIM + radius * math.sin(angle), _TOP + _RIM - radius * math.cos(angle)


def sunburst(title: str, groups: Groups, *, says: str = "", counted: str = "samples", whole: str = "whole") -> str:
    """The sunburst as SVG; a name has one colour in all groups."""
    names = list(dict.fromkeys(name for parts in groups.values() for name in parts))
    total = sum(sum(parts.values()) for parts in groups.values())
    listed = LEFT + 2 * _RIM + 36
    columns = [whole, *groups] if len(groups) > 1 else [whole]
    width = wide_enough(listed + 22 + _NAME + len(columns) * _COLUMN, title, says)
    height = max(_TOP + 2 * _RIM, _TOP + (len(names) + 3) * _LINE) + 16
    drawing = Drawing(width, height, title, says)
    drawing.heading()
    for wedge, fill, name, share_text in _wedges(groups, names, total):
        drawing.path(wedge.path, fill, tooltip=f"{name}: {share_text}")
        share = f"{(wedge.end - wedge.start):.1%}"
        x, y = wedge.middle
        if wedge.inner == _HOLE and wedge.has_room(name, 12):
            drawing.text(x, y + 4, name, anchor="middle", fill=ink_on(fill), weight=600)
        elif wedge.inner != _HOLE and wedge.has_room(share, 11):
            drawing.text(x, y + 4, share, anchor="middle", fill=ink_on(fill), size=11)
    x, y = _at(0, 0)
    drawing.text(x, y + 2, f"{total:,}", anchor="middle", size=20, weight=600)
    drawing.text(x, y + 18, counted, anchor="middle", size=11, fill="soft")
    _list(drawing, listed, names, groups, columns)
    return drawing.svg()


def _wedges(groups: Groups, names: list[str], total: int) -> Iterator[tuple[_Wedge, str, str, str]]:
    """Yield wedge, colour, name and tooltip."""
    at = 0
    for number, (group, parts) in enumerate(groups.items()):
        size = sum(parts.values())
        if not size:
            continue
        grey = _GREYS[min(number, len(_GREYS) - 1)]
        yield _Wedge(at / total, (at + size) / total, _HOLE, _MIDDLE), grey, group, _share_text(size, total)
        for name, count in parts.items():
            if count:
                wedge = _Wedge(at / total, (at + count) / total, _MIDDLE, _RIM)
                yield wedge, part_colour(names.index(name)), f"{group}, {name}", _share_text(count, total)
            at += count


def _share_text(count: int, total: int) -> str:
    return f"{count:,} ({count / total:.1%} of all)"


def _list(drawing: Drawing, x: float, names: list[str], groups: Groups, columns: list[str]) -> None:
    """Every name with its share of the whole and of every group."""
    y = max(_TOP + _RIM - (len(names) + 2) * _LINE / 2, _TOP) + 12
    ends = [x + 22 + _NAME + (at + 1) * _COLUMN - 12 for at in range(len(columns))]
    for end, column in zip(ends, columns, strict=True):
        drawing.text(end, y, shortened(column, _COLUMN - 8), anchor="end", fill="soft", weight=600)
    totals = [_sum_groups(groups), *groups.values()][: len(columns)]
    drawing.line(x, y + 7, ends[-1], y + 7)
    for number, name in enumerate(names):
        line = y + (number + 1) * _LINE + 4
        drawing.rect(x, line - 10, 12, 12, part_colour(number))
        drawing.text(x + 20, line, shortened(name, _NAME), tooltip=name)
        for end, parts in zip(ends, totals, strict=True):
            size = sum(parts.values())
            text = f"{parts[name] / size:.1%}" if size and parts.get(name) else "–"
            drawing.text(end, line, text, anchor="end")
    line = y + (len(names) + 1) * _LINE + 8
    drawing.line(x, line - 17, ends[-1], line - 17)
    drawing.text(x + 20, line, "number", fill="soft")
    for end, parts in zip(ends, totals, strict=True):
        drawing.text(end, line, f"{sum(parts.values()):,}", anchor="end", fill="soft")


def _sum_groups(groups: Groups) -> dict[str, int]:
    sums: dict[str, int] = {}
    for parts in groups.values():
        for name, count in parts.items():
            sums[name] = sums.get(name, 0) + count
    return sums
