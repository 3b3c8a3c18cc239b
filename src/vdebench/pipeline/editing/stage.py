"""The editing stage: selects new jobs, runs them and writes the journal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import closing
from pathlib import Path
from typing import Any

from vdebench.core.input_policy import InputPolicy
from vdebench.editors.editor import Editor
from vdebench.errors import EditorError, RunFolderError, VdeError
from vdebench.io.files import is_file, locked, remove_file, write_bytes, write_json
from vdebench.net.budget import Budget
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.pipeline.editing.concurrent import run_in_threads
from vdebench.pipeline.editing.jobs import (
    BatchResult,
    EditJob,
    EditorJobSettings,
    JobBatch,
    Options,
    batches_of,
    editor_of,
    failed,
    identity_text,
    input_by_hand,
    job_of,
    run_batch,
)
from vdebench.pipeline.editing.journal import (
    IMAGES,
    EditRecord,
    counts_of,
    edit_journal,
    images_of,
    put_images_into,
    read_edits,
    total_cost,
    write_edits,
)
from vdebench.pipeline.editing.stopping import Stop, stopped_by_ctrl_c
from vdebench.pipeline.options import Progress
from vdebench.runs.provenance import recording, session, stage
from vdebench.suites.suite import Suite

RECYCLED = 100
"""Pages after which a worker process is replaced, except with a model on a GPU."""
FIRST_FAILURES, FAILURES_IN_A_ROW = 8, 24
"""Failures after which a run stops: at its start, and in a row later on."""
DEFAULT_CONCURRENCY = 4
"""Concurrent edits of an editor behind a server that sets no limit."""


def edit_suite(
    suite: Suite,
    editor: str,
    folder: Path,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    input_policy: InputPolicy = InputPolicy(),  # noqa: B008 (immutable)
    instructions: Mapping[str, str | VdeError] | None = None,
    budget: Budget | None = None,
    images: str = "",
    workers: int = 0,
    engine: Engine = LOCAL,
    progress: Progress | None = None,
) -> list[EditRecord]:
    """Edit every sample of a suite; existing edits are kept.

    `instructions` replace the suite's, or are the errors why there is none; `images` is the URL of a store for the
    images. If the run stops early (Ctrl-C, budget, invalid key), finished edits are kept and an error or
    `KeyboardInterrupt` is raised.
    """
    suite.require_distinct_keys()
    chosen = options_of(options)
    maker = editor_of(editor, chosen)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be created: {error.strerror}") from None
    with locked(folder), session(folder) as provenance, recording(folder), stage("editing"):
        if images:
            put_images_into(folder, images)
        settings = EditorJobSettings(
            editor,
            chosen,
            images_of(folder),
            seed,
            input_policy,
            identity_text(maker),
            return_images=not (engine.shares_disk or images),
        )
        write_json(folder / "editor.json", dict(maker.identity))
        known = {record.sample: record for record in read_edits(folder)}
        jobs: list[EditJob] = []
        done: dict[str, EditRecord] = {}
        failed_before: set[str] = set()
        for sample in suite.samples:
            instruction = (instructions or {}).get(sample.key, sample.instruction)
            record = known.get(sample.key)
            job = job_of(suite, sample, settings, instruction, record)
            if isinstance(job, EditRecord):
                done[sample.key] = job
            elif record and _same_input(job, record) and _is_complete(settings.images, record):
                done[sample.key] = record
            else:
                jobs.append(job)
                if record and record.state == "failed" and record.input == job.input:
                    failed_before.add(sample.key)
        unplanned = {key for key, record in done.items() if record.state == "failed"}
        total = len(done) + len(jobs)
        stop = Stop()
        journal = edit_journal(folder)
        with stopped_by_ctrl_c(stop):

            def write(record: EditRecord) -> None:
                known[record.sample] = record
                journal.append(record)

            def discard_previous(batch: JobBatch) -> bool:
                """Remove previous records and images of a batch first: an old image must not pass for the new one."""
                try:
                    for job in batch.jobs:
                        if (before := known.get(job.sample.key)) and before.state != "failed":
                            write(EditRecord(before.sample, "failed", "restarted, not finished", earlier=before.cost))
                        if is_file(old := settings.images / f"{job.name}.png"):
                            remove_file(old)
                except VdeError as error:
                    stop.now(str(error))
                return not stop.requested

            batches = (batch for batch in batches_of(jobs, settings, max(1, maker.batch)) if discard_previous(batch))
            results = _run(batches, len(jobs), settings, maker, workers, engine, budget, stop)
            for record in _watch(results, stop, settings.images, failed_before):
                done[record.sample] = record
                write(record)
                if progress:
                    progress(len(done), total)
        # A page that is unreadable now does not invalidate its earlier edit.
        final = {**known, **{key: record for key, record in done.items() if key not in unplanned or key not in known}}
        write_edits(folder, [record for sample in suite.samples if (record := final.get(sample.key))])
        records = [record for sample in suite.samples if (record := done.get(sample.key) or known.get(sample.key))]
        provenance.seeds, provenance.cost = {"editing": seed}, total_cost(records)
        provenance.counts = counts_of(records)
        if stop.interrupted:
            raise KeyboardInterrupt
        if stop.requested:
            settled = sum(record.state != "failed" for record in done.values())
            raise EditorError(f"{editor}: {stop.reason}\n  {settled} of {total} samples are done and kept")
    return records


def _same_input(job: EditJob, record: EditRecord) -> bool:
    """Whether an edit has the same inputs as a job."""
    if record.by_hand and job.files.source:
        return record.input == input_by_hand(job.files.source, job.instruction)
    return record.input == job.input


def _is_complete(images: Path, record: EditRecord) -> bool:
    name = record.file.removeprefix(f"{IMAGES}/")
    return record.state == "refused" or (record.state == "edited" and is_file(images / name))


def _run(
    batches: Iterable[JobBatch],
    jobs: int,
    settings: EditorJobSettings,
    maker: Editor,
    workers: int,
    engine: Engine,
    budget: Budget | None,
    stop: Stop,
) -> Iterator[BatchResult]:
    """Run batches in threads if the editor waits for a server, otherwise in processes of the engine."""
    if not jobs:
        return
    if maker.waits:
        with closing(maker):
            concurrency = maker.concurrency or workers or DEFAULT_CONCURRENCY
            rate, charges = maker.per_minute, maker.charges
            yield from run_in_threads(batches, concurrency, per_minute=rate, budget=budget, charges=charges, stop=stop)
        return
    crashed: list[EditJob] = []

    def on_lost(batch: JobBatch, reason: str) -> BatchResult:
        if len(batch.jobs) == 1:
            return failed(batch, reason)
        crashed.extend(batch.jobs)  # retry each job alone
        return BatchResult([])

    def map_batches(batches: Iterable[JobBatch], count: int) -> Iterator[BatchResult]:
        most = min(workers or engine.size(gpus=maker.needs_gpu), maker.concurrency or count, count)
        recycled = 0 if maker.needs_gpu else RECYCLED
        return engine.map_tasks(
            run_batch, stop.until(batches), most, max_tasks_per_worker=recycled, on_lost=on_lost, gpus=maker.needs_gpu
        )

    with closing(maker):
        yield from map_batches(batches, -(-jobs // max(1, maker.batch)))
        if crashed:
            yield from map_batches(batches_of(crashed, settings, 1), len(crashed))


def _watch(results: Iterable[BatchResult], stop: Stop, images: Path, failed_before: Set[str]) -> Iterator[EditRecord]:
    """Write returned images and yield records; request a stop after too many failures in a row.

    Samples that failed before with the same input do not count, so that they are all retried.
    """
    fails, succeeded = 0, False
    for result in results:
        if not result.fault:
            fails, succeeded = 0, True
        elif any(record.sample not in failed_before for record in result.records):
            fails += 1
        if result.unusable:
            stop.now(result.unusable)
        elif fails >= (FAILURES_IN_A_ROW if succeeded else FIRST_FAILURES):
            reason = result.records[-1].reason
            stop.now(f"{reason}\n  {fails} samples in a row have failed: the others are not tried")
        for name, content in result.images.items():
            write_bytes(images / name, content)
        yield from result.records


def options_of(options: Mapping[str, Any] | None) -> Options:
    """Return an editor's options in a hashable form."""
    hashable = {name: tuple(value) if isinstance(value, list) else value for name, value in (options or {}).items()}
    return tuple(sorted(hashable.items()))
