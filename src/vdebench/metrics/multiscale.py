"""MS-SSIM after Wang, Simoncelli and Bovik (2003): structure at five scales, luminance at the coarsest.

The definition, where implementations differ: Gaussian window of 11×11 with σ 1.5, only windows that lie wholly in the
image; K1 0.01, K2 0.03, data range 255; between scales the mean of 2×2 pixels, an odd last row or column left out; a
scale's mean below zero counts as zero; the product over the scales for each channel, then the mean of the channels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vdebench.metrics.image import Image, require_rgb_pair
from vdebench.metrics.registry import metric

SCALE_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
WINDOW = 11
SMALLEST = WINDOW * 2 ** (len(SCALE_WEIGHTS) - 1)
"""Minimum side in pixels, so that a window fits into the coarsest scale."""
_BELL = np.exp(-((np.arange(WINDOW) - WINDOW // 2) ** 2) / (2 * 1.5**2))
_BELL /= _BELL.sum()


@metric("ms_ssim", kind="image", title="MS-SSIM", main=False)
def ms_ssim(candidate: Image, reference: Image) -> float:
    """Structural similarity over five scales.

    >>> page = np.arange(192 * 192 * 3, dtype=np.uint8).reshape(192, 192, 3)
    >>> ms_ssim(page, page)
    1.0
    """
    from vdebench.metrics.multiscale_windows import halved, window_means  # Numba takes long to import

    require_rgb_pair(candidate, reference, SMALLEST)
    product = np.ones(3)
    # A mean of 4, 16, 64, 256 bytes has at most 16 binary digits: float32 holds every scale without loss.
    levels: list[NDArray[np.uint8] | NDArray[np.float32]] = [np.ascontiguousarray(i) for i in (candidate, reference)]
    for scale, weight in enumerate(SCALE_WEIGHTS):
        if scale:
            levels = [halved(level) for level in levels]
        first, second = (level.reshape(level.shape[0], -1) for level in levels)
        coarsest = scale == len(SCALE_WEIGHTS) - 1
        means = np.maximum(window_means(first, second, _BELL, coarsest), 0)
        product *= means**weight
    return float(product.mean())
