"""What every editor of a run is given: the page, and the instruction. Both are pinned in the signature.

Outputs that others made are taken to be made from the whole page and the suite's own instruction, unless it is said
otherwise; what an editor does with a page inside itself, such as to shrink it to a megapixel, is the editor's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from vdebench.core.box import Size
from vdebench.core.images import DECODING, RESIZING, Image, resized
from vdebench.errors import VdeError

WHOLE = "whole"
"""The page in one piece: nothing is cut into tiles."""
NOBODY = "none"


class InputPolicy(NamedTuple):
    """The input policy of a run, and who rewrote the instructions.

    >>> InputPolicy().pins
    {'in': 'whole,rgb-1', 'rewriter': 'none'}
    >>> InputPolicy(1_000_000, "gpt-x#0f0f").pins
    {'in': 'whole,rgb-1,max1000000,lanczos-1', 'rewriter': 'gpt-x#0f0f'}
    """

    max_pixels: int = 0
    """Pages of more are shrunk before an editor sees them; 0 for none."""
    rewriter: str = NOBODY

    @property
    def input(self) -> str:
        """How pages are given: turned as EXIF says, in RGB of 8 bits, whole, and in which size."""
        limit = [f"max{self.max_pixels}", RESIZING] if self.max_pixels else []
        return ",".join([WHOLE, DECODING, *limit])

    @property
    def pins(self) -> dict[str, str]:
        """Its parts of a signature."""
        return {"in": self.input, "rewriter": self.rewriter}

    def page(self, image: Image) -> Image:
        """A page as editors are given it.

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
    """What a signature's parts say, for whoever scores again.

    >>> input_policy_from(InputPolicy(1_000_000, "gpt-x#0f0f").pins)
    InputPolicy(max_pixels=1000000, rewriter='gpt-x#0f0f')
    """
    found = [part.removeprefix("max") for part in pins.get("in", "").split(",") if part.startswith("max")]
    pixels = int(found[0]) if found and found[0].isdecimal() else 0
    return InputPolicy(pixels, pins.get("rewriter", NOBODY))


def checked_pixels(given: int) -> int:
    """A limit of pixels, or an error that says what one is."""
    if given and given < 4096:
        raise VdeError(f"--max-pixels is {given}, expected 0 for whole pages or at least 4096, as in 1000000")
    return given
