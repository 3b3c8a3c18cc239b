"""The scoring stage: scores samples by a protocol and writes the rows of a run folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from vdebench._version import __version__
from vdebench.changes.identity import CHANGES, REQUESTS
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.cache import digest_of, digest_of_file
from vdebench.pipeline.edit_check import is_decidable
from vdebench.pipeline.options import Execution, Progress
from vdebench.pipeline.scoring.edit_traces import trace_digests
from vdebench.pipeline.scoring.ground_truth import GroundTruth
from vdebench.pipeline.scoring.image_metrics import ImageMetrics
from vdebench.pipeline.scoring.sample import SETTINGS, LocalMode, Prediction, ScoringScope, Setting
from vdebench.pipeline.scoring.workers import ScoringTask, in_order, scored_by
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.readers.predictions import Predictions
from vdebench.runs.folder import RunFolder, ScoredSample
from vdebench.suites.pages import pages_of
from vdebench.suites.suite import Suite


def plan(
    ground_truth: GroundTruth,
    predictions: Predictions,
    protocol: PageProtocol,
    settings: Sequence[Setting],
    measures: ImageMetrics,
) -> tuple[ScoringScope, list[str]]:
    """Return the samples and settings to score, and notes on those that cannot be scored."""
    suite = ground_truth.suite
    suite.require_distinct_keys()
    samples = [sample for sample in suite.samples if protocol.covers(sample)]
    referenced = [sample for sample in samples if suite.has_reference(sample)]
    local, lacking = _local_mode(ground_truth, predictions, protocol, referenced)
    notes = [lacking] if lacking and "local" in settings else []
    scorable = tuple(setting for setting in settings if setting == "global" or local != "off")
    if not scorable:
        raise InputError(lacking)
    if len(samples) < len(suite.samples):
        notes.append(
            f"{protocol.name} does not cover edits in tables: {len(suite.samples) - len(samples)} samples left out"
        )
    unmatched_files = predictions.unmatched_files()
    if unmatched_files:
        notes.append(
            f"{len(unmatched_files)} files in {predictions.root} belong to no sample, such as {unmatched_files[0].name}"
        )
    return ScoringScope(
        ground_truth, predictions, protocol, scorable, local, samples, measures, predictions.has_images
    ), notes


def _local_mode(
    ground_truth: GroundTruth, predictions: Predictions, protocol: PageProtocol, samples: Sequence[Sample]
) -> tuple[LocalMode, str]:
    """Return the mode of the setting local, and a note on missing input for a better mode."""
    if protocol.local == "filter":
        return "filter", ""
    sides = [
        *(
            []
            if ground_truth.has_regions
            else [f"the suite {ground_truth.suite.name} (regions/ in its folders of OCR output)"]
        ),
        *([] if predictions.has_regions else [f"{predictions.name} ({predictions.root}/regions/)"]),
    ]
    if protocol.local == "crop":
        lacking = (
            f"{protocol.name} local needs OCR output of the regions' crops, missing in {' and '.join(sides)}; "
            "name the files <image>_region_<k>.json, or use vde-release or strict, which can use whole pages"
        )
        return ("off", lacking) if sides else ("crop", "")
    if sides:
        return "filter", ""
    without = [sample.key for sample in samples if sample.regions and not _has_crops(ground_truth, predictions, sample)]
    if without:  # one mode for all samples, recorded in the signature
        return "filter", f"no OCR output of crops for {len(without)} samples ({without[0]} …): local uses whole pages"
    return "crop", ""


def _has_crops(ground_truth: GroundTruth, predictions: Predictions, sample: Sample) -> bool:
    try:
        missing = not predictions.has_any(sample)
        return ground_truth.has_regions_of(sample) and (missing or predictions.regions(sample) is not None)
    except VdeError:  # reported when the sample is scored
        return True


def score_run(scope: ScoringScope, folder: RunFolder, execution: Execution = Execution()) -> None:  # noqa: B008 (frozen)
    """Score samples without a current row and rewrite the folder's tables, the same on any number of workers."""
    queue = _TaskQueue(scope, folder.fingerprints(), execution.scoring)
    try:
        for number, rows in in_order(scored_by(execution.engine, scope, queue, execution.workers)):
            for row in rows:
                folder.add(queue.with_head(number, row))
            queue.tick()
    except KeyboardInterrupt:
        folder.flush()
        raise
    folder.finish(queue.row_keys)


