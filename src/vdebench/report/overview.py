"""The tables of `vde score`: all editors, and one editor's breakdowns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vdebench.metrics.registry import facts, page_columns
from vdebench.report.run_columns import with_run_columns
from vdebench.report.table import Bounds, Column, Row, Table
from vdebench.stats.intervals import describe_intervals

REFERENCE = "(reference)"
"""The row of the OCR ceiling: scores of the reference images."""
SETTINGS = ("global", "local")


def editors_table(summaries: Sequence[Mapping[str, Any]]) -> Table:
    """Editors scored by one protocol, one row per editor and setting."""
    summaries = [with_run_columns(summary) for summary in summaries]
    keys = _used(summary["overall"].get(setting) for summary in summaries for setting in SETTINGS)
    rows = []
    for setting in SETTINGS:
        editors = [(summary["editor"], summary["overall"].get(setting)) for summary in summaries]
        ceilings = _ceilings(summaries, setting)
        if any(means for _, means in editors):
            rows += [Row(name, _values(means, keys), setting, bounds=bounds_of(means, keys)) for name, means in editors]
            rows += [Row(name, _values(means, keys), setting, reference=True) for name, means in ceilings]
    title = f"{summaries[0]['protocol']} on {summaries[0]['suite']}"
    method_notes = interval_notes(summaries)
    return Table(
        title, list(map(metric_column, keys)), rows, "Editor", notes=provenance(summaries), interval_notes=method_notes
    )


def _ceilings(summaries: Sequence[Mapping[str, Any]], setting: str) -> list[tuple[str, Mapping[str, Any]]]:
    """OCR ceilings; by editor if they differ, because some editors lack samples."""
    ceilings: list[tuple[Mapping[str, Any], list[str]]] = []
    for summary in summaries:
        means = ((summary.get("ocr_ceiling") or {}).get("scores") or {}).get(setting)
        editors = next((names for known, names in ceilings if known == means), None)
        if means and editors is None:
            ceilings.append((means, [summary["editor"]]))
        elif means and editors is not None:
            editors.append(summary["editor"])
    names = [f"{REFERENCE[:-1]} for {', '.join(names)})" if len(ceilings) > 1 else REFERENCE for _, names in ceilings]
    return [(name, means) for name, (means, _) in zip(names, ceilings, strict=True)]


def metric_column(key: str, *, compare: bool = True) -> Column:
    """The column of a metric; without a direction if its rows are not compared."""
    metric = facts(key)
    return Column(metric.title, metric.best if compare else "", metric.digits)


def _values(means: Mapping[str, Any] | None, keys: Sequence[str]) -> list[float | None]:
    """Numbers of a row; PSNR is infinite if all images are identical."""
    values = [(means or {}).get(key) for key in keys]
    if means and "psnr" in keys and means.get("images") and means["identical"] == means["images"]:
        values[list(keys).index("psnr")] = math.inf
    return values


def bounds_of(means: Mapping[str, Any] | None, keys: Sequence[str]) -> list[Bounds | None]:
    """Bounds of the numbers of a row, or None.

    >>> bounds_of({"cdm": 0.8, "iou": 0.9, "intervals": {"cdm": [0.7, 0.9]}}, ["iou", "cdm"])
    [None, (0.7, 0.9)]
    """
    intervals = (means or {}).get("intervals") or {}
    return [(intervals[key][0], intervals[key][1]) if key in intervals else None for key in keys]


def interval_notes(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """The method of the intervals, and the runs without."""
    methods = dict.fromkeys(describe_intervals(summary["interval"]) for summary in summaries if summary.get("interval"))
    without = ", ".join(summary["editor"] for summary in summaries if not summary.get("interval"))
    missing = (
        f"{without}: no intervals, because an older version scored it; score again: only the summary is computed again"
    )
    return [*methods, *([missing] if without else [])]


def breakdown_table(summary: Mapping[str, Any], by: str) -> Table:
    """One editor's numbers by a slice, with the OCR loss of CDM if it is known."""
    slices = summary["by"][by]
    ceilings = (summary.get("ocr_ceiling") or {}).get("by", {}).get(by, {})
    keys = _used(settings.get(setting) for settings in slices.values() for setting in SETTINGS)
    rows = []
    for setting in SETTINGS:
        for value, settings in slices.items():
            if settings.get(setting):
                ceiling = ((ceilings.get(value) or {}).get(setting) or {}).get("cdm")
                loss = [None if ceiling is None else 1 - ceiling] if ceilings else []
                values = [*_values(settings[setting], keys), settings[setting]["gt_blocks"], *loss]
                bounds = [*bounds_of(settings[setting], keys), *[None] * (1 + len(loss))]
                rows.append(Row(value, values, setting, bounds=bounds))
    columns = [*(metric_column(key, compare=False) for key in keys), Column("blocks", "", 0)]
    if ceilings:
        columns.append(Column("CDM-loss", ""))
    return Table(f"{summary['editor']} by {by.replace(',', ' × ')}", columns, rows, by.replace(",", ", "))


