"""Samples as data for the page: what they ask, what became of them, and for each editor how its page reads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from vdebench.analysis.means import means, totals
from vdebench.editing import Made
from vdebench.errors import VdeError
from vdebench.readers.cached import Picture
from vdebench.readers.predictions import crops
from vdebench.reading import Reading
from vdebench.report.site.board import metrics_of
from vdebench.report.site.gather import Result, Runs
from vdebench.report.site.units import Sides, units
from vdebench.sample import Sample

_WORST = ("failed", "missing", "scored", "left_out")


def about(sample: Sample) -> dict[str, Any]:
    """What a sample asks, and where."""
    return {
        "key": sample.key,
        "instruction": sample.instruction,
        "operation": sample.operation.value,
        "language": sample.language,
        "source": sample.source,
        "regions": [[round(part, 3) for part in (r.x, r.y, r.width, r.height)] for r in sample.regions],
    }


def index(runs: Runs, result: Result, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """For every sample its state and reason, its numbers where it was scored, and what became of its regions."""
    scores = result.table("scores").collect()
    metrics = [metric["key"] for metric in metrics_of([other for other in runs.results if _same(other, result)])]
    found = totals(
        scores.filter(pl.col("gt_blocks").is_not_null()).iter_slices(1024), ["setting", "sample"], result.protocol
    )
    states: dict[str, list[tuple[str, str, str]]] = {}
    for sample, setting, state, reason in scores.select("sample", "setting", "state", "reason").iter_rows():
        states.setdefault(sample, []).append((setting, state, reason or ""))
    outcomes: dict[str, list[str]] = {}
    for sample, outcome in result.table("regions").select("sample", "outcome").collect().iter_rows():
        outcomes.setdefault(sample, []).append(outcome)
    edits = runs.edits[result.editor]
    rows = []
    for sample in samples:
        state, reason = _state(states.get(sample.key, []), edits.get(sample.key))
        numbers: dict[str, dict[str, float | str]] = {}
        for setting, became, _ in states.get(sample.key, []) if state == "scored" else []:
            if became == "scored" and (setting, sample.key) in found:
                numbers[setting] = _numbers(means(found[setting, sample.key], result.protocol), metrics)
        told = {setting: runs.told(why) for setting, became, why in states.get(sample.key, []) if became == "left_out"}
        rows.append(
            {
                "state": state,
                "reason": runs.told(reason),
                "left_out": told,
                "scores": numbers,
                "outcomes": outcomes.get(sample.key, []),
            }
        )
    return rows


def _same(one: Result, other: Result) -> bool:
    return one.protocol.name == other.protocol.name


def _state(rows: Sequence[tuple[str, str, str]], edit: Made | None) -> tuple[str, str]:
    """What became of a sample: what its editor said where it made nothing, else what scoring met."""
    if edit is not None and edit.state in ("refused", "failed"):
        return edit.state, edit.reason or "no reason given"
    for state in _WORST:
        for _, found, reason in rows:
            if found == state:
                return state, reason
    return "missing", "not scored"


def _numbers(found: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, float | str]:
    numbers: dict[str, float | str] = {}
    for key in metrics:
        value = found.get(key)
        if value is not None and math.isfinite(value):
            numbers[key] = round(value, 5)
        elif key == "psnr" and found.get("images") and found.get("identical"):
            numbers[key] = "∞"
    return numbers


class Details:
    """What the view of a sample shows beyond its row, a few samples at a time."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def chunk(self, samples: Sequence[Sample]) -> dict[tuple[str, str], list[dict[str, Any]]]:
        """For every protocol and editor the details of some samples."""
        results = self._runs.results
        keys = [sample.key for sample in samples]
        tables = [{name: _rows(result, name, keys) for name in ("blocks", "regions")} for result in results]
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for sample in samples:
            read: dict[tuple[str, ...], Sides | str] = {}
            for result, table in zip(results, tables, strict=True):
                what = result.editor, result.pin("local"), result.pin("reader")  # protocols mostly share readings
                if what not in read:
                    read[what] = self._sides(sample, result)
                blocks, regions = (table[name].get(sample.key, []) for name in ("blocks", "regions"))
                detail = self._detail(sample, result, blocks, regions, read[what])
                found.setdefault((result.protocol.name, result.editor), []).append(detail)
        return found

    def _detail(
        self,
        sample: Sample,
        result: Result,
        blocks: Sequence[Mapping[str, Any]],
        regions: Sequence[Mapping[str, Any]],
        sides: Sides | str,
    ) -> dict[str, Any]:
        edit = self._runs.edits[result.editor].get(sample.key)
        told = [{key: value for key, value in row.items() if value is not None} for row in regions]
        made = {"seconds": edit.seconds, "parameters": edit.parameters} if edit else {"seconds": None, "parameters": {}}
        detail = {"regions": told, **made}
        if isinstance(sides, str):
            return {**detail, "units": {}, "unread": sides}
        listed = {}
        for setting in ("local", "global"):
            rows = [row for row in blocks if row["setting"] == setting]
            listed[setting] = units(rows, sides, sample, result.protocol, result.pin("local"))
        return {**detail, "units": listed, "unread": ""}

    def _sides(self, sample: Sample, result: Result) -> Sides | str:
        """The readings behind a sample's rows, or why they cannot be shown."""
        runs = self._runs
        try:
            if runs.reader.label.replace("|", "/") != result.pin("reader"):
                return f"scored with {result.pin('reader')}, which is not the reader that is installed now"
            truth, read = runs.truths.page(sample), list[Reading]()
            by_crops = result.pin("local") == "crop" and runs.truths.has_regions_of(sample)
            wanted = (runs.truths.regions(sample) if by_crops else None) or []
            file = runs.image(result.editor, sample)
            if file is None:
                return Sides(truth, Reading(), wanted, [Reading()] * len(sample.regions))
            page = Picture.of(file)
            if by_crops:
                read = [runs.reader.read(crop) for crop in crops(page, sample)]
            return Sides(truth, runs.reader.read(page), wanted, read)
        except VdeError as error:
            return runs.told(str(error))


def _rows(result: Result, name: str, keys: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in result.table(name).filter(pl.col("sample").is_in(keys)).collect().iter_rows(named=True):
        found.setdefault(row["sample"], []).append(row)
    return found
