"""The result of verifying a submission: its checks and the verdict."""

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
    """One check and its result."""

    name: str
    state: State
    message: str


@dataclass
class SubmissionVerdict:
    """The result of verifying a submission."""

    file: Path
    sha256: str
    manifest: Manifest
    checks: list[SubmissionCheck] = field(default_factory=list)
    mismatches: list[SummaryMismatch] = field(default_factory=list)
    """Differences between the summary and the rows."""
    differences: list[RowDifference] = field(default_factory=list)
    """Differences between the rows and newly computed ones."""
    limits: list[str] = field(default_factory=list)
    """What could not be checked although rows were scored again; such a submission is not "confirmed"."""
    environment: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Software versions that differ: (claimed, local)."""

    @property
    def word(self) -> Word:
        """confirmed: rows scored again are equal; consistent: nothing is wrong, but not everything was checked."""
        if any(check.state == "failed" for check in self.checks):
            return "not confirmed"
        passed = {check.name for check in self.checks if check.state == "ok"}
        return "confirmed" if {"predictions", "rows"} <= passed and not self.limits else "consistent"

    @property
    def exit_code(self) -> int:
        """1 if the verdict is "not confirmed", else 0."""
        return int(self.word == "not confirmed")

    def add(self, name: str, state: State, message: str) -> None:
        """Add the result of a check."""
        self.checks.append(SubmissionCheck(name, state, message))

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON data, for `vde verify --json`."""
        data = {
            "file": str(self.file),
            "sha256": self.sha256,
            "verdict": self.word,
            "signature": self.manifest.signature,
            "editor": self.manifest.editor,
            "checks": [{"name": name, "state": state, "told": message} for name, state, message in self.checks],
            "limits": self.limits,
            "summary_differs": [mismatch._asdict() for mismatch in self.mismatches],
            "rows_differ": [difference._asdict() for difference in self.differences],
            "environment_differs": {name: list(both) for name, both in self.environment.items()},
        }
        return {key: _finite(value) for key, value in data.items()}


def _finite(data: Any) -> Any:
    """Replace infinite numbers and NaN, which a submission may contain, with None."""
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, list | tuple):
        return [_finite(item) for item in data]
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    return data
