"""The OCR ceiling: the reference images, read and scored like predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.io.cache import digest_of, digest_of_file
from vdebench.metrics.registry import PAGE_KINDS, registered
from vdebench.pipeline.options import Execution
from vdebench.pipeline.scoring.image_metrics import ImageMetrics
from vdebench.pipeline.scoring.sample import ScoringScope
from vdebench.pipeline.scoring.stage import score_run
from vdebench.readers.predictions import OcrPredictions, Predictions
from vdebench.runs.folder import RunFolder

_UNKNOWN = "the OCR ceiling is not known: "


def ocr_ceiling(
    folder: Path,
    scope: ScoringScope,
    settings: Sequence[str],
    crossed: Sequence[tuple[str, ...]] = (),
    references: Predictions | None = None,
    *,
    counted: set[str],
    execution: Execution = Execution(),  # noqa: B008 (frozen)
) -> tuple[dict[str, Any] | None, list[str]]:
    """Score the reference images as if an editor had made them: the highest score that OCR allows.

    Return a dictionary with `scores` (the ceiling), `loss` (their distance from a perfect score) and `by` (slices), and
    notes; or None and the reason. A difference between two editors below `loss` may be due to OCR errors.

    `crossed` are the slices of `--by`, `references` is existing OCR output of the reference images (`--ceiling`), and
    `counted` are the keys of the samples in the editor's means: the ceiling is computed over the same samples.
    """
    predictions, ground_truth = scope.predictions, scope.ground_truth
    if references is None and not isinstance(predictions, OcrPredictions):
        return None, [f"{_UNKNOWN}give the OCR output of the reference images with --ceiling DIR"]
    measured = [
        setting
        for setting in settings
        if setting in scope.settings and not (setting == "local" and scope.local == "crop" and ground_truth.reads_crops)
    ]
    referenced = [sample for sample in scope.samples if ground_truth.suite.has_reference(sample)]
    if not referenced:
        return None, []
    samples = [sample for sample in referenced if not ground_truth.reads_page(sample)]
    if not measured or not samples:
        return None, [f"{_UNKNOWN}the ground truth is OCR output of the reference images itself"]
    if isinstance(predictions, OcrPredictions):
        suite = ground_truth.suite
        references = OcrPredictions(
            "reference", suite.root, suite.reference_image, predictions.cached, are_references=True
        )
    assert references is not None
    samples = [sample for sample in samples if sample.key in counted and _has_output(references, sample)]
    if not samples:
        return None, [f"{_UNKNOWN}the suite has no reference images of the scored samples"]
    run = RunFolder(folder)
    about = {"protocol": scope.protocol.name, "suite": scope.suite.name, "editor": "reference"}
    with run.open(about):
        without_images = scope._replace(measures=ImageMetrics(()), has_images=False)
        only_references = without_images._replace(predictions=references, samples=samples)
        score_run(only_references, run, replace(execution, scoring=None))
        summary = scope.protocol.summarise(run, measured, crossed)
    overall = {setting: means for setting, means in summary["overall"].items() if means}
    loss = {setting: losses(means) for setting, means in overall.items()}
    notes = [f"OCR ceiling: no {setting}: {_first_reason(run)}" for setting in measured if setting not in overall]
    if len(samples) < len(counted):
        notes.append(f"OCR ceiling: computed on {len(samples)} of {len(counted)} samples")
    return {"scores": overall, "loss": loss, "by": summary["by"]}, notes


def losses(means: Mapping[str, Any]) -> dict[str, float]:
    """Return the distance of each page metric's mean from its best value.

    >>> losses({"cdm": 0.75, "psnr": 30.0})
    {'cdm': 0.25}
    """
    result = {}
    for name, metric in registered(PAGE_KINDS).items():
        perfect = metric.bounds[1 if metric.best == "higher" else 0]
        if means.get(name) is not None and math.isfinite(perfect):
            result[name] = abs(perfect - means[name])
    return result


def ceiling_source(predictions: Predictions, references: Predictions | None) -> str:
    """Return the origin of the ceiling's OCR output for the signature: the reader, or a digest of ready output."""
    if isinstance(predictions, OcrPredictions) or references is None:
        return "reader"
    return f"given@sha256:{digest_of(*_digests(references))[:12]}"


def _digests(references: Predictions) -> list[str]:
    digests = []
    for file in sorted(references.root.rglob("*.json")):
        digests += [file.relative_to(references.root).as_posix(), digest_of_file(file)]
    return digests


def _has_output(references: Predictions, sample: Sample) -> bool:
    try:
        return references.has_any(sample)
    except VdeError:  # reported when the sample is scored
        return False


def _first_reason(run: RunFolder) -> str:
    failed = run.table("scores").filter(pl.col("state") == "failed").select("reason").head(1).collect()
    return str(failed["reason"][0]) if len(failed) else "no OCR output"
