"""Ceilings: the reference image after a loss that an editor cannot avoid, such as its resolution or a JPEG file.

An editor that makes every edit perfectly, and works at this resolution or returns such files, scores what they score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar

import numpy as np
from PIL import Image as Pictures

from vdebench.core.box import Size
from vdebench.core.images import MAX_PIXELS, RESIZING, Image, resized
from vdebench.editors.baselines import ReferenceEditor
from vdebench.editors.editor import About, Edit
from vdebench.editors.local.sizes import MEGAPIXEL, of_area_rounded
from vdebench.editors.servers.options import number_or_nothing, whole
from vdebench.errors import EditorError, VdeError

STEP = 16
"""Sides of resized pages are multiples of this, as in most models."""
SUBSAMPLING = "4:2:0"
"""Chroma subsampling of JPEG files, the default of most encoders."""


def parse_megapixels(editor: str, value: float | str, *, native: bool = False) -> float:
    """Parse the option `megapixels`; with `native`, 0 is allowed and stands for the page's own size.

    >>> parse_megapixels("resize", "0.5")
    0.5
    >>> parse_megapixels("resize", 1_000_000)
    Traceback (most recent call last):
    vdebench.errors.VdeError: resize: megapixels is 1000000, expected a number above 0, at most 170
    """
    most = MAX_PIXELS // MEGAPIXEL
    number = number_or_nothing(editor, "megapixels", value)
    if not isinstance(number, float) or not 0 <= number <= most or (number == 0 and not native):
        least = "0 (the page's own size) or more" if native else "above 0"
        raise VdeError(f"{editor}: megapixels is {value!r}, expected a number {least}, at most {most}")
    return number


def working_size(page: Image, megapixels: float, step: int = STEP) -> Size:
    """Return the size of a page at so many megapixels of 1024 × 1024 pixels, in multiples of `step`.

    >>> working_size(np.zeros((3508, 2480, 3), np.uint8), 1)
    Size(width=864, height=1216)
    """
    height, width = page.shape[:2]
    return Size(*of_area_rounded(width, height, round(megapixels * MEGAPIXEL), step))


@dataclass(kw_only=True, eq=False)
class ResizeEditor(ReferenceEditor):
    """Returns the reference resized to a number of pixels and back: what the resolution of a model costs alone.

    Smaller pages are enlarged, as models with a fixed number of pixels do.
    """

    about: ClassVar[About] = About(
        "the suite's answer", "none: the reference at 1 MP (megapixels)", size="the reference's"
    )

    megapixels: float = 1.0

    def __post_init__(self) -> None:
        """Check the option."""
        self.megapixels = parse_megapixels("resize", self.megapixels)

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, version, option, and the rule of resizing."""
        rule = f"{RESIZING}, to multiples of {STEP}"
        return {"name": "resize", "version": "1", "megapixels": str(self.megapixels), "resizing": rule}

    def edit_reference(self, reference: Image) -> Edit:
        """Return the reference, resized twice."""
        height, width = reference.shape[:2]
        inner = working_size(reference, self.megapixels)
        image = resized(resized(reference, inner), Size(width, height))
        return Edit.of(image, sent_size=[int(inner.width), int(inner.height)])


@dataclass(kw_only=True, eq=False)
class JpegEditor(ReferenceEditor):
    """Returns the reference as a JPEG file shows it: what lossy files cost alone."""

    about: ClassVar[About] = About(
        "the suite's answer", "none: the reference as JPEG of quality 75 (quality)", size="the reference's"
    )

    quality: int = 75

    def __post_init__(self) -> None:
        """Check the option."""
        self.quality = whole("jpeg", "quality", self.quality, least=1)
        if self.quality > 100:
            raise VdeError(f"jpeg: quality is {self.quality}, expected 1 to 100")

    @property
    def identity(self) -> Mapping[str, str]:
        """Name, version, option, and the chroma subsampling."""
        return {"name": "jpeg", "version": "1", "quality": str(self.quality), "subsampling": SUBSAMPLING}

    def edit_reference(self, reference: Image) -> Edit:
        """Return the reference, encoded and decoded."""
        file = BytesIO()
        try:
            Pictures.fromarray(reference).save(file, "JPEG", quality=self.quality, subsampling=SUBSAMPLING)
        except OSError as error:  # more than 65,500 pixels wide or high
            height, width = reference.shape[:2]
            raise EditorError(f"jpeg: a page of {width}×{height} cannot be stored as JPEG: {error}") from None
        with Pictures.open(file) as picture:
            return Edit.of(np.array(picture.convert("RGB"), np.uint8), bytes=file.getbuffer().nbytes)
