"""The scoring stage for images with masks: outputs compared, read where the protocol asks, rows of a run folder."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import cv2
import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.io.cache import Digest
from vdebench.metrics.image import decibel
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.pipeline.read import read_pictures
from vdebench.pipeline.scoring.mask_sample import MaskTask, lpips, measured, measures_cache
from vdebench.pipeline.scoring.mask_text import MaskTexts, pictures, sides, text_row
from vdebench.pipeline.scoring.stage import Progress
from vdebench.protocols.masks.columns import NUMBERS, SETTING
from vdebench.protocols.masks.protocol import PixelProtocol
from vdebench.readers.cached import CachedReader
from vdebench.readers.predictions import Predictions
from vdebench.runs.folder import Schema
from vdebench.suites.suite import Suite

METRICS = ("psnr", "ssim", "lpips")
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
    engine: Engine = LOCAL,
) -> pl.DataFrame:
    """A row for every sample. What was measured or read before is found again by the content of the files."""
    tasks = {sample.key: _task(scope, sample) for sample in scope.suite.samples}
    ready = [task for task in tasks.values() if isinstance(task, MaskTask)]
    tasks |= _measure_ahead(scope, ready, workers, measuring, engine)
    found: dict[str, dict[str, Any]] = {}
    asked: dict[str, MaskTexts] = {}
    for sample in scope.suite.samples:
        task = tasks[sample.key]
        if isinstance(task, MaskTask):
            found[sample.key] = measured(task)
            if scope.reader:
                asked[sample.key] = sides(task, sample, found[sample.key])
    if scope.reader:
        wanted = (picture for each in asked.values() for picture in pictures(each))
        read_pictures(scope.reader, wanted, workers, reading, engine)
    rows = []
    for sample in scope.suite.samples:
        task = tasks[sample.key]
        measures = _row(scope, task, found[sample.key], asked.get(sample.key)) if isinstance(task, MaskTask) else None
        rows.append({**_about(sample), **(measures or task._asdict())})
    return pl.DataFrame(rows, schema=ROWS, orient="row")


class UnscoredSample(NamedTuple):
    """Why a sample has no numbers."""

    state: Literal["missing", "failed"]
    reason: str
    against: Literal["reference", "input", ""] = ""
    """What an output that is missing would have been compared with."""


def _task(scope: MaskedScope, sample: Sample) -> MaskTask | UnscoredSample:
    """What is to be compared, or why nothing can be."""
    try:
        files, masks = scope.suite.image_files(sample), scope.suite.mask_files(sample)
        if files.source is None or not masks:
            lacking = "source image" if files.source is None else "mask"
            raise InputError(f"sample {sample.key}: the suite has no {lacking} of it")
        output = scope.predictions.image(sample)
        name, endings = scope.protocol.name, scope.protocol.endings
        task = MaskTask(
            sample.key, scope.protocol, output or Path(), files.source, files.reference, masks, scope.metrics
        )
        if output is None:
            return UnscoredSample("missing", scope.predictions.absence(sample), task.against)
        if endings and output.suffix.lower() not in endings:
            return UnscoredSample(
                "missing", f"{output.name}: {name} looks for {' and '.join(endings)} alone", task.against
            )
        return task
    except VdeError as error:
        return UnscoredSample("failed", str(error))


def _measure_ahead(
    scope: MaskedScope, tasks: Sequence[MaskTask], workers: int, progress: Progress | None, engine: Engine
) -> dict[str, UnscoredSample]:
    """Measure what is not known yet, by all workers; what fails, by sample."""
    failures = {}
    known = measures_cache(scope.protocol, scope.metrics)
    todo = []
    for task in tasks:
        try:
            if known.find(task.key) is None:
                todo.append(task)
        except VdeError as error:
            failures[task.sample] = UnscoredSample("failed", str(error))
    if not todo:
        return failures
    outcomes = engine.map_tasks(_try, todo, min(engine.worker_count(workers), len(todo)), on_lost=_lost, attempts=2)
    for done, outcome in enumerate(outcomes, start=1):
        if outcome.failure:
            failures[outcome.sample] = UnscoredSample("failed", outcome.failure)
        else:
            known.put(outcome.key, outcome.found)  # a worker elsewhere has a cache of its own
        if progress:
            progress(done, len(todo))
    return failures


class _MaskOutcome(NamedTuple):
    sample: str
    key: Digest = Digest("")
    found: Any = None
    failure: str = ""


def _try(task: MaskTask) -> _MaskOutcome:
    """Measure one output in some process."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)  # one processor per worker; the numbers are the same with any
    try:
        return _MaskOutcome(task.sample, task.key, measured(task))
    except VdeError as error:
        return _MaskOutcome(task.sample, failure=str(error))
    finally:
        cv2.setNumThreads(threads)


def _lost(task: MaskTask, reason: str) -> _MaskOutcome:
    return _MaskOutcome(task.sample, failure=f"sample {task.sample}: the process that measured it died twice: {reason}")


def _row(scope: MaskedScope, task: MaskTask, found: Mapping[str, Any], asked: MaskTexts | None) -> dict[str, Any]:
    text: Mapping[str, float | None] = {}
    if asked and scope.reader:
        try:
            text = text_row(asked, scope.reader)
        except VdeError as error:
            return {"state": "failed", "reason": str(error)}
    row = {**found, **text, "state": "scored", "reason": "", "against": task.against}
    for name in ("mse", "mse_raw", "edit_mse"):
        if row.get(name):
            row[name.replace("mse", "psnr")] = decibel(row[name])
    if scope.protocol.whole:
        row["done"] = text["done_text"] if text.get("done_text") is not None else found.get("done_pixels")
        row["score"] = _score(row) if "ssim" in scope.metrics else None  # of two factors it would be another score
    return {name: value for name, value in row.items() if name in ROWS}


def _score(row: Mapping[str, Any]) -> float | None:
    """What was asked is done, the rest looks the same, and reads the same: 0 where one of them is not at all."""
    if row["done"] is None:
        return None
    kept = [part for name in ("ssim", "text_kept") if (part := row.get(name)) is not None]
    return float(math.prod([row["done"], *(max(part, 0.0) for part in kept)]))


def _about(sample: Sample) -> dict[str, str]:
    return {
        "sample": sample.key,
        "setting": SETTING,
        "group": sample.group,
        "operation": sample.operation.value,
        "source": sample.source,
        "tier": str(sample.extra.get("tier", "unknown")),
    }
