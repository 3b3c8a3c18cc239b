"""What is asked of an editor for each sample, and how one such job is carried out, in whatever process."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from vdebench.core.images import Image
from vdebench.core.input_policy import InputPolicy
from vdebench.core.png import encode_png
from vdebench.core.sample import Sample
from vdebench.editors.editor import Edit, Editor, EditTask
from vdebench.editors.factory import get_editor
from vdebench.errors import EditorError, EditorUnusableError, InputError, MissingPartError, TooLargeError, VdeError
from vdebench.io.cache import digest_of, digest_of_file
from vdebench.io.files import write_bytes
from vdebench.io.images import image_size, open_image
from vdebench.pipeline.editing.journal import BY_HAND, EditRecord
from vdebench.suites.suite import ImageFiles, Suite

Options = tuple[tuple[str, Any], ...]


class EditorJobSettings(NamedTuple):
    """What all jobs of an editor share."""

    editor: str
    options: Options
    images: Path
    seed: int
    input_policy: InputPolicy
    identity: str
    """Of the editor, as whoever started the run knows it."""
    by_return: bool = False
    """Whether images are handed back with the outcome: other machines may have other disks."""


class EditJob(NamedTuple):
    """A sample that is to be edited."""

    sample: Sample
    instruction: str
    files: ImageFiles
    name: str
    """The image's, without ending, in the folder of images."""
    input: str
    earlier: Mapping[str, float | None]


class JobBatch(NamedTuple):
    """What is given out at once: a job, or a batch of them."""

    order: EditorJobSettings
    jobs: tuple[EditJob, ...]


class BatchResult(NamedTuple):
    """What became of a unit."""

    made: list[EditRecord]
    unusable: str = ""
    """Why no other page can be edited either, where that is so."""
    fault: bool = False
    """Whether nothing came of it for which the editor is to blame, and not the page."""
    pictures: Mapping[str, bytes] = {}
    """Images that whoever asked is to keep, by their names in the folder of images."""


def job_of(
    suite: Suite, sample: Sample, order: EditorJobSettings, asked: str | VdeError, before: EditRecord | None
) -> EditJob | EditRecord:
    """The job of a sample, or why there is none."""
    earlier = before.cost if before else {}
    try:
        if isinstance(asked, VdeError):
            raise asked
        files = suite.image_files(sample)
        if files.source is None:
            raise InputError(
                f"sample {sample.key}: the suite has no source image of it; name their folder in suite.toml"
                f" (source_images of [groups.{sample.group}])"
            )
        regions = repr([(region.x, region.y, region.width, region.height) for region in sample.regions])
        reference = digest_of_file(files.reference) if files.reference else ""  # the oracle looks at it
        parts = [digest_of_file(files.source), reference, asked, regions, str(order.seed), order.identity]
        if order.input_policy.max_pixels:
            parts.append(order.input_policy.input)
        return EditJob(sample, asked, files, suite.output_name(sample), digest_of(*parts), earlier)
    except VdeError as error:
        return EditRecord(sample.key, "failed", str(error), earlier=earlier)


def input_by_hand(source: Path, instruction: str) -> str:
    """Hash of what a person's edit was made from: it does not hang on who the editor is."""
    return f"{BY_HAND} {digest_of(digest_of_file(source), instruction)}"


def units_of(jobs: Sequence[EditJob], order: EditorJobSettings, batch: int) -> Iterator[JobBatch]:
    """Jobs one by one; where the editor takes batches, those of one size together."""
    if batch <= 1:
        yield from (JobBatch(order, (job,)) for job in jobs)
        return
    by_size: dict[Any, list[EditJob]] = {}
    for job in jobs:
        try:
            size: Any = image_size(job.files.source) if job.files.source else None
        except VdeError:  # told when it is opened
            size = None
        waiting = by_size.setdefault(size, [])
        waiting.append(job)
        if len(waiting) == batch:
            yield JobBatch(order, tuple(by_size.pop(size)))
    yield from (JobBatch(order, tuple(left)) for left in by_size.values())


