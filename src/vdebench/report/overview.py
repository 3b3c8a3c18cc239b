"""The tables `vde score` shows: editors side by side, and one editor's breakdowns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vdebench.metrics.registry import facts, page_columns
from vdebench.report.run_columns import with_run_columns
from vdebench.report.table import Bounds, Column, Row, Table
from vdebench.stats.intervals import describe_intervals

REFERENCE = "(reference)"
"""The row of the noise floor: what the reader gives for the right answer."""
SETTINGS = ("global", "local")


def editors_table(summaries: Sequence[Mapping[str, Any]]) -> Table:
    """Editors scored by one protocol, a row each per setting."""
    summaries = [with_run_columns(summary) for summary in summaries]
    keys = _used(summary["overall"].get(setting) for summary in summaries for setting in SETTINGS)
    rows = []
    for setting in SETTINGS:
        found = [(summary["editor"], summary["overall"].get(setting)) for summary in summaries]
        floors = _floors(summaries, setting)
        if any(means for _, means in found):
            rows += [Row(name, _values(means, keys), setting, bounds=bounds_of(means, keys)) for name, means in found]
            rows += [Row(name, _values(means, keys), setting, reference=True) for name, means in floors]
    title = f"{summaries[0]['protocol']} on {summaries[0]['suite']}"
    how = interval_notes(summaries)
    return Table(title, list(map(metric_column, keys)), rows, "Editor", notes=provenance(summaries), interval_notes=how)


def _floors(summaries: Sequence[Mapping[str, Any]], setting: str) -> list[tuple[str, Mapping[str, Any]]]:
    """What the reader makes of the references; by editor where they differ, since some lack samples."""
    found: list[tuple[Mapping[str, Any], list[str]]] = []
    for summary in summaries:
        means = ((summary.get("ocr_ceiling") or {}).get("scores") or {}).get(setting)
        same = next((names for other, names in found if other == means), None)
        if means and same is None:
            found.append((means, [summary["editor"]]))
        elif means and same is not None:
            same.append(summary["editor"])
    names = [f"{REFERENCE[:-1]} for {', '.join(names)})" if len(found) > 1 else REFERENCE for _, names in found]
    return [(name, means) for name, (means, _) in zip(names, found, strict=True)]


def metric_column(key: str, *, compare: bool = True) -> Column:
    """The column of a metric; without a direction where its rows are not compared."""
    known = facts(key)
    return Column(known.title, known.best if compare else "", known.digits)


def _values(means: Mapping[str, Any] | None, keys: Sequence[str]) -> list[float | None]:
    """Numbers of a row; PSNR is infinite where all images are identical."""
    found = [(means or {}).get(key) for key in keys]
    if means and "psnr" in keys and means.get("images") and means["identical"] == means["images"]:
        found[list(keys).index("psnr")] = math.inf
    return found


def bounds_of(means: Mapping[str, Any] | None, keys: Sequence[str]) -> list[Bounds | None]:
    """Bounds of the numbers of a row, None where there is no interval.

    >>> bounds_of({"cdm": 0.8, "iou": 0.9, "intervals": {"cdm": [0.7, 0.9]}}, ["iou", "cdm"])
    [None, (0.7, 0.9)]
    """
    known = (means or {}).get("intervals") or {}
    return [(known[key][0], known[key][1]) if key in known else None for key in keys]


def interval_notes(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """How intervals were made; which runs have none."""
    how = dict.fromkeys(describe_intervals(summary["interval"]) for summary in summaries if summary.get("interval"))
    without = ", ".join(summary["editor"] for summary in summaries if not summary.get("interval"))
    lacking = f"{without}: no intervals: scored before they were kept; score again, what is there is not done anew"
    return [*how, *([lacking] if without else [])]


def breakdown_table(summary: Mapping[str, Any], by: str) -> Table:
    """One editor's numbers by a slice, with the noise floor of CDM where it is known."""
    slices = summary["by"][by]
    floor = (summary.get("ocr_ceiling") or {}).get("by", {}).get(by, {})
    keys = _used(found.get(setting) for found in slices.values() for setting in SETTINGS)
    rows = []
    for setting in SETTINGS:
        for value, found in slices.items():
            if found.get(setting):
                read = ((floor.get(value) or {}).get(setting) or {}).get("cdm")
                lost = [None if read is None else 1 - read] if floor else []
                values = [*_values(found[setting], keys), found[setting]["gt_blocks"], *lost]
                bounds = [*bounds_of(found[setting], keys), *[None] * (1 + len(lost))]
                rows.append(Row(value, values, setting, bounds=bounds))
    columns = [*(metric_column(key, compare=False) for key in keys), Column("blocks", "", 0)]
    if floor:
        columns.append(Column("CDM-floor", ""))
    return Table(f"{summary['editor']} by {by.replace(',', ' × ')}", columns, rows, by.replace(",", ", "))


