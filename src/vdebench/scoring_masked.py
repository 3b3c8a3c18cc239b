"""The scoring stage for images with masks: outputs compared, read where the protocol asks, rows of a run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from vdebench.engine.processes import spread, usable_processors
from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.metrics.image import decibel
from vdebench.protocols.textedit import PixelProtocol
from vdebench.read_ahead import read_pictures
from vdebench.readers.cached import CachedReader
from vdebench.readers.predictions import Predictions
from vdebench.runs.folder import Schema
from vdebench.sample import Sample
from vdebench.scoring import Progress
from vdebench.scoring_masked_sample import Task, lpips, measured, measures_cache
from vdebench.scoring_masked_text import Sides, pictures, sides, text_row
from vdebench.suites.suite import Suite

METRICS = ("psnr", "ssim", "lpips")
SETTING = "outside"
"""The name of this track beside `global` and `local`."""
NUMBERS = (
    *("mse", "psnr", "ssim", "lpips", "mse_raw", "psnr_raw", "ssim_raw", "lpips_raw"),
    *("mask_share", "redrawn", "edit_mse", "edit_psnr", "edit_ssim", "done_pixels"),
    *("text_kept", "edit_text", "done_text", "done", "score", "residual"),
)
ROWS: Schema = {
    **dict.fromkeys(("sample", "setting", "group", "operation", "source", "tier"), pl.String),
    **dict.fromkeys(("state", "reason", "against", "alignment"), pl.String),
    "transform": pl.List(pl.List(pl.Float64)),
    **dict.fromkeys(("matches", "inliers", "width", "height"), pl.Int64),
    **dict.fromkeys(("resized", "untouched"), pl.Boolean),
    **dict.fromkeys(NUMBERS, pl.Float64),
}


class MaskedScope(NamedTuple):
    """What one run compares and how: fixed before the first sample."""

    suite: Suite
    predictions: Predictions
    protocol: PixelProtocol
    metrics: tuple[str, ...]
    unavailable: Mapping[str, str]
    reader: CachedReader | None
    """Who reads, where text is compared."""


def plan_masked(
    suite: Suite,
    predictions: Predictions,
    protocol: PixelProtocol,
    metrics: Sequence[str] | None,
    reader: CachedReader | None,
) -> MaskedScope:
    """Which metrics are measured, and what is missing for the others."""
    suite.require_distinct_keys()
    asked = METRICS if metrics is None else tuple(name for name in METRICS if name in metrics)
    others = [name for name in metrics or () if name not in METRICS]
    if others:
        raise VdeError(f"{others[0]!r} is not measured around masks; expected some of {', '.join(METRICS)}, or none")
    unavailable: dict[str, str] = {}
    if "lpips" in asked:
        try:
            lpips(protocol)
        except MissingPartError as error:
            asked, unavailable = tuple(name for name in asked if name != "lpips"), {protocol.lpips: str(error)}
    return MaskedScope(suite, predictions, protocol, asked, unavailable, reader if protocol.whole else None)


def score_masked(
    scope: MaskedScope,
    workers: int = 0,
    measuring: Progress | None = None,
    reading: Progress | None = None,
) -> pl.DataFrame:
    """A row for every sample. What was measured or read before is found again by the content of the files."""
    tasks: dict[str, Task | str] = {sample.key: _task(scope, sample) for sample in scope.suite.samples}
    failures = _measure_ahead(scope, [task for task in tasks.values() if isinstance(task, Task)], workers, measuring)
    found: dict[str, dict[str, Any]] = {}
    asked: dict[str, Sides] = {}
    for sample in scope.suite.samples:
        task = tasks[sample.key]
        if isinstance(task, Task) and sample.key not in failures:
            found[sample.key] = measured(task)
            if scope.reader:
                asked[sample.key] = sides(task, sample, found[sample.key])
    if scope.reader:
        read_pictures(
            scope.reader, (each for all_sides in asked.values() for each in pictures(all_sides)), workers, reading
        )
    rows = []
    for sample in scope.suite.samples:
        task, failure = tasks[sample.key], failures.get(sample.key, "")
        row: dict[str, Any] = {"state": "failed", "reason": failure}
        if isinstance(task, str):
            row = {"state": "missing" if task.startswith(MISSING) else "failed", "reason": task.removeprefix(MISSING)}
        elif not failure:
            row = _row(scope, sample, task, found[sample.key], asked.get(sample.key))
        rows.append({**_about(scope, sample), **row})
    return pl.DataFrame(rows, schema=ROWS, orient="row")


MISSING = "missing: "


def _task(scope: MaskedScope, sample: Sample) -> Task | str:
    """What is to be compared, or why nothing can be."""
    try:
        files, masks = scope.suite.image_files(sample), scope.suite.mask_files(sample)
        if files.source is None or not masks:
            lacking = "source image" if files.source is None else "mask"
            raise InputError(f"sample {sample.key}: the suite has no {lacking} of it")
        output = scope.predictions.image(sample)
        if output is None:
            return MISSING + scope.predictions.absence(sample)
        if scope.protocol.endings and output.suffix.lower() not in scope.protocol.endings:
            return (
                f"{MISSING}{output.name}: {scope.protocol.name} looks for {' and '.join(scope.protocol.endings)} alone"
            )
        return Task(sample.key, scope.protocol.name, output, files.source, files.reference, masks, scope.metrics)
    except VdeError as error:
        return str(error)


def _measure_ahead(
    scope: MaskedScope, tasks: Sequence[Task], workers: int, progress: Progress | None
) -> dict[str, str]:
    """Measure what is not known yet, on all processors; what fails, by sample."""
    failures = {}
    known = measures_cache(scope.protocol.name, scope.metrics)
    todo = []
    for task in tasks:
        try:
            if known.find(task.key) is None:
                todo.append(task)
        except VdeError as error:
            failures[task.sample] = str(error)
    processes = min(workers or usable_processors(), len(todo))
    for done, (sample, failure) in enumerate(spread(_try, todo, processes), start=1):
        if failure:
            failures[sample] = failure
        if progress:
            progress(done, len(todo))
    return failures


def _try(task: Task) -> tuple[str, str]:
    """Measure one output in some process: its sample, and what went wrong."""
    import cv2

    cv2.setNumThreads(1)  # one processor per worker; the numbers are the same with any
    try:
        measured(task)
        return task.sample, ""
    except VdeError as error:
        return task.sample, str(error)


def _row(
    scope: MaskedScope, sample: Sample, task: Task, found: Mapping[str, Any], asked: Sides | None
) -> dict[str, Any]:
    text: Mapping[str, float | None] = {}
    if asked and scope.reader:
        try:
            text = text_row(asked, scope.reader)
        except VdeError as error:
            return {"state": "failed", "reason": str(error)}
    row = {**found, **text, "state": "scored", "reason": ""}
    for name in ("mse", "mse_raw", "edit_mse"):
        if row.get(name):
            row[name.replace("mse", "psnr")] = decibel(row[name])
    if scope.protocol.whole:
        row["done"] = text["done_text"] if text.get("done_text") is not None else found.get("done_pixels")
        row["score"] = _score(row)
    return {name: value for name, value in row.items() if name in ROWS}


def _score(row: Mapping[str, Any]) -> float | None:
    """What was asked is done, the rest looks the same, and reads the same: 0 where one of them is not at all."""
    if row["done"] is None:
        return None
    kept = [row.get("ssim"), row.get("text_kept")]
    product = float(row["done"])
    for part in kept:
        product *= 1.0 if part is None else max(part, 0.0)
    return product


def _about(scope: MaskedScope, sample: Sample) -> dict[str, Any]:
    right = scope.protocol.against == "right answer" and scope.suite.image_files(sample).reference is not None
    return {
        "against": "reference" if right else "input",
        "sample": sample.key,
        "setting": SETTING,
        "group": sample.group,
        "operation": sample.operation.value,
        "source": sample.source,
        "tier": str(sample.extra.get("tier", "unknown")),
    }
