"""Numbers of a summary as short lists for the page, validated because summaries can be edited."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vdebench.report.site.board import cell

Packed = list[Any] | None
"""[value], or [value, low, high], or ["∞"]; None for no number."""
STATES = ("samples", "scored", "missing", "failed")


def packed(means: Mapping[str, Any] | None, key: str) -> Packed:
    """A metric with its interval, if there is one.

    >>> packed({"cdm": 0.8, "intervals": {"cdm": [0.7, 0.9]}}, "cdm")
    [0.8, 0.7, 0.9]
    """
    entry = cell(means, key)
    if entry is None:
        return None
    if entry.get("infinite"):
        return ["∞"]
    return [number(entry[part], key) for part in ("value", "low", "high") if part in entry]


def number(value: Any, name: str) -> float:
    """Return a finite number; raises `TypeError` for other values.

    >>> number("0.5", "cdm")
    Traceback (most recent call last):
    TypeError: cdm is '0.5', expected a number
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(f"{name} is {value!r}, expected a number")
    return value


def settings(by_setting: Mapping[str, Any], keys: Sequence[str]) -> dict[str, dict[str, Packed]]:
    """The metrics with a number of every setting with means."""
    return {
        setting: {key: value for key in keys if (value := packed(means, key)) is not None}
        for setting, means in by_setting.items()
        if means
    }


def coverage(counts: Mapping[str, Any]) -> list[float]:
    """Number of samples: all, scored, missing, failed."""
    return [number(counts[state], f"coverage.{state}") for state in STATES]


def slice_coverage(by_setting: Mapping[str, Any]) -> list[float] | None:
    """Number of samples of a slice, from its first setting with means, or None."""
    means: Mapping[str, Any] = next((entry for entry in by_setting.values() if entry), {})
    samples = means.get("samples")
    if isinstance(samples, Mapping):
        counts = [number(samples[state], f"samples.{state}") for state in STATES[1:]]
        return [sum(counts), *counts]
    if samples is not None and "images" in means:  # with masks: the others are missing or failed
        scored = number(means["images"], "images")
        return [number(samples, "samples"), scored, samples - scored, 0]
    return None


def usable(summary: Mapping[str, Any] | None) -> list[Any] | None:
    """Rate, bounds of its interval, samples with a verdict, samples without; None without a rate."""
    if not summary or summary.get("rate") is None:
        return None
    low, high = summary.get("interval") or (None, None)
    bounds = [None if bound is None else number(bound, "usable.interval") for bound in (low, high)]
    counts = [number(summary.get(key, 0), f"usable.{key}") for key in ("n", "unknown")]
    return [number(summary["rate"], "usable.rate"), *bounds, *counts]


def falls(summary: Mapping[str, Any] | None) -> dict[str, float] | None:
    """Samples by the first failed property, and those usable and without a verdict."""
    if not summary or summary.get("rate") is None or not summary.get("waterfall"):
        return None
    steps = summary["waterfall"]
    failed = {str(step["property"]): number(step["failed"], "usable.waterfall.failed") for step in steps}
    passed = number(steps[-1]["left"], "usable.waterfall.left")
    return {**failed, "usable": passed, "unknown": number(summary.get("unknown", 0), "usable.unknown")}
