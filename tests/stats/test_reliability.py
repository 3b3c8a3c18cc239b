"""Agreement of raters: against known examples, against an implementation by loops, and by its laws."""

from __future__ import annotations

import math
import time
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vdebench.errors import InputError, TooLargeError
from vdebench.stats.reliability.alpha import LEVELS, alphas, encode_ratings
from vdebench.stats.reliability.coefficients import fleiss_kappa, krippendorff_alpha, reliability, resampled_alphas

CANONICAL = [  # Krippendorff: four observers, twelve units; nobody saw all, and the last was seen by one
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
FLEISS = [  # ten units, fourteen raters, five categories: the example that everybody quotes, kappa 0.210
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def by_loops(ratings, level):
    """Alpha as the textbook tells it: a coincidence matrix, filled pair by pair. None where it is not defined."""
    units = [[value for value in unit if value is not None] for unit in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    values = sorted({value for unit in units for value in unit})
    coincidences = {(c, k): 0.0 for c in values for k in values}
    for unit in units:
        for c, k in permutations(unit, 2):
            coincidences[c, k] += 1 / (len(unit) - 1)
    times = {c: sum(coincidences[c, k] for k in values) for c in values}
    n = sum(times.values())

    def cost(c, k):
        if c == k:
            return 0.0
        if level == "nominal":
            return 1.0
        if level == "interval":
            return (c - k) ** 2
        if level == "ratio":
            return ((c - k) / (c + k)) ** 2
        between = sum(times[g] for g in values if min(c, k) <= g <= max(c, k))
        return (between - (times[c] + times[k]) / 2) ** 2

    observed = sum(coincidences[c, k] * cost(c, k) for c in values for k in values)
    expected = sum(times[c] * times[k] * cost(c, k) for c in values for k in values)
    return 1 - (n - 1) * observed / expected if expected else None


def tables():
    """Raters × units with gaps."""
    return st.tuples(st.integers(2, 5), st.integers(2, 7)).flatmap(
        lambda shape: st.lists(
            st.lists(st.none() | st.integers(0, 4), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    )


def rated_or_none(ratings, level):
    value = krippendorff_alpha(ratings, level)
    return None if math.isnan(value) else value


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_the_canonical_example(level, expected):
    assert krippendorff_alpha(CANONICAL, level) == pytest.approx(expected, abs=5e-4)
    found = reliability(CANONICAL, level, resamples=500)
    assert found.alpha == krippendorff_alpha(CANONICAL, level)
    assert (found.raters, found.units, found.alone, found.ratings) == (4, 11, 1, 40)
    assert found.low < found.alpha < found.high <= 1
    assert found.pairwise == pytest.approx(43 / 55)  # counted by hand: 3 of 6 in two units, 0 of 6 in one, else all
    assert found.unanimous == pytest.approx(8 / 11)


def test_two_raters_by_hand():
    # 0 0 | 0 1 | 1 1: the pair that differs counts twice, in either order; 3 zeros and 3 ones: 2 · 3 · 3 = 18; n = 6.
    assert krippendorff_alpha([[0, 0, 1], [0, 1, 1]], "nominal") == pytest.approx(1 - 5 * 2 / 18)


@settings(max_examples=50, deadline=None)
@given(tables(), st.sampled_from(LEVELS))
def test_as_by_loops(ratings, level):
    expected = by_loops(ratings, level)
    assert rated_or_none(ratings, level) == (None if expected is None else pytest.approx(expected, abs=1e-9))


@settings(max_examples=25, deadline=None)
@given(tables(), st.sampled_from(LEVELS), st.integers(0, 2**31))
def test_resamples_are_the_units_written_out(ratings, level, seed):
    """A row of weights gives what the units give that it stands for, or nothing where they do."""
    kinds = encode_ratings(ratings, level)
    assume(kinds.units)
    drawn = np.random.default_rng(seed).integers(0, 4, (5, len(kinds.often))).astype(float)
    drawn[:, 0] += drawn.sum(axis=1) == 0
    found = alphas(kinds, drawn, level)
    for weights, alpha in zip(drawn, found, strict=True):
        units = [
            [float(kinds.numbers[code]) for code in kinds.codes[kinds.kind == kind]]
            for kind, times in enumerate(weights.astype(int))
            for _ in range(times)
        ]
        widest = max(map(len, units))
        written = list(zip(*([*unit, *[None] * (widest - len(unit))] for unit in units), strict=True))
        expected = by_loops(written, level)
        assert (None if math.isnan(alpha) else alpha) == (
            None if expected is None else pytest.approx(expected, abs=1e-9)
        )


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=9), st.integers(2, 5), st.sampled_from(LEVELS))
def test_perfect_agreement_is_1(values, raters, level):
    assume(len(set(values)) > 1)
    found = reliability([values] * raters, level, resamples=50)
    assert found.alpha == pytest.approx(1)
    assert (found.pairwise, found.unanimous) == (1, 1)
    assert found.kappa == pytest.approx(1)


@settings(max_examples=25, deadline=None)
@given(tables(), st.sampled_from(LEVELS), st.randoms())
def test_neither_the_order_of_raters_nor_of_units_matters(ratings, level, random):
    """Not even for the interval."""
    units = list(zip(*random.sample(ratings, len(ratings)), strict=True))
    shuffled = list(zip(*random.sample(units, len(units)), strict=True))
    assert reliability(shuffled, level, resamples=50) == reliability(ratings, level, resamples=50)


@settings(max_examples=25, deadline=None)
@given(tables(), st.sampled_from([-1000.0, -2.5, 0.001, 3.0]), st.sampled_from([-1e6, 0.0, 7.25]))
def test_interval_is_the_same_in_another_unit(ratings, factor, start):
    before = rated_or_none(ratings, "interval")
    mapped = [[None if value is None else start + factor * value for value in row] for row in ratings]
    assert rated_or_none(mapped, "interval") == (None if before is None else pytest.approx(before, abs=1e-6))


@settings(max_examples=25, deadline=None)
@given(tables(), st.permutations(["yes", "no", "报告", "", "?"]))
def test_nominal_is_the_same_by_other_names(ratings, names):
    assume("" not in {names[value] for row in ratings for value in row if value is not None})
    before = rated_or_none(ratings, "nominal")
    renamed = [[None if value is None else names[value] for value in row] for row in ratings]
    assert rated_or_none(renamed, "nominal") == (None if before is None else pytest.approx(before, abs=1e-12))


@settings(max_examples=25, deadline=None)
@given(tables())
def test_ordinal_asks_only_for_the_order(ratings):
    before = rated_or_none(ratings, "ordinal")
    stretched = [[None if value is None else 10.0**value for value in row] for row in ratings]
    assert rated_or_none(stretched, "ordinal") == before


@pytest.mark.parametrize("level", LEVELS)
def test_random_ratings_have_an_alpha_near_0(level):
    random = np.random.default_rng(7)
    found = reliability(random.integers(1, 6, (15, 750)), level, resamples=500)
    assert abs(found.alpha) < 0.01
    assert found.low < 0 < found.high


def test_fleiss_as_published():
    # By hand: the mean of the units' agreement is 0.378, by chance it is 0.213.
    assert fleiss_kappa(FLEISS) == pytest.approx(0.210, abs=5e-4)
    ratings = np.array([np.repeat(np.arange(5), counts) for counts in FLEISS]).T
    found = reliability(ratings, "nominal", resamples=100)
    assert found.kappa == pytest.approx(fleiss_kappa(FLEISS))
    # Of 140 ratings alpha differs from kappa by the finite sample alone.
    assert 1 - found.alpha == pytest.approx((1 - found.kappa) * 139 / 140)
    pairs = sum(count * (count - 1) for counts in FLEISS for count in counts)
    assert found.pairwise == pytest.approx(pairs / (10 * 14 * 13))
    assert found.unanimous == pytest.approx(1 / 10)


def test_fleiss_by_hand():
    # Units agree 1, 1, 1, 1/3: 10/12. Seven of twelve ratings are the first: 49/144 + 25/144 = 74/144 by chance.
    assert fleiss_kappa([[3, 0], [3, 0], [0, 3], [1, 2]]) == pytest.approx((10 / 12 - 74 / 144) / (1 - 74 / 144))


@pytest.mark.parametrize("counts", [[[2, 0], [1, 2]], [[1, 0], [0, 1]], [[3, 0], [3, 0]], np.zeros((0, 2))])
def test_fleiss_is_not_defined(counts):
    assert math.isnan(fleiss_kappa(counts))


def test_unequal_numbers_have_no_kappa_but_a_reason():
    found = reliability(CANONICAL, "nominal", resamples=10)
    assert found.kappa is None
    assert found.kappa_reason == "units have 1 to 4 ratings: not defined for unequal numbers"


def test_three_marks_in_750():
    """Alpha is below 0 where nearly all agree: percent agreement tells the other half."""
    ratings = np.full((15, 50), "yes", dtype=object)
    ratings[0, 0] = ratings[5, 20] = ratings[9, 40] = "no"
    found = reliability(ratings, "nominal", resamples=2000)
    assert found.alpha == pytest.approx(1 - 749 * 6 / (2 * 3 * 747))
    assert round(found.alpha, 3) == -0.003
    assert found.pairwise == pytest.approx(1 - 3 * 14 / (50 * 105))  # 99.2 %
    assert found.unanimous == pytest.approx(47 / 50)
    assert found.values == {"no": 3, "yes": 747}
    # None of the three units is drawn in 0.94 ** 50 = 4.5 % of the resamples: those have no alpha.
    assert 60 < found.dropped < 130
    assert found.high == 0  # one dissenting mark alone


def test_all_the_same_is_no_agreement_beyond_chance():
    found = reliability([["yes"] * 5] * 3, "nominal")
    assert (found.alpha, found.low, found.kappa, found.pairwise, found.unanimous) == (None, None, None, 1, 1)
    assert found.reason == found.kappa_reason == "all ratings are 'yes': alpha is not defined"


def test_degenerate_resamples_are_dropped_and_counted():
    found = reliability([[1] * 40 + [2], [1] * 40 + [1]], "nominal", resamples=1000)
    assert 300 < found.dropped < 430  # one unit of 41 is missing from (40/41) ** 41 = 36 %
    drawn = resampled_alphas(encode_ratings([[1] * 40 + [2], [1] * 40 + [1]], "nominal"), "nominal", resamples=1000)
    assert np.isnan(drawn).sum() == found.dropped
    assert (found.low, found.high) == pytest.approx(tuple(np.nanquantile(drawn, (0.025, 0.975))))


def test_no_interval_of_one_unit_or_of_no_resample():
    one = reliability([[1], [2]], "nominal")
    assert (one.low, one.reason) == (None, "no interval: one unit, at least 2 are needed")
    seed = next(seed for seed in range(99) if np.isnan(_one_draw(seed)))
    none = reliability([[1, 2], [1, 2]], "nominal", resamples=1, seed=seed)
    assert (none.alpha, none.low, none.dropped) == (1, None, 1)
    assert none.reason == "no interval: in all of 1 resamples all ratings are the same"


def _one_draw(seed):
    return resampled_alphas(encode_ratings([[1, 2], [1, 2]], "nominal"), "nominal", resamples=1, seed=seed)[0]


def test_nothing_to_compare():
    found = reliability([[1, None], [None, 2]])
    assert (found.units, found.alone, found.alpha, found.pairwise) == (0, 2, None, None)
    assert found.reason == "no unit has two ratings: nothing to compare"
    assert math.isnan(krippendorff_alpha(np.full((2, 3), np.nan)))
    assert reliability(np.zeros((3, 0))).units == 0


def test_the_same_seed_the_same_interval():
    one, again, other = (reliability(CANONICAL, seed=seed, resamples=1000) for seed in (1, 1, 2))
    assert one == again
    assert (one.low, one.high) != (other.low, other.high)


def test_the_interval_is_of_the_resamples():
    found = reliability(CANONICAL, "interval", seed=3, resamples=1000)
    drawn = resampled_alphas(encode_ratings(CANONICAL, "interval"), "interval", seed=3, resamples=1000)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn[np.isfinite(drawn)], (0.025, 0.975))))
    narrow = reliability(CANONICAL, "interval", seed=3, resamples=1000, confidence=0.5)
    assert found.low < narrow.low < narrow.high < found.high


