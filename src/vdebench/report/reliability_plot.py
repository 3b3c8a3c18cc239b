"""Agreement of raters as a dot plot (alpha with its interval for every scale) and as a table."""

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
"""Krippendorff's thresholds for tentative conclusions and for reliable data."""
_CAPTION = "Dots are Krippendorff's alpha, bars its 95 % bootstrap intervals over units."
_NAME_WIDTH, _STEP, _PLOT_WIDTH, _TOP, _TICK = 220.0, 26.0, 420.0, 78.0, 0.2
_ALPHA, _BOUNDS, _EQUAL = 58.0, 66.0, 240.0  # to the right of the plot


def reliability_figure(results: Sequence[ScaleReliability]) -> str:
    """The dot plot as SVG: a row for every scale, or for every window of every scale."""
    numbers = [
        0.0,
        *(bound for result in results for bound in (result.result.alpha, result.result.low) if bound is not None),
    ]
    first = math.floor(min(numbers) / _TICK + 0.1)  # a little below 0 needs no further tick
    last = round(1 / _TICK)
    sections = [(scale, list(group)) for scale, group in groupby(results, key=lambda result: result.scale)]
    has_windows = any(result.window for result in results)
    names = [_name(result) for result in results] + [scale for scale, _ in sections if has_windows]
    left = LEFT + max((width_of(shortened(name, _NAME_WIDTH)) for name in names), default=0.0) + 14
    bottom = _TOP + _STEP * (len(results) + has_windows * len(sections)) + 6
    drawing = Drawing(wide_enough(left + _PLOT_WIDTH + _EQUAL + LEFT, TITLE, _CAPTION), bottom + 50, TITLE, _CAPTION)
    drawing.heading()

    def position(value: float) -> float:
        return left + _PLOT_WIDTH * (value / _TICK - first) / (last - first)

    drawing.text(left + _PLOT_WIDTH + _ALPHA, _TOP - 10, "alpha", anchor="end", size=10.5, fill="soft")
    drawing.text(left + _PLOT_WIDTH + _EQUAL, _TOP - 10, "equal pairs", anchor="end", size=10.5, fill="soft")
    _axis(drawing, [at * _TICK for at in range(first, last + 1)], bottom, position)
    levels = ", ".join(dict.fromkeys(result.result.level for result in results))
    middle = left + _PLOT_WIDTH / 2
    drawing.text(middle, bottom + 38, shortened(f"Krippendorff's alpha ({levels})", _PLOT_WIDTH), anchor="middle")
    y = _TOP
    for scale, group in sections:
        if has_windows:
            drawing.text(LEFT, y + 18, shortened(scale, _NAME_WIDTH), weight=600)
            y += _STEP
        for result in group:
            _draw(drawing, result, left, y + _STEP / 2, position)
            y += _STEP
    return drawing.svg()


def check_figure(file: Path) -> None:
    """Raise `VdeError` if a file name ends with neither .svg nor .png."""
    if file.suffix.lower() not in (".svg", ".png"):
        raise VdeError(f"--out {file}: expected a file that ends with .svg or .png")


def write_figure(results: Sequence[ScaleReliability], file: Path) -> None:
    """Write the dot plot as SVG or PNG."""
    check_figure(file)
    svg = reliability_figure(results)
    if file.suffix.lower() == ".png":
        from vdebench.report.figures.png import png_of

        write_bytes(file, png_of(svg))
    else:
        write_bytes(file, svg.encode())


def _name(result: ScaleReliability) -> str:
    return result.window or result.scale


def _axis(drawing: Drawing, ticks: Sequence[float], bottom: float, position: Callable[[float], float]) -> None:
    """Draw ticks and threshold lines."""
    for value in ticks:
        x = position(value)
        drawing.line(x, _TOP, x, bottom, "soft" if abs(value) < 1e-9 else "line")
        drawing.text(x, bottom + 17, _format(value, 1), anchor="middle", size=11, fill="soft")
    for value, label, anchor in GUIDES:
        x = position(value)
        drawing.line(x, _TOP - 6, x, bottom, "soft", dashed=True)
        text = f"{label} {value:g}" if anchor == "end" else f"{value:g} {label}"
        drawing.text(x + (4 if anchor == "end" else -4), _TOP - 10, text, anchor=anchor, size=10.5, fill="soft")


