"""Rows of a run as matrices: for every sample and metric what is added up over what, as the bootstrap asks."""

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

_CORRECTNESS = ("bleu", "cdm", "teds_like")  # whose mean is the text correctness
_FACTS = ("mask_share", "redrawn")  # neither good nor bad


class Statistic(NamedTuple):
    """A number made of the means of one or several columns: their mean, in decibel where asked."""

    columns: tuple[str, ...]
    decibel: bool = False


class MeanColumn(NamedTuple):
    """What is added up for a mean, sample by sample; `each` where the mean is one of the samples' values."""

    over: Array
    under: Array
    each: bool


class Matrix(NamedTuple):
    """Samples × columns, and what is made of the columns' means."""

    samples: list[str]
    numerators: Array
    denominators: Array
    each: list[bool]
    """For every column whether it is a mean of the samples' values: those are compared where all have one."""
    statistics: dict[str, Statistic]
    """The metrics, and what each is made of."""
    derive: Derive

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics."""
        return list(self.statistics)

    def of(self, samples: Sequence[str]) -> Matrix:
        """Only some samples, in their order."""
        place = {sample: at for at, sample in enumerate(self.samples)}
        rows = [place[sample] for sample in samples]
        return self._replace(
            samples=list(samples), numerators=self.numerators[rows], denominators=self.denominators[rows]
        )

    def means(self) -> Array:
        """The metrics over all samples, as the summary has them."""
        return means(self.numerators.sum(axis=0), self.denominators.sum(axis=0), self.derive)


def columns_of(rows: pl.DataFrame, protocol: ScoringProtocol) -> tuple[dict[str, MeanColumn], dict[str, Statistic]]:
    """What adds up to the means of score rows of one setting, and the metrics that are made of it."""
    if isinstance(protocol, PixelProtocol):
        return _around_masks(rows, protocol)
    assert isinstance(protocol, Protocol)
    return _of_pages(rows, protocol)


def matrix_of(samples: Sequence[str], columns: Mapping[str, MeanColumn], statistics: Mapping[str, Statistic]) -> Matrix:
    """The columns that some metrics are made of, side by side."""
    used = list(dict.fromkeys(part for each in statistics.values() for part in each.columns))
    nothing = np.zeros((len(samples), 0))
    places = [([used.index(part) for part in each.columns], each.decibel) for each in statistics.values()]
    return Matrix(
        list(samples),
        np.stack([columns[name].over for name in used], axis=1) if used else nothing,
        np.stack([columns[name].under for name in used], axis=1) if used else nothing,
        [columns[name].each for name in used],
        dict(statistics),
        partial(_derived, places),
    )


def _derived(places: Sequence[tuple[list[int], bool]], found: Array) -> Array:
    """Metrics from the columns' means."""
    made = []
    for at, decibel in places:
        value = found[..., at[0]] if len(at) == 1 else found[..., at].mean(axis=-1)
        if decibel:
            with np.errstate(divide="ignore"):  # no error at all is infinite
                value = 10 * np.log10(255**2 / value)
        made.append(value)
    return np.stack(made, axis=-1) if made else found[..., :0]


def _of_pages(rows: pl.DataFrame, protocol: Protocol) -> tuple[dict[str, MeanColumn], dict[str, Statistic]]:
    """Columns and headline metrics of a run on pages, by the protocol's kind of mean."""
    names = page_means.mean_names(protocol)  # the one place that knows which sums make which mean
    vectors = list(page_means.mean_columns(rows, protocol))
    columns, images = {}, page_means.image_names()
    for at, name in enumerate(names):
        total, count, value, there = vectors[4 * at : 4 * at + 4]
        each = protocol.headline == "macro" or name in images
        columns[name] = MeanColumn(value, there, True) if each else MeanColumn(total, count, False)
    statistics = {name: Statistic((name,)) for name in names if name not in ("mse", "psnr_below_100")}
    if set(_CORRECTNESS) <= columns.keys():
        statistics["text_correctness"] = Statistic(_CORRECTNESS)
    pooled = Statistic(("mse",), decibel=True)
    own = pooled if protocol.psnr == "pooled" else Statistic((page_means.HEADLINE_PSNR[protocol.psnr],))
    statistics |= {"psnr": own, "psnr_pooled": pooled}
    return columns, statistics


def _around_masks(rows: pl.DataFrame, protocol: PixelProtocol) -> tuple[dict[str, MeanColumn], dict[str, Statistic]]:
    """The same of a run around masks, whose means are all over samples; where `psnr` is infinite, it says nothing."""
    scored = rows["state"] == "scored"
    columns = {name: _values(rows[name], scored) for name in (*NUMBERS, "untouched") if name not in _FACTS}
    if protocol.whole:
        # an output that is not there has not done what was asked
        absent = (rows["state"] == "missing") & (rows["against"] == "reference")
        for name in ("done", "score"):
            columns[name] = _values(rows[name].fill_null(0.0), absent | rows[name].is_not_null())
        if scored.any() and not rows.filter(scored)["ssim"].count():  # a missing output's 0 would stand alone
            del columns["score"]
    statistics = {name: Statistic((name,)) for name in columns if not name.startswith("psnr")}
    for end in ("", "_raw"):
        finite, pooled = Statistic((f"psnr{end}",)), Statistic((f"mse{end}",), decibel=True)
        statistics[f"psnr{end}"] = pooled if protocol.psnr == "pooled" else finite
        statistics |= {f"psnr_finite{end}": finite, f"psnr_pooled{end}": pooled}
    return columns, statistics


def _values(values: pl.Series, counted: pl.Series) -> MeanColumn:
    there = (values.is_not_null() & counted).fill_null(False)
    return MeanColumn(
        values.cast(pl.Float64).fill_null(0.0).to_numpy() * there.to_numpy(), there.cast(pl.Float64).to_numpy(), True
    )
