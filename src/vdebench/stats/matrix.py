"""Rows of a run as matrices: numerator and denominator of every sample and metric, for the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from vdebench.protocols.mean_columns import MeanColumn, Statistic
from vdebench.stats.bootstrap import Array, Derive, means


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