def _used(found: Any) -> list[str]:
    """Metrics that have a number anywhere."""
    there = [means for means in found if means]
    used = [
        key for key in page_columns() if any(value is not None for means in there for value in _values(means, [key]))
    ]
    if all(means.get("cdm_strict") == means.get("cdm") for means in there):  # folding changed no number
        used = [key for key in used if key != "cdm_strict"]
    return used


def _image_notes(summary: Mapping[str, Any]) -> list[str]:
    """Identical images, which no mean PSNR shows."""
    notes = []
    for setting, means in summary["overall"].items():
        if means and means.get("identical"):
            to = "what they are compared with" if setting == "outside" else "the reference"
            counted = f"{means['identical']} of {means['images']} images are identical to {to}"
            notes.append(f"{summary['editor']}, {setting}: {counted} (infinite PSNR)")
    return notes


def _told_floor(floor: Mapping[str, Mapping[str, float]]) -> str:
    told = (
        f"{setting} "
        + ", ".join(f"{facts(name).title} {found[name]:.3f}" for name in ("iou", "cdm", "bleu") if name in found)
        for setting, found in floor.items()
    )
    return f"noise floor, what the reader loses on the reference images themselves: {'; '.join(told)}"


def _unavailable(summaries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Metrics that could not be had, each once."""
    reasons = {name: why for summary in summaries for name, why in summary.get("unavailable", {}).items()}
    for name, why in reasons.items():
        yield f"{facts(name).title} unavailable: {why.partition(chr(10))[0]}; `vde doctor` says how to get it"


def provenance(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """What must stand under any table: coverage, what is missing, and the signature of every row."""
    notes: list[str] = []
    for summary in summaries:
        coverage = summary["coverage"]
        counted = ", ".join(f"{coverage[state]} {state}" for state in ("scored", "missing", "failed"))
        line = f"{summary['editor']}: {coverage['samples']} samples, {counted}"
        regions = summary.get("regions")
        if regions and regions["n"]:
            found = ", ".join(f"{count} {outcome}" for outcome, count in regions["outcomes"].items())
            line += f"; {regions['n']} regions: {found}"
            own = regions.get("reference_rate")
            if own is not None and own < 1:
                line += f" (of the references' own regions the reader sees {own:.3f} done)"
        notes += [line, *_image_notes(summary)]
    floors = {
        summary["editor"]: _told_floor(summary["ocr_ceiling"]["loss"])
        for summary in summaries
        if summary.get("ocr_ceiling")
    }
    for told in dict.fromkeys(floors.values()):
        whose = ", ".join(editor for editor, floor in floors.items() if floor == told)
        notes.append(told if len(set(floors.values())) == 1 else f"{whose}: {told}")
    notes += _unavailable(summaries)
    notes += [f"note: {note}" for note in dict.fromkeys(note for summary in summaries for note in summary["notes"])]
    for signature in dict.fromkeys(summary["signature"] for summary in summaries):
        names = ", ".join(summary["editor"] for summary in summaries if summary["signature"] == signature)
        notes.append(f"{names}: {signature}")
    return notes
