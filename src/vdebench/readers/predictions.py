"""An editor's outputs as scoring sees them: for each sample an image, a reading of it, readings of its crops."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal
from typing import Protocol as Interface

from vdebench.core.box import Size
from vdebench.core.images import PixelBox
from vdebench.core.input_policy import InputPolicy
from vdebench.core.page_text import PageText
from vdebench.core.sample import Sample
from vdebench.errors import EditorError, InputError
from vdebench.io.cache import digest_of
from vdebench.io.files import is_folder, list_folder
from vdebench.io.images import image_size
from vdebench.io.stores import place
from vdebench.readers.cached import CachedReader, ImageCrop
from vdebench.suites.name_pattern import MatchedFiles
from vdebench.suites.names import NamedFiles, Outputs
from vdebench.suites.suite import Suite

KINDS: tuple[Literal["reading", "image"], ...] = ("reading", "image")


class PredictedPage(Interface):
    """A reading that is there, or can be made: parsed only where there is work to do."""

    @property
    def digest(self) -> str:
        """Hash of what the reading is made from."""

    def parse(self) -> PageText:
        """The reading."""


class Predictions(ABC):
    """What an editor made of a suite's samples. A missing prediction is nothing, one that is not certain an error."""

    name: str
    """The editor's."""
    reader: str
    """Who reads, for the signature."""
    root: Path
    """Where they come from, for messages."""
    given: InputPolicy = InputPolicy()
    """What the editor was given, as far as it was said."""

    @abstractmethod
    def page(self, sample: Sample) -> PredictedPage | None:
        """The reading of the whole page, nothing where the prediction is missing."""

    @abstractmethod
    def regions(self, sample: Sample) -> Sequence[PredictedPage] | None:
        """The readings of the regions' crops, nothing where they are not complete."""

    @abstractmethod
    def has_any(self, sample: Sample) -> bool:
        """Whether any file could be the sample's prediction."""

    @property
    @abstractmethod
    def has_regions(self) -> bool:
        """Whether crops are read at all."""

    has_images = False
    """Whether predicted images are at hand, for image metrics."""

    def image(self, sample: Sample) -> Path | None:
        """The predicted image, where there is one."""
        return None

    def absence(self, sample: Sample) -> str:
        """Why a prediction is missing, as far as that is known."""
        return "no prediction"

    def unmatched_files(self) -> list[Path]:
        """Files that belong to no sample."""
        return []

    def files(self) -> Sequence[Outputs]:
        """The files by their names, where predictions are files: a check of names asks for them."""
        return ()

    def region_place(self, sample: Sample) -> str:
        """Where the readings of a sample's crops are looked for."""
        return f"regions of {sample.key}"


class ReadImage:
    """A picture with the reader who will read it."""

    def __init__(self, picture: ImageCrop, reader: CachedReader) -> None:
        self.picture = picture
        self._reader = reader

    @property
    def digest(self) -> str:
        """Hash of the picture and of all that its reader is."""
        return digest_of(f"{self.picture.key} {self._reader.cache.folder.name}")

    def parse(self) -> PageText:
        """The reading, made now where it was not made before."""
        return self._reader.read(self.picture)


class ReadPredictions(Predictions):
    """Images that a reader reads: an editor's outputs, or a suite's own references."""

    has_images = True

    def __init__(self, name: str, root: Path, find: Callable[[Sample], Path | None], reader: CachedReader) -> None:
        self.name = name
        self.root = root
        self.cached = reader
        self.reader = reader.label
        self._find = find

    def image(self, sample: Sample) -> Path | None:
        """The image, nothing where it is missing."""
        return self._find(sample)

    def page(self, sample: Sample) -> ReadImage | None:
        """The image and its reader."""
        file = self._find(sample)
        return ReadImage(ImageCrop.of(file), self.cached) if file else None

    def regions(self, sample: Sample) -> list[ReadImage] | None:
        """Each region's crop and its reader."""
        page = self.page(sample)
        return [ReadImage(crop, self.cached) for crop in crops(page.picture, sample)] if page else None

    def has_any(self, sample: Sample) -> bool:
        """Whether there is an image."""
        return self._find(sample) is not None

    @property
    def has_regions(self) -> bool:
        """Always: a crop can be read."""
        return True


