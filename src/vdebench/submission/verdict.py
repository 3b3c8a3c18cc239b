"""What a check of a submission found, and the word for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vdebench.submission.consistency import SummaryMismatch
from vdebench.submission.manifest import Manifest
from vdebench.submission.row_differences import RowDifference

State = Literal["ok", "failed", "not checked"]
Word = Literal["confirmed", "consistent", "not confirmed"]


class SubmissionCheck(NamedTuple):
    """One thing that was looked at, and what came of it."""

    name: str
    state: State
    told: str


@dataclass
class SubmissionVerdict:
    """What a check of a submission found."""

    file: Path
    sha256: str
    manifest: Manifest
    checks: list[SubmissionCheck] = field(default_factory=list)
    discords: list[SummaryMismatch] = field(default_factory=list)
    """Of the summary with the rows."""
    differences: list[RowDifference] = field(default_factory=list)
    """Of the rows with those scored here."""
    limits: list[str] = field(default_factory=list)
    """What could not be checked though rows were scored again: it is not confirmed."""
    environment: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Versions that are not the same here, as claimed and as here."""

    @property
    def word(self) -> Word:
        """confirmed: rows were scored again and are the same; consistent: nothing is wrong, but not all is checked."""
        if any(check.state == "failed" for check in self.checks):
            return "not confirmed"
        done = {check.name for check in self.checks if check.state == "ok"}
        return "confirmed" if {"predictions", "rows"} <= done and not self.limits else "consistent"

    @property
    def exit_code(self) -> int:
        """1 where something is wrong."""
        return int(self.word == "not confirmed")

    def add(self, name: str, state: State, told: str) -> None:
        """Note what came of a check."""
        self.checks.append(SubmissionCheck(name, state, told))

    def to_json(self) -> dict[str, Any]:
        """All of it, for programs."""
        told = {
            "file": str(self.file),
            "sha256": self.sha256,
            "verdict": self.word,
            "signature": self.manifest.signature,
            "editor": self.manifest.editor,
            "checks": [check._asdict() for check in self.checks],
            "limits": self.limits,
            "summary_differs": [discord._asdict() for discord in self.discords],
            "rows_differ": [difference._asdict() for difference in self.differences],
            "environment_differs": {name: list(both) for name, both in self.environment.items()},
        }
        return {key: _finite(value) for key, value in told.items()}


def _finite(data: Any) -> Any:
    """JSON whose numbers are numbers: a stranger's may be infinite."""
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, list | tuple):
        return [_finite(item) for item in data]
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    return data
