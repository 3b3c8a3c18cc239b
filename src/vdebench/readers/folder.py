"""Ready readings: a folder of PaddleOCR-VL JSON, one file per sample, perhaps with the images they were read from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from vdebench.core.box import Size
from vdebench.core.page_text import PageText
from vdebench.core.sample import Sample
from vdebench.io.files import parse_json, read_bytes
from vdebench.io.images import image_size
from vdebench.io.stores import place
from vdebench.readers.predictions import Predictions, files_in, folder_label
from vdebench.suites.names import REGIONS, Outputs, names_of


class ReadingFile(NamedTuple):
    """A reading as it lies on disk."""

    file: Path
    content: bytes
    image: Size | None = None

    @property
    def digest(self) -> str:
        """Hash of what the reading was made from."""
        return hashlib.sha256(self.content + repr(self.image).encode()).hexdigest()

    def parse(self) -> PageText:
        """The reading; of a size it does not state itself, the image's."""
        reading = PageText.from_json(parse_json(self.content, self.file), str(self.file))
        return reading if reading.size or not self.image else replace(reading, size=self.image)


class FolderReadings(Predictions):
    """An editor's predictions as somebody read them."""

    def __init__(
        self,
        root: Path,
        samples: Sequence[Sample],
        *,
        name: str = "",
        reader: str = "unstated",
        images: Path | None = None,
        match: str = "",
    ) -> None:
        self.root = root = place(root)
        self.name = name or folder_label(root)
        self.reader = reader
        self._samples = samples
        self._named = files_in(root, samples, "reading", match)
        self._images = files_in(images, samples, "image", match) if images is not None else None
        self.has_images = images is not None

    def files(self) -> Sequence[Outputs]:
        """The readings by their names, and the images they were made from where these are at hand."""
        return (self._named, self._images) if self._images else (self._named,)

    def unmatched_files(self) -> list[Path]:
        """Readings that belong to none of the samples."""
        return self._named.unmatched_files(self._samples)

    def has_any(self, sample: Sample) -> bool:
        """Whether any file could be the reading of the sample's page."""
        return self._named.has_any(sample)

    def image(self, sample: Sample) -> Path | None:
        """The image that was read, where it is there."""
        return self._images.find(sample) if self._images else None

    def page(self, sample: Sample) -> ReadingFile | None:
        """The reading of the whole page, nothing where the prediction is missing."""
        file = self._named.find(sample)
        if file is None:
            return None
        image = self.image(sample)
        return ReadingFile(file, read_bytes(file), image_size(image) if image else None)

    def regions(self, sample: Sample) -> list[ReadingFile] | None:
        """The readings of the regions' crops, nothing where they are not complete."""
        files = self._named.regions(sample)
        return None if files is None else [ReadingFile(file, read_bytes(file)) for file in files]

    @property
    def has_regions(self) -> bool:
        """Whether crops were read at all."""
        return self._named.has_regions

    def region_place(self, sample: Sample) -> str:
        """Where the readings of a sample's crops are looked for."""
        return str(self._named.folder_of(sample) / REGIONS / f"{names_of(sample)[0]}_region_<k>.json")
