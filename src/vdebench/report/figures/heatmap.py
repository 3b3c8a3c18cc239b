"""Heat maps: a row for every source, a column for every type or metric, the number in every cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from vdebench.report.figures.colours import DIVERGING, SEQUENTIAL, between, ink_on
from vdebench.report.figures.drawing import LEFT, Drawing, shortened, wide_enough, width_of

_CELL, _ROW, _MOST, _GAP, _KEY = 50.0, 27.0, 170.0, 8.0, 240.0
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

    `shades` are where each value is on the ramp, from 0 to 1; without them the values from 0 to the greatest, or, on
    a diverging ramp, from minus the greatest to the greatest (in size). None is an empty cell. `key` names the two
    ends and the middle of the ramp.
    """
    known = [abs(value) for row in values for value in row if value is not None]
    reach = max(known, default=0.0) or 1.0
    if shades is None:
        shades = [[_shade(value, reach, ramp) for value in row] for row in values]
    places = [digits] * len(columns) if isinstance(digits, int) else list(digits)
    heads = [shortened(name, _MOST) for name in columns]
    names = [shortened(name, _MOST) for name in rows]
    across = LEFT + max((width_of(name) for name in names), default=0.0) + _GAP
    lean = max((width_of(head) for head in heads), default=0.0) * _LEAN
    top = 52.0 + lean
    # The last labels lean out to the right.
    out = max(((at + 0.5) * _CELL + width_of(head) * _LEAN for at, head in enumerate(heads)), default=0.0)
    width = wide_enough(across + max(out, len(columns) * _CELL, _KEY) + LEFT, title, says)
    bottom = top + len(rows) * _ROW
    drawing = Drawing(width, bottom + 54, title, says)
    drawing.heading()
    for at, (head, whole) in enumerate(zip(heads, columns, strict=True)):
        told = whole if head != whole else ""
        drawing.text(across + (at + 0.5) * _CELL + 4, top - 7, head, turned=-45, tooltip=told)
    colours = SEQUENTIAL if ramp == "sequential" else DIVERGING
    for r, (name, whole) in enumerate(zip(names, rows, strict=True)):
        y = top + r * _ROW
        drawing.text(across - _GAP, y + _ROW / 2 + 4, name, anchor="end", tooltip=whole if name != whole else "")
        for c, (value, shade) in enumerate(zip(values[r], shades[r], strict=True)):
            x = across + c * _CELL
            fill = "empty" if shade is None else between(colours, shade)
            shown = "–" if value is None else _shown(value, places[c])
            drawing.rect(x, y, _CELL, _ROW, fill, edge="paper", tooltip=f"{whole}, {columns[c]}: {shown}")
            ink = "soft" if value is None else "ink" if shade is None else ink_on(fill)
            drawing.text(x + _CELL / 2, y + _ROW / 2 + 4, shown, anchor="middle", size=11.5, fill=ink)
    ends = key or (
        ("0", f"{reach / 2:.{places[0]}f}", f"{reach:.{places[0]}f}")
        if ramp == "sequential"
        else (f"−{reach:.1f}", "0", f"+{reach:.1f}")
    )
    _key(drawing, across, bottom + 14, colours, ends)
    return drawing.svg()


def _shade(value: float | None, reach: float, ramp: str) -> float | None:
    if value is None:
        return None
    return value / reach if ramp == "sequential" else (value / reach + 1) / 2


def _shown(value: float, digits: int) -> str:
    """A number with a true minus; nothing at all is a plain 0, to be told from what is rounded to it.

    >>> _shown(-0.5, 2), _shown(-0.001, 2), _shown(0, 2)
    ('−0.50', '0.00', '0')
    """
    rounded = f"{value:.{digits}f}"
    return "0" if value == 0 else rounded.lstrip("-") if not float(rounded) else rounded.replace("-", "−")


def _key(drawing: Drawing, x: float, y: float, colours: Sequence[str], ends: tuple[str, str, str]) -> None:
    """The ramp with what its ends and its middle mean."""
    steps = 60
    step = _KEY / steps
    for at in range(steps):  # each a hair wider than its step, so that no gap shows between them
        drawing.rect(x + at * step, y, step + (0.6 if at < steps - 1 else 0), 10, between(colours, at / (steps - 1)))
    for share, end in zip((0.0, 0.5, 1.0), ends, strict=True):
        anchor: Literal["start", "middle", "end"] = "start" if share == 0 else "middle" if share == 0.5 else "end"
        drawing.text(x + share * _KEY, y + 25, end, anchor=anchor, size=11, fill="soft")
