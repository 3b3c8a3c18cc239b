"""Lines that are found once: a page of many edits is read once for all of them, in whatever process they are made."""

from __future__ import annotations

import hashlib
from pathlib import Path

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.io.cache import Cache
from vdebench.readers.line_grouping import Line
from vdebench.readers.rapid import RapidReader


class LineCache:
    """The lines of the embedded reader, kept by the pixels they were found in."""

    def __init__(self, reader: RapidReader, root: Path | None = None) -> None:
        self.reader = reader
        self._cache = Cache("readings", {**reader.identity, "name": "rapidocr-lines"}, root)

    def lines(self, image: Image) -> list[Line]:
        """Lines with their boxes."""
        pixels = hashlib.sha256(f"{image.shape}".encode() + image.tobytes()).hexdigest()
        found = self._cache.get(pixels, lambda: [[*line.box, *line[1:]] for line in self.reader.lines(image)])
        return [Line(Box(*sides), text, score) for *sides, text, score in found]
