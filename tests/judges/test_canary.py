"""The canary's pages, and its verdict on good and bad judges."""

from __future__ import annotations

from random import Random

import numpy as np
import polars as pl
import pytest

from vdebench.judges import canary
from vdebench.judges.canary import CASES, RIGHT, canary_cases, garbled, judge_quality
from vdebench.judges.canary_quality import MUST_DIFFER, quality_line

DIMENSIONS = ("IF", "TA", "VC", "LP", "SE")


@pytest.fixture(scope="module")
def cases():
    return canary_cases()


def changed(one, other):
    """Rows and columns in which two images differ: first and last of each."""
    rows, columns = np.nonzero((one != other).any(axis=2))
    return (rows.min(), rows.max(), columns.min(), columns.max()) if len(rows) else None


def ink(image):
    return float((255 - image).mean())


def test_few_and_small_in_both_languages(cases):
    assert len(cases) == len({case.key for case in cases}) == 15
    assert {case.name for case in cases} == set(CASES)
    for name in CASES:
        assert {case.page[:2] for case in cases if case.name == name} == {"en", "zh"}
    for case in cases:
        assert case.key.startswith("canary/")
        assert case.source.shape == case.output.shape == case.reference.shape
        assert case.source.shape[0] <= 440
        assert case.source.shape[1] <= 720
        assert case.source.std() > 20  # printed, not blank
        assert case.knowledge


def test_each_output_is_what_its_name_says(cases):
    for page in {case.page for case in cases}:
        found = {case.name: case for case in cases if case.page == page}
        source, reference = found["perfect"].source, found["perfect"].reference
        top, bottom, left, right = changed(source, reference)
        for name, case in found.items():
            output = case.output
            assert np.array_equal(case.source, source)
            assert np.array_equal(case.reference, reference)
            if name == "perfect":
                assert np.array_equal(output, reference)
            elif name == "nothing":
                assert np.array_equal(output, source)
            elif name == "wrong_text":  # at the place, and nowhere else
                a, b, c, d = changed(output, reference)
                assert top - 3 <= a <= b <= bottom + 3
                assert (c, d) >= (left - 3, 0)
                assert changed(output, source) is not None
            elif name == "wrong_place":  # the place is as it was, another is not
                assert np.array_equal(
                    output[top : bottom + 1, left : right + 1], source[top : bottom + 1, left : right + 1]
                )
                a, b, *_ = changed(output, source)
                assert b < top or a > bottom
            else:  # the edit is right, another place lost its letters
                assert np.array_equal(output[top : bottom + 1], reference[top : bottom + 1])
                a, b, c, d = changed(output, reference)
                assert b < top or a > bottom
                harmed, whole = output[a : b + 1, c : d + 1], reference[a : b + 1, c : d + 1]
                assert harmed.astype(int).std() < 0.6 * whole.astype(int).std()  # black and white became grey
                assert ink(harmed) == pytest.approx(ink(whole), rel=0.05)


def test_the_pages_are_made_the_same_again(cases):
    canary._all_cases.cache_clear()
    again = canary_cases()
    assert [case.key for case in again] == [case.key for case in cases]
    for one, other in zip(again, cases, strict=True):
        assert np.array_equal(one.output, other.output)
        assert one.instruction == other.instruction


def test_images_are_not_for_changing(cases):
    with pytest.raises(ValueError, match="read-only"):
        cases[0].output[0, 0] = 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Osaka", "akasO"), ("67.0%", "90.3%"), ("陶云飞", "飞云陶"), ("every 9 minutes", "yreve 2 setunim")],
)
def test_garbled_text_keeps_its_length(text, expected):
    assert garbled(text) == expected


# What judges make of it.


def asked(cases, grade, dimensions=DIMENSIONS, draws=1):
    """Rows of a judge: `grade` gives a grade for a case, a dimension and a draw, or a state."""
    rows = []
    for case in cases:
        for dimension in dimensions:
            for draw in range(draws):
                given = grade(case, dimension, draw)
                graded = isinstance(given, int)
                rows.append(
                    {
                        "sample": case.key,
                        "group": "canary",
                        "dimension": dimension,
                        "draw": draw,
                        "state": "graded" if graded else given,
                        "grade": given if graded else None,
                    }
                )
    return pl.DataFrame(rows, schema_overrides={"grade": pl.Int64})


def careful(case, dimension, draw):
    return RIGHT[case.name][dimension]


def wavering(case, dimension, draw):
    """Good, with a level more or less in every third draw."""
    return max(0, min(5, careful(case, dimension, draw) + (0, 1, -1)[draw]))


