"""Simulated scanning: skew, tint, noise and JPEG, applied alike to source and reference, with boxes moved along."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import cv2
import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.page_text import PageText
from vdebench.suites.typeset.typesetter import Image

_BLEED = 16
"""Distance in pixels that JPEG blocks with halved chroma can spread a change."""


@dataclass(frozen=True, slots=True)
class Degradation:
    """The parameters of one degradation, for pages of one size."""

    size: Size
    angle: float = 0
    """Skew in degrees, counterclockwise."""
    tint: tuple[float, float, float] = (1, 1, 1)
    noise: float = 0
    seed: int = 0
    quality: int = 0
    """JPEG quality; 0 for none."""

    @property
    def skewed(self) -> bool:
        """Whether the page is rotated."""
        return self.angle != 0

    def to_json(self) -> dict[str, Any]:
        """Return the parameters for the record of the sample."""
        return {"angle": self.angle, "tint": list(self.tint), "noise": self.noise, "jpeg": self.quality}

    def page(self, image: Image) -> Image:
        """Return the degraded page."""
        if self == replace(NO_DEGRADATION, size=self.size):
            return image
        if self.skewed:
            image = self._rotated(image, (255, 255, 255))
        if self.tint != (1, 1, 1) or self.noise:
            tinted = image.astype(np.float32) * np.array(self.tint, np.float32)
            grain = np.random.default_rng(self.seed).normal(0, self.noise, image.shape[:2]).astype(np.float32)
            image = np.clip(np.rint(tinted + grain[..., None]), 0, 255).astype(np.uint8)
        return self._through_jpeg(image) if self.quality else image

    def _through_jpeg(self, image: Image) -> Image:
        """Encode the image as JPEG and decode it."""
        _, code = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, self.quality])
        opened = cv2.imdecode(code, cv2.IMREAD_COLOR)
        return np.ascontiguousarray(np.asarray(opened, np.uint8)[..., ::-1])

    def mask(self, mask: Image) -> Image:
        """Return the mask for the degraded page, dilated by the distance that a change can spread."""
        if self.skewed:
            mask = (self._rotated(mask, (0,)) > 0).astype(np.uint8) * 255
        grow = (3 if self.skewed else 0) + (_BLEED if self.quality else 0)
        return np.asarray(cv2.dilate(mask, np.ones((2 * grow + 1,) * 2, np.uint8)), np.uint8) if grow else mask

    def box(self, box: Box) -> Box:
        """Return the box on the degraded page: the box around its four rotated corners."""
        if not self.skewed:
            return box
        (a, b, c), (d, e, f) = self._matrix()
        corners = [(x, y) for x in (box.x1, box.x2) for y in (box.y1, box.y2)]
        xs = [a * x + b * y + c for x, y in corners]
        ys = [d * x + e * y + f for x, y in corners]
        return Box(
            max(0, math.floor(min(xs))),
            max(0, math.floor(min(ys))),
            min(self.size.width, math.ceil(max(xs))),
            min(self.size.height, math.ceil(max(ys))),
        )

    def text(self, page_text: PageText) -> PageText:
        """Return the ground-truth text of the degraded page."""
        return self._with_boxes(page_text, self.box) if self.skewed else page_text

    def crop(self, page_text: PageText, region: Box) -> PageText:
        """Return the ground-truth text of a crop of the degraded page."""
        if not self.skewed:
            return page_text
        frame = self.box(region)

        def moved(box: Box) -> Box:
            x1, y1, x2, y2 = self.box(
                Box(box.x1 + region.x1, box.y1 + region.y1, box.x2 + region.x1, box.y2 + region.y1)
            )
            return Box(x1 - frame.x1, y1 - frame.y1, x2 - frame.x1, y2 - frame.y1)

        return replace(self._with_boxes(page_text, moved), size=Size(frame.x2 - frame.x1, frame.y2 - frame.y1))

    @staticmethod
    def _with_boxes(page_text: PageText, move: Callable[[Box], Box]) -> PageText:
        blocks = tuple(
            replace(
                block,
                box=move(block.box),
                extra={name: [list(move(Box(*line))) for line in lines] for name, lines in block.extra.items()},
            )
            for block in page_text.blocks
        )
        return replace(page_text, blocks=blocks)

    def _matrix(self) -> Any:
        return cv2.getRotationMatrix2D((self.size.width / 2, self.size.height / 2), self.angle, 1.0)

    def _rotated(self, image: Image, border: tuple[int, ...]) -> Image:
        size = (int(self.size.width), int(self.size.height))
        rotated = cv2.warpAffine(image, self._matrix(), size, flags=cv2.INTER_LINEAR, borderValue=border)
        return np.asarray(rotated, np.uint8)


NO_DEGRADATION = Degradation(Size(0, 0))


def draw_degradation(kind: str, rng: Random, size: Size) -> Degradation:
    """Draw the parameters of a kind of degradation: `none`, `light` or `heavy`."""
    if kind == "none":
        return replace(NO_DEGRADATION, size=size)
    heavy = kind == "heavy"
    warm = rng.uniform(0.86, 0.94) if heavy else rng.uniform(0.94, 1.0)
    return Degradation(
        size,
        angle=round(rng.uniform(-1.6, 1.6) if heavy else rng.uniform(-0.5, 0.5), 3),
        tint=(1.0, round(0.5 + warm / 2, 3), round(warm, 3)),
        noise=round(rng.uniform(5, 10) if heavy else rng.uniform(1, 4), 2),
        seed=rng.getrandbits(32),
        quality=rng.randint(35, 60) if heavy else rng.randint(70, 92),
    )
