"""Masked metrics against NumPy, SciPy and torchmetrics."""

from __future__ import annotations

import io
import warnings

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Pictures
from scipy.ndimage import binary_erosion, correlate1d

from vdebench.core.box import Size
from vdebench.io.images import open_image
from vdebench.metrics.alignment import align, features, warped
from vdebench.metrics.image import TooSmallError, mean_squared_error
from vdebench.metrics.lpips import Lpips
from vdebench.metrics.masked import (
    REDRAWN,
    lpips_where,
    masked_mse,
    multiplied_lpips,
    multiplied_ssim,
    share_changed,
    share_redrawn,
    ssim_where,
    union,
    windows_in,
)

packaged = pytest.mark.skipif(bool(Lpips.missing("alex")), reason=Lpips.missing("alex"))
GAUSS = np.exp(-0.5 * (np.arange(-5, 6) / 1.5) ** 2)


def blurred(values: np.ndarray) -> np.ndarray:
    kernel = GAUSS / GAUSS.sum()
    return correlate1d(correlate1d(values, kernel, axis=0, mode="mirror"), kernel, axis=1, mode="mirror")


def map_in_float64(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """SSIM's map of images from 0 to 1, the five moments as the definition has them."""
    x, y = first.astype(float), second.astype(float)
    mx, my = blurred(x), blurred(y)
    vx, vy, cov = blurred(x * x) - mx**2, blurred(y * y) - my**2, blurred(x * y) - mx * my
    return (2 * mx * my + 1e-4) * (2 * cov + 9e-4) / ((mx**2 + my**2 + 1e-4) * (vx + vy + 9e-4))


def multiplied_in_float64(first: np.ndarray, second: np.ndarray, background: np.ndarray) -> float:
    return float(map_in_float64(*(image / 255 * background[..., None] for image in (first, second))).mean())


def box(shape: tuple[int, ...], top: int, bottom: int, left: int, right: int) -> np.ndarray:
    mask = np.zeros(shape[:2], bool)
    mask[top:bottom, left:right] = True
    return mask


def noise(seed: int, height: int = 300, width: int = 401) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


def test_union_of_grey_and_rgb():
    grey = np.array([[0, 127, 128, 255]], np.uint8)
    other = np.zeros((1, 4, 3), np.uint8)
    other[0, 0] = 255
    assert union(grey, other).tolist() == [[True, False, True, True]]
    assert union(grey).dtype == bool
    with pytest.raises(ValueError, match="masks of 4×1, 3×1: expected the same size"):
        union(grey, grey[:, :3])
    with pytest.raises(ValueError, match="expected one or more"):
        union()


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 40), st.sampled_from([0.02, 0.5, 1]))
def test_mse_is_numpy_s(seed, height, width, share):
    first, second = noise(seed, height, width), noise(seed + 1, height, width)
    where = np.random.default_rng(seed).random((height, width)) < share
    if not where.any():
        with pytest.raises(TooSmallError, match="no pixels"):
            masked_mse(first, second, where)
        return
    expected = np.mean((first[where].astype(float) - second[where]) ** 2)
    assert masked_mse(first, second, where) == pytest.approx(expected, abs=1e-6)


def test_mse_by_hand():
    """Two pixels of the part: one differs by 10, 20 and 30, the other not at all."""
    page = np.full((3, 3, 3), 100, np.uint8)
    other = page.copy()
    other[0, 0] += np.array([10, 20, 30], np.uint8)
    other[2, 2] = 0  # not in the part
    where = np.zeros((3, 3), bool)
    where[0, 0] = where[1, 1] = True
    assert masked_mse(other, page, where) == (100 + 400 + 900) / 6
    white = np.full((1024, 1024, 3), 255, np.uint8)
    assert masked_mse(white, white * 0, np.ones((1024, 1024), bool)) == 255**2  # no sum overflows


