"""Write the report: one page, its style and scripts, and data in scripts that are loaded on demand."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from vdebench._version import __version__
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.files import write_text
from vdebench.pipeline.options import Progress
from vdebench.report.figures.page import statistics_page
from vdebench.report.output_folder import replacing_folder, require_generated
from vdebench.report.site.board import board
from vdebench.report.site.ceilings import explained_failures, is_ceiling, words_by_height
from vdebench.report.site.changes import fact_gallery
from vdebench.report.site.gather import SuiteRuns
from vdebench.report.site.grades import graded_board, graded_chunks, graded_index
from vdebench.report.site.judged import ReportGrades
from vdebench.report.site.pictures import ImageRequest, ImageSet
from vdebench.report.site.samples import SampleDetails, about, index
from vdebench.report.web.assets import write_data, write_site
from vdebench.studies.suite_statistics import suite_statistics

MARKER = "vdebench-report.json"
"""File in every generated folder, which may be replaced."""
_KIND = "report"
CHUNK = 25
"""Samples whose blocks and texts are loaded at once."""


def write_report(
    runs: Path | Sequence[Path], out: Path, *, judged: Sequence[Path] = (), progress: Progress | None = None
) -> Path:
    """Write the report of runs to the folder `out`, atomically, and return the path of its page.

    `runs` is a folder of `vde run`, a run folder, a folder that contains run folders, or several of them. `judged` are
    folders of grades, in addition to those among the runs. An old report is replaced; raises `RunFolderError` for a
    folder with other content.
    """
    target = Path(os.path.realpath(out))
    require_generated(target, MARKER, _KIND)
    suite_runs = SuiteRuns(runs)
    with replacing_folder(target, MARKER, _KIND) as folder:
        _fill(folder, suite_runs, [Path(folder) for folder in judged], progress or (lambda _, total: None))
    return Path(out) / "index.html"


def _fill(folder: Path, runs: SuiteRuns, judged: Sequence[Path], progress: Callable[[int, int], None]) -> None:
    samples = _samples(runs)
    grades = ReportGrades(runs, samples, judged)
    album, files_of = _album(folder, runs, samples)
    total, done = len(album) + len(samples), 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(done, total)

    def picture(file: ImageRequest | None) -> dict[str, Any] | None:
        entry = album[file]
        return {"reason": runs.redact(entry["reason"])} if entry and "reason" in entry else entry

    album.make(step)
    write_site(folder, "vdebench.report.site", ("panes.js", "panes.css", "changes.js", "changes.css"))
    _write_statistics(folder, runs)
    slugs = _slugs([*runs.editors, *runs.protocols])
    states: dict[tuple[str, str], Counter[str]] = {}
    verdicts: dict[str, dict[str, list[str]]] = {}
    for result in runs.results:
        rows = index(runs, result, samples)
        for row, sample in zip(rows, samples, strict=True):
            row["image"] = picture(runs.image(result.editor, sample))
        write_data(folder, f"{slugs[result.protocol.name]}/{slugs[result.editor]}/index", rows)
        states[result.protocol.name, result.editor] = Counter(row["state"] for row in rows)
        verdicts.setdefault(result.protocol.name, {})[result.editor] = [row.get("usable", "") for row in rows]
    below = {"judged": graded_board(grades, runs.redact)} if grades else {}
    head = _head(runs, slugs, states, len(samples))
    for table in head["protocols"]:
        results = [result for result in runs.results if result.protocol.name == table["name"]]
        ceilings = [result.editor for result in results if is_ceiling(result)]
        if explained := explained_failures(verdicts[table["name"]], ceilings):
            table["explained"] = explained
        if heights := words_by_height(results):
            table["heights"] = heights
        facts = fact_gallery(results, samples)
        if facts is not None:
            write_data(folder, f"{slugs[table['name']]}/facts", facts)
            table["facts"] = len(facts)
    write_data(folder, "board", {**head, **below})
    for editor in grades.editors:
        write_data(folder, f"judged/{slugs[editor]}/index", graded_index(grades, editor, samples))
        for number, said in enumerate(graded_chunks(grades, editor, samples, CHUNK, runs.redact)):
            write_data(folder, f"judged/{slugs[editor]}/{number}", said)
    listed = []
    for sample in samples:
        files = files_of[sample.key]
        shown: dict[str, Any] = {"images": [picture(files.source), picture(files.reference)]}
        if not runs.suite.has_reference(sample):
            shown["unreferenced"] = True
        listed.append({**about(sample), **shown, **({"mask": picture(files.masks)} if files.masks else {})})
    write_data(folder, "samples", listed)
    details = SampleDetails(runs)
    for number, start in enumerate(range(0, len(samples), CHUNK)):
        some = samples[start : start + CHUNK]
        for (protocol, editor), chunk in details.chunk(some).items():
            write_data(folder, f"{slugs[protocol]}/{slugs[editor]}/{number}", chunk)
        for _ in some:
            step()


def _head(
    runs: SuiteRuns, slugs: Mapping[str, str], states: Mapping[tuple[str, str], Counter[str]], count: int
) -> dict[str, Any]:
    """Data of the start page."""
    boards = []
    for name in runs.protocols:
        results = [result for result in runs.results if result.protocol.name == name]
        if results:
            table = board(results, runs.notes)
            table["notes"] = [runs.redact(note) for note in table["notes"]]
            for row in table["rows"][: len(results)]:
                row["states"] = states[name, row["editor"]]
            boards.append(table)
    return {
        "suite": runs.results[0].summary["suite"],
        "version": __version__,
        "samples": count,
        "chunk": CHUNK,
        "slugs": slugs,
        "protocols": boards,
    }


def _samples(runs: SuiteRuns) -> list[Sample]:
    """Samples in any run, in the suite's order."""
    scored: set[str] = set()
    for result in runs.results:
        scored |= set(result.table("scores").select("sample").unique().collect()["sample"])
    present = [sample for sample in runs.suite.samples if sample.key in scored]
    if not present:
        raise InputError(
            f"{runs.root}: contains no scores of the samples of {runs.origin}\n"
            "  run `vde run` again with the suite as it is now"
        )
    return present


