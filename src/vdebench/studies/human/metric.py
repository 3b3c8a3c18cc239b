"""A metric for the outputs that annotators ranked, per output and per model."""

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
"""Whether an output is a usable edit; available for runs with the protocol `strict`."""


class StudyMetric(NamedTuple):
    """Sums and counts of a metric (samples × models × parts); its value is the mean of the parts' means."""

    over: Array
    under: Array
    decibel: bool
    lower: bool

    def value(self, found: Array) -> Array:
        """Compute the metric from the means of its parts (last axis), with the sign that makes higher better."""
        there = ~np.isnan(found)
        count = there.sum(axis=-1)
        value = means(np.where(there, found, 0.0).sum(axis=-1), count.astype(np.float64))
        if self.decibel:
            with np.errstate(divide="ignore"):  # zero error gives infinity
                value = 10 * np.log10(255**2 / value)
        return -value if self.lower else value

    def of_outputs(self) -> Array:
        """The metric of each output, samples × models."""
        return self.value(means(self.over, self.under))


def measure(runs: Sequence[StoredRun], samples: Sequence[str], setting: str, metric: str) -> StudyMetric:
    """Return a metric of some samples for each run; raises `VdeError` if a run has no scores of a sample."""
    over, under = [], []
    decibel, alone = False, np.array([True])
    for run in runs:
        if metric == USABLE:
            one = _verdicts(run, samples)
        else:
            scored = matrix(run, setting, [metric])
            if unscored := set(samples) - set(run.rows["sample"]):
                raise VdeError(f"{run.root}: no scores of {min(unscored)}, which was ranked; score the sheet's samples")
            one = _sums(scored, samples)
            decibel, alone = scored.statistics[metric].decibel, np.array(scored.each)
        over.append(one[0])
        under.append(one[1])
    sums, counts = np.stack(over, axis=1), np.stack(under, axis=1)
    # Means over samples use samples with values of all models, so that no model gains by failing on a hard page.
    there = (counts > 0).all(axis=1, keepdims=True) | ~alone
    return StudyMetric(sums * there, counts * there, decibel, facts(metric).best == "lower")


def _sums(scored: Matrix, samples: Sequence[str]) -> tuple[Array, Array]:
    """Sums and counts of some samples; zeros for samples that could not be scored."""
    place = {sample: at for at, sample in enumerate(scored.samples)}
    over, under = np.zeros((2, len(samples), scored.numerators.shape[1]))
    for at, sample in enumerate(samples):
        if sample in place:
            over[at], under[at] = scored.numerators[place[sample]], scored.denominators[place[sample]]
    return over, under


def _verdicts(run: StoredRun, samples: Sequence[str]) -> tuple[Array, Array]:
    """Usable edits as 1 and others as 0, with counts; samples without a verdict do not count."""
    by_sample = {verdict.sample: verdict.usable for verdict in judge_run(run.root, Thresholds()).verdicts}
    usable = [by_sample.get(sample) for sample in samples]
    return np.array([[float(bool(one))] for one in usable]), np.array([[float(one is not None)] for one in usable])
