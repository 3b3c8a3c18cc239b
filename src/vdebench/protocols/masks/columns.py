"""Columns of a run on images with masks."""

from typing import Any

import polars as pl

SETTING = "outside"
"""The name of this track beside `global` and `local`."""
NUMBERS = (
    *("mse", "psnr", "ssim", "lpips", "mse_raw", "psnr_raw", "ssim_raw", "lpips_raw"),
    *("mask_share", "redrawn", "edit_mse", "edit_psnr", "edit_ssim", "done_pixels"),
    *("text_kept", "edit_text", "done_text", "done", "score", "residual"),
)
"""Columns of numbers in the rows."""
COLUMNS = ("score", "done", "untouched", "text_kept", "ssim", "lpips", "psnr", "mse", "ssim_raw", "psnr_raw")
"""Metrics in tables."""
CALLED = {"split": "group", "topic": "source"}
"""Names that TextEditBench has for slices, and their columns."""
ROWS: dict[str, Any] = {
    **dict.fromkeys(("sample", "setting", "group", "operation", "source", "tier"), pl.String),
    **dict.fromkeys(("state", "reason", "against", "alignment"), pl.String),
    "transform": pl.List(pl.List(pl.Float64)),
    **dict.fromkeys(("matches", "inliers", "width", "height"), pl.Int64),
    **dict.fromkeys(("resized", "untouched"), pl.Boolean),
    **dict.fromkeys(NUMBERS, pl.Float64),
}
"""Columns of `scores.parquet` with their types."""
