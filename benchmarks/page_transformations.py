"""Transformations of a whole page after which every word is still there: what saving, resizing and generation do."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image as Pictures

from vdebench.core.images import Image

MEGAPIXEL = 1024 * 1024
TINT = (0.995, 0.985, 0.955)
AUTOENCODER = "tests.taef2"
WEIGHTS = Path(os.environ.get("VDE_SHARED", Path(__file__).parents[2] / "shared")) / "data" / "autoencoder"


def _jpeg(image: Image, quality: int) -> Image:
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
    paper = [int(value) for value in paper_colour(image)]
    flags = {"flags": cv2.INTER_LANCZOS4, "borderMode": cv2.BORDER_CONSTANT, "borderValue": paper}
    return np.asarray(cv2.warpAffine(image, matrix, (width, height), **flags), np.uint8)  # type: ignore[call-overload]


def paper_colour(image: Image) -> Image:
    """The most frequent colour of an image.

    >>> paper_colour(np.full((4, 4, 3), 250, np.uint8)).tolist()
    [250, 250, 250]
    """
    colours, counts = np.unique(image[::3, ::3].reshape(-1, 3), axis=0, return_counts=True)
    return np.asarray(colours[counts.argmax()], np.uint8)


def tinted(image: Image, tint: tuple[float, float, float] = TINT) -> Image:
    """Multiply red, green and blue by factors."""
    return np.asarray(np.round(image * np.array(tint)), np.uint8)


def _blurred(image: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.6), np.uint8)


def _unchanged(image: Image) -> Image:
    return image


@cache
def _autoencoder() -> Any:
    return import_module(AUTOENCODER).Taef2(WEIGHTS)


def _autoencoded(image: Image, megapixels: float | None) -> Image:
    decoded: Image = import_module(AUTOENCODER).round_trip(image, _autoencoder(), megapixels)
    return decoded


TRANSFORMATIONS: dict[str, Callable[[Image], Image]] = {
    "none": _unchanged,
    "jpeg60": partial(_jpeg, quality=60),
    "jpeg85": partial(_jpeg, quality=85),
    "1mp": _one_megapixel_and_back,
    "1mp-native": _at_one_megapixel,
    "70%": partial(scaled, factor=0.7),
    "zoom0.5": partial(_moved, scale=1.005),
    "zoom1.5": partial(_moved, scale=1.015),
    "shift3": partial(_moved, shift=3.0),
    "tint": tinted,
    "blur": _blurred,
    "aspect": _aspect,
}
"""By name. `1mp` returns to the page's size; `1mp-native`, `70%` and `aspect` stay at theirs; zooms in percent.

`autoencoder` (at the page's size) and `autoencoder1mp` need torch and the weights in `shared/data/autoencoder`.
"""


def _has_autoencoder() -> bool:
    root = str(Path(__file__).parents[1])
    if root not in sys.path:
        sys.path.append(root)
    try:
        return WEIGHTS.is_dir() and find_spec(AUTOENCODER) is not None and find_spec("torch") is not None
    except ImportError:
        return False


if _has_autoencoder():
    TRANSFORMATIONS |= {
        "autoencoder": partial(_autoencoded, megapixels=None),
        "autoencoder1mp": partial(_autoencoded, megapixels=1.0),
    }
