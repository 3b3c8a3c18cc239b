"""Readers: what turns an image into a reading. Found by name; others' through the entry points `vdebench.readers`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from vdebench.images import Image
from vdebench.reading import Reading
from vdebench.registry import find

READERS = {
    "rapidocr": "vdebench.readers.rapid:RapidReader",
}
DEFAULT = "rapidocr"


class Reader(ABC):
    """Reads pages. Whatever changes what it reads is in its identity: readings are kept under it."""

    @property
    @abstractmethod
    def identity(self) -> Mapping[str, str]:
        """Name, versions of engine and models, options: `{"name": "rapidocr", "version": "3.10.0", …}`."""

    @abstractmethod
    def read(self, image: Image) -> Reading:
        """Blocks of an RGB page in reading order, with the page's size."""


def get_reader(name: str = DEFAULT, **options: Any) -> Reader:
    """The reader of a name; an error that says how to install it where it is absent."""
    reader: Reader = find("readers", name, READERS)(**options)
    return reader
