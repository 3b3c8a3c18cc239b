"""A cache of detected text lines: a page that several samples edit is read once, across all processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.io.cache import Cache, digest_of_image
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.recognition import RecognizedLine
from vdebench.readers.rapid import RapidReader


class LineCache:
    """Lines detected by the embedded reader, keyed by the pixels of the image."""

    def __init__(self, reader: RapidReader, root: Path | None = None) -> None:
        self.reader = reader
        self._cache = Cache("readings", {**reader.identity, "name": "rapidocr-lines"}, _lines, root)

    def lines(self, image: Image) -> list[Line]:
        """Return the lines of an image, from the cache if possible."""
        key = digest_of_image(image)

        def detect() -> object:
            return [_to_json(line) for line in self.reader.lines(image)]

        return self._cache.get(key, detect, lasting=True)  # source pages, which editors share


def _to_json(line: Line) -> list[object]:
    return [*line.box, line.text, line.score, line.recognized and line.recognized.to_json()]


def _lines(data: Any) -> list[Line]:
    return [
        Line(Box(*sides), text, score, recognized and RecognizedLine.from_json(recognized))
        for *sides, text, score, recognized in data
    ]
