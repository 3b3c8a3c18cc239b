"""Rows of a run as matrices: numerator and denominator of every sample and metric, for the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from vdebench.protocols.masks.columns import NUMBERS
from vdebench.protocols.masks.protocol import PixelProtocol
from vdebench.protocols.pages.protocol import Protocol
from vdebench.protocols.protocol import ScoringProtocol
from vdebench.stats import means as page_means
from vdebench.stats.bootstrap import Array, Derive, means

_CORRECTNESS = ("bleu", "cdm", "teds_like")  # text correctness is their mean
_FACTS = ("mask_share", "redrawn")  # neither good nor bad


class Statistic(NamedTuple):
    """The mean of the means of one or several columns, optionally in decibel."""

    columns: tuple[str, ...]
    decibel: bool = False


class MeanColumn(NamedTuple):
    """Numerators and denominators of a mean, by sample; `each` if it is a mean of the samples' values."""

    over: Array
    under: Array
    each: bool


class Matrix(NamedTuple):
    """Samples × columns, and the statistics of the columns' means."""

    samples: list[str]
    numerators: Array
    denominators: Array
    each: list[bool]
    """For every column, whether it is a mean of the samples' values."""
    statistics: dict[str, Statistic]
    """The metrics."""
    derive: Derive

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(self.statistics)

    def of(self, samples: Sequence[str]) -> Matrix:
        """Select samples, in the given order."""
        index_of = {sample: at for at, sample in enumerate(self.samples)}
        rows = [index_of[sample] for sample in samples]
        return self._replace(
            samples=list(samples), numerators=self.numerators[rows], denominators=self.denominators[rows]
        )

    def means(self) -> Array:
        """The metrics over all samples, as in the summary."""
        return means(self.numerators.sum(axis=0), self.denominators.sum(axis=0), self.derive)


def columns_of(rows: pl.DataFrame, protocol: ScoringProtocol) -> tuple[dict[str, MeanColumn], dict[str, Statistic]]:
    """Columns and metrics of score rows of one setting."""
    if isinstance(protocol, PixelProtocol):
        return _around_masks(rows, protocol)
    assert isinstance(protocol, Protocol)
    return _of_pages(rows, protocol)


def matrix_of(samples: Sequence[str], columns: Mapping[str, MeanColumn], statistics: Mapping[str, Statistic]) -> Matrix:
    """Matrix of the columns that the metrics need."""
    used = list(dict.fromkeys(part for statistic in statistics.values() for part in statistic.columns))
    nothing = np.zeros((len(samples), 0))
    places = [
        ([used.index(part) for part in statistic.columns], statistic.decibel) for statistic in statistics.values()
    ]
    return Matrix(
        list(samples),
        np.stack([columns[name].over for name in used], axis=1) if used else nothing,
        np.stack([columns[name].under for name in used], axis=1) if used else nothing,
        [columns[name].each for name in used],
        dict(statistics),
        partial(_derived, places),
    )


def _derived(places: Sequence[tuple[list[int], bool]], column_means: Array) -> Array:
    """Metrics from the columns' means."""
    values = []
    for indices, decibel in places:
        value = column_means[..., indices[0]] if len(indices) == 1 else column_means[..., indices].mean(axis=-1)
        if decibel:
            with np.errstate(divide="ignore"):  # infinite for no error
                value = 10 * np.log10(255**2 / value)
        values.append(value)
    return np.stack(values, axis=-1) if values else column_means[..., :0]


def _of_pages(rows: pl.DataFrame, protocol: Protocol) -> tuple[dict[str, MeanColumn], dict[str, Statistic]]:
    """Columns and headline metrics of a run on pages, by the protocol's kind of mean."""
    names = page_means.mean_names(protocol)
    vectors = list(page_means.mean_columns(rows, protocol))
    columns, images = {}, page_means.image_names()
    for at, name in enumerate(names):
        total, count, value, has_value = vectors[4 * at : 4 * at + 4]
        over_samples = protocol.headline == "macro" or name in images
        columns[name] = MeanColumn(value, has_value, True) if over_samples else MeanColumn(total, count, False)
    statistics = {name: Statistic((name,)) for name in names if name not in ("mse", "psnr_below_100")}
    if set(_CORRECTNESS) <= columns.keys():
        statistics["text_correctness"] = Statistic(_CORRECTNESS)
    pooled = Statistic(("mse",), decibel=True)
    headline = pooled if protocol.psnr == "pooled" else Statistic((page_means.HEADLINE_PSNR[protocol.psnr],))
    statistics |= {"psnr": headline, "psnr_pooled": pooled}
    return columns, statistics


def _around_masks(rows: pl.DataFrame, protocol: PixelProtocol) -> tuple[dict[str, MeanColumn], dict[str, Statistic]]:
    """Columns and metrics of a run with masks; all means are over samples."""
    scored = rows["state"] == "scored"
    columns = {name: _values(rows[name], scored) for name in (*NUMBERS, "untouched") if name not in _FACTS}
    if protocol.whole:
        # a missing output counts as not done
        absent = (rows["state"] == "missing") & (rows["against"] == "reference")
        for name in ("done", "score"):
            columns[name] = _values(rows[name].fill_null(0.0), absent | rows[name].is_not_null())
        if scored.any() and not rows.filter(scored)["ssim"].count():  # only missing outputs would count
            del columns["score"]
    statistics = {name: Statistic((name,)) for name in columns if not name.startswith("psnr")}
    for end in ("", "_raw"):
        finite, pooled = Statistic((f"psnr{end}",)), Statistic((f"mse{end}",), decibel=True)
        statistics[f"psnr{end}"] = pooled if protocol.psnr == "pooled" else finite
        statistics |= {f"psnr_finite{end}": finite, f"psnr_pooled{end}": pooled}
    return columns, statistics


def _values(values: pl.Series, included: pl.Series) -> MeanColumn:
    valid = (values.is_not_null() & included).fill_null(False)
    return MeanColumn(
        values.cast(pl.Float64).fill_null(0.0).to_numpy() * valid.to_numpy(), valid.cast(pl.Float64).to_numpy(), True
    )
