"""The main job: a suite edited, read and scored, editor by editor, into a folder of runs.

    RUNS/run.json                        what was asked
    RUNS/<editor>/edits.jsonl, images/   what the editor made (see `editing`)
    RUNS/<editor>/<protocol>/            its scores (see `runs.folder`)

Each stage keeps what it has done: a run that was killed goes on where it was, and a second run does only what is new.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vdebench.api import Score, TruthChoice, around_masks, score
from vdebench.editing import Made, counts_of, edit_suite, read_edits, states_of
from vdebench.errors import RunFolderError
from vdebench.files import is_file, is_folder, list_folder, locked, write_json
from vdebench.protocols import get_protocol
from vdebench.protocols.textedit import get_pixel_protocol
from vdebench.readers.cached import CachedReader
from vdebench.readers.predictions import ImagePredictions
from vdebench.runs.provenance import RUN_FILE, cost_of, kept_of, read_run_file, recorded, session, with_editing
from vdebench.scoring import Progress
from vdebench.suites.suite import Suite


def run(
    suite: Suite,
    editors: Sequence[str],
    out: Path,
    *,
    protocols: Sequence[str] = ("exact",),
    reader: CachedReader,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    truth: TruthChoice = "suite",
    metrics: Sequence[str] | None = None,
    seed: int = 0,
    workers: int = 0,
    bar: Callable[[str], Progress | None] = lambda title: None,
) -> dict[str, list[Score]]:
    """Scores by protocol, in the order of the editors; `options` are those of each editor."""
    for protocol in protocols:  # before anything is edited
        get_pixel_protocol(protocol) if around_masks(suite, protocol) else get_protocol(protocol)
    name, reader_options = reader.choice or (reader.reader.identity["name"], ())
    asked = {
        "suite": suite.origin,
        "reader": name,
        "reader_options": dict(reader_options),
        "truth": truth,
        "metrics": list(metrics) if metrics is not None else None,
        "seed": seed,
    }
    claimed = _claim(out, asked, editors, protocols)
    with session(out) as noted, recorded(out, shared=True):
        noted.seeds = {"editing": seed}
        results: dict[str, list[Score]] = {protocol: [] for protocol in protocols}
        for editor in editors:
            folder = out / editor
            chosen = (options or {}).get(editor)
            made = edit_suite(
                suite, editor, folder, options=chosen, seed=seed, workers=workers, progress=bar(f"{editor}: editing")
            )
            images = folder / "images"
            images.mkdir(exist_ok=True)
            predictions = ImagePredictions(
                images, suite.samples, reader, name=editor, absent=_absent(made), files=suite.outputs(images)
            )
            for protocol in protocols:
                result = score(
                    suite,
                    predictions,
                    protocol=protocol,
                    out=folder / protocol,
                    truth=truth,
                    metrics=metrics,
                    workers=workers,
                    reading=bar(f"{editor}: reading"),
                    progress=bar(f"{editor} by {protocol}"),
                )
                result.summary["edits"] = states_of(made)
                write_json(folder / protocol / "summary.json", result.summary)
                with_editing(folder / protocol, folder)
                results[protocol].append(result)
        edits = [made for editor in claimed for made in read_edits(out / editor)]  # those of earlier sessions too
        noted.counts = {"editors": len(claimed), "samples": len(suite), **counts_of(edits)}
        noted.cost = cost_of(made.parameters for made in edits)
    return results


def _absent(made: Sequence[Made]) -> dict[str, str]:
    return {each.sample: f"{each.state}: {each.reason}" for each in made if each.state != "edited"}


def _claim(out: Path, asked: dict[str, Any], editors: Sequence[str], protocols: Sequence[str]) -> list[str]:
    """Take a folder for these runs: editors and protocols may be added, anything else must be as it was.

    Gives the names of all editors that the folder is for.
    """
    file = out / RUN_FILE
    if not is_file(file) and is_folder(out) and set(list_folder(out)) - {".lock"}:
        raise RunFolderError(f"{out}: holds other files and no {RUN_FILE}; choose an empty or new folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(f"{out}: cannot be made: {error.strerror}") from None
    with locked(out, wait=True):  # others may add their editors at the same time
        before = read_run_file(file)
        for key, value in asked.items():
            if before and before.get(key) != value:
                raise RunFolderError(
                    f"{out}: holds runs with {key} {before.get(key)!r}, asked for {value!r}\n"
                    "  choose another --out, or delete the folder"
                )
        listed = {
            "editors": list(dict.fromkeys([*before.get("editors", ()), *editors])),
            "protocols": list(dict.fromkeys([*before.get("protocols", ()), *protocols])),
        }
        write_json(file, {**asked, **listed, **kept_of(before)})
    return listed["editors"]
