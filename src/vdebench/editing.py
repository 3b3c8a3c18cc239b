"""The editing stage: a suite's source pages through an editor into images, each kept when it is made.

A folder holds `images/<group>/<name>.png`, `edits.jsonl` with a line per sample, and `editor.json`. An image is in its
place before its line is written, so a run can be killed at any moment and goes on where it was: edits and refusals
stand, failures are tried again, and a changed page, instruction, seed or editor is a new task.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vdebench.editors.editor import Editor, Task, get_editor
from vdebench.engine.processes import spread, usable_processors
from vdebench.errors import InputError, RunFolderError, VdeError
from vdebench.files import is_file, locked, read_bytes, read_json, write_bytes, write_json, write_text
from vdebench.images import open_image
from vdebench.png import encode_png
from vdebench.runs.cache import digest_of, digest_of_file
from vdebench.runs.provenance import cost_of, recorded, session, stage
from vdebench.sample import Sample
from vdebench.scoring import Progress
from vdebench.suites.suite import ImageFiles, Suite

Options = tuple[tuple[str, Any], ...]
RECYCLED = 100
"""Pages after which a process is replaced."""


class Made(NamedTuple):
    """A line of `edits.jsonl`."""

    sample: str
    state: str
    """edited, refused or failed."""
    reason: str = ""
    file: str = ""
    """Of the image, below the editor's folder."""
    seconds: float = 0.0
    parameters: Mapping[str, Any] = {}
    input: str = ""
    """Hash of all that the edit was made from."""


class _Job(NamedTuple):
    editor: str
    options: Options
    folder: Path
    name: str
    """The image's, without ending, in the folder of images."""
    sample: Sample
    files: ImageFiles
    seed: int
    input: str


def edit_suite(
    suite: Suite,
    editor: str,
    folder: Path,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    workers: int = 0,
    progress: Progress | None = None,
) -> list[Made]:
    """Have every sample of a suite edited; what was made before is not made again."""
    suite.require_distinct_keys()
    chosen = tuple(sorted((options or {}).items()))
    identity = get_editor(editor, **dict(chosen)).identity
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{folder}: cannot be made: {error.strerror}") from None
    with locked(folder), session(folder) as noted, recorded(folder), stage("editing"):
        write_json(folder / "editor.json", dict(identity))
        known = {made.sample: made for made in read_edits(folder) if made.state != "failed"}
        jobs, done = [], {}
        for sample in suite.samples:
            job = _job(suite, sample, editor, chosen, folder, seed, identity)
            if isinstance(job, Made):
                done[sample.key] = job
            elif (made := known.get(sample.key)) and made.input == job.input and _stands(folder, made):
                done[sample.key] = made
            else:
                jobs.append(job)
        total = len(done) + len(jobs)
        with (folder / "edits.jsonl").open("ab") as journal:
            for made in spread(_edit, jobs, min(workers or usable_processors(), len(jobs)), RECYCLED):
                done[made.sample] = made
                journal.write(f"\n{_line(made)}".encode())  # after a line that a kill left unfinished
                journal.flush()
                if progress:
                    progress(len(done), total)
        made_all = [done[sample.key] for sample in suite.samples]
        write_text(folder / "edits.jsonl", "".join(f"{_line(made)}\n" for made in made_all))
        noted.seeds, noted.cost = {"editing": seed}, cost_of(made.parameters for made in made_all)
        noted.counts = counts_of(made_all)
    return made_all


def _job(
    suite: Suite, sample: Sample, editor: str, options: Options, folder: Path, seed: int, identity: Mapping[str, str]
) -> _Job | Made:
    """The task of a sample, or why there is none."""
    try:
        files = suite.image_files(sample)
        if files.source is None:
            raise InputError(
                f"sample {sample.key}: the suite has no source image of it; name their folder in suite.toml"
                f" (source_images of [groups.{sample.group}])"
            )
        told = json.dumps(dict(identity), sort_keys=True)
        regions = repr([(region.x, region.y, region.width, region.height) for region in sample.regions])
        reference = digest_of_file(files.reference) if files.reference else ""  # the oracle looks at it
        content = digest_of(digest_of_file(files.source), reference, sample.instruction, regions, str(seed), told)
        return _Job(editor, options, folder, suite.output_name(sample), sample, files, seed, content)
    except VdeError as error:
        return Made(sample.key, "failed", str(error))


def _stands(folder: Path, made: Made) -> bool:
    return made.state == "refused" or is_file(folder / made.file)


def _edit(job: _Job) -> Made:
    """Carry out one task in some process."""
    start = time.perf_counter()
    assert job.files.source is not None
    state: Literal["edited", "refused", "failed"]
    file = f"images/{job.name}.png"
    try:
        task = Task(open_image(job.files.source), job.sample.instruction, job.seed, job.sample, job.files)
        edit = _editor(job.editor, job.options).carry_out(task)
        if edit.image is not None:
            write_bytes(job.folder / file, encode_png(edit.image))
        state, reason, parameters = edit.state, edit.reason, dict(edit.parameters)
    except VdeError as error:
        state, reason, parameters = "failed", str(error), {}
    except Exception as error:  # what nobody foresaw in an editor costs its sample, not the run
        state, reason, parameters = "failed", f"{type(error).__name__}: {error}", {}
    if state != "edited":
        (job.folder / file).unlink(missing_ok=True)  # of an earlier version of the task
        file = ""
    return Made(job.sample.key, state, reason, file, round(time.perf_counter() - start, 3), parameters, job.input)


@cache
def _editor(name: str, options: Options) -> Editor:
    return get_editor(name, **dict(options))


def _line(made: Made) -> str:
    return json.dumps(made._asdict(), ensure_ascii=False)


def read_edits(folder: Path) -> list[Made]:
    """What an editor's folder says of each sample, the last word of each; unfinished lines are passed over."""
    file = folder / "edits.jsonl"
    return list({made.sample: made for made in _lines(file)}.values()) if is_file(file) else []


def _lines(file: Path) -> Iterator[Made]:
    for line in read_bytes(file).split(b"\n"):  # not at what Unicode takes for the end of a line
        try:
            yield Made(**json.loads(line))
        except (ValueError, TypeError):
            continue


def states_of(made: Sequence[Made]) -> dict[str, int]:
    """How many were edited, refused, failed."""
    counts = Counter(each.state for each in made)
    return {state: counts[state] for state in ("edited", "refused", "failed")}


def counts_of(made: Sequence[Made]) -> dict[str, int]:
    """The same under names that can stand beside those of scoring."""
    states = states_of(made)
    return {"edited": states["edited"], "refused": states["refused"], "edits_failed": states["failed"]}


def identity_of(folder: Path) -> dict[str, str]:
    """The editor whose work a folder holds."""
    return dict(read_json(folder / "editor.json"))
