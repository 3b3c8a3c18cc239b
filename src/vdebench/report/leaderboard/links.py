"""Links to the samples of a run in reports of `vde report`."""

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
"""Prefix of every signature."""


class Report(NamedTuple):
    """A report and the (editor, protocol, signature) it shows."""

    folder: Path
    shows: set[tuple[str, str, str]]


class Links:
    """Links to reports: those passed, and those in RUNS/report or next to RUNS."""

    def __init__(self, runs: Sequence[LeaderboardRun], folders: Sequence[Path]) -> None:
        self._reports = [_require_report(folder) for folder in folders]
        for report in self._reports:
            if not any(_key(run) in report.shows for run in runs):
                raise InputError(
                    f"{report.folder}: shows none of these runs: other editors, or scored again since\n"
                    "  write it again: `vde report RUNS -o REPORT`"
                )
        candidates = dict.fromkeys(root / "report" for run in runs for root in (run.root, run.root.parent))
        self._reports += [report_found for folder in candidates if (report_found := _read(folder))]

    def to(self, run: LeaderboardRun, target: Path) -> str | None:
        """The URL of a run's samples, relative to the leaderboard, or None."""
        for report in self._reports:
            if _key(run) in report.shows:
                try:
                    path = os.path.relpath(os.path.realpath(report.folder), target)
                except ValueError:  # another drive
                    continue
                query = f"tab=samples&protocol={quote(run.summary['protocol'])}&editor={quote(run.summary['editor'])}"
                return f"{quote(Path(path).as_posix())}/index.html#{query}"
        return None


def _key(run: LeaderboardRun) -> tuple[str, str, str]:
    return run.summary["editor"], run.summary["protocol"], run.summary["signature"]


def _require_report(folder: Path) -> Report:
    report = _read(folder)
    if report is None:
        raise InputError(f"{folder}: no report here: looked for {MARKER}; `vde report RUNS -o {folder}` writes one")
    return report


def _read(folder: Path) -> Report | None:
    """Read the data of a report; None if there is none, or of another version."""
    file = folder / "data" / "board.js"
    if not is_file(folder / MARKER) or not is_file(file):
        return None
    text = read_bytes(file).decode("utf-8", "replace")
    start, end = text.find("{"), text.rfind("}")
    try:
        return Report(folder, _shown_runs(json.loads(text[start : end + 1])))
    except (AttributeError, KeyError, TypeError, ValueError):  # of another version
        return None


def _shown_runs(board: Any) -> set[tuple[str, str, str]]:
    entries = set()
    for protocol in board["protocols"]:
        editors = {row["editor"] for row in protocol["rows"]}
        for note in protocol["notes"]:
            names, separator, rest = note.partition(f": {_BEGIN}")  # notes of `provenance`: editors and signature
            if separator:
                names_in_note = {names} if names in editors else editors.intersection(names.split(", "))
                entries |= {(editor, protocol["name"], f"{_BEGIN}{rest}") for editor in names_in_note}
    return entries
