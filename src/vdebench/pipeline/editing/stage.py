"""The editing stage itself: which jobs are new, who carries them out, and what is written down when."""

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
from vdebench.pipeline.editing.concurrent import ask
from vdebench.pipeline.editing.jobs import (
    BatchResult,
    EditJob,
    EditorJobSettings,
    JobBatch,
    Options,
    editor_of,
    failed,
    identity_text,
    input_by_hand,
    job_of,
    run_task,
    units_of,
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
"""Pages after which a process is replaced, unless a model that is slow to load lives in it."""
FIRST, IN_A_ROW = 8, 24
"""Failures after which an editor is given up: the first ones of a run, or so many in a row later on."""
ASKED_AT_ONCE = 4
"""Edits under way at an editor that waits and says nothing of it."""


def edit_suite(
    suite: Suite,
    editor: str,
    folder: Path,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    input_policy: InputPolicy = InputPolicy(),  # noqa: B008 (it cannot change)
    instructions: Mapping[str, str | VdeError] | None = None,
    budget: Budget | None = None,
    images: str = "",
    workers: int = 0,
    engine: Engine = LOCAL,
    progress: Progress | None = None,
) -> list[EditRecord]:
    """Have every sample of a suite edited; what was made before is not made again.

    `instructions` are those that stand in place of the suite's, or why there is none; `images` is the URL of a store
    for the images. Where the work ends early (Ctrl-C, the budget, a wrong key) what was made is kept, and an error or a
    `KeyboardInterrupt` tells.
    """
    suite.require_distinct_keys()
    chosen = options_of(options)
    maker = editor_of(editor, chosen)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be made: {error.strerror}") from None
    with locked(folder), session(folder) as noted, recording(folder), stage("editing"):
        if images:
            put_images_into(folder, images)
        by_return = not (engine.shares_disk or images)
        order = EditorJobSettings(
            editor, chosen, images_of(folder), seed, input_policy, identity_text(maker), by_return
        )
        write_json(folder / "editor.json", dict(maker.identity))
        known = {made.sample: made for made in read_edits(folder)}
        jobs: list[EditJob] = []
        done: dict[str, EditRecord] = {}
        failed_before: set[str] = set()
        for sample in suite.samples:
            asked = (instructions or {}).get(sample.key, sample.instruction)
            made = known.get(sample.key)
            job = job_of(suite, sample, order, asked, made)
            if isinstance(job, EditRecord):
                done[sample.key] = job
            elif made and _is_of(job, made) and _stands(order.images, made):
                done[sample.key] = made
            else:
                jobs.append(job)
                if made and made.state == "failed" and made.input == job.input:
                    failed_before.add(sample.key)
        unplanned = {key for key, made in done.items() if made.state == "failed"}
        total = len(done) + len(jobs)
        stop = Stop()
        journal = edit_journal(folder)
        with stopped_by_ctrl_c(stop):

            def note(made: EditRecord) -> None:
                known[made.sample] = made
                journal.append(made)

            def made_room(unit: JobBatch) -> bool:
                """Have what a unit will replace forgotten first: its image must never pass for another's."""
                try:
                    for job in unit.jobs:
                        if (before := known.get(job.sample.key)) and before.state != "failed":
                            note(
                                EditRecord(before.sample, "failed", "begun anew and not finished", earlier=before.cost)
                            )
                        if is_file(old := order.images / f"{job.name}.png"):
                            remove_file(old)
                except VdeError as error:
                    stop.now(str(error))
                return not stop.asked

            units = (unit for unit in units_of(jobs, order, max(1, maker.batch)) if made_room(unit))
            outcomes = _carried_out(units, len(jobs), order, maker, workers, engine, budget, stop)
            for made in _watched(outcomes, stop, order.images, failed_before):
                done[made.sample] = made
                note(made)
                if progress:
                    progress(len(done), total)
        # A page that was away today is no reason to forget what was made of it before.
        lasting = {**known, **{key: made for key, made in done.items() if key not in unplanned or key not in known}}
        write_edits(folder, [made for sample in suite.samples if (made := lasting.get(sample.key))])
        made_all = [made for sample in suite.samples if (made := done.get(sample.key) or known.get(sample.key))]
        noted.seeds, noted.cost = {"editing": seed}, total_cost(made_all)
        noted.counts = counts_of(made_all)
        if stop.interrupted:
            raise KeyboardInterrupt
        if stop.asked:
            settled = sum(made.state != "failed" for made in done.values())
            raise EditorError(f"{editor}: {stop.reason}\n  {settled} of {total} samples are done and kept")
    return made_all


def _is_of(job: EditJob, made: EditRecord) -> bool:
    """Whether an edit was made from what a job would be made from."""
    if made.by_hand and job.files.source:
        return made.input == input_by_hand(job.files.source, job.instruction)
    return made.input == job.input


def _stands(images: Path, made: EditRecord) -> bool:
    name = made.file.removeprefix(f"{IMAGES}/")
    return made.state == "refused" or (made.state == "edited" and is_file(images / name))


def _carried_out(
    units: Iterable[JobBatch],
    jobs: int,
    order: EditorJobSettings,
    maker: Editor,
    workers: int,
    engine: Engine,
    budget: Budget | None,
    stop: Stop,
) -> Iterator[BatchResult]:
    """Units by threads where the editor waits, else by the engine's processes."""
    if not jobs:
        return
    if maker.waits:
        with closing(maker):
            at_once = maker.at_once or workers or ASKED_AT_ONCE
            rate, charges = maker.per_minute, maker.charges
            yield from ask(units, at_once, per_minute=rate, budget=budget, charges=charges, stop=stop)
        return
    crashed: list[EditJob] = []

    def lost(unit: JobBatch, reason: str) -> BatchResult:
        if len(unit.jobs) == 1:
            return failed(unit, reason)
        crashed.extend(unit.jobs)  # one of them is to blame: each is tried alone
        return BatchResult([])

    def spread(units: Iterable[JobBatch], count: int) -> Iterator[BatchResult]:
        most = min(workers or engine.size(gpus=maker.needs_gpu), maker.at_once or count, count)
        recycled = 0 if maker.needs_gpu else RECYCLED
        return engine.map_tasks(
            run_task, stop.until(units), most, max_tasks_per_worker=recycled, on_lost=lost, gpus=maker.needs_gpu
        )

    with closing(maker):
        yield from spread(units, -(-jobs // max(1, maker.batch)))
        if crashed:
            yield from spread(units_of(crashed, order, 1), len(crashed))


def _watched(
    outcomes: Iterable[BatchResult], stop: Stop, images: Path, failed_before: Set[str]
) -> Iterator[EditRecord]:
    """What was made; where nothing but failures comes, no more is asked for: a server is away, a card is full.

    A sample that failed before in the same way of asking says nothing new: where only such are left, all are tried.
    """
    fails, succeeded = 0, False
    for outcome in outcomes:
        if not outcome.fault:
            fails, succeeded = 0, True
        elif any(made.sample not in failed_before for made in outcome.made):
            fails += 1
        if outcome.unusable:
            stop.now(outcome.unusable)
        elif fails >= (IN_A_ROW if succeeded else FIRST):
            reason = outcome.made[-1].reason
            stop.now(f"{reason}\n  {fails} samples in a row have failed: the others are not tried")
        for name, content in outcome.pictures.items():
            write_bytes(images / name, content)
        yield from outcome.made


def options_of(given: Mapping[str, Any] | None) -> Options:
    """An editor's options in a form that can be compared."""
    fixed = {name: tuple(value) if isinstance(value, list) else value for name, value in (given or {}).items()}
    return tuple(sorted(fixed.items()))
