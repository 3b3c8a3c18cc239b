"""Samples scored by many workers: each has the run's scope once, and gets what was found for a sample with its task."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterable, Iterator, Sized
from typing import Any, NamedTuple, TypeVar, cast
from typing import Protocol as Interface

from vdebench.core.sample import Sample
from vdebench.parallel.engines import Engine
from vdebench.pipeline.scoring.ocr_requests import KnownPageTexts, reader_of
from vdebench.pipeline.scoring.sample import Prediction, ScoringScope, Setting, score_sample, without_score
from vdebench.protocols import PROTOCOLS, PageProtocol, get_protocol
from vdebench.readers.cached import CachedReader
from vdebench.readers.folder import OcrOutputFolder
from vdebench.readers.predictions import OcrPredictions, Predictions
from vdebench.runs.folder import ScoredSample

PATIENCE = 1.0
"""Seconds of work that is done here before others are started: that takes as long."""
_Any = TypeVar("_Any")


class ScoringTask(NamedTuple):
    """A sample to be scored by some process."""

    number: int
    sample: Sample
    found: Prediction
    settings: tuple[Setting, ...]
    known: KnownPageTexts = KnownPageTexts()


class ScoringTasks(Sized, Iterable[ScoringTask], Interface):
    """Tasks, found one after the other; their length is how many may be left."""


class SampleScorer:
    """Scores samples, here or in another process."""

    def __init__(self, scope: ScoringScope, reader: CachedReader | None) -> None:
        self._scope = scope
        self._reader = reader

    def __call__(self, task: ScoringTask) -> tuple[int, list[ScoredSample]]:
        """The rows of a sample."""
        task.known.tell(self._reader)
        return task.number, score_sample(self._scope, task.sample, task.found, task.settings)

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process go no predictions, since those are found here, and a protocol by its name."""
        protocol = self._scope.protocol
        ours = protocol.name in PROTOCOLS and get_protocol(protocol.name) is protocol
        scope = self._scope._replace(predictions=cast(Predictions, None), protocol=cast(PageProtocol, None), samples=[])
        return _scorer, (scope, protocol.name if ours else protocol, self._reader)


def _scorer(scope: ScoringScope, protocol: str | PageProtocol, reader: CachedReader | None) -> SampleScorer:
    return SampleScorer(
        scope._replace(protocol=get_protocol(protocol) if isinstance(protocol, str) else protocol), reader
    )


def scored_by(
    engine: Engine, scope: ScoringScope, tasks: ScoringTasks, workers: int = 0
) -> Iterator[tuple[int, list[ScoredSample]]]:
    """The rows of each task as they come: here, and where it is worth while by the engine's workers."""
    scorer = SampleScorer(scope, reader_of(scope))
    left = iter(tasks)
    begun = time.monotonic()
    travels: bool | None = None
    for done, task in enumerate(left):
        yield scorer(task)
        if not done:  # the first sample pays for what is loaded and compiled once: it says little of the others
            begun = time.monotonic()
            continue
        spent = time.monotonic() - begun
        if travels is None and spent > PATIENCE and spent / done * len(tasks) > 3 * PATIENCE:
            travels = _can_travel(scorer)
        if travels:
            break
    sent = (task._replace(known=KnownPageTexts.of(scope, task.sample, shared=engine.shares_disk)) for task in left)
    if len(tasks):
        yield from engine.map_tasks(
            scorer, sent, min(engine.worker_count(workers), len(tasks)), on_lost=_lost, attempts=2
        )


def in_order(results: Iterable[tuple[int, _Any]]) -> Iterator[tuple[int, _Any]]:
    """Numbered results from 0 on, so that tables are the same whoever was first.

    >>> list(in_order([(1, "b"), (0, "a")]))
    [(0, 'a'), (1, 'b')]
    """
    early: dict[int, _Any] = {}
    awaited = 0
    for number, result in results:
        early[number] = result
        while awaited in early:
            yield awaited, early.pop(awaited)
            awaited += 1


def _can_travel(scorer: SampleScorer) -> bool:
    """Whether other processes can score: not with a suite, a reader or predictions of somebody's own in memory."""
    scope = scorer._scope
    ours = isinstance(scope.predictions, OcrPredictions | OcrOutputFolder)
    if not ours or scope.truths.reader not in (None, reader_of(scope)):
        return False
    try:
        return b"__main__" not in pickle.dumps(scorer)
    except Exception:  # whatever somebody's own class says to being pickled
        return False


def _lost(task: ScoringTask, reason: str) -> tuple[int, list[ScoredSample]]:
    told = f"sample {task.sample.key}: the process that scored it died twice: {reason}"
    return task.number, [without_score(task.sample, setting, "failed", told) for setting in task.settings]
