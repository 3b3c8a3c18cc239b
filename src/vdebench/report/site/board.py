"""JSON data of the leaderboard and the breakdowns, from the summaries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vdebench.report.overview import REFERENCE, interval_notes
from vdebench.report.site.gather import ScoredEditor
from vdebench.report.usable import gap_lines
from vdebench.stats.usable import PROPERTIES

Cell = dict[str, Any]
Metrics = Sequence[Mapping[str, Any]]


def metrics_of(results: Sequence[ScoredEditor]) -> list[Mapping[str, Any]]:
    """Metrics with at least one number, each with title, direction and digits."""
    all_means = [means for result in results for means in result.summary["overall"].values() if means]
    return [
        metric
        for metric in results[0].track.metrics
        if any(cell(means, metric["key"]) is not None for means in all_means)
    ]


def board(results: Sequence[ScoredEditor], notes: Iterable[str] = ()) -> dict[str, Any]:
    """All results by one protocol: rows of the leaderboard, breakdowns, notes."""
    metrics, track, protocol = metrics_of(results), results[0].track, results[0].protocol
    rows = [_row(result.editor, result.summary["overall"], metrics, result.summary) for result in results]
    _mark_best(rows, track.settings, metrics)
    rows += [
        {**_row(REFERENCE, reads, metrics), "reference": True, "of": editors} for editors, reads in _references(results)
    ]
    summaries = [result.summary for result in results]
    return {
        "name": protocol.name,
        "says": protocol.says,
        **track.to_json(),
        "metrics": metrics,
        "rows": rows,
        "slices": {name: slices for name in _slice_names(results) if (slices := _slices(results, name, metrics))},
        "notes": [
            *notes,
            *interval_notes(summaries),
            *_thresholds(summaries),
            *_gaps(summaries),
            *track.notes(summaries),
        ],
    }


def _gaps(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(gap_lines([(summary["editor"], summary["usable"]) for summary in summaries if summary.get("usable")]))


def _row(
    name: str,
    overall: Mapping[str, Any],
    metrics: Metrics,
    summary: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "editor": name,
        "cells": {
            setting: {metric["key"]: cell(means, metric["key"]) for metric in metrics}
            for setting, means in overall.items()
            if means
        },
    }
    if summary is not None:
        regions = summary.get("regions") or {}
        row["coverage"] = summary["coverage"]
        row["usable"] = _usable(summary.get("usable"))
        row["regions"] = {"value": regions.get("rate"), "n": regions.get("n", 0), "outcomes": regions.get("outcomes")}
    return row


def _usable(usable: Mapping[str, Any] | None) -> Cell | None:
    """The rate of usable edits with its interval, and the counts of first failures."""
    if not usable or usable["rate"] is None:
        return None
    low, high = usable["interval"]
    steps = [[PROPERTIES[step["property"]], step["failed"]] for step in usable["waterfall"]]
    return {
        "value": usable["rate"],
        "low": low,
        "high": high,
        **{key: usable[key] for key in ("n", "unknown")},
        "fails": steps,
    }


def cell(means: Mapping[str, Any] | None, key: str) -> Cell | None:
    """A number with the bounds of its interval, if there is one; PSNR may be infinite.

    >>> cell({"cdm": 0.8, "intervals": {"cdm": [0.7, 0.9]}}, "cdm")
    {'value': 0.8, 'low': 0.7, 'high': 0.9}
    """
    if not means:
        return None
    value = means.get(key)
    if value is None:
        return {"infinite": True} if _infinite(means, key) else None
    bounds = (means.get("intervals") or {}).get(key)
    return {"value": value, "low": bounds[0], "high": bounds[1]} if bounds else {"value": value}


def _infinite(means: Mapping[str, Any], key: str) -> bool:
    """Whether a missing PSNR is infinite: all images are identical, or one is and the protocol counts it."""
    if not key.startswith("psnr"):
        return False
    identical = means.get(key.replace("psnr", "identical"))
    return bool(identical) and ("identical_raw" in means or identical == means.get("images"))


def _mark_best(rows: Sequence[Mapping[str, Any]], settings: Iterable[str], metrics: Metrics) -> None:
    """Mark the best cell of every column with more than one number."""
    columns: list[tuple[list[Cell | None], str]] = [
        ([row["cells"].get(setting, {}).get(metric["key"]) for row in rows], metric["best"])
        for setting in settings
        for metric in metrics
    ]
    columns += [([row.get(name) for row in rows], "higher") for name in ("usable", "regions")]
    for cells, direction in columns:
        numbers = [(number, cell) for cell in cells if cell and (number := _number(cell)) is not None]
        if len(numbers) > 1:
            top = (max if direction == "higher" else min)(number for number, _ in numbers)
            for number, best in numbers:
                if number == top:
                    best["best"] = True


def _number(entry: Cell) -> float | None:
    return math.inf if entry.get("infinite") else entry.get("value")


def _thresholds(summaries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Notes on the signatures of usable edits."""
    pins = dict.fromkeys(summary["usable"]["signature"] for summary in summaries if summary.get("usable"))
    description = "usable edits, with Wilson intervals of the effective sample size, by these thresholds"
    return [f"{description}: {pin}" for pin in pins]


def _ceiling(result: ScoredEditor, part: str) -> Mapping[str, Any]:
    return (result.summary.get("ocr_ceiling") or {}).get(part) or {}


def _references(results: Sequence[ScoredEditor]) -> list[tuple[list[str], Mapping[str, Any]]]:
    """OCR ceilings with their editors; they differ if editors lack samples."""
    groups: list[tuple[list[str], Mapping[str, Any]]] = []
    for result in results:
        reads = _ceiling(result, "scores")
        names = next((names for names, known in groups if known == reads), None)
        if names is not None:
            names.append(result.editor)
        elif reads:
            groups.append(([result.editor], reads))
    return groups


def _slice_names(results: Sequence[ScoredEditor]) -> list[str]:
    present = dict.fromkeys(name for result in results for name in result.summary.get("by", {}))
    return [name for name in dict.fromkeys((*results[0].track.slices, *present)) if name in present]


def _slices(results: Sequence[ScoredEditor], name: str, metrics: Metrics) -> dict[str, Any]:
    """The numbers by value of a slice and editor, and the OCR loss of CDM."""
    keys = [metric["key"] for metric in metrics]
    number_of, title = results[0].track.count
    values: dict[str, Any] = {}
    for result in results:
        ceilings = _ceiling(result, "by").get(name, {})
        for value, by_setting in result.summary.get("by", {}).get(name, {}).items():
            entry = values.setdefault(value, {"editors": {}, "loss": {}})
            for setting, means in by_setting.items():
                if means:
                    found = {key: number for key in keys if (number := cell(means, key)) is not None}
                    found[title] = {"value": means[number_of]}
                    entry["editors"].setdefault(result.editor, {})[setting] = found
                read = ((ceilings.get(value) or {}).get(setting) or {}).get("cdm")
                if read is not None:
                    entry["loss"][setting] = 1 - read
    return values
