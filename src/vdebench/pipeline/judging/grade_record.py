"""`GradeRecord`: a line of `grades.jsonl`, and the value that the cache of grades holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from vdebench.io.records import parse_record
from vdebench.judges.dimension import all_dimensions
from vdebench.judges.outcome import JudgeOutcome, State
from vdebench.judges.questions import Question

LIMITS = {
    "draw": 10**6,
    "input_tokens": 10**9,
    "output_tokens": 10**9,
    "cost": 10**5,
    "seconds": 10**8,
    "tries": 10**6,
    "unpriced": 10**6,
}
"""The largest plausible value of each number in a record; the smallest is 0."""
_OUTCOME = tuple(field.name for field in fields(JudgeOutcome) if field.name != "usage")


class GradeRecord(NamedTuple):
    """The outcome of one question: sample, dimension and draw."""

    sample: str
    dimension: str
    draw: int
    digest: str
    """Digest of the question: of everything that the answer depends on."""
    state: State
    grade: int | None
    rationale: str
    reason: str
    model: str
    cost: float | None
    """In dollars; None where no price is known."""
    seconds: float
    tries: int
    unpriced: int
    asked_for: str
    repaired: bool
    input_tokens: int | None
    output_tokens: int | None
    cached: bool
    """Whether the answer comes from the cache, at no cost."""
    images: Sequence[Mapping[str, Any]]
    """The images sent."""

    @classmethod
    def of(
        cls, question: Question, digest: str, outcome: JudgeOutcome, images: Sequence[Mapping[str, Any]]
    ) -> GradeRecord:
        """Return the record of an answer; token counts and costs that cannot be right are unknown."""
        sample, dimension, draw = question.place
        values = {name: getattr(outcome, name) for name in _OUTCOME}
        values |= {"input_tokens": outcome.usage.input, "output_tokens": outcome.usage.output}
        for name in ("input_tokens", "output_tokens", "cost"):
            if values[name] is not None and not 0 <= values[name] <= LIMITS[name]:
                values |= {name: None, "unpriced": outcome.tries}
        return cls(sample, dimension, draw, digest, **values, cached=False, images=list(images))

    @classmethod
    def from_cache(cls, question: Question, digest: str, value: Any) -> GradeRecord | None:
        """Return the record of an answer that an earlier run paid for; None where the value is not a valid grade."""
        sample, dimension, draw = question.place
        free = {"cost": 0.0, "seconds": 0.0, "tries": 0, "unpriced": 0, "cached": True}
        about = {"sample": sample, "dimension": dimension, "draw": draw, "digest": digest}
        try:
            record = parse_record(cls, {**value, **about, **free})
        except (TypeError, ValueError):
            return None
        return record if record.state == "graded" else None

    def to_cache(self) -> dict[str, Any]:
        """Return the value that the cache holds: the answer without the question."""
        return {name: value for name, value in self._asdict().items() if name not in _QUESTION}

    def validate(self) -> None:
        """Raise ValueError where the grade does not fit the dimension or the state, or a number is impossible."""
        known = all_dimensions()
        if self.dimension not in known:
            raise ValueError(f"the dimension is {self.dimension!r}, expected one of {', '.join(known)}")
        low, high = known[self.dimension].low, known[self.dimension].high
        if self.state == "graded" and (self.grade is None or not low <= self.grade <= high):
            raise ValueError(f"the grade is {self.grade}, expected an integer from {low} to {high}")
        if self.state != "graded" and self.grade is not None:
            raise ValueError(f"the grade is {self.grade}, expected none, because the state is {self.state!r}")
        for name, most in LIMITS.items():
            value = getattr(self, name)
            if value is not None and not 0 <= value <= most:
                raise ValueError(f"{name!r} is {value}, expected a number from 0 to {most}")


_QUESTION = ("sample", "dimension", "draw", "digest", "cached")
