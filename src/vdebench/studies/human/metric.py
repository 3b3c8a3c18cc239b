"""A metric of the outputs that people ranked: of each alone, and of every model over samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vdebench.errors import VdeError
from vdebench.metrics.registry import facts
from vdebench.stats.bootstrap import Array, means
from vdebench.stats.stored import Matrix, StoredRun, matrix
from vdebench.stats.usable import Thresholds
from vdebench.stats.usable_runs import judge_run

USABLE = "usable"
"""Whether an output can be used as it is: a verdict for every sample of a run by `strict`."""


class StudyMetric(NamedTuple):
    """A metric of the study: sums by counts, samples × models × parts, whose means' mean it is."""

    over: Array
    under: Array
    decibel: bool
    lower: bool

    def value(self, found: Array) -> Array:
        """The metric from means of its parts in the last axis, turned so that more is better."""
        there = ~np.isnan(found)
        count = there.sum(axis=-1)
        value = means(np.where(there, found, 0.0).sum(axis=-1), count.astype(np.float64))
        if self.decibel:
            with np.errstate(divide="ignore"):  # no error at all is infinite
                value = 10 * np.log10(255**2 / value)
        return -value if self.lower else value

    def of_outputs(self) -> Array:
        """The metric of every output, samples × models."""
        return self.value(means(self.over, self.under))


def measure(runs: Sequence[StoredRun], samples: Sequence[str], setting: str, metric: str) -> StudyMetric:
    """A metric of some samples, for every run."""
    over, under = [], []
    decibel, alone = False, np.array([True])
    for run in runs:
        if metric == USABLE:
            one = _verdicts(run, samples)
        else:
            kept = matrix(run, setting, [metric])
            if lost := set(samples) - set(run.rows["sample"]):
                raise VdeError(f"{run.root}: no scores of {min(lost)}, which people ranked; score the sheet's samples")
            one = _sums(kept, samples)
            decibel, alone = kept.statistics[metric].decibel, np.array(kept.each)
        over.append(one[0])
        under.append(one[1])
    sums, counts = np.stack(over, axis=1), np.stack(under, axis=1)
    # Means over samples are over those of which every model has a value: none gains by failing on a hard page.
    there = (counts > 0).all(axis=1, keepdims=True) | ~alone
    return StudyMetric(sums * there, counts * there, decibel, facts(metric).best == "lower")


def _sums(kept: Matrix, samples: Sequence[str]) -> tuple[Array, Array]:
    """What is added up for some samples; nothing by nothing for one that could not be scored."""
    place = {sample: at for at, sample in enumerate(kept.samples)}
    over, under = np.zeros((2, len(samples), kept.numerators.shape[1]))
    for at, sample in enumerate(samples):
        if sample in place:
            over[at], under[at] = kept.numerators[place[sample]], kept.denominators[place[sample]]
    return over, under


def _verdicts(run: StoredRun, samples: Sequence[str]) -> tuple[Array, Array]:
    """Whether outputs are usable, as 1 and 0; those without a verdict do not count."""
    known = {verdict.sample: verdict.usable for verdict in judge_run(run.root, Thresholds()).verdicts}
    found = [known.get(sample) for sample in samples]
    return np.array([[float(bool(one))] for one in found]), np.array([[float(one is not None)] for one in found])
