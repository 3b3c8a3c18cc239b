"""What ambiguous instructions cost, as a table and as a figure."""

from __future__ import annotations

from collections.abc import Sequence

from vdebench.metrics.registry import facts
from vdebench.report.figures.points import Point, point_chart
from vdebench.report.table import Column, Row, Table
from vdebench.studies.ambiguity_drop import AmbiguityStudy, Drop
from vdebench.studies.ambiguity_runs import USABLE

_NUMBERS = ("original", "ambiguous", "drop", "drop_low", "drop_high", "ambiguity")
_PER_UNIT = ("per_unit", "per_unit_low", "per_unit_high")


def drop_table(study: AmbiguityStudy) -> Table:
    """A section for every metric, a row for every editor."""
    columns = [
        Column("original", ""),
        Column("ambiguous", ""),
        *(Column(name, "", group="drop") for name in ("mean", "low", "high")),
        Column("ambiguity", "", 2),
        *(Column(name, "", group="drop per unit") for name in ("mean", "low", "high")),
    ]
    rows = [
        Row(drop.editor, [getattr(drop, name) for name in (*_NUMBERS, *_PER_UNIT)], _section(drop))
        for drop in _sorted(study.drops)
    ]
    counts = dict.fromkeys(f"{drop.setting}: {drop.samples} samples of {drop.pages} pages" for drop in study.drops)
    reasons = dict.fromkeys(f"No drop per unit: {drop.reason}." for drop in study.drops if drop.reason)
    return Table("Drop with ambiguous instructions", columns, rows, "Editor", notes=[*study.notes, *counts, *reasons])


def drop_figure(study: AmbiguityStudy) -> str:
    """Drops with their intervals, per unit of ambiguity where grades were given."""
    is_per_unit = any(drop.per_unit is not None for drop in study.drops)
    names = _PER_UNIT if is_per_unit else ("drop", "drop_low", "drop_high")
    points = []
    for drop in _sorted(study.drops):
        value, low, high = (getattr(drop, name) for name in names)
        points.append(Point(_section(drop), drop.editor, value, low, high, drop.reason))
    axis = "drop per unit of ambiguity" if is_per_unit else "drop"
    return point_chart(
        "Drop with ambiguous instructions", points, says="to the right: worse; 95 % intervals over pages", axis=axis
    )


def _sorted(drops: Sequence[Drop]) -> list[Drop]:
    """Drops grouped by metric, in the order of the metrics."""
    order = list(dict.fromkeys((drop.setting, drop.metric) for drop in drops))
    return sorted(drops, key=lambda drop: order.index((drop.setting, drop.metric)))


def _section(drop: Drop) -> str:
    if drop.metric == USABLE:
        return "rate of usable edits"
    title = "text correctness" if drop.metric == "text_correctness" else facts(drop.metric).title
    return f"{drop.setting}: {title}"
