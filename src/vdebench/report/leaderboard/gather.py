"""Runs for the leaderboard, found in folders: only their summaries are read, never their rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.errors import RunFolderError
from vdebench.io.files import is_file, read_json
from vdebench.report.run_columns import with_run_columns
from vdebench.report.tracks import Track, track_of
from vdebench.runs.search import is_run, run_folders


class LeaderboardRun(NamedTuple):
    """A run by its summary."""

    folder: Path
    summary: Mapping[str, Any]

    @property
    def editor(self) -> str:
        """The editor's name, in one line."""
        return " ".join(str(self.summary["editor"]).split())

    @property
    def track(self) -> Track:
        """What kind of run it is."""
        return track_of(self.summary)

    @property
    def root(self) -> Path:
        """The folder that `vde run` made, where it did; else the run's own."""
        above = self.folder.parent.parent
        return above if is_file(above / "run.json") else self.folder


@contextmanager
def as_written(run: LeaderboardRun) -> Iterator[None]:
    """What is not as `vde score` wrote it is told with the run's file: anybody can edit a summary."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        told = f"no {error}" if isinstance(error, KeyError) else error
        raise RunFolderError(
            f"{run.folder / 'summary.json'}: not as `vde score` wrote it: {told}; score again"
        ) from None


class GatheredRuns(NamedTuple):
    """Runs in the order of the arguments, and what was expected and is not there, in words."""

    runs: list[LeaderboardRun]
    notes: list[str]


def find_runs(folders: Sequence[Path]) -> GatheredRuns:
    """All runs in or below some folders, each once; an error where a folder holds none.

    >>> find_runs([Path("examples")])
    Traceback (most recent call last):
    vdebench.errors.RunFolderError: examples: no run here or below: looked for summary.json and scores.parquet
      `vde score … --out FOLDER` and `vde run … --out FOLDER` write them
    """
    kept: dict[str, LeaderboardRun] = {}
    notes: list[str] = []
    for folder in folders:
        for each in run_folders(folder):
            summary = with_run_columns(_summary(each / "summary.json"))
            kept.setdefault(os.path.realpath(each), LeaderboardRun(each, summary))
        notes += _unfinished(folder)
    return GatheredRuns(list(kept.values()), notes)


def _unfinished(folder: Path) -> list[str]:
    """Editors and protocols that a `vde run` was asked for and has no scores of."""
    if not is_file(folder / "run.json"):
        return []
    about = read_json(folder / "run.json")
    editors, protocols = (about.get(key) if isinstance(about, dict) else None for key in ("editors", "protocols"))
    if not isinstance(editors, list) or not isinstance(protocols, list):
        return []
    return [
        f"{editor}: no scores by {protocol} yet in {folder.name}"
        for editor in map(str, editors)
        for protocol in map(str, protocols)
        if not is_run(folder / editor / protocol)
    ]


def _summary(file: Path) -> Mapping[str, Any]:
    """A summary that has the parts we need; what stands in them is checked where it is used."""
    found = read_json(file)
    if not isinstance(found, dict):
        raise RunFolderError(f"{file}: expected an object, found {type(found).__name__}; score again")
    kinds = {**dict.fromkeys(("signature", "protocol", "suite", "editor"), str), "overall": dict, "coverage": dict}
    for key, kind in kinds.items():
        if not isinstance(found.get(key), kind):
            expected = "text" if kind is str else "an object"
            raise RunFolderError(f"{file}: {key!r} is {found.get(key)!r}, expected {expected}; score again")
    for key in ("by", "usable", "regions", "ocr_ceiling", "unavailable"):
        if found.get(key) is not None and not isinstance(found[key], dict):
            raise RunFolderError(f"{file}: {key!r} is {found[key]!r}, expected an object; score again")
    if not isinstance(found.get("notes", []), list):
        raise RunFolderError(f"{file}: 'notes' is {found['notes']!r}, expected a list; score again")
    if not found["signature"].startswith("vde|p:"):
        raise RunFolderError(
            f"{file}: 'signature' is {found['signature']!r}, expected one that begins with vde|p:; score again"
        )
    return found
