"""Some samples of a submission scored again, by the same protocol, against the suite that is here."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import polars as pl

from vdebench.api_masked import masked_signature
from vdebench.errors import InputError
from vdebench.images import RESIZING
from vdebench.metrics.measures import require_known
from vdebench.protocols import get_protocol
from vdebench.protocols.signature import signature
from vdebench.protocols.textedit import get_pixel_protocol
from vdebench.read_ahead import read_ahead
from vdebench.readers.cached import CachedReader
from vdebench.readers.folder import FolderReadings
from vdebench.readers.predictions import ImagePredictions, Predictions
from vdebench.runs.folder import RunFolder
from vdebench.sample import Sample
from vdebench.scoring import Progress, plan, score_run
from vdebench.scoring_images import Measures
from vdebench.scoring_masked import plan_masked, score_masked
from vdebench.scoring_sample import SETTINGS, Setting
from vdebench.scoring_truth import Truths
from vdebench.submission.consistent import EXACT, Submission, same
from vdebench.submission.manifest import parts_of
from vdebench.suites.suite import Suite

NETWORKS = ("lpips", "clip", "look")
BY_NETWORKS = 1e-4
"""How far metrics by neural networks may differ: other processors add up in another order."""
_TEXTS = ("state", "alignment")


class Difference(NamedTuple):
    """A number of a row that is another one here."""

    sample: str
    setting: str
    column: str
    claimed: Any
    found: Any


class Rescored(NamedTuple):
    """What scoring again gave."""

    differences: list[Difference]
    compared: int
    """Rows."""
    parts: dict[str, tuple[str, str]]
    """Parts of the signature that are not the same here, as claimed and as here."""
    left_out: list[str]
    """Columns that could not be measured here."""


def rescore(
    submission: Submission,
    suite: Suite,
    roots: Mapping[str, Path],
    samples: Sequence[str],
    reader: CachedReader | None,
    *,
    workers: int = 0,
    reading: Progress | None = None,
) -> Rescored:
    """Score some samples again from the predictions in `roots`, and compare their rows."""
    chosen = set(samples)
    lost = chosen - {sample.key for sample in suite.samples}
    if lost:
        raise InputError(f"suite {suite.name}: no sample {min(lost)} in it ({len(lost)} missing)")
    again = _around_masks if submission.around_masks else _of_pages
    rows, here, unavailable = again(
        submission, suite, _predictions(submission, suite, roots, reader), reader, chosen, workers, reading
    )
    claimed, found = parts_of(submission.manifest.signature), parts_of(here)
    names = dict.fromkeys(key for key in (*claimed, *found) if claimed.get(key) != found.get(key))
    parts = {key: (claimed.get(key, "nothing"), found.get(key, "nothing")) for key in names}
    settings = rows["setting"].unique().to_list()
    before = submission.rows.filter(pl.col("sample").is_in(sorted(chosen)) & pl.col("setting").is_in(settings))
    left_out = [
        name
        for name in before.columns
        if before[name].count() and any(name == each or name.startswith(f"{each}_") for each in unavailable)
    ]
    return Rescored(list(_differences(before, rows, left_out)), len(before), parts, left_out)


def _predictions(
    submission: Submission, suite: Suite, roots: Mapping[str, Path], reader: CachedReader | None
) -> Predictions:
    editor = submission.manifest.editor
    if submission.manifest.asked.get("ready_readings"):
        label = parts_of(submission.manifest.signature).get("reader", "unstated")
        return FolderReadings(roots["readings"], suite.samples, name=editor, reader=label, images=roots.get("images"))
    files = suite.outputs(roots["images"])
    # Around masks nobody may have read; the images are asked for all the same.
    cached = reader or CachedReader.named("rapidocr")
    return ImagePredictions(roots["images"], suite.samples, cached, name=editor, files=files)


def _of_pages(
    submission: Submission,
    suite: Suite,
    predictions: Predictions,
    reader: CachedReader | None,
    chosen: set[str],
    workers: int,
    reading: Progress | None,
) -> tuple[pl.DataFrame, str, list[str]]:
    asked, protocol = submission.manifest.asked, get_protocol(submission.summary["protocol"])
    settings: tuple[Setting, ...] = tuple(each for each in SETTINGS if each in submission.summary["overall"])
    metrics = protocol.image_metrics if asked.get("metrics") is None else tuple(map(str, asked["metrics"]))
    require_known(metrics)
    measures = Measures(metrics if predictions.has_images else ())
    truths = Truths(suite, reader, all_read=asked.get("truth") == "read")
    scope, _ = plan(truths, predictions, protocol, settings, measures)
    local = scope.local if "local" in settings else "off"
    images = any((means or {}).get("images") for means in submission.summary["overall"].values())
    here = signature(
        protocol,
        local=local,
        reader=predictions.reader,
        truth=truths.origin(local),
        images=f"{measures.identity},{RESIZING}" if images and measures else "off",
        suite=suite.name,
        revision=suite.revision,
        n=len(scope.samples),
        references=truths.references() if predictions.has_images else "",
    )
    part = scope._replace(samples=[sample for sample in scope.samples if sample.key in chosen])
    read_ahead(part, workers, reading)
    with tempfile.TemporaryDirectory(prefix="vde-") as temporary:
        folder = RunFolder(Path(temporary))
        with folder.open({}):
            score_run(part, folder)
            return folder.table("scores").collect(), here, list(measures.unavailable)


def _around_masks(
    submission: Submission,
    suite: Suite,
    predictions: Predictions,
    reader: CachedReader | None,
    chosen: set[str],
    workers: int,
    reading: Progress | None,
) -> tuple[pl.DataFrame, str, list[str]]:
    protocol = get_pixel_protocol(submission.summary["protocol"])
    scope = plan_masked(suite, predictions, protocol, submission.manifest.asked.get("metrics"), reader)
    part = cast(Suite, PartOfSuite(suite, [sample for sample in suite.samples if sample.key in chosen]))
    rows = score_masked(scope._replace(suite=part), workers, None, reading)
    return rows, masked_signature(scope), [name.partition("_")[0] for name in scope.unavailable]


class PartOfSuite:
    """Some samples of a suite; all else is the suite's own."""

    def __init__(self, whole: Suite, samples: list[Sample]) -> None:
        self.whole = whole
        self.samples = samples

    def __getattr__(self, name: str) -> Any:
        """What the whole suite says."""
        return getattr(self.whole, name)


def _differences(before: pl.DataFrame, after: pl.DataFrame, left_out: Sequence[str]) -> Iterator[Difference]:
    """Numbers and states that are not the same, and rows that only one side has."""
    columns = [
        name
        for name, kind in before.schema.items()
        if (kind.is_numeric() or kind == pl.Boolean or name in _TEXTS)
        and name in after.columns
        and name not in left_out
    ]
    again = {(row["sample"], row["setting"]): row for row in after.iter_rows(named=True)}
    for row in before.iter_rows(named=True):
        other = again.pop((row["sample"], row["setting"]), None)
        if other is None:
            yield Difference(row["sample"], row["setting"], "row", "there", "not there")
            continue
        for name in columns:
            within = BY_NETWORKS if name.startswith(NETWORKS) else EXACT
            if not same(row[name], other[name], within):
                yield Difference(row["sample"], row["setting"], name, row[name], other[name])
    for sample, setting in again:
        yield Difference(sample, setting, "row", "not there", "there")
