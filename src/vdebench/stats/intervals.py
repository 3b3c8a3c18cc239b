"""Bootstrap intervals of every mean of a summary, overall and in every slice, from its rows.

Each slice is resampled by itself: its interval is that of `stored.intervals` for its rows alone, which is also faster
than drawing all pages and masking rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from vdebench.protocols.pages.means import label_pieces
from vdebench.protocols.protocol import Protocol
from vdebench.stats.bootstrap import RESAMPLES, Array, Derive, bootstrap_parts, sum_by_cluster
from vdebench.stats.matrix import matrix_of

LEVEL, SEED = 0.95, 0
MANY_PAGES, FEWER_RESAMPLES = 5_000, 2_000
"""Above this number of pages, this smaller number of resamples is drawn."""
Names = Sequence[tuple[str, ...]]
"""Columns that define slices; empty for all rows."""


class _Rows(NamedTuple):
    """Rows of one setting: numerators and denominators of their means, page numbers, and columns for slices."""

    over: Array
    under: Array
    pages: NDArray[np.int64]
    about: pl.DataFrame
    metrics: list[str]
    derive: Derive


def with_intervals(
    summary: Mapping[str, Any],
    rows: pl.DataFrame,
    protocol: Protocol,
    blocks: pl.LazyFrame | None = None,
) -> dict[str, Any]:
    """Return the summary with `intervals` next to the means, and their method in `interval`.

    Samples of one page (the column `page`) are drawn together. `blocks` are needed for slices by label.
    """
    result = {**summary, "overall": _copy_means(summary["overall"])}
    result["by"] = {
        name: {value: _copy_means(means) for value, means in by.items()} for name, by in summary["by"].items()
    }
    counted = protocol.counted(rows)
    paged = "page" in rows.columns and bool(rows["page"].is_not_null().any())
    pages = _page_numbers(counted, paged)
    resamples = RESAMPLES if len(set(pages.values())) <= MANY_PAGES else FEWER_RESAMPLES
    names: list[tuple[str, ...]] = [(), *(tuple(name.split(",")) for name in result["by"])]
    labelled = [by for by in names if "label" in by]
    _fill(result, [counted], [by for by in names if by not in labelled], protocol, pages, resamples)
    if blocks is not None and labelled:
        _fill(result, label_pieces(counted, blocks), labelled, protocol, pages, resamples)
    method = {"method": "percentile", "level": LEVEL, "resamples": resamples, "seed": SEED}
    return {**result, "interval": {**method, "clusters": "page" if paged else "sample"}}


def describe_intervals(interval: Mapping[str, Any]) -> str:
    """One line on the method of the intervals.

    >>> describe_intervals({"method": "percentile", "level": 0.95, "resamples": 2000, "seed": 0, "clusters": "page"})
    '95 % bootstrap intervals: percentile, 2,000 resamples of pages, seed 0; too narrow for fewer than 20 pages'
    """
    unit = f"{interval['clusters']}s"
    method = f"{interval['method']}, {interval['resamples']:,} resamples of {unit}, seed {interval['seed']}"
    level = f"{interval['level']:.0%}".replace("%", " %")
    return f"{level} bootstrap intervals: {method}; too narrow for fewer than 20 {unit}"


def _copy_means(by_setting: Mapping[str, Any]) -> dict[str, Any]:
    return {setting: dict(means) if means else means for setting, means in by_setting.items()}


def _page_numbers(rows: pl.DataFrame, paged: bool) -> dict[str, int]:
    """The page number of every sample; a sample without a page has its own."""
    numbers: dict[tuple[str, bool], int] = {}
    page = pl.col("page") if paged else pl.lit(None, pl.String)
    return {
        sample: numbers.setdefault((sample, False) if page is None else (page, True), len(numbers))
        for sample, page in rows.select("sample", page.alias("page")).iter_rows()
    }


def _fill(
    result: Mapping[str, Any],
    pieces: Iterable[pl.DataFrame],
    names: Names,
    protocol: Protocol,
    pages: Mapping[str, int],
    resamples: int,
) -> None:
    """Add intervals to the means of some slices; slices of the same rows share them."""
    slices = [means for by in names for each in _values(result, by) for means in each.values() if means]
    metric_names = {name for means in slices for name, value in means.items() if isinstance(value, float)}
    parts: dict[tuple[str, bytes], tuple[Array, Array]] = {}
    targets: list[tuple[tuple[str, bytes], dict[str, Any]]] = []
    metrics: list[str] = []
    derive: Derive | None = None
    for setting, rows in _by_setting(pieces, names, protocol, pages, metric_names).items():
        metrics, derive = rows.metrics, rows.derive  # the same in all settings
        for by in names:
            for value, at in _slices(rows, by):
                means = (result["by"][",".join(by)].get(value, {}) if by else result["overall"]).get(setting)
                if means:
                    key = setting, at.tobytes()
                    if key not in parts:
                        parts[key] = sum_by_cluster(rows.over[at], rows.under[at], rows.pages[at])
                    targets.append((key, means))
    results = bootstrap_parts(list(parts.values()), resamples=resamples, seed=SEED, level=LEVEL, derive=derive)
    bounds = dict(zip(parts, results, strict=True))
    for key, means in targets:
        rows_of_bounds = zip(metrics, *(side.tolist() for side in bounds[key]), strict=True)
        means["intervals"] = {
            name: [low, high]
            for name, low, high in rows_of_bounds
            if means.get(name) is not None and not math.isnan(low)
        }


def _values(result: Mapping[str, Any], by: tuple[str, ...]) -> Iterable[Mapping[str, Any]]:
    return result["by"][",".join(by)].values() if by else [result["overall"]]


def _by_setting(
    pieces: Iterable[pl.DataFrame],
    names: Names,
    protocol: Protocol,
    pages: Mapping[str, int],
    metric_names: set[str],
) -> dict[str, _Rows]:
    """Rows of every setting as sums; score rows may come in pieces."""
    by_setting: dict[str, list[_Rows]] = {}
    used = list(dict.fromkeys(column for by in names for column in by))
    for piece in pieces:
        columns, statistics = protocol.mean_columns(piece)
        chosen = {name: each for name, each in statistics.items() if name in metric_names}
        matrix = matrix_of(piece["sample"].to_list(), columns, chosen)
        numbers = np.array([pages[sample] for sample in matrix.samples], dtype=np.int64)
        settings = piece["setting"].to_numpy()
        about = piece.select("setting", *used)
        for setting in dict.fromkeys(settings.tolist()):
            at = np.flatnonzero(settings == setting)
            part = _Rows(
                matrix.numerators[at], matrix.denominators[at], numbers[at], about[at], matrix.metrics, matrix.derive
            )
            by_setting.setdefault(setting, []).append(part)
    return {setting: _concatenate(part) for setting, part in by_setting.items()}


def _concatenate(parts: Sequence[_Rows]) -> _Rows:
    if len(parts) == 1:
        return parts[0]
    over, under, pages = (np.concatenate([rows[at] for rows in parts]) for at in range(3))
    return parts[0]._replace(over=over, under=under, pages=pages, about=pl.concat([rows.about for rows in parts]))


def _slices(rows: _Rows, by: tuple[str, ...]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield the values of the columns, named as in the summary, with the rows of each."""
    if not by:
        yield "", np.arange(len(rows.over))
        return
    indices: dict[tuple[Any, ...], list[int]] = {}
    for at, key in enumerate(rows.about.select(by).iter_rows()):
        indices.setdefault(key, []).append(at)
    for key, positions in indices.items():
        yield ",".join(map(str, key)), np.array(positions)
