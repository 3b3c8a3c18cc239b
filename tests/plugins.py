"""Editors and readers of tests, known to other processes too: by entry points, as other packages have them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import cv2
import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText
from vdebench.readers.reader import Reader


def register(site: Path, group: str, **places: str) -> None:
    """Write a package's entry points into a folder that is on the path: `register(site, "readers", shapes="…:X")`."""
    package = site / f"plugged_{group}-1.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: plugged-{group}\nVersion: 1\n")
    points = "".join(f"{name} = {place}\n" for name, place in places.items())
    (package / "entry_points.txt").write_text(f"[vdebench.{group}]\n{points}")


class ShapesReader(Reader):
    """Reads a page by its shapes: a block for each patch of ink, its pixels' hash for a text. OCR takes a second."""

    @property
    def identity(self):
        return {"name": "shapes", "version": "1"}

    def read(self, image) -> PageText:
        ink = (image.min(2) < 128).astype(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(ink, np.ones((3, 9), np.uint8)))
        blocks = []
        for x, y, width, height, _ in sorted(map(tuple, stats[1:])):
            content = hashlib.sha256(ink[y : y + height, x : x + width].tobytes()).hexdigest()[:12]
            blocks.append(Block(Box(float(x), float(y), float(x + width), float(y + height)), content))
        return PageText(tuple(blocks), Size(image.shape[1], image.shape[0]))
