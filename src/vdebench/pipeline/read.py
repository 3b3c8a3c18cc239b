"""The reading stage: every page and crop that a run will ask for, read by all workers before scoring starts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from vdebench.errors import ReaderError, VdeError
from vdebench.io.cache import Digest
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.pipeline.options import Execution, Progress
from vdebench.pipeline.scoring.ocr_requests import pictures_of
from vdebench.pipeline.scoring.sample import ScoringScope
from vdebench.readers.cached import CachedReader, OcrInput
from vdebench.readers.predictions import OcrPredictions
from vdebench.runs.provenance import stage, worked

ENOUGH = 8
"""Pages that fail, and none that does not, after which a reader is given up: a server is away, a key is wrong."""
RECYCLED = 100
"""Pictures after which a process is replaced: engines keep memory for every shape they see."""


class _Task(NamedTuple):
    reader: CachedReader
    picture: OcrInput


class _Outcome(NamedTuple):
    key: Digest
    reading: Any = None
    """As JSON: a worker on another machine keeps it in its own cache only."""
    failure: str = ""
    is_readers: bool = False
    """Whether the failure is the reader's fault."""


def read_ahead(scope: ScoringScope, execution: Execution) -> None:
    """Read every page and crop that scoring needs; failures are kept and reported when their samples are scored."""
    if isinstance(scope.predictions, OcrPredictions):
        wanted = (picture for sample in scope.samples for picture in pictures_of(scope, sample))
        read_pictures(scope.predictions.cached, wanted, execution.workers, execution.reading, execution.engine)


def read_pictures(
    reader: CachedReader,
    pictures: Iterable[OcrInput],
    workers: int = 0,
    progress: Progress | None = None,
    engine: Engine = LOCAL,
) -> None:
    """Read pictures that were never read before, one worker for each processor."""
    with stage("reading"):
        _read_new(reader, pictures, workers, progress, engine)


def _read_new(
    reader: CachedReader, pictures: Iterable[OcrInput], workers: int, progress: Progress | None, engine: Engine
) -> None:
    needed = {picture.key: picture for picture in pictures}
    wanted = {key: picture for key, picture in needed.items() if not reader.is_settled(picture)}
    worked(pictures_read=0, pictures_from_cache=len(needed) - len(wanted))
    if reader.choice is None:  # other processes cannot make it again: it reads as it is asked
        worked(pictures_read=len(wanted))
        return
    if not wanted:
        return
    tasks = (_Task(reader, picture) for picture in wanted.values())
    most = min(engine.worker_count(workers), len(wanted))
    found = engine.map_tasks(_read, tasks, most, max_tasks_per_worker=RECYCLED, on_lost=_lost, attempts=2)
    fails = 0
    for done, outcome in enumerate(found, start=1):
        if outcome.failure:
            reader.failures[outcome.key] = outcome.failure
        else:
            reader.cache.put(outcome.key, outcome.reading)
            worked(pictures_read=1)
        fails += outcome.is_readers
        if fails == done == ENOUGH:
            name = reader.choice[0]
            raise ReaderError(
                f"{outcome.failure}\n  the first {ENOUGH} pages all failed: {name} is not asked for the others"
            )
        if progress:
            progress(done, len(wanted))


def _read(task: _Task) -> _Outcome:
    """Read one picture in some process."""
    reader, picture = task
    try:
        return _Outcome(picture.key, reader.read(picture).to_json())
    except VdeError as error:
        return _Outcome(picture.key, failure=str(error), is_readers=isinstance(error, ReaderError))


def _lost(task: _Task, reason: str) -> _Outcome:
    return _Outcome(task.picture.key, failure=f"{task.picture.file}: the process that read it died twice: {reason}")
