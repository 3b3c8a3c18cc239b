"""Some samples of a submission scored again, by the same protocol, against the suite that is here."""

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
    """What scoring again gave."""

    differences: list[RowDifference]
    compared: int
    """Rows."""
    parts: dict[str, tuple[str, str]]
    """Parts of the signature that are not the same here, as claimed and as here."""
    left_out: list[str]
    """Columns that could not be measured here."""
    unchecked: list[str]
    """What else could not be checked, in words."""


class _RescoredRows(NamedTuple):
    """What scoring again gave, before it is compared."""

    tables: Mapping[str, pl.DataFrame]
    """By the names they have in a submission."""
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
    reading: Progress | None = None,
) -> RescoringResult:
    """Score some samples again from the predictions in `roots`, and compare their rows."""
    chosen = set(samples)
    lost = chosen - {sample.key for sample in suite.samples}
    if lost:
        raise InputError(f"suite {suite.name}: no sample {min(lost)} in it ({len(lost)} missing)")
    again = _around_masks if submission.around_masks else _of_pages
    made = again(submission, suite, _predictions(submission, suite, roots, reader), reader, chosen, workers, reading)
    rows = made.tables[TABLES[0]]
    claimed, found = parts_of(submission.manifest.signature), parts_of(made.signature)
    names = dict.fromkeys(key for key in (*claimed, *found) if claimed.get(key) != found.get(key))
    parts = {key: (claimed.get(key, "nothing"), found.get(key, "nothing")) for key in names}
    settings = rows["setting"].unique().to_list()
    wanted = pl.col("sample").is_in(sorted(chosen)) & pl.col("setting").is_in(settings)
    before = submission.rows.filter(wanted)
    left_out = [
        name
        for name in before.columns
        if before[name].count() and any(name == each or name.startswith(f"{each}_") for each in made.unavailable)
    ]
    differences = [*row_differences(before, rows, left_out), *page_differences(submission.rows, suite)]
    for name in (TABLES[1], TABLES[2], *REFERENCE):
        if name in made.tables:
            differences += part_differences(_table(submission.folder, name).filter(wanted), made.tables[name], name)
    lacking = REFERENCE[0] in submission.manifest.files and REFERENCE[0] not in made.tables
    unchecked = ["the noise floor's readings are not at hand"] if lacking else []
    return RescoringResult(differences, len(before), parts, left_out, unchecked)


def _predictions(
    submission: Submission, suite: Suite, roots: Mapping[str, Path], reader: CachedReader | None
) -> Predictions:
    editor, claimed = submission.manifest.editor, parts_of(submission.manifest.signature)
    match = submission.manifest.asked.get("match") or ""
    if not isinstance(match, str):
        raise InputError(f"{MANIFEST} of the submission: 'match' is {str(match)[:40]}, expected text")
    found: Predictions
    if submission.manifest.asked.get("ready_readings"):
        label = claimed.get("reader", "unstated")
        images = roots.get("images")
        found = FolderReadings(roots["readings"], suite.samples, name=editor, reader=label, images=images, match=match)
    else:
        files = outputs_of(suite, roots["images"], match)
        # Around masks nobody may have read; the images are asked for all the same.
        cached = reader or CachedReader.named("rapidocr")
        found = ImagePredictions(roots["images"], suite.samples, cached, name=editor, files=files)
    found.given = input_policy_from(claimed)  # of how images were made there is their word alone
    return found


def _of_pages(
    submission: Submission,
    suite: Suite,
    predictions: Predictions,
    reader: CachedReader | None,
    chosen: set[str],
    workers: int,
    reading: Progress | None,
) -> _RescoredRows:
    asked, protocol = submission.manifest.asked, get_protocol(submission.summary["protocol"])
    settings: tuple[Setting, ...] = tuple(each for each in SETTINGS if each in submission.summary["overall"])
    named = _metrics(asked)
    metrics = protocol.image_metrics if named is None else named
    require_known(metrics)
    measures = ImageMetrics(metrics if predictions.has_images else ())
    truths = GroundTruth(suite, reader, all_read=asked.get("truth") == "read")
    scope, _ = plan(truths, predictions, protocol, settings, measures)
    local = scope.local if "local" in settings else "off"
    images = any((means or {}).get("images") for means in submission.summary["overall"].values())
    here = signature(
        protocol,
        local=local,
        reader=predictions.reader,
        truth=truths.origin(local),
        # Of ready OCR output of the references there is their word alone: it is not handed in.
        floor=parts_of(submission.manifest.signature).get("floor", "none"),
        images=f"{measures.identity},{RESIZING}" if images and measures else "off",
        suite=suite.name,
        revision=suite.revision,
        n=len(scope.samples),
        references=truths.references() if predictions.has_images else "",
        given=predictions.given,
    )
    part = scope._replace(samples=[sample for sample in scope.samples if sample.key in chosen])
    read_ahead(part, workers, reading)
    with tempfile.TemporaryDirectory(prefix="vde-") as temporary:
        folder = RunFolder(Path(temporary))
        with folder.open({}):
            score_run(part, folder, workers=workers)
            tables = {name: _table(folder.root, name) for name in TABLES}
            if isinstance(predictions, ReadPredictions):  # who gives ready readings does not hand in the references'
                noise_floor(folder.root / "reference", part, settings, counted=folder.counted())
                tables |= {name: _table(folder.root, name) for name in REFERENCE}
            return _RescoredRows(tables, here, list(measures.unavailable))


def _metrics(asked: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The metrics that were asked for, None for the protocol's own."""
    found = asked.get("metrics")
    if found is not None and not (isinstance(found, list) and all(isinstance(name, str) for name in found)):
        raise InputError(f"{MANIFEST} of the submission: 'metrics' is {str(found)[:40]}, expected a list of names")
    return None if found is None else tuple(found)


def _table(root: Path, name: str) -> pl.DataFrame:
    """A table as it is here; one without rows where there is none."""
    file = root / name
    return pl.read_parquet(file) if file.exists() else pl.DataFrame(schema=schema_of(file.stem))


def _around_masks(
    submission: Submission,
    suite: Suite,
    predictions: Predictions,
    reader: CachedReader | None,
    chosen: set[str],
    workers: int,
    reading: Progress | None,
) -> _RescoredRows:
    protocol = get_pixel_protocol(submission.summary["protocol"])
    scope = plan_masked(suite, predictions, protocol, _metrics(submission.manifest.asked), reader)
    part = cast(Suite, PartOfSuite(suite, [sample for sample in suite.samples if sample.key in chosen]))
    rows = score_masked(scope._replace(suite=part), workers, None, reading)
    unavailable = [name.partition("_")[0] for name in scope.unavailable]
    return _RescoredRows({TABLES[0]: rows}, masked_signature(scope), unavailable)


class PartOfSuite:
    """Some samples of a suite; all else is the suite's own."""

    def __init__(self, whole: Suite, samples: list[Sample]) -> None:
        self.whole = whole
        self.samples = samples

    def __getattr__(self, name: str) -> Any:
        """What the whole suite says."""
        return getattr(self.whole, name)
