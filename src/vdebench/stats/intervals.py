"""Bootstrap intervals of every mean of a summary, overall and in every slice, from the rows it is made of.

A slice is drawn within itself: its interval is what `stored.intervals` gives for its rows alone. That is also quicker
than drawing all pages and masking the rows: slices by one column are parts of the whole, and each is as small as it is.
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
from vdebench.stats.bootstrap import RESAMPLES, Array, Derive, bootstrap_many, summed
from vdebench.stats.matrix import matrix_of

LEVEL, SEED = 0.95, 0
MANY, FEWER = 5_000, 2_000
"""Beyond so many pages, whose number is what drawing costs, so many resamples are drawn."""
Names = Sequence[tuple[str, ...]]
"""Columns that slices are made by, none for all rows at once."""


class _Rows(NamedTuple):
    """Rows of one setting: what adds up to their means, page by number, and what they can be sliced by."""

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
    """The summary with `intervals` beside all means that have one, and with `interval`, how they were made.

    Samples of one page (the column `page`) are drawn together. `blocks` are those of the rows, for slices by label.
    """
    made = {**summary, "overall": _copied(summary["overall"])}
    made["by"] = {name: {value: _copied(each) for value, each in by.items()} for name, by in summary["by"].items()}
    counted = protocol.counted(rows)
    paged = "page" in rows.columns and bool(rows["page"].is_not_null().any())
    pages = _numbered(counted, paged)
    resamples = RESAMPLES if len(set(pages.values())) <= MANY else FEWER
    names: list[tuple[str, ...]] = [(), *(tuple(name.split(",")) for name in made["by"])]
    labelled = [by for by in names if "label" in by]
    _fill(made, [counted], [by for by in names if by not in labelled], protocol, pages, resamples)
    if blocks is not None and labelled:
        _fill(made, label_pieces(counted, blocks), labelled, protocol, pages, resamples)
    how = {"method": "percentile", "level": LEVEL, "resamples": resamples, "seed": SEED}
    return {**made, "interval": {**how, "clusters": "page" if paged else "sample"}}


def how_made(how: Mapping[str, Any]) -> str:
    """How intervals were made, in a line.

    >>> how_made({"method": "percentile", "level": 0.95, "resamples": 2000, "seed": 0, "clusters": "page"})
    '95 % bootstrap intervals: percentile, 2,000 resamples of pages, seed 0; of fewer than 20 pages they are too narrow'
    """
    many = f"{how['clusters']}s"
    drawn = f"{how['method']}, {how['resamples']:,} resamples of {many}, seed {how['seed']}"
    level = f"{how['level']:.0%}".replace("%", " %")
    return f"{level} bootstrap intervals: {drawn}; of fewer than 20 {many} they are too narrow"


def _copied(found: Mapping[str, Any]) -> dict[str, Any]:
    return {setting: dict(means) if means else means for setting, means in found.items()}


def _numbered(rows: pl.DataFrame, paged: bool) -> dict[str, int]:
    """For every sample the number of its page; each has its own where nothing is known."""
    numbers: dict[tuple[str, bool], int] = {}
    page = pl.col("page") if paged else pl.lit(None, pl.String)
    return {
        sample: numbers.setdefault((sample, False) if page is None else (page, True), len(numbers))
        for sample, page in rows.select("sample", page.alias("page")).iter_rows()
    }


def _fill(
    made: Mapping[str, Any],
    pieces: Iterable[pl.DataFrame],
    names: Names,
    protocol: Protocol,
    pages: Mapping[str, int],
    resamples: int,
) -> None:
    """Put intervals beside the means of some slices; those of the same rows are made once."""
    slices = [means for by in names for each in _values(made, by) for means in each.values() if means]
    asked = {name for means in slices for name, value in means.items() if isinstance(value, float)}
    parts: dict[tuple[str, bytes], tuple[Array, Array]] = {}
    wanted: list[tuple[tuple[str, bytes], dict[str, Any]]] = []
    metrics: list[str] = []
    derive: Derive | None = None
    for setting, rows in _by_setting(pieces, names, protocol, pages, asked).items():
        metrics, derive = rows.metrics, rows.derive  # the same in all settings
        for by in names:
            for value, at in _slices(rows, by):
                means = (made["by"][",".join(by)].get(value, {}) if by else made["overall"]).get(setting)
                if means:
                    key = setting, at.tobytes()
                    if key not in parts:
                        parts[key] = summed(rows.over[at], rows.under[at], rows.pages[at])
                    wanted.append((key, means))
    found = bootstrap_many(list(parts.values()), resamples=resamples, seed=SEED, level=LEVEL, derive=derive)
    bounds = dict(zip(parts, found, strict=True))
    for key, means in wanted:
        three = zip(metrics, *(side.tolist() for side in bounds[key]), strict=True)
        means["intervals"] = {
            name: [low, high] for name, low, high in three if means.get(name) is not None and not math.isnan(low)
        }


def _values(made: Mapping[str, Any], by: tuple[str, ...]) -> Iterable[Mapping[str, Any]]:
    return made["by"][",".join(by)].values() if by else [made["overall"]]


def _by_setting(
    pieces: Iterable[pl.DataFrame],
    names: Names,
    protocol: Protocol,
    pages: Mapping[str, int],
    asked: set[str],
) -> dict[str, _Rows]:
    """Score rows, which may come in pieces, as sums."""
    found: dict[str, list[_Rows]] = {}
    used = list(dict.fromkeys(column for by in names for column in by))
    for piece in pieces:
        columns, statistics = protocol.mean_columns(piece)
        chosen = {name: each for name, each in statistics.items() if name in asked}
        made = matrix_of(piece["sample"].to_list(), columns, chosen)
        numbers = np.array([pages[sample] for sample in made.samples], dtype=np.int64)
        settings = piece["setting"].to_numpy()
        about = piece.select("setting", *used)
        for setting in dict.fromkeys(settings.tolist()):
            at = np.flatnonzero(settings == setting)
            some = _Rows(made.numerators[at], made.denominators[at], numbers[at], about[at], made.metrics, made.derive)
            found.setdefault(setting, []).append(some)
    return {setting: _joined(some) for setting, some in found.items()}


def _joined(some: Sequence[_Rows]) -> _Rows:
    if len(some) == 1:
        return some[0]
    over, under, pages = (np.concatenate([rows[at] for rows in some]) for at in range(3))
    return some[0]._replace(over=over, under=under, pages=pages, about=pl.concat([rows.about for rows in some]))


def _slices(rows: _Rows, by: tuple[str, ...]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Values and the rows of each, as the summary names them."""
    if not by:
        yield "", np.arange(len(rows.over))
        return
    places: dict[tuple[Any, ...], list[int]] = {}
    for at, key in enumerate(rows.about.select(by).iter_rows()):
        places.setdefault(key, []).append(at)
    for key, some in places.items():
        yield ",".join(map(str, key)), np.array(some)
