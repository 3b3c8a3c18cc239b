"""Numbers of a summary as the page has them: short lists that are checked, since anybody can edit a file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vdebench.report.site.board import cell

Packed = list[Any] | None
"""[value], or [value, low, high], or ["∞"]; None for no number."""
STATES = ("samples", "scored", "missing", "failed")


def packed(means: Mapping[str, Any] | None, key: str) -> Packed:
    """A metric of some means, with its interval where there is one.

    >>> packed({"cdm": 0.8, "intervals": {"cdm": [0.7, 0.9]}}, "cdm")
    [0.8, 0.7, 0.9]
    """
    found = cell(means, key)
    if found is None:
        return None
    if found.get("infinite"):
        return ["∞"]
    return [number(found[part], key) for part in ("value", "low", "high") if part in found]


def number(value: Any, what: str) -> float:
    """A number that is one.

    >>> number("0.5", "cdm")
    Traceback (most recent call last):
    TypeError: cdm is '0.5', expected a number
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(f"{what} is {value!r}, expected a number")
    return value


def settings(found: Mapping[str, Any], keys: Sequence[str]) -> dict[str, dict[str, Packed]]:
    """All metrics of every setting that has means; metrics without a number are left out."""
    return {
        setting: {key: value for key in keys if (value := packed(means, key)) is not None}
        for setting, means in found.items()
        if means
    }


def coverage(found: Mapping[str, Any]) -> list[float]:
    """How many samples there are, were scored, are missing, have failed."""
    return [number(found[state], f"coverage.{state}") for state in STATES]


def slice_coverage(found: Mapping[str, Any]) -> list[float] | None:
    """The same of a slice, by what its first setting tells; nothing where it tells nothing."""
    means: Mapping[str, Any] = next((each for each in found.values() if each), {})
    told = means.get("samples")
    if isinstance(told, Mapping):
        counts = [number(told[state], f"samples.{state}") for state in STATES[1:]]
        return [sum(counts), *counts]
    if told is not None and "images" in means:  # around masks: those that were not scored are missing or have failed
        scored = number(means["images"], "images")
        return [number(told, "samples"), scored, told - scored, 0]
    return None


def usable(found: Mapping[str, Any] | None) -> list[Any] | None:
    """Rate, bounds of its interval, samples with a verdict, samples without; nothing where no verdict was made."""
    if not found or found.get("rate") is None:
        return None
    low, high = found.get("interval") or (None, None)
    bounds = [None if bound is None else number(bound, "usable.interval") for bound in (low, high)]
    counts = [number(found.get(key, 0), f"usable.{key}") for key in ("n", "unknown")]
    return [number(found["rate"], "usable.rate"), *bounds, *counts]


def falls(found: Mapping[str, Any] | None) -> dict[str, float] | None:
    """Samples by the property they fail first at, with those that are usable and those without a verdict."""
    if not found or found.get("rate") is None or not found.get("waterfall"):
        return None
    steps = found["waterfall"]
    lost = {str(step["property"]): number(step["failed"], "usable.waterfall.failed") for step in steps}
    left = number(steps[-1]["left"], "usable.waterfall.left")
    return {**lost, "usable": left, "unknown": number(found.get("unknown", 0), "usable.unknown")}
