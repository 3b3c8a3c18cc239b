"""Rows of a run as matrices: for every sample and metric what is added up over what, as the bootstrap asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from vdebench.protocols.mean_columns import MeanColumn, Statistic
from vdebench.stats.bootstrap import Array, Derive, means


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
