"""The answer of a model behind a server: a text, or the reason why there is none, with the tokens it used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from vdebench.net.keys import Secret

COSTS = ("input_tokens", "output_tokens", "dollars")
"""What a request can cost, by the names under which it is recorded."""


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


NO_USAGE = Usage()
"""Of an answer that did not come, or did not say."""


def _sum(one: int | None, other: int | None) -> int | None:
    known = [number for number in (one, other) if number is not None]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What one request to a server led to: a text, or why there is none."""

    state: Literal["answered", "refused", "rate_limited", "timed_out", "too_large", "failed"]
    text: str = ""
    reason: str = ""
    model: str = ""
    """As the server names it."""
    usage: Usage = NO_USAGE
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

    def without(self, key: Secret) -> ModelAnswer:
        """The same without a key in any of its texts."""
        return replace(self, text=key.out_of(self.text), reason=key.out_of(self.reason), model=key.out_of(self.model))