def test_large_numbers_lose_nothing():
    small = [[1, 2, 3, 4], [1, 2, 4, 4]]
    far = [[1e12 + value for value in row] for row in small]
    huge = [[1e299 * value for value in row] for row in small]
    assert krippendorff_alpha(far, "interval") == pytest.approx(krippendorff_alpha(small, "interval"), abs=1e-12)
    assert krippendorff_alpha(huge, "interval") == pytest.approx(krippendorff_alpha(small, "interval"), abs=1e-12)


def test_ratio_of_zeros():
    assert krippendorff_alpha([[0, 0, 1], [0, 1, 1]], "ratio") == pytest.approx(
        1 - 5 * 2 / 18
    )  # 0 and 1: as far as can be


@pytest.mark.parametrize(
    ("ratings", "level", "error", "message"),
    [
        ([["good"], ["bad"]], "ordinal", InputError, "a rating of 'good', expected numbers"),
        ([[1, math.inf], [1, 2]], "interval", InputError, "a rating of 'inf', expected numbers"),
        ([[-1, 2], [1, 2]], "ratio", InputError, "a rating of -1, expected none below 0"),
        (np.arange(4002.0).reshape(2, -1), "ratio", TooLargeError, "4,002 different values, at most 2,000"),
        ([1, 2, 3], "ordinal", ValueError, "expected raters × units"),
        ([[1], [2]], "cardinal", ValueError, "level 'cardinal', expected one of nominal, ordinal"),
    ],
)
def test_what_cannot_be_rated(ratings, level, error, message):
    with pytest.raises(error, match=message):
        reliability(ratings, level)


