"""JSON data of a table of the leaderboard: rows over all samples, and slices that are loaded on demand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vdebench.report.leaderboard import cells
from vdebench.report.leaderboard.gather import LeaderboardRun, checked
from vdebench.report.leaderboard.groups import PARTS, SignatureGroup, differences, differing_keys, verdicts_of

MAX_DIFFERENCES = 8
"""Largest number of other tables whose differences are listed."""


def table_data(groups: Sequence[SignatureGroup], group: SignatureGroup) -> dict[str, Any]:
    """Data of a table over all samples."""
    track, keys = group.runs[0].track, _keys(group)
    rows = [_row(run, name, keys) for run, name in zip(group.runs, group.names, strict=True)]
    settings = {setting for row in rows for setting in row["cells"]}
    metrics = {key for row in rows for means in row["cells"].values() for key in means}
    paper_teds = "" if "teds" in metrics else group.teds_column  # the paper's TEDS-like metric, if there is no TEDS
    differing = differing_keys(groups)
    return {
        "number": group.number,
        "title": group.title,
        "protocol": group.protocol,
        "suite": group.runs[0].summary["suite"],
        "says": group.says,
        "signature": group.signature,
        "parts": [[PARTS.get(key, key), value, key in differing] for key, value in group.parts.items()],
        "differs": differences(groups, group)[:MAX_DIFFERENCES],
        "others": len(groups) - 1,
        "metrics": [
            {**metric, "main": metric["main"] or metric["key"] == paper_teds}
            for metric in track.metrics
            if metric["key"] in metrics
        ],
        "settings": {setting: title for setting, title in track.settings.items() if setting in settings},
        "slices": {name: _slice_title(group, name) for name in slice_names(group)},
        "rows": rows,
        "ceilings": _ceilings(group, keys),
        "level": group.level,
        "notes": group.notes(),
    }


def slice_data(group: SignatureGroup, name: str) -> dict[str, Any]:
    """For every value of a slice, numbers, coverage and usable edits (or None) in the order of the rows."""
    keys = _keys(group)
    values: dict[str, dict[str, Any]] = {}
    for at, run in enumerate(group.runs):
        with checked(run):
            for value, found in (run.summary.get("by") or {}).get(name, {}).items():
                entry = values.setdefault(value, {"rows": [None] * len(group.runs), "ceilings": []})
                entry["rows"][at] = {
                    "cells": cells.settings(found, keys),
                    "coverage": cells.slice_coverage(found),
                    "usable": cells.usable(_usable(run, name, value)),
                    "regions": _regions(run, name, value),
                }
    for value, entry in values.items():
        entry["ceilings"] = _ceilings(group, keys, name, value)
    return values


def slice_names(group: SignatureGroup) -> list[str]:
    """Slices of any run, in the order of the track."""
    present = dict.fromkeys(name for run in group.runs for name in run.summary.get("by") or {})
    return [name for name in dict.fromkeys((*group.runs[0].track.slices, *present)) if name in present]


def _slice_title(group: SignatureGroup, name: str) -> str:
    titles = group.runs[0].track.titles
    return " × ".join(titles.get(part, part) for part in name.split(","))


def _keys(group: SignatureGroup) -> list[str]:
    return [metric["key"] for metric in group.runs[0].track.metrics]


def _row(run: LeaderboardRun, name: str, keys: Sequence[str]) -> dict[str, Any]:
    with checked(run):
        verdicts = verdicts_of(run)
        return {
            "editor": name,
            "signature": run.summary["signature"],
            "coverage": cells.coverage(run.summary["coverage"]),
            "cells": cells.settings(run.summary["overall"], keys),
            "usable": cells.usable(verdicts),
            "falls": cells.falls(verdicts),
            "regions": _rate(run.summary.get("regions")),
        }


def _usable(run: LeaderboardRun, name: str, value: str) -> Mapping[str, Any] | None:
    usable = ((verdicts_of(run) or {}).get("by") or {}).get(name, {}).get(value)
    return usable if isinstance(usable, Mapping) else None


def _regions(run: LeaderboardRun, name: str, value: str) -> list[float] | None:
    return _rate(((run.summary.get("regions") or {}).get("by") or {}).get(name, {}).get(value))


def _rate(regions: Mapping[str, Any] | None) -> list[float] | None:
    """The share of regions done, and the number of regions."""
    if not regions or regions.get("rate") is None:
        return None
    return [cells.number(regions["rate"], "regions.rate"), cells.number(regions["n"], "regions.n")]


def _ceilings(group: SignatureGroup, keys: Sequence[str], name: str = "", value: str = "") -> list[dict[str, Any]]:
    """What the reader gives for the references, and for which rows: where samples are missing, means are of others."""
    kept: list[dict[str, Any]] = []
    for row, run in zip(group.names, group.runs, strict=True):
        with checked(run):
            ceiling = run.summary.get("ocr_ceiling") or {}
            by = ceiling.get("by") or {}
            reads = ((by.get(name) or {}).get(value) if name else ceiling.get("scores")) or {}
            found = cells.settings(reads, keys)
        same = next((each for each in kept if each["cells"] == found), None)
        if same is not None:
            same["of"].append(row)
        elif found:
            kept.append({"of": [row], "cells": found})
    return kept
