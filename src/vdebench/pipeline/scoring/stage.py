"""The scoring stage: samples, readings and a protocol into rows of a run folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from vdebench._version import __version__
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.cache import digest_of, digest_of_file
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


def plan(
    truths: GroundTruth,
    predictions: Predictions,
    protocol: PageProtocol,
    settings: Sequence[Setting],
    measures: ImageMetrics,
) -> tuple[ScoringScope, list[str]]:
    """Which samples and settings are scored, and what is missing for the others, in words."""
    suite = truths.suite
    suite.require_distinct_keys()
    samples = [sample for sample in suite.samples if protocol.covers(sample)]
    local, lacking = _local_mode(truths, predictions, protocol, samples)
    notes = [lacking] if lacking and "local" in settings else []
    kept = tuple(setting for setting in settings if setting == "global" or local != "off")
    if not kept:
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
    return ScoringScope(truths, predictions, protocol, kept, local, samples, measures, predictions.has_images), notes


def _local_mode(
    truths: GroundTruth, predictions: Predictions, protocol: PageProtocol, samples: Sequence[Sample]
) -> tuple[LocalMode, str]:
    """How local is scored, and what is lacking for a better way, in words."""
    if protocol.local == "filter":
        return "filter", ""
    sides = [
        *([] if truths.has_regions else [f"the suite {truths.suite.name} (regions/ in its readings folders)"]),
        *([] if predictions.has_regions else [f"{predictions.name} ({predictions.root}/regions/)"]),
    ]
    if protocol.local == "crop":
        lacking = (
            f"{protocol.name} local needs readings of the regions' crops, and there are none in {' and '.join(sides)}; "
            "name them <image>_region_<k>.json, or use vde-release or strict, which can use the whole page's reading"
        )
        return ("off", lacking) if sides else ("crop", "")
    if sides:
        return "filter", ""
    without = [sample.key for sample in samples if sample.regions and not _has_crops(truths, predictions, sample)]
    if without:  # one way for all samples, so that the signature can say which
        return "filter", f"crops were not read for {len(without)} samples ({without[0]} …): local from the whole pages"
    return "crop", ""


def _has_crops(truths: GroundTruth, predictions: Predictions, sample: Sample) -> bool:
    try:
        missing = not predictions.has_any(sample)
        return truths.has_regions_of(sample) and (missing or predictions.regions(sample) is not None)
    except VdeError:  # told when the sample is scored
        return True


def score_run(scope: ScoringScope, folder: RunFolder, execution: Execution = Execution()) -> None:  # noqa: B008 (frozen)
    """Score samples without a current row and rewrite the folder's tables, the same on any number of workers."""
    todo = _Todo(scope, folder.fingerprints(), execution.scoring)
    try:
        for number, rows in in_order(scored_by(execution.engine, scope, todo, execution.workers)):
            for row in rows:
                folder.add(todo.with_head(number, row))
            todo.tick()
    except KeyboardInterrupt:
        folder.flush()
        raise
    folder.finish(todo.wanted)


class _Todo:
    """The samples that are to be scored, found one after the other, and all rows that the run will hold."""

    def __init__(self, scope: ScoringScope, known: Mapping[tuple[str, str], str], progress: Progress | None) -> None:
        self.wanted: list[tuple[str, str, str]] = []
        self._scope = scope
        self._rules = scope.protocol.digest
        self._known = known
        self._progress = progress
        self._pages = pages_of(scope.suite)
        self._heads: dict[int, dict[str, dict[str, str]]] = {}
        self._seen = self._done = 0

    def __len__(self) -> int:
        """How many are not found yet, at most."""
        return len(self._scope.samples) - self._seen

    def __iter__(self) -> Iterator[ScoringTask]:
        """The tasks, numbered from 0."""
        scope, number = self._scope, 0
        for sample in scope.samples:
            self._seen += 1
            found = _find(scope, sample)
            keys = {setting: _fingerprint(scope, self._rules, sample, setting, found) for setting in SETTINGS}
            fresh = {setting for setting, fp in keys.items() if self._known.get((sample.key, setting)) == fp}
            kept = {*scope.settings, *fresh}
            self.wanted += [(sample.key, setting, fp) for setting, fp in keys.items() if setting in kept]
            todo = {setting: fp for setting, fp in keys.items() if setting in scope.settings and setting not in fresh}
            if not todo:
                self.tick()
                continue
            about = {**_about(sample), "page": self._pages[sample.key]}
            self._heads[number] = {setting: {**about, "fingerprint": fp} for setting, fp in todo.items()}
            yield ScoringTask(number, sample, found, tuple(todo))
            number += 1

    def with_head(self, number: int, row: ScoredSample) -> ScoredSample:
        """A row of a task with what is known of its sample."""
        return row._replace(score={**self._heads[number].pop(row.score["setting"]), **row.score})

    def tick(self) -> None:
        """One more is done."""
        self._done += 1
        if self._progress:
            self._progress(self._done, len(self._scope.samples))


def _find(scope: ScoringScope, sample: Sample) -> Prediction:
    image = None
    try:
        image = scope.predictions.image(sample) if scope.looks_at_images else None
        page = scope.predictions.page(sample)
        crops = scope.predictions.regions(sample) if scope.local == "crop" else None
        lacking = scope.predictions.region_place(sample) if page and crops is None else ""
        absence = "" if page else scope.predictions.absence(sample)
        return Prediction(page, crops, image, absence=absence, regions_place=lacking)
    except VdeError as error:
        return Prediction(image=image, failure=str(error))


def _fingerprint(scope: ScoringScope, rules: str, sample: Sample, setting: Setting, found: Prediction) -> str:
    """Hash of all that a row is made from; `rules` is the protocol's digest."""
    parts = [
        __version__,
        rules,
        setting,
        scope.local if setting == "local" else "",
        scope.truths.digest(sample),
        found.page.digest if found.page else "missing",
        *(region.digest for region in found.regions or ()),
        found.failure,
        found.absence,
        *(_image_digests(scope, sample, found) if scope.looks_at_images else ()),
    ]
    return digest_of(*parts)[:32]


def _image_digests(scope: ScoringScope, sample: Sample, found: Prediction) -> list[str]:
    try:
        files = [found.image, scope.truths.reference(sample)]
        traces = trace_digests(scope.suite, sample) if scope.protocol.properties else []
        return [scope.measures.identity, *(digest_of_file(file) if file else "" for file in files), *traces]
    except VdeError as error:
        return [str(error)]


def _about(sample: Sample) -> dict[str, str]:
    return {
        "sample": sample.key,
        "group": sample.group,
        "operation": sample.operation.value,
        "edit_class": sample.operation.edit_class,
        "language": sample.language,
        "source": sample.source,
    }