def test_counts_that_are_none():
    with pytest.raises(ValueError, match="expected units × values"):
        fleiss_kappa([[1, -1]])


def test_fast_enough_for_a_review():
    """750 units by 15 raters, 1,000 resamples: a fraction of a second; the limit leaves room for a busy machine."""
    random = np.random.default_rng(0)
    ratings = np.clip(random.integers(1, 4, 750) + random.choice([-1, 0, 0, 0, 1], (15, 750)), 1, 3)
    begun = time.process_time()
    assert reliability(ratings, "ordinal", resamples=1000).low > 0.5
    assert time.process_time() - begun < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raters", "units", "noise", "least"), [(15, 50, 0.3, 0.88), (3, 50, 0.05, 0.80), (3, 200, 0.05, 0.91)]
)
def test_intervals_hold_the_truth(raters, units, noise, least):
    """How often they do is told in the docs."""
    random = np.random.default_rng(0)

    def rate(units):
        truth = random.choice([1, 2, 3], units, p=[0.2, 0.3, 0.5])
        guessed = random.integers(1, 4, (raters, units))
        return np.where(random.random((raters, units)) < noise, guessed, truth)

    true = krippendorff_alpha(rate(60_000))
    found = [reliability(rate(units), resamples=1000) for _ in range(300)]
    held = np.mean([one.low <= true <= one.high for one in found])
    assert least < held < 0.985
