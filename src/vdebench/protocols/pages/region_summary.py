"""Outcomes of regions, with an allowance for what the reader misreads on the reference too.

The same rule decides the rate of regions done and the textual correctness of usable edits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from vdebench.protocols.pages.region_outcome import CAN_READ, outcome

_NOT_JUDGED = ("text_kept", "text_changed", "unreadable")
"""Outcomes that are in no rate: text does not tell."""
_OF_THE_DEFAULT = ("done", "not_done", "partly", "wrong_text", "text_kept", "text_changed")

Region = Mapping[str, Any]


def is_readable(reference: Region | None) -> bool:
    """Whether the reader can read a region of the reference; True where that is not known.

    >>> is_readable({"wanted": "합계", "cdm": 0.0}), is_readable({"wanted": "Total", "cdm": 0.8}), is_readable(None)
    (False, True, True)
    """
    if reference is None or not reference.get("wanted"):
        return True
    return (reference.get("cdm") or 0.0) >= CAN_READ


def judged_outcome(region: Region, reference: Region | None) -> str:
    """The outcome of a region, given how the same reader reads the region of the reference.

    >>> row = {"outcome": "wrong_text", "read": "4l2.7", "before": "418.7", "cdm": 0.8}
    >>> judged_outcome(row, {**row, "wanted": "412.7"})  # the reference reads the same
    'done'
    >>> judged_outcome(row, None)
    'wrong_text'
    """
    found = str(region["outcome"])
    if reference is None:
        return found
    if not is_readable(reference):
        return "unreadable"
    if found not in _OF_THE_DEFAULT or found == "done":
        return found
    if found in ("text_kept", "text_changed"):
        return "text_kept" if region["read"] == reference["read"] else found
    if reference["outcome"] == "not_done":  # the reference reads as before: text does not tell
        return "text_kept" if region["read"] == reference["read"] else found
    if region["read"] == reference["read"]:
        return "done"
    allowed = outcome(region["read"] or "", reference["read"] or "", region["before"])
    return "done" if allowed == "done" else found


def judged_regions(regions: pl.DataFrame, references: pl.DataFrame | None) -> pl.DataFrame:
    """The region rows with their outcomes judged by the rows of the reference's regions."""
    if references is None or not len(references):
        return regions
    known = {(row["sample"], row["region"]): row for row in references.iter_rows(named=True)}
    found = [judged_outcome(row, known.get((row["sample"], row["region"]))) for row in regions.iter_rows(named=True)]
    return regions.with_columns(pl.Series("outcome", found, pl.String))


def region_summary(
    regions: pl.DataFrame, about: pl.DataFrame, references: pl.DataFrame | None = None
) -> dict[str, Any]:
    """Counts and rates of region outcomes, overall and by kind, operation and language.

    `about` has the operation and language of every sample. Where the reference's own regions are known, outcomes make
    the reader's allowance, and `reference_rate` is the share of them that the reader sees done.
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
    judged = len(rows) - sum(counts.get(name, 0) for name in _NOT_JUDGED)
    return {"n": len(rows), "rate": good / judged if judged else None, "outcomes": counts, **means}


def unreadable_samples(references: pl.DataFrame | None, regions: pl.DataFrame) -> Iterator[str]:
    """Samples with a region that the reader cannot read in the reference, or said so itself."""
    if references is not None:
        yield from (row["sample"] for row in references.iter_rows(named=True) if not is_readable(row))
    yield from regions.filter(pl.col("outcome") == "unreadable")["sample"]
