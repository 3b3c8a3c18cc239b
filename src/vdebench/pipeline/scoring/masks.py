"""Evaluation of images with masks: pixels and text outside the masks, and the edit inside them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Literal, NamedTuple

import cv2
import polars as pl

from vdebench.core.images import RESIZING
from vdebench.core.sample import Sample
from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.io.cache import Digest, digest_of, digest_of_file
from vdebench.io.files import replacing
from vdebench.metrics.alignment import IDENTITY as ALIGNMENT
from vdebench.metrics.image import decibel
from vdebench.pipeline.editing.journal import editors_images
from vdebench.pipeline.options import NO_READER, Execution, ScoreOptions
from vdebench.pipeline.read import read_pictures
from vdebench.pipeline.scoring.mask_sample import VERSION, MaskTask, lpips, measured, measures_cache
from vdebench.pipeline.scoring.mask_text import MaskTexts, ocr_inputs, pictures, text_row
from vdebench.protocols.masks.columns import ROWS, SETTING
from vdebench.protocols.masks.protocol import MaskProtocol
from vdebench.protocols.signature import signature
from vdebench.readers.cached import CachedReader
from vdebench.readers.caveats import caveat_of
from vdebench.readers.predictions import ImagePredictions, OcrPredictions, Predictions, folder_label
from vdebench.readers.reader import DEFAULT as DEFAULT_READER
from vdebench.runs.folder import RunFolder
from vdebench.runs.provenance import stage
from vdebench.suites.name_pattern import outputs_of
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite

METRICS = ("psnr", "ssim", "lpips")


class MaskEvaluation:
    """Scoring of an editor's images outside their masks by a mask protocol; see `vdebench.pipeline.evaluation`."""

    settings = (SETTING,)

    def __init__(self, suite: Suite, predictions: Predictions, protocol: MaskProtocol, options: ScoreOptions) -> None:
        suite.require_distinct_keys()
        self.suite = suite
        self.predictions = predictions
        self.protocol = protocol
        self.samples: Sequence[Sample] = suite.samples
        self.unavailable: Mapping[str, str] = {}
        requested = options.metrics
        others = [name for name in requested or () if name not in METRICS]
        if others:
            raise VdeError(
                f"{others[0]!r} is not measured around masks; expected some of {', '.join(METRICS)}, or none"
            )
        self.metrics = tuple(name for name in METRICS if requested is None or name in requested)
        if "lpips" in self.metrics:
            try:
                lpips(protocol)
            except MissingPartError as error:
                self.metrics = tuple(name for name in self.metrics if name != "lpips")
                self.unavailable = {protocol.lpips: str(error)}
        self.reader: CachedReader | None = None
        if isinstance(predictions, OcrPredictions) and options.reader != NO_READER and protocol.whole:
            self.reader = predictions.cached

    @staticmethod
    def open(suite: Suite, folder: str | Path, options: ScoreOptions) -> Predictions:
        """Open a folder of images; the reader reads them where text is compared."""
        reader = options.reader
        name = reader if isinstance(reader, str) and reader != NO_READER else ""
        cached = reader if isinstance(reader, CachedReader) else CachedReader.named(name or DEFAULT_READER)
        root, label = editors_images(folder), options.editor or folder_label(Path(folder))
        files = outputs_of(suite, root, options.match)
        return ImagePredictions(root, suite.samples, cached, name=label, files=files)

    @staticmethod
    def files(suite: Suite, folder: str | Path, options: ScoreOptions) -> list[Outputs]:
        """List the files of images."""
        return [outputs_of(suite, editors_images(folder), options.match)]

    @staticmethod
    def reads_images(suite: Suite, folder: str | Path, options: ScoreOptions) -> bool:
        """Whether text is compared; the files are always images."""
        return options.reader != NO_READER

    @property
    def uses_reader(self) -> bool:
        """Whether text is compared."""
        return self.reader is not None

    def part(self, samples: Collection[str]) -> MaskEvaluation:
        """Return the evaluation of some samples alone."""
        other = copy(self)
        other.samples = [sample for sample in self.samples if sample.key in samples]
        return other

    def write_rows(self, folder: RunFolder, execution: Execution) -> None:
        """Measure all images and write `scores.parquet`."""
        with stage("scoring"):
            rows = self.rows(execution)
        with replacing(folder.root / "scores.parquet") as temporary:
            rows.write_parquet(temporary)

    def rows(self, execution: Execution) -> pl.DataFrame:
        """Return a row for every sample; measurements and OCR output are cached by the files' content."""
        tasks = {sample.key: _task(self, sample) for sample in self.samples}
        ready = [task for task in tasks.values() if isinstance(task, MaskTask)]
        tasks |= _measure_ahead(self, ready, execution)
        measures: dict[str, dict[str, Any]] = {}
        texts: dict[str, MaskTexts] = {}
        for sample in self.samples:
            task = tasks[sample.key]
            if isinstance(task, MaskTask):
                measures[sample.key] = measured(task)
                if self.reader:
                    texts[sample.key] = ocr_inputs(task, sample, measures[sample.key])
        if self.reader:
            needed = (picture for each in texts.values() for picture in pictures(each))
            read_pictures(self.reader, needed, execution.workers, execution.reading, execution.engine)
        rows = []
        for sample in self.samples:
            task = tasks[sample.key]
            if isinstance(task, MaskTask):
                row = _row(self, task, measures[sample.key], texts.get(sample.key))
            else:
                row = task._asdict()
            rows.append({**_about(sample), **row})
        return pl.DataFrame(rows, schema=ROWS, orient="row")

    def complete(self, folder: RunFolder, summary: dict[str, Any]) -> dict[str, Any]:
        """Add the track, notes and unavailable metrics."""
        notes = [f"{self.predictions.name}: {note}" for note in summary["notes"]]
        if self.reader is not None and (caveat := caveat_of(self.reader.reader)):
            notes.append(caveat)
        unmatched = self.predictions.unmatched_files()
        if unmatched:
            notes.append(
                f"{len(unmatched)} files in {self.predictions.root} belong to no sample, such as {unmatched[0].name}"
            )
        if self.suite.left_out:
            sample, why = next(iter(self.suite.left_out.items()))
            notes.append(
                f"{len(self.suite.left_out)} samples cannot be used ({sample}: {why}); `vde suite check` names all"
            )
        return {
            "track": self.protocol.track,
            **summary,
            "ocr_ceiling": None,
            "unavailable": dict(self.unavailable),
            "notes": notes,
        }

    def signature(self, summary: Mapping[str, Any]) -> str:
        """Return the signature: reader and image metrics; it covers pages, references and masks."""
        identities = {"lpips": lpips(self.protocol).identity} if "lpips" in self.metrics else {}
        images = [VERSION, ALIGNMENT, *(identities.get(name, name) for name in self.metrics), RESIZING]
        return signature(
            self.protocol,
            {"reader": self.reader.label if self.reader else "off", "images": ",".join(images)},
            suite=self.suite.name,
            revision=self.suite.revision,
            n=len(self.suite.samples),
            references=_images(self.suite),
            input_policy=self.predictions.input_policy,
        )


