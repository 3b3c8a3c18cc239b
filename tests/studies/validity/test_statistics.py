"""Does a metric follow? The statistics, against SciPy and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from vdebench.studies.validity.statistics import find, never_rises, spearman, spearman_of_loss, verdict

WHERE = ("strict", "blank", "local", "cdm")


@pytest.mark.parametrize("seed", range(8))
def test_spearman_is_scipys_with_ties(seed):
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 4, 9).astype(float), rng.integers(0, 5, 9).astype(float)
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-9)


def test_spearman_of_what_does_not_vary_is_none():
    assert spearman([0, 1, 2], [5, 5, 5]) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 0.9, 0.8, 0.7, 0.6], 1.0),
        ([1.0, 0.9, 0.8, 0.6, 0.7], 0.9),  # two neighbours exchanged: 1 − 6·2 / (5·24)
        ([0.5, 0.6, 0.7, 0.8, 0.9], -1.0),
        ([math.inf, 40.0, 30.0, 20.0, 10.0], 1.0),  # PSNR of identical images
        ([None, 40.0, 30.0, 20.0, 10.0], 1.0),  # and where they count as none
        ([1.0, 1.0 - 1e-13, 1.0, 1.0, 1.0 + 1e-13], None),  # rounding is no change
        ([None, None, None, 1.0, 0.5], None),  # two levels say little
    ],
)
def test_spearman_of_loss(values, expected):
    assert spearman_of_loss(values) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 0.9, 0.8, 0.7, 0.6], "falls"),
        ([1.0, 1.0, 1.0, 0.9, 0.8], "late"),
        ([1.0, 0.8, 0.9, 0.7, 0.6], "uneven"),
        ([1.0, 0.9997, 0.9995, 0.9993, 0.9991], "blind"),  # it falls, by nothing
        ([0.5, 0.4, 0.6, 0.7, 0.8], "rises"),
        ([None, None, None, None, 0.8], "unknown"),
        ([math.inf, math.inf, math.inf, math.inf, math.inf], "blind"),
        ([math.inf, 40.0, 30.0, 20.0, 10.0], "falls"),
    ],
)
def test_verdict(values, expected):
    assert verdict(values, spearman_of_loss(values)) == expected


def test_never_rises_counts_samples_with_a_value_at_every_level():
    table = np.array([[1.0, 0.9, 0.9], [1.0, 0.8, 0.9], [1.0, math.nan, 0.1], [math.inf, 30.0, 20.0]])
    assert never_rises(table) == pytest.approx(2 / 3)
    assert never_rises(np.full((2, 3), math.nan)) is None


def test_a_finding_of_a_metric_that_is_better_when_lower():
    found = find(WHERE, [0.0, 0.1, 0.2, 0.3], [[0.0, 0.1, 0.2, 0.3], [0.0, 0.1, 0.05, 0.3]], lower=True, business=True)
    assert (found.spearman, found.verdict, found.n, found.never_rises) == (1.0, "falls", 2, 0.5)
    assert found.drop == pytest.approx(0.3)
    assert found.holds


def test_a_metric_that_does_not_do_its_business_does_not_hold():
    blind = find(WHERE, [1.0, 1.0, 1.0], [[1.0, 1.0, 1.0]], business=True)
    assert (blind.verdict, blind.holds) == ("blind", False)
    assert find(WHERE, [1.0, 1.0, 1.0], [[1.0, 1.0, 1.0]]).holds


def test_infinite_values_are_text_in_json():
    found = find(WHERE, [math.inf, 30.0, 20.0], [[math.inf, 30.0, 20.0]])
    assert found.drop is None
    assert found.to_json()["values"] == ["inf", 30.0, 20.0]
