"""Parallel scoring: each worker gets the run's scope once, and the prediction of a sample with its task."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterable, Iterator, Sized
from typing import Any, NamedTuple, TypeVar, cast
from typing import Protocol as Interface

from vdebench.core.sample import Sample
from vdebench.parallel.engines import Engine
from vdebench.pipeline.scoring.ocr_requests import CachedPageTexts, reader_of
from vdebench.pipeline.scoring.sample import Prediction, ScoringScope, Setting, score_sample, without_score
from vdebench.protocols import PROTOCOLS, PageProtocol, get_protocol
from vdebench.readers.cached import CachedReader
from vdebench.readers.folder import OcrOutputFolder
from vdebench.readers.predictions import OcrPredictions, Predictions
from vdebench.runs.folder import ScoredSample

SERIAL_SECONDS = 1.0
"""Seconds of work in this process before workers are started, about the time that starting them takes."""
_Any = TypeVar("_Any")


class ScoringTask(NamedTuple):
    """A sample to score."""

    number: int
    sample: Sample
    prediction: Prediction
    settings: tuple[Setting, ...]
    cached: CachedPageTexts = CachedPageTexts()


class ScoringTasks(Sized, Iterable[ScoringTask], Interface):
    """Iterable of tasks; its length is an upper bound of the remaining tasks."""


class SampleScorer:
    """Scores samples, in this or another process."""

    def __init__(self, scope: ScoringScope, reader: CachedReader | None) -> None:
        self._scope = scope
        self._reader = reader

    def __call__(self, task: ScoringTask) -> tuple[int, list[ScoredSample]]:
        """Return the rows of a sample."""
        task.cached.add_to(self._reader)
        return task.number, score_sample(self._scope, task.sample, task.prediction, task.settings)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without predictions, which tasks carry, and with a registered protocol by its name."""
        protocol = self._scope.protocol
        registered = protocol.name in PROTOCOLS and get_protocol(protocol.name) is protocol
        scope = self._scope._replace(predictions=cast(Predictions, None), protocol=cast(PageProtocol, None), samples=[])
        return _scorer, (scope, protocol.name if registered else protocol, self._reader)


def _scorer(scope: ScoringScope, protocol: str | PageProtocol, reader: CachedReader | None) -> SampleScorer:
    return SampleScorer(
        scope._replace(protocol=get_protocol(protocol) if isinstance(protocol, str) else protocol), reader
    )


def scored_by(
    engine: Engine, scope: ScoringScope, tasks: ScoringTasks, workers: int = 0
) -> Iterator[tuple[int, list[ScoredSample]]]:
    """Yield the rows of each task in order of completion; long runs use the engine's workers."""
    scorer = SampleScorer(scope, reader_of(scope))
    remaining = iter(tasks)
    start = time.monotonic()
    picklable: bool | None = None
    for done, task in enumerate(remaining):
        yield scorer(task)
        if not done:  # not timed: it includes loading and compiling
            start = time.monotonic()
            continue
        spent = time.monotonic() - start
        if picklable is None and spent > SERIAL_SECONDS and spent / done * len(tasks) > 3 * SERIAL_SECONDS:
            picklable = _can_pickle(scorer)
        if picklable:
            break
    sent = (
        task._replace(cached=CachedPageTexts.of(scope, task.sample, shared=engine.shares_disk)) for task in remaining
    )
    if len(tasks):
        yield from engine.map_tasks(
            scorer, sent, min(engine.worker_count(workers), len(tasks)), on_lost=_lost, attempts=2
        )


def in_order(results: Iterable[tuple[int, _Any]]) -> Iterator[tuple[int, _Any]]:
    """Yield numbered results in order from 0, so that tables do not depend on timing.

    >>> list(in_order([(1, "b"), (0, "a")]))
    [(0, 'a'), (1, 'b')]
    """
    waiting: dict[int, _Any] = {}
    next_number = 0
    for number, result in results:
        waiting[number] = result
        while next_number in waiting:
            yield next_number, waiting.pop(next_number)
            next_number += 1


def _can_pickle(scorer: SampleScorer) -> bool:
    """Whether other processes can score: custom suites, readers or predictions in memory prevent it."""
    scope = scorer._scope
    built_in = isinstance(scope.predictions, OcrPredictions | OcrOutputFolder)
    if not built_in or scope.ground_truth.reader not in (None, reader_of(scope)):
        return False
    try:
        return b"__main__" not in pickle.dumps(scorer)
    except Exception:  # a custom class may raise anything
        return False


def _lost(task: ScoringTask, reason: str) -> tuple[int, list[ScoredSample]]:
    message = f"sample {task.sample.key}: its worker process died twice: {reason}"
    return task.number, [without_score(task.sample, setting, "failed", message) for setting in task.settings]
