"""Columns of per-sample sums that means are computed from: the form that the bootstrap resamples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray


class Statistic(NamedTuple):
    """A metric computed from the means of one or several columns: their mean, in decibel where `decibel` is set."""

    columns: tuple[str, ...]
    decibel: bool = False


class MeanColumn(NamedTuple):
    """Numerator and denominator of a mean for every sample."""

    over: NDArray[np.float64]
    under: NDArray[np.float64]
    each: bool
    """Whether the mean is one of the samples' values (macro)."""


MeanColumns = tuple[dict[str, MeanColumn], dict[str, Statistic]]


def values_column(values: pl.Series, counted: pl.Series) -> MeanColumn:
    """Return the column of a mean over samples; `counted` marks the rows that may have a value."""
    there: Any = (values.is_not_null() & counted).fill_null(False)
    return MeanColumn(
        values.cast(pl.Float64).fill_null(0.0).to_numpy() * there.to_numpy(), there.cast(pl.Float64).to_numpy(), True
    )
