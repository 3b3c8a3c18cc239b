"""OCR output made elsewhere: a folder of PaddleOCR-VL JSON files, one per sample, optionally with the images."""

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


class OcrOutputFile(NamedTuple):
    """The content of a file of OCR output, not parsed yet."""

    file: Path
    content: bytes
    image: Size | None = None
    """Size of the image, used where the file states none."""

    @property
    def digest(self) -> str:
        """Hash of the file and the image size."""
        return hashlib.sha256(self.content + repr(self.image).encode()).hexdigest()

    def parse(self) -> PageText:
        """Parse the file; raises `InputError`."""
        page_text = PageText.from_json(parse_json(self.content, self.file), str(self.file))
        return page_text if page_text.size or not self.image else replace(page_text, size=self.image)


class OcrOutputFolder(Predictions):
    """An editor's predictions as a folder of OCR output."""

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
        self._page_texts = files_in(root, samples, "reading", match)
        self._images = files_in(images, samples, "image", match) if images is not None else None
        self.has_images = images is not None

    def files(self) -> Sequence[Outputs]:
        """The OCR files, and the images if there is a folder of them."""
        return (self._page_texts, self._images) if self._images else (self._page_texts,)

    def unmatched_files(self) -> list[Path]:
        """Return OCR files that belong to none of the samples."""
        return self._page_texts.unmatched_files(self._samples)

    def has_any(self, sample: Sample) -> bool:
        """Whether any file could be the OCR output of the sample's page."""
        return self._page_texts.has_any(sample)

    def image(self, sample: Sample) -> Path | None:
        """Return the image of a sample, or None."""
        return self._images.find(sample) if self._images else None

    def page(self, sample: Sample) -> OcrOutputFile | None:
        """Return the OCR output of the whole page, or None if the prediction is missing."""
        file = self._page_texts.find(sample)
        if file is None:
            return None
        image = self.image(sample)
        return OcrOutputFile(file, read_bytes(file), image_size(image) if image else None)

    def regions(self, sample: Sample) -> list[OcrOutputFile] | None:
        """Return the OCR output of each region's crop, or None if one is missing."""
        files = self._page_texts.regions(sample)
        return None if files is None else [OcrOutputFile(file, read_bytes(file)) for file in files]

    @property
    def has_regions(self) -> bool:
        """Whether the folder holds OCR output of crops."""
        return self._page_texts.has_regions

    def region_place(self, sample: Sample) -> str:
        """Where the OCR output of a sample's crops is expected, for messages."""
        return str(self._page_texts.folder_of(sample) / REGIONS / f"{names_of(sample)[0]}_region_<k>.json")
