"""Tables of a validity ladder: a row for every corruption, a column for every metric of a protocol."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vdebench.metrics.registry import facts, page_columns
from vdebench.protocols import get_protocol
from vdebench.report.rendering import Format, render
from vdebench.report.table import Column, Row, Table
from vdebench.stats.usable import PROPERTIES
from vdebench.studies.validity.export import EXACT_LAYOUT
from vdebench.studies.validity.ladder_run import Ladder
from vdebench.studies.validity.statistics import CorruptionResult

MARKS = {"falls": "↓", "late": "↘", "uneven": "~", "blind": "○", "rises": "↑", "unknown": ""}
LEGEND = (
    "Each cell: Spearman correlation of the level with the loss, drop from the reference to the last level. "
    "↓ falls at every level, ↘ never rises but misses some levels, ~ goes up and down, ○ blind (changes by less than "
    "0.001), ↑ rises. * must fall."
)
SETTINGS = ("global", "local", "sample")
_CSV = ("protocol", "corruption", "setting", "metric", "n", "spearman", "drop", "never_rises", "verdict", "must_fall")
REFERENCE_ROW = "(reference)"


@dataclass(frozen=True)
class LadderRow(Row):
    """A row with formatted cells."""

    cells: Sequence[str] = ()


@dataclass(frozen=True)
class LadderTable(Table):
    """A table of formatted cells, without a best."""

    def cell(self, row: Row, column: int) -> str:
        """The formatted cell."""
        return row.cells[column] if isinstance(row, LadderRow) else super().cell(row, column)


def title_of(metric: str) -> str:
    """The title of a metric in tables.

    >>> title_of("cdm"), title_of("usable.preservation")
    ('CDM', 'Preservation')
    """
    titles = {"done": "Done", "usable": "Usable", **{f"usable.{name}": title for name, title in PROPERTIES.items()}}
    return titles.get(metric) or facts(metric).title


def ladder_tables(ladder: Ladder) -> list[Table]:
    """A table for every protocol."""
    return [_table(ladder, protocol) for protocol in dict.fromkeys(finding.protocol for finding in ladder.findings)]


def _table(ladder: Ladder, protocol: str) -> Table:
    findings = {
        (finding.corruption, finding.setting, finding.metric): finding
        for finding in ladder.findings
        if finding.protocol == protocol
    }
    keys = sorted_metrics({key[1:] for key in findings})
    columns = metric_columns(keys)
    rows: list[Row] = []
    for corruption in ladder.corruptions:
        row = [findings.get((corruption.name, *key)) for key in keys]
        if any(row):
            drops = [finding.drop if finding else None for finding in row]
            rows.append(LadderRow(corruption.title, drops, cells=[cell_of(finding) for finding in row]))
    broadest = max(ladder.corruptions, key=lambda finding: ladder.about["corruptions"][finding.name]["samples"])
    reference = [findings.get((broadest.name, *key)) for key in keys]
    values = [finding.values[0] if finding else None for finding in reference]
    rows.insert(0, LadderRow(REFERENCE_ROW, values, cells=[number_text(value) for value in values]))
    title = f"{protocol}: {ladder.about['samples']} samples, read by {ladder.about['reader']}"
    return LadderTable(title, columns, rows, "Corruption", notes=[LEGEND, *_notes(ladder, protocol)])


def sorted_metrics(keys: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Settings and metrics in the order of the tables."""
    metrics = [*page_columns(), "done", "usable", *(f"usable.{name}" for name in PROPERTIES)]
    order = {metric: index for index, metric in enumerate(metrics)}
    return sorted(keys, key=lambda key: (SETTINGS.index(key[0]), order.get(key[1], 99)))


def metric_columns(keys: Iterable[tuple[str, str]]) -> list[Column]:
    """Columns for settings and metrics."""
    return [Column(title_of(metric), "", group="" if setting == "sample" else setting) for setting, metric in keys]


