"""The outcome of a question: a grade, or a state that tells why there is none; failures have no number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from vdebench.net.answer import NO_USAGE, Usage

State = Literal[
    "graded", "refused", "invalid", "rate_limited", "timed_out", "too_large", "failed", "missing", "not_asked"
]
STATES: tuple[State, ...] = get_args(State)
SETTLED = frozenset({"graded", "refused"})
"""States that are not asked again when a run is resumed."""


@dataclass(frozen=True, slots=True)
class JudgeOutcome:
    """The outcome of a question, after all retries and the repair."""

    state: State
    grade: int | None = None
    rationale: str = ""
    reason: str = ""
    model: str = ""
    usage: Usage = NO_USAGE
    cost: float | None = None
    """In dollars; None if no price is known."""
    seconds: float = 0.0
    tries: int = 0
    """Requests that were sent."""
    unpriced: int = 0
    """Requests of unknown cost: without an answer or without token counts."""
    asked_for: str = "schema"
    repaired: bool = False
