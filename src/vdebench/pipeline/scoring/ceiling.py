"""The OCR ceiling: scores of the reference images, read and scored as predictions are."""

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

_NOT_KNOWN = "the OCR ceiling is not known: "


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

    Returns `scores` (the ceiling), `loss` (their distance from a perfect score) and breakdowns, or None and the reason.
    Two editors closer than `loss` differ by OCR errors as much as by their edits. `references` is ready OCR output of
    the reference images; `counted` names the samples behind the editor's means, since both must be of the same.
    """
    predictions, truths = scope.predictions, scope.truths
    if references is None and not isinstance(predictions, OcrPredictions):
        return None, [f"{_NOT_KNOWN}give the OCR output of the reference images with --ceiling DIR"]
    measured = [
        setting
        for setting in settings
        if setting in scope.settings and not (setting == "local" and scope.local == "crop" and truths.reads_crops)
    ]
    samples = [sample for sample in scope.samples if not truths.reads_page(sample)]
    if not measured or not samples:
        return None, [f"{_NOT_KNOWN}the ground truth is OCR output of the reference images itself"]
    if isinstance(predictions, OcrPredictions):
        references = OcrPredictions("reference", truths.suite.root, truths.suite.reference_image, predictions.cached)
    assert references is not None
    samples = [sample for sample in samples if sample.key in counted and _has(references, sample)]
    if not samples:
        return None, [f"{_NOT_KNOWN}the suite has no reference images of the samples that count"]
    kept = RunFolder(folder)
    about = {"protocol": scope.protocol.name, "suite": scope.suite.name, "editor": "reference"}
    with kept.open(about):
        without_images = scope._replace(measures=ImageMetrics(()), has_images=False)
        only_references = without_images._replace(predictions=references, samples=samples)
        score_run(only_references, kept, replace(execution, scoring=None))
        found = scope.protocol.summarise(kept, measured, crossed)
    overall = {setting: means for setting, means in found["overall"].items() if means}
    loss = {setting: losses(means) for setting, means in overall.items()}
    notes = [f"OCR ceiling: no {setting}: {_first_reason(kept)}" for setting in measured if setting not in overall]
    if len(samples) < len(counted):
        notes.append(f"OCR ceiling: of {len(samples)} of {len(counted)} samples")
    return {"scores": overall, "loss": loss, "by": found["by"]}, notes


def losses(means: Mapping[str, Any]) -> dict[str, float]:
    """How far the means of the reference images are from the best value of each metric of pages.

    >>> losses({"cdm": 0.75, "psnr": 30.0})
    {'cdm': 0.25}
    """
    found = {}
    for name, each in registered(PAGE_KINDS).items():
        perfect = each.bounds[1 if each.best == "higher" else 0]
        if means.get(name) is not None and math.isfinite(perfect):
            found[name] = abs(perfect - means[name])
    return found


def ceiling_source(predictions: Predictions, references: Predictions | None) -> str:
    """Return for the signature who read the reference images: the run's own reader, or ready OCR output."""
    if isinstance(predictions, OcrPredictions) or references is None:
        return "reader"
    return f"given@sha256:{digest_of(*_digests(references))[:12]}"


def _digests(references: Predictions) -> list[str]:
    found = []
    for file in sorted(references.root.rglob("*.json")):
        found += [file.relative_to(references.root).as_posix(), digest_of_file(file)]
    return found


def _has(references: Predictions, sample: Sample) -> bool:
    try:
        return references.has_any(sample)
    except VdeError:  # told where the sample is scored
        return False


def _first_reason(kept: RunFolder) -> str:
    failed = kept.table("scores").filter(pl.col("state") == "failed").select("reason").head(1).collect()
    return str(failed["reason"][0]) if len(failed) else "nothing was read"
