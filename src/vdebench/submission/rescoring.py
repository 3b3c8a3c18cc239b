"""Scoring some samples of a submission again, with the same protocol, against the local suite."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import polars as pl

from vdebench.core.images import RESIZING
from vdebench.core.input_policy import input_policy_from
from vdebench.core.sample import Sample
from vdebench.errors import InputError
from vdebench.metrics.image_metrics import require_known
from vdebench.pipeline.ceiling import noise_floor
from vdebench.pipeline.read import read_ahead
from vdebench.pipeline.score_masks import masked_signature
from vdebench.pipeline.scoring.ground_truth import GroundTruth
from vdebench.pipeline.scoring.image_metrics import ImageMetrics
from vdebench.pipeline.scoring.masks import plan_masked, score_masked
from vdebench.pipeline.scoring.sample import SETTINGS, Setting
from vdebench.pipeline.scoring.stage import Progress, plan, score_run
from vdebench.protocols import get_protocol
from vdebench.protocols.masks.protocol import get_pixel_protocol
from vdebench.protocols.signature import signature
from vdebench.readers.cached import CachedReader
from vdebench.readers.folder import FolderReadings
from vdebench.readers.predictions import ImagePredictions, Predictions, ReadPredictions
from vdebench.runs.folder import RunFolder, schema_of
from vdebench.submission.consistency import Submission
from vdebench.submission.manifest import MANIFEST, REFERENCE, TABLES, parts_of
from vdebench.submission.row_differences import RowDifference, page_differences, part_differences, row_differences
from vdebench.suites.name_pattern import outputs_of
from vdebench.suites.suite import Suite


class RescoringResult(NamedTuple):
    """The comparison of stored and newly computed rows."""

    differences: list[RowDifference]
    compared: int
    """Number of rows compared."""
    parts: dict[str, tuple[str, str]]
    """Parts of the signature that differ: (claimed, local)."""
    left_out: list[str]
    """Columns whose metric is not available here."""
    unchecked: list[str]
    """Messages about anything else that could not be checked."""


class _RescoredRows(NamedTuple):
    """Newly computed rows."""

    tables: Mapping[str, pl.DataFrame]
    """Tables by their file name in a submission."""
    signature: str
    unavailable: list[str]


def rescore(
    submission: Submission,
    suite: Suite,
    roots: Mapping[str, Path],
    samples: Sequence[str],
    reader: CachedReader | None,
    *,
    workers: int = 0,
    progress: Progress | None = None,
) -> RescoringResult:
    """Score some samples again from the predictions in `roots` and compare the rows.

    Raises `InputError` if the suite does not contain a sample.
    """
    selected = set(samples)
    unknown = selected - {sample.key for sample in suite.samples}
    if unknown:
        raise InputError(f"suite {suite.name}: no sample {min(unknown)} in it ({len(unknown)} missing)")
    score = _score_masks if submission.around_masks else _score_pages
    rescored = score(
        submission, suite, _predictions(submission, suite, roots, reader), reader, selected, workers, progress
    )
    rows = rescored.tables[TABLES[0]]
    claimed, local = parts_of(submission.manifest.signature), parts_of(rescored.signature)
    names = dict.fromkeys(key for key in (*claimed, *local) if claimed.get(key) != local.get(key))
    parts = {key: (claimed.get(key, "nothing"), local.get(key, "nothing")) for key in names}
    settings = rows["setting"].unique().to_list()
    is_compared = pl.col("sample").is_in(sorted(selected)) & pl.col("setting").is_in(settings)
    before = submission.rows.filter(is_compared)
    left_out = [
        name
        for name in before.columns
        if before[name].count() and any(name == each or name.startswith(f"{each}_") for each in rescored.unavailable)
    ]
    differences = [*row_differences(before, rows, left_out), *page_differences(submission.rows, suite)]
    for name in (TABLES[1], TABLES[2], *REFERENCE):
        if name in rescored.tables:
            differences += part_differences(
                _table(submission.folder, name).filter(is_compared), rescored.tables[name], name
            )
    no_ceiling = REFERENCE[0] in submission.manifest.files and REFERENCE[0] not in rescored.tables
    unchecked = ["the OCR output behind the OCR ceiling is not available"] if no_ceiling else []
    return RescoringResult(differences, len(before), parts, left_out, unchecked)


def _predictions(
    submission: Submission, suite: Suite, roots: Mapping[str, Path], reader: CachedReader | None
) -> Predictions:
    editor, claimed = submission.manifest.editor, parts_of(submission.manifest.signature)
    match = submission.manifest.asked.get("match") or ""
    if not isinstance(match, str):
        raise InputError(f"{MANIFEST} of the submission: 'match' is {str(match)[:40]}, expected text")
    predictions: Predictions
    if submission.manifest.asked.get("ready_readings"):
        label = claimed.get("reader", "unstated")
        images = roots.get("images")
        predictions = FolderReadings(
            roots["readings"], suite.samples, name=editor, reader=label, images=images, match=match
        )
    else:
        files = outputs_of(suite, roots["images"], match)
        # A run with masks may have no reader, but ImagePredictions needs one.
        cached = reader or CachedReader.named("rapidocr")
        predictions = ImagePredictions(roots["images"], suite.samples, cached, name=editor, files=files)
    predictions.given = input_policy_from(claimed)  # cannot be verified: taken from the submission
    return predictions


def _score_pages(
    submission: Submission,
    suite: Suite,
    predictions: Predictions,
    reader: CachedReader | None,
    selected: set[str],
    workers: int,
    progress: Progress | None,
) -> _RescoredRows:
    options, protocol = submission.manifest.asked, get_protocol(submission.summary["protocol"])
    settings: tuple[Setting, ...] = tuple(each for each in SETTINGS if each in submission.summary["overall"])
    requested = _metrics(options)
    metrics = protocol.image_metrics if requested is None else requested
    require_known(metrics)
    measures = ImageMetrics(metrics if predictions.has_images else ())
    truths = GroundTruth(suite, reader, all_read=options.get("truth") == "read")
    scope, _ = plan(truths, predictions, protocol, settings, measures)
    local = scope.local if "local" in settings else "off"
    images = any((means or {}).get("images") for means in submission.summary["overall"].values())
    here = signature(
        protocol,
        local=local,
        reader=predictions.reader,
        truth=truths.origin(local),
        # OCR output of the references is not part of a submission, so this part is taken from it unverified.
        floor=parts_of(submission.manifest.signature).get("floor", "none"),
        images=f"{measures.identity},{RESIZING}" if images and measures else "off",
        suite=suite.name,
        revision=suite.revision,
        n=len(scope.samples),
        references=truths.references() if predictions.has_images else "",
        given=predictions.given,
    )
    part = scope._replace(samples=[sample for sample in scope.samples if sample.key in selected])
    read_ahead(part, workers, progress)
    with tempfile.TemporaryDirectory(prefix="vde-") as temporary:
        folder = RunFolder(Path(temporary))
        with folder.open({}):
            score_run(part, folder, workers=workers)
            tables = {name: _table(folder.root, name) for name in TABLES}
            if isinstance(
                predictions, ReadPredictions
            ):  # OCR output from a folder comes without that of the references
                noise_floor(folder.root / "reference", part, settings, counted=folder.counted_samples())
                tables |= {name: _table(folder.root, name) for name in REFERENCE}
            return _RescoredRows(tables, here, list(measures.unavailable))


def _metrics(options: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the requested metrics, or None for those of the protocol."""
    names = options.get("metrics")
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise InputError(f"{MANIFEST} of the submission: 'metrics' is {str(names)[:40]}, expected a list of names")
    return None if names is None else tuple(names)


