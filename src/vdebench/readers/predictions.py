"""An editor's outputs as scoring uses them: for each sample an image, its OCR output and that of its crops."""

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
    """OCR output that exists or can be made; parsed only when it is needed."""

    @property
    def digest(self) -> str:
        """Hash of everything the OCR output depends on."""

    def parse(self) -> PageText:
        """Return the OCR output."""


class Predictions(ABC):
    """An editor's outputs for the samples of a suite.

    Methods return None for a missing prediction, and raise `InputError` if several files could be the prediction.
    """

    name: str
    """Name of the editor."""
    reader: str
    """Label of the reader, for the signature."""
    root: Path
    """The folder, for messages."""
    input_policy: InputPolicy = InputPolicy()
    """What the editor received as input, as far as it is stated."""

    @abstractmethod
    def page(self, sample: Sample) -> PredictedPage | None:
        """Return the OCR output of the whole page, or None if the prediction is missing."""

    @abstractmethod
    def regions(self, sample: Sample) -> Sequence[PredictedPage] | None:
        """Return the OCR output of each region's crop, or None if one is missing."""

    @abstractmethod
    def has_any(self, sample: Sample) -> bool:
        """Whether any file could be the prediction of the sample."""

    @property
    @abstractmethod
    def has_regions(self) -> bool:
        """Whether there is OCR output of crops."""

    has_images = False
    """Whether the predicted images are available, for image metrics."""

    def image(self, sample: Sample) -> Path | None:
        """Return the predicted image, or None."""
        return None

    def absence(self, sample: Sample) -> str:
        """Return why a prediction is missing, if known."""
        return "no prediction"

    def unmatched_files(self) -> list[Path]:
        """Files that belong to no sample."""
        return []

    def files(self) -> Sequence[Outputs]:
        """Return the folders of files, for checks of file names."""
        return ()

    def region_place(self, sample: Sample) -> str:
        """Where the OCR output of a sample's crops is expected, for messages."""
        return f"regions of {sample.key}"


class ReadImage:
    """An image or a crop, and the reader that reads it on demand."""

    def __init__(self, picture: ImageCrop, reader: CachedReader) -> None:
        self.picture = picture
        self._reader = reader

    @property
    def digest(self) -> str:
        """Hash of the picture and of all that its reader is."""
        return digest_of(f"{self.picture.key} {self._reader.cache.folder.name}")

    def parse(self) -> PageText:
        """Return the OCR output, from the cache if possible."""
        return self._reader.read(self.picture)


class OcrPredictions(Predictions):
    """Images read by an OCR reader: an editor's outputs, or the reference images of a suite."""

    has_images = True

    def __init__(
        self,
        name: str,
        root: Path,
        find: Callable[[Sample], Path | None],
        reader: CachedReader,
        *,
        are_references: bool = False,
    ) -> None:
        self.name = name
        self.root = root
        self.cached = reader
        self.reader = reader.label
        self._find = find
        self._are_references = are_references

    def image(self, sample: Sample) -> Path | None:
        """Return the image, or None if it is missing."""
        return self._find(sample)

    def page(self, sample: Sample) -> ReadImage | None:
        """Return the image with its reader."""
        file = self._find(sample)
        return ReadImage(ImageCrop.of(file, lasting=self._are_references), self.cached) if file else None

    def regions(self, sample: Sample) -> list[ReadImage] | None:
        """Return each region's crop with its reader."""
        page = self.page(sample)
        return [ReadImage(crop, self.cached) for crop in crops(page.picture, sample)] if page else None

    def has_any(self, sample: Sample) -> bool:
        """Whether there is an image."""
        return self._find(sample) is not None

    @property
    def has_regions(self) -> bool:
        """Always true: crops are cut from the image."""
        return True


class ImagePredictions(OcrPredictions):
    """A folder of an editor's images, named like the reference images unless `files` maps other names."""

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
        super().__init__(name or folder_label(root), root, self._find_image, reader)

    def _find_image(self, sample: Sample) -> Path | None:
        """Return the image, or None if the editor recorded that there is none; raise if it recorded a failure.

        The editor's record takes precedence over files in the folder.
        """
        if sample.key in self._failed:
            raise EditorError(f"sample {sample.key}: the editor failed: {self._failed[sample.key]}")
        return None if sample.key in self._absent else self._named.find(sample)

    def has_any(self, sample: Sample) -> bool:
        """Whether any file could be the prediction of the sample."""
        has_no_output = sample.key in self._absent or sample.key in self._failed
        return not has_no_output and self._named.has_any(sample)

    def absence(self, sample: Sample) -> str:
        """Return the reason that the editor recorded for a missing image."""
        return self._absent.get(sample.key, "no prediction")

    def unmatched_files(self) -> list[Path]:
        """Return images that belong to no sample."""
        return self._named.unmatched_files(self._samples)

    def files(self) -> Sequence[Outputs]:
        """Return the folder of images."""
        return (self._named,)


def crops(page: ImageCrop, sample: Sample) -> Iterator[ImageCrop]:
    """Yield the crop of each region of a sample; regions are in percent of the image size."""
    size: Size = image_size(page.file)
    for region in sample.regions:
        yield page._replace(crop=PixelBox.holding(region.box(size), size))


def has_ocr_output(root: Path, suite: Suite, match: str = "") -> bool:
    """Whether a folder holds OCR output (JSON) of a suite's samples, not images.

    An empty folder counts as OCR output if the suite has no reference images. Raises `InputError` if the folder holds
    both for different numbers of samples, or neither.
    """
    root = place(root)
    named = {kind: files_in(root, suite.samples, kind, match) for kind in KINDS}
    counts = {kind: sum(map(files.has_any, suite.samples)) for kind, files in named.items()}
    if counts["reading"] and counts["image"] and counts["reading"] != counts["image"]:
        raise InputError(
            f"{root}: contains OCR output of {counts['reading']} samples and images of {counts['image']}\n"
            "  put them into two folders, and pass the OCR output with --ocr-output DIR"
        )
    if counts["reading"] or counts["image"]:
        return counts["reading"] > 0
    if named["image"].unmatched_files(suite.samples):
        return False  # images of another suite: reported later
    if named["reading"].unmatched_files(suite.samples):
        return True
    others = [name for name in list_folder(root) if not name.startswith(".") and not is_folder(root / name)]
    if others:
        names = ", ".join(others[:3])
        raise InputError(f"{root}: contains neither images nor OCR output (JSON) of the suite's samples: found {names}")
    return not any(suite.reference_image(sample) or not suite.has_reference(sample) for sample in suite.samples[:1])


def files_in(
    root: Path, samples: Sequence[Sample], kind: Literal["reading", "image"], match: str = ""
) -> NamedFiles | MatchedFiles:
    """Return the files of samples in a folder, by a pattern (see `NamePattern`) or by the names of the release."""
    return MatchedFiles(root, samples, match, kind) if match else NamedFiles(root, samples, kind)


def folder_label(root: Path) -> str:
    """Name of the folder, used as the editor's name if none is passed."""
    return Path(os.path.abspath(root)).name.encode("utf-8", "backslashreplace").decode()  # may be invalid Unicode
