"""The cost of an edit over all its requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vdebench.editors.servers.answer import ImageAnswer
from vdebench.net.answer import Usage
from vdebench.net.prices import Price


def cost(price: Price | float | None, tokens_in: int | None, tokens_out: int | None, *, image: bool) -> float | None:
    """Return the cost of an answer in dollars; None if unknown, or without an image if the price is per image.

    >>> cost(0.03, None, None, image=True), cost(Price(10, 40), 1000, 100, image=False)
    (0.03, 0.014)
    >>> cost(Price(10, 40), None, None, image=True), cost(0.03, None, None, image=False)
    (None, None)
    """
    if price is None:
        return None
    if not isinstance(price, Price):
        return price if image else None
    known = tokens_in is not None or tokens_out is not None
    return round(price.of(Usage(tokens_in, tokens_out)), 9) if known else None


@dataclass
class EditCost:
    """Requests, tokens and dollars of one edit so far, including failed requests."""

    price: Price | float | None
    requests: int = 0
    unanswered: int = 0
    """Requests without an answer, whose cost is unknown."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    dollars: float | None = None

    def add(self, answer: ImageAnswer) -> None:
        """Add an answer, with the cost that the server states or by the price."""
        tokens = answer.input_tokens, answer.output_tokens
        priced = cost(self.price, *tokens, image=bool(answer.picture))
        self.input_tokens, self.output_tokens = (
            add_known(self.input_tokens, tokens[0]),
            add_known(self.output_tokens, tokens[1]),
        )
        self.dollars = add_known(self.dollars, priced if answer.dollars is None else answer.dollars)

    @property
    def record(self) -> dict[str, Any]:
        """The entries of an edit's parameters."""
        names = ("requests", "unanswered", "input_tokens", "output_tokens", "dollars")
        return {name: getattr(self, name) for name in names}


def add_known(before: Any, more: Any) -> Any:
    """Add two numbers; None is unknown and adds nothing.

    >>> add_known(None, 3), add_known(0.1, 0.2), add_known(None, None)
    (3, 0.3, None)
    """
    if before is None or more is None:
        return more if before is None else before
    return round(before + more, 9)
