"""Search for run folders: a folder is a run, or contains runs of several editors and protocols."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from vdebench.errors import RunFolderError
from vdebench.io.files import is_file, is_folder

FILES = ("summary.json", "scores.parquet")
"""Files that every run folder contains."""
_MAX_DEPTH = 4  # SUITE/EDITOR/PROTOCOL, and one more
_OTHER_FOLDERS = {"images", "reference", "parts", "judged", "data", "thumbs"}
"""Folders next to scores: edited images, rows of the OCR ceiling, unfinished work, grades, reports. An editor may have
such a name too; its folder is a run or contains one directly."""
_GRADES = ("judge.json", "grades.parquet")


def is_run(folder: Path) -> bool:
    """Whether a folder contains a finished run of `vde score` or `vde run`."""
    return all(is_file(folder / name) for name in FILES)


def run_folders(folder: str | Path) -> list[Path]:
    """Return the run in a folder, or all runs below it, sorted; raises `RunFolderError` if there is none.

    >>> run_folders("examples")
    Traceback (most recent call last):
    vdebench.errors.RunFolderError: examples: no run here or below: looked for summary.json and scores.parquet
      `vde score … --out FOLDER` and `vde run … --out FOLDER` write them
    """
    root = Path(folder)
    if not is_folder(root):
        problem = "is a file; `vde verify` checks a submission" if is_file(root) else "no such folder"
        raise RunFolderError(f"{root}: {problem}; expected one written by `vde score … --out` or `vde run`")
    runs = list(_find_runs(root))
    if not runs:
        raise RunFolderError(f"{root}: {_absence_reason(root)}")
    return runs


def all_runs(folders: Iterable[str | Path]) -> list[Path]:
    """Return the runs in or below several folders, in order. Duplicates are dropped unless passed explicitly."""
    runs: list[Path] = []
    known_paths: set[str] = set()
    for folder in map(Path, folders):
        new = [run for run in run_folders(folder) if run == folder or os.path.realpath(run) not in known_paths]
        runs += new
        known_paths |= set(map(os.path.realpath, new))
    return runs


def single_run(folder: str | Path) -> Path:
    """Return the only run in or below a folder; raises `RunFolderError` if there are several."""
    runs = run_folders(folder)
    if len(runs) > 1:
        names = ", ".join(map(str, runs[:4])) + (", …" if len(runs) > 4 else "")
        raise RunFolderError(f"{folder}: contains {len(runs)} runs, expected one; pass one of {names}")
    return runs[0]


def _find_runs(folder: Path) -> Iterator[Path]:
    """Yield run folders, sorted; folders below a run are not searched."""
    if is_run(folder):
        yield folder
        return
    for at, names, files in os.walk(folder):
        current = Path(at)
        if set(FILES) <= set(files):
            yield current
            names.clear()
        deep = len(current.relative_to(folder).parts) >= _MAX_DEPTH
        names[:] = [] if deep else sorted(name for name in names if _may_contain_runs(current / name))


def _may_contain_runs(folder: Path) -> bool:
    """Whether a folder may be a run or contain one."""
    if folder.name in _OTHER_FOLDERS:
        _, names, _ = next(os.walk(folder), ("", [], []))
        return is_run(folder) or any(is_run(folder / name) for name in names)
    return not folder.name.startswith(".")


def _absence_reason(folder: Path) -> str:
    """Return why a folder contains no run."""
    if any(is_file(folder / name) for name in _GRADES):
        return (
            "contains grades of `vde judge`, but no scores\n"
            "  `vde report RUNS --judged FOLDER` shows grades next to scores, `vde table FOLDER` as a table"
        )
    present = [name for name in FILES if is_file(folder / name)]
    if present:
        missing = next(name for name in FILES if name not in present)
        return f"has {present[0]} but no {missing}: not a complete run of `vde score`; score again"
    return (
        f"no run here or below: looked for {' and '.join(FILES)}\n"
        "  `vde score … --out FOLDER` and `vde run … --out FOLDER` write them"
    )
