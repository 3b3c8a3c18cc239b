"""Editing jobs: one per sample, run in any process."""

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
    """Settings shared by all jobs of an editor."""

    editor: str
    options: Options
    images: Path
    seed: int
    input_policy: InputPolicy
    identity: str
    """Identity of the editor in the process that started the run."""
    return_images: bool = False
    """Whether results contain the images, because workers may not share the disk."""


class EditJob(NamedTuple):
    """A sample to edit."""

    sample: Sample
    instruction: str
    files: ImageFiles
    name: str
    """Path of the image in the image folder, without suffix."""
    input: str
    earlier: Mapping[str, float | None]


class JobBatch(NamedTuple):
    """Jobs that are run together."""

    settings: EditorJobSettings
    jobs: tuple[EditJob, ...]


class BatchResult(NamedTuple):
    """The result of a batch."""

    records: list[EditRecord]
    unusable: str = ""
    """Why no other page can be edited either, if so."""
    fault: bool = False
    """Whether the batch failed because of the editor, not because of the page."""
    images: Mapping[str, bytes] = {}
    """Images for the caller to write, by their names in the image folder."""


def job_of(
    suite: Suite, sample: Sample, settings: EditorJobSettings, instruction: str | VdeError, before: EditRecord | None
) -> EditJob | EditRecord:
    """Return the job of a sample, or a failure record if there is none."""
    earlier = before.cost if before else {}
    try:
        if isinstance(instruction, VdeError):
            raise instruction
        files = suite.image_files(sample)
        if files.source is None:
            raise InputError(
                f"sample {sample.key}: the suite has no source image; name the folder of source images in suite.toml"
                f" (source_images of [groups.{sample.group}])"
            )
        regions = repr([(region.x, region.y, region.width, region.height) for region in sample.regions])
        reference = digest_of_file(files.reference) if files.reference else ""  # input of the oracle editor
        parts = [digest_of_file(files.source), reference, instruction, regions, str(settings.seed), settings.identity]
        if settings.input_policy.max_pixels:
            parts.append(settings.input_policy.input)
        return EditJob(sample, instruction, files, suite.output_name(sample), digest_of(*parts), earlier)
    except VdeError as error:
        return EditRecord(sample.key, "failed", str(error), earlier=earlier)


def input_by_hand(source: Path, instruction: str) -> str:
    """Return the input hash of a manual edit, which does not depend on the editor."""
    return f"{BY_HAND} {digest_of(digest_of_file(source), instruction)}"


def batches_of(jobs: Sequence[EditJob], settings: EditorJobSettings, batch: int) -> Iterator[JobBatch]:
    """Group jobs into batches of pages of the same size."""
    if batch <= 1:
        yield from (JobBatch(settings, (job,)) for job in jobs)
        return
    by_size: dict[Any, list[EditJob]] = {}
    for job in jobs:
        try:
            size: Any = image_size(job.files.source) if job.files.source else None
        except VdeError:  # reported when the image is opened
            size = None
        same_size = by_size.setdefault(size, [])
        same_size.append(job)
        if len(same_size) == batch:
            yield JobBatch(settings, tuple(by_size.pop(size)))
    yield from (JobBatch(settings, tuple(rest)) for rest in by_size.values())


def run_batch(batch: JobBatch) -> BatchResult:
    """Edit the pages of a batch; errors become failure records."""
    start = time.perf_counter()
    try:
        edits = _edits(batch)
    except Exception as error:  # an unexpected error of an editor fails its sample, not the run
        if len(batch.jobs) > 1:  # one page may be the cause, or the size of the batch
            return _merge([run_batch(JobBatch(batch.settings, (job,))) for job in batch.jobs])
        reason = _message(error)
        result = failed(batch, reason, time.perf_counter() - start, dict(getattr(error, "parameters", {})))
        unusable = reason if isinstance(error, EditorUnusableError | MissingPartError) else ""
        return result._replace(unusable=unusable, fault=not isinstance(error, InputError | TooLargeError))
    seconds = (time.perf_counter() - start) / len(batch.jobs)
    return _merge([_store(batch.settings, job, edit, seconds) for job, edit in zip(batch.jobs, edits, strict=True)])


def _edits(batch: JobBatch) -> list[Edit]:
    settings = batch.settings
    editor = _same_editor(settings.editor, settings.options, settings.identity)
    tasks = [_task(settings, job) for job in batch.jobs]
    return [editor.run_task(tasks[0])] if len(tasks) == 1 else editor.edit_all(tasks)


def _merge(results: Sequence[BatchResult]) -> BatchResult:
    records = [record for result in results for record in result.records]
    unusable = next((result.unusable for result in results if result.unusable), "")
    images = {name: content for result in results for name, content in result.images.items()}
    return BatchResult(records, unusable, all(result.fault for result in results), images)


def _message(error: Exception) -> str:
    return str(error) if isinstance(error, VdeError) else f"{type(error).__name__}: {error}"


def failed(
    batch: JobBatch, reason: str, seconds: float = 0.0, parameters: Mapping[str, Any] | None = None
) -> BatchResult:
    """Return the result of a failed batch, such as one whose process died."""
    return BatchResult([_record(job, "failed", reason, seconds, parameters or {}) for job in batch.jobs], fault=True)


def _task(settings: EditorJobSettings, job: EditJob) -> EditTask:
    assert job.files.source is not None
    page = settings.input_policy.page(open_image(job.files.source))
    return EditTask(page, job.instruction, settings.seed, job.sample, job.files)


def _store(settings: EditorJobSettings, job: EditJob, edit: Edit, seconds: float) -> BatchResult:
    """Write an edit, or return its image; an edit that cannot be written fails but keeps its cost."""
    parameters = dict(edit.parameters)
    if edit.seconds is not None:
        parameters["model_seconds"] = round(edit.seconds, 3)
    record = _record(job, edit.state, edit.reason, seconds, parameters, edit.metadata)
    if edit.image is None:
        return BatchResult([record])
    try:
        name, content = f"{job.name}.png", encode_png(_require_rgb(edit.image))
        if not settings.return_images:
            write_bytes(settings.images / name, content)
    except Exception as error:
        return BatchResult([record._replace(state="failed", reason=_message(error))], fault=True)
    record = record._replace(file=f"images/{name}", size=list(edit.native_size or ()))
    return BatchResult([record], images={name: content} if settings.return_images else {})


def _require_rgb(image: Any) -> Image:
    """Return the image; raise an error if it is not an array of RGB pixels."""
    if isinstance(image, np.ndarray) and image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3:
        return image
    kind = type(image).__name__
    if isinstance(image, np.ndarray):
        kind = f"{image.dtype} of {'×'.join(map(str, image.shape))}"
    raise EditorError(f"the editor returned {kind}, expected RGB pixels: uint8 of height×width×3")


def _record(
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
    """Return the editor of this process, created once."""
    return get_editor(name, **dict(options))


@cache
def _same_editor(name: str, options: Options, identity: str) -> Editor:
    """Return the editor of this process; raise an error if weights or versions differ from the main process."""
    editor = editor_of(name, options)
    if (found := identity_text(editor)) != identity:
        raise EditorUnusableError(
            f"{name}: this worker has another version of the editor than the main process: {found}, not {identity}\n"
            "  install the same versions and weights on all machines, and name the device"
        )
    return editor


def identity_text(editor: Editor) -> str:
    """Return the identity of an editor as one string."""
    return json.dumps(dict(editor.identity), sort_keys=True)
