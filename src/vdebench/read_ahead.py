"""The reading stage: every page and crop that a run will ask for, read by all processors before scoring starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from vdebench.engine.processes import spread, usable_processors
from vdebench.errors import ReaderError, VdeError
from vdebench.readers.cached import CachedReader, Picture, Readable
from vdebench.readers.predictions import ReadPredictions, crops
from vdebench.runs.provenance import stage, worked
from vdebench.scoring import Progress
from vdebench.scoring_sample import Scope

MOST_WORKERS = 8
"""Where nobody says how many: each holds the reader's models, about a gigabyte."""
ENOUGH = 8
"""Pages that fail, and none that does not, after which a reader is given up: a server is away, a key is wrong."""
RECYCLED = 100
"""Pictures after which a process is replaced: engines keep memory for every shape they see."""
_Task = tuple[str, tuple[tuple[str, Any], ...], Path | None, Readable]


def read_ahead(scope: Scope, workers: int = 0, progress: Progress | None = None) -> None:
    """Read what a run will ask for; what fails is remembered, and told when its sample is scored."""
    if isinstance(scope.predictions, ReadPredictions):
        read_pictures(scope.predictions.cached, _pictures(scope), workers, progress)


def read_pictures(
    reader: CachedReader, pictures: Iterable[Readable], workers: int = 0, progress: Progress | None = None
) -> None:
    """Read pictures that were never read before, one process for each processor."""
    with stage("reading"):
        _read_new(reader, pictures, workers, progress)


def _read_new(reader: CachedReader, pictures: Iterable[Readable], workers: int, progress: Progress | None) -> None:
    needed = {picture.key: picture for picture in pictures}
    wanted = {key: picture for key, picture in needed.items() if not reader.knows(picture)}
    worked(pictures_read=0, pictures_from_cache=len(needed) - len(wanted))
    if reader.choice is None:  # other processes cannot make it again: it reads as it is asked
        worked(pictures_read=len(wanted))
        return
    name, options = reader.choice
    tasks: list[_Task] = [(name, options, reader.root, picture) for picture in wanted.values()]
    processes = min(workers or min(usable_processors(), MOST_WORKERS), len(tasks))
    fails = 0
    for done, (key, failure, is_readers) in enumerate(spread(_read, tasks, processes, RECYCLED), start=1):
        if failure:
            reader.failures[key] = failure
        else:
            worked(pictures_read=1)
        fails += is_readers
        if fails == done == ENOUGH:
            raise ReaderError(f"{failure}\n  the first {ENOUGH} pages all failed: {name} is not asked for the others")
        if progress:
            progress(done, len(tasks))


def _pictures(scope: Scope) -> Iterator[Picture]:
    """All that the run reads: predictions, references for the noise floor or as ground truth, and their crops."""
    predictions, suite = scope.predictions, scope.suite
    local = scope.local == "crop" and "local" in scope.settings
    for sample in scope.samples:
        for find in (predictions.image, suite.reference_image):
            try:
                file = find(sample)
                if file is not None:
                    page = Picture.of(file)
                    yield page
                    if local:
                        yield from crops(page, sample)
            except VdeError:  # told when the sample is scored
                continue
        if local and scope.protocol.region_needs_source:
            with suppress(VdeError):
                yield from scope.truths.crops_before(sample)


def _read(task: _Task) -> tuple[str, str, bool]:
    """Read one picture in some process; its key, what went wrong, and whether that is the reader's fault."""
    name, options, root, picture = task
    try:
        _reader(name, options, root).read(picture)
        return picture.key, "", False
    except VdeError as error:
        return picture.key, str(error), isinstance(error, ReaderError)


@cache
def _reader(name: str, options: tuple[tuple[str, Any], ...], root: Path | None) -> CachedReader:
    return CachedReader.named(name, dict(options), root)
