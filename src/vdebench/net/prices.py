"""Listed prices of models, in dollars per million tokens; users can set others."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from vdebench.errors import VdeError
from vdebench.net.answer import Usage

DATED = "2025-11"
"""Date of the table: check your provider's prices before a large run."""


class Price(NamedTuple):
    """Dollars per million input and output tokens. Without discounts for cached input: costs are upper bounds."""

    input: float
    output: float

    def of(self, usage: Usage) -> float:
        """Return the cost of some tokens in dollars.

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
IMAGE_PRICES = {
    "gpt-image-1": Price(10, 40),  # an upper bound: text input costs half
    "gemini-2.5-flash-image": Price(0.3, 30),
    "gemini-3-pro-image": Price(2, 120),  # an upper bound: text output costs a tenth
}
"""Prices of models that output images."""
_VERSION = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$")


def price_of(model: str) -> Price | None:
    """Return the listed price of a model, also for dated names; None if unknown.

    >>> price_of("gpt-4o-2024-08-06"), price_of("my-model")
    (Price(input=2.5, output=10), None)
    """
    return PRICES.get(model) or PRICES.get(_VERSION.sub("", model))


def parse_price(text: str) -> Price:
    """Parse the option --price.

    >>> parse_price("0.5,2")
    Price(input=0.5, output=2.0)
    """
    numbers = _numbers(text)
    if len(numbers) != 2:
        raise VdeError(f"--price is {text!r}, expected dollars per million tokens in and out, as in 2.5,10")
    return Price(*numbers)


def parse_image_price(value: str | float) -> Price | float | None:
    """Parse the editor option price: dollars per image or per million tokens in and out; None if empty.

    >>> parse_image_price("0.03"), parse_image_price("10,40"), parse_image_price("")
    (0.03, Price(input=10.0, output=40.0), None)
    """
    if value == "":
        return None
    numbers = _numbers(str(value))
    if len(numbers) not in (1, 2):
        raise VdeError(f"price is {value!r}, expected dollars an image, as in 0.03, or per million tokens, as in 10,40")
    return Price(*numbers) if len(numbers) == 2 else numbers[0]


def _numbers(text: str) -> list[float]:
    """Parse comma-separated numbers; an empty list if one is negative or not finite."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        return []
    return numbers if all(0 <= number < math.inf for number in numbers) else []
