"""A comparison of runs as a table: a section for every metric, a row for every editor."""

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
_IN_THE_METRIC = range(6)  # columns that show as many digits as the metric does


@dataclass(frozen=True)
class ComparedRow(Row):
    """A row that knows its metric's digits and direction, and whether its difference is no chance."""

    digits: int = 3
    lower: bool = False
    mark: str = ""


@dataclass(frozen=True)
class ComparedTable(Table):
    """A table with signs and stars at differences, whose sections differ in which way is better."""

    def cell(self, row: Row, column: int) -> str:
        """A number as it is shown; differences with their sign, the first of them with its stars."""
        value = row.values[column]
        if not isinstance(row, ComparedRow) or value is None or math.isinf(value):
            return super().cell(row, column)
        digits = row.digits if column in _IN_THE_METRIC else self.columns[column].digits
        shown = f"{value:{'+' if column in _SIGNED else ''}.{digits}f}"
        return shown + row.mark if column == _DIFFERENCE else shown

    def best(self) -> set[tuple[int, int]]:
        """The best mean of every section."""
        sections: dict[str, list[tuple[float, int]]] = {}
        for at, row in enumerate(self.rows):
            value = row.values[_MEAN]
            if value is not None and isinstance(row, ComparedRow):
                sections.setdefault(row.section, []).append((-value if row.lower else value, at))
        tops = {section: max(found)[0] for section, found in sections.items() if len(found) > 1}
        return {(at, _MEAN) for section, top in tops.items() for value, at in sections[section] if value == top}


def compare_table(comparison: RunComparison, summaries: Sequence[Mapping[str, Any]]) -> Table:
    """The table of a comparison; a forced one says so in its title and its first note."""
    title = f"Compared with {comparison.editors[0]}, by {summaries[0]['protocol']}"
    notes = [*comparison.notes, *overview.provenance(summaries)]
    if comparison.differing:
        title = f"NOT COMPARABLE ({', '.join(comparison.differing)}): {title}"
        notes.insert(0, warning(comparison))
    rows = [_row(finding) for finding in comparison.findings]
    return ComparedTable(title, _COLUMNS, rows, "Editor", notes=notes)


def warning(comparison: RunComparison) -> str:
    """In what runs differ that were compared nevertheless."""
    told = (f"{part}: {' against '.join(dict.fromkeys(said))}" for part, said in comparison.differing.items())
    return f"WARNING: the runs were scored differently, which alone may change the numbers: {'; '.join(told)}"


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
    named = f"{finding.setting}: {facts(finding.metric).title}{better}"
    return f"{named}, {finding.slice}" if finding.slice else named
