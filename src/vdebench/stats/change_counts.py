"""Counts of the changes between references and outputs, over the samples of a run."""

from __future__ import annotations

from typing import Any

import polars as pl

MEASURES = ("unasked_changes", "changed_facts", "illegible_words", "cropped_words", "zoom")
"""Columns of score rows with the numbers of a page's changes."""


def change_summary(scores: pl.DataFrame) -> dict[str, Any]:
    """Return means and totals over the samples whose changes were measured; None where there are none.

    >>> row = {"setting": "global", "changes": "{}", "unasked_changes": 3, "changed_facts": 1}
    >>> scores = pl.DataFrame([row | {"illegible_words": 0, "cropped_words": 2, "zoom": 0.02}])
    >>> {name: round(value, 2) for name, value in change_summary(scores).items()}  # doctest: +NORMALIZE_WHITESPACE
    {'measured': 1, 'unasked_per_page': 3.0, 'facts_per_100': 100.0, 'samples_with_changed_fact': 1,
     'share_with_changed_fact': 1.0, 'illegible_words': 0, 'cropped_words': 2, 'mean_zoom': 0.02}
    """
    rows = _measured(scores)
    if rows is None or not len(rows):
        empty = ("unasked_per_page", "facts_per_100", "samples_with_changed_fact", "share_with_changed_fact")
        return {"measured": 0, **dict.fromkeys((*empty, "illegible_words", "cropped_words", "mean_zoom"))}
    decided = rows["unasked_changes"].count()  # else it is not known which changes were asked for
    totals = {name: rows[name].sum() for name in MEASURES}
    with_fact = int((rows["changed_facts"] > 0).sum())
    return {
        "measured": len(rows),
        "unasked_per_page": totals["unasked_changes"] / decided if decided else None,
        "facts_per_100": 100 * totals["changed_facts"] / decided if decided else None,
        "samples_with_changed_fact": with_fact if decided else None,
        "share_with_changed_fact": with_fact / decided if decided else None,
        "illegible_words": int(totals["illegible_words"]),
        "cropped_words": int(totals["cropped_words"]),
        "mean_zoom": float(totals["zoom"]) / len(rows),
    }


def _measured(scores: pl.DataFrame) -> pl.DataFrame | None:
    """Rows with measured changes; None for tables of versions without them."""
    if any(name not in scores.columns for name in ("changes", *MEASURES)):
        return None
    return scores.filter((pl.col("setting") == "global") & pl.col("changes").is_not_null())
