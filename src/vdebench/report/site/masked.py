"""JSON data of samples of runs with masks: numbers, alignment, and metrics inside the masks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.io.images import image_size
from vdebench.metrics.alignment import Alignment
from vdebench.protocols.masks.columns import COLUMNS, SETTING
from vdebench.report.site.gather import SuiteRuns

Fact = tuple[str, str]
_NUMBERS = (*(name for name in COLUMNS if name != "untouched"), "mse_raw", "lpips_raw")
_STATES = {
    "aligned": "aligned",
    "in_place": "in place: the output without alignment is nearer to the page and is used",
    "few_features": "not aligned: too few features",
    "few_matches": "not aligned: too few matches",
    "no_transform": "not aligned: no transform fits",
}
_INSIDE = {
    "redrawn": ("Redrawn inside the mask", 3),
    "done_pixels": ("Done, in pixels", 3),
    "done_text": ("Done, in text", 3),
    "edit_text": ("Text against the reference", 3),
    "edit_ssim": ("SSIM against the reference", 3),
    "edit_psnr": ("PSNR against the reference", 2),
    "edit_mse": ("MSE against the reference", 1),
}


def numbers(row: Mapping[str, Any]) -> dict[str, dict[str, float | str]]:
    """The numbers of a scored row; PSNR is infinite for identical images."""
    values: dict[str, float | str] = {}
    for key in _NUMBERS:
        value = row[key]
        if value is not None and math.isfinite(value):
            values[key] = round(value, 5)
        elif key.startswith("psnr") and row[key.replace("psnr", "mse")] == 0:
            values[key] = "∞"
    return {SETTING: values}


def outcomes(row: Mapping[str, Any]) -> list[str]:
    """Whether the content of the masks changed, if that was measured."""
    return [] if row["untouched"] is None else ["untouched" if row["untouched"] else "changed"]


def alignment_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """The compared image, and the alignment with it."""
    return {
        "against": row["against"],
        "alignment": row["alignment"] or "none",
        "transform": row["transform"] if row["alignment"] == "aligned" else None,
    }


def facts(runs: SuiteRuns, sample: Sample, row: Mapping[str, Any]) -> dict[str, list[Fact]]:
    """Facts in the panel of a scored sample, by title."""
    if row["state"] != "scored":
        return {}
    groups: dict[str, list[Fact]] = {"Alignment": [("Compared with", f"the {row['against']}")]}
    if row["alignment"]:
        groups["Alignment"] += [
            ("State", _STATES.get(row["alignment"], row["alignment"])),
            *_transform_facts(runs, sample, row),
        ]
    if row["resized"]:
        groups["Alignment"].append(("Size", f"{row['width']}×{row['height']} pixels, not the page's"))
    inside = [(title, f"{row[key]:.{digits}f}") for key, (title, digits) in _INSIDE.items() if row[key] is not None]
    if row["mask_share"] is not None:
        inside.insert(0, ("Share of the page", f"{100 * row['mask_share']:.2f} %"))
    return {**groups, "Inside the masks": inside}


def _transform_facts(runs: SuiteRuns, sample: Sample, row: Mapping[str, Any]) -> list[Fact]:
    """The transform as text: shift of the centre, scale, rotation, residual and matches."""
    entries: list[Fact] = []
    if row["transform"]:
        first, second = ((float(a), float(b), float(c)) for a, b, c in row["transform"])
        alignment = Alignment("aligned", (first, second))
        shift = _shift(runs, sample, row)
        entries += [("Shift", f"{shift[0]:+z.2f}, {shift[1]:+z.2f} pixels (right, down)")] if shift else []
        entries += [("Scale", f"{alignment.scale:.4f}"), ("Turn", f"{alignment.angle:+z.3f}°")]
    if row["residual"] is not None:
        entries.append(("Residual", f"{row['residual']:.3f} pixels"))
    return [*entries, ("Matches", f"{row['matches']}, of which {row['inliers']} fit")]


def _shift(runs: SuiteRuns, sample: Sample, row: Mapping[str, Any]) -> tuple[float, float] | None:
    """Shift of the output's centre from the page's."""
    try:
        files = runs.suite.image_files(sample)
        page = files.reference if row["against"] == "reference" else files.source
        size = image_size(page) if page else None
    except VdeError:  # deleted meanwhile
        return None
    if size is None:
        return None
    x, y = (row["width"] - 1) / 2, (row["height"] - 1) / 2
    (a, b, c), (d, e, f) = row["transform"]
    return a * x + b * y + c - (size.width - 1) / 2, d * x + e * y + f - (size.height - 1) / 2
