"""The answer of a model: a text or the reason of a failure, and the tokens used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from vdebench.net.addresses import excerpt
from vdebench.net.errors import RequestError
from vdebench.net.keys import Secret

COSTS = ("input_tokens", "output_tokens", "dollars")
"""Keys of the cost of a request in records."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts reported by a server; None if it reported none."""

    input: int | None = None
    output: int | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; unknown counts are ignored.

        >>> Usage(10, 2) + Usage(5, None) + Usage()
        Usage(input=15, output=2)
        """
        return Usage(_sum(self.input, other.input), _sum(self.output, other.output))


NO_USAGE = Usage()
"""Usage of a request without an answer, or without token counts."""


def _sum(one: int | None, other: int | None) -> int | None:
    known = [number for number in (one, other) if number is not None]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The result of one request to a model: a text, or the reason of a failure."""

    state: Literal["answered", "refused", "rate_limited", "timed_out", "too_large", "failed"]
    text: str = ""
    reason: str = ""
    model: str = ""
    """Name reported by the server."""
    usage: Usage = NO_USAGE
    asked_for: Literal["schema", "plain"] = "schema"
    finish: str = ""
    """Finish reason reported by the server."""
    retryable: bool = False
    """Whether the same request may succeed later."""
    wait: float = 0.0
    """Seconds to wait before a retry, as requested by the server."""
    lost: bool = False
    """Whether the server may have processed and charged the request although no answer arrived."""
    schema_refused: bool = False
    """Whether the server may have rejected the JSON schema rather than the question."""
    fatal: bool = False
    """Whether every other request would fail too: invalid key, empty account."""

    @classmethod
    def of_error(cls, error: RequestError) -> ModelAnswer:
        """Convert a failed request. An unknown address is not fatal: a proxy may report it for a single request."""
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
        """Return the failure for a successful response with an invalid body, such as a truncated one."""
        reason = f"{problem}: {excerpt(body) or 'empty body'}"
        return cls("failed", reason=reason, retryable=True, lost=True)

    def noted(self, note: str) -> ModelAnswer:
        """Return a copy that is not retryable, with a note appended to the reason."""
        return replace(self, reason=f"{self.reason} ({note})", retryable=False)

    def without(self, key: Secret) -> ModelAnswer:
        """Return a copy with a key removed from all texts."""
        return replace(self, text=key.redact(self.text), reason=key.redact(self.reason), model=key.redact(self.model))
