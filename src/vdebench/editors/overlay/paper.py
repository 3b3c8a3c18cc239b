"""Background and ink of a part of a page: separating them, and drawing ink."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vdebench.core.box import Box, Size
from vdebench.core.images import Image, PixelBox
from vdebench.editors.overlay.fonts import Coverage

_NEAR = 14
"""Variation of the background in grey levels (noise, JPEG)."""
_RULED = 0.8
"""Minimum share of differently coloured pixels of a row that is a rule behind the text."""

_SIDE = 0.92
"""Minimum share of dark pixels of a column that is a rule or the side of a panel."""

Colour = NDArray[np.float32]


class Paper(NamedTuple):
    """A part of a page, separated into background and ink."""

    place: PixelBox
    rows: NDArray[np.float32]
    """Colour of the paper in each row: rules across the whole part are paper."""
    ink: Coverage
    """How dark each pixel is: 0 for paper, 1 for the darkest ink."""

    @classmethod
    def of(cls, image: Image, box: Box) -> Paper:
        """Return the part of a page in a box."""
        size = Size(image.shape[1], image.shape[0])
        place = PixelBox.holding(box, size)
        part = place.cut(image).astype(np.float32)
        base = usual_colour(part)
        far = np.abs(part - base).max(axis=2)
        rows = np.repeat(base[None], len(part), axis=0)
        for row in np.flatnonzero((far > _NEAR).mean(axis=1) > _RULED):
            rows[row] = np.median(part[row], axis=0)
        far = np.linalg.norm(part - rows[:, None], axis=2)
        darkest = float(np.percentile(far[far > _NEAR], 98)) if (far > _NEAR).any() else 255.0
        ink = np.clip(far / max(darkest, 1), 0, 1).astype(np.float32)
        ink[far <= _NEAR / 2] = 0
        ink[:, (ink > 0.1).mean(axis=0) > _SIDE] = 0  # a rule or a panel's side
        return cls(place, rows, ink)

    def clean(self, image: Image, left: int, right: int, top: int, bottom: int) -> None:
        """Erase the ink between columns and rows of the page."""
        left, right = max(left, self.place.x1), min(right, self.place.x2)
        top, bottom = max(top, self.place.y1), min(bottom, self.place.y2)
        if left < right and top < bottom:
            image[top:bottom, left:right] = as_pixels(self.rows[top - self.place.y1 : bottom - self.place.y1, None])

    def colour(self, image: Image, coverage: Coverage, left: int, top: int) -> Colour | None:
        """Return the ink colour of a word at a position; None if there is too little ink."""
        x1, y1 = max(left, self.place.x1), max(top, self.place.y1)
        x2 = min(left + coverage.shape[1], self.place.x2)
        y2 = min(top + coverage.shape[0], self.place.y2)
        if x1 >= x2 or y1 >= y2:
            return None
        weight = coverage[y1 - top : y2 - top, x1 - left : x2 - left]
        full = weight > 0.5
        if full.sum() < 4:
            return None
        paper = np.broadcast_to(self.rows[y1 - self.place.y1 : y2 - self.place.y1, None], (*weight.shape, 3))
        change = image[y1:y2, x1:x2].astype(np.float32) - paper
        weights = weight[full][:, None]
        slope = (weights * change[full]).sum(axis=0) / (weights**2).sum()
        return np.asarray(np.clip(np.median(paper[full], axis=0) + slope, 0, 255), np.float32)


def usual_colour(part: NDArray[np.float32]) -> Colour:
    """Return the most frequent colour."""
    pixels = part.reshape(-1, 3)
    bins = (pixels / 8).astype(np.int64) @ np.array([1024, 32, 1])
    values, counts = np.unique(bins, return_counts=True)
    most = pixels[bins == values[counts.argmax()]]
    middle = np.median(most, axis=0)
    near = pixels[np.abs(pixels - middle).max(axis=1) <= _NEAR]
    return np.asarray(np.median(near, axis=0), np.float32)


def as_pixels(values: NDArray[np.float32]) -> Image:
    """Convert values to pixels."""
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def set_ink(image: Image, coverage: Coverage, colour: Colour, left: int, top: int) -> None:
    """Draw a word in a colour."""
    height, width = image.shape[:2]
    x1, y1, x2, y2 = (
        max(left, 0),
        max(top, 0),
        min(left + coverage.shape[1], width),
        min(top + coverage.shape[0], height),
    )
    if x1 >= x2 or y1 >= y2:
        return
    weight = coverage[y1 - top : y2 - top, x1 - left : x2 - left, None]
    under = image[y1:y2, x1:x2].astype(np.float32)
    inked = weight[..., 0] > 0
    mixed = as_pixels(under + weight * (colour - under))
    image[y1:y2, x1:x2][inked] = mixed[inked]
