"""PSNR and SSIM against scikit-image, on noise, on text, on real pages."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from vdebench.io.images import open_image
from vdebench.metrics.image import psnr, ssim


def noise(seed: int, height: int, width: int, spread: int = 256) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, spread, (height, width, 3), np.uint8)


def same(one: np.ndarray, other: np.ndarray) -> None:
    expected = structural_similarity(one, other, channel_axis=2, data_range=255)
    assert ssim(one, other) == pytest.approx(expected, abs=1e-9)
    assert psnr(one, other) == pytest.approx(peak_signal_noise_ratio(one, other, data_range=255), abs=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(7, 40), st.integers(7, 40), st.sampled_from([2, 30, 256]))
def test_noise(seed, height, width, spread):
    same(noise(seed, height, width, spread), noise(seed + 1, height, width, spread))


def test_extremes_do_not_overflow():
    """White against black: the largest sums of squares a window can hold."""
    white = np.full((60, 50, 3), 255, np.uint8)
    assert psnr(white, white * 0) == 0.0
    expected = structural_similarity(white, white * 0, channel_axis=2, data_range=255)
    assert ssim(white, white * 0) == pytest.approx(expected, abs=1e-12)
    same(white, noise(1, 60, 50))


def test_identical_images_have_infinite_psnr_and_ssim_one():
    page = noise(3, 20, 30)
    assert psnr(page, page) == math.inf
    assert ssim(page, page) == pytest.approx(1, abs=1e-12)


def test_a_cut_out_of_a_page_need_not_be_contiguous():
    page, other = noise(1, 40, 60), noise(2, 40, 60)
    assert ssim(page[5:30, 7:50], other[5:30, 7:50]) == ssim(page[5:30, 7:50].copy(), other[5:30, 7:50].copy())


def test_sizes_must_agree_and_hold_a_window():
    with pytest.raises(ValueError, match="expected the same size"):
        psnr(noise(1, 8, 8), noise(1, 8, 9))
    with pytest.raises(ValueError, match="are smaller than the window of 7×7"):
        ssim(noise(1, 6, 8), noise(1, 6, 8))


@pytest.mark.slow
def test_real_pages(shared):
    for file in sorted((shared / "data/omnidocbench").rglob("*.[pj][np]g"))[:4]:
        page = open_image(file)
        worn = np.clip(page.astype(int) + noise(1, *page.shape[:2], 20) - 10, 0, 255).astype(np.uint8)
        same(worn, page)
