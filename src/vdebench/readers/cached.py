"""A reader with a cache: OCR output of image files and their crops, keyed by their pixels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from pickle import PicklingError
from typing import Any, NamedTuple
from typing import Protocol as Interface

from vdebench.core.images import DECODING, Image, PixelBox
from vdebench.core.page_text import PageText
from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.io.cache import Cache, Digest, digest_of, digest_of_file, digest_of_image
from vdebench.io.images import open_image
from vdebench.readers.pixel_digests import PixelDigests
from vdebench.readers.reader import Reader, get_reader


class ImageCrop(NamedTuple):
    """An image file or a crop of it, identified by its content."""

    file: Path
    content: Digest
    """Hash of the file's bytes."""
    crop: PixelBox | None = None
    lasting: bool = False
    """Whether it is an image of a suite: its OCR output is removed from the cache last."""

    @classmethod
    def of(cls, file: Path, crop: PixelBox | None = None, *, lasting: bool = False) -> ImageCrop:
        """Create it from a file; reads the file to compute its hash."""
        return cls(file, digest_of_file(file), crop, lasting)

    @property
    def key(self) -> Digest:
        """Hash of the file's bytes and the crop."""
        return self.content if self.crop is None else digest_of(self.content, repr(tuple(self.crop)))

    def open(self) -> Image:
        """Decode the image and cut out the crop; raises `InputError` if the file is no longer the same."""
        image = _decoded(self.file, self.content)
        return (image if self.crop is None else self.crop.cut(image)).copy()


@lru_cache(1)
def _decoded(file: Path, content: Digest) -> Image:
    """Decode a file once for the page and its crops, which are read one after the other."""
    image = open_image(file)
    if digest_of_file(file) != content:
        raise InputError(f"{file}: was changed during the run; run the command again")
    return image


class OcrInput(Interface):
    """An image to read: it has a key, and is decoded only if no OCR output is cached for the key."""

    @property
    def key(self) -> Digest:
        """Hash of everything that the image is made from; two keys can have the same pixels."""

    @property
    def file(self) -> Path:
        """The file it comes from, for messages."""

    @property
    def lasting(self) -> bool:
        """Whether it is an image of a suite: its OCR output is removed from the cache last."""

    def open(self) -> Image:
        """Decode the image."""


class CachedPageText(NamedTuple):
    """Cached OCR output, for the cache of another machine."""

    pixels: Digest
    page_text: Any
    """As JSON."""
    lasting: bool = False


class CachedReader:
    """Reads image files through a cache. An image that failed once in this process is not tried again."""

    def __init__(self, reader: Reader, root: Path | None = None) -> None:
        self.reader = reader
        self.root = root
        self.cache = Cache("readings", {**reader.identity, "decoding": DECODING}, PageText.from_json, root)
        self.failures: dict[Digest, str] = {}
        """Messages by the keys of images."""
        self.images_read = 0
        """Number of images that the OCR engine has read in this process."""
        self.choice: tuple[str, tuple[tuple[str, Any], ...]] | None = None
        """Name and options from which another process can create this reader; None if created from an object."""
        self._pixels = PixelDigests(root)

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
        key = image.key
        pixels = self._pixels.find(key)
        if pixels is not None and (cached := self.cache.find(pixels, lasting=image.lasting)) is not None:
            return cached
        if key in self.failures:
            raise InputError(self.failures[key])
        try:
            array = image.open()
            pixels = digest_of_image(array)
            self._pixels.put(key, pixels)
            return self.cache.get(pixels, lambda: self.run_ocr(image, array), lasting=image.lasting)
        except VdeError as error:
            self.failures[key] = str(error)
            raise

    def read_page(self, file: Path) -> PageText:
        """Return the OCR output of a page of a suite; the cache keeps it longer than that of an editor's output."""
        return self.read(ImageCrop.of(file, lasting=True))

    def read_to_send(self, image: OcrInput) -> CachedPageText:
        """Return the OCR output of an image in a form that `add` stores in the cache of another machine."""
        page_text = self.read(image)
        pixels = self._pixels.find(image.key)
        assert pixels is not None
        return CachedPageText(pixels, page_text.to_json(), image.lasting)

    def run_ocr(self, image: OcrInput, array: Image) -> Any:
        """Call the OCR engine for an image that is not in the cache; return the OCR output as JSON."""
        self.images_read += 1
        return self.reader.read(array).to_json()

    def is_settled(self, image: OcrInput) -> bool:
        """Whether the OCR output is known to be in the cache, or the image failed before."""
        key = image.key
        return key in self.failures or self.find(key) is not None

    def find(self, key: Digest) -> CachedPageText | None:
        """Return the cached OCR output of an image by its key; None if the image was not read or decoded before."""
        pixels = self._pixels.find(key)
        data = None if pixels is None else self.cache.find_json(pixels)
        return None if pixels is None or data is None else CachedPageText(pixels, data)

    def add(self, key: Digest, cached: CachedPageText) -> None:
        """Store OCR output that another process returned."""
        self._pixels.put(key, cached.pixels)
        self.cache.put(cached.pixels, cached.page_text, lasting=cached.lasting)


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
