"""Summary of a run on images with masks: coverage, alignment and means, overall and by every slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from typing import Protocol as Interface

import polars as pl

from vdebench.metrics.image import decibel
from vdebench.protocols.masks.columns import NUMBERS, SETTING
from vdebench.protocols.mean_columns import MeanColumns, Statistic, values_column

SLICES = ("group", "operation", "source", "tier")
"""Split, operation, topic and difficulty tier."""
_FACTS = ("mask_share", "redrawn")  # neither good nor bad


class MaskMeanRules(Interface):
    """The fields of a mask protocol that change means."""

    @property
    def psnr(self) -> Literal["finite", "pooled", "as it comes"]:
        """How PSNR is averaged."""

    @property
    def whole(self) -> bool:
        """Whether the edit itself is measured too."""


def summarise(rows: pl.DataFrame, protocol: MaskMeanRules, crossed: Sequence[tuple[str, ...]] = ()) -> dict[str, Any]:
    """Return coverage, means and breakdowns of a run's rows."""
    states = rows["state"].to_list()
    return {
        "coverage": {
            "samples": len(rows),
            **{state: states.count(state) for state in ("scored", "missing", "failed")},
        },
        "alignment": _counts(rows, "alignment"),
        "overall": {SETTING: means(rows, protocol)},
        "by": {
            ",".join(by): {
                ",".join(key): {SETTING: means(part, protocol)}
                for key, part in sorted(_text_keys(rows.partition_by(by, as_dict=True)).items())
            }
            for by in [*((name,) for name in SLICES), *crossed]
        },
        "notes": _notes(rows, protocol),
    }


def _text_keys(parts: dict[tuple[Any, ...], pl.DataFrame]) -> dict[tuple[str, ...], pl.DataFrame]:
    return {tuple(map(str, key)): part for key, part in parts.items()}


def _counts(rows: pl.DataFrame, column: str) -> dict[str, int]:
    return dict(sorted(rows[column].drop_nulls().value_counts().iter_rows()))


def means(rows: pl.DataFrame, protocol: MaskMeanRules) -> dict[str, Any]:
    """Means of a slice, None without values; `n_…` is the number of samples behind a mean."""
    scored = rows.filter(pl.col("state") == "scored")
    result: dict[str, Any] = {name: scored[name].mean() for name in NUMBERS if not name.startswith("psnr")}
    for end in ("", "_raw"):
        result |= _psnr(scored, protocol, end)
    if protocol.whole:
        result["untouched"] = scored["untouched"].mean()
        # a missing output counts as not done
        missing = (pl.col("state") == "missing") & (pl.col("against") == "reference")
        for name in ("done", "score"):
            values = rows.filter(missing | pl.col(name).is_not_null())[name]
            result |= {name: values.fill_null(0.0).mean(), f"n_{name}": len(values)}
        if len(scored) and not scored["ssim"].count():
            result |= {"score": None, "n_score": 0}  # without SSIM only missing outputs would count
    counts = {f"n_{name}": scored[name].count() for name in ("mse", "ssim", "lpips", "text_kept")}
    return {**result, **counts, "samples": len(rows), "images": len(scored)}


def mean_columns(rows: pl.DataFrame, protocol: MaskMeanRules) -> MeanColumns:
    """Return the columns behind all means and the metrics made of them; an infinite PSNR is no metric."""
    scored = rows["state"] == "scored"
    columns = {name: values_column(rows[name], scored) for name in (*NUMBERS, "untouched") if name not in _FACTS}
    if protocol.whole:
        # a missing output has not done the edit
        absent = (rows["state"] == "missing") & (rows["against"] == "reference")
        for name in ("done", "score"):
            columns[name] = values_column(rows[name].fill_null(0.0), absent | rows[name].is_not_null())
        if scored.any() and not rows.filter(scored)["ssim"].count():  # only the zeros of missing outputs would be left
            del columns["score"]
    statistics = {name: Statistic((name,)) for name in columns if not name.startswith("psnr")}
    for end in ("", "_raw"):
        finite, pooled = Statistic((f"psnr{end}",)), Statistic((f"mse{end}",), decibel=True)
        if protocol.psnr != "as it comes" or not (rows[f"mse{end}"] == 0).any():
            statistics[f"psnr{end}"] = pooled if protocol.psnr == "pooled" else finite
        statistics |= {f"psnr_finite{end}": finite, f"psnr_pooled{end}": pooled}
    return columns, statistics


def _psnr(scored: pl.DataFrame, protocol: MaskMeanRules, end: str) -> dict[str, float | int | None]:
    """PSNR by the protocol's rule, None if infinite; `identical` is the number of identical images."""
    errors = scored["mse" + end].drop_nulls()
    identical = int((errors == 0).sum())
    finite, mean = scored["psnr" + end].mean(), errors.mean()
    pooled = decibel(float(mean)) if isinstance(mean, float) and mean else None
    headline = {"finite": finite, "pooled": pooled, "as it comes": None if identical else finite}[protocol.psnr]
    values: dict[str, Any] = {"psnr" + end: headline, "psnr_finite" + end: finite, "psnr_pooled" + end: pooled}
    return {**values, "identical" + end: identical}


def _notes(rows: pl.DataFrame, protocol: MaskMeanRules) -> list[str]:
    """Notes on outputs that could not be aligned, have another size, or are missing."""
    notes = []
    failed = rows.filter(pl.col("alignment").is_in(["few_features", "few_matches", "no_transform"]))
    if len(failed):
        effect = "metrics without alignment are used" if protocol.whole else "no MSE and PSNR"
        notes.append(
            f"{_outputs(len(failed))} could not be aligned ({failed['alignment'][0]}: {failed['sample'][0]}…): {effect}"
        )
    resized = rows.filter(pl.col("resized"))
    if len(resized):
        effect = "resized" if protocol.whole else "no SSIM and LPIPS"
        first = resized.row(0, named=True)
        size = f"{first['width']}×{first['height']}"
        notes.append(
            f"{_outputs(len(resized))} with another size than the page ({first['sample']}: {size} …): {effect}"
        )
    for reason, count in (
        rows.filter(pl.col("state") == "missing")["reason"].value_counts(sort=True).head(3).iter_rows()
    ):
        notes.append(f"{_outputs(count)} missing: {reason}")
    return notes


def _outputs(count: int) -> str:
    return "1 output" if count == 1 else f"{count} outputs"
