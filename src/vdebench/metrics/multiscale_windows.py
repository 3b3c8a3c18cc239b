"""Compiled loops of MS-SSIM: downscaling, and means over the windows of one scale."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

WINDOW = 11
_C1 = (0.01 * 255) ** 2
_C2 = (0.03 * 255) ** 2


@numba.njit(cache=True, nogil=True)
def halved(image: NDArray[np.uint8] | NDArray[np.float32]) -> NDArray[np.float32]:
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
def window_means(
    first: NDArray[np.uint8] | NDArray[np.float32],
    second: NDArray[np.uint8] | NDArray[np.float32],
    bell: NDArray[np.float64],
    with_brightness: bool,
) -> NDArray[np.float64]:
    """Return the mean contrast-structure term (times luminance) of each channel; rows are R, G, B, R, G, B, …

    Each row of windows is filtered vertically into four rows of moments, then horizontally.
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
