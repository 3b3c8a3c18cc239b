"""Tables of a suite's statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vdebench.report.figures.suite import METRICS
from vdebench.report.table import Column, Row, Table

_LISTED = 5


def statistics_tables(statistics: Mapping[str, Any]) -> list[Table]:
    """Counts, lengths of instructions and layout, if there are any."""
    tables = [_counts(statistics)]
    if statistics["instructions"]["samples"]:
        tables.append(_lengths(statistics["instructions"]["by_language"]))
    if statistics["layout"]["pages"] or statistics["layout"]["left_out"]:
        tables.append(_layout(statistics["layout"]))
    return tables


def _counts(statistics: Mapping[str, Any]) -> Table:
    groups = list(statistics["groups"])
    total = statistics["samples"] or 1
    rows = []
    for title, kind in (("operation", "operations"), ("language", "languages"), ("source", "sources")):
        for value, counts in statistics[kind].items():
            numbers = [counts.get(group, 0) for group in groups]
            rows.append(Row(value, [*numbers, sum(numbers), 100 * sum(numbers) / total], title))
    totals = [statistics["groups"][group] for group in groups]
    rows.append(Row("all", [*totals, statistics["samples"], 100.0 if statistics["samples"] else None], "samples"))
    columns = [*(Column(name, "", 0) for name in [*groups, "all"]), Column("%", "", 1)]
    notes = [f"{statistics['pages']} pages."]
    notes += [f"left out: {key}: {reason}" for key, reason in statistics["left_out"].items()]
    return Table(f"{statistics['suite']}: {statistics['samples']} samples", columns, rows, "", notes=notes)


def _lengths(spread: Mapping[str, Any]) -> Table:
    names = {"least": "least", "median": "median", "mean": "mean", "third_quartile": "3rd quartile", "most": "most"}
    columns = [Column("n", "", 0)]
    columns += [
        Column(name, "", 1 if key == "mean" else 0, unit)
        for unit in ("characters", "tokens")
        for key, name in names.items()
    ]
    rows = [
        Row(language, [lengths["samples"], *(lengths[unit][key] for unit in ("characters", "tokens") for key in names)])
        for language, lengths in spread.items()
    ]
    note = "Tokens: a word, a number, a Chinese character, a punctuation mark."
    return Table("Length of instructions", columns, rows, "Language", notes=[note])


def _layout(layout: Mapping[str, Any]) -> Table:
    columns = [Column("pages", "", 0), *(Column(title, "", digits) for title, digits in METRICS.values())]
    rows = [
        Row(source, [layout["sources"][source], *(metrics[key] for key in METRICS)])
        for source, metrics in layout["metrics"].items()
    ]
    if len(rows) != 1:
        rows.append(Row("all pages", [layout["pages"], *(layout["all"][key] for key in METRICS)], reference=True))
    return Table("Layout", columns, rows, "Source", notes=list(_notes(layout)))


def _notes(layout: Mapping[str, Any]) -> Iterator[str]:
    for origin, count in layout["from"].items():
        yield f"{count} pages by {'their ' if origin != 'reader' else 'a '}{origin}."
    if layout["unknown_types"]:
        yield f"Unknown types, counted neither as text nor as visual: {', '.join(layout['unknown_types'])}."
    reasons: dict[str, list[str]] = {}
    for page, reason in layout["left_out"].items():
        reasons.setdefault(reason.partition("\n")[0], []).append(page)
    for reason, pages in list(reasons.items())[:_LISTED]:
        names = ", ".join(pages[:3]) + (", …" if len(pages) > 3 else "")
        yield f"{len(pages)} pages left out ({names}): {reason}"
    if len(reasons) > _LISTED:
        yield f"and pages left out for {len(reasons) - _LISTED} other reasons; --json names all"
