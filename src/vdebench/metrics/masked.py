"""Similarity of two images inside or outside masks of the editable part.

Two forms: the paper's (TextEditBench) multiplies both images by the background, so that masked pixels count as equal;
ours, `…_where`, is the mean over the part alone, so that scores do not depend on the mask size. Masks are true where
the page may change; all images are RGB.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.core.images import Image
from vdebench.metrics.image import TooSmallError, require_rgb_pair
from vdebench.metrics.lpips import Lpips
from vdebench.metrics.registry import Metric, register

Mask = NDArray[np.bool_]
WHITE = 128
"""Minimum grey of a mask pixel that may change."""
WINDOW, SIGMA = 11, 1.5
"""SSIM's Gaussian window."""
REACH = WINDOW // 2
TOLERANCE = 32
"""Channel difference that re-encoding exceeds only at sharp edges."""
REDRAWN = 0.005
"""Share of redrawn pixels above which a mask counts as edited; see docs/benchmarks.md for its accuracy."""
_BAND = 64  # rows that fit into the processor's cache
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2

register(
    Metric(name="score", kind="mask", title="Score"),
    Metric(name="done", kind="mask", title="Done"),
    Metric(name="untouched", kind="mask", title="Untouched", best="lower"),
    Metric(name="text_kept", kind="mask", title="Text"),
    Metric(name="ssim_raw", kind="mask", title="raw SSIM", bounds=(-1, 1)),
    Metric(name="psnr_raw", kind="mask", title="raw PSNR", bounds=(0, math.inf), digits=2),
    Metric(name="edit_mse", kind="mask", title="edit_mse", best="lower", bounds=(0, 255**2), digits=1),
    Metric(name="edit_psnr", kind="mask", title="edit_psnr", bounds=(0, math.inf)),
    Metric(name="residual", kind="mask", title="residual", best="lower", bounds=(0, math.inf)),
)


def union(*masks: Image) -> Mask:
    """Return the union of masks, given as grey or RGB images of the same size.

    >>> union(np.array([[0, 127, 128]], np.uint8), np.array([[255, 0, 0]], np.uint8)).tolist()
    [[True, False, True]]
    """
    if not masks:
        raise ValueError("no masks: expected one or more")
    greys = [cv2.cvtColor(mask, cv2.COLOR_RGB2GRAY) if mask.ndim == 3 else mask for mask in masks]
    if len({grey.shape for grey in greys}) > 1:
        sizes = ", ".join(f"{grey.shape[1]}×{grey.shape[0]}" for grey in greys)
        raise ValueError(f"masks of {sizes}: expected the same size")
    return np.asarray(np.any([grey >= WHITE for grey in greys], axis=0), np.bool_)


def masked_mse(first: Image, second: Image, where: Mask) -> float:
    """Mean squared error where the mask is true.

    >>> page = np.zeros((2, 2, 3), np.uint8)
    >>> masked_mse(page, page + np.uint8(2), np.array([[True, False], [False, False]]))
    4.0
    """
    _require(first, second, where)
    total = round(cv2.norm(first, second, cv2.NORM_L2SQR, where.view(np.uint8)))  # a sum of whole numbers
    return total / (_pixels(where) * 3)


def share_changed(first: Image, second: Image, where: Mask, tolerance: int = TOLERANCE) -> float:
    """Share of the masked pixels that differ in a channel by more than the tolerance.

    >>> page = np.zeros((2, 2, 3), np.uint8)
    >>> share_changed(page, page + np.uint8(40), np.eye(2, dtype=bool))
    1.0
    """
    _require(first, second, where)
    total = _pixels(where)
    red, green, blue = cv2.split(cv2.absdiff(first, second))
    changed = cv2.max(cv2.max(red, green), blue) > tolerance
    return int(np.count_nonzero(changed & where)) / total


def share_redrawn(first: Image, second: Image, where: Mask) -> float:
    """Share of the masked pixels that differ after smoothing.

    Re-encoding, resampling and subpixel shifts change only edges; writing or erasing a stroke changes more.

    >>> page = np.full((40, 40, 3), 255, np.uint8)
    >>> line, stroke, everywhere = page.copy(), page.copy(), np.ones((40, 40), bool)
    >>> line[20], stroke[18:22] = 200, 0
    >>> share_redrawn(line, page, everywhere), share_redrawn(stroke, page, everywhere) > REDRAWN
    (0.0, True)
    """
    smooth, other = (cv2.GaussianBlur(image, (0, 0), 2) for image in (first, second))
    return share_changed(np.asarray(smooth, np.uint8), np.asarray(other, np.uint8), where)


