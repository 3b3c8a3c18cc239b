"""The table of a comparison of runs: a section for every metric, a row for every editor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vdebench.metrics.registry import facts
from vdebench.report import overview
from vdebench.report.table import Column, Row, Table
from vdebench.stats.comparison import ComparedMean, RunComparison
from vdebench.stats.usable_runs import USABLE

_COLUMNS = (
    Column("Mean", "", headline=True),
    Column("low", "", group="interval"),
    Column("high", "", group="interval"),
    Column("mean", "", group="difference", headline=True),
    Column("low", "", group="difference"),
    Column("high", "", group="difference"),
    Column("p", "", 4, group="difference", headline=True),
    Column("d_z", "", 2, group="difference"),
    Column("win", "", 0, group="samples"),
    Column("tie", "", 0, group="samples"),
    Column("loss", "", 0, group="samples"),
    Column("needed", "", 0, group="samples"),
)
_MEAN, _DIFFERENCE, _SIGNED = 0, 3, (3, 4, 5, 7)
_METRIC_COLUMNS = range(6)  # columns with the digits of the metric


@dataclass(frozen=True)
class ComparedRow(Row):
    """A row with the digits and direction of its metric, and the stars of its difference."""

    digits: int = 3
    lower: bool = False
    mark: str = ""


@dataclass(frozen=True)
class ComparedTable(Table):
    """A table with signed differences and stars, whose sections differ in direction."""

    def cell(self, row: Row, column: int) -> str:
        """Format a number; differences with their sign, the mean difference with its stars."""
        value = row.values[column]
        if not isinstance(row, ComparedRow) or value is None or math.isinf(value):
            return super().cell(row, column)
        digits = row.digits if column in _METRIC_COLUMNS else self.columns[column].digits
        text = f"{value:{'+' if column in _SIGNED else ''}.{digits}f}"
        return text + row.mark if column == _DIFFERENCE else text

    def best(self) -> set[tuple[int, int]]:
        """The best mean of every section."""
        sections: dict[str, list[tuple[float, int]]] = {}
        for index, row in enumerate(self.rows):
            value = row.values[_MEAN]
            if value is not None and isinstance(row, ComparedRow):
                sections.setdefault(row.section, []).append((-value if row.lower else value, index))
        tops = {section: max(values)[0] for section, values in sections.items() if len(values) > 1}
        return {(index, _MEAN) for section, top in tops.items() for value, index in sections[section] if value == top}


def compare_table(comparison: RunComparison, summaries: Sequence[Mapping[str, Any]]) -> Table:
    """The table of a comparison; title and first note warn if the runs are not comparable."""
    title = f"Compared with {comparison.editors[0]}, by {summaries[0]['protocol']}"
    notes = [*comparison.notes, *overview.provenance(summaries)]
    if comparison.differing:
        title = f"NOT COMPARABLE ({', '.join(comparison.differing)}): {title}"
        notes.insert(0, warning(comparison))
    rows = [_row(finding) for finding in comparison.findings]
    return ComparedTable(title, _COLUMNS, rows, "Editor", notes=notes)


def warning(comparison: RunComparison) -> str:
    """The note on runs whose signatures differ."""
    parts = (f"{part}: {' against '.join(dict.fromkeys(values))}" for part, values in comparison.differing.items())
    return f"WARNING: the runs were scored differently, which alone may change the numbers: {'; '.join(parts)}"


def _row(finding: ComparedMean) -> ComparedRow:
    values = (
        *(finding.mean, finding.low, finding.high),
        *(finding.difference, finding.difference_low, finding.difference_high, finding.p_holm, finding.d_z),
        *(finding.wins, finding.ties, finding.losses, finding.needed),
    )
    metric, section = facts(finding.metric), _section(finding)
    lower = metric.best == "lower"
    return ComparedRow(finding.editor, values, section, digits=metric.digits, lower=lower, mark=finding.mark)


def _section(finding: ComparedMean) -> str:
    """Setting, metric, slice, such as `global: LPIPS (lower is better), text_delete`."""
    if finding.metric == USABLE:
        return f"Usable edits, {finding.slice}" if finding.slice else "Usable edits"
    better = " (lower is better)" if facts(finding.metric).best == "lower" else ""
    title = f"{finding.setting}: {facts(finding.metric).title}{better}"
    return f"{title}, {finding.slice}" if finding.slice else title
