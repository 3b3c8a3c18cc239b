"""Readers: what turns an image into a reading. Found by name; others' through the entry points `vdebench.readers`."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from vdebench.core.images import Image
from vdebench.core.page_text import PageText
from vdebench.registry import make

READERS = {
    "rapidocr": "vdebench.readers.rapid:RapidReader",
    "paddleocr-vl": "vdebench.readers.paddle:PaddleVLReader",
    "paddleocr-vl-server": "vdebench.readers.paddle_server:ServingReader",
    "openai-vlm": "vdebench.readers.vlm:VlmReader",
    "pp-structure": "vdebench.readers.paddle:PPStructureReader",
    "tesseract": "vdebench.readers.tesseract:TesseractReader",
}
DEFAULT = "rapidocr"


class Reader(ABC):
    """Reads pages. Whatever changes what it reads is in its identity: readings are kept under it."""

    @classmethod
    def missing(cls, **options: Any) -> str:
        """What is missing for it to read, and how to get it; nothing where it is ready. Quick, and raises nothing."""
        return ""

    @property
    def caveat(self) -> str:
        """What a table of its scores should say: something is read worse than it could be here."""
        return ""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Name, versions of engine and models, options: `{"name": "rapidocr", "version": "3.10.0", …}`."""

    @abstractmethod
    def read(self, image: Image) -> PageText:
        """Blocks of an RGB page in reading order, with the page's size."""


@cache
def code_of(*modules: str) -> str:
    """Hash of modules of this folder, for an identity: readings made by other code are other readings.

    >>> len(code_of("line_grouping", "line_text"))
    8
    """
    folder = Path(__file__).parent
    return hashlib.sha256(b"".join((folder / f"{name}.py").read_bytes() for name in modules)).hexdigest()[:8]


def get_reader(name: str = DEFAULT, **options: Any) -> Reader:
    """The reader of a name; an error that says how to install it where it is absent."""
    reader: Reader = make("readers", name, READERS, options)
    return reader