def multiplied_ssim(first: Image, second: Image, background: Mask) -> float:
    """SSIM of both images multiplied by the background, as in torchmetrics 1.4 to 1.9, with mirrored edges.

    >>> page = np.arange(768, dtype=np.uint16).astype(np.uint8).reshape(16, 16, 3)
    >>> multiplied_ssim(page, page // 2, np.zeros((16, 16), bool))
    1.0
    """
    _require(first, second, background, WINDOW)
    return _mean_ssim(*_multiplied(first, second, background), np.ones(background.shape, np.uint8))


def ssim_where(first: Image, second: Image, where: Mask) -> float:
    """Mean SSIM over the windows in a part; see `windows_in`."""
    _require(first, second, where, WINDOW)
    _, centres = _centres(where)
    rows, columns = (np.flatnonzero(centres.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        raise TooSmallError(f"no window of {WINDOW}×{WINDOW} is centred in a part of {int(where.sum())} pixels")
    cut = np.s_[rows[0] - REACH : rows[-1] + REACH + 1, columns[0] - REACH : columns[-1] + REACH + 1]
    return _mean_ssim(first[cut], second[cut], np.ascontiguousarray(centres[cut]))


def windows_in(where: Mask) -> Literal["whole", "centred", "none"]:
    """Tell which windows `ssim_where` uses: those inside the part or, if it is too thin, those centred in it.

    >>> page = np.zeros((40, 40), bool)
    >>> thick, thin = page.copy(), page.copy()
    >>> thick[10:21, 10:21] = thin[10:20, 10:21] = True
    >>> windows_in(thick), windows_in(thin), windows_in(page)
    ('whole', 'centred', 'none')
    """
    return _centres(where)[0]


def multiplied_lpips(metric: Callable[[Image, Image], Any], first: Image, second: Image, background: Mask) -> float:
    """LPIPS of both images multiplied by the background."""
    _require(first, second, background)
    return float(metric(*_multiplied(first, second, background)))


def lpips_where(metric: Lpips, first: Image, second: Image, where: Mask) -> float:
    """LPIPS of the features centred in a part; the surroundings are made equal first."""
    _require(first, second, where)
    return metric.within(np.where(where[..., None], first, second), second, where)


def _centres(where: Mask) -> tuple[Literal["whole", "centred", "none"], Image]:
    """Return the centres of the windows to use, away from the image's edge."""
    part = where.view(np.uint8)
    window = np.ones((WINDOW, WINDOW), np.uint8)
    whole = cv2.erode(part, window, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    if whole.any():
        return "whole", np.asarray(whole, np.uint8)
    centred = np.zeros_like(part)
    inner = np.s_[REACH:-REACH, REACH:-REACH]
    centred[inner] = part[inner]
    return ("centred" if centred.any() else "none"), centred


def _mean_ssim(first: Image, second: Image, centres: Image) -> float:
    """Return the mean SSIM over windows with these centres and over channels, in bands of rows."""
    height = len(first)
    total = 0.0
    for start in range(0, height, _BAND):
        own = centres[start : start + _BAND]
        count = cv2.countNonZero(own)
        if count:
            top, bottom = max(0, start - REACH), min(height, start + _BAND + REACH)
            values = _ssim_map(first[top:bottom], second[top:bottom])[start - top :][: len(own)]
            total += sum(cv2.mean(values, own)[:3]) * count
    return total / (3 * cv2.countNonZero(centres))


def _ssim_map(first: Image, second: Image) -> NDArray[np.float32]:
    """Return SSIM at each pixel and channel; values are shifted by the mean for numerical precision."""
    zero = np.float32(round(sum(cv2.mean(first)[:3]) / 3))
    x, y = (np.subtract(image, zero, dtype=np.float32) for image in (first, second))
    products = _blurred(x * y)
    squares = _blurred(x * x + y * y)
    x, y = _blurred(x), _blurred(y)
    contrast = (2 * (products - x * y) + _C2) / (squares - (x * x + y * y) + _C2)
    x += zero
    y += zero
    return np.asarray(contrast * ((2 * (x * y) + _C1) / (x * x + y * y + _C1)), np.float32)


def _blurred(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(values, (WINDOW, WINDOW), SIGMA, borderType=cv2.BORDER_REFLECT_101), np.float32)


def _multiplied(first: Image, second: Image, background: Mask) -> tuple[Image, Image]:
    times = background.view(np.uint8)[..., None]
    return first * times, second * times


def _pixels(where: Mask) -> int:
    count = int(np.count_nonzero(where))
    if not count:
        raise TooSmallError("the mask has no pixels to compare")
    return count


def _require(first: Image, second: Image, part: Mask, smallest: int = 1) -> None:
    require_rgb_pair(first, second, smallest)
    if part.dtype != np.bool_ or part.shape != first.shape[:2]:
        raise ValueError(
            f"a mask of {part.dtype} and shape {part.shape}: expected bool and the images' {first.shape[:2]}"
        )
