"""Transformations of a whole page after which every word is still there: what saving, resizing and generation do."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from functools import partial

import cv2
import numpy as np
from PIL import Image as Pictures

from vdebench.core.images import Image
from vdebench.studies.validity.pixel_edits import most_frequent_colour

MEGAPIXEL = 1024 * 1024
TINT = (0.995, 0.985, 0.955)


def compressed(image: Image, quality: int) -> Image:
    """Save a page as JPEG and open it again."""
    buffer = io.BytesIO()
    Pictures.fromarray(image).save(buffer, "JPEG", quality=quality)
    return np.asarray(Pictures.open(buffer).convert("RGB"), np.uint8)


def _resized(image: Image, width: int, height: int) -> Image:
    return np.asarray(Pictures.fromarray(image).resize((width, height), Pictures.Resampling.LANCZOS), np.uint8)


def scaled(image: Image, factor: float) -> Image:
    """Resize a page by a factor (Lanczos)."""
    height, width = image.shape[:2]
    return _resized(image, round(width * factor), round(height * factor))


def _at_one_megapixel(image: Image) -> Image:
    height, width = image.shape[:2]
    return scaled(image, math.sqrt(MEGAPIXEL / (width * height)))


def _one_megapixel_and_back(image: Image) -> Image:
    height, width = image.shape[:2]
    return _resized(_at_one_megapixel(image), width, height)


def _aspect(image: Image, multiple: int = 32) -> Image:
    """Resize to about one megapixel, both sides to multiples of 32."""
    height, width = image.shape[:2]
    factor = math.sqrt(MEGAPIXEL / (width * height)) / multiple
    return _resized(image, round(width * factor) * multiple, round(height * factor) * multiple)


def _moved(image: Image, scale: float = 1.0, shift: float = 0.0) -> Image:
    """Enlarge about the centre and shift right and down, at the same size; the new border is paper."""
    height, width = image.shape[:2]
    centre = np.array([(width - 1) / 2, (height - 1) / 2])
    matrix = np.column_stack([np.eye(2) * scale, centre * (1 - scale) + shift])
    paper = [int(value) for value in most_frequent_colour(image[::3, ::3])]
    flags = {"flags": cv2.INTER_LANCZOS4, "borderMode": cv2.BORDER_CONSTANT, "borderValue": paper}
    return np.asarray(cv2.warpAffine(image, matrix, (width, height), **flags), np.uint8)  # type: ignore[call-overload]


def tinted(image: Image, tint: tuple[float, float, float] = TINT) -> Image:
    """Multiply red, green and blue by factors."""
    return np.asarray(np.round(image * np.array(tint)), np.uint8)


def blurred(image: Image, sigma: float) -> Image:
    """Blur an image (Gaussian); sigma in pixels."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE), np.uint8)


def _unchanged(image: Image) -> Image:
    return image


TRANSFORMATIONS: dict[str, Callable[[Image], Image]] = {
    "none": _unchanged,
    "jpeg60": partial(compressed, quality=60),
    "jpeg85": partial(compressed, quality=85),
    "1mp": _one_megapixel_and_back,
    "1mp-native": _at_one_megapixel,
    "70%": partial(scaled, factor=0.7),
    "zoom0.5": partial(_moved, scale=1.005),
    "zoom1.5": partial(_moved, scale=1.015),
    "shift3": partial(_moved, shift=3.0),
    "tint": tinted,
    "blur": partial(blurred, sigma=0.6),
    "aspect": _aspect,
}
"""By name. `1mp` returns to the page's size; `1mp-native`, `70%` and `aspect` stay at theirs; zooms in percent."""
