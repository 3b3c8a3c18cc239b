"""Agreement of raters: the paper's dot plot of alpha with its interval for each scale, and a table."""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.report.figures.points import Guide, Point, point_chart
from vdebench.report.table import Column, Row, Table
from vdebench.stats.reliability.scales import ScaleReliability

TITLE = "How far raters agree"
GUIDES = (Guide(0.667, "tentative 0.667", "end"), Guide(0.8, "0.8 reliable", "start"))
"""Krippendorff's thresholds for tentative conclusions and for reliable data."""
_SAYS = "Dots are Krippendorff's alpha, bars its 95 % bootstrap intervals over units."


def reliability_figure(results: Sequence[ScaleReliability]) -> str:
    """The dot plot as SVG: a line for each scale, or for each window of each scale."""
    points = []
    for scale in results:
        result = scale.result
        note = "" if result.pairwise is None else f"{100 * result.pairwise:.1f} %"
        section = scale.scale if scale.window else ""
        points.append(Point(section, _name(scale), result.alpha, result.low, result.high, result.reason, note))
    levels = ", ".join(dict.fromkeys(scale.result.level for scale in results))
    axis = f"Krippendorff's alpha ({levels})"
    heads = ("alpha", "equal pairs")
    return point_chart(TITLE, points, says=_SAYS, axis=axis, reach=(0.0, 1.0), tick=0.2, guides=GUIDES, heads=heads)


def _name(result: ScaleReliability) -> str:
    return result.window or result.scale


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
