"""Agreement of raters to look at: the paper's dot plot, alpha with its interval for every scale, and a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

from vdebench.errors import VdeError
from vdebench.io.files import write_bytes
from vdebench.report.figures.colours import PALETTE
from vdebench.report.figures.drawing import LEFT, Anchor, Drawing, shortened, wide_enough, width_of
from vdebench.report.table import Column, Row, Table
from vdebench.stats.reliability.scales import ScaleReliability

TITLE = "How far raters agree"
GUIDES: tuple[tuple[float, str, Anchor], ...] = ((0.667, "tentative", "end"), (0.8, "reliable", "start"))
"""What Krippendorff asks of data that conclusions are drawn from, at least and as a rule."""
_SAYS = "Dots are Krippendorff's alpha, bars its 95 % bootstrap intervals over units."
_MOST, _STEP, _LONG, _TOP, _TICK = 220.0, 26.0, 420.0, 78.0, 0.2
_ALPHA, _BOUNDS, _EQUAL = 58.0, 66.0, 240.0  # to the right of the plot


def reliability_figure(found: Sequence[ScaleReliability]) -> str:
    """The dot plot as SVG: a line for every scale, or for every window of every scale."""
    numbers = [0.0, *(each for one in found for each in (one.result.alpha, one.result.low) if each is not None)]
    first = math.floor(min(numbers) / _TICK + 0.1)  # a little below 0 needs no further tick
    last = round(1 / _TICK)
    sections = [(scale, list(some)) for scale, some in groupby(found, key=lambda one: one.scale)]
    headed = any(one.window for one in found)
    names = [_name(one) for one in found] + [scale for scale, _ in sections if headed]
    across = LEFT + max((width_of(shortened(name, _MOST)) for name in names), default=0.0) + 14
    bottom = _TOP + _STEP * (len(found) + headed * len(sections)) + 6
    drawing = Drawing(wide_enough(across + _LONG + _EQUAL + LEFT, TITLE, _SAYS), bottom + 50, TITLE, _SAYS)
    drawing.heading()

    def place(value: float) -> float:
        return across + _LONG * (value / _TICK - first) / (last - first)

    drawing.text(across + _LONG + _ALPHA, _TOP - 10, "alpha", anchor="end", size=10.5, fill="soft")
    drawing.text(across + _LONG + _EQUAL, _TOP - 10, "equal pairs", anchor="end", size=10.5, fill="soft")
    _axis(drawing, [at * _TICK for at in range(first, last + 1)], bottom, place)
    levels = ", ".join(dict.fromkeys(one.result.level for one in found))
    middle = across + _LONG / 2
    drawing.text(middle, bottom + 38, shortened(f"Krippendorff's alpha ({levels})", _LONG), anchor="middle")
    y = _TOP
    for scale, some in sections:
        if headed:
            drawing.text(LEFT, y + 18, shortened(scale, _MOST), weight=600)
            y += _STEP
        for one in some:
            _draw(drawing, one, across, y + _STEP / 2, place)
            y += _STEP
    return drawing.svg()


def check_figure(file: Path) -> None:
    """An error for a file that is no name of a figure, before anything is computed."""
    if file.suffix.lower() not in (".svg", ".png"):
        raise VdeError(f"--out {file}: expected a file that ends with .svg or .png")


def write_figure(found: Sequence[ScaleReliability], file: Path) -> None:
    """The dot plot as a file: SVG, or PNG by the typesetter."""
    check_figure(file)
    drawn = reliability_figure(found)
    if file.suffix.lower() == ".png":
        from vdebench.report.figures.png import png_of

        write_bytes(file, png_of(drawn))
    else:
        write_bytes(file, drawn.encode())


def _name(one: ScaleReliability) -> str:
    return one.window or one.scale


def _axis(drawing: Drawing, ticks: Sequence[float], bottom: float, place: Callable[[float], float]) -> None:
    """Ticks below; above, the lines that alphas are held against."""
    for value in ticks:
        x = place(value)
        drawing.line(x, _TOP, x, bottom, "soft" if abs(value) < 1e-9 else "line")
        drawing.text(x, bottom + 17, _shown(value, 1), anchor="middle", size=11, fill="soft")
    for value, word, anchor in GUIDES:
        x = place(value)
        drawing.line(x, _TOP - 6, x, bottom, "soft", dashed=True)
        words = f"{word} {value:g}" if anchor == "end" else f"{value:g} {word}"
        drawing.text(x + (4 if anchor == "end" else -4), _TOP - 10, words, anchor=anchor, size=10.5, fill="soft")


def _draw(drawing: Drawing, one: ScaleReliability, across: float, y: float, place: Callable[[float], float]) -> None:
    """A line: name, bar, dot, numbers; the reason where there is no alpha."""
    found, colour = one.result, PALETTE[0]
    name = shortened(_name(one), _MOST)
    drawing.text(across - 14, y + 4, name, anchor="end", tells=_name(one) if name != _name(one) else "")
    right = across + _LONG
    if found.pairwise is not None:
        drawing.text(right + _EQUAL, y + 4, f"{100 * found.pairwise:.1f} %", anchor="end", size=11, fill="soft")
    if found.alpha is None:
        words = shortened(found.reason, _LONG - 16, 11)
        drawing.rect(across + 4, y - 9, min(width_of(words, 11), _LONG - 16) + 8, 18, "paper")
        drawing.text(across + 8, y + 4, words, size=11, fill="soft", tells=found.reason)
        return
    shown = _shown(found.alpha)
    drawing.text(right + _ALPHA, y + 4, shown, anchor="end", size=11.5, weight=600)
    if found.low is not None and found.high is not None:
        low, high = place(found.low), place(found.high)
        drawing.rect(low, y - 1.5, max(high - low, 1), 3, colour)
        for x in (low, high):
            drawing.rect(x - 0.75, y - 5, 1.5, 10, colour)
        bounds = f"[{_shown(found.low)}, {_shown(found.high)}]"
        drawing.text(right + _BOUNDS, y + 4, bounds, size=11)
        shown = f"{shown} {bounds}"
    drawing.circle(place(found.alpha), y, 5.5, colour, tells=f"{_name(one)}: {shown}")


def _shown(value: float, digits: int = 3) -> str:
    return f"{value + 0.0:.{digits}f}".replace("-", "−")


def reliability_table(found: Sequence[ScaleReliability]) -> Table:
    """A row for every scale, or for every window in a section for every scale."""
    headed = any(one.window for one in found)
    columns = [
        *(Column(name, "", group="Krippendorff") for name in ("alpha", "low", "high")),
        Column("Fleiss' kappa", "", group=" "),
        *(Column(name, "", 1, group="equal, in %") for name in ("pairs", "all")),
        *(Column(name, "", 0, group="compared") for name in ("units", "raters", "ratings")),
    ]
    rows = []
    for one in found:
        told = one.result
        shares = [None if share is None else 100 * share for share in (told.pairwise, told.unanimous)]
        counts = [float(count) for count in (told.units, told.raters, told.ratings)]
        values = [told.alpha, told.low, told.high, told.kappa, *shares, *counts]
        rows.append(Row(_name(one), values, one.scale if headed else ""))
    return Table(TITLE, columns, rows, "Units finished" if headed else "Scale", notes=_notes(found))


def _notes(found: Sequence[ScaleReliability]) -> list[str]:
    levels: dict[str, list[str]] = {}
    for one in found:
        scales = levels.setdefault(one.result.level, [])
        scales += [one.scale] * (one.scale not in scales)
    told = "; ".join(f"{level} ({', '.join(scales)})" for level, scales in levels.items())
    draws = {one.result.resamples for one in found if one.result.low is not None}
    notes = [f"Alpha is {told}."]
    notes += [f"95 % bootstrap intervals: percentile, {count:,} resamples of units." for count in sorted(draws)]
    notes.append("Equal: pairs of ratings of the same unit; units on which all raters agree.")
    for one in found:
        where = f"{one.scale}, {one.window}" if one.window else one.scale
        alone = f"{one.result.alone:,} units have a single rating and are left out" if one.result.alone else ""
        dropped = ""
        if one.result.dropped and one.result.low is not None:
            dropped = f"{one.result.dropped:,} resamples in which all ratings are the same are left out"
        kappa = "" if one.result.kappa_reason == one.result.reason else one.result.kappa_reason
        parts = (one.result.reason, dropped, f"no kappa: {kappa}" if kappa else "", alone)
        notes += [f"{where}: {part}." for part in parts if part]
    return notes
