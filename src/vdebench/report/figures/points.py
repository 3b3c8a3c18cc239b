"""Point charts with intervals: a row for every name, in sections, with a line at zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from vdebench.report.figures.colours import PALETTE
from vdebench.report.figures.drawing import LEFT, Drawing, shortened, wide_enough, width_of

_NAME_WIDTH, _STEP, _PLOT_WIDTH, _TOP = 200.0, 22.0, 420.0, 58.0


class Point(NamedTuple):
    """A value with its bounds, or None with a reason."""

    section: str
    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


def point_chart(title: str, points: Sequence[Point], *, says: str = "", axis: str = "") -> str:
    """The chart as SVG; the axis always includes zero."""
    numbers = [
        0.0,
        *(number for point in points for number in (point.value, point.low, point.high) if number is not None),
    ]
    tick = _tick(max(numbers) - min(numbers) or 1.0)
    first, last = math.floor(min(numbers) / tick), math.ceil(max(numbers) / tick)
    last += last == first
    sections = [(section, list(members)) for section, members in groupby(points, key=lambda point: point.section)]
    left = LEFT + max((width_of(shortened(point.name, _NAME_WIDTH)) for point in points), default=0.0) + 10
    bottom = _TOP + _STEP * (len(points) + 1.2 * len(sections)) + 4
    width = wide_enough(left + _PLOT_WIDTH + 120, title, says)
    drawing = Drawing(width, bottom + 48, title, says)
    drawing.heading()

    def position(value: float) -> float:
        return left + _PLOT_WIDTH * (value / tick - first) / (last - first)

    digits = max(0, -math.floor(math.log10(tick)))
    for at in range(first, last + 1):
        x = position(at * tick)
        drawing.line(x, _TOP, x, bottom, "soft" if at == 0 else "line", dashed=at != 0)
        label = f"{at * tick:.{digits}f}".replace("-", "−")
        drawing.text(x, bottom + 16, label, anchor="middle", size=11, fill="soft")
    drawing.text(left + _PLOT_WIDTH / 2, bottom + 36, shortened(axis, _PLOT_WIDTH), anchor="middle")
    y = _TOP
    for section, members in sections:
        drawing.text(LEFT, y + 16, shortened(section, _PLOT_WIDTH), weight=600)
        y += 1.2 * _STEP
        for point in members:
            _draw(drawing, point, left, y + _STEP / 2, position)
            y += _STEP
    return drawing.svg()


def _draw(drawing: Drawing, point: Point, left: float, y: float, position: Callable[[float], float]) -> None:

    colour = PALETTE[0]
    name = shortened(point.name, _NAME_WIDTH)
    drawing.text(left - 10, y + 4, name, anchor="end", tooltip=point.name if name != point.name else "")
    if point.value is None:
        reason = shortened(point.reason or "no number", _PLOT_WIDTH, 11)
        drawing.rect(left + 2, y - 8, width_of(reason, 11) + 8, 16, "paper")  # covers the axis lines
        drawing.text(left + 6, y + 4, reason, size=11, fill="soft")
        return
    text = f"{point.value:+.3f}".replace("-", "−") if round(point.value, 3) else "0.000"
    if point.low is not None and point.high is not None:
        drawing.rect(position(point.low), y - 1.5, max(position(point.high) - position(point.low), 1), 3, colour)
        text += f" [{point.low:.3f}, {point.high:.3f}]".replace("-", "−")
    drawing.circle(position(point.value), y, 5, colour, tooltip=f"{point.name}: {text}")
    drawing.text(left + _PLOT_WIDTH + 12, y + 4, text.partition(" ")[0], size=11)


def _tick(span: float) -> float:
    """A round step that gives about six ticks.

    >>> _tick(0.47), _tick(3)
    (0.1, 0.5)
    """
    minimum = span / 6
    power = 10.0 ** math.floor(math.log10(minimum))
    return next(round(power * factor, 12) for factor in (1, 2, 5, 10) if power * factor >= minimum)
