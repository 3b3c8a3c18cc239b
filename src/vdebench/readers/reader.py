"""The interface of OCR readers and their lookup by name; other packages add readers through `vdebench.readers`."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vdebench.core.images import Image
from vdebench.core.page_text import PageText, UnreadLine
from vdebench.registry import make

if TYPE_CHECKING:  # these import OpenCV, which a list of readers does not need
    from vdebench.readers.lines.line import Line
    from vdebench.readers.lines.recognition import RecognizedLine

READERS = {
    "rapidocr": "vdebench.readers.rapid:RapidReader",
    "rapidocr:fast": "vdebench.readers.rapid:FastRapidReader",
    "paddleocr-vl": "vdebench.readers.paddle:PaddleVLReader",
    "paddleocr-vl-server": "vdebench.readers.paddle_server:ServingReader",
    "openai-vlm": "vdebench.readers.vlm:VlmReader",
    "pp-structure": "vdebench.readers.paddle:PPStructureReader",
    "tesseract": "vdebench.readers.tesseract:TesseractReader",
}
DEFAULT = "rapidocr"


class Reader(ABC):
    """An OCR engine. Its identity includes every setting that changes its output, because it is the cache key."""

    @classmethod
    def missing(cls, **options: Any) -> str:
        """Return what is missing to use this reader and how to install it, or "". Fast; never raises."""
        return ""

    @property
    def caveat(self) -> str:
        """A warning to show with scores when the reader runs with reduced quality, or ""."""
        return ""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Name, versions of engine and models, and options: `{"name": "rapidocr", "version": "3.10.0", …}`."""

    @abstractmethod
    def read(self, image: Image) -> PageText:
        """Return the blocks of an RGB page in reading order, with the page size. Raises `ReaderError`."""


class ReadLines(NamedTuple):
    """The lines of a page: those that were read, and those that could not be read."""

    lines: list[Line]
    unread: list[UnreadLine]


class LikelihoodReader(Reader):
    """A reader that reads lines one by one and can tell how likely a given text is on the image of a line."""

    @abstractmethod
    def page_lines(self, image: Image) -> ReadLines:
        """Detect and recognise the lines of a page, with the place and probability of each character."""

    @abstractmethod
    def recognize(self, lines: Sequence[Image]) -> list[RecognizedLine]:
        """Recognise images of single lines."""

    @abstractmethod
    def likelihood(self, line: Image, texts: Sequence[str]) -> list[float]:
        """Return the natural logarithm of each text's probability on the image of one line.

        It is -inf for a text with a character that the reader does not know. Widths of punctuation are not
        distinguished. Compare texts on the same image only: the values depend on its width.
        """


@cache
def source_hash(*modules: str) -> str:
    """Hash of the source of modules in this folder; part of an identity, so that changed code invalidates the cache.

    >>> len(source_hash("layout/grouping", "lines/text"))
    8
    """
    folder = Path(__file__).parent
    return hashlib.sha256(b"".join((folder / f"{name}.py").read_bytes() for name in modules)).hexdigest()[:8]


def get_reader(name: str = DEFAULT, **options: Any) -> Reader:
    """Create a reader by name. Raises an error with the install command if the reader is not installed."""
    reader: Reader = make("readers", name, READERS, options)
    return reader
