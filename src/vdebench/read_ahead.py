"""The reading stage: every page and crop that a run will ask for, read by all processors before scoring starts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from vdebench.engine.processes import spread, usable_processors
from vdebench.errors import VdeError
from vdebench.readers.cached import CachedReader, Picture
from vdebench.readers.predictions import ReadPredictions, crops
from vdebench.scoring import Progress
from vdebench.scoring_sample import Scope

MOST_WORKERS = 8
"""Where nobody says how many: each holds the reader's models, half a gigabyte."""
_Task = tuple[str, tuple[tuple[str, Any], ...], Path | None, Picture]


def read_ahead(scope: Scope, workers: int = 0, progress: Progress | None = None) -> None:
    """Read what was never read before; what fails is remembered, and told when its sample is scored."""
    if not isinstance(scope.predictions, ReadPredictions):
        return
    reader = scope.predictions.cached
    wanted = {picture.key: picture for picture in _pictures(scope) if not reader.knows(picture)}
    if reader.choice is None or len(wanted) < 2:  # a reader that other processes cannot make again reads as it is asked
        return
    name, options = reader.choice
    tasks: list[_Task] = [(name, options, reader.root, picture) for picture in wanted.values()]
    processes = min(workers or min(usable_processors(), MOST_WORKERS), len(tasks))
    for done, (key, failure) in enumerate(spread(_read, tasks, processes), start=1):
        if failure:
            reader.failures[key] = failure
        if progress:
            progress(done, len(tasks))


def _pictures(scope: Scope) -> Iterator[Picture]:
    """All that the run reads: predictions, references for the noise floor or as ground truth, and their crops."""
    predictions, suite = scope.predictions, scope.suite
    for sample in scope.samples:
        for find in (predictions.image, suite.reference_image):
            try:
                file = find(sample)
                if file is not None:
                    page = Picture.of(file)
                    yield page
                    if scope.local == "crop":
                        yield from crops(page, sample)
            except VdeError:  # told when the sample is scored
                continue


def _read(task: _Task) -> tuple[str, str]:
    """Read one picture in some process; its key, and what went wrong."""
    name, options, root, picture = task
    try:
        _reader(name, options, root).read(picture)
        return picture.key, ""
    except VdeError as error:
        return picture.key, str(error)


@cache
def _reader(name: str, options: tuple[tuple[str, Any], ...], root: Path | None) -> CachedReader:
    return CachedReader.named(name, dict(options), root)
