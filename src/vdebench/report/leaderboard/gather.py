"""The runs of a leaderboard: only their summaries are read."""

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
from vdebench.runs.summary import read_summary


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
        """The kind of the run."""
        return track_of(self.summary)

    @property
    def root(self) -> Path:
        """The folder of `vde run`, or else the run folder."""
        above = self.folder.parent.parent
        return above if is_file(above / "run.json") else self.folder


@contextmanager
def checked(run: LeaderboardRun) -> Iterator[None]:
    """Turn the exceptions of an edited summary into `RunFolderError`."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        problem = f"no {error}" if isinstance(error, KeyError) else error
        raise RunFolderError(
            f"{run.folder / 'summary.json'}: not written by `vde score`: {problem}; score again"
        ) from None


class GatheredRuns(NamedTuple):
    """Runs in the order of the arguments, and notes on missing ones."""

    runs: list[LeaderboardRun]
    notes: list[str]


def find_runs(folders: Sequence[Path]) -> GatheredRuns:
    """All runs in or below some folders, each once; raises `RunFolderError` if a folder has none.

    >>> find_runs([Path("examples")])
    Traceback (most recent call last):
    vdebench.errors.RunFolderError: examples: no run here or below: looked for summary.json and scores.parquet
      `vde score … --out FOLDER` and `vde run … --out FOLDER` write them
    """
    by_path: dict[str, LeaderboardRun] = {}
    notes: list[str] = []
    for folder in folders:
        for each in run_folders(folder):
            summary = with_run_columns(read_summary(each / "summary.json"))
            by_path.setdefault(os.path.realpath(each), LeaderboardRun(each, summary))
        notes += _unfinished(folder)
    return GatheredRuns(list(by_path.values()), notes)


def _unfinished(folder: Path) -> list[str]:
    """Notes on editors and protocols of a `vde run` without scores."""
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
