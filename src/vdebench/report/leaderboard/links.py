"""Where the samples of a run can be looked at: reports of `vde report` that show that very run."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from vdebench.errors import InputError
from vdebench.io.files import is_file, read_bytes
from vdebench.report.leaderboard.gather import LeaderboardRun
from vdebench.report.site.write import MARKER

_BEGIN = "vde|p:"
"""Of every signature."""


class Report(NamedTuple):
    """A report and the (editor, protocol, signature) it shows."""

    folder: Path
    shows: set[tuple[str, str, str]]


class Links:
    """Addresses in reports: those that were named, and those in RUNS/report or beside RUNS."""

    def __init__(self, runs: Sequence[LeaderboardRun], named: Sequence[Path]) -> None:
        self._reports = [_named(folder) for folder in named]
        for report in self._reports:
            if not any(_key(run) in report.shows for run in runs):
                raise InputError(
                    f"{report.folder}: shows none of these runs: other editors, or scored anew since\n"
                    "  make it again: `vde report RUNS -o REPORT`"
                )
        beside = dict.fromkeys(root / "report" for run in runs for root in (run.root, run.root.parent))
        self._reports += [found for folder in beside if (found := _read(folder))]

    def to(self, run: LeaderboardRun, target: Path) -> str | None:
        """The address of a run's samples, seen from the leaderboard's folder; nothing where no report shows it."""
        for report in self._reports:
            if _key(run) in report.shows:
                try:
                    way = os.path.relpath(os.path.realpath(report.folder), target)
                except ValueError:  # another drive
                    continue
                asked = f"tab=samples&protocol={quote(run.summary['protocol'])}&editor={quote(run.summary['editor'])}"
                return f"{quote(Path(way).as_posix())}/index.html#{asked}"
        return None


def _key(run: LeaderboardRun) -> tuple[str, str, str]:
    return run.summary["editor"], run.summary["protocol"], run.summary["signature"]


def _named(folder: Path) -> Report:
    found = _read(folder)
    if found is None:
        raise InputError(f"{folder}: no report here: looked for {MARKER}; `vde report RUNS -o {folder}` makes one")
    return found


def _read(folder: Path) -> Report | None:
    """A report by what its first data tell, nothing where there is none that can be understood."""
    file = folder / "data" / "board.js"
    if not is_file(folder / MARKER) or not is_file(file):
        return None
    text = read_bytes(file).decode("utf-8", "replace")
    start, end = text.find("{"), text.rfind("}")
    try:
        return Report(folder, _shown(json.loads(text[start : end + 1])))
    except (AttributeError, KeyError, TypeError, ValueError):  # of another version
        return None


def _shown(board: Any) -> set[tuple[str, str, str]]:
    shown = set()
    for protocol in board["protocols"]:
        editors = {row["editor"] for row in protocol["rows"]}
        for note in protocol["notes"]:
            names, there, rest = note.partition(f": {_BEGIN}")  # as `provenance` tells them: whose, and the signature
            if there:
                whose = {names} if names in editors else editors.intersection(names.split(", "))
                shown |= {(editor, protocol["name"], f"{_BEGIN}{rest}") for editor in whose}
    return shown
