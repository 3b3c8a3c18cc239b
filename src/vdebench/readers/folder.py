"""Ready readings: a folder of PaddleOCR-VL JSON, one file per sample, perhaps with the images they were read from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from vdebench.box import Size
from vdebench.errors import InputError
from vdebench.files import list_folder, parse_json, read_bytes
from vdebench.reading import Reading
from vdebench.sample import Sample
from vdebench.suites.names import REGIONS, NamedReadings, image_of, image_size, images_by_stem, names_of


class Found(NamedTuple):
    """A reading as it lies on disk: parsed only where there is work to do."""

    file: Path
    content: bytes
    image: Size | None = None

    @property
    def digest(self) -> str:
        """Hash of what the reading was made from."""
        return hashlib.sha256(self.content + repr(self.image).encode()).hexdigest()

    def parse(self) -> Reading:
        """The reading; of a size it does not state itself, the image's."""
        reading = Reading.from_json(parse_json(self.content, self.file), str(self.file))
        return reading if reading.size or not self.image else replace(reading, size=self.image)


class FolderReadings:
    """An editor's predictions as somebody read them."""

    def __init__(
        self,
        root: Path,
        samples: Sequence[Sample],
        *,
        name: str = "",
        reader: str = "unstated",
        images: Path | None = None,
    ) -> None:
        self.root = root
        self.name = (
            (name or Path(os.path.abspath(root)).name).encode("utf-8", "backslashreplace").decode()
        )  # it may be no text
        self.reader = reader
        self._named = NamedReadings(root, samples)
        self._images_root = images
        if samples and self.strangers(samples) and not any(map(self.has_any, samples)):
            # an empty folder means missing predictions; other names mean another suite
            raise InputError(_nothing_found(root, samples[0]))

    def strangers(self, samples: Sequence[Sample]) -> list[Path]:
        """Readings that belong to none of the samples."""
        return self._named.strangers(samples)

    def has_any(self, sample: Sample) -> bool:
        """Whether any file could be the reading of the sample's page."""
        return self._named.has_any(sample)

    def page(self, sample: Sample) -> Found | None:
        """The reading of the whole page, nothing where the prediction is missing."""
        file = self._named.find(sample)
        return None if file is None else Found(file, read_bytes(file), self._image_size(sample))

    def regions(self, sample: Sample) -> list[Found] | None:
        """The readings of the regions' crops, nothing where they are not complete."""
        files = self._named.regions(sample)
        return None if files is None else [Found(file, read_bytes(file)) for file in files]

    @property
    def has_regions(self) -> bool:
        """Whether crops were read at all."""
        return self._named.has_regions

    def region_place(self, sample: Sample) -> str:
        """Where the readings of a sample's crops are looked for."""
        return str(self._named.folder_of(sample) / REGIONS / f"{names_of(sample)[0]}_region_<k>.json")

    @cached_property
    def _images(self) -> dict[Path, dict[str, list[str]]]:
        root = self._images_root
        if root is None:
            return {}
        folders = [root, *(root / name for name in list_folder(root) if (root / name).is_dir())]
        return {folder: images_by_stem(folder) for folder in folders}

    def _image_size(self, sample: Sample) -> Size | None:
        if self._images_root is None:
            return None
        group = self._images_root / sample.group
        folder = group if group in self._images else self._images_root
        for name in names_of(sample):
            file = image_of(folder, name, self._images[folder])
            if file:
                return Size(*image_size(file))
        return None


def _nothing_found(root: Path, sample: Sample) -> str:
    present = [name for name in list_folder(root) if not name.startswith(".")]
    shown = ", ".join(present[:3]) + (", …" if len(present) > 3 else "") if present else "nothing"
    return (
        f"{root}: no reading of any sample here: found {shown}\n"
        f"  expected names like {names_of(sample)[0]}.json (for sample {sample.key}); see docs/formats.md"
    )
