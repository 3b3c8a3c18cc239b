"""What a metric says of itself: its name, which way is better, its bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Metric:
    """Facts about one metric function."""

    name: str
    best: Literal["higher", "lower"]
    bounds: tuple[float, float]
    function: Callable[..., Any]

    @property
    def says(self) -> str:
        """First line of the function's documentation."""
        return (self.function.__doc__ or "").partition("\n")[0]


METRICS: dict[str, Metric] = {}


def metric(
    name: str, *, best: Literal["higher", "lower"] = "higher", bounds: tuple[float, float] = (0.0, 1.0)
) -> Callable[[Function], Function]:
    """Record a function's facts; calling the decorated function is calling the function."""

    def record(function: Function) -> Function:
        METRICS[name] = Metric(name, best, bounds, function)
        return function

    return record
