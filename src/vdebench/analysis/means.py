"""Means over blocks and over samples, for any slice, from the sums that a run folder keeps.

Sums are taken in the order of the rows, so that the same rows give the same number to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from vdebench.protocols.protocol import TEXT_METRICS, Protocol

Vector = NDArray[np.float64]
COUNTS = ("gt_blocks", "matched_blocks", "unmatched_gt", "unmatched_pred")


def slice_means(rows: pl.DataFrame, by: Sequence[str], protocol: Protocol) -> dict[tuple[str, ...], dict[str, Any]]:
    """Means of every slice of score rows; `by` names the columns that make the slices, none for all rows at once."""
    if by:
        slices = rows.select(by).unique().sort(by)
        codes = rows.select(by).join(slices.with_row_index("code"), on=by, how="left", maintain_order="left")["code"]
        return dict(zip(slices.rows(), _means(rows, codes.to_numpy(), len(slices), protocol), strict=True))
    return {(): _means(rows, np.zeros(len(rows), dtype=np.int64), 1, protocol)[0]}


def label_rows(blocks: pl.LazyFrame) -> pl.DataFrame:
    """Blocks as score rows: one for every sample, setting and label, with the sums over its blocks."""
    keys = ["sample", "setting", "label"]
    matched = pl.col("state") == "matched"
    in_truth = pl.col("truth").is_not_null()
    columns = [
        in_truth.sum().alias("gt_blocks"),
        matched.sum().alias("matched_blocks"),
        (in_truth & ~matched).sum().alias("unmatched_gt"),
        (~in_truth).sum().alias("unmatched_pred"),
        pl.col("iou").filter(matched).sum().alias("iou_sum"),
    ]
    for name in TEXT_METRICS:
        columns += [
            pl.col(name).sum().alias(f"{name}_sum"),
            pl.col(name).count().alias(f"{name}_n"),
            pl.col(name).filter(matched).count().alias(f"{name}_matched_n"),
        ]
    # A sample's blocks stand together and are few: each such sum is taken by one thread in one order.
    return blocks.group_by(keys, maintain_order=True).agg(columns).collect()


def _means(rows: pl.DataFrame, codes: NDArray[Any], count: int, protocol: Protocol) -> list[dict[str, Any]]:
    def column(name: str) -> Vector:
        return rows[name].cast(pl.Float64).fill_null(0.0).to_numpy()

    def total(values: Vector) -> Vector:
        return np.bincount(codes, weights=values, minlength=count).astype(np.float64)

    def micro(sums: Vector, counts: Vector) -> Vector:
        return _ratio(total(sums), total(counts))

    def macro(sums: Vector, counts: Vector) -> Vector:
        each = _ratio(sums, counts)
        there = ~np.isnan(each)
        return _ratio(total(np.where(there, each, 0.0)), total(there.astype(np.float64)))

    means = {"micro": _columns(column, micro, protocol), "macro": _columns(column, macro, protocol)}
    counts = {name: total(column(name)) for name in COUNTS}
    beside = "macro" if protocol.headline == "micro" else "micro"
    return [
        {
            **_at(means[protocol.headline], i),
            **{name: int(values[i]) for name, values in counts.items()},
            beside: _at(means[beside], i),
        }
        for i in range(count)
    ]


def _columns(column: Any, mean: Any, protocol: Protocol) -> dict[str, Vector | None]:
    """All metrics by one kind of mean; None for those that do not apply."""
    iou, truth, invented = column("iou_sum"), column("gt_blocks"), column("unmatched_pred")
    found: dict[str, Vector | None] = {
        "iou": mean(iou, truth + invented if protocol.iou_counts == "all" else truth),
        "iou_matched": mean(iou, column("matched_blocks")),
        "iou_all": mean(iou, truth + invented),
    }
    for name in TEXT_METRICS:
        applies = name in protocol.measures
        found[name] = mean(column(f"{name}_sum"), column(f"{name}_n")) if applies else None
    bleu, cdm, teds_like = (found[name] for name in ("bleu", "cdm", "teds_like"))
    found["text_correctness"] = (
        None if bleu is None or cdm is None or teds_like is None else (bleu + cdm + teds_like) / 3
    )
    if protocol.text_counts == "all":
        for name in protocol.measures:
            found[f"{name}_matched"] = mean(column(f"{name}_sum"), column(f"{name}_matched_n"))
    return found


def page_text(rows: pl.DataFrame, kind: str) -> float | None:
    """One minus the edits of all pages over their characters (micro), or the mean of that over pages (macro)."""
    edits, characters = (
        rows[name].fill_null(0).to_numpy().astype(np.float64) for name in ("page_edits", "page_characters")
    )
    if kind == "micro":
        edits, characters = edits.sum(keepdims=True), characters.sum(keepdims=True)
    each = 1 - _ratio(edits, characters)
    each = each[~np.isnan(each)]
    return float(each.mean()) if len(each) else None


def _ratio(sums: Vector, counts: Vector) -> Vector:
    """Quotients, NaN where there is nothing to divide by."""
    return np.asarray(np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0))


def _at(columns: dict[str, Vector | None], index: int) -> dict[str, float | None]:
    return {
        name: None if values is None or np.isnan(values[index]) else float(values[index])
        for name, values in columns.items()
    }
