"""Horizontal bar charts and histograms, optionally stacked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from vdebench.report.figures.colours import ink_on, part_colour
from vdebench.report.figures.drawing import LEFT, Drawing, shortened, wide_enough, width_of

_NAME_WIDTH, _BAR, _STEP, _LONG = 190.0, 18.0, 26.0, 380.0
_WIDE, _HIGH = 560.0, 220.0
Parts = Mapping[str, Sequence[float]]
"""A number for every bar, by part."""


def bar_chart(title: str, names: Sequence[str], parts: Parts, *, says: str = "") -> str:
    """Stacked bars, with the count in every part that has room, and sum and share after each bar."""
    sums = [sum(counts[at] for counts in parts.values()) for at in range(len(names))]
    longest, total = max(sums, default=0) or 1, sum(sums) or 1
    heads = [shortened(name, _NAME_WIDTH) for name in names]
    left = LEFT + max((width_of(head) for head in heads), default=0.0) + 8
    top = 60.0 + (20 if len(parts) > 1 else 0)
    drawing = Drawing(wide_enough(left + _LONG + 110, title, says), top + len(names) * _STEP + 12, title, says)
    _heading(drawing, parts)
    for at, (name, head) in enumerate(zip(names, heads, strict=True)):
        y, x = top + at * _STEP, left
        drawing.text(left - 8, y + _BAR / 2 + 4, head, anchor="end", tooltip=name if name != head else "")
        for number, (part, counts) in enumerate(parts.items()):
            if not counts[at]:
                continue
            length, colour = counts[at] / longest * _LONG, part_colour(number)
            tooltip = f"{name}, {part}: {_number(counts[at])}" if part else f"{name}: {_number(counts[at])}"
            drawing.rect(x, y, length, _BAR, colour, tooltip=tooltip)
            count_text = _number(counts[at])
            if len(parts) > 1 and width_of(count_text, 11) + 6 < length:
                drawing.text(x + length / 2, y + 13, count_text, anchor="middle", size=11, fill=ink_on(colour))
            x += length
        drawing.text(x + 6, y + _BAR / 2 + 4, f"{_number(sums[at])} ({sums[at] / total:.1%})")
    return drawing.svg()


def histogram(title: str, width: float, parts: Parts, *, says: str = "", axis: str = "", is_open: bool = False) -> str:
    """Stacked bins of one width from 0; `is_open` if the last bin has no upper bound."""
    bins = max((len(counts) for counts in parts.values()), default=0)
    sums = [sum(counts[at] for counts in parts.values()) for at in range(bins)]
    tick = nice_step(max(sums, default=0) or 1, 5)
    highest = math.ceil((max(sums, default=0) or 1) / tick) * tick
    left, top = 56.0, 60.0 + (20 if len(parts) > 1 else 0)
    drawing = Drawing(wide_enough(left + _WIDE + 30, title, says), top + _HIGH + 56, title, says)
    _heading(drawing, parts)
    for count in range(0, highest + 1, tick):
        y = top + _HIGH * (1 - count / highest)
        drawing.line(left, y, left + _WIDE, y)
        drawing.text(left - 7, y + 4, str(count), anchor="end", fill="soft", size=11)
    step = _WIDE / max(bins, 1)
    for at in range(bins):
        y = top + _HIGH
        for number, (part, counts) in enumerate(parts.items()):
            if counts[at]:
                height = counts[at] / highest * _HIGH
                y -= height
                span = _span(at, width, is_open and at == bins - 1)
                tooltip = f"{span}: {_number(counts[at])}" + (f" {part}" if part else "")
                drawing.rect(left + at * step + 1, y, step - 2, height, part_colour(number), tooltip=tooltip)
    interval = max(1, math.ceil(bins / 14))
    for at in range(0, bins + 1, interval):
        if at == bins and is_open:
            continue
        drawing.text(left + at * step, top + _HIGH + 16, f"{at * width:g}", anchor="middle", fill="soft", size=11)
    if is_open:
        drawing.text(left + _WIDE, top + _HIGH + 16, "and more", anchor="end", fill="soft", size=11)
    drawing.text(left + _WIDE / 2, top + _HIGH + 38, shortened(axis, _WIDE), anchor="middle")
    return drawing.svg()


def _span(at: int, width: float, is_last: bool) -> str:
    return f"{at * width:g} and more" if is_last else f"{at * width:g} to {(at + 1) * width - 1:g}"


def nice_step(reach: float, ticks: int) -> int:
    """A round step that gives at most so many ticks.

    >>> nice_step(47, 5), nice_step(3, 5), nice_step(1234, 5)
    (10, 1, 250)
    """
    minimum = max(1.0, reach / ticks)
    power = 10 ** math.floor(math.log10(minimum))
    return next(
        int(power * factor) for factor in (1, 2, 2.5, 5, 10) if power * factor >= minimum and power * factor % 1 == 0
    )


def _heading(drawing: Drawing, parts: Parts) -> None:
    """Draw title, caption, and a legend if there are parts."""
    drawing.heading()
    x = LEFT
    for number, part in enumerate(parts if len(parts) > 1 else ()):
        drawing.rect(x, 53, 11, 11, part_colour(number))
        drawing.text(x + 16, 63, shortened(part, _NAME_WIDTH))
        x += 34 + width_of(shortened(part, _NAME_WIDTH))


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
