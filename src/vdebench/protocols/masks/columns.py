"""Columns of a run on images with masks."""

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