class _Files(NamedTuple):
    """Files of a sample that are shown."""

    source: Path | None = None
    reference: Path | None = None
    masks: tuple[Path, ...] = ()
    """Empty if no run uses masks."""


def _album(folder: Path, runs: SuiteRuns, samples: Sequence[Sample]) -> tuple[ImageSet, dict[str, _Files]]:
    album = ImageSet(folder)
    files_of: dict[str, _Files] = {}
    slugs = _slugs(runs.editors)
    has_masks = any(result.track.has_masks for result in runs.results)
    for number, sample in enumerate(samples):
        try:
            images = runs.suite.image_files(sample)
            masks = runs.suite.mask_files(sample) if has_masks else ()
            files = _Files(images.source, images.reference, masks)
        except VdeError:  # ambiguous file names; reported by the run
            files = _Files()
        files_of[sample.key] = files
        album.ask(files.source, f"source/{number:06d}")
        album.ask(files.reference, f"reference/{number:06d}")
        album.ask(files.masks, f"mask/{number:06d}")
        for editor in runs.editors:
            album.ask(runs.image(editor, sample), f"editor-{slugs[editor]}/{number:06d}")
    return album, files_of


def _slugs(names: Sequence[str]) -> dict[str, str]:
    """Unique names that are safe in URLs.

    >>> _slugs(["copy", "my editor", "my_editor"])
    {'copy': '0-copy', 'my editor': '1-my_editor', 'my_editor': '2-my_editor'}
    """
    return {name: f"{at}-{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)[:60]}" for at, name in enumerate(names)}


def _write_statistics(folder: Path, runs: SuiteRuns) -> None:
    """What the suite is made of, whole, also where fewer samples were run."""
    found = suite_statistics(runs.suite)
    for part in (found, found["layout"]):  # before it is HTML, in which a folder's name may be spelt otherwise
        part["left_out"] = {name: runs.redact(reason) for name, reason in part["left_out"].items()}
    write_text(folder / "dataset.html", statistics_page(found, back="index.html"))
