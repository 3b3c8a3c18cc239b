"""Alignment recovers known transforms deterministically, in any order and number of threads."""

from __future__ import annotations

import itertools
import json
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest

from vdebench.core.box import Size
from vdebench.io.images import open_image
from vdebench.metrics.alignment import Alignment, Features, align, features, outside, warped
from vdebench.metrics.image import mean_squared_error

SIZE = Size(401, 300)


def moved(page: np.ndarray, angle: float = 0, scale: float = 1, dx: float = 0, dy: float = 0, size=(401, 300)):
    """A page turned about its centre, clockwise as seen, scaled, then shifted to the right and down."""
    matrix = cv2.getRotationMatrix2D(((page.shape[1] - 1) / 2, (page.shape[0] - 1) / 2), -angle, scale)
    matrix[:, 2] += dx, dy
    return cv2.warpAffine(page, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)


def as_the_paper(page: np.ndarray, prediction: np.ndarray) -> tuple[np.ndarray, int]:
    """The paper's steps in OpenCV's own words, with matches as objects."""
    sift = cv2.SIFT_create()
    (points, own), (others, descriptors) = (
        sift.detectAndCompute(cv2.cvtColor(image[..., ::-1].copy(), cv2.COLOR_BGR2GRAY), None)
        for image in (page, prediction)
    )
    cv2.setRNGSeed(0)
    pairs = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 5}, {"checks": 50}).knnMatch(own, descriptors, k=2)
    clear = [best for best, second in pairs if best.distance < 0.7 * second.distance]
    source, target = (
        np.array([others[match.trainIdx].pt for match in clear], np.float32),
        np.array([points[match.queryIdx].pt for match in clear], np.float32),
    )
    return cv2.estimateAffinePartial2D(source, target, method=cv2.LMEDS)[0], len(clear)


@pytest.mark.parametrize(
    ("angle", "scale", "dx", "dy"),
    [(0, 1, 3, 0), (0, 1, -2.5, 1.25), (2, 1, 0, 0), (0, 1.03, 0, 0), (-1.5, 0.97, 4, -3)],
)
def test_a_known_transform_is_found_again(drawn, angle, scale, dx, dy):
    page = drawn[1]
    found = align(features(moved(page, angle, scale, dx, dy)), features(page))
    assert found.state == "aligned"
    assert found.scale == pytest.approx(1 / scale, abs=2e-3)
    assert found.angle == pytest.approx(-angle, abs=0.1)
    back = np.array([[np.cos(t := np.radians(-angle)), -np.sin(t)], [np.sin(t), np.cos(t)]]) / scale @ [-dx, -dy]
    assert found.shift == pytest.approx(tuple(back), abs=0.2)
    assert found.inliers <= found.matches
    assert found.residual is not None
    assert found.residual < 0.5


def test_three_pixels_of_shift_are_undone(drawn):
    page = drawn[1]
    shifted = moved(page, dx=3)
    found = align(features(shifted), features(page))
    inner = np.s_[8:-8, 8:-8]  # the mirrored edge is no part of the page
    assert mean_squared_error(shifted[inner], page[inner]) > 1000
    assert mean_squared_error(warped(shifted, found, SIZE)[inner], page[inner]) < 5


def test_another_size_is_brought_onto_the_page(drawn):
    page = drawn[1]
    larger = cv2.resize(page, (802, 600), interpolation=cv2.INTER_CUBIC)
    found = align(features(larger), features(page))
    assert found.scale == pytest.approx(0.5, abs=2e-3)
    assert found.shift == pytest.approx((0, 0), abs=0.3)  # centre onto centre
    assert warped(larger, found, SIZE).shape == page.shape


def test_an_outlier_does_not_move_the_page(drawn):
    """A block that went elsewhere, a fifth of the page, against the rest that stayed."""
    page = drawn[1]
    other = page.copy()
    other[20:140, 20:180] = page[140:260, 20:180]
    found = align(features(other), features(page))
    assert found.shift == pytest.approx((0, 0), abs=0.05)
    assert found.residual == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(
    ("counts", "state"),
    [((0, 50), "few_features"), ((1, 50), "few_features"), ((50, 3), "few_features"), ((50, 50), "few_matches")],
)
def test_why_there_is_none(counts, state):
    """Points described at random: the second best is as near as the best."""
    random = np.random.default_rng(1)
    moving, fixed = (
        Features(
            random.random((n, 2), np.float32) * 99, random.integers(0, 256, (n, 128)).astype(np.float32), (100, 100)
        )
        for n in counts
    )
    found = align(moving, fixed)
    assert (found.state, found.transform, found.shift, found.scale, found.angle) == (state, None, None, None, None)
    with pytest.raises(ValueError, match=rf"without alignment \({state}\)"):
        warped(np.zeros((9, 9, 3), np.uint8), found, SIZE)


