"""Comparable runs: a table for every signature, without the editor."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from vdebench.errors import VdeError
from vdebench.metrics.registry import facts
from vdebench.protocols import protocol_of
from vdebench.report.leaderboard.gather import LeaderboardRun
from vdebench.report.usable import bounds_line
from vdebench.stats.stored import differing_parts

PARTS = {
    "p": "protocol",
    "v": "version",
    "match": "matching",
    "tok": "tokens",
    "local": "local setting",
    "gt": "ground truth",
    "images": "image metrics",
    "in": "input",
    "rewriter": "prompt rewriter",
    "against": "compared with",
    "n": "samples",
    "usable": "usable edits",
}
"""Titles of parts of a signature that differ from their keys."""


@dataclass(frozen=True)
class SignatureGroup:
    """Runs with one signature: the rows of one table."""

    number: int
    runs: tuple[LeaderboardRun, ...]
    names: tuple[str, ...]
    """Names of the runs: their editors, with the folder if an editor has several runs."""

    @property
    def protocol(self) -> str:
        """The protocol's name."""
        return str(self.runs[0].summary["protocol"])

    @property
    def title(self) -> str:
        """The title of the table."""
        return f"{self.protocol} on {self.runs[0].summary['suite']}"

    @property
    def says(self) -> str:
        """The description of the protocol, "" if it is unknown."""
        try:
            return protocol_of(self.runs[0].summary).says
        except VdeError:
            return ""

    @cached_property
    def signature(self) -> str:
        """The signature of all rows, with that of usable edits if there are any."""
        return next(
            (key for run in self.runs if "|usable:" in (key := comparison_key(run))), comparison_key(self.runs[0])
        )

    @property
    def parts(self) -> dict[str, str]:
        """The signature's parts."""
        return dict(part.partition(":")[::2] for part in self.signature.split("|")[1:])

    @property
    def level(self) -> str:
        """The confidence level of the intervals."""
        interval = self.runs[0].summary.get("interval")
        level = interval.get("level") if isinstance(interval, Mapping) else None
        return f"{100 * level:g} %" if isinstance(level, float) else "95 %"

    @property
    def teds_column(self) -> str:
        """The protocol's TEDS column; "" with masks and for an unknown protocol."""
        try:
            return protocol_of(self.runs[0].summary).teds_column
        except VdeError:
            return ""

    @property
    def twice(self) -> list[str]:
        """Editors with several runs."""
        return [editor for editor, count in Counter(run.editor for run in self.runs).items() if count > 1]

    def notes(self) -> list[str]:
        """Notes of the runs, each once, without the folders of this machine."""
        editors_by_note: dict[str, list[str]] = {}
        for name, run in zip(self.names, self.runs, strict=True):
            texts = [str(note) for note in run.summary.get("notes") or ()]
            for metric, reason in (run.summary.get("unavailable") or {}).items():
                texts.append(f"{facts(metric).title} unavailable: {str(reason).partition(chr(10))[0]}")
            usable = run.summary.get("usable")
            if isinstance(usable, Mapping) and usable.get("rate") is None and isinstance(usable.get("bounds"), list):
                texts.append(bounds_line(usable))
            for note in texts:
                editors_by_note.setdefault(note.replace(f"{run.root}{os.sep}", ""), []).append(name)
        notes = [
            note if len(editors) == len(self.runs) else f"{', '.join(editors)}: {note}"
            for note, editors in editors_by_note.items()
        ]
        twice = [
            f"{editor} has several runs with one signature, distinguished by their folders" for editor in self.twice
        ]
        return [*twice, *notes]


def comparison_key(run: LeaderboardRun) -> str:
    """The signature of a run without its editor, with the thresholds of usable edits.

    >>> from pathlib import Path
    >>> usable = {"rate": 0.5, "signature": "usable:tiles-1|text:0.9"}
    >>> comparison_key(LeaderboardRun(Path(), {"signature": "vde|p:x|editor:a|n:9", "usable": usable}))
    'vde|p:x|n:9|usable:tiles-1 text:0.9'
    """
    parts = [part for part in run.summary["signature"].split("|") if not part.startswith("editor:")]
    if verdicts := verdicts_of(run):
        thresholds = verdicts.get("signature") or verdicts.get("thresholds")
        parts.append("usable:" + str(thresholds).removeprefix("usable:").replace("|", " "))
    return "|".join(parts)


def verdicts_of(run: LeaderboardRun) -> Mapping[str, Any] | None:
    """A run's summary of usable edits; None if images were not compared, because then only failures are known."""
    usable = run.summary.get("usable")
    has_rate = isinstance(usable, Mapping) and usable.get("rate") is not None
    return usable if has_rate and "|images:off|" not in run.summary["signature"] else None


def group_runs(runs: Sequence[LeaderboardRun]) -> list[SignatureGroup]:
    """Group runs by comparison key, in order; runs without verdicts join the first matching group with verdicts."""
    groups: dict[str, list[LeaderboardRun]] = {}
    for run in runs:
        key = comparison_key(run)
        if "|usable:" not in key:
            key = next(
                (other_key for other in runs if (other_key := comparison_key(other)).startswith(f"{key}|usable:")), key
            )
        groups.setdefault(key, []).append(run)
    return [
        SignatureGroup(number, tuple(members), tuple(_names(members)))
        for number, members in enumerate(groups.values(), start=1)
    ]


def _names(runs: Sequence[LeaderboardRun]) -> list[str]:
    counts = Counter(run.editor for run in runs)
    folders = [os.path.abspath(run.folder) for run in runs]
    common = os.path.commonpath(folders)
    return [
        f"{run.editor} ({os.path.relpath(folder, common)})" if counts[run.editor] > 1 else run.editor
        for run, folder in zip(runs, folders, strict=True)
    ]


class SignatureDifference(NamedTuple):
    """Parts in which another table's signature differs: title, value here, value there."""

    number: int
    parts: list[tuple[str, str, str]]

    def label(self) -> str:
        """A short text of it."""
        return f"Table {self.number} ({', '.join(title for title, _, _ in self.parts)})"


def differences(groups: Sequence[SignatureGroup], group: SignatureGroup) -> list[SignatureDifference]:
    """Differences of a table to the others, the most similar first."""
    result = []
    for other in groups:
        if other is not group:
            parts = differing_parts([group.signature, other.signature])
            values = [(PARTS.get(key, key), here, there) for key, (here, there) in parts.items()]
            result.append(SignatureDifference(other.number, values))
    return sorted(result, key=lambda difference: len(difference.parts))


def differing_keys(groups: Sequence[SignatureGroup]) -> set[str]:
    """Parts of the signature that are not the same in all tables."""
    return set(differing_parts([group.signature for group in groups]))