def test_share_changed_by_hand():
    page = np.full((2, 4, 3), 100, np.uint8)
    other = page.copy()
    other[0, 0, 2] += 33
    other[0, 1, 1] += 32  # at the tolerance
    other[0, 2, 0] -= 50
    other[1, 0] = 0  # not in the part
    where = box(page.shape, 0, 1, 0, 4)
    assert share_changed(other, page, where) == 2 / 4
    assert share_changed(other, page, where, tolerance=31) == 3 / 4
    assert share_changed(page, other, where, tolerance=49) == 1 / 4


@pytest.mark.parametrize(("height", "width"), [(11, 11), (12, 40), (64, 64), (65, 30), (70, 129), (300, 401)])
def test_multiplied_ssim_is_the_definition_s(drawn, height, width):
    """Each height a different end of the last band of rows."""
    for first, second in (drawn, (noise(1), noise(2)), (drawn[1] // 8 + 220, drawn[0] // 8 + 220)):
        first, second = first[:height, :width], second[:height, :width]
        for background in (np.ones((height, width), bool), ~box((height, width), 3, height - 5, 2, width // 2)):
            expected = multiplied_in_float64(first, second, background)
            assert multiplied_ssim(first, second, background) == pytest.approx(expected, abs=2e-6)


def test_ssim_where_is_the_mean_over_windows_wholly_inside(drawn):
    first, second = drawn
    for where in (np.ones((300, 401), bool), ~box(first.shape, 40, 200, 30, 300), box(first.shape, 90, 111, 380, 401)):
        centres = binary_erosion(where, np.ones((11, 11)))
        assert windows_in(where) == "whole"
        expected = map_in_float64(first / 255, second / 255)[centres].mean()
        assert ssim_where(first, second, where) == pytest.approx(expected, abs=2e-6)


def test_ssim_where_of_a_part_too_thin_for_a_window(drawn):
    first, second = drawn
    where = box(first.shape, 100, 104, 0, 401)  # a line of text from edge to edge
    assert windows_in(where) == "centred"
    expected = map_in_float64(first / 255, second / 255)[100:104, 5:-5].mean()
    assert ssim_where(first, second, where) == pytest.approx(expected, abs=2e-6)
    for nothing in (np.zeros((300, 401), bool), box(first.shape, 0, 5, 0, 401)):  # no window reaches over the edge
        assert windows_in(nothing) == "none"
        with pytest.raises(TooSmallError, match="no window of 11×11"):
            ssim_where(first, second, nothing)


def test_identical_images(drawn):
    page = drawn[1]
    mask = box(page.shape, 40, 200, 30, 300)
    for where in (mask, ~mask):
        assert masked_mse(page, page, where) == 0
        assert share_changed(page, page, where) == share_redrawn(page, page, where) == 0
        assert multiplied_ssim(page, page, where) == 1
        assert ssim_where(page, page, where) == 1


def test_a_change_inside_the_mask_moves_nothing_outside(drawn):
    page = drawn[1]
    mask = box(page.shape, 41, 203, 30, 299)
    edited = np.where(mask[..., None], noise(5), page)
    assert masked_mse(edited, page, ~mask) == share_changed(edited, page, ~mask) == 0
    assert multiplied_ssim(edited, page, ~mask) == ssim_where(edited, page, ~mask) == 1
    assert masked_mse(edited, page, mask) > 5000
    assert ssim_where(edited, page, mask) < 0.1
    edited[205, 100] ^= 255  # one pixel outside
    assert masked_mse(edited, page, ~mask) > 0
    assert ssim_where(edited, page, ~mask) < 1


def test_noise_scores_as_noise_however_large_the_mask():
    """The paper's form gives .90 to noise of which 90 % is masked."""
    page, other = noise(1, 400, 400), noise(2, 400, 400)
    bare = ssim_where(page, other, np.ones((400, 400), bool))
    assert abs(bare) < 0.02
    for masked, paper in ((0, 0.0), (200, 0.5), (360, 0.9)):
        background = ~box(page.shape, 0, 400, 0, masked)
        assert multiplied_ssim(page, other, background) == pytest.approx(paper, abs=0.03)
        assert ssim_where(page, other, background) == pytest.approx(bare, abs=0.02)


def test_three_pixels_of_shift(drawn):
    """Raw low, aligned high."""
    page = drawn[1]
    shifted = cv2.warpAffine(page, np.array([[1.0, 0, 3], [0, 1, 0]]), (401, 300), borderMode=cv2.BORDER_REFLECT)
    background = ~box(page.shape, 120, 180, 200, 320)
    back = warped(shifted, align(features(shifted), features(page)), Size(401, 300))
    assert ssim_where(shifted, page, background) < 0.7
    assert ssim_where(back, page, background) > 0.98
    assert masked_mse(shifted, page, background) > 40 * masked_mse(back, page, background)


def resaved(page: np.ndarray, quality: int) -> np.ndarray:
    file = io.BytesIO()
    Pictures.fromarray(page).save(file, "JPEG", quality=quality)
    file.seek(0)
    return np.array(Pictures.open(file).convert("RGB"))


def test_saving_and_resampling_redraw_nothing_and_a_word_does():
    page = np.full((300, 401, 3), 250, np.uint8)
    cv2.putText(page, "Total 1,204", (20, 160), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (20, 30, 90), 4, cv2.LINE_AA)
    where = box(page.shape, 110, 175, 10, 350)
    smaller = cv2.resize(
        cv2.resize(page, (326, 244), interpolation=cv2.INTER_AREA), (401, 300), interpolation=cv2.INTER_CUBIC
    )
    for same in (resaved(page, 80), resaved(page, 60), smaller, cv2.GaussianBlur(page, (0, 0), 0.8)):
        assert share_redrawn(same, page, where) <= REDRAWN
    assert share_changed(smaller, page, where) > REDRAWN  # why it is smoothed first
    edited = np.full_like(page, 250)
    cv2.putText(edited, "Total 1,205", (20, 160), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (20, 30, 90), 4, cv2.LINE_AA)
    assert share_redrawn(edited, page, where) > REDRAWN


def test_the_same_with_any_threads(drawn):
    first, second = (np.tile(image, (3, 2, 1)) for image in drawn)
    background = ~box(first.shape, 41, 503, 30, 299)
    before, found = cv2.getNumThreads(), set()
    try:
        for threads in (1, 2, 4):
            cv2.setNumThreads(threads)
            measures = (masked_mse, share_changed, share_redrawn, multiplied_ssim, ssim_where)
            found.add(tuple(measure(first, second, background) for measure in measures))
    finally:
        cv2.setNumThreads(before)
    assert len(found) == 1


@pytest.mark.parametrize("measure", [masked_mse, share_changed, multiplied_ssim, ssim_where])
def test_what_does_not_fit(measure, drawn):
    page, where = drawn[1], np.ones((300, 401), bool)
    with pytest.raises(ValueError, match="expected the same size"):
        measure(page, page[:, :-1], where)
    with pytest.raises(ValueError, match=r"a mask of bool and shape \(299, 401\): expected bool and the images'"):
        measure(page, page, where[1:])
    with pytest.raises(ValueError, match="a mask of uint8"):
        measure(page, page, where.astype(np.uint8))
    with pytest.raises(ValueError, match="expected uint8"):
        measure(page / 255, page / 255, where)
    if "ssim" in measure.__name__:
        with pytest.raises(TooSmallError, match="needs 11 pixels"):
            measure(page[:10], page[:10], where[:10])


@packaged
def test_lpips_of_a_part(drawn):
    first, second = drawn
    metric = Lpips("alex")
    everywhere, mask = np.ones((300, 401), bool), box(first.shape, 90, 260, 150, 380)
    whole = metric(first, second)
    assert lpips_where(metric, first, second, everywhere) == pytest.approx(whole, rel=1e-5)
    assert multiplied_lpips(metric, first, second, everywhere) == whole
    assert multiplied_lpips(metric, first, second, ~mask) == metric(*(image * ~mask[..., None] for image in drawn))
    edited = np.where(mask[..., None], first, second)  # nothing outside
    assert lpips_where(metric, edited, second, ~mask) == multiplied_lpips(metric, edited, second, ~mask) == 0
    assert lpips_where(metric, edited, second, mask) == lpips_where(metric, first, second, mask) > 0
    with pytest.raises(TooSmallError, match="is centred in a part of 1604 pixels"):
        lpips_where(metric, first, second, box(first.shape, 0, 4, 0, 401))


@packaged
def test_lpips_in_bands(drawn, monkeypatch):
    from vdebench.metrics import lpips as module

    tall = [np.concatenate([image, image[::-1], image[50:]])[:, 180:260] for image in drawn]  # 850 rows
    where = np.random.default_rng(1).random((850, 80)) < 0.4
    metric = Lpips("alex")
    whole = lpips_where(metric, *tall, where)
    monkeypatch.setitem(module._NETWORKS, "alex", module._NETWORKS["alex"]._replace(band=100 * 80))
    assert lpips_where(metric, *tall, where) == pytest.approx(whole, rel=1e-5)


@packaged
def test_lpips_of_noise_does_not_depend_on_the_mask():
    """With 90 % masked the paper's form gives a tenth of the distance, ours nearly all of it."""
    page, other = noise(1, 320, 320), noise(2, 320, 320)
    page = page // 8 + 112  # faint against strong noise: a distance worth the name
    metric = Lpips("alex")
    whole = metric(page, other)
    background = ~box(page.shape, 0, 320, 0, 288)
    assert multiplied_lpips(metric, page, other, background) < 0.25 * whole
    assert lpips_where(metric, page, other, background) > 0.7 * whole


def test_real_masks(shared):
    """Whole instances of TextEditBench: the reference against its input, outside and inside."""
    folders = sorted((shared / "data/textedit/data_manual_production").glob("*/*/"))[3::12]
    if not folders:
        pytest.skip(f"no TextEditBench at {shared}/data/textedit")
    for folder in folders:
        names = [file for file in folder.glob("*.jpg") if not file.stem.endswith("_mask")]
        page, reference = map(open_image, sorted(names, key=lambda file: not file.stem.isdigit()))
        mask = union(*map(open_image, sorted(folder.glob("*_mask.jpg"))))
        expected = ((reference.astype(float) - page) ** 2)[~mask].mean()
        assert masked_mse(reference, page, ~mask) == pytest.approx(expected, abs=1e-6)
        expected = multiplied_in_float64(reference, page, ~mask)
        assert multiplied_ssim(reference, page, ~mask) == pytest.approx(expected, abs=2e-6)
        assert masked_mse(reference, page, mask) > masked_mse(reference, page, ~mask)
        assert share_redrawn(reference, page, mask) > REDRAWN
        assert share_redrawn(resaved(page, 60), page, mask) <= REDRAWN


@pytest.mark.slow
def test_multiplied_ssim_is_torchmetrics(torch, drawn):
    """Of its float64 to 1e-5. Its float32, in which it is used, is off by some 1e-4 where much is white."""
    pytest.importorskip("torchmetrics")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torchmetrics.image import StructuralSimilarityIndexMeasure

    def theirs(kind, *images: np.ndarray) -> float:
        tensors = [torch.from_numpy(image).to(kind).permute(2, 0, 1)[None] for image in images]
        return float(StructuralSimilarityIndexMeasure(data_range=1.0)(*tensors))

    for first, second in (drawn, (noise(1), noise(2)), (drawn[1] ^ 3, drawn[1])):
        for background in (np.ones((300, 401), bool), ~box(first.shape, 40, 200, 30, 300)):
            images = [image / 255 * background[..., None] for image in (first, second)]
            found = multiplied_ssim(first, second, background)
            assert found == pytest.approx(theirs(torch.float64, *images), abs=1e-5)
            assert found == pytest.approx(theirs(torch.float32, *images), abs=5e-4)


def test_mse_of_everything_is_the_page_s(drawn):
    assert masked_mse(*drawn, np.ones((300, 401), bool)) == mean_squared_error(*drawn)
