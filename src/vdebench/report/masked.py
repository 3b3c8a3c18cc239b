"""Tables of runs with masks: editors by split, and one editor's slices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vdebench.metrics.registry import registered
from vdebench.protocols.masks.columns import CALLED, COLUMNS, SETTING
from vdebench.report.overview import bounds_of, interval_notes, metric_column, provenance
from vdebench.report.run_columns import with_run_columns
from vdebench.report.table import Column, Row, Table

TITLES = {column: name for name, column in CALLED.items()}


def masked_table(summaries: Sequence[Mapping[str, Any]]) -> Table:
    """Editors scored by one protocol, over all samples and by split."""
    summaries = [with_run_columns(summary) for summary in summaries]
    keys = _used(summaries)
    splits = sorted({split for summary in summaries for split in summary["by"]["group"]})
    sections = {"all": [summary["overall"][SETTING] for summary in summaries]}
    for split in splits if len(splits) > 1 else ():
        sections[split] = [(summary["by"]["group"].get(split) or {}).get(SETTING) for summary in summaries]
    rows = [
        Row(summary["editor"], _values(means, keys), section, bounds=bounds_of(means, keys))
        for section, column in sections.items()
        for summary, means in zip(summaries, column, strict=True)
    ]
    title = f"{summaries[0]['protocol']} on {summaries[0]['suite']}, outside the masks"
    notes = alignment_notes(summaries)
    return Table(
        title, list(map(metric_column, keys)), rows, "Editor", notes=notes, interval_notes=interval_notes(summaries)
    )


def masked_breakdown(summary: Mapping[str, Any], by: str) -> Table:
    """One editor's numbers by a slice."""
    keys = _used([summary])
    by = ",".join(CALLED.get(part, part) for part in by.split(","))
    slices = summary["by"][by]
    rows = [
        Row(value, [*_values(means, keys), means["samples"]], bounds=[*bounds_of(means, keys), None])
        for value, means in ((value, settings[SETTING]) for value, settings in slices.items())
    ]
    columns = [*(metric_column(key, compare=False) for key in keys), Column("n", "", 0)]
    title = " × ".join(TITLES.get(part, part) for part in by.split(","))
    return Table(f"{summary['editor']} by {title}", columns, rows, title)


def _used(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Columns that have a number anywhere."""
    overall = [summary["overall"][SETTING] for summary in summaries]
    known = (*COLUMNS, *registered(("run",)))
    return [key for key in known if any(_values(means, [key])[0] is not None for means in overall)]


def _values(means: Mapping[str, Any] | None, keys: Sequence[str]) -> list[float | None]:
    """Numbers of a row; PSNR is infinite if only identical images would count."""
    if means is None:
        return [None] * len(keys)
    values = [means.get(key) for key in keys]
    for at, key in enumerate(keys):
        if key.startswith("psnr") and values[at] is None and means.get(key.replace("psnr", "identical")):
            values[at] = math.inf
    return values


def alignment_notes(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return notes on the alignment of every editor's outputs, then on signatures and coverage."""
    notes = [
        f"{summary['editor']}: alignment: " + ", ".join(f"{count} {state}" for state, count in states.items())
        for summary in summaries
        if (states := summary["alignment"])
    ]
    return [*notes, *provenance(summaries)]
