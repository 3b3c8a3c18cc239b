"""A reader that reads nothing twice: pages and crops of image files, kept by the file's bytes."""

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
    """An image file, or a crop of it, known by its content."""

    file: Path
    content: Digest
    """Hash of the file's bytes."""
    crop: PixelBox | None = None

    @classmethod
    def of(cls, file: Path, crop: PixelBox | None = None) -> ImageCrop:
        """The picture in a file."""
        return cls(file, digest_of_file(file), crop)

    @property
    def key(self) -> Digest:
        """What its reading is kept under."""
        return self.content if self.crop is None else digest_of(self.content, repr(tuple(self.crop)))

    def open(self) -> Image:
        """The image that is read."""
        image = open_image(self.file)
        return image if self.crop is None else self.crop.cut(image)


class OcrInput(Interface):
    """What can be read: known by a key, from a file, opened when it must be."""

    @property
    def key(self) -> Digest:
        """What its reading is kept under."""

    @property
    def file(self) -> Path:
        """Where it comes from, for messages."""

    def open(self) -> Image:
        """The image that is read."""


class CachedReader:
    """Reads image files, or finds what was read before. What failed in this run fails again without another try."""

    def __init__(self, reader: Reader, root: Path | None = None) -> None:
        self.reader = reader
        self.root = root
        self.cache = Cache("readings", {**reader.identity, "decoding": DECODING}, PageText.from_json, root)
        self.failures: dict[Digest, str] = {}
        self.choice: tuple[str, tuple[tuple[str, Any], ...]] | None = None
        """Name and options with which another process can make this reader."""

    @classmethod
    def named(cls, name: str, options: Mapping[str, Any] | None = None, root: Path | None = None) -> CachedReader:
        """The reader of a name."""
        cached = cls(get_reader(name, **(options or {})), root)
        cached.choice = name, tuple(sorted((options or {}).items()))
        return cached

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes it again by its name; what failed is not told there."""
        if self.choice is None:
            raise PicklingError(f"the reader {self.label} has no name by which another process could make it")
        return _made_again, (*self.choice, self.root, self.label)

    @property
    def label(self) -> str:
        """The reader in a signature: its name, its version, and a hash of all that it is."""
        identity = self.reader.identity
        version = f"@{identity['version']}" if "version" in identity else ""
        return f"{identity['name']}{version}#{self.cache.folder.name[-16:-8]}"

    def read(self, picture: OcrInput | Path) -> PageText:
        """The reading of an image, or of its crop in pixels of the crop."""
        wanted: OcrInput = ImageCrop.of(picture) if isinstance(picture, Path) else picture

        def make() -> object:
            if wanted.key in self.failures:
                raise InputError(self.failures[wanted.key])
            return self.reader.read(wanted.open()).to_json()

        try:
            return self.cache.get(wanted.key, make)
        except VdeError as error:
            self.failures[wanted.key] = str(error)
            raise

    def knows(self, picture: OcrInput) -> bool:
        """Whether the picture was read before, or could not be."""
        return picture.key in self.failures or self.cache.find(picture.key) is not None


@cache
def _made_again(name: str, options: tuple[tuple[str, Any], ...], root: Path | None, label: str) -> CachedReader:
    """The reader in a worker's process: one, with its models, for all that it reads."""
    reader = CachedReader.named(name, dict(options), root)
    if reader.label != label:
        raise MissingPartError(
            f"a worker has the reader {reader.label}, expected {label}: its readings would be others\n"
            "  install the same versions on all machines"
        )
    return reader