def _used(candidates: Any) -> list[str]:
    """Metrics with at least one number."""
    present = [means for means in candidates if means]
    used = [
        key for key in page_columns() if any(value is not None for means in present for value in _values(means, [key]))
    ]
    if all(means.get("cdm_strict") == means.get("cdm") for means in present):  # folding changed no number
        used = [key for key in used if key != "cdm_strict"]
    return used


def _image_notes(summary: Mapping[str, Any]) -> list[str]:
    """Notes on identical images, which are in no mean PSNR."""
    notes = []
    for setting, means in summary["overall"].items():
        if means and means.get("identical"):
            target = "the compared image" if setting == "outside" else "the reference"
            count = f"{means['identical']} of {means['images']} images are identical to {target}"
            notes.append(f"{summary['editor']}, {setting}: {count} (infinite PSNR)")
    return notes


def _ocr_loss_note(loss: Mapping[str, Mapping[str, float]]) -> str:
    losses = (
        f"{setting} "
        + ", ".join(
            f"{facts(name).title} {by_metric[name]:.3f}" for name in ("iou", "cdm", "bleu") if name in by_metric
        )
        for setting, by_metric in loss.items()
    )
    return f"OCR loss on the reference images (1 − OCR ceiling): {'; '.join(losses)}"


def _unavailable(summaries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Notes on metrics that are not installed."""
    reasons = {name: reason for summary in summaries for name, reason in summary.get("unavailable", {}).items()}
    for name, reason in reasons.items():
        yield f"{facts(name).title} unavailable: {reason.partition(chr(10))[0]}; `vde doctor` shows how to install it"


def provenance(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Notes of every table: coverage, OCR loss, unavailable metrics, and the signature of every row."""
    notes: list[str] = []
    for summary in summaries:
        coverage = summary["coverage"]
        states = ", ".join(f"{coverage[state]} {state}" for state in ("scored", "missing", "failed"))
        line = f"{summary['editor']}: {coverage['samples']} samples, {states}"
        if coverage.get("without_reference"):
            line += f"; {coverage['without_reference']} without a reference: in no mean"
        regions = summary.get("regions")
        if regions and regions["n"]:
            outcomes = ", ".join(f"{count} {outcome}" for outcome, count in regions["outcomes"].items())
            line += f"; {regions['n']} regions: {outcomes}"
            reference_rate = regions.get("reference_rate")
            if reference_rate is not None and reference_rate < 1:
                line += f" (rate of the references: {reference_rate:.3f})"
        notes += [line, *_image_notes(summary)]
    losses = {
        summary["editor"]: _ocr_loss_note(summary["ocr_ceiling"]["loss"])
        for summary in summaries
        if summary.get("ocr_ceiling")
    }
    for loss in dict.fromkeys(losses.values()):
        editors = ", ".join(editor for editor, other in losses.items() if other == loss)
        notes.append(loss if len(set(losses.values())) == 1 else f"{editors}: {loss}")
    notes += _unavailable(summaries)
    notes += [f"note: {note}" for note in dict.fromkeys(note for summary in summaries for note in summary["notes"])]
    for signature in dict.fromkeys(summary["signature"] for summary in summaries):
        names = ", ".join(summary["editor"] for summary in summaries if summary["signature"] == signature)
        notes.append(f"{names}: {signature}")
    return notes
