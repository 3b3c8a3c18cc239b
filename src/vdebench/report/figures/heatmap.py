"""Heat maps: a row for every source, a column for every type or metric, the number in every cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from vdebench.report.figures.colours import DIVERGING, SEQUENTIAL, between, ink_on
from vdebench.report.figures.drawing import LEFT, Drawing, shortened, wide_enough, width_of

_CELL, _ROW, _NAME_WIDTH, _GAP, _KEY = 50.0, 27.0, 170.0, 8.0, 240.0
_LEAN = 0.7071  # of labels turned by 45 degrees


def heat_map(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    shades: Sequence[Sequence[float | None]] | None = None,
    ramp: Literal["sequential", "diverging"] = "sequential",
    digits: int | Sequence[int] = 2,
    says: str = "",
    key: tuple[str, str, str] | None = None,
) -> str:
    """A heat map as SVG.

    `shades` are positions on the ramp, from 0 to 1; by default values are scaled from 0 to the largest, or, on a
    diverging ramp, from minus the largest to the largest. None is an empty cell. `key` labels the ends and the middle
    of the ramp.
    """
    sizes = [abs(value) for row in values for value in row if value is not None]
    reach = max(sizes, default=0.0) or 1.0
    if shades is None:
        shades = [[_shade(value, reach, ramp) for value in row] for row in values]
    digits_of = [digits] * len(columns) if isinstance(digits, int) else list(digits)
    heads = [shortened(name, _NAME_WIDTH) for name in columns]
    names = [shortened(name, _NAME_WIDTH) for name in rows]
    left = LEFT + max((width_of(name) for name in names), default=0.0) + _GAP
    lean = max((width_of(head) for head in heads), default=0.0) * _LEAN
    top = 52.0 + lean
    # The last labels extend to the right.
    out = max(((at + 0.5) * _CELL + width_of(head) * _LEAN for at, head in enumerate(heads)), default=0.0)
    width = wide_enough(left + max(out, len(columns) * _CELL, _KEY) + LEFT, title, says)
    bottom = top + len(rows) * _ROW
    drawing = Drawing(width, bottom + 54, title, says)
    drawing.heading()
    for at, (head, full_name) in enumerate(zip(heads, columns, strict=True)):
        tooltip = full_name if head != full_name else ""
        drawing.text(left + (at + 0.5) * _CELL + 4, top - 7, head, turned=-45, tooltip=tooltip)
    colours = SEQUENTIAL if ramp == "sequential" else DIVERGING
    for r, (name, full_name) in enumerate(zip(names, rows, strict=True)):
        y = top + r * _ROW
        drawing.text(left - _GAP, y + _ROW / 2 + 4, name, anchor="end", tooltip=full_name if name != full_name else "")
        for c, (value, shade) in enumerate(zip(values[r], shades[r], strict=True)):
            x = left + c * _CELL
            fill = "empty" if shade is None else between(colours, shade)
            text = "–" if value is None else _format(value, digits_of[c])
            drawing.rect(x, y, _CELL, _ROW, fill, edge="paper", tooltip=f"{full_name}, {columns[c]}: {text}")
            ink = "soft" if value is None else "ink" if shade is None else ink_on(fill)
            drawing.text(x + _CELL / 2, y + _ROW / 2 + 4, text, anchor="middle", size=11.5, fill=ink)
    ends = key or (
        ("0", f"{reach / 2:.{digits_of[0]}f}", f"{reach:.{digits_of[0]}f}")
        if ramp == "sequential"
        else (f"−{reach:.1f}", "0", f"+{reach:.1f}")
    )
    _key(drawing, left, bottom + 14, colours, ends)
    return drawing.svg()


def _shade(value: float | None, reach: float, ramp: str) -> float | None:
    if value is None:
        return None
    return value / reach if ramp == "sequential" else (value / reach + 1) / 2


def _format(value: float, digits: int) -> str:
    """Format a number with a minus sign; "0" only for an exact zero.

    >>> _format(-0.5, 2), _format(-0.001, 2), _format(0, 2)
    ('−0.50', '0.00', '0')
    """
    rounded = f"{value:.{digits}f}"
    return "0" if value == 0 else rounded.lstrip("-") if not float(rounded) else rounded.replace("-", "−")


def _key(drawing: Drawing, x: float, y: float, colours: Sequence[str], ends: tuple[str, str, str]) -> None:
    """Draw the ramp with the labels of its ends and its middle."""
    steps = 60
    step = _KEY / steps
    for at in range(steps):  # slightly wider than a step, to avoid gaps
        drawing.rect(x + at * step, y, step + (0.6 if at < steps - 1 else 0), 10, between(colours, at / (steps - 1)))
    for share, end in zip((0.0, 0.5, 1.0), ends, strict=True):
        anchor: Literal["start", "middle", "end"] = "start" if share == 0 else "middle" if share == 0.5 else "end"
        drawing.text(x + share * _KEY, y + 25, end, anchor=anchor, size=11, fill="soft")
