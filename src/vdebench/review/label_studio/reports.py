"""What a push or a pull came to, for people and programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from vdebench.review.label_studio.projects import ReviewProject


class RefusedAnnotation(NamedTuple):
    """An annotation that does not count."""

    desk: ReviewProject
    sample: str
    annotation: int
    who: str
    """The e-mail, or what is known of whoever it was."""
    reason: str
    words: str

    def __str__(self) -> str:
        """One line."""
        where = f"{self.desk.step} {self.desk.voter.replace(':', ' ')}"
        return f"{where}: {self.sample}: annotation {self.annotation} of {self.who}: {self.reason}: {self.words}"

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {**self._asdict(), "desk": self.desk._asdict()}


@dataclass(slots=True)
class PullReport:
    """Annotations by what became of them."""

    accepted: Counter[str] = field(default_factory=Counter)
    """By step: they count since now."""
    known: int = 0
    """They counted before."""
    cancelled: int = 0
    refused: list[RefusedAnnotation] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For people."""
        steps = ", ".join(f"{step} {count}" for step, count in self.accepted.items())
        told = f"pulled: {self.accepted.total()} accepted{f' ({steps})' if steps else ''}, {self.known} known before, "
        told += f"{len(self.refused)} refused" + (f", {self.cancelled} cancelled" if self.cancelled else "")
        return [*map(str, self.refused), told]

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        refused = [each.to_json() for each in self.refused]
        return {"accepted": dict(self.accepted), "known": self.known, "cancelled": self.cancelled, "refused": refused}


@dataclass(slots=True)
class PushReport:
    """Tasks by what became of them."""

    projects: int = 0
    """Made now."""
    tasks: Counter[str] = field(default_factory=Counter)
    """Made now, by step."""
    there: int = 0
    """Of those that are waited for, there before."""
    images: int = 0
    """Uploaded now."""
    unready: int = 0
    """Waits for `vde review prepare`."""
    broken: dict[str, str] = field(default_factory=dict)
    """Samples whose pictures cannot be read, and why."""

    def lines(self) -> list[str]:
        """For people."""
        steps = ", ".join(f"{step} {count}" for step, count in self.tasks.items())
        told = f"pushed: {self.tasks.total()} new tasks{f' ({steps})' if steps else ''}, {self.there} there before"
        told += f"; {self.projects} new projects, {self.images} images uploaded"
        if self.unready:
            told += f"; {self.unready} wait for `vde review prepare`"
        return [*(f"{sample}: {words}" for sample, words in self.broken.items()), told]

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return {**told, "tasks": dict(self.tasks)}
