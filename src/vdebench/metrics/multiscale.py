"""MS-SSIM after Wang, Simoncelli and Bovik (2003): structure compared at five scales, brightness at the coarsest.

The definition, where implementations differ: Gaussian window of 11×11 with σ 1.5, only windows that lie wholly in the
image; K1 0.01, K2 0.03, data range 255; between scales the mean of 2×2 pixels, an odd last row or column left out; a
scale's mean below zero counts as zero; the product over the scales for each channel, then the mean of the channels.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from vdebench.metrics.image import Image, require_rgb_pair
from vdebench.metrics.registry import metric

SCALE_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
WINDOW = 11
SMALLEST = WINDOW * 2 ** (len(SCALE_WEIGHTS) - 1)
"""Pixels a side needs so that the coarsest scale holds a window."""
_BELL = np.exp(-((np.arange(WINDOW) - WINDOW // 2) ** 2) / (2 * 1.5**2))
_BELL /= _BELL.sum()
_C1 = (0.01 * 255) ** 2
_C2 = (0.03 * 255) ** 2


@metric("ms_ssim", bounds=(0, 1))
def ms_ssim(candidate: Image, reference: Image) -> float:
    """Structural similarity over five scales.

    >>> page = np.arange(192 * 192 * 3, dtype=np.uint8).reshape(192, 192, 3)
    >>> ms_ssim(page, page)
    1.0
    """
    require_rgb_pair(candidate, reference, SMALLEST)
    product = np.ones(3)
    # A mean of 4, 16, 64, 256 bytes has at most 16 binary digits: float32 holds every scale without loss.
    levels: list[NDArray[np.uint8] | NDArray[np.float32]] = [np.ascontiguousarray(i) for i in (candidate, reference)]
    for scale, weight in enumerate(SCALE_WEIGHTS):
        if scale:
            levels = [_halved(level) for level in levels]
        first, second = (level.reshape(level.shape[0], -1) for level in levels)
        coarsest = scale == len(SCALE_WEIGHTS) - 1
        means = np.maximum(_means(first, second, _BELL, coarsest), 0)
        product *= means**weight
    return float(product.mean())


@numba.njit(cache=True, nogil=True)
def _halved(image: NDArray[np.uint8] | NDArray[np.float32]) -> NDArray[np.float32]:
    """Means of 2×2 pixels."""
    height, width = image.shape[0] // 2, image.shape[1] // 2
    half = np.empty((height, width, 3), np.float32)
    quarter = np.float32(0.25)
    for row in range(height):
        for column in range(width):
            for channel in range(3):
                above = np.float32(image[2 * row, 2 * column, channel])
                above += np.float32(image[2 * row, 2 * column + 1, channel])
                below = np.float32(image[2 * row + 1, 2 * column, channel])
                below += np.float32(image[2 * row + 1, 2 * column + 1, channel])
                half[row, column, channel] = quarter * (above + below)
    return half


@numba.njit(cache=True, nogil=True)
def _means(
    first: NDArray[np.uint8] | NDArray[np.float32],
    second: NDArray[np.uint8] | NDArray[np.float32],
    bell: NDArray[np.float64],
    with_brightness: bool,
) -> NDArray[np.float64]:
    """Mean contrast and structure (times brightness) of each channel; rows hold R, G, B, R, G, B, …

    Each row of windows is weighed downwards into four rows of moments, then along them; nothing larger is kept.
    """
    height, values = first.shape
    inner = values - 3 * (WINDOW - 1)
    rows = height - WINDOW + 1
    down = np.empty((4, values))
    along = np.empty((4, inner))
    scores = np.empty(inner)
    sums = np.zeros(3)
    for row in range(rows):
        down[:] = 0
        for k in range(WINDOW):
            weight = bell[k]
            for i in range(values):
                x, y = np.float64(first[row + k, i]), np.float64(second[row + k, i])
                down[0, i] += weight * x
                down[1, i] += weight * y
                down[2, i] += weight * (x * x + y * y)
                down[3, i] += weight * (x * y)
        along[:] = 0
        for moment in range(4):
            for k in range(WINDOW):
                weight = bell[k]
                for i in range(inner):
                    along[moment, i] += weight * down[moment, i + 3 * k]
        for i in range(inner):
            mx, my = along[0, i], along[1, i]
            both, squares = mx * my, mx * mx + my * my
            score = (2 * (along[3, i] - both) + _C2) / (along[2, i] - squares + _C2)
            if with_brightness:
                score *= (2 * both + _C1) / (squares + _C1)
            scores[i] = score
        for channel in range(3):
            line = 0.0
            for i in range(channel, inner, 3):
                line += scores[i]
            sums[channel] += line
    means: NDArray[np.float64] = sums / (rows * (inner // 3))
    return means
