"""Lines that are found once: a page of many edits is read once for all of them, in whatever process they are made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.io.cache import Cache, digest_of_image
from vdebench.readers.line_grouping import Line
from vdebench.readers.rapid import RapidReader


class LineCache:
    """The lines of the embedded reader, kept by the pixels they were found in."""

    def __init__(self, reader: RapidReader, root: Path | None = None) -> None:
        self.reader = reader
        self._cache = Cache("readings", {**reader.identity, "name": "rapidocr-lines"}, _lines, root)

    def lines(self, image: Image) -> list[Line]:
        """Lines with their boxes."""
        key = digest_of_image(image)
        return self._cache.get(key, lambda: [[*line.box, *line[1:]] for line in self.reader.lines(image)])


def _lines(data: Any) -> list[Line]:
    return [Line(Box(*sides), text, score) for *sides, text, score in data]
