"""The leaderboard and the breakdowns as data for the page: numbers of the summaries, none made anew."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vdebench.metrics.measures import MEASURES
from vdebench.report.overview import COLUMNS, REFERENCE, provenance
from vdebench.report.site.gather import Result

SETTINGS = ("local", "global")
MAIN = ("cdm", "bleu", "teds", "iou", "page_text", "psnr", "ssim", "lpips", "clip")
"""Metrics that are shown before one asks for all."""
SLICES = ("operation", "operation4", "language", "source", "label", "group")
_ORDER = ("cdm", "bleu", "teds", "teds_like", "text_similarity", "text_correctness", "iou", "page_text")
_DIGITS = {"psnr": 2}
Cell = dict[str, Any]


def metrics_of(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Metrics that have a number anywhere, each with its title, which way is better, and its digits."""
    found = [means for result in results for means in result.summary["overall"].values() if means]
    order = [*_ORDER, *(key for key in COLUMNS if key not in _ORDER)]
    return [
        {
            "key": key,
            "title": COLUMNS[key],
            "best": MEASURES[key].best if key in MEASURES else "higher",
            "digits": _DIGITS.get(key, 3),
            "main": key in MAIN,
            "image": key in MEASURES,
        }
        for key in order
        if any(cell(means, key) is not None for means in found)
    ]


def board(results: Sequence[Result], notes: Iterable[str] = ()) -> dict[str, Any]:
    """All results by one protocol: rows of the leaderboard, breakdowns, notes."""
    metrics = metrics_of(results)
    rows = [_row(result.editor, result.summary["overall"], metrics, result.summary) for result in results]
    _mark_best(rows, metrics)
    rows += [{**_row(REFERENCE, reads, metrics), "reference": True, "of": of} for of, reads in _references(results)]
    protocol = results[0].protocol
    return {
        "name": protocol.name,
        "says": protocol.says,
        "metrics": metrics,
        "rows": rows,
        "slices": {name: slices for name in _slice_names(results) if (slices := _slices(results, name, metrics))},
        "notes": [*notes, *provenance([result.summary for result in results])],
    }


def _row(
    name: str,
    overall: Mapping[str, Any],
    metrics: Sequence[Mapping[str, Any]],
    summary: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "editor": name,
        "cells": {
            setting: {metric["key"]: cell(overall.get(setting), metric["key"]) for metric in metrics}
            for setting in SETTINGS
            if overall.get(setting)
        },
    }
    if summary is not None:
        regions = summary.get("regions") or {}
        row["coverage"] = summary["coverage"]
        row["regions"] = {"value": regions.get("rate"), "n": regions.get("n", 0), "outcomes": regions.get("outcomes")}
    return row


def cell(means: Mapping[str, Any] | None, key: str) -> Cell | None:
    """A number with the bounds of its interval where `intervals` has them; PSNR is infinite if no image differs.

    >>> cell({"cdm": 0.8, "intervals": {"cdm": [0.7, 0.9]}}, "cdm")
    {'value': 0.8, 'low': 0.7, 'high': 0.9}
    """
    if not means:
        return None
    value = means.get(key)
    if value is None:
        identical = key == "psnr" and means.get("images") and means.get("identical") == means["images"]
        return {"infinite": True} if identical else None
    bounds = (means.get("intervals") or {}).get(key)
    return {"value": value, "low": bounds[0], "high": bounds[1]} if bounds else {"value": value}


def _mark_best(rows: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> None:
    """Mark the best cell of every column, where there is more than one."""
    columns: list[tuple[list[Cell | None], str]] = [
        ([row["cells"].get(setting, {}).get(metric["key"]) for row in rows], metric["best"])
        for setting in SETTINGS
        for metric in metrics
    ]
    columns.append(([row.get("regions") for row in rows], "higher"))
    for cells, way in columns:
        numbers = [(number, cell) for cell in cells if cell and (number := _number(cell)) is not None]
        if len(numbers) > 1:
            top = (max if way == "higher" else min)(number for number, _ in numbers)
            for number, found in numbers:
                if number == top:
                    found["best"] = True


def _number(found: Cell) -> float | None:
    return math.inf if found.get("infinite") else found.get("value")


def _floor(result: Result, part: str) -> Mapping[str, Any]:
    return (result.summary.get("noise_floor") or {}).get(part) or {}


def _references(results: Sequence[Result]) -> list[tuple[list[str], Mapping[str, Any]]]:
    """What the reader gives for the reference images, and for which editors: their means may be of other samples."""
    kept: list[tuple[list[str], Mapping[str, Any]]] = []
    for result in results:
        reads = _floor(result, "reads")
        names = next((names for names, known in kept if known == reads), None)
        if names is not None:
            names.append(result.editor)
        elif reads:
            kept.append(([result.editor], reads))
    return kept


def _slice_names(results: Sequence[Result]) -> list[str]:
    there = dict.fromkeys(name for result in results for name in result.summary.get("by", {}))
    return [*(name for name in SLICES if name in there), *(name for name in there if name not in SLICES)]


def _slices(results: Sequence[Result], name: str, metrics: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """For every value of a slice and every editor the numbers, and what the reader loses there in CDM."""
    keys = [metric["key"] for metric in metrics]
    values: dict[str, Any] = {}
    for result in results:
        floors = _floor(result, "by").get(name, {})
        for value, by_setting in result.summary.get("by", {}).get(name, {}).items():
            entry = values.setdefault(value, {"editors": {}, "floor": {}})
            for setting, means in by_setting.items():
                if means:
                    found = {key: number for key in keys if (number := cell(means, key)) is not None}
                    found["blocks"] = {"value": means["gt_blocks"]}
                    entry["editors"].setdefault(result.editor, {})[setting] = found
                read = ((floors.get(value) or {}).get(setting) or {}).get("cdm")
                if read is not None:
                    entry["floor"][setting] = 1 - read
    return values
