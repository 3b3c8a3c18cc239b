"""Facts about functions that scores depend on: names and versions, and for metrics their direction and bounds."""

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

VERSIONS: dict[Callable[..., Any], str] = {}
"""`name-version` of every function that was given one. Keyed by the function itself: a wrapper is another function."""


def versioned(name: str, version: int = 1) -> Callable[[Function], Function]:
    """Give a function the name and version under which signatures know it.

    Raise the version whenever the function, or one that it calls, returns other results for the same arguments.
    """

    def record(function: Function) -> Function:
        VERSIONS[function] = f"{name}-{version}"
        return function

    return record


def metric(
    name: str,
    *,
    version: int = 1,
    best: Literal["higher", "lower"] = "higher",
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Callable[[Function], Function]:
    """Record a metric's facts and its version; calling the decorated function is calling the function."""

    def record(function: Function) -> Function:
        METRICS[name] = Metric(name, best, bounds, function)
        return versioned(name, version)(function)

    return record
