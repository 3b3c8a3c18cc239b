"""What comes of asking a judge: a grade, or a state that says why there is none. Never a number for a failure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from vdebench.judges.secret import Secret

State = Literal[
    "graded", "refused", "invalid", "rate_limited", "timed_out", "too_large", "failed", "missing", "not_asked"
]
STATES: tuple[State, ...] = get_args(State)
SETTLED = frozenset({"graded", "refused"})
"""States that are not asked about again when a run goes on."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a server counted; nothing where it did not say."""

    input: int | None = None
    output: int | None = None

    def __add__(self, other: Usage) -> Usage:
        """Both together: what is not known stays out.

        >>> Usage(10, 2) + Usage(5, None) + Usage()
        Usage(input=15, output=2)
        """
        return Usage(_sum(self.input, other.input), _sum(self.output, other.output))


def _sum(one: int | None, other: int | None) -> int | None:
    known = [number for number in (one, other) if number is not None]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request to a server led to: a text, or why there is none."""

    state: Literal["answered", "refused", "rate_limited", "timed_out", "too_large", "failed"]
    text: str = ""
    reason: str = ""
    model: str = ""
    """As the server names it."""
    usage: Usage = Usage()
    asked_for: Literal["schema", "plain"] = "schema"
    passing: bool = False
    """Whether the same request may succeed later."""
    wait: float = 0.0
    """Seconds that the server asks to wait before that."""
    lost: bool = False
    """Whether the server may have answered, and charged for it, without our knowing."""
    may_be_the_schema: bool = False
    """Whether the server may have refused the way of asking, not the question."""
    fatal: bool = False
    """Whether every other question would fare alike: a wrong key, an empty account."""

    def without(self, key: Secret) -> Answer:
        """The same without a key in any of its texts."""
        return replace(self, text=key.out_of(self.text), reason=key.out_of(self.reason), model=key.out_of(self.model))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a question led to, after all tries and the one repair."""

    state: State
    grade: int | None = None
    rationale: str = ""
    reason: str = ""
    model: str = ""
    usage: Usage = Usage()
    cost: float | None = None
    """In dollars; nothing where no price is known."""
    seconds: float = 0.0
    tries: int = 0
    """Requests that were sent."""
    unpriced: int = 0
    """Requests of unknown cost: no answer came, or one without a count of tokens."""
    asked_for: str = "schema"
    repaired: bool = False
