"""Means over blocks and over samples, for any slice, from the sums in a run folder.

The totals of a slice are a vector: rows can come in pieces, and the same rows in the same order give bit-identical
numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal
from typing import Protocol as Interface

import numpy as np
import polars as pl
from numpy.typing import NDArray

from vdebench.metrics.image import decibel
from vdebench.metrics.registry import block_metrics, image_metrics
from vdebench.protocols.mean_columns import MeanColumn, MeanColumns, Statistic

Vector = NDArray[np.float64]
Totals = dict[tuple[str, ...], Vector]
COUNTS = ("gt_blocks", "matched_blocks", "unmatched_gt", "unmatched_pred", "images", "identical")
HEADLINE_PSNR = {"finite": "psnr_finite", "below 100": "psnr_below_100"}
"""The column behind a protocol's mean PSNR, unless it is computed from the mean squared error."""
_PSNR = ("mse", "psnr_below_100", "psnr_finite")


_CORRECTNESS = ("bleu", "cdm", "teds_like")  # whose mean is the text correctness


class PageMeanRules(Interface):
    """The fields of a page protocol that change means."""

    @property
    def measures(self) -> tuple[str, ...]:
        """Text metrics, in the order of the columns."""

    @property
    def text_counts(self) -> Literal["matched", "all"]:
        """Blocks behind the means of text metrics."""

    @property
    def iou_counts(self) -> Literal["truth", "all"]:
        """Blocks behind the mean IoU."""

    @property
    def headline(self) -> Literal["micro", "macro"]:
        """Means over blocks, or means over samples."""

    @property
    def page_text(self) -> bool:
        """Whether the whole page's text is scored too."""

    @property
    def psnr(self) -> Literal["finite", "below 100", "pooled"]:
        """How PSNR is averaged."""


def image_names() -> tuple[str, ...]:
    """Names of image metrics; PSNR has several forms because it is infinite for identical images."""
    return (*_PSNR, *(name for name in image_metrics() if name != "psnr"))


def totals(pieces: Iterable[pl.DataFrame], by: Sequence[str], protocol: PageMeanRules) -> Totals:
    """Totals of every slice of score rows; `by` are the columns that define slices, empty for all rows."""
    sums_by_slice: Totals = {}
    for rows in pieces:
        keys, codes = _slices(rows, by)
        sums = [np.bincount(codes, weights=column, minlength=len(keys)) for column in sum_columns(rows, protocol)]
        vectors = np.stack(sums, axis=1)
        for key, vector in zip(keys, vectors, strict=True):
            sums_by_slice[key] = sums_by_slice[key] + vector if key in sums_by_slice else vector
    return sums_by_slice


def means(vector: Vector, protocol: PageMeanRules) -> dict[str, Any]:
    """Headline means of a slice, its counts, and the other kind of means; None for a mean that does not apply."""
    kinds: dict[str, dict[str, float | None]] = {"micro": {}, "macro": {}}
    names = mean_names(protocol)
    for name, sums in zip(names, vector[: 4 * len(names)].reshape(-1, 4), strict=True):
        for kind, (total, count) in zip(kinds, sums.reshape(2, 2), strict=True):
            kinds[kind][name] = float(total / count) if count > 0 else None
    beside = "macro" if protocol.headline == "micro" else "micro"
    counts = dict(zip(COUNTS, map(int, vector[4 * len(names) :]), strict=True))
    images = _image_means(kinds["macro"], protocol) if counts["images"] else {}
    for values in kinds.values():
        for name in image_names():
            del values[name]
    return {**_complete(kinds[protocol.headline]), **images, **counts, beside: _complete(kinds[beside])}


def _image_means(values: Mapping[str, float | None], protocol: PageMeanRules) -> dict[str, float | None]:
    """Means of image metrics; an infinite PSNR is None."""
    error = values["mse"]
    pooled = decibel(error) if error else None
    headline = pooled if protocol.psnr == "pooled" else values[HEADLINE_PSNR[protocol.psnr]]
    return {
        "psnr": headline,
        "psnr_pooled": pooled,
        **{name: values[name] for name in image_names() if name not in _PSNR[:2]},
    }


def label_pieces(scores: pl.DataFrame, blocks: pl.LazyFrame, at_once: int = 1 << 12) -> Iterable[pl.DataFrame]:
    """Yield blocks as score rows, one for every sample, setting and label, a few thousand blocks at a time."""
    about = scores.select("sample", "setting", "group", "operation", "edit_class", "language", "source")
    sizes = (scores["gt_blocks"] + scores["unmatched_pred"]).to_list()  # blocks are in the order of the scores
    start = end = 0
    for i, size in enumerate(sizes):
        end += size
        if end > start and (i + 1 == len(sizes) or end - start >= at_once):
            sums = _label_sums(blocks.slice(start, end - start))
            yield sums.join(about, on=["sample", "setting"], how="left", maintain_order="left")
            start = end


