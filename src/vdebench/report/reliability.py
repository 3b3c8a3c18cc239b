"""Agreement of raters: the paper's dot plot of alpha with its interval for each scale, and a table."""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.report.figures.points import Guide, Point, point_chart
from vdebench.report.table import Column, Row, Table
from vdebench.stats.reliability.scales import ScaleReliability

TITLE = "How far raters agree"
GUIDES = (Guide(0.667, "tentative 0.667", "end"), Guide(0.8, "0.8 reliable", "start"))
"""Krippendorff's thresholds for data that conclusions are drawn from: the least, and the rule."""
_SAYS = "Dots are Krippendorff's alpha, bars its 95 % bootstrap intervals over units."


def reliability_figure(found: Sequence[ScaleReliability]) -> str:
    """The dot plot as SVG: a line for each scale, or for each window of each scale."""
    points = []
    for one in found:
        alpha, pairs = one.found, one.found.pairwise
        note = "" if pairs is None else f"{100 * pairs:.1f} %"
        section = one.scale if one.window else ""
        points.append(Point(section, _name(one), alpha.alpha, alpha.low, alpha.high, alpha.reason, note))
    levels = ", ".join(dict.fromkeys(one.found.level for one in found))
    axis = f"Krippendorff's alpha ({levels})"
    heads = ("alpha", "equal pairs")
    return point_chart(TITLE, points, says=_SAYS, axis=axis, reach=(0.0, 1.0), tick=0.2, guides=GUIDES, heads=heads)


def _name(one: ScaleReliability) -> str:
    return one.window or one.scale


def reliability_table(found: Sequence[ScaleReliability]) -> Table:
    """A row for each scale, or for each window in a section for each scale."""
    headed = any(one.window for one in found)
    columns = [
        *(Column(name, "", group="Krippendorff") for name in ("alpha", "low", "high")),
        Column("Fleiss' kappa", "", group=" "),
        *(Column(name, "", 1, group="equal, in %") for name in ("pairs", "all")),
        *(Column(name, "", 0, group="compared") for name in ("units", "raters", "ratings")),
    ]
    rows = []
    for one in found:
        told = one.found
        shares = [None if share is None else 100 * share for share in (told.pairwise, told.unanimous)]
        counts = [float(count) for count in (told.units, told.raters, told.ratings)]
        values = [told.alpha, told.low, told.high, told.kappa, *shares, *counts]
        rows.append(Row(_name(one), values, one.scale if headed else ""))
    return Table(TITLE, columns, rows, "Units finished" if headed else "Scale", notes=_notes(found))


def _notes(found: Sequence[ScaleReliability]) -> list[str]:
    levels: dict[str, list[str]] = {}
    for one in found:
        scales = levels.setdefault(one.found.level, [])
        scales += [one.scale] * (one.scale not in scales)
    told = "; ".join(f"{level} ({', '.join(scales)})" for level, scales in levels.items())
    draws = {one.found.resamples for one in found if one.found.low is not None}
    notes = [f"Alpha is {told}."]
    notes += [f"95 % bootstrap intervals: percentile, {count:,} resamples of units." for count in sorted(draws)]
    notes.append("Equal: pairs of ratings of the same unit; units on which all raters agree.")
    for one in found:
        where = f"{one.scale}, {one.window}" if one.window else one.scale
        alone = f"{one.found.alone:,} units have a single rating and are left out" if one.found.alone else ""
        dropped = ""
        if one.found.dropped and one.found.low is not None:
            dropped = f"{one.found.dropped:,} resamples in which all ratings are the same are left out"
        kappa = "" if one.found.kappa_reason == one.found.reason else one.found.kappa_reason
        parts = (one.found.reason, dropped, f"no kappa: {kappa}" if kappa else "", alone)
        notes += [f"{where}: {part}." for part in parts if part]
    return notes