def _table(root: Path, name: str) -> pl.DataFrame:
    """Read a table; an absent file gives an empty one."""
    file = root / name
    return pl.read_parquet(file) if file.exists() else pl.DataFrame(schema=schema_of(file.stem))


def _score_masks(
    submission: Submission,
    suite: Suite,
    predictions: Predictions,
    reader: CachedReader | None,
    selected: set[str],
    workers: int,
    progress: Progress | None,
) -> _RescoredRows:
    protocol = get_pixel_protocol(submission.summary["protocol"])
    scope = plan_masked(suite, predictions, protocol, _metrics(submission.manifest.asked), reader)
    part = cast(Suite, SuiteSubset(suite, [sample for sample in suite.samples if sample.key in selected]))
    rows = score_masked(scope._replace(suite=part), workers, None, progress)
    unavailable = [name.partition("_")[0] for name in scope.unavailable]
    return _RescoredRows({TABLES[0]: rows}, masked_signature(scope), unavailable)


class SuiteSubset:
    """Some samples of a suite; all other attributes are those of the suite."""

    def __init__(self, whole: Suite, samples: list[Sample]) -> None:
        self.whole = whole
        self.samples = samples

    def __getattr__(self, name: str) -> Any:
        """Delegate to the whole suite."""
        return getattr(self.whole, name)
