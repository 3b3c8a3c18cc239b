"""Coefficients by hand and by SciPy, their intervals, Kendall's W."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from vdebench.stats.correlation import (
    COEFFICIENTS,
    absence_reason,
    coefficients,
    concordance,
    correlate_pairs,
    from_sums,
    pairwise,
    sums_within,
    weighted,
)


def by_scipy(one, other):
    return [
        stats.spearmanr(one, other).statistic,
        stats.kendalltau(one, other).statistic,
        stats.pearsonr(one, other).statistic,
    ]


def drawn_pairs(seed, n=25, ties=6):
    random = np.random.default_rng(seed)
    one = random.integers(0, ties, n).astype(float)
    return one, one + random.integers(-3, 4, n)


def test_by_hand():
    """1 2 3 4 and 2 1 4 3: squared differences of ranks 4, 1 − 6·4/60; 4 pairs of 6 in order; deviations 3 / 5."""
    assert coefficients([1, 2, 3, 4], [2, 1, 4, 3]).tolist() == pytest.approx([0.6, 2 / 6, 0.6])


def test_ties_by_hand():
    """1 1 2 and 1 2 2: of three pairs one is tied in each, one agrees: 1 / √(2·2); ranks 1.5 1.5 3, 1 2.5 2.5: 0.75 / 1.5."""
    assert coefficients([1, 1, 2], [1, 2, 2]).tolist() == pytest.approx([0.5, 0.5, 0.5])


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_scipys(seed):
    pairs = [drawn_pairs(seed * 10 + at) for at in range(4)]
    found = coefficients(np.stack([one for one, _ in pairs]), np.stack([other for _, other in pairs]))
    for row, (one, other) in zip(found, pairs, strict=True):
        assert row.tolist() == pytest.approx(by_scipy(one, other), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_repetitions(seed):
    one, other = drawn_pairs(seed)
    counts = np.random.default_rng(seed).multinomial(len(one), np.full(len(one), 1 / len(one)), 6)
    for row, times in zip(weighted(one, other, counts), counts, strict=True):
        repeated = np.repeat(one, times), np.repeat(other, times)
        assert row.tolist() == pytest.approx(by_scipy(*repeated), abs=1e-12)


def test_no_variance_is_no_number():
    assert np.isnan(coefficients([1, 1, 1], [1, 2, 3])).all()
    assert np.isnan(weighted([0.1, 0.1, 0.3], [1, 2, 3], [[2, 1, 0]])).all()
    assert np.isnan(coefficients([0.1 + 0.2] * 3, [1, 2, 3])).all()
    assert np.isnan(coefficients([0.1 + 0.2, 0.3, 0.3], [1, 2, 3])).all()  # noise of adding up


def test_infinite_values_have_an_order_but_no_distance():
    spearman, kendall, pearson = coefficients([1, 2, 3, 4], [5, 6, 7, math.inf])
    assert (spearman, kendall) == (pytest.approx(1), pytest.approx(1))
    assert math.isnan(pearson)
    sums = sums_within(np.array([[1.0, 2, 3]]), np.array([[5.0, 6, math.inf]]))
    assert from_sums(sums[0])[:2].tolist() == pytest.approx([1, 1])
    assert math.isnan(from_sums(sums[0])[2])


def test_within_samples_of_one_sample_is_the_plain_coefficient():
    one, other = drawn_pairs(3, 8)
    assert from_sums(sums_within(one[None], other[None])[0]).tolist() == pytest.approx(by_scipy(one, other), abs=1e-12)


def test_within_samples_by_hand():
    """A hard and an easy sample in the same order within: all agree, though over all outputs they would not."""
    human = np.array([[3.0, 2, 1], [3, 2, 1]])
    metric = np.array([[0.3, 0.2, 0.1], [0.9, 0.8, 0.7]])
    assert from_sums(sums_within(human, metric).sum(axis=0)).tolist() == pytest.approx([1, 1, 1])
    # turn two outputs of the second: pairs 3 − 0 and 2 − 1 of 6; ranks' products 2 + 1 of 4
    metric[1] = [0.8, 0.9, 0.7]
    spearman, kendall, pearson = from_sums(sums_within(human, metric).sum(axis=0))
    assert (spearman, kendall) == (pytest.approx(3 / 4), pytest.approx(4 / 6))
    assert pearson == pytest.approx((0.2 + 0.1) / math.sqrt(4 * (0.02 + 0.02)))


def test_within_samples_leaves_out_what_is_not_there():
    human = np.array([[3.0, 2, 1], [np.nan, 2, 1]])
    metric = np.array([[0.3, np.nan, 0.1], [0.9, 0.8, np.nan]])
    assert from_sums(sums_within(human, metric).sum(axis=0)).tolist() == pytest.approx([1, 1, 1])
    assert sums_within(human, metric)[1].tolist() == [0] * 9  # one output is no comparison


def test_pairs_with_intervals_are_scipys_bootstrap():
    random = np.random.default_rng(8)
    one = random.normal(size=40)
    other = one + random.normal(size=40)
    found = correlate_pairs(one.tolist(), other.tolist(), resamples=4000)
    for name, value in zip(COEFFICIENTS, by_scipy(one, other), strict=True):
        assert found[name]["value"] == pytest.approx(value)
    theirs = stats.bootstrap(
        (one, other),
        lambda a, b: stats.pearsonr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=600,
        method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert found["pearson"]["interval"] == pytest.approx([theirs.low, theirs.high], abs=0.05)
    assert found == correlate_pairs(one.tolist(), other.tolist(), resamples=4000)


def test_pairs_of_one_cluster_are_drawn_together():
    """Every pair four times over says no more than once."""
    one, other = (values.tolist() for values in drawn_pairs(2, 20, 12))
    names = [str(at) for at in range(20)]
    once = correlate_pairs(one, other, names, resamples=3000)["spearman"]["interval"]
    four = correlate_pairs(one * 4, other * 4, names * 4, resamples=3000)["spearman"]["interval"]
    apart = correlate_pairs(one * 4, other * 4, resamples=3000)["spearman"]["interval"]
    assert four == pytest.approx(once, abs=0.02)
    assert apart[1] - apart[0] < 0.7 * (four[1] - four[0])


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ([1, 2], [1, 2], "2 pairs, at least 3 are needed"),
        ([1, 1, 1], [1, 2, 3], "all human scores are the same"),
        ([1, 2, 3], [4, 4, 4], "all grades are the same"),
    ],
)
def test_no_number_comes_with_words(one, other, reason):
    found = correlate_pairs(one, other, names=("human scores", "grades"))
    assert found["reason"] == reason
    assert all(found[name] == {"value": None, "interval": None} for name in COEFFICIENTS)


def test_one_cluster_has_no_interval():
    found = correlate_pairs([1, 2, 3], [1, 2, 3], ["page"] * 3)
    assert found["spearman"] == {"value": pytest.approx(1), "interval": None}


def test_concordance_by_hand():
    """Sums 3, 7, 8 around 6: 9 + 1 + 4 = 14; 12 · 14 / (9 · 24)."""
    assert concordance([[1, 2, 3], [1, 2, 3], [1, 3, 2]]) == pytest.approx(12 * 14 / (9 * 24))
    assert concordance([[1, 2, 3], [1, 2, 3]]) == pytest.approx(1)
    assert concordance([[1, 2, 3], [3, 2, 1]]) == 0
    # ties: ranks 1.5 1.5 3 and 1 2 3: sums 2.5 3.5 6; deviations −1.5 −.5 2: 6.5; 12 · 6.5 / (4 · 24 − 2 · 6)
    assert concordance([[1, 1, 2], [1, 2, 3]]) == pytest.approx(78 / 84)


def test_concordance_is_friedmans_test():
    """W = χ² / (m (n − 1)), by SciPy, with ties."""
    ranks = np.random.default_rng(5).integers(1, 5, (6, 5))
    assert concordance(ranks) == pytest.approx(stats.friedmanchisquare(*ranks.T).statistic / (6 * 4))


def test_nobody_to_agree_with():
    assert math.isnan(concordance([[1, 2, 3]]))
    assert math.isnan(concordance([[1, 1, 1], [2, 2, 2]]))
    assert math.isnan(pairwise([[1, 2, 3]]))


def test_pairwise_goes_with_concordance():
    """Without ties the mean over pairs is (m W − 1) / (m − 1)."""
    random = np.random.default_rng(3)
    ranks = np.stack([random.permutation(6) for _ in range(4)])
    assert pairwise(ranks) == pytest.approx((4 * concordance(ranks) - 1) / 3)


def test_why_there_is_no_number():
    names = ("ranks", "values")
    assert absence_reason([1, 2, 3], [math.inf] * 3, names) == "all values are the same"
    assert absence_reason([-math.inf] * 3, [1, 2, 3], names) == "all ranks are the same"
    assert absence_reason([1, 2, 3], [math.inf, 30, math.inf], names) == ""
    assert absence_reason([1, 2], [1, 2], names, "models") == "2 models, at least 3 are needed"
