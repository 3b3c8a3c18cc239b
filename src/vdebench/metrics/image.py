"""PSNR and SSIM, numerically equal to scikit-image's and much faster.

SSIM as in the papers: uniform 7×7 window, sample covariance, mean over channels, data range 255. On 8-bit images all
window sums are integers, so running sums are exact.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.metrics.registry import metric

Image = NDArray[np.uint8]
WINDOW = 7


class TooSmallError(ValueError):
    """An image has too few pixels for a metric's windows."""


@metric("mse", kind="mask", title="MSE", best="lower", bounds=(0, 255**2), digits=1)
def mean_squared_error(candidate: Image, reference: Image) -> float:
    """Mean squared error.

    >>> page = np.zeros((8, 8, 3), np.uint8)
    >>> mean_squared_error(page + 2, page)
    4.0
    """
    _require_same_shape(candidate, reference)
    return round(cv2.norm(candidate, reference, cv2.NORM_L2SQR)) / candidate.size  # the norm is an integer


def decibel(error: float) -> float:
    """Return the peak signal-to-noise ratio of a mean squared error; infinite for 0.

    >>> decibel(0.0), round(decibel(255**2 / 100), 9)
    (inf, 20.0)
    """
    return math.inf if error == 0 else 10 * math.log10(255**2 / error)


@metric("psnr", kind="image", title="PSNR", bounds=(0, math.inf), digits=2)
def psnr(candidate: Image, reference: Image) -> float:
    """Peak signal-to-noise ratio in decibel; infinite for identical images.

    >>> page = np.zeros((8, 8, 3), np.uint8)
    >>> psnr(page, page), round(psnr(page + 255, page), 3)
    (inf, 0.0)
    """
    return decibel(mean_squared_error(candidate, reference))


@metric("ssim", kind="image", title="SSIM", bounds=(-1, 1))
def ssim(candidate: Image, reference: Image) -> float:
    """Structural similarity, the mean over all windows and channels.

    >>> page = np.arange(192, dtype=np.uint8).reshape(8, 8, 3)
    >>> ssim(page, page)
    1.0
    """
    _require_same_shape(candidate, reference)
    if min(candidate.shape[:2]) < WINDOW:
        raise TooSmallError(
            f"images of {candidate.shape[1]}×{candidate.shape[0]} are smaller than the window of {WINDOW}×{WINDOW}"
        )
    channels = candidate.shape[2] if candidate.ndim == 3 else 1
    rows, others = (np.ascontiguousarray(image).reshape(image.shape[0], -1) for image in (candidate, reference))
    from vdebench.metrics.ssim_windows import mean_ssim  # Numba takes half a second to import

    return float(mean_ssim(rows, others, channels, WINDOW))


def require_rgb_pair(candidate: Image, reference: Image, smallest: int = 1) -> None:
    """Raise an error unless both are 8-bit RGB images of the same size, with sides of at least `smallest` pixels."""
    for image in (candidate, reference):
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
            raise ValueError(
                f"an array of {image.dtype} and shape {image.shape}: expected uint8 and (height, width, 3)"
            )
    _require_same_shape(candidate, reference)
    if min(candidate.shape[:2]) < smallest:
        height, width = candidate.shape[:2]
        raise TooSmallError(f"images of {width}×{height}: this metric needs {smallest} pixels on each side")


def _require_same_shape(candidate: Image, reference: Image) -> None:
    if candidate.shape != reference.shape:
        raise ValueError(f"images of {candidate.shape} and {reference.shape}: expected the same size")