def run_task(unit: JobBatch) -> BatchResult:
    """Edit what a unit asks for; what goes wrong with one sample is its own affair."""
    start = time.perf_counter()
    try:
        edits = _edits(unit)
    except Exception as error:  # what nobody foresaw in an editor costs its sample, not the run
        if len(unit.jobs) > 1:  # one of the batch is to blame, or all are too much at once
            return _together([run_task(JobBatch(unit.order, (job,))) for job in unit.jobs])
        told = str(error) if isinstance(error, VdeError) else f"{type(error).__name__}: {error}"
        parameters = dict(getattr(error, "parameters", {}))
        outcome = failed(unit, told, time.perf_counter() - start, parameters)
        unusable = told if isinstance(error, EditorUnusableError | MissingPartError) else ""
        return outcome._replace(unusable=unusable, fault=not isinstance(error, InputError | TooLargeError))
    took = (time.perf_counter() - start) / len(unit.jobs)
    return _together([_kept(unit.order, job, edit, took) for job, edit in zip(unit.jobs, edits, strict=True)])


def _edits(unit: JobBatch) -> list[Edit]:
    editor = _same_editor(unit.order.editor, unit.order.options, unit.order.identity)
    tasks = [_task(unit.order, job) for job in unit.jobs]
    return [editor.run_task(tasks[0])] if len(tasks) == 1 else editor.edit_all(tasks)


def _together(outcomes: Sequence[BatchResult]) -> BatchResult:
    made = [made for each in outcomes for made in each.made]
    unusable = next((each.unusable for each in outcomes if each.unusable), "")
    pictures = {name: content for each in outcomes for name, content in each.pictures.items()}
    return BatchResult(made, unusable, all(each.fault for each in outcomes), pictures)


def failed(
    unit: JobBatch, reason: str, seconds: float = 0.0, parameters: Mapping[str, Any] | None = None
) -> BatchResult:
    """A unit of which nothing came, such as one whose process has died."""
    return BatchResult([_line(job, "failed", reason, seconds, parameters or {}) for job in unit.jobs], fault=True)


def _task(order: EditorJobSettings, job: EditJob) -> EditTask:
    assert job.files.source is not None
    page = order.input_policy.page(open_image(job.files.source))
    return EditTask(page, job.instruction, order.seed, job.sample, job.files)


def _kept(order: EditorJobSettings, job: EditJob, edit: Edit, seconds: float) -> BatchResult:
    """An edit on disk or on its way there; one that cannot be kept has failed, and has cost what it has cost."""
    parameters = dict(edit.parameters)
    if edit.seconds is not None:
        parameters["model_seconds"] = round(edit.seconds, 3)
    made = _line(job, edit.state, edit.reason, seconds, parameters, edit.metadata)
    if edit.image is None:
        return BatchResult([made])
    try:
        name, content = f"{job.name}.png", encode_png(_require_rgb(edit.image))
        if not order.by_return:
            write_bytes(order.images / name, content)
    except Exception as error:
        told = str(error) if isinstance(error, VdeError) else f"{type(error).__name__}: {error}"
        return BatchResult([made._replace(state="failed", reason=told)], fault=True)
    made = made._replace(file=f"images/{name}", size=list(edit.native_size or ()))
    return BatchResult([made], pictures={name: content} if order.by_return else {})


def _require_rgb(image: Any) -> Image:
    """The image, where it is what an editor is to give: other arrays would become other pages without a word."""
    if isinstance(image, np.ndarray) and image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3:
        return image
    found = type(image).__name__
    if isinstance(image, np.ndarray):
        found = f"{image.dtype} of {'×'.join(map(str, image.shape))}"
    raise EditorError(f"the editor gave {found}, expected RGB pixels: uint8 of height×width×3")


def _line(
    job: EditJob,
    state: Literal["edited", "refused", "failed"],
    reason: str,
    seconds: float,
    parameters: Mapping[str, Any],
    metadata: Mapping[str, Any] | None = None,
) -> EditRecord:
    rewritten = job.instruction if job.instruction != job.sample.instruction else ""
    return EditRecord(
        job.sample.key,
        state,
        reason,
        seconds=round(seconds, 3),
        parameters=dict(parameters),
        metadata=dict(metadata or {}),
        instruction=rewritten,
        earlier=dict(job.earlier),
        input=job.input,
    )


@cache
def editor_of(name: str, options: Options) -> Editor:
    """The editor of this process, made once."""
    return get_editor(name, **dict(options))


@cache
def _same_editor(name: str, options: Options, identity: str) -> Editor:
    """The same; another machine may have other weights or versions, and its edits would be another editor's."""
    editor = editor_of(name, options)
    if (found := identity_text(editor)) != identity:
        raise EditorUnusableError(
            f"{name}: is another editor in this process than where the run was started: {found}, not {identity}\n"
            "  install the same versions and weights on all machines, and name the device"
        )
    return editor


def identity_text(editor: Editor) -> str:
    """All that an editor is, in one string."""
    return json.dumps(dict(editor.identity), sort_keys=True)
