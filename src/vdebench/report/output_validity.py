"""Tables of output corruptions: what a person says, the verdict on usable edits, and the means of metrics."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

from vdebench.report.rendering import Format, render
from vdebench.report.table import Column, Row, Table
from vdebench.report.validity import (
    REFERENCE_ROW,
    LadderRow,
    LadderTable,
    about_notes,
    basis_note,
    metric_columns,
    number_text,
    sorted_metrics,
)
from vdebench.stats.usable import PROPERTIES
from vdebench.studies.validity.outputs.after import NOTHING
from vdebench.studies.validity.outputs.catalog import OPINIONS
from vdebench.studies.validity.outputs.results import ErrorRate, OutputResult
from vdebench.studies.validity.outputs.study import OutputStudy

_COUNTS = ("samples", "accepted", "rejected", "unknown", "not_judgeable")
_FIRST = {name: title.split()[0].lower() for name, title in PROPERTIES.items()}


def output_tables(study: OutputStudy) -> list[Table]:
    """The table of verdicts, and for every protocol one of means."""
    protocols = dict.fromkeys(protocol for result in study.results for protocol in result.means)
    return [verdict_table(study), *(_means_table(study, protocol) for protocol in protocols)]


def verdict_table(study: OutputStudy) -> Table:
    """Every corruption with what a person says, the verdicts, and the properties that fail first."""
    columns = [
        Column("A person", "", headline=True),
        *(Column(name, "", 0, headline=True) for name in ("accepted", "rejected", "unknown", "n")),
        *(Column(head, "", 0, group="fails first") for head in _FIRST.values()),
    ]
    rows = []
    for result in study.results:
        counts = [result.accepted, result.rejected, result.unknown]
        numbers = [*counts, sum(counts), *(result.fails_at.get(name, 0) for name in PROPERTIES)]
        cells = [result.opinion, *(str(number or "–") for number in numbers)]
        rows.append(LadderRow(result.title, [None, *map(float, numbers)], cells=cells))
    about = study.about
    title = f"Usable edits: {about['samples']} samples, read by {about['reader']}, after: {about['after']}"
    return LadderTable(title, columns, rows, "Output", notes=[*map(error_line, study.errors), *_notes(study)])


def error_line(error: ErrorRate) -> str:
    """A line for false accepts or false rejects.

    >>> error_line(ErrorRate("false accepts", "bad", 3, 120, 4, 0.025, (0.009, 0.071), []))
    'false accepts: 3 of 120 that a person calls bad (2.5 %, 95 % interval 0.9 to 7.1 %); 4 more are unknown'
    >>> error_line(ErrorRate("false rejects", "ok", 0, 0, 0, None, None, []))
    'false rejects: 0 of 0 that a person calls ok'
    """
    line = f"{error.name}: {error.count} of {error.n} that a person calls {error.opinion}"
    if error.share is not None and error.interval is not None:
        low, high = error.interval
        line += f" ({error.share:.1%}, 95 % interval {100 * low:.1f} to {100 * high:.1f} %)".replace("%,", " %,")
    return line + (f"; {error.unknown} more are unknown" if error.unknown else "")


def _notes(study: OutputStudy) -> list[str]:
    about = study.about
    notes = ["A person: " + "; ".join(f"{name}: {says}" for name, says in OPINIONS.items())]
    notes.append("Outputs that are arguable or minor count neither as false accepts nor as false rejects.")
    if about["after"] != NOTHING:
        notes.append(
            f"Every output passed through {about['after']} last; what a person says is about the output before it. If "
            "it garbles small type, rejected ok outputs are no errors."
        )
    if excluded := sum(result.not_judgeable for result in study.results):
        notes.append(f"{excluded} outputs are in no number: no editor can be judged on their samples.")
    if about["left_out"]:
        notes.append(f"Apply to no sample: {', '.join(about['left_out'])}.")
    return [*notes, basis_note(about), *about_notes(about)]


def _means_table(study: OutputStudy, protocol: str) -> Table:
    """The mean of every metric on each kind of output."""
    results = [result for result in study.results if protocol in result.means]
    keys = sorted_metrics({_key(name) for result in results for name in result.means[protocol]})
    broadest = max(results, key=lambda result: result.samples)
    reference = [_mean(broadest, protocol, key, 0) for key in keys]
    rows: list[Row] = [LadderRow(REFERENCE_ROW, reference, cells=[number_text(value) for value in reference])]
    for result in results:
        values = [_mean(result, protocol, key, 1) for key in keys]
        rows.append(LadderRow(result.title, values, cells=[number_text(value) for value in values]))
    note = f"Means of the samples that a corruption applies to; {REFERENCE_ROW}: the references without a last step."
    return LadderTable(f"{protocol}: means", metric_columns(keys), rows, "Output", notes=[note])


def _key(name: str) -> tuple[str, str]:
    setting, _, metric = name.partition(".")
    return setting, metric


def _mean(result: OutputResult, protocol: str, key: tuple[str, str], side: int) -> float | None:
    pair = result.means[protocol].get(".".join(key))
    return None if pair is None else pair[side]


def output_text(study: OutputStudy, form: Format, text_of: Callable[[Table, Format], str] = render) -> str:
    """All tables as text, each rendered by `text_of`; CSV has a row for every corruption."""
    if form == "csv":
        return output_csv(study)
    return "\n".join(text_of(table, form) for table in output_tables(study))


def output_csv(study: OutputStudy) -> str:
    """A row for every corruption: verdicts, properties that fail first, and the means of all protocols."""
    names = dict.fromkeys(
        (protocol, name) for result in study.results for protocol, means in result.means.items() for name in means
    )
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = ["corruption", "opinion", *_COUNTS, *(f"fails_at_{name}" for name in PROPERTIES)]
    writer.writerow([*heads, *(".".join(name) for name in names)])
    for result in study.results:
        counts = [*(getattr(result, name) for name in _COUNTS), *(result.fails_at.get(name, 0) for name in PROPERTIES)]
        means: Sequence[float | None] = [
            _mean(result, protocol, _key(name), 1) if protocol in result.means else None for protocol, name in names
        ]
        writer.writerow([result.corruption, result.opinion, *counts, *("" if x is None else x for x in means)])
    return out.getvalue()


def output_json(study: OutputStudy) -> dict[str, Any]:
    """JSON data of a study, without the rows of samples; infinite means as text."""
    return {
        **study.about,
        "outputs": [_finite(result.to_json()) for result in study.results],
        "errors": [{**vars(error), "samples": list(error.samples)} for error in study.errors],
    }


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return "inf" if value == float("inf") else value
