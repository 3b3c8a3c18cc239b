"""Compiled loop of SSIM with running sums."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
_C1 = (0.01 * 255) ** 2
_C2 = (0.03 * 255) ** 2


@numba.njit(cache=True, nogil=True)
def mean_ssim(first: Image, second: Image, channels: int, window: int) -> float:
    """Return the mean SSIM of two 8-bit images, as rows of interleaved channels.

    Column sums over the rows of a window are updated row by row; window sums slide along them.
    """
    height, values = first.shape
    width = values // channels
    n = float(window * window)
    unbiased = n / (n - 1)
    sums = np.zeros((5, values), np.int32)
    total = 0.0
    for row in range(height):
        for i in range(values):
            x, y = np.int32(first[row, i]), np.int32(second[row, i])
            sums[0, i] += x
            sums[1, i] += y
            sums[2, i] += x * x
            sums[3, i] += y * y
            sums[4, i] += x * y
        if row >= window:
            for i in range(values):
                x, y = np.int32(first[row - window, i]), np.int32(second[row - window, i])
                sums[0, i] -= x
                sums[1, i] -= y
                sums[2, i] -= x * x
                sums[3, i] -= y * y
                sums[4, i] -= x * y
        if row < window - 1:
            continue
        for channel in range(channels):
            sx = sy = sxx = syy = sxy = 0
            line = 0.0
            for column in range(width):
                i = column * channels + channel
                sx += sums[0, i]
                sy += sums[1, i]
                sxx += sums[2, i]
                syy += sums[3, i]
                sxy += sums[4, i]
                if column < window - 1:
                    continue
                mx, my = sx / n, sy / n
                vx = unbiased * (sxx / n - mx * mx)
                vy = unbiased * (syy / n - my * my)
                cov = unbiased * (sxy / n - mx * my)
                line += ((2 * mx * my + _C1) * (2 * cov + _C2)) / ((mx * mx + my * my + _C1) * (vx + vy + _C2))
                i = (column - window + 1) * channels + channel
                sx -= sums[0, i]
                sy -= sums[1, i]
                sxx -= sums[2, i]
                syy -= sums[3, i]
                sxy -= sums[4, i]
            total += line
    return float(total / channels / (height - window + 1) / (width - window + 1))
