"""Output sizes of models, by their authors' rules."""

from __future__ import annotations

import math

MEGAPIXEL = 1024 * 1024
"""Training size of most models."""
Pixels = tuple[int, int]
"""Width and height."""


def floored(width: int, height: int, step: int) -> Pixels:
    """Round down to multiples of `step`, at least one step.

    >>> floored(203, 121, 8), floored(203, 5, 8)
    ((200, 120), (200, 8))
    """
    return max(step, width // step * step), max(step, height // step * step)


def of_area_floored(width: int, height: int, area: int, step: int = 16) -> Pixels:
    """FLUX.1-Kontext: the page's aspect ratio with about `area` pixels, rounded down to multiples of 16.

    >>> of_area_floored(2480, 3508, MEGAPIXEL), of_area_floored(200, 120, MEGAPIXEL)
    ((848, 1216), (1312, 784))
    """
    ratio = width / height
    return floored(round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio)), step)


def of_area_rounded(width: int, height: int, area: int, step: int = 32) -> Pixels:
    """Qwen-Image-Edit: the page's aspect ratio with about `area` pixels, rounded to multiples of 32.

    >>> of_area_rounded(2480, 3508, MEGAPIXEL), of_area_rounded(200, 120, MEGAPIXEL)
    ((864, 1216), (1312, 800))
    """
    new_width = math.sqrt(area * (width / height))
    new_height = new_width / (width / height)
    return max(step, round(new_width / step) * step), max(step, round(new_height / step) * step)


def of_area_ceiled(width: int, height: int, area: int = MEGAPIXEL, step: int = 16) -> Pixels:
    """LongCat-Image-Edit: the page's aspect ratio with about `area` pixels, rounded up to multiples of 16.

    >>> of_area_ceiled(200, 120), of_area_ceiled(1000, 1000)
    ((1328, 800), (1024, 1024))
    """
    new_width = math.sqrt(area * (width / height))
    new_height = new_width / (width / height)
    return math.ceil(new_width / step) * step, math.ceil(new_height / step) * step


def of_width(width: int, height: int, target: int, step: int = 16) -> Pixels:
    """ICEdit: a fixed width and the height that keeps the aspect ratio, rounded down to a multiple of 16.

    The authors' script rounds to multiples of 8 and the pipeline to 16, which leaves black rows.

    >>> of_width(200, 117, 512)
    (512, 288)
    """
    return target, max(step, int(height * target / width) // step * step)
