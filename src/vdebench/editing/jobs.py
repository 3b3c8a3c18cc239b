"""What is asked of an editor for each sample, and how one such job is carried out, in whatever process."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.editing.journal import Made
from vdebench.editors.editor import Edit, Editor, Task, get_editor
from vdebench.errors import EditorUnusableError, InputError, MissingPartError, TooLargeError, VdeError
from vdebench.files import remove_file, write_bytes
from vdebench.given import Given
from vdebench.images import image_size, open_image
from vdebench.png import encode_png
from vdebench.runs.cache import digest_of, digest_of_file
from vdebench.sample import Sample
from vdebench.suites.suite import ImageFiles, Suite

Options = tuple[tuple[str, Any], ...]


class Order(NamedTuple):
    """What all jobs of an editor share."""

    editor: str
    options: Options
    images: Path
    seed: int
    given: Given
    by_return: bool = False
    """Whether images are handed back with the outcome: other machines may have other disks."""


class Job(NamedTuple):
    """A sample that is to be edited."""

    sample: Sample
    instruction: str
    files: ImageFiles
    name: str
    """The image's, without ending, in the folder of images."""
    input: str
    earlier: Mapping[str, float | None]


class Unit(NamedTuple):
    """What is given out at once: a job, or a batch of them."""

    order: Order
    jobs: tuple[Job, ...]


class Outcome(NamedTuple):
    """What became of a unit."""

    made: list[Made]
    unusable: str = ""
    """Why no other page can be edited either, where that is so."""
    fault: bool = False
    """Whether nothing came of it for which the editor is to blame, and not the page."""
    pictures: Mapping[str, bytes] = {}
    """Images that whoever asked is to keep, by their names in the folder of images."""


def job_of(
    suite: Suite, sample: Sample, order: Order, identity: Mapping[str, str], asked: str | VdeError, before: Made | None
) -> Job | Made:
    """The job of a sample, or why there is none."""
    try:
        if isinstance(asked, VdeError):
            raise asked
        files = suite.image_files(sample)
        if files.source is None:
            raise InputError(
                f"sample {sample.key}: the suite has no source image of it; name their folder in suite.toml"
                f" (source_images of [groups.{sample.group}])"
            )
        told = json.dumps(dict(identity), sort_keys=True)
        regions = repr([(region.x, region.y, region.width, region.height) for region in sample.regions])
        reference = digest_of_file(files.reference) if files.reference else ""  # the oracle looks at it
        parts = [digest_of_file(files.source), reference, asked, regions, str(order.seed), told]
        if order.given.max_pixels:
            parts.append(order.given.input)
        earlier = before.cost if before else {}
        return Job(sample, asked, files, suite.output_name(sample), digest_of(*parts), earlier)
    except VdeError as error:
        return Made(sample.key, "failed", str(error))


def units_of(jobs: Sequence[Job], order: Order, batch: int) -> Iterator[Unit]:
    """Jobs one by one; where the editor takes batches, those of one size together."""
    if batch <= 1:
        yield from (Unit(order, (job,)) for job in jobs)
        return
    by_size: dict[Any, list[Job]] = {}
    for job in jobs:
        try:
            size: Any = image_size(job.files.source) if job.files.source else None
        except VdeError:  # told when it is opened
            size = None
        waiting = by_size.setdefault(size, [])
        waiting.append(job)
        if len(waiting) == batch:
            yield Unit(order, tuple(by_size.pop(size)))
    yield from (Unit(order, tuple(left)) for left in by_size.values())


def carry_out(unit: Unit) -> Outcome:
    """Edit what a unit asks for; what goes wrong with one sample is its own affair."""
    start = time.perf_counter()
    try:
        editor = editor_of(unit.order.editor, unit.order.options)
        if len(unit.jobs) == 1:
            edits = [editor.carry_out(_task(unit.order, unit.jobs[0]))]
        else:
            edits = editor.edit_all([_task(unit.order, job) for job in unit.jobs])
        took = (time.perf_counter() - start) / len(unit.jobs)
        pairs = list(zip(unit.jobs, edits, strict=True))
        pictures = {f"{job.name}.png": encode_png(edit.image) for job, edit in pairs if edit.image is not None}
        if not unit.order.by_return:
            for name, content in pictures.items():
                write_bytes(unit.order.images / name, content)
            pictures = {}
        return Outcome([_kept(unit.order, job, edit, took) for job, edit in pairs], pictures=pictures)
    except Exception as error:  # what nobody foresaw in an editor costs its sample, not the run
        if len(unit.jobs) > 1:  # one of the batch is to blame, or all are too much at once
            alone = [carry_out(Unit(unit.order, (job,))) for job in unit.jobs]
            unusable = next((each.unusable for each in alone if each.unusable), "")
            fault = all(each.fault for each in alone)
            pictures = {name: content for each in alone for name, content in each.pictures.items()}
            return Outcome([made for each in alone for made in each.made], unusable, fault, pictures)
        told = str(error) if isinstance(error, VdeError) else f"{type(error).__name__}: {error}"
        parameters = dict(getattr(error, "parameters", {}))
        outcome = failed(unit, told, time.perf_counter() - start, parameters)
        unusable = told if isinstance(error, EditorUnusableError | MissingPartError) else ""
        return outcome._replace(unusable=unusable, fault=not isinstance(error, InputError | TooLargeError))


def failed(unit: Unit, reason: str, seconds: float = 0.0, parameters: Mapping[str, Any] | None = None) -> Outcome:
    """A unit of which nothing came, such as one whose process has died."""
    made = [_without_image(unit.order, job, "failed", reason, seconds, parameters or {}) for job in unit.jobs]
    return Outcome(made, fault=True)


def _task(order: Order, job: Job) -> Task:
    assert job.files.source is not None
    page = order.given.page(open_image(job.files.source))
    return Task(page, job.instruction, order.seed, job.sample, job.files)


def _kept(order: Order, job: Job, edit: Edit, seconds: float) -> Made:
    """The line of an edit; its image is in its place by then, or on its way."""
    parameters = dict(edit.parameters)
    if edit.seconds is not None:
        parameters["model_seconds"] = round(edit.seconds, 3)
    if edit.image is None:
        return _without_image(order, job, edit.state, edit.reason, seconds, parameters, edit.metadata)
    made = _line(job, edit.state, edit.reason, seconds, parameters, edit.metadata)
    return made._replace(file=f"images/{job.name}.png", size=list(edit.native_size or ()))


def _without_image(
    order: Order,
    job: Job,
    state: str,
    reason: str,
    seconds: float,
    parameters: Mapping[str, Any],
    metadata: Mapping[str, Any] | None = None,
) -> Made:
    remove_file(order.images / f"{job.name}.png")  # of an earlier version of the task
    return _line(job, state, reason, seconds, parameters, metadata or {})


def _line(
    job: Job, state: str, reason: str, seconds: float, parameters: Mapping[str, Any], metadata: Mapping[str, Any]
) -> Made:
    rewritten = job.instruction if job.instruction != job.sample.instruction else ""
    return Made(
        job.sample.key,
        state,
        reason,
        seconds=round(seconds, 3),
        parameters=dict(parameters),
        metadata=dict(metadata),
        instruction=rewritten,
        earlier=dict(job.earlier),
        input=job.input,
    )


@cache
def editor_of(name: str, options: Options) -> Editor:
    """The editor of this process, made once."""
    return get_editor(name, **dict(options))