def test_points_in_one_place_have_no_transform(drawn):
    page = features(drawn[1])
    heap = page._replace(points=np.full_like(page.points, 7))
    found = align(heap, page)
    assert found.state in ("no_transform", "aligned")
    assert found.transform is None or np.isfinite(found.transform).all()


def test_kept_features_give_the_same_bits(drawn):
    worn, page = (features(image) for image in drawn)
    kept = Features.from_json(json.loads(json.dumps(page.to_json())))
    assert kept.size == page.size == (401, 300)
    for one, other in zip(kept[:2], page[:2], strict=True):
        assert one.dtype == np.float32
        np.testing.assert_array_equal(one, other)
    assert align(worn, kept) == align(worn, page)
    assert len(json.dumps(page.to_json())) < 160 * len(page.points)
    with pytest.raises(ValueError, match="invalid features"):
        Features.from_json({**page.to_json(), "points": features(drawn[0]).to_json()["points"]})


def test_as_the_paper_bit_for_bit(drawn):
    for prediction in (drawn[0], moved(drawn[1], 1, 1.01, 2, 1)):
        found = align(features(prediction), features(drawn[1]))
        matrix, matches = as_the_paper(drawn[1], prediction)
        assert found.matches == matches
        np.testing.assert_array_equal(found.transform, matrix)


def everything(images: list[np.ndarray], page: np.ndarray) -> list[tuple[Alignment, bytes]]:
    fixed = features(page)
    found = [align(features(image), fixed) for image in images]
    return [(one, warped(image, one, SIZE).tobytes()) for one, image in zip(found, images, strict=True)]


def test_the_same_in_any_order_and_with_any_threads(drawn):
    page = drawn[1]
    images = [drawn[0], moved(page, 0.7, 1.02, 2.3, -1.4), moved(drawn[0], dx=5), page]
    expected = everything(images, page)
    before = cv2.getNumThreads()
    try:
        for threads in (1, 2, 4):
            cv2.setNumThreads(threads)
            cv2.setRNGSeed(threads)  # what others drew before does not matter
            assert everything(images, page) == expected
    finally:
        cv2.setNumThreads(before)
    for order in itertools.islice(itertools.permutations(range(len(images))), 5, None, 9):
        assert everything([images[i] for i in order], page) == [expected[i] for i in order]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: everything(images, page), range(4))) == [expected] * 4


def test_features_outside_a_mask(drawn):
    found = features(drawn[1])
    mask = np.zeros((300, 401), bool)
    mask[:, 200:] = True
    left = outside(found, mask)
    assert 0 < len(left.points) < len(found.points)
    assert left.points[:, 0].max() < 199.5
    assert len(left.points) + len(outside(found, ~mask).points) == len(found.points)
    assert len(left.descriptors) == len(left.points)
    with pytest.raises(ValueError, match="expected the same size"):
        outside(found, mask[:-1])


def test_real_pages(shared):
    """References of TextEditBench on their inputs: as the paper's steps, and in place to a tenth of a pixel."""
    folders = sorted((shared / "data/textedit/data_manual_production").glob("*/*/"))[::20]
    if not folders:
        pytest.skip(f"no TextEditBench at {shared}/data/textedit")
    for folder in folders:
        names = [file for file in folder.glob("*.jpg") if not file.stem.endswith("_mask")]
        page, reference = sorted(names, key=lambda file: not file.stem.isdigit())
        page, reference = open_image(page), np.roll(open_image(reference), 3, axis=1)
        found = align(features(reference), features(page))
        matrix, matches = as_the_paper(page, reference)
        np.testing.assert_array_equal(found.transform, matrix)
        assert found.matches == matches
        assert found.shift == pytest.approx((-3, 0), abs=0.1)
