"""A reader with a cache: OCR output of image files and their crops, keyed by the content of the file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from pickle import PicklingError
from typing import Any, NamedTuple
from typing import Protocol as Interface

from vdebench.core.images import DECODING, Image, PixelBox
from vdebench.core.page_text import PageText
from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.io.cache import Cache, Digest, digest_of, digest_of_file
from vdebench.io.images import open_image
from vdebench.readers.reader import Reader, get_reader


class ImageCrop(NamedTuple):
    """An image file or a crop of it, identified by its content."""

    file: Path
    content: Digest
    """Hash of the file's bytes."""
    crop: PixelBox | None = None

    @classmethod
    def of(cls, file: Path, crop: PixelBox | None = None) -> ImageCrop:
        """Create it from a file; reads the file to compute its hash."""
        return cls(file, digest_of_file(file), crop)

    @property
    def key(self) -> Digest:
        """Cache key of its OCR output."""
        return self.content if self.crop is None else digest_of(self.content, repr(tuple(self.crop)))

    def open(self) -> Image:
        """Decode the image and cut out the crop."""
        image = open_image(self.file)
        return image if self.crop is None else self.crop.cut(image)


class OcrInput(Interface):
    """An image to read: it has a cache key, and is decoded only when it is not in the cache."""

    @property
    def key(self) -> Digest:
        """Cache key of its OCR output."""

    @property
    def file(self) -> Path:
        """The file it comes from, for messages."""

    def open(self) -> Image:
        """Decode the image."""


class CachedReader:
    """Reads image files through a cache. An image that failed once in this process is not tried again."""

    def __init__(self, reader: Reader, root: Path | None = None) -> None:
        self.reader = reader
        self.root = root
        self.cache = Cache("readings", {**reader.identity, "decoding": DECODING}, PageText.from_json, root)
        self.failures: dict[Digest, str] = {}
        self.choice: tuple[str, tuple[tuple[str, Any], ...]] | None = None
        """Name and options from which another process can create this reader; None if created from an object."""

    @classmethod
    def named(cls, name: str, options: Mapping[str, Any] | None = None, root: Path | None = None) -> CachedReader:
        """Create a cached reader by name."""
        cached = cls(get_reader(name, **(options or {})), root)
        cached.choice = name, tuple(sorted((options or {}).items()))
        return cached

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle name and options only: the other process creates the reader itself, without the recorded failures."""
        if self.choice is None:
            raise PicklingError(f"the reader {self.label} was not created by name, so it cannot be sent to a process")
        return _reader_in_worker, (*self.choice, self.root, self.label)

    @property
    def label(self) -> str:
        """The reader in a signature: name, version and a hash of its identity."""
        identity = self.reader.identity
        version = f"@{identity['version']}" if "version" in identity else ""
        return f"{identity['name']}{version}#{self.cache.folder.name[-16:-8]}"

    def read(self, source: OcrInput | Path) -> PageText:
        """Return the OCR output of an image or a crop; boxes of a crop are in pixels of the crop."""
        image: OcrInput = ImageCrop.of(source) if isinstance(source, Path) else source

        def run_ocr() -> object:
            if image.key in self.failures:
                raise InputError(self.failures[image.key])
            return self.reader.read(image.open()).to_json()

        try:
            return self.cache.get(image.key, run_ocr)
        except VdeError as error:
            self.failures[image.key] = str(error)
            raise

    def is_settled(self, image: OcrInput) -> bool:
        """Whether the OCR output is in the cache, or the image failed before."""
        return image.key in self.failures or self.cache.find(image.key) is not None


@cache
def _reader_in_worker(name: str, options: tuple[tuple[str, Any], ...], root: Path | None, label: str) -> CachedReader:
    """Create the reader once per worker process, so that its models are loaded once."""
    reader = CachedReader.named(name, dict(options), root)
    if reader.label != label:
        raise MissingPartError(
            f"a worker has the reader {reader.label}, expected {label}: its OCR output could differ\n"
            "  install the same versions on all machines"
        )
    return reader
