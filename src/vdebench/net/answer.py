"""The answer of a model: a text, or the reason why there is none, with the tokens it used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from vdebench.net.addresses import excerpt
from vdebench.net.errors import RequestError
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
    """The result of one request to a model: a text, or the reason why there is none."""

    state: Literal["answered", "refused", "rate_limited", "timed_out", "too_large", "failed"]
    text: str = ""
    reason: str = ""
    model: str = ""
    """As the server names it."""
    usage: Usage = NO_USAGE
    asked_for: Literal["schema", "plain"] = "schema"
    finish: str = ""
    """Why the model stopped, as the server names it."""
    retryable: bool = False
    """Whether the same request may succeed later."""
    wait: float = 0.0
    """Seconds that the server asks to wait before that."""
    lost: bool = False
    """Whether the server may have answered, and charged for it, without our knowing."""
    schema_refused: bool = False
    """Whether the server may have refused the JSON schema, not the question."""
    fatal: bool = False
    """Whether every other question would fail too: a wrong key, an empty account."""

    @classmethod
    def of_error(cls, error: RequestError) -> ModelAnswer:
        """A failed request as an answer. An unknown address is not fatal: a proxy may say so of one request."""
        return cls(
            error.state,
            reason=str(error),
            retryable=error.retryable,
            wait=error.wait,
            lost=error.lost,
            schema_refused=error.kind == "request" and error.status in (400, 422),
            fatal=error.kind in ("key", "money", "quota"),
        )

    @classmethod
    def unusable(cls, problem: str, body: str) -> ModelAnswer:
        """A body that came with a status of success and is no answer: from a broken proxy, or half of one."""
        reason = f"{problem}: {excerpt(body) or 'an empty body'}"
        return cls("failed", reason=reason, retryable=True, lost=True)

    def noted(self, note: str) -> ModelAnswer:
        """The same, final, with a note on how often it was tried."""
        return replace(self, reason=f"{self.reason} ({note})", retryable=False)

    def without(self, key: Secret) -> ModelAnswer:
        """The same without a key in any of its texts."""
        return replace(self, text=key.redact(self.text), reason=key.redact(self.reason), model=key.redact(self.model))
