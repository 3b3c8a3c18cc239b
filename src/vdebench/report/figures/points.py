"""Points with their intervals: a line for every name, in sections, with a line at zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from vdebench.report.figures.colours import PALETTE
from vdebench.report.figures.drawing import LEFT, Drawing, shortened, wide_enough, width_of

_MOST, _STEP, _LONG, _TOP = 200.0, 22.0, 420.0, 58.0


class Point(NamedTuple):
    """A value with its bounds; None where there is none, with the reason."""

    section: str
    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def point_chart(title: str, points: Sequence[Point], *, says: str = "", axis: str = "") -> str:
    """The chart as SVG; zero is always on it."""
    numbers = [0.0, *(each for point in points for each in (point.value, point.low, point.high) if each is not None)]
    tick = _tick(max(numbers) - min(numbers) or 1.0)
    first, last = math.floor(min(numbers) / tick), math.ceil(max(numbers) / tick)
    last += last == first
    sections = [(section, list(some)) for section, some in groupby(points, key=lambda point: point.section)]
    across = LEFT + max((width_of(shortened(point.name, _MOST)) for point in points), default=0.0) + 10
    bottom = _TOP + _STEP * (len(points) + 1.2 * len(sections)) + 4
    width = wide_enough(across + _LONG + 120, title, says)
    drawing = Drawing(width, bottom + 48, title, says)
    drawing.heading()

    def place(value: float) -> float:
        return across + _LONG * (value / tick - first) / (last - first)

    digits = max(0, -math.floor(math.log10(tick)))
    for at in range(first, last + 1):
        x = place(at * tick)
        drawing.line(x, _TOP, x, bottom, "soft" if at == 0 else "line", dashed=at != 0)
        shown = f"{at * tick:.{digits}f}".replace("-", "−")
        drawing.text(x, bottom + 16, shown, anchor="middle", size=11, fill="soft")
    drawing.text(across + _LONG / 2, bottom + 36, shortened(axis, _LONG), anchor="middle")
    y = _TOP
    for section, some in sections:
        drawing.text(LEFT, y + 16, shortened(section, _LONG), weight=600)
        y += 1.2 * _STEP
        for point in some:
            _draw(drawing, point, across, y + _STEP / 2, place)
            y += _STEP
    return drawing.svg()


def _draw(drawing: Drawing, point: Point, across: float, y: float, place: Callable[[float], float]) -> None:

    colour = PALETTE[0]
    name = shortened(point.name, _MOST)
    drawing.text(across - 10, y + 4, name, anchor="end", tooltip=point.name if name != point.name else "")
    if point.value is None:
        told = shortened(point.reason or "no number", _LONG, 11)
        drawing.rect(across + 2, y - 8, width_of(told, 11) + 8, 16, "paper")  # over the lines of the axis
        drawing.text(across + 6, y + 4, told, size=11, fill="soft")
        return
    shown = f"{point.value:+.3f}".replace("-", "−") if round(point.value, 3) else "0.000"
    if point.low is not None and point.high is not None:
        drawing.rect(place(point.low), y - 1.5, max(place(point.high) - place(point.low), 1), 3, colour)
        shown += f" [{point.low:.3f}, {point.high:.3f}]".replace("-", "−")
    drawing.circle(place(point.value), y, 5, colour, tooltip=f"{point.name}: {shown}")
    drawing.text(across + _LONG + 12, y + 4, shown.partition(" ")[0], size=11)


def _tick(span: float) -> float:
    """A round step that gives some six ticks.

    >>> _tick(0.47), _tick(3)
    (0.1, 0.5)
    """
    least = span / 6
    power = 10.0 ** math.floor(math.log10(least))
    return next(round(power * each, 12) for each in (1, 2, 5, 10) if power * each >= least)
