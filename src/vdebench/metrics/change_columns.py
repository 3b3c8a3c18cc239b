"""Columns of tables that count changes: what the summary of a run has under `usable.changes`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from vdebench.metrics.registry import metric

_COUNT: dict[str, Any] = {"kind": "run", "best": "lower", "bounds": (0.0, math.inf), "setting": "global"}


@metric("unasked_changes", title="Unasked changes / page", digits=2, **_COUNT)
def unasked_changes(summary: Mapping[str, Any]) -> float | None:
    """Changes of text outside the edited regions, per page."""
    return _number(summary, "unasked_per_page")


@metric("changed_facts", title="Changed facts / 100 edits", digits=1, **_COUNT)
def changed_facts(summary: Mapping[str, Any]) -> float | None:
    """Numbers, dates, prices, codes and names that changed outside the edited regions, per 100 edits."""
    return _number(summary, "facts_per_100")


@metric("illegible_words", title="Illegible words", digits=0, main=False, **_COUNT)
def illegible_words(summary: Mapping[str, Any]) -> float | None:
    """Words of all pages that cannot be read on the outputs."""
    return _number(summary, "illegible_words")


@metric("cropped_words", title="Cropped words", digits=0, main=False, **_COUNT)
def cropped_words(summary: Mapping[str, Any]) -> float | None:
    """Words of all pages that lie outside the frames of the outputs."""
    return _number(summary, "cropped_words")


@metric("zoom", title="Zoom", digits=3, main=False, **_COUNT)
def zoom(summary: Mapping[str, Any]) -> float | None:
    """Mean enlargement or reduction of the pages in their frames, as a share."""
    return _number(summary, "mean_zoom")


def _number(summary: Mapping[str, Any], name: str) -> float | None:
    """A number of the summary; None if changes were not measured. Summaries can be edited."""
    usable = summary.get("usable")
    changes = usable.get("changes") if isinstance(usable, Mapping) else None
    value = changes.get(name) if isinstance(changes, Mapping) else None
    return value if isinstance(value, int | float) else None
