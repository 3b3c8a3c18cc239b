"""Runs by what they may be compared with: a table for every signature, the editor aside."""

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
    "in": "pages given",
    "rewriter": "prompt rewriter",
    "against": "compared with",
    "n": "samples",
    "usable": "usable edits",
}
"""What parts of a signature are called; others by themselves."""


@dataclass(frozen=True)
class SignatureGroup:
    """Runs with one signature: the rows of one table."""

    number: int
    runs: tuple[LeaderboardRun, ...]
    names: tuple[str, ...]
    """What each run is called: its editor, with the folder where one editor stands here twice."""

    @property
    def protocol(self) -> str:
        """The protocol's name."""
        return str(self.runs[0].summary["protocol"])

    @property
    def title(self) -> str:
        """What stands above the table."""
        return f"{self.protocol} on {self.runs[0].summary['suite']}"

    @property
    def says(self) -> str:
        """The protocol in words, nothing where it is one that is not known here."""
        try:
            return protocol_of(self.runs[0].summary).says
        except VdeError:
            return ""

    @cached_property
    def signature(self) -> str:
        """What all rows share, with what verdicts on usable edits were made by where there are any."""
        return next((key for run in self.runs if "|usable:" in (key := pinned(run))), pinned(self.runs[0]))

    @property
    def parts(self) -> dict[str, str]:
        """The signature's parts."""
        return dict(part.partition(":")[::2] for part in self.signature.split("|")[1:])

    @property
    def level(self) -> str:
        """How sure the intervals are."""
        told = self.runs[0].summary.get("interval")
        level = told.get("level") if isinstance(told, Mapping) else None
        return f"{100 * level:g} %" if isinstance(level, float) else "95 %"

    @property
    def teds_column(self) -> str:
        """What the protocol calls TEDS; nothing around masks, nor for a protocol that is not known here."""
        try:
            return protocol_of(self.runs[0].summary).teds_column
        except VdeError:
            return ""

    @property
    def twice(self) -> list[str]:
        """Editors that stand here more than once."""
        return [editor for editor, count in Counter(run.editor for run in self.runs).items() if count > 1]

    def notes(self) -> list[str]:
        """What the runs have to say, each sentence once, without the folders of this machine."""
        kept: dict[str, list[str]] = {}
        for name, run in zip(self.names, self.runs, strict=True):
            said = [str(note) for note in run.summary.get("notes") or ()]
            for metric, why in (run.summary.get("unavailable") or {}).items():
                said.append(f"{facts(metric).title} unavailable: {str(why).partition(chr(10))[0]}")
            usable = run.summary.get("usable")
            if isinstance(usable, Mapping) and usable.get("rate") is None and isinstance(usable.get("bounds"), list):
                said.append(bounds_line(usable))
            for note in said:
                kept.setdefault(note.replace(f"{run.root}{os.sep}", ""), []).append(name)
        some = [note if len(who) == len(self.runs) else f"{', '.join(who)}: {note}" for note, who in kept.items()]
        twice = [
            f"{editor} stands here more than once: runs with one signature, told apart by their folders"
            for editor in self.twice
        ]
        return [*twice, *some]


def pinned(run: LeaderboardRun) -> str:
    """All that a run's numbers depend on but the editor: its signature, and the thresholds of usable edits.

    >>> from pathlib import Path
    >>> usable = {"rate": 0.5, "signature": "usable:tiles-1|text:0.9"}
    >>> pinned(LeaderboardRun(Path(), {"signature": "vde|p:x|editor:a|n:9", "usable": usable}))
    'vde|p:x|n:9|usable:tiles-1 text:0.9'
    """
    parts = [part for part in run.summary["signature"].split("|") if not part.startswith("editor:")]
    if verdicts := verdicts_of(run):
        told = verdicts.get("signature") or verdicts.get("thresholds")
        parts.append("usable:" + str(told).removeprefix("usable:").replace("|", " "))
    return "|".join(parts)


def verdicts_of(run: LeaderboardRun) -> Mapping[str, Any] | None:
    """What a run says of usable edits; nothing where images were not compared: only failures would be known then."""
    found = run.summary.get("usable")
    known = isinstance(found, Mapping) and found.get("rate") is not None
    return found if known and "|images:off|" not in run.summary["signature"] else None


def group_runs(runs: Sequence[LeaderboardRun]) -> list[SignatureGroup]:
    """Runs by what they depend on, as they came; those without verdicts stand with the first that have some."""
    found: dict[str, list[LeaderboardRun]] = {}
    for run in runs:
        key = pinned(run)
        if "|usable:" not in key:
            key = next((pin for each in runs if (pin := pinned(each)).startswith(f"{key}|usable:")), key)
        found.setdefault(key, []).append(run)
    return [SignatureGroup(at, tuple(same), tuple(_names(same))) for at, same in enumerate(found.values(), start=1)]


def _names(runs: Sequence[LeaderboardRun]) -> list[str]:
    counted = Counter(run.editor for run in runs)
    folders = [os.path.abspath(run.folder) for run in runs]
    above = os.path.commonpath(folders)
    return [
        f"{run.editor} ({os.path.relpath(folder, above)})" if counted[run.editor] > 1 else run.editor
        for run, folder in zip(runs, folders, strict=True)
    ]


class SignatureDifference(NamedTuple):
    """In which parts another table's signature differs: what the part is called, what it says here and there."""

    number: int
    parts: list[tuple[str, str, str]]

    def told(self) -> str:
        """The same in short."""
        return f"Table {self.number} ({', '.join(title for title, _, _ in self.parts)})"


def differences(groups: Sequence[SignatureGroup], group: SignatureGroup) -> list[SignatureDifference]:
    """How a table differs from the others; those come first that differ least, being confused most easily."""
    found = []
    for other in groups:
        if other is not group:
            parts = differing_parts([group.signature, other.signature])
            said = [(PARTS.get(key, key), mine, theirs) for key, (mine, theirs) in parts.items()]
            found.append(SignatureDifference(other.number, said))
    return sorted(found, key=lambda difference: len(difference.parts))


def apart(groups: Sequence[SignatureGroup]) -> set[str]:
    """Parts of the signature that are not the same in all tables."""
    return set(differing_parts([group.signature for group in groups]))
