"""Intervals of rates: against SciPy where samples are independent, by simulation where they share pages."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from vdebench.stats.rates import rate_interval


@pytest.mark.parametrize(("passed", "n"), [(0, 12), (7, 12), (12, 12), (3, 40), (200, 942)])
def test_of_independent_samples_it_is_wilsons(passed, n):
    expected = binomtest(passed, n).proportion_ci(method="wilson")
    found = rate_interval([True] * passed + [False] * (n - passed))
    assert found == pytest.approx((expected.low, expected.high))


def test_a_sample_counted_five_times_tells_no_more_than_once():
    once = [True] * 14 + [False] * 16
    pages = [page for page in range(30) for _ in range(5)]
    five_times = [each for each in once for _ in range(5)]
    assert rate_interval(five_times, pages) == pytest.approx(rate_interval(once), abs=0.01)
    all_pass = [True] * 150
    assert rate_interval(all_pass, pages) == pytest.approx(rate_interval([True] * 30))


def test_no_samples_have_no_interval():
    assert rate_interval([]) is None


def coverage(pages, per_page, spread, rng, times=1000):
    """How often the interval holds the true rate of 0.4, pages differing by a beta distribution."""
    held = 0
    labels = np.repeat(np.arange(pages), per_page).tolist()
    for _ in range(times):
        rates = rng.beta(0.4 * spread, 0.6 * spread, pages) if spread else np.full(pages, 0.4)
        passed = (rng.random((pages, per_page)) < rates[:, None]).ravel().tolist()
        low, high = rate_interval(passed, labels)
        held += low <= 0.4 <= high
    return held / times


@pytest.mark.parametrize(("pages", "per_page", "spread"), [(200, 1, 0), (100, 4, 0), (100, 4, 3)])
def test_the_interval_holds_the_true_rate_95_times_of_100(pages, per_page, spread):
    assert 0.93 <= coverage(pages, per_page, spread, np.random.default_rng(7)) <= 0.97
