from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from vdebench.stats.bootstrap import bootstrap
from vdebench.stats.paired import EXACT_UP_TO, Side, compare_pair, holm, permutation_p


def side(values):
    column = np.asarray(values, dtype=float).reshape(len(values), -1)
    return Side(column, np.ones_like(column))


def test_three_pairs_by_hand():
    """Differences .3, .2, -.1: their mean is .4 / 3. Of the eight ways to swap, the sums are ±.6, ±.4, ±.2 and
    twice 0: at least .4 for none, the third alone, and their opposites, 4 of 8."""
    found = compare_pair(side([0.1, 0.2, 0.3]), side([0.4, 0.4, 0.2]))
    assert found.difference[0] == pytest.approx(0.4 / 3)
    assert found.p[0] == 4 / 8
    assert (found.wins[0], found.ties[0], found.losses[0]) == (2, 0, 1)
    assert found.superiority[0] == pytest.approx(2 / 3)
    deviation = math.sqrt(((0.3 - 0.4 / 3) ** 2 + (0.2 - 0.4 / 3) ** 2 + (-0.1 - 0.4 / 3) ** 2) / 2)
    assert found.d_z[0] == pytest.approx(0.4 / 3 / deviation)
    # (1.959964 + 0.841621)² · deviation² / difference², in the next whole number
    assert found.needed[0] == math.ceil(2.801585**2 * deviation**2 / (0.4 / 3) ** 2) == 20


def test_three_pairs_that_all_agree():
    """Only all swapped or none is as far apart: 2 of 8."""
    assert permutation_p(side([0.1, 0.2, 0.3]), side([0.2, 0.4, 0.6])).tolist() == [2 / 8]


def test_three_pairs_of_ratios_by_hand():
    """Every swap of (numerator, denominator) tried in plain Python."""
    one = [(1.0, 2.0), (3.0, 4.0), (2.0, 5.0)]
    two = [(2.0, 3.0), (4.0, 4.0), (1.0, 1.0)]

    def ratio(pairs):
        return sum(over for over, _ in pairs) / sum(under for _, under in pairs)

    seen = abs(ratio(two) - ratio(one))
    others = []
    for swaps in product([False, True], repeat=3):
        mixed = [(b, a) if swap else (a, b) for a, b, swap in zip(one, two, swaps, strict=True)]
        others.append(abs(ratio([b for _, b in mixed]) - ratio([a for a, _ in mixed])))
    expected = sum(other >= seen - 1e-12 for other in others) / 8
    sides = [Side(*(np.array(part)[:, None] for part in zip(*pairs, strict=True))) for pairs in (one, two)]
    assert permutation_p(*sides).tolist() == [expected]
    assert compare_pair(*sides).difference[0] == pytest.approx(7 / 8 - 6 / 11)


@pytest.mark.parametrize("count", [5, 9, EXACT_UP_TO])
def test_the_exact_test_is_scipys(count):
    random = np.random.default_rng(count)
    one, two = random.random(count), random.random(count) + 0.2
    theirs = stats.permutation_test(
        (one, two), lambda a, b, axis: np.mean(b - a, axis=axis), permutation_type="samples", vectorized=True
    )
    assert permutation_p(side(one), side(two))[0] == pytest.approx(theirs.pvalue)


def test_the_drawn_test_is_near_scipys():
    random = np.random.default_rng(1)
    one = random.random(60)
    two = one + random.normal(0.03, 0.1, 60)
    theirs = stats.permutation_test(
        (one, two), lambda a, b, axis: np.mean(b - a, axis=axis), permutation_type="samples", vectorized=True,
        n_resamples=40_000, rng=np.random.default_rng(0),
    )  # fmt: skip
    ours = permutation_p(side(one), side(two), permutations=40_000)[0]
    assert 0.005 < ours < 0.2
    assert ours == pytest.approx(theirs.pvalue, abs=0.005)


def test_a_drawn_p_is_never_nought():
    """The permutation that is there counts among those drawn."""
    assert permutation_p(side(np.zeros(40)), side(np.ones(40)), permutations=999).tolist() == [1 / 1000]