class _TaskQueue:
    """Iterates over the samples to score; collects the keys of all rows of the run."""

    def __init__(
        self, scope: ScoringScope, fingerprints: Mapping[tuple[str, str], str], progress: Progress | None
    ) -> None:
        self.row_keys: list[tuple[str, str, str]] = []
        self._scope = scope
        self._rules = scope.protocol.digest
        self._fingerprints = fingerprints
        self._progress = progress
        self._pages = pages_of(scope.suite)
        self._heads: dict[int, dict[str, dict[str, str]]] = {}
        self._seen = self._done = 0

    def __len__(self) -> int:
        """Upper bound of the number of remaining tasks."""
        return len(self._scope.samples) - self._seen

    def __iter__(self) -> Iterator[ScoringTask]:
        """Yield tasks, numbered from 0."""
        scope, number = self._scope, 0
        for sample in scope.samples:
            self._seen += 1
            prediction = _find(scope, sample)
            keys = {setting: _fingerprint(scope, self._rules, sample, setting, prediction) for setting in SETTINGS}
            fresh = {setting for setting, fp in keys.items() if self._fingerprints.get((sample.key, setting)) == fp}
            in_run = {*scope.settings, *fresh}
            self.row_keys += [(sample.key, setting, fp) for setting, fp in keys.items() if setting in in_run]
            todo = {setting: fp for setting, fp in keys.items() if setting in scope.settings and setting not in fresh}
            if not todo:
                self.tick()
                continue
            about = {**_about(scope.suite, sample), "page": self._pages[sample.key]}
            self._heads[number] = {setting: {**about, "fingerprint": fp} for setting, fp in todo.items()}
            yield ScoringTask(number, sample, prediction, tuple(todo))
            number += 1

    def with_head(self, number: int, row: ScoredSample) -> ScoredSample:
        """Return a row of a task with the columns of its sample."""
        return row._replace(score={**self._heads[number].pop(row.score["setting"]), **row.score})

    def tick(self) -> None:
        """Report one more finished sample."""
        self._done += 1
        if self._progress:
            self._progress(self._done, len(self._scope.samples))


def _find(scope: ScoringScope, sample: Sample) -> Prediction:
    image = None
    try:
        image = scope.predictions.image(sample) if scope.opens_images else None
        page = scope.predictions.page(sample)
        crops = scope.predictions.regions(sample) if scope.local == "crop" else None
        lacking = scope.predictions.region_place(sample) if page and crops is None else ""
        absence = "" if page else scope.predictions.absence(sample)
        return Prediction(page, crops, image, absence=absence, regions_place=lacking)
    except VdeError as error:
        return Prediction(image=image, failure=str(error))


def _fingerprint(scope: ScoringScope, rules: str, sample: Sample, setting: Setting, prediction: Prediction) -> str:
    """Return a hash of all inputs of a row; `rules` is the protocol's digest."""
    parts = [
        __version__,
        rules,
        setting,
        scope.local if setting == "local" else "",
        scope.ground_truth.digest(sample),
        prediction.page.digest if prediction.page else "missing",
        *(region.digest for region in prediction.regions or ()),
        prediction.failure,
        prediction.absence,
        *(_image_digests(scope, sample, prediction) if scope.opens_images else ()),
    ]
    return digest_of(*parts)[:32]


def _image_digests(scope: ScoringScope, sample: Sample, prediction: Prediction) -> list[str]:
    try:
        files = [prediction.image, scope.ground_truth.compared_image(sample)]
        traces = [*trace_digests(scope.suite, sample), CHANGES, REQUESTS] if scope.protocol.properties else []
        return [scope.measures.identity, *(digest_of_file(file) if file else "" for file in files), *traces]
    except VdeError as error:
        return [str(error)]


def _judged_by(suite: Suite, sample: Sample) -> str:
    """Return what decides whether an edit is usable; `nothing` if the instruction is not understood by rule."""
    if suite.has_reference(sample):
        return "reference"
    return "request" if is_decidable(sample.instruction, sample.target_text) else "nothing"


def _about(suite: Suite, sample: Sample) -> dict[str, str]:
    return {
        "sample": sample.key,
        "judged_by": _judged_by(suite, sample),
        "group": sample.group,
        "operation": sample.operation.value,
        "edit_class": sample.operation.edit_class,
        "language": sample.language,
        "source": sample.source,
    }
