"""The outputs of a run and their OCR output, from the cache."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from vdebench.core.images import Image
from vdebench.core.page_text import PageText
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.files import is_file, is_folder
from vdebench.io.stores import place
from vdebench.pipeline.editing import EditRecord, read_edits
from vdebench.pipeline.output_record import image_folder
from vdebench.pipeline.scoring.ground_truth import GroundTruth
from vdebench.readers.cached import CachedReader, ImageCrop, OcrInput
from vdebench.readers.folder import OcrOutputFolder
from vdebench.readers.predictions import crops
from vdebench.report.site.units import UnitPages
from vdebench.runs.provenance import part_of
from vdebench.suites.names import Outputs
from vdebench.suites.suite import Suite


class CacheOnlyReader(CachedReader):
    """A reader that only returns cached OCR output: a report runs no engine and calls no server."""

    def run_ocr(self, image: OcrInput, array: Image) -> Any:
        """Raise `InputError`: there is no cached OCR output."""
        raise InputError(f"{image.file}: its OCR output is no longer cached; score again, then write the report")


class OutputSource:
    """The outputs of one run: images, ready OCR output, and records of the edits."""

    def __init__(
        self,
        suite: Suite,
        *,
        images: Path | None,
        readings: Path | None = None,
        reader: str | None = None,
        reader_options: Mapping[str, Any] | None = None,
        truth_read: bool = False,
        edits: Path | None = None,
    ) -> None:
        self.suite = suite
        self.images = images
        """Folder of the images, None if the run was scored without."""
        self.readings = readings
        """Folder of ready OCR output, None if a reader read the images."""
        self._reader = reader
        self._options = dict(reader_options or {})
        self._truth_read = truth_read
        self._edits = edits

    @cached_property
    def edits(self) -> dict[str, EditRecord]:
        """Records of the edits by sample; {} without `vde run`."""
        return {edit.sample: edit for edit in read_edits(self._edits)} if self._edits else {}

    @cached_property
    def lacking(self) -> str:
        """Why there are no images; "" if there are."""
        if self.images is None:
            return "scored from ready OCR output without images"
        return "" if is_folder(self.images) else f"its images are no longer in {self.images}"

    @cached_property
    def _outputs(self) -> Outputs | None:
        return self.suite.outputs(self.images) if self.images is not None and not self.lacking else None

    def image(self, sample: Sample) -> Path | None:
        """The image of a sample, or None."""
        try:
            return self._outputs.find(sample) if self._outputs else None
        except VdeError:  # the sample's state says why
            return None

    @cached_property
    def reader(self) -> CachedReader | None:
        """The reader of the run, None for ready OCR output; raises if it is not installed."""
        return CacheOnlyReader.named(self._reader, self._options) if self._reader and self.readings is None else None

    @cached_property
    def truths(self) -> GroundTruth:
        """The ground truth of the run."""
        return GroundTruth(self.suite, self.reader, all_read=self._truth_read)

    @cached_property
    def _ready(self) -> OcrOutputFolder:
        assert self.readings is not None
        if not is_folder(self.readings):
            raise InputError(f"the OCR output that was scored is no longer in {self.readings}")
        images = self.images if not self.lacking else None
        return OcrOutputFolder(self.readings, self.suite.samples, images=images)

    def sides(self, sample: Sample, *, crop: bool) -> UnitPages:
        """The OCR output behind a sample's rows: ground truth and prediction, of the page and, if `crop`, its crops."""
        truth = self.truths.page(sample)
        by_crops = crop and self.truths.has_regions_of(sample)
        wanted = (self.truths.regions(sample) if by_crops else None) or []
        nothing = UnitPages(truth, PageText(), wanted, [PageText()] * len(sample.regions))
        if self.readings is not None:
            page = self._ready.page(sample)
            found = (self._ready.regions(sample) if by_crops else None) or []
            return UnitPages(truth, page.parse(), wanted, [each.parse() for each in found]) if page else nothing
        if self.lacking:
            raise InputError(self.lacking)
        file = self.image(sample)
        if self.reader is None or file is None:
            return nothing
        picture = ImageCrop.of(file)
        read = [self.reader.read(each) for each in crops(picture, sample)] if by_crops else []
        return UnitPages(truth, self.reader.read(picture), wanted, read)

    @property
    def places(self) -> list[Path]:
        """Folders that messages may name."""
        return [folder for folder in (self.images, self.readings) if folder is not None]


def scored_source(folder: Path, suite: Suite, asked: Mapping[str, Any]) -> OutputSource:
    """The source of a run by what its own `run.json` says."""
    ready, edits = bool(asked.get("ready_ocr_output")), Path(folder).absolute().parent
    reader = asked.get("reader")
    return OutputSource(
        suite,
        images=image_folder(folder, asked),
        readings=place(asked["predictions"]) if ready and isinstance(asked.get("predictions"), str) else None,
        reader=reader if isinstance(reader, str) else None,
        reader_options=part_of(asked, "reader_options"),
        truth_read=asked.get("ground_truth") == "ocr",
        edits=edits if is_file(edits / "editor.json") else None,
    )