def test_a_good_judge_is_trusted(cases):
    quality = judge_quality(asked(cases, careful))
    assert quality["trusted"] is True
    assert quality["verdict"] == "tells them apart"
    # pages with both sides of a pair: IF 3 + 2, TA 3 + 3, VC 2, LP 3 + 2, SE 3
    assert quality["compared"] == 21
    assert quality["told_apart"] == 1
    assert quality["grades"]["TA"] == {"perfect": 5, "wrong_text": 1, "wrong_place": 1, "collateral": 5, "nothing": 0}
    assert {pair["dimension"]: pair["gap"] for pair in quality["pairs"] if pair["worse"] == "wrong_place"} == {
        "IF": 4,
        "VC": 4,
        "LP": 3,
    }
    assert quality_line(quality) == "canary: tells them apart (21 of 21 comparisons right)"


def test_a_good_judge_that_wavers_is_trusted(cases):
    assert judge_quality(asked(cases, wavering, draws=3))["trusted"] is True


def test_always_five_is_called_out(cases):
    quality = judge_quality(asked(cases, lambda *_: 5))
    assert quality["trusted"] is False
    assert quality["told_apart"] == 0
    assert set(quality["spread"].values()) == {0}
    assert "cannot tell nothing or wrong_place from perfect in IF (0 of 5 right)" in quality["verdict"]
    assert quality["verdict"].endswith("do not trust these grades")


@pytest.mark.parametrize("draws", [1, 3])
def test_random_judges_are_called_out(cases, draws):
    """Of 300 random judges, asked for all dimensions, none is trusted; asked for one, few are."""
    fooled = alone = 0
    for seed in range(300):
        rng = Random(seed)
        rows = asked(cases, lambda *_, rng=rng: rng.randint(0, 5), draws=draws)
        fooled += judge_quality(rows)["trusted"]
        alone += judge_quality(rows.filter(pl.col("dimension") == "TA"))["trusted"]
    assert fooled == 0
    assert alone <= 15


def test_a_judge_that_looks_only_at_the_reference_is_called_out(cases):
    """It gives each page its own grade, whatever the output."""
    pages = sorted({case.page for case in cases})
    quality = judge_quality(asked(cases, lambda case, *_: 2 + pages.index(case.page)))
    assert quality["trusted"] is False
    assert quality["told_apart"] == 0
    assert min(quality["spread"].values()) > 1  # spread alone would not have told


def test_a_judge_that_refuses_half_is_called_out(cases):
    order = {case.key: i for i, case in enumerate(cases)}
    half = judge_quality(asked(cases, lambda c, d, n: "refused" if order[c.key] % 2 else careful(c, d, n)))
    assert half["trusted"] is False
    assert "graded only 40 of 75 questions" in half["verdict"]
    one = judge_quality(asked(cases, lambda c, d, n: "refused" if order[c.key] == 14 else careful(c, d, n)))
    assert one["trusted"] is True  # 70 of 75
    none = judge_quality(asked(cases, lambda *_: "refused"))
    assert none["trusted"] is False
    assert none["told_apart"] is None


def test_a_grumbler_is_called_out(cases):
    """It orders the cases rightly, but gives the right answer itself a 2."""
    quality = judge_quality(asked(cases, lambda *asked: 2 * careful(*asked) // 5))
    assert quality["trusted"] is False
    assert "gives perfect edits only 2.0 in IF" in quality["verdict"]


def test_one_blind_dimension_is_named(cases):
    """Good in all but text: such a judge does not read."""
    quality = judge_quality(asked(cases, lambda c, d, n: 5 if d == "TA" else careful(c, d, n)))
    assert quality["verdict"].startswith("cannot tell wrong_text or nothing from perfect in TA")
    assert " in IF" not in quality["verdict"]


def test_a_dimension_of_which_nothing_is_graded_is_named(cases):
    quality = judge_quality(asked(cases, lambda c, d, n: "invalid" if d == "VC" else careful(c, d, n)))
    assert quality["trusted"] is False  # though 60 of 75 are graded
    assert "cannot be checked in VC" in quality["verdict"]


def test_no_canary_is_no_verdict(cases):
    rows = asked(cases, careful).with_columns(group=pl.lit("manual"))
    assert judge_quality(rows)["trusted"] is None
    assert quality_line(judge_quality(rows)) == "canary: no canary was asked"


def test_what_must_differ_does_so_in_the_right_grades():
    for dimension, worse in MUST_DIFFER.items():
        assert all(RIGHT[case][dimension] <= RIGHT["perfect"][dimension] - 2 for case in worse)
