"""The input policy of a run: how pages and instructions are passed to editors. It is part of the signature.

Outputs from elsewhere are assumed to be edits of the whole page with the suite's own instruction, unless stated
otherwise. Scaling inside an editor, such as to one megapixel, belongs to the editor and not to this policy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from vdebench.core.box import Size
from vdebench.core.images import DECODING, RESIZING, Image, resized
from vdebench.errors import VdeError

WHOLE = "whole"
"""The page is passed as a whole, not in tiles."""
NOBODY = "none"


class InputPolicy(NamedTuple):
    """How pages are passed to editors, and which model rewrote the instructions.

    >>> InputPolicy().pins
    {'in': 'whole,rgb-1', 'rewriter': 'none'}
    >>> InputPolicy(1_000_000, "gpt-x#0f0f").pins
    {'in': 'whole,rgb-1,max1000000,lanczos-1', 'rewriter': 'gpt-x#0f0f'}
    """

    max_pixels: int = 0
    """Larger pages are scaled down to this number of pixels; 0 for no limit."""
    rewriter: str = NOBODY

    @property
    def input(self) -> str:
        """How pages are passed: whole, rotated by EXIF orientation, as 8-bit RGB, and the pixel limit if any."""
        limit = [f"max{self.max_pixels}", RESIZING] if self.max_pixels else []
        return ",".join([WHOLE, DECODING, *limit])

    @property
    def pins(self) -> dict[str, str]:
        """The policy as parts of a signature."""
        return {"in": self.input, "rewriter": self.rewriter}

    def page(self, image: Image) -> Image:
        """Return the page as editors receive it.

        >>> import numpy as np
        >>> InputPolicy(max_pixels=5000).page(np.zeros((200, 100, 3), np.uint8)).shape
        (100, 50, 3)
        """
        height, width = image.shape[:2]
        if not self.max_pixels or width * height <= self.max_pixels:
            return image
        scale = math.sqrt(self.max_pixels / (width * height))
        return resized(image, Size(max(1, math.floor(width * scale)), max(1, math.floor(height * scale))))


def input_policy_from(pins: Mapping[str, str]) -> InputPolicy:
    """Return the policy that the parts of a signature describe.

    >>> input_policy_from(InputPolicy(1_000_000, "gpt-x#0f0f").pins)
    InputPolicy(max_pixels=1000000, rewriter='gpt-x#0f0f')
    """
    limits = [part.removeprefix("max") for part in pins.get("in", "").split(",") if part.startswith("max")]
    pixels = int(limits[0]) if limits and limits[0].isdecimal() else 0
    return InputPolicy(pixels, pins.get("rewriter", NOBODY))


def checked_pixels(pixels: int) -> int:
    """Return the limit; raise `VdeError` if it is neither 0 nor at least 4096."""
    if pixels and pixels < 4096:
        raise VdeError(f"--max-pixels is {pixels}, expected 0 for whole pages or at least 4096, as in 1000000")
    return pixels
