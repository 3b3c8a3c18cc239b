"""Point charts with intervals: a row for every name, in sections, with a line at zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from vdebench.report.figures.colours import PALETTE
from vdebench.report.figures.drawing import LEFT, Anchor, Drawing, shortened, wide_enough, width_of

_MOST, _STEP, _LONG, _TOP = 200.0, 22.0, 420.0, 58.0
_VALUE, _BOUNDS, _NOTE = 12.0, 66.0, 240.0  # to the right of the plot


class Point(NamedTuple):
    """A value with its bounds; None with the reason where there is none."""

    section: str
    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    note: str = ""
    """Shown at the right, where the chart has heads."""


class Guide(NamedTuple):
    """A value that others are compared with, and its label."""

    value: float
    label: str
    anchor: Anchor


class Scale(NamedTuple):
    """A linear axis: pixels from multiples of a tick."""

    start: float
    tick: float
    first: int
    last: int

    def __call__(self, value: float) -> float:
        """The place of a value."""
        return self.start + _LONG * (value / self.tick - self.first) / (self.last - self.first)


def point_chart(
    title: str,
    points: Sequence[Point],
    *,
    says: str = "",
    axis: str = "",
    reach: Sequence[float] = (0.0,),
    tick: float = 0.0,
    guides: Sequence[Guide] = (),
    heads: tuple[str, str] | None = None,
) -> str:
    """The chart as SVG. The axis includes `reach`; `heads` name the columns of values and of notes at the right.

    Values have a sign unless there are heads, where intervals are written too.
    """
    numbers = [*reach, *(each for point in points for each in point[2:5] if each is not None)]
    slack = 0.1 if tick else 0.0  # an alpha a little below 0 needs no further tick
    tick = tick or _tick(max(numbers) - min(numbers) or 1.0)
    first, last = math.floor(min(numbers) / tick + slack), math.ceil(max(numbers) / tick)
    sections = [(section, list(some)) for section, some in groupby(points, key=lambda point: point.section)]
    across = LEFT + max((width_of(shortened(point.name, _MOST)) for point in points), default=0.0) + 10
    place = Scale(across, tick, first, max(last, first + 1))
    top = _TOP + (20 if heads else 0)
    bottom = top + _STEP * (len(points) + 1.2 * sum(bool(section) for section, _ in sections)) + 4
    right = across + _LONG
    drawing = Drawing(wide_enough(right + (_NOTE + LEFT if heads else 120), title, says), bottom + 48, title, says)
    drawing.heading()
    for at in range(place.first, place.last + 1):
        x = place(at * tick)
        drawing.line(x, top, x, bottom, "soft" if at == 0 else "line", dashed=at != 0 and not guides)
        shown = _shown(at * tick, max(0, -math.floor(math.log10(tick))))
        drawing.text(x, bottom + 16, shown, anchor="middle", size=11, fill="soft")
    for value, label, anchor in guides:
        x = place(value)
        drawing.line(x, top - 6, x, bottom, "soft", dashed=True)
        drawing.text(x + (4 if anchor == "end" else -4), top - 10, label, anchor=anchor, size=10.5, fill="soft")
    if heads:
        drawing.text(right + _VALUE, top - 10, heads[0], size=10.5, fill="soft")
        drawing.text(right + _NOTE, top - 10, heads[1], anchor="end", size=10.5, fill="soft")
    drawing.text(across + _LONG / 2, bottom + 36, shortened(axis, _LONG), anchor="middle")
    y = top
    for section, some in sections:
        if section:
            drawing.text(LEFT, y + 16, shortened(section, _LONG), weight=600)
            y += 1.2 * _STEP
        for point in some:
            _draw(drawing, point, place, y + _STEP / 2, bool(heads))
            y += _STEP
    return drawing.svg()


def _draw(drawing: Drawing, point: Point, place: Scale, y: float, has_heads: bool) -> None:
    """A line: name, interval, dot, numbers; the reason where there is no value."""
    left, right, colour = place.start, place.start + _LONG, PALETTE[0]
    name = shortened(point.name, _MOST)
    drawing.text(left - 10, y + 4, name, anchor="end", tooltip=point.name if name != point.name else "")
    if has_heads:
        drawing.text(right + _NOTE, y + 4, point.note, anchor="end", size=11, fill="soft")
    if point.value is None:
        reason = point.reason or "no number"
        shown = shortened(reason, _LONG - 16, 11)
        drawing.rect(left + 2, y - 8, width_of(shown, 11) + 8, 16, "paper")  # over the lines of the axis
        drawing.text(left + 6, y + 4, shown, size=11, fill="soft", tooltip=reason if shown != reason else "")
        return
    sign = "+" if point.value > 0 and round(point.value, 3) and not has_heads else ""
    shown, bounds = sign + _shown(point.value), ""
    if point.low is not None and point.high is not None:
        low, high = place(point.low), place(point.high)
        drawing.rect(low, y - 1.5, max(high - low, 1), 3, colour)
        bounds = f"[{_shown(point.low)}, {_shown(point.high)}]"
    drawing.circle(place(point.value), y, 5, colour, tooltip=f"{point.name}: {shown} {bounds}".rstrip())
    drawing.text(right + _VALUE, y + 4, shown, size=11, weight=600 if has_heads else 400)
    if has_heads:
        drawing.text(right + _BOUNDS, y + 4, bounds, size=11)


def _shown(value: float, digits: int = 3) -> str:
    """A number with a true minus, and none before zero.

    >>> _shown(-0.25, 2), _shown(-0.0001)
    ('−0.25', '0.000')
    """
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


def _tick(span: float) -> float:
    """A round step that gives about six ticks.

    >>> _tick(0.47), _tick(3)
    (0.1, 0.5)
    """
    minimum = span / 6
    power = 10.0 ** math.floor(math.log10(minimum))
    return next(round(power * factor, 12) for factor in (1, 2, 5, 10) if power * factor >= minimum)
