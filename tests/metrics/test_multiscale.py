"""MS-SSIM against a SciPy implementation and the most used PyTorch package."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import convolve2d

from vdebench.metrics.multiscale import SMALLEST, ms_ssim
from vdebench.metrics.registry import METRICS

WEIGHTS = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333]  # Wang, Simoncelli and Bovik 2003, section 3.2
X = np.arange(-5, 6)
BELL = np.exp(-(X**2 + X[:, None] ** 2) / (2 * 1.5**2))
BELL /= BELL.sum()


def plain(candidate: np.ndarray, reference: np.ndarray) -> float:
    """Channel by channel, with a window of two dimensions, covariances from differences of means."""
    values = []
    for channel in range(3):
        x, y = candidate[..., channel].astype(float), reference[..., channel].astype(float)
        value = 1.0
        for scale, weight in enumerate(WEIGHTS):
            mx, my, xx, yy, xy = (convolve2d(plane, BELL, "valid") for plane in (x, y, x * x, y * y, x * y))
            structure = (2 * (xy - mx * my) + 58.5225) / (xx - mx**2 + yy - my**2 + 58.5225)  # (0.03 · 255)²
            if scale == 4:
                structure = structure * (2 * mx * my + 6.5025) / (mx**2 + my**2 + 6.5025)  # (0.01 · 255)²
            value *= max(structure.mean(), 0) ** weight
            height, width = (side // 2 * 2 for side in x.shape)
            x, y = (p[:height, :width].reshape(height // 2, 2, width // 2, 2).mean((1, 3)) for p in (x, y))
        values.append(value)
    return float(np.mean(values))


def noise(seed: int, height: int, width: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


@pytest.mark.parametrize(("height", "width"), [(176, 176), (177, 191), (207, 240)])
def test_every_remainder(drawn, height, width):
    one, other = (image[40 : 40 + height, 100 : 100 + width] for image in drawn)
    assert ms_ssim(one, other) == pytest.approx(plain(one, other), abs=1e-12)


def test_a_drawn_page(drawn):
    assert ms_ssim(*drawn) == pytest.approx(plain(*drawn), abs=1e-12)
    assert 0 < ms_ssim(*drawn) < 1


@pytest.mark.slow
def test_real_pages(pages):
    for candidate, page in pages:
        assert ms_ssim(candidate, page) == pytest.approx(plain(candidate, page), abs=1e-9)


def test_extremes():
    """Identical is 1; black and white agree in structure and in nothing else: the last scale's brightness remains."""
    white = np.full((180, 200, 3), 255, np.uint8)
    page = noise(1, 180, 200)
    assert ms_ssim(page, page) == pytest.approx(1, abs=1e-12)
    assert ms_ssim(white, white * 0) == pytest.approx((6.5025 / (255**2 + 6.5025)) ** 0.1333, rel=1e-9)
    assert ms_ssim(255 - page, page) == 0  # the opposite: structure below zero counts as zero


def test_a_channel_counts_for_itself(drawn):
    """Red as it was, green and blue another: a third of 1 and two thirds of what the grey pair gives."""
    grey, other = (np.repeat(image[..., :1], 3, axis=2) for image in drawn)
    mixed = grey.copy()
    mixed[..., 0] = other[..., 0]
    assert ms_ssim(mixed, other) == pytest.approx(1 / 3 + 2 / 3 * ms_ssim(grey, other), abs=1e-12)


def test_what_cannot_be_compared():
    assert METRICS["ms_ssim"].bounds == (0, 1)
    assert SMALLEST == 176
    with pytest.raises(ValueError, match="images of 175×300: this metric needs 176 pixels on each side"):
        ms_ssim(noise(1, 300, 175), noise(2, 300, 175))
    with pytest.raises(ValueError, match="expected the same size"):
        ms_ssim(noise(1, 200, 200), noise(2, 200, 201))
    with pytest.raises(ValueError, match="expected uint8"):
        ms_ssim(noise(1, 200, 200)[..., 0], noise(2, 200, 200)[..., 0])


@pytest.mark.slow
def test_equal_to_pytorch_msssim(torch, pages):
    """Where no side is odd on the way down, where that package pads with black; its own window is a float32 one."""
    other = pytest.importorskip("pytorch_msssim").ms_ssim
    x = torch.arange(-5, 6, dtype=torch.float64)
    bell = torch.exp(-(x**2) / (2 * 1.5**2))
    window = (bell / bell.sum()).reshape(1, 1, 1, 11).repeat(3, 1, 1, 1)
    for candidate, page in pages:
        height, width = (side // 16 * 16 for side in page.shape[:2])
        one, two = (image[:height, :width] for image in (candidate, page))
        tensors = [torch.tensor(image.transpose(2, 0, 1)[None].copy()).double() for image in (one, two)]
        assert ms_ssim(one, two) == pytest.approx(float(other(*tensors, data_range=255, win=window)), abs=1e-12)
        assert ms_ssim(one, two) == pytest.approx(float(other(*tensors, data_range=255)), abs=1e-4)
