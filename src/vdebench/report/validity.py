"""A validity ladder as tables: a row for every corruption, a column for every metric of a protocol."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vdebench.metrics.registry import facts, page_columns
from vdebench.report.rendering import Format, render
from vdebench.report.table import Column, Row, Table
from vdebench.stats.usable import PROPERTIES
from vdebench.studies.validity.export import EXACT_LAYOUT
from vdebench.studies.validity.ladder_run import Ladder
from vdebench.studies.validity.statistics import CorruptionResult

MARKS = {"falls": "↓", "late": "↘", "uneven": "~", "blind": "○", "rises": "↑", "unknown": ""}
_LATEX = {
    "↓": r"$\downarrow$",
    "↘": r"$\searrow$",
    "○": r"$\circ$",
    "↑": r"$\uparrow$",
    "∞": r"$\infty$",
    "~": r"$\sim$",
}
LEGEND = (
    "Each cell: Spearman correlation of the level with the loss, drop from the right answer to the last level. "
    "↓ falls at every level, ↘ never rises but misses some levels, ~ goes up and down, ○ blind (changes by less than "
    "0.001), ↑ rises. * must fall."
)
SETTINGS = ("global", "local", "sample")
_CSV = ("protocol", "corruption", "setting", "metric", "n", "spearman", "drop", "never_rises", "verdict", "must_fall")
RIGHT = "(right answer)"


@dataclass(frozen=True)
class LadderRow(Row):
    """A row whose cells are written already."""

    cells: Sequence[str] = ()


@dataclass(frozen=True)
class LadderTable(Table):
    """A table that shows what its rows say, and in which nothing is best."""

    def cell(self, row: Row, column: int) -> str:
        """What the row says."""
        return row.cells[column] if isinstance(row, LadderRow) else super().cell(row, column)


def title_of(metric: str) -> str:
    """A metric as tables call it.

    >>> title_of("cdm"), title_of("usable.preservation")
    ('CDM', 'Preservation')
    """
    own = {"done": "Done", "usable": "Usable", **{f"usable.{name}": title for name, title in PROPERTIES.items()}}
    return own.get(metric) or facts(metric).title


def ladder_tables(ladder: Ladder) -> list[Table]:
    """A table for every protocol."""
    return [_table(ladder, protocol) for protocol in dict.fromkeys(finding.protocol for finding in ladder.findings)]


def _table(ladder: Ladder, protocol: str) -> Table:
    findings = {
        (each.corruption, each.setting, each.metric): each for each in ladder.findings if each.protocol == protocol
    }
    order = {
        metric: at
        for at, metric in enumerate([*page_columns(), "done", "usable", *(f"usable.{p}" for p in PROPERTIES)])
    }
    keys = sorted({key[1:] for key in findings}, key=lambda key: (SETTINGS.index(key[0]), order.get(key[1], 99)))
    columns = [Column(title_of(metric), "", group="" if setting == "sample" else setting) for setting, metric in keys]
    rows: list[Row] = []
    for corruption in ladder.corruptions:
        found = [findings.get((corruption.name, *key)) for key in keys]
        if any(found):
            drops = [each.drop if each else None for each in found]
            rows.append(LadderRow(corruption.title, drops, cells=[cell_of(each) for each in found]))
    broadest = max(ladder.corruptions, key=lambda each: ladder.about["corruptions"][each.name]["samples"])
    right = [findings.get((broadest.name, *key)) for key in keys]
    values = [each.values[0] if each else None for each in right]
    rows.insert(0, LadderRow(RIGHT, values, cells=[_number(value) for value in values]))
    title = f"{protocol}: {ladder.about['samples']} samples, read by {ladder.about['reader']}"
    return LadderTable(title, columns, rows, "Corruption", notes=[LEGEND, *_notes(ladder, protocol)])


def cell_of(finding: CorruptionResult | None) -> str:
    """Correlation, drop and mark; of images that were identical first, where PSNR ends.

    >>> cell_of(CorruptionResult("strict", "blank", "local", "cdm", 9, (1.0, 0.5, 0.0), 1.0, 1.0, 1.0, "falls", True))
    '1.00 1.000 ↓*'
    """
    if finding is None or finding.verdict == "unknown":
        return "–"
    mark = MARKS[finding.verdict] + ("*" if finding.business else "")
    if finding.verdict == "blind":
        return mark
    rho = "–" if finding.spearman is None else f"{finding.spearman:.2f}"
    known = [value for value in finding.values if value is not None]
    lost = f"{_number(known[0], 1)}→{_number(known[-1], 1)}" if finding.drop is None else f"{finding.drop:.3f}"
    return f"{rho} {lost} {mark}"


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else "∞" if math.isinf(value) else f"{value:.{digits}f}"


def _notes(ladder: Ladder, protocol: str) -> list[str]:
    own = [finding for finding in ladder.findings if finding.protocol == protocol]
    notes = [f"{corruption}: done to {found['samples']} samples" for corruption, found in _fewer(ladder).items()]
    notes = [f"Not all samples can be made wrong in every way: {'; '.join(notes)}."] if notes else []
    failing = [f"{each.corruption} {each.setting}.{each.metric} ({each.verdict})" for each in own if not each.holds]
    must = sum(each.business for each in own)
    if must:
        told = f"does not fall: {', '.join(failing)}" if failing else "all fall"
        notes.append(f"Of {must} pairs of metric and corruption that must fall, {told}.")
    if ladder.about["reader"] != EXACT_LAYOUT:
        notes.append(f"{RIGHT} is the reader's noise floor: what it gives where nothing is wrong.")
    for name, why in ladder.about["unavailable"].items():
        notes.append(f"{name} unavailable: {why.partition(chr(10))[0]}")
    if ladder.about["failed"]:
        notes.append(f"{ladder.about['failed']} rows have no score: a page could not be read.")
    return [*notes, f"{ladder.about['suite']}, seed {ladder.about['seed']}, vdebench {ladder.about['vdebench']}"]


def _fewer(ladder: Ladder) -> Mapping[str, Any]:
    every = ladder.about["samples"]
    return {name: found for name, found in ladder.about["corruptions"].items() if found["samples"] < every}


def ladder_text(ladder: Ladder, form: Format, text_of: Callable[[Table, Format], str] = render) -> str:
    """All tables in a form, each as `text_of` writes it; as CSV a row for every finding."""
    if form == "csv":
        return ladder_csv(ladder)
    text = "\n".join(text_of(table, form) for table in ladder_tables(ladder))
    if form == "latex":
        for mark, command in _LATEX.items():
            text = text.replace(mark, command)
    return text


def ladder_csv(ladder: Ladder) -> str:
    """A row for every finding, with the mean at every level."""
    out = io.StringIO()
    levels = max(len(finding.values) for finding in ladder.findings)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_CSV, *(f"level_{level}" for level in range(levels))])
    for each in ladder.findings:
        names = [each.protocol, each.corruption, each.setting, each.metric]
        numbers = [each.n, each.spearman, each.drop, each.never_rises, each.verdict, "yes" if each.business else "no"]
        writer.writerow(["" if value is None else value for value in [*names, *numbers, *each.values]])
    return out.getvalue()


def ladder_json(ladder: Ladder) -> dict[str, Any]:
    """Everything but the rows of samples."""
    return {**ladder.about, "findings": [finding.to_json() for finding in ladder.findings]}
