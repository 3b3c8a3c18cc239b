"""Find run folders: a folder may be one run, or hold the runs of several editors and protocols."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from vdebench.errors import RunFolderError
from vdebench.io.files import is_file, is_folder

FILES = ("summary.json", "scores.parquet")
"""What every run folder holds."""
_DEPTH = 4  # RUNS of several suites in one folder: SUITE/EDITOR/PROTOCOL, and one to spare
_OTHERS = {"images", "reference", "parts", "judged", "data", "thumbs"}
"""Folders beside scores: edited images, the reader's noise floor, unfinished work, grades, reports. Editors may be
called so too: theirs are runs, or have one directly below."""
_GRADES = ("judge.json", "grades.parquet")


def is_run(folder: Path) -> bool:
    """Whether a folder holds a finished run of `vde score` or `vde run`."""
    return all(is_file(folder / name) for name in FILES)


def run_folders(folder: str | Path) -> list[Path]:
    """The run in a folder, or all runs below it, sorted; an error where there is none.

    >>> run_folders("examples")
    Traceback (most recent call last):
    vdebench.errors.RunFolderError: examples: no run here, nor below: looked for summary.json and scores.parquet
      `vde score … --out FOLDER` and `vde run … --out FOLDER` make them
    """
    root = Path(folder)
    if not is_folder(root):
        what = "is a file; `vde verify` checks a submission" if is_file(root) else "no such folder"
        raise RunFolderError(f"{root}: {what}; expected one made by `vde score … --out` or `vde run`")
    found = list(_below(root))
    if not found:
        raise RunFolderError(f"{root}: {_why_none(root)}")
    return found


def all_runs(folders: Iterable[str | Path]) -> list[Path]:
    """The runs in or below several folders, in their order; a run that is given twice by itself is there twice."""
    found: list[Path] = []
    known: set[str] = set()
    for folder in map(Path, folders):
        new = [run for run in run_folders(folder) if run == folder or os.path.realpath(run) not in known]
        found += new
        known |= set(map(os.path.realpath, new))
    return found


def one_run(folder: str | Path) -> Path:
    """The only run in or below a folder; an error where there are several."""
    found = run_folders(folder)
    if len(found) > 1:
        shown = ", ".join(map(str, found[:4])) + (", …" if len(found) > 4 else "")
        raise RunFolderError(f"{folder}: holds {len(found)} runs, expected one; give one of {shown}")
    return found[0]


def _below(folder: Path) -> Iterator[Path]:
    """Run folders, sorted; nothing below a run is looked at."""
    if is_run(folder):
        yield folder
        return
    for at, names, files in os.walk(folder):
        here = Path(at)
        if set(FILES) <= set(files):
            yield here
            names.clear()
        deep = len(here.relative_to(folder).parts) >= _DEPTH
        names[:] = [] if deep else sorted(name for name in names if _may_hold(here / name))


def _may_hold(folder: Path) -> bool:
    """Whether runs may stand in a folder or below."""
    if folder.name in _OTHERS:
        _, names, _ = next(os.walk(folder), ("", [], []))
        return is_run(folder) or any(is_run(folder / name) for name in names)
    return not folder.name.startswith(".")


def _why_none(folder: Path) -> str:
    """Why a folder holds no run."""
    if any(is_file(folder / name) for name in _GRADES):
        return (
            "holds grades of `vde judge`, and no scores\n"
            "  `vde report RUNS --judged FOLDER` shows grades beside scores, `vde table FOLDER` as a table"
        )
    there = [name for name in FILES if is_file(folder / name)]
    if there:
        missing = next(name for name in FILES if name not in there)
        return f"has {there[0]} but no {missing}: not a whole run of `vde score`; score again"
    return (
        f"no run here, nor below: looked for {' and '.join(FILES)}\n"
        "  `vde score … --out FOLDER` and `vde run … --out FOLDER` make them"
    )
