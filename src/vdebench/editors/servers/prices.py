"""What images cost, where that is known: prices change, so a run can name its own (`price=`)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from vdebench.editors.servers.answer import ImageAnswer
from vdebench.errors import VdeError
from vdebench.net.answer import Usage
from vdebench.net.prices import DATED, Price

__all__ = ["DATED", "LISTED", "EditCost", "cost", "parsed"]

LISTED = {
    "gpt-image-1": Price(10, 40),  # words in cost half: the sum is an upper bound
    "gemini-2.5-flash-image": Price(0.3, 30),
    "gemini-3-pro-image": Price(2, 120),  # words out cost a tenth: an upper bound again
}
"""Dollars per million tokens, in and out."""


def parsed(given: str | float) -> Price | float | None:
    """A price as the user names it: dollars an image, or dollars per million tokens in and out; nothing where none is.

    >>> parsed("0.03"), parsed("10,40"), parsed("")
    (0.03, Price(input=10.0, output=40.0), None)
    """
    if given == "":
        return None
    try:
        numbers = [float(part) for part in str(given).split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not all(0 <= number < math.inf for number in numbers):
        raise VdeError(f"price is {given!r}, expected dollars an image, as in 0.03, or per million tokens, as in 10,40")
    return Price(*numbers) if len(numbers) == 2 else numbers[0]


def cost(price: Price | float | None, tokens_in: int | None, tokens_out: int | None, *, image: bool) -> float | None:
    """Dollars for an answer; nothing where the price or the tokens are not known, or for a refusal by the image.

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
    """What one edit has cost so far: all its tries, those that came to nothing too."""

    price: Price | float | None
    requests: int = 0
    unanswered: int = 0
    """Requests that were sent and not answered: what they have cost is not known."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    dollars: float | None = None

    def add(self, answer: ImageAnswer) -> None:
        """Count an answer, by the server's own sum or by the price."""
        tokens = answer.input_tokens, answer.output_tokens
        priced = cost(self.price, *tokens, image=bool(answer.picture))
        self.input_tokens, self.output_tokens = plus(self.input_tokens, tokens[0]), plus(self.output_tokens, tokens[1])
        self.dollars = plus(self.dollars, priced if answer.dollars is None else answer.dollars)

    @property
    def told(self) -> dict[str, Any]:
        """As an edit's parameters have it."""
        names = ("requests", "unanswered", "input_tokens", "output_tokens", "dollars")
        return {name: getattr(self, name) for name in names}


def plus(before: Any, more: Any) -> Any:
    """A sum in which None is unknown, and adds nothing.

    >>> plus(None, 3), plus(0.1, 0.2), plus(None, None)
    (3, 0.3, None)
    """
    if before is None or more is None:
        return more if before is None else before
    return round(before + more, 9)
