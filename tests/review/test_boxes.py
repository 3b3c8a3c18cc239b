"""Agreement on boxes: by hand, and against counting pixels."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vdebench.core.box import Box
from vdebench.review.boxes import MOST_BOXES, agreement, wrong_boxes
from vdebench.review.refusals import Reason

A = Box(10, 10, 310, 50)  # 300×40 = 12,000 pixels
LARGER = Box(10, 10, 310, 51)  # 12,300
FAR = Box(350, 200, 390, 240)


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ([[A], [A], [A]], Fraction(1)),
        ([[A], [A.scaled(1, 1)], [LARGER]], (1 + Fraction(12000, 12300) * 2) / 3),
        # one pixel off in both axes: 299×39 shared of 2×12,000 − 299×39
        ([[A], [A], [Box(11, 11, 311, 51)]], (1 + 2 * Fraction(11661, 12339)) / 3),
        ([[A, FAR], [FAR, A], [A, FAR]], Fraction(1)),  # in whatever order they were drawn
        ([[A, FAR], [A, FAR], [A]], Fraction(0)),  # one forgot a region
        ([[A, FAR], [A, FAR], [A, Box(0, 200, 40, 240)]], Fraction(1, 3)),  # that of the worst region: 1, 0, 0
        ([[A], [FAR], [Box(0, 100, 9, 109)]], Fraction(0)),
    ],
)
def test_agreement(drawn, expected):
    assert agreement(drawn).value == expected


def test_one_pixel_in_both_axes_is_too_much():
    found = agreement([[A], [Box(11, 11, 311, 51)]])
    assert float(found.value) == pytest.approx(0.945, abs=5e-4)
    assert not found.above(0.95)
    assert found.above(0.94)


def test_exactly_095_is_not_above_095():
    # 19 of 20 columns; with doubles the sum of three such divided by three would be on either side
    one, other = Box(0, 0, 20, 10), Box(0, 0, 19, 10)
    assert agreement([[one], [other]]).value == Fraction(19, 20)
    assert not agreement([[one], [other]]).above(0.95)
    assert agreement([[one], [other]]).above(0.9499999)


def test_largest_of_each_region_is_truth():
    smaller_far = Box(351, 200, 390, 240)
    found = agreement([[FAR, A], [LARGER, smaller_far], [A, FAR]])
    assert found.largest() == (LARGER, FAR)


BOXES = st.builds(
    lambda x, y, width, height: Box(x, y, x + width, y + height),
    *(st.integers(0, 12), st.integers(0, 12), st.integers(1, 12), st.integers(1, 12)),
)


def pixels(box):
    mask = np.zeros((30, 30), bool)
    mask[box.y1 : box.y2, box.x1 : box.x2] = True
    return mask


@given(st.lists(BOXES, min_size=3, max_size=3))
@settings(max_examples=40)
def test_one_region_by_counting_pixels(boxes):
    one, two, three = map(pixels, boxes)
    pairs = [(a & b).sum() / (a | b).sum() for a, b in ((one, two), (one, three), (two, three))]
    assert float(agreement([[box] for box in boxes]).value) == pytest.approx(np.mean(pairs))


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(BOXES, min_size=n, max_size=n, unique=True), min_size=3, max_size=3)
    )
)
@settings(max_examples=40)
def test_no_group_is_preferred(drawn):
    expected = agreement(drawn).value
    assert {agreement(list(order)).value for order in permutations(drawn)} == {expected}


@pytest.mark.parametrize(
    ("boxes", "reason"),
    [
        ([], Reason.NO_BOX),
        ("boxes", Reason.MALFORMED),
        ([[0, 0, 5]], Reason.BOX_NOT_PIXELS),
        ([[0, 0, 5, 5.5]], Reason.BOX_NOT_PIXELS),
        ([[0, 0, 5, 5.0]], Reason.BOX_NOT_PIXELS),
        ([[False, 0, 5, True]], Reason.BOX_NOT_PIXELS),
        ([[0, 0, 5, "5"]], Reason.BOX_NOT_PIXELS),
        ([[0, 0, float("nan"), 5]], Reason.BOX_NOT_PIXELS),
        ([None], Reason.BOX_NOT_PIXELS),
        ([[-1, 0, 5, 5]], Reason.BOX_OUTSIDE),
        ([[0, 0, 101, 5]], Reason.BOX_OUTSIDE),
        ([[0, 0, 5, 51]], Reason.BOX_OUTSIDE),
        ([[0, 0, 10**400, 5]], Reason.BOX_OUTSIDE),
        ([[5, 0, 5, 5]], Reason.BOX_EMPTY),
        ([[5, 4, 9, 2]], Reason.BOX_EMPTY),
        ([[0, 0, 5, 5], [0, 0, 5, 5]], Reason.BOX_TWICE),
        ([[x, 0, x + 1, 1] for x in range(MOST_BOXES + 1)], Reason.TOO_MANY_BOXES),
    ],
)
def test_no_boxes(boxes, reason):
    assert wrong_boxes(boxes, 100 if reason is not Reason.TOO_MANY_BOXES else 1000, 50).reason is reason


def test_the_whole_image_is_a_box():
    assert wrong_boxes([(0, 0, 100, 50)], 100, 50) is None
    assert wrong_boxes([(0, 0, 1, 1)], 1, 1) is None
