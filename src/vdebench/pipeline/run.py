"""The `vde run` pipeline: edit, read and score a suite for several editors, into a folder of runs.

    RUNS/run.json                        options
    RUNS/rewritten.jsonl                 rewritten instructions, with a rewriter
    RUNS/<editor>/edits.jsonl, images/   the editor's outputs (see `editing`)
    RUNS/<editor>/<protocol>/            its scores (see `runs.folder`)

Each stage stores its results: an interrupted run resumes, and a second run processes only new samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vdebench.core.input_policy import NOBODY, InputPolicy, checked_pixels
from vdebench.editors.selection import parse_choices
from vdebench.errors import RunFolderError
from vdebench.io.files import is_file, is_folder, list_folder, locked, make_folder, write_json
from vdebench.io.redaction import is_private
from vdebench.io.stores import require_local
from vdebench.net.budget import Budget
from vdebench.parallel.engines import LOCAL, Engine
from vdebench.pipeline.editing import counts_of, edit_suite, images_of, read_edits, states_of, total_cost
from vdebench.pipeline.editing.jobs import editor_of
from vdebench.pipeline.editing.stage import options_of
from vdebench.pipeline.options import Execution, GroundTruthChoice, Progress, ScoreOptions
from vdebench.pipeline.rewriting import Rewriter, rewrite_suite
from vdebench.pipeline.score import Score, score_with
from vdebench.protocols import protocol_for
from vdebench.readers.cached import CachedReader
from vdebench.readers.predictions import ImagePredictions
from vdebench.runs.provenance import RUN_FILE, preserved_parts, read_run_file, recording, session, with_editing
from vdebench.suites.suite import Suite


def run(
    suite: Suite,
    editors: Sequence[str],
    out: Path,
    *,
    protocols: Sequence[str] = ("strict",),
    reader: CachedReader,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    ground_truth: GroundTruthChoice = "suite",
    metrics: Sequence[str] | None = None,
    seed: int = 0,
    max_pixels: int = 0,
    rewriter: Rewriter | None = None,
    budget: float | None = None,
    images: str = "",
    workers: int = 0,
    engine: Engine = LOCAL,
    bar: Callable[[str], Progress | None] = lambda title: None,
) -> dict[str, list[Score]]:
    """Return scores by protocol, in the order of the editors (`EDITOR` or `NAME=EDITOR`); `options` are by name.

    Editors receive pages of at most `max_pixels` pixels, and instructions rewritten by `rewriter`; both are in the
    signature. `budget` is in dollars, for all editors and sessions of the folder. `images` is the URL of a store for
    the editors' images; the folder itself is local.
    """
    require_local(out)
    choices = parse_choices(editors)
    input_policy = InputPolicy(checked_pixels(max_pixels), rewriter.label if rewriter else NOBODY)
    for protocol in protocols:  # before anything is edited
        protocol_for(suite.track, protocol)
    name, reader_options = reader.choice or (reader.reader.identity["name"], ())
    settings = {
        "suite": suite.origin,
        "reader": name,
        "reader_options": {key: value for key, value in reader_options if not is_private(key, value)},
        "ground_truth": ground_truth,
        "metrics": list(metrics) if metrics is not None else None,
        "seed": seed,
        "input_policy": input_policy.pins,
    }
    for editor, kind in choices:  # report errors of any editor before the first one runs
        editor_of(kind, options_of((options or {}).get(editor)))
    claimed = _claim(out, settings, [choice.name for choice in choices], protocols)
    with session(out) as run_session, recording(out, shared=True):
        run_session.seeds = {"editing": seed}
        results: dict[str, list[Score]] = {protocol: [] for protocol in protocols}
        instructions = rewrite_suite(suite, rewriter, out, bar("rewriting instructions")) if rewriter else None
        spent = total_cost(edit for name in claimed for edit in read_edits(out / name))["dollars"]
        shared_budget = Budget(budget, spent or 0.0)
        for editor, kind in choices:
            folder = out / editor
            edits = edit_suite(
                suite,
                kind,
                folder,
                options=(options or {}).get(editor),
                seed=seed,
                input_policy=input_policy,
                instructions=instructions,
                budget=shared_budget,
                images=f"{images.rstrip('/')}/{editor}" if images else "",
                workers=workers,
                engine=engine,
                progress=bar(f"{editor}: editing"),
            )
            image_root = images_of(folder)
            make_folder(image_root)
            predictions = ImagePredictions(
                image_root,
                suite.samples,
                reader,
                name=editor,
                absent={each.sample: f"refused: {each.reason}" for each in edits if each.state == "refused"},
                failed={each.sample: each.reason for each in edits if each.state == "failed"},
                files=suite.outputs(image_root),
            )
            for protocol in protocols:
                score_options = ScoreOptions(
                    protocol=protocol, ground_truth=ground_truth, metrics=metrics, input_policy=input_policy
                )
                reading, scoring = bar(f"{editor}: reading"), bar(f"{editor} by {protocol}")
                execution = Execution(workers=workers, engine=engine, reading=reading, scoring=scoring)
                result = score_with(score_options, suite, predictions, folder / protocol, execution)
                result.summary["edits"] = states_of(edits)
                write_json(folder / protocol / "summary.json", result.summary)
                with_editing(folder / protocol, folder)
                results[protocol].append(result)
        all_edits = [edit for editor in claimed for edit in read_edits(out / editor)]  # of earlier sessions too
        run_session.counts = {"editors": len(claimed), "samples": len(suite), **counts_of(all_edits)}
        run_session.cost = total_cost(all_edits)
    return results


def _claim(out: Path, settings: dict[str, Any], editors: Sequence[str], protocols: Sequence[str]) -> list[str]:
    """Record the settings in a new folder, or check that an existing one has the same.

    Editors and protocols may be added. Returns the names of all editors of the folder.
    """
    file = out / RUN_FILE
    if not is_file(file) and is_folder(out) and set(list_folder(out)) - {".lock"}:
        raise RunFolderError(f"{out}: contains other files and no {RUN_FILE}; choose an empty or new folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{out}: cannot be made: {error.strerror}") from None
    with locked(out, wait=True):  # other processes may add editors at the same time
        before = read_run_file(file)
        for key, value in settings.items():
            if before and before.get(key) != value:
                raise RunFolderError(
                    f"{out}: contains runs with {key} {before.get(key)!r}, requested {value!r}\n"
                    "  choose another --out, or delete the folder"
                )
        listed = {
            "editors": list(dict.fromkeys([*before.get("editors", ()), *editors])),
            "protocols": list(dict.fromkeys([*before.get("protocols", ()), *protocols])),
        }
        write_json(file, {**settings, **listed, **preserved_parts(before)})
    return listed["editors"]
