"""A cache of detected text lines: a page that several samples edit is read once, across all processes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.io.cache import Cache
from vdebench.readers.line_grouping import Line
from vdebench.readers.rapid import RapidReader


class LineCache:
    """Lines detected by the embedded reader, keyed by the pixels of the image."""

    def __init__(self, reader: RapidReader, root: Path | None = None) -> None:
        self.reader = reader
        self._cache = Cache("readings", {**reader.identity, "name": "rapidocr-lines"}, root)

    def lines(self, image: Image) -> list[Line]:
        """Return the lines of an image, from the cache if possible."""
        key = hashlib.sha256(f"{image.shape}".encode() + image.tobytes()).hexdigest()
        records = self._cache.get(key, lambda: [[*line.box, *line[1:]] for line in self.reader.lines(image)])
        return [Line(Box(*sides), text, score) for *sides, text, score in records]
