"""The sizes that models work at, each by its authors' rule: width and height of what comes back."""

from __future__ import annotations

import math

MEGAPIXEL = 1024 * 1024
"""What most of the models were trained at."""
Pixels = tuple[int, int]
"""Width and height."""


def floored(width: int, height: int, step: int) -> Pixels:
    """Down to multiples, one step at least.

    >>> floored(203, 121, 8), floored(203, 5, 8)
    ((200, 120), (200, 8))
    """
    return max(step, width // step * step), max(step, height // step * step)


def of_area_floored(width: int, height: int, area: int, step: int = 16) -> Pixels:
    """FLUX.1-Kontext: the page's shape with about so many pixels, down to multiples of 16.

    >>> of_area_floored(2480, 3508, MEGAPIXEL), of_area_floored(200, 120, MEGAPIXEL)
    ((848, 1216), (1312, 784))
    """
    ratio = width / height
    return floored(round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio)), step)


def of_area_rounded(width: int, height: int, area: int, step: int = 32) -> Pixels:
    """Qwen-Image-Edit: the page's shape with about so many pixels, to the nearest multiples of 32.

    >>> of_area_rounded(2480, 3508, MEGAPIXEL), of_area_rounded(200, 120, MEGAPIXEL)
    ((864, 1216), (1312, 800))
    """
    across = math.sqrt(area * (width / height))
    down = across / (width / height)
    return max(step, round(across / step) * step), max(step, round(down / step) * step)


def of_area_ceiled(width: int, height: int, area: int = MEGAPIXEL, step: int = 16) -> Pixels:
    """LongCat-Image-Edit: the page's shape with about so many pixels, up to multiples of 16.

    >>> of_area_ceiled(200, 120), of_area_ceiled(1000, 1000)
    ((1328, 800), (1024, 1024))
    """
    across = math.sqrt(area * (width / height))
    down = across / (width / height)
    return math.ceil(across / step) * step, math.ceil(down / step) * step


def of_width(width: int, height: int, wanted: int, step: int = 16) -> Pixels:
    """ICEdit: a width, and the height that keeps the shape, down to a multiple of 16.

    The authors' script goes down to multiples of 8; the pipeline then to 16, and what is cut out gains black rows.

    >>> of_width(200, 117, 512)
    (512, 288)
    """
    return wanted, max(step, int(height * wanted / width) // step * step)
