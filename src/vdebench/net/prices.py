"""What judges cost, in dollars per million tokens, as their makers list it. Prices change: see `--price IN,OUT`."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from vdebench.errors import VdeError
from vdebench.net.answer import Usage

DATED = "2025-11"
"""When the table was written: look at your provider's page before a large run."""


class Price(NamedTuple):
    """Dollars per million tokens, in and out. Discounts for cached input are not counted: the sum is an upper bound."""

    input: float
    output: float

    def of(self, usage: Usage) -> float:
        """What some tokens cost.

        >>> Price(2.5, 10).of(Usage(1000, 100))
        0.0035
        """
        return ((usage.input or 0) * self.input + (usage.output or 0) * self.output) / 1e6


PRICES = {
    "gpt-4o": Price(2.5, 10),
    "gpt-4o-mini": Price(0.15, 0.6),
    "gpt-4.1": Price(2, 8),
    "gpt-4.1-mini": Price(0.4, 1.6),
    "gpt-4.1-nano": Price(0.1, 0.4),
    "o3": Price(2, 8),
    "o4-mini": Price(1.1, 4.4),
    "gpt-5": Price(1.25, 10),
    "gpt-5-mini": Price(0.25, 2),
    "gpt-5-nano": Price(0.05, 0.4),
    "gemini-2.5-pro": Price(1.25, 10),  # for prompts up to 200,000 tokens
    "gemini-2.5-flash": Price(0.3, 2.5),
    "gemini-2.5-flash-lite": Price(0.1, 0.4),
    "gemini-2.0-flash": Price(0.1, 0.4),
    "claude-opus-4-1": Price(15, 75),
    "claude-sonnet-4": Price(3, 15),
    "claude-sonnet-4-5": Price(3, 15),
    "claude-haiku-4-5": Price(1, 5),
    "claude-3-5-haiku": Price(0.8, 4),
}
_VERSION = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$")


def price_of(model: str) -> Price | None:
    """The listed price of a model, also under its dated names; nothing where it is not known.

    >>> price_of("gpt-4o-2024-08-06"), price_of("my-model")
    (Price(input=2.5, output=10), None)
    """
    return PRICES.get(model) or PRICES.get(_VERSION.sub("", model))


def parse_price(given: str) -> Price:
    """The price that a user names.

    >>> parse_price("0.5,2")
    Price(input=0.5, output=2.0)
    """
    try:
        into, out = (float(part) for part in given.split(","))
    except ValueError:
        into = out = math.nan
    if not (0 <= into < math.inf and 0 <= out < math.inf):
        raise VdeError(f"--price is {given!r}, expected dollars per million tokens in and out, as in 2.5,10")
    return Price(into, out)