def test_the_interval_of_the_difference_is_that_of_the_differences():
    random = np.random.default_rng(2)
    one = random.random(80)
    two = one + random.normal(0.05, 0.1, 80)
    found = compare_pair(side(one), side(two))
    low, high = bootstrap((two - one)[:, None], np.ones((80, 1)))
    assert (found.low[0], found.high[0]) == pytest.approx((low[0], high[0]), abs=1e-12)
    theirs = stats.bootstrap(
        (one, two), lambda a, b, axis: np.mean(b - a, axis=axis), paired=True, method="percentile", vectorized=True,
        n_resamples=20_000, rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    assert (found.low[0], found.high[0]) == pytest.approx(tuple(theirs), abs=0.002)


def false_alarms(make, sets=1000):
    alarms = 0
    for seed in range(sets):
        alarms += permutation_p(*make(np.random.default_rng(seed)), permutations=399, seed=seed)[0] <= 0.05
    return alarms / sets


def test_equal_editors_are_rarely_told_apart():
    def scores(random):
        page = random.random(80)
        return [side(np.clip(page + random.normal(0, 0.2, 80), 0, 1)) for _ in range(2)]

    assert 0.03 <= false_alarms(scores) <= 0.06


def test_equal_editors_with_other_counts_of_blocks_are_rarely_told_apart():
    def blocks(random):
        counts = random.poisson(4, (2, 60, 1))
        return [Side(random.binomial(count, 0.6), count) for count in counts]

    assert 0.03 <= false_alarms(blocks) <= 0.06


def paged(random):
    """Two equal editors on 30 pages of four samples; an editor is good or bad at a page as a whole."""
    return [side(np.repeat(random.normal(0.5, 0.1, 30), 4) + random.normal(0, 0.03, 120)) for _ in range(2)]


def test_equal_editors_on_shared_pages_are_told_apart_only_where_pages_are_forgotten():
    page = np.repeat(np.arange(30), 4)
    assert 0.03 <= false_alarms(lambda random: (*paged(random), page), 3000) <= 0.06
    assert false_alarms(paged) > 0.2


def test_the_needed_number_gives_that_power():
    """Half a standard deviation apart: 31.4 pairs by the normal approximation; so many find it 4 times in 5."""
    random = np.random.default_rng(9)
    differences = random.normal(0, 1, 4000)
    differences = (differences - differences.mean()) / differences.std(ddof=1) + 0.5
    needed = int(compare_pair(side(np.zeros(4000)), side(differences), resamples=100, permutations=100).needed[0])
    assert needed == math.ceil((1.959964 + 0.841621) ** 2 / 0.25) == 32
    found = [
        permutation_p(side(np.zeros(needed)), side(random.normal(0.5, 1, needed)), permutations=399, seed=seed)[0]
        <= 0.05
        for seed in range(1000)
    ]
    assert np.mean(found) == pytest.approx(0.8, abs=0.04)


def test_the_needed_number_counts_whole_pages():
    """Four copies of every sample tell nothing new: four times as many samples are needed."""
    random = np.random.default_rng(3)
    one, two = random.random(50), random.random(50) + 0.1
    alone = compare_pair(side(one), side(two), resamples=100).needed[0]
    copied = compare_pair(
        side(np.repeat(one, 4)), side(np.repeat(two, 4)), np.repeat(np.arange(50), 4), resamples=100
    ).needed[0]
    assert copied == pytest.approx(4 * alone, abs=4)


def test_no_difference_needs_for_ever_and_what_is_missing_is_nan():
    one = Side(np.full((20, 2), 0.5), np.column_stack([np.ones(20), np.zeros(20)]))
    found = compare_pair(one, one, resamples=100)
    assert found.difference[0] == 0
    assert found.p[0] == 1
    assert found.needed[0] == math.inf
    assert (found.wins[0], found.ties[0], found.losses[0], found.superiority[0]) == (0, 20, 0, 0.5)
    for name in ("difference", "low", "high", "p", "d_z", "superiority", "needed"):
        assert np.isnan(getattr(found, name)[1]), name
    assert found.ties[1] == 0


def test_lower_can_be_better_and_near_is_a_tie():
    one, two = side([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]), side([[0.4, 0.4], [0.6, 0.6], [0.4995, 0.4995]])
    found = compare_pair(one, two, lower_is_better=[False, True], tolerance=0.001)
    assert found.wins.tolist() == [1, 1]
    assert found.ties.tolist() == [1, 1]
    found = compare_pair(one, two, lower_is_better=[False, True])
    assert found.wins.tolist() == [1, 2]
    assert found.losses.tolist() == [2, 1]
    assert found.superiority.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_infinite_values_win_and_have_no_effect_size():
    """PSNR from the squared error, one image identical."""
    one, two = side([4.0, 4.0, 4.0]), side([0.0, 4.0, 1.0])

    def decibel(error):
        with np.errstate(divide="ignore"):
            return 10 * np.log10(255**2 / error)

    found = compare_pair(one, two, derive=decibel)
    assert (found.wins[0], found.ties[0]) == (2, 1)
    assert np.isnan(found.d_z[0])
    assert found.difference[0] == pytest.approx(10 * np.log10(4 / (5 / 3)))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),  # 3 · .01, 2 · .02, then no less than the one before
        ([0.03, 0.001, 0.5, 0.04], [0.09, 0.004, 0.5, 0.09]),  # 4 · .001, 3 · .03, max(.09, 2 · .04), .5
        ([0.4, 0.6], [0.8, 0.8]),
        ([0.9, 0.8], [1.0, 1.0]),
        ([0.02, math.nan, 0.03], [0.04, math.nan, 0.04]),  # two tests, not three
        ([], []),
    ],
)
def test_holm_by_hand(given, expected):
    assert holm(given).tolist() == pytest.approx(expected, nan_ok=True)


def test_the_same_seed_gives_the_same_bits():
    random = np.random.default_rng(4)
    one, two = side(random.random((50, 3))), side(random.random((50, 3)))
    found = [
        b"".join(column.tobytes() for column in compare_pair(one, two, resamples=500, permutations=500, seed=seed))
        for seed in (1, 1, 2)
    ]
    assert found[0] == found[1] != found[2]
