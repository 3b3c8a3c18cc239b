"""Reports of a push and a pull."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from vdebench.review.label_studio.projects import ReviewProject


class RefusedAnnotation(NamedTuple):
    """An annotation that was refused."""

    project: ReviewProject
    sample: str
    annotation: int
    who: str
    """E-mail or number of the account."""
    reason: str
    words: str

    def __str__(self) -> str:
        """Return one line for the terminal."""
        where = f"{self.project.step} {self.project.voter.replace(':', ' ')}"
        return f"{where}: {self.sample}: annotation {self.annotation} of {self.who}: {self.reason}: {self.words}"

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {**self._asdict(), "project": self.project._asdict()}


@dataclass(slots=True)
class PullReport:
    """Result of a pull."""

    accepted: Counter[str] = field(default_factory=Counter)
    """New votes by step."""
    known: int = 0
    """Annotations that were already counted."""
    cancelled: int = 0
    refused: list[RefusedAnnotation] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return lines for the terminal."""
        steps = ", ".join(f"{step} {count}" for step, count in self.accepted.items())
        line = (
            f"pulled: {self.accepted.total()} accepted{f' ({steps})' if steps else ''}, {self.known} already counted, "
        )
        line += f"{len(self.refused)} refused" + (f", {self.cancelled} cancelled" if self.cancelled else "")
        return [*map(str, self.refused), line]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        refused = [each.to_json() for each in self.refused]
        return {"accepted": dict(self.accepted), "known": self.known, "cancelled": self.cancelled, "refused": refused}


@dataclass(slots=True)
class PushReport:
    """Result of a push."""

    projects: int = 0
    """Projects created."""
    tasks: Counter[str] = field(default_factory=Counter)
    """Tasks created, by step."""
    there: int = 0
    """Tasks that existed already."""
    images: int = 0
    """Images uploaded."""
    unready: int = 0
    """Samples that need `vde review prepare` first."""
    broken: dict[str, str] = field(default_factory=dict)
    """Samples whose images cannot be read, with the error."""

    def lines(self) -> list[str]:
        """Return lines for the terminal."""
        steps = ", ".join(f"{step} {count}" for step, count in self.tasks.items())
        line = f"pushed: {self.tasks.total()} new tasks{f' ({steps})' if steps else ''}, {self.there} already there"
        line += f"; {self.projects} new projects, {self.images} images uploaded"
        if self.unready:
            line += f"; {self.unready} wait for `vde review prepare`"
        return [*(f"{sample}: {words}" for sample, words in self.broken.items()), line]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "tasks": dict(self.tasks)}