class ImagePredictions(ReadPredictions):
    """A folder of an editor's images, named as the reference images are unless `files` knows other names."""

    def __init__(
        self,
        root: Path,
        samples: Sequence[Sample],
        reader: CachedReader,
        *,
        name: str = "",
        absent: Mapping[str, str] | None = None,
        failed: Mapping[str, str] | None = None,
        files: Outputs | None = None,
    ) -> None:
        root = place(root)
        self._named: Outputs = files or NamedFiles(root, samples, "image")
        self._samples = samples
        self._absent, self._failed = absent or {}, failed or {}
        super().__init__(name or folder_label(root), root, self._found, reader)

    def _found(self, sample: Sample) -> Path | None:
        """The image; none where the editor said that it makes none, an error where it failed, whatever lies there."""
        if sample.key in self._failed:
            raise EditorError(f"sample {sample.key}: was not edited: {self._failed[sample.key]}")
        return None if sample.key in self._absent else self._named.find(sample)

    def has_any(self, sample: Sample) -> bool:
        """Whether any file could be the sample's."""
        made_none = sample.key in self._absent or sample.key in self._failed
        return not made_none and self._named.has_any(sample)

    def absence(self, sample: Sample) -> str:
        """Why the image is missing: what the editor said, by the sample's key."""
        return self._absent.get(sample.key, "no prediction")

    def unmatched_files(self) -> list[Path]:
        """Images that belong to no sample."""
        return self._named.unmatched_files(self._samples)

    def files(self) -> Sequence[Outputs]:
        """The images by their names."""
        return (self._named,)


def crops(page: ImageCrop, sample: Sample) -> Iterator[ImageCrop]:
    """The parts of a page's picture that a sample's regions name, in percent of whatever size it has."""
    size: Size = image_size(page.file)
    for region in sample.regions:
        yield page._replace(crop=PixelBox.holding(region.box(size), size))


def holds_readings(root: Path, suite: Suite, match: str = "") -> bool:
    """Whether a folder holds readings of a suite's samples, not images; where it holds nothing, what the suite has."""
    root = place(root)
    named = {kind: files_in(root, suite.samples, kind, match) for kind in KINDS}
    counts = {kind: sum(map(files.has_any, suite.samples)) for kind, files in named.items()}
    if counts["reading"] and counts["image"] and counts["reading"] != counts["image"]:
        raise InputError(
            f"{root}: holds readings of {counts['reading']} samples and images of {counts['image']}\n"
            "  put them in two folders, and give the readings with --readings DIR"
        )
    if counts["reading"] or counts["image"]:
        return counts["reading"] > 0
    if named["image"].unmatched_files(suite.samples):
        return False  # of another suite: it will be told
    if named["reading"].unmatched_files(suite.samples):
        return True
    others = [name for name in list_folder(root) if not name.startswith(".") and not is_folder(root / name)]
    if others:
        shown = ", ".join(others[:3])
        raise InputError(f"{root}: holds neither images nor readings (JSON) of the suite's samples: found {shown}")
    return not any(map(suite.reference_image, suite.samples[:1]))


def files_in(
    root: Path, samples: Sequence[Sample], kind: Literal["reading", "image"], match: str = ""
) -> NamedFiles | MatchedFiles:
    """Files of some samples in a folder, by a pattern (see `NamePattern`) or by the names the release uses."""
    return MatchedFiles(root, samples, match, kind) if match else NamedFiles(root, samples, kind)


def folder_label(root: Path) -> str:
    """An editor's name where none is given: its folder's."""
    return Path(os.path.abspath(root)).name.encode("utf-8", "backslashreplace").decode()  # it may be no text
