"""Columns of the tables of a run on pages."""

from __future__ import annotations

from typing import Any

import polars as pl

from vdebench.metrics.registry import block_metrics, image_metrics

TABLES = ("scores", "blocks", "regions")


def schema_of(table: str) -> dict[str, Any]:
    """Return the columns of a table, including those of every registered metric."""
    return {"scores": _score_columns, "blocks": _block_columns, "regions": _region_columns}[table]()


def _score_columns() -> dict[str, Any]:
    sums = (("sum", pl.Float64), ("n", pl.Int64), ("matched_n", pl.Int64))
    return {
        **dict.fromkeys(("sample", "setting", "fingerprint"), pl.String),
        **dict.fromkeys(("group", "operation", "edit_class", "language", "source", "page"), pl.String),
        "judged_by": pl.String,
        **dict.fromkeys(("state", "reason"), pl.String),
        **dict.fromkeys(("gt_blocks", "matched_blocks", "unmatched_gt", "unmatched_pred"), pl.Int64),
        "iou_sum": pl.Float64,
        **{f"{name}_{part}": kind for name in block_metrics() for part, kind in sums},
        **dict.fromkeys(("page_edits", "page_characters", "unplaced_blocks"), pl.Int64),
        **dict.fromkeys(("mse", *image_metrics()), pl.Float64),
        **dict.fromkeys(("preservation", "stray", "visual_fidelity", "edited"), pl.Float64),
        **dict.fromkeys(("width", "height"), pl.Int64),
        "image_reason": pl.String,
        "changes": pl.String,
        **dict.fromkeys(("unasked_changes", "changed_facts", "illegible_words", "cropped_words"), pl.Int64),
        "zoom": pl.Float64,
    }


def _block_columns() -> dict[str, Any]:
    return {
        **dict.fromkeys(("sample", "setting"), pl.String),
        "region": pl.Int64,
        **dict.fromkeys(("state", "label"), pl.String),
        "truth": pl.Int64,
        "prediction": pl.List(pl.Int64),
        **dict.fromkeys(("iou", *block_metrics()), pl.Float64),
    }


def _region_columns() -> dict[str, Any]:
    return {
        **dict.fromkeys(("sample", "setting"), pl.String),
        "region": pl.Int64,
        **dict.fromkeys(("kind", "outcome"), pl.String),
        **dict.fromkeys(("text_similarity", "cdm", "bleu"), pl.Float64),
        **dict.fromkeys(("read", "wanted", "before"), pl.String),
    }