def cell_of(finding: CorruptionResult | None) -> str:
    """Correlation, drop and mark; for an infinite PSNR at level 0, first and last value.

    >>> cell_of(CorruptionResult("strict", "blank", "local", "cdm", 9, (1.0, 0.5, 0.0), 1.0, 1.0, 1.0, "falls", True))
    '1.00 1.000 ↓*'
    """
    if finding is None or finding.verdict == "unknown":
        return "–"
    mark = MARKS[finding.verdict] + ("*" if finding.business else "")
    if finding.verdict == "blind":
        return mark
    rho = "–" if finding.spearman is None else f"{finding.spearman:.2f}"
    values = [value for value in finding.values if value is not None]
    change = (
        f"{number_text(values[0], 1)}→{number_text(values[-1], 1)}" if finding.drop is None else f"{finding.drop:.3f}"
    )
    return f"{rho} {change} {mark}"


def number_text(value: float | None, digits: int = 3) -> str:
    """A number with fixed digits, ∞, or a dash for None."""
    return "–" if value is None else "∞" if math.isinf(value) else f"{value:.{digits}f}"


def _notes(ladder: Ladder, protocol: str) -> list[str]:
    findings = [finding for finding in ladder.findings if finding.protocol == protocol]
    notes = [f"{corruption}: done to {about['samples']} samples" for corruption, about in _fewer(ladder).items()]
    notes = [f"Not every corruption applies to all samples: {'; '.join(notes)}."] if notes else []
    failing = [
        f"{finding.corruption} {finding.setting}.{finding.metric} ({finding.verdict})"
        for finding in findings
        if not finding.holds
    ]
    must = sum(finding.business for finding in findings)
    if must:
        result = f"does not fall: {', '.join(failing)}" if failing else "all fall"
        notes.append(f"Of {must} pairs of metric and corruption that must fall, {result}.")
    if ladder.about["reader"] != EXACT_LAYOUT:
        notes.append(f"{REFERENCE_ROW} is the OCR ceiling: the score without corruption.")
    if get_protocol(protocol).properties and "usable_signature" in ladder.about:
        notes.append(basis_note(ladder.about))
    return [*notes, *about_notes(ladder.about)]


def basis_note(about: Mapping[str, Any]) -> str:
    """What the verdicts on usable edits rest on."""
    signature = about["usable_signature"]
    if ",changes-" in signature.partition("|")[0].replace(":", ","):
        return f"Usable edits rest on change detection: {signature}"
    cause = "the text is the exact layout" if about["reader"] == EXACT_LAYOUT else "the reader has no likelihoods"
    return (
        f"Usable edits rest on the weaker tile rules, because {cause}; --reader rapidocr judges by change detection: "
        f"{signature}"
    )


def about_notes(about: Mapping[str, Any]) -> list[str]:
    """Metrics that are unavailable, pages that were not read, suite, seed and version."""
    notes = [f"{name} unavailable: {reason.partition(chr(10))[0]}" for name, reason in about["unavailable"].items()]
    if about["failed"]:
        notes.append(f"{about['failed']} rows have no score: a page could not be read.")
    return [*notes, f"{about['suite']}, seed {about['seed']}, vdebench {about['vdebench']}"]


def _fewer(ladder: Ladder) -> Mapping[str, Any]:
    total = ladder.about["samples"]
    return {name: about for name, about in ladder.about["corruptions"].items() if about["samples"] < total}


def ladder_text(ladder: Ladder, form: Format, text_of: Callable[[Table, Format], str] = render) -> str:
    """All tables as text, each rendered by `text_of`; CSV has a row for every finding."""
    if form == "csv":
        return ladder_csv(ladder)
    text = "\n".join(text_of(table, form) for table in ladder_tables(ladder))
    return text.replace("~", r"$\sim$") if form == "latex" else text


def ladder_csv(ladder: Ladder) -> str:
    """A row for every finding, with the mean at every level."""
    out = io.StringIO()
    levels = max(len(finding.values) for finding in ladder.findings)
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_CSV, *(f"level_{level}" for level in range(levels))])
    for finding in ladder.findings:
        names = [finding.protocol, finding.corruption, finding.setting, finding.metric]
        numbers = [
            finding.n,
            finding.spearman,
            finding.drop,
            finding.never_rises,
            finding.verdict,
            "yes" if finding.business else "no",
        ]
        writer.writerow(["" if value is None else value for value in [*names, *numbers, *finding.values]])
    return out.getvalue()


def ladder_json(ladder: Ladder) -> dict[str, Any]:
    """JSON data of a ladder, without the rows of samples."""
    return {**ladder.about, "findings": [finding.to_json() for finding in ladder.findings]}