def _draw(
    drawing: Drawing, result: ScaleReliability, left: float, y: float, position: Callable[[float], float]
) -> None:
    """Draw a row: name, bar, dot and numbers, or the reason for a missing alpha."""
    agreement, colour = result.result, PALETTE[0]
    name = shortened(_name(result), _NAME_WIDTH)
    drawing.text(left - 14, y + 4, name, anchor="end", tooltip=_name(result) if name != _name(result) else "")
    right = left + _PLOT_WIDTH
    if agreement.pairwise is not None:
        drawing.text(right + _EQUAL, y + 4, f"{100 * agreement.pairwise:.1f} %", anchor="end", size=11, fill="soft")
    if agreement.alpha is None:
        reason = shortened(agreement.reason, _PLOT_WIDTH - 16, 11)
        drawing.rect(left + 4, y - 9, min(width_of(reason, 11), _PLOT_WIDTH - 16) + 8, 18, "paper")
        drawing.text(left + 8, y + 4, reason, size=11, fill="soft", tooltip=agreement.reason)
        return
    text = _format(agreement.alpha)
    drawing.text(right + _ALPHA, y + 4, text, anchor="end", size=11.5, weight=600)
    if agreement.low is not None and agreement.high is not None:
        low, high = position(agreement.low), position(agreement.high)
        drawing.rect(low, y - 1.5, max(high - low, 1), 3, colour)
        for x in (low, high):
            drawing.rect(x - 0.75, y - 5, 1.5, 10, colour)
        bounds = f"[{_format(agreement.low)}, {_format(agreement.high)}]"
        drawing.text(right + _BOUNDS, y + 4, bounds, size=11)
        text = f"{text} {bounds}"
    drawing.circle(position(agreement.alpha), y, 5.5, colour, tooltip=f"{_name(result)}: {text}")


def _format(value: float, digits: int = 3) -> str:
    return f"{value + 0.0:.{digits}f}".replace("-", "−")


def reliability_table(results: Sequence[ScaleReliability]) -> Table:
    """A row for every scale, or for every window in a section for every scale."""
    has_windows = any(result.window for result in results)
    columns = [
        *(Column(name, "", group="Krippendorff") for name in ("alpha", "low", "high")),
        Column("Fleiss' kappa", "", group=" "),
        *(Column(name, "", 1, group="equal, in %") for name in ("pairs", "all")),
        *(Column(name, "", 0, group="compared") for name in ("units", "raters", "ratings")),
    ]
    rows = []
    for result in results:
        agreement = result.result
        shares = [None if share is None else 100 * share for share in (agreement.pairwise, agreement.unanimous)]
        counts = [float(count) for count in (agreement.units, agreement.raters, agreement.ratings)]
        values = [agreement.alpha, agreement.low, agreement.high, agreement.kappa, *shares, *counts]
        rows.append(Row(_name(result), values, result.scale if has_windows else ""))
    return Table(TITLE, columns, rows, "Units finished" if has_windows else "Scale", notes=_notes(results))


def _notes(results: Sequence[ScaleReliability]) -> list[str]:
    levels: dict[str, list[str]] = {}
    for result in results:
        scales = levels.setdefault(result.result.level, [])
        scales += [result.scale] * (result.scale not in scales)
    level_text = "; ".join(f"{level} ({', '.join(scales)})" for level, scales in levels.items())
    draws = {result.result.resamples for result in results if result.result.low is not None}
    notes = [f"Alpha is {level_text}."]
    notes += [f"95 % bootstrap intervals: percentile, {count:,} resamples of units." for count in sorted(draws)]
    notes.append("Equal: pairs of ratings of the same unit; units on which all raters agree.")
    for result in results:
        name = f"{result.scale}, {result.window}" if result.window else result.scale
        alone = f"{result.result.alone:,} units have a single rating and are left out" if result.result.alone else ""
        dropped = ""
        if result.result.dropped and result.result.low is not None:
            dropped = f"{result.result.dropped:,} resamples in which all ratings are the same are left out"
        kappa = "" if result.result.kappa_reason == result.result.reason else result.result.kappa_reason
        parts = (result.result.reason, dropped, f"no kappa: {kappa}" if kappa else "", alone)
        notes += [f"{name}: {part}." for part in parts if part]
    return notes
