"""Outcomes of regions, corrected for OCR errors that also occur on the reference.

Used for the rate of regions done and for the textual correctness of usable edits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from vdebench.protocols.pages.region_outcome import CAN_READ, outcome

_UNDECIDED = ("text_kept", "text_changed", "unreadable")
"""Outcomes that are in no rate: they cannot be decided by text."""
_DEFAULT_OUTCOMES = ("done", "not_done", "partly", "wrong_text", "text_kept", "text_changed")

Region = Mapping[str, Any]


def is_readable(reference: Region | None) -> bool:
    """Whether the reader can read a region of the reference; True if unknown.

    >>> is_readable({"wanted": "합계", "cdm": 0.0}), is_readable({"wanted": "Total", "cdm": 0.8}), is_readable(None)
    (False, True, True)
    """
    if reference is None or not reference.get("wanted"):
        return True
    return (reference.get("cdm") or 0.0) >= CAN_READ


def judged_outcome(region: Region, reference: Region | None) -> str:
    """The outcome of a region, given the OCR output of the same region of the reference.

    >>> row = {"outcome": "wrong_text", "read": "4l2.7", "before": "418.7", "cdm": 0.8}
    >>> judged_outcome(row, {**row, "wanted": "412.7"})  # the reference reads the same
    'done'
    >>> judged_outcome(row, None)
    'wrong_text'
    """
    result = str(region["outcome"])
    if reference is None:
        return result
    if not is_readable(reference):
        return "unreadable"
    if result not in _DEFAULT_OUTCOMES or result == "done":
        return result
    if result in ("text_kept", "text_changed"):
        return "text_kept" if region["read"] == reference["read"] else result
    if reference["outcome"] == "not_done":  # the reference reads as before: undecided by text
        return "text_kept" if region["read"] == reference["read"] else result
    if region["read"] == reference["read"]:
        return "done"
    allowed = outcome(region["read"] or "", reference["read"] or "", region["before"])
    return "done" if allowed == "done" else result


def judged_regions(regions: pl.DataFrame, references: pl.DataFrame | None) -> pl.DataFrame:
    """Return region rows with outcomes corrected by the region rows of the reference."""
    if references is None or not len(references):
        return regions
    by_region = {(row["sample"], row["region"]): row for row in references.iter_rows(named=True)}
    outcomes = [
        judged_outcome(row, by_region.get((row["sample"], row["region"]))) for row in regions.iter_rows(named=True)
    ]
    return regions.with_columns(pl.Series("outcome", outcomes, pl.String))


def region_summary(
    regions: pl.DataFrame, about: pl.DataFrame, references: pl.DataFrame | None = None
) -> dict[str, Any]:
    """Counts and rates of region outcomes, overall and by kind, operation and language.

    `about` has the operation and language of every sample. With the regions of the references, outcomes are corrected
    for OCR errors, and `reference_rate` is the rate of the references.
    """
    rows = judged_regions(regions, references).join(about, on="sample", how="left", maintain_order="left")
    by = {
        column: {value: _outcomes(rows.filter(pl.col(column) == value)) for value in sorted(rows[column].unique())}
        for column in ("kind", "operation", "language")
    }
    summary = {**_outcomes(rows), "by": by}
    if references is not None and len(references):
        summary["reference_rate"] = _outcomes(references)["rate"]
    return summary


def _outcomes(rows: pl.DataFrame) -> dict[str, Any]:
    counts = dict(rows["outcome"].value_counts(sort=True).iter_rows())
    good = counts.get("success", 0) + counts.get("done", 0)
    means = {name: rows[name].mean() for name in ("text_similarity", "cdm", "bleu") if rows[name].count()}
    decided = len(rows) - sum(counts.get(name, 0) for name in _UNDECIDED)
    return {"n": len(rows), "rate": good / decided if decided else None, "outcomes": counts, **means}


def unreadable_samples(references: pl.DataFrame | None, regions: pl.DataFrame) -> Iterator[str]:
    """Yield samples with a region that the reader cannot read in the reference, or has reported as unreadable."""
    if references is not None:
        yield from (row["sample"] for row in references.iter_rows(named=True) if not is_readable(row))
    yield from regions.filter(pl.col("outcome") == "unreadable")["sample"]