def _label_sums(blocks: pl.LazyFrame) -> pl.DataFrame:
    """Sums over the blocks of every sample, setting and label.

    Not computed by polars: its order of summation, and so the last digit, depends on the number of threads.
    """
    keys = ["sample", "setting", "label"]
    rows = blocks.collect()
    groups = rows.select(keys).unique(maintain_order=True)
    numbered = groups.with_row_index("code")
    codes = rows.join(numbered, on=keys, how="left", nulls_equal=True, maintain_order="left")["code"].to_numpy()

    def total(values: pl.Series) -> Vector:
        numbers = values.cast(pl.Float64).fill_null(0.0).to_numpy()
        return np.bincount(codes, numbers, len(groups)).astype(np.float64)

    def count(flags: pl.Series) -> NDArray[Any]:
        return total(flags).astype(np.int64)

    matched, in_truth = rows["state"] == "matched", rows["truth"].is_not_null()
    columns: dict[str, NDArray[Any]] = {
        "gt_blocks": count(in_truth),
        "matched_blocks": count(matched),
        "unmatched_gt": count(in_truth & ~matched),
        "unmatched_pred": count(~in_truth),
        "iou_sum": total(rows["iou"].set(~matched, None)),
    }
    for name in block_metrics():
        valid = rows[name].is_not_null()
        columns[f"{name}_sum"] = total(rows[name])
        columns[f"{name}_n"] = count(valid)
        columns[f"{name}_matched_n"] = count(valid & matched)
    return groups.with_columns(pl.Series(name, values) for name, values in columns.items())


def _slices(rows: pl.DataFrame, by: Sequence[str]) -> tuple[list[tuple[str, ...]], NDArray[Any]]:
    """The slices, sorted, and for every row the number of its slice."""
    if not by:
        return [()], np.zeros(len(rows), dtype=np.int64)
    slices = rows.select(by).unique().sort(by)
    codes = rows.select(by).join(slices.with_row_index("code"), on=by, how="left", maintain_order="left")["code"]
    return slices.rows(), codes.to_numpy()


def mean_names(protocol: PageMeanRules) -> list[str]:
    """Names of the means that apply, in the order of the vector."""
    matched = [f"{name}_matched" for name in protocol.measures] if protocol.text_counts == "all" else []
    page = ["page_text"] if protocol.page_text else []
    return ["iou", "iou_matched", "iou_all", *protocol.measures, *matched, *page, *image_names()]


def mean_columns(rows: pl.DataFrame, protocol: PageMeanRules) -> MeanColumns:
    """Return the columns behind all means of counted rows, and the headline metrics made of them."""
    names = mean_names(protocol)
    vectors = list(sum_columns(rows, protocol))
    columns, images = {}, image_names()
    for index, name in enumerate(names):
        total, count, value, valid = vectors[4 * index : 4 * index + 4]
        each = protocol.headline == "macro" or name in images
        columns[name] = MeanColumn(value, valid, True) if each else MeanColumn(total, count, False)
    statistics = {name: Statistic((name,)) for name in names if name not in ("mse", "psnr_below_100")}
    if set(_CORRECTNESS) <= columns.keys():
        statistics["text_correctness"] = Statistic(_CORRECTNESS)
    pooled = Statistic(("mse",), decibel=True)
    headline = pooled if protocol.psnr == "pooled" else Statistic((HEADLINE_PSNR[protocol.psnr],))
    statistics |= {"psnr": headline, "psnr_pooled": pooled}
    return columns, statistics


def sum_columns(rows: pl.DataFrame, protocol: PageMeanRules) -> Iterable[Vector]:
    """Yield four columns for every mean: sum and count over blocks, mean by sample and whether it exists."""

    def column(name: str) -> Vector:
        if name not in rows.columns:
            return np.zeros(len(rows))
        return rows[name].cast(pl.Float64).fill_null(0.0).to_numpy()

    images = image_names()
    for name in mean_names(protocol):
        total, count = _image_quotient(name, column, rows) if name in images else _quotient(name, column, protocol)
        each = np.divide(total, count, out=np.zeros(len(rows)), where=count > 0)
        yield from (total, count, each, (count > 0).astype(np.float64))
    for name in COUNTS[:-2]:
        yield column(name)
    yield _has_value(rows, "width")
    yield _has_value(rows, "mse") * (column("mse") == 0)


def _has_value(rows: pl.DataFrame, name: str) -> Vector:
    """1 for rows with a value, else 0."""
    return rows[name].is_not_null().cast(pl.Float64).to_numpy() if name in rows.columns else np.zeros(len(rows))


def _quotient(name: str, column: Any, protocol: PageMeanRules) -> tuple[Vector, Vector]:
    """Numerator and denominator of a mean."""
    everything = column("gt_blocks") + column("unmatched_pred")
    if name == "iou":
        return column("iou_sum"), everything if protocol.iou_counts == "all" else column("gt_blocks")
    if name == "iou_matched":
        return column("iou_sum"), column("matched_blocks")
    if name == "iou_all":
        return column("iou_sum"), everything
    if name == "page_text":
        return column("page_characters") - column("page_edits"), column("page_characters")
    metric = name.removesuffix("_matched")
    return column(f"{metric}_sum"), column(f"{metric}_n" if metric == name else f"{metric}_matched_n")


def _image_quotient(name: str, column: Any, rows: pl.DataFrame) -> tuple[Vector, Vector]:
    """An image metric and its weights: samples that have it; for PSNR, samples whose images differ (enough)."""
    if name in HEADLINE_PSNR.values():
        limit = 100 if name == "psnr_below_100" else np.inf
        weights = _has_value(rows, "mse") * (column("mse") > 0) * (column("psnr") < limit)
        return np.where(weights > 0, column("psnr"), 0.0), weights
    return column(name), _has_value(rows, name)


def _complete(values: dict[str, float | None]) -> dict[str, float | None]:
    """All columns of a summary in order; metrics that do not apply are None."""
    parts = [values.get(name) for name in _CORRECTNESS]
    present = [part for part in parts if part is not None]
    ordered = {name: values.get(name) for name in ("iou", "iou_matched", "iou_all", *block_metrics())}
    return {**ordered, "text_correctness": sum(present) / 3 if len(present) == 3 else None} | values
