"""Scoring some samples of a submission again, with the same protocol, against the local suite."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import polars as pl

from vdebench.core.input_policy import input_policy_from
from vdebench.errors import InputError
from vdebench.pipeline.evaluation import plan
from vdebench.pipeline.options import NO_READER, Execution, ScoreOptions, SettingChoice
from vdebench.protocols.pages.columns import schema_of
from vdebench.readers.cached import CachedReader
from vdebench.readers.folder import OcrOutputFolder
from vdebench.readers.predictions import ImagePredictions, Predictions
from vdebench.runs.folder import RunFolder
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
    execution: Execution,
) -> RescoringResult:
    """Score some samples again from the predictions in `roots` and compare the rows.

    Raises `InputError` if the suite does not contain a sample.
    """
    selected = set(samples)
    unknown = selected - {sample.key for sample in suite.samples}
    if unknown:
        raise InputError(f"suite {suite.name}: no sample {min(unknown)} in it ({len(unknown)} missing)")
    predictions = _predictions(submission, suite, roots, reader)
    rescored = _rescored(submission, suite, predictions, reader, selected, execution)
    rows = rescored.tables[TABLES[0]]
    claimed, local = parts_of(submission.manifest.signature), parts_of(rescored.signature)
    if "ceiling" in local:  # OCR output of the references is not part of a submission, so this part is not verified
        local["ceiling"] = claimed.get("ceiling", "none")
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
    if submission.manifest.asked.get("ready_ocr_output"):
        label = claimed.get("reader", "unstated")
        images = roots.get("images")
        predictions = OcrOutputFolder(
            roots["readings"], suite.samples, name=editor, reader=label, images=images, match=match
        )
    else:
        files = outputs_of(suite, roots["images"], match)
        # A run with masks may have no reader, but ImagePredictions needs one.
        cached = reader or CachedReader.named("rapidocr")
        predictions = ImagePredictions(roots["images"], suite.samples, cached, name=editor, files=files)
    predictions.input_policy = input_policy_from(claimed)  # cannot be verified: taken from the submission
    return predictions


def _rescored(
    submission: Submission,
    suite: Suite,
    predictions: Predictions,
    reader: CachedReader | None,
    selected: set[str],
    execution: Execution,
) -> _RescoredRows:
    record, settings = submission.manifest.asked, list(submission.summary["overall"])
    options = ScoreOptions(
        protocol=submission.summary["protocol"],
        setting=cast(SettingChoice, settings[0]) if settings in (["global"], ["local"]) else "both",
        reader=reader or NO_READER,
        ground_truth="ocr" if record.get("ground_truth") == "ocr" else "suite",
        metrics=_metrics(record),
    )
    evaluation = plan(suite, predictions, options)
    with tempfile.TemporaryDirectory(prefix="vde-") as temporary:
        folder = RunFolder(Path(temporary))
        with folder.open({}):
            evaluation.part(selected).write_rows(folder, execution)
        there = (name for name in (*TABLES, *REFERENCE) if (folder.root / name).exists())
        tables = {name: pl.read_parquet(folder.root / name) for name in there}
    columns = tables[TABLES[0]].columns
    unavailable = [name if name in columns else name.partition("_")[0] for name in evaluation.unavailable]
    return _RescoredRows(tables, evaluation.signature(submission.summary), unavailable)


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
