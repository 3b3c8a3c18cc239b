"""The OCR stage: reads all pages and crops of a run with all workers before scoring."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from vdebench.errors import ReaderError, VdeError
from vdebench.io.cache import Digest
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.pipeline.options import Execution, Progress
from vdebench.pipeline.scoring.ocr_requests import pictures_of
from vdebench.pipeline.scoring.sample import ScoringScope
from vdebench.readers.cached import CachedPageText, CachedReader, OcrInput
from vdebench.readers.predictions import OcrPredictions
from vdebench.runs.provenance import stage, worked

MAX_INITIAL_FAILURES = 8
"""The stage stops if this many pages fail and none succeeds: the server is down or the key is wrong."""
MAX_TASKS_PER_WORKER = 100
"""Pictures after which a worker is replaced: OCR engines keep memory for every image size."""


class _Task(NamedTuple):
    reader: CachedReader
    picture: OcrInput


class _Outcome(NamedTuple):
    key: Digest
    cached: CachedPageText | None = None
    """OCR output, since a worker on another machine has another cache."""
    is_new: bool = False
    """Whether OCR was run; the pixels of a new file can be those of a known one."""
    failure: str = ""
    is_reader_error: bool = False
    """Whether the reader failed, not the file."""


def read_ahead(scope: ScoringScope, execution: Execution) -> None:
    """Read every page and crop that scoring needs; failures are reported when their samples are scored."""
    if isinstance(scope.predictions, OcrPredictions):
        pictures = (picture for sample in scope.samples for picture in pictures_of(scope, sample))
        read_pictures(scope.predictions.cached, pictures, execution.workers, execution.reading, execution.engine)


def read_pictures(
    reader: CachedReader,
    pictures: Iterable[OcrInput],
    workers: int = 0,
    progress: Progress | None = None,
    engine: Engine = LOCAL,
) -> None:
    """Read pictures that are not cached; by default with one worker per processor."""
    with stage("reading"):
        _read_new(reader, pictures, workers, progress, engine)


def _read_new(
    reader: CachedReader, pictures: Iterable[OcrInput], workers: int, progress: Progress | None, engine: Engine
) -> None:
    needed = {picture.key: picture for picture in pictures}
    uncached = {key: picture for key, picture in needed.items() if not reader.is_settled(picture)}
    worked(pictures_read=0, pictures_from_cache=len(needed) - len(uncached))
    if reader.choice is None:  # other processes cannot create this reader: it reads during scoring
        worked(pictures_read=len(uncached))
        return
    if not uncached:
        return
    tasks = (_Task(reader, picture) for picture in uncached.values())
    worker_count = min(engine.worker_count(workers), len(uncached))
    outcomes = engine.map_tasks(
        _read, tasks, worker_count, max_tasks_per_worker=MAX_TASKS_PER_WORKER, on_lost=_lost, attempts=2
    )
    reader_errors = 0
    for done, outcome in enumerate(outcomes, start=1):
        if outcome.cached is None:
            reader.failures[outcome.key] = outcome.failure
        else:
            reader.add(outcome.key, outcome.cached)
            worked(pictures_read=outcome.is_new, pictures_from_cache=not outcome.is_new)
        reader_errors += outcome.is_reader_error
        if reader_errors == done == MAX_INITIAL_FAILURES:
            name = reader.choice[0]
            raise ReaderError(
                f"{outcome.failure}\n"
                f"  the first {MAX_INITIAL_FAILURES} pages all failed: {name} is not called for the others"
            )
        if progress:
            progress(done, len(uncached))


def _read(task: _Task) -> _Outcome:
    """Read one picture in a worker."""
    reader, picture = task
    key, before = picture.key, reader.images_read
    try:
        return _Outcome(key, reader.read_to_send(picture), reader.images_read > before)
    except VdeError as error:
        return _Outcome(key, failure=str(error), is_reader_error=isinstance(error, ReaderError))


def _lost(task: _Task, reason: str) -> _Outcome:
    return _Outcome(task.picture.key, failure=f"{task.picture.file}: its worker process died twice: {reason}")