def _images(suite: Suite) -> str:
    """Return the hash of all pages, references and masks."""
    digests = []
    for sample in suite.samples:
        try:
            files, masks = suite.image_files(sample), suite.mask_files(sample)
            digests += [digest_of_file(file) if file else "" for file in (files.source, files.reference, *masks)]
        except VdeError:  # reported in the sample's state
            digests.append(f"unreadable {sample.key}")
    return digest_of(*digests)


class UnscoredSample(NamedTuple):
    """Why a sample has no numbers."""

    state: Literal["missing", "failed"]
    reason: str
    against: Literal["reference", "input", ""] = ""
    """The image that a missing output would have been compared with."""


def _task(scope: MaskEvaluation, sample: Sample) -> MaskTask | UnscoredSample:
    """Return the task of a sample, or the reason why it cannot be scored."""
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
                "missing", f"{output.name}: {name} finds only {' and '.join(endings)} files", task.against
            )
        return task
    except VdeError as error:
        return UnscoredSample("failed", str(error))


def _measure_ahead(scope: MaskEvaluation, tasks: Sequence[MaskTask], execution: Execution) -> dict[str, UnscoredSample]:
    """Measure all uncached outputs with all workers; return failures by sample."""
    failures = {}
    cache = measures_cache(scope.protocol, scope.metrics)
    todo = []
    for task in tasks:
        try:
            if cache.find(task.key) is None:
                todo.append(task)
        except VdeError as error:
            failures[task.sample] = UnscoredSample("failed", str(error))
    if not todo:
        return failures
    worker_count = min(execution.engine.worker_count(execution.workers), len(todo))
    outcomes = execution.engine.map_tasks(_try, todo, worker_count, on_lost=_lost, attempts=2)
    for done, outcome in enumerate(outcomes, start=1):
        if outcome.failure:
            failures[outcome.sample] = UnscoredSample("failed", outcome.failure)
        else:
            cache.put(outcome.key, outcome.measures)  # a worker on another machine has another cache
        if execution.scoring:
            execution.scoring(done, len(todo))
    return failures


class _MaskOutcome(NamedTuple):
    sample: str
    key: Digest = Digest("")
    measures: Any = None
    failure: str = ""


def _try(task: MaskTask) -> _MaskOutcome:
    """Measure one output in a worker."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)  # one processor per worker; the numbers are the same with any
    try:
        return _MaskOutcome(task.sample, task.key, measured(task))
    except VdeError as error:
        return _MaskOutcome(task.sample, failure=str(error))
    finally:
        cv2.setNumThreads(threads)


def _lost(task: MaskTask, reason: str) -> _MaskOutcome:
    return _MaskOutcome(task.sample, failure=f"sample {task.sample}: its worker process died twice: {reason}")


def _row(scope: MaskEvaluation, task: MaskTask, measures: Mapping[str, Any], texts: MaskTexts | None) -> dict[str, Any]:
    text: Mapping[str, float | None] = {}
    if texts and scope.reader:
        try:
            text = text_row(texts, scope.reader)
        except VdeError as error:
            return {"state": "failed", "reason": str(error)}
    row = {**measures, **text, "state": "scored", "reason": "", "against": task.against}
    for name in ("mse", "mse_raw", "edit_mse"):
        if row.get(name):
            row[name.replace("mse", "psnr")] = decibel(row[name])
    if scope.protocol.whole:
        row["done"] = text["done_text"] if text.get("done_text") is not None else measures.get("done_pixels")
        row["score"] = _score(row) if "ssim" in scope.metrics else None  # undefined without SSIM
    return {name: value for name, value in row.items() if name in ROWS}


def _score(row: Mapping[str, Any]) -> float | None:
    """Return done × SSIM outside × text kept, or None if `done` is unknown."""
    if row["done"] is None:
        return None
    factors = [part for name in ("ssim", "text_kept") if (part := row.get(name)) is not None]
    return float(math.prod([row["done"], *(max(part, 0.0) for part in factors)]))


def _about(sample: Sample) -> dict[str, str]:
    return {
        "sample": sample.key,
        "setting": SETTING,
        "group": sample.group,
        "operation": sample.operation.value,
        "source": sample.source,
        "tier": str(sample.extra.get("tier", "unknown")),
    }
