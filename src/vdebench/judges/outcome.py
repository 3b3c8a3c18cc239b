"""What comes of asking a judge: a grade, or a state that says why there is none. Never a number for a failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from vdebench.net.answer import NO_USAGE, Usage

State = Literal[
    "graded", "refused", "invalid", "rate_limited", "timed_out", "too_large", "failed", "missing", "not_asked"
]
STATES: tuple[State, ...] = get_args(State)
SETTLED = frozenset({"graded", "refused"})
"""States that are not asked about again when a run goes on."""


@dataclass(frozen=True, slots=True)
class JudgeOutcome:
    """What a question led to, after all tries and the one repair."""

    state: State
    grade: int | None = None
    rationale: str = ""
    reason: str = ""
    model: str = ""
    usage: Usage = NO_USAGE
    cost: float | None = None
    """In dollars; nothing where no price is known."""
    seconds: float = 0.0
    tries: int = 0
    """Requests that were sent."""
    unpriced: int = 0
    """Requests of unknown cost: no answer came, or one without a count of tokens."""
    asked_for: str = "schema"
    repaired: bool = False
