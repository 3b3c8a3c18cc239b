"""Images as RGB arrays, and boxes of whole pixels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from vdebench.core.box import Box, Size

Image = NDArray[np.uint8]
MAX_PIXELS = 2 * (Pictures.MAX_IMAGE_PIXELS or 89_478_485)
"""178,956,970, Pillow's limit: a broadsheet page at 600 pixels per inch. Larger files are refused as bombs."""
DECODING = "rgb-1"
"""Version of image decoding, part of every cache key: a new value invalidates cached OCR and metrics."""
Opening = Literal["composited", "raw"]
"""`composited`: transparency on white, rotated by EXIF orientation. `raw`: alpha dropped, EXIF ignored."""
DECODINGS: dict[Opening, str] = {"composited": DECODING, "raw": "rgb-raw-1"}
"""The cache key's version for each mode of opening."""
RESIZING = "lanczos-1"
"""Version of the resizing to the size of the reference (Pillow's Lanczos filter)."""
ORIENTATION = 0x0112
"""EXIF tag of the orientation."""


class PixelBox(NamedTuple):
    """Whole pixels of an image: left and top inclusive, right and bottom exclusive."""

    x1: int
    y1: int
    x2: int
    y2: int

    @classmethod
    def holding(cls, box: Box, page: Size, at_least: int = 1) -> PixelBox:
        """Return the pixels that a box touches, grown to a minimum width and height and limited to the page.

        >>> PixelBox.holding(Box(10.2, 5, 19.5, 8), Size(100, 100))
        PixelBox(x1=10, y1=5, x2=20, y2=8)
        >>> PixelBox.holding(Box(0, 50, 4, 54), Size(100, 40), at_least=64)
        PixelBox(x1=0, y1=0, x2=64, y2=40)
        """
        x1, x2 = _span(box.x1, box.x2, int(page.width), at_least)
        y1, y2 = _span(box.y1, box.y2, int(page.height), at_least)
        return cls(x1, y1, x2, y2)

    @classmethod
    def truncated(cls, box: Box, page: Size) -> PixelBox:
        """Round both corners towards zero; the result starts on the page and has at least one pixel in each direction.

        >>> PixelBox.truncated(Box(10.9, 5, 19.9, 5.5), Size(100, 100))
        PixelBox(x1=10, y1=5, x2=19, y2=6)
        """
        width, height = int(page.width), int(page.height)
        x1, y1 = min(max(int(box.x1), 0), width - 1), min(max(int(box.y1), 0), height - 1)
        return cls(x1, y1, min(max(int(box.x2), x1 + 1), width), min(max(int(box.y2), y1 + 1), height))

    @classmethod
    def around(cls, parts: Iterable[PixelBox]) -> PixelBox:
        """Return the smallest box that contains all parts."""
        lefts, tops, rights, bottoms = zip(*parts, strict=True)
        return cls(min(lefts), min(tops), max(rights), max(bottoms))

    def grown(self, page: Size, at_least: int) -> PixelBox:
        """Return the box grown to a minimum width and height, limited to the page.

        >>> PixelBox(10, 0, 20, 90).grown(Size(100, 100), 64)
        PixelBox(x1=0, y1=0, x2=64, y2=90)
        """
        x1, x2 = _grown(self.x1, self.x2, int(page.width), at_least)
        y1, y2 = _grown(self.y1, self.y2, int(page.height), at_least)
        return PixelBox(x1, y1, x2, y2)

    @property
    def pixels(self) -> int:
        """Number of pixels."""
        return (self.x2 - self.x1) * (self.y2 - self.y1)

    def cut(self, image: Image) -> Image:
        """Crop an image to the box."""
        return image[self.y1 : self.y2, self.x1 : self.x2]


def _span(start: float, end: float, length: int, at_least: int) -> tuple[int, int]:
    """Return the whole pixels between two coordinates, at least `at_least` of them."""
    first, last = math.floor(start + 1e-6), math.ceil(end - 1e-6)  # tolerance for rounding from percent
    return _grown(min(max(first, 0), length), min(max(last, 0), length), length, at_least)


def _grown(first: int, last: int, length: int, at_least: int) -> tuple[int, int]:
    """Grow a span to a minimum length around its middle, moved to stay within 0 and `length`."""
    target = min(max(at_least, 1, last - first), length)
    first = max(0, min(first - (target - (last - first)) // 2, length - target))
    return first, min(first + target, length)


def resized(image: Image, size: Size) -> Image:
    """Return the image scaled to whole pixels of `size`; the same array if it already has that size.

    >>> resized(np.zeros((2, 2, 3), np.uint8), Size(4, 6)).shape
    (6, 4, 3)
    """
    width, height = int(size.width), int(size.height)
    if image.shape[:2] == (height, width):
        return image
    picture = Pictures.fromarray(image).resize((width, height), Pictures.Resampling.LANCZOS)
    return np.asarray(picture, np.uint8)
