"""In-memory scoring of corrupted pages with the code that scores editors' files.

Writing, reading and hashing the files would take longer than scoring.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.core.box import Size
from vdebench.core.images import Image, PixelBox, resized
from vdebench.core.page_text import Block, PageText
from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.io.cache import Digest, digest_of_image
from vdebench.pipeline.scoring.edit_traces import trace_row
from vdebench.pipeline.scoring.ground_truth import GroundTruth
from vdebench.pipeline.scoring.image_metrics import ImageMetrics, ImagePair
from vdebench.pipeline.scoring.page_changes import change_row
from vdebench.pipeline.scoring.sample import SETTINGS, LocalMode, Prediction, ScoringScope, score_sample
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.readers.cached import CachedReader, ImageCrop
from vdebench.readers.predictions import PredictedPage, Predictions
from vdebench.runs.folder import ScoredSample
from vdebench.studies.validity.export import EXACT_LAYOUT
from vdebench.studies.validity.subject import CorruptedPage
from vdebench.suites.suite import Suite


class KnownPage(NamedTuple):
    """OCR output in memory."""

    reading: PageText
    digest: str = ""

    def parse(self) -> PageText:
        """Return the OCR output."""
        return self.reading


class Pixels(NamedTuple):
    """An image without a file, as input of a reader."""

    image: Image
    key: Digest
    file: Path
    lasting: bool = False

    @classmethod
    def of(cls, image: Image, name: str) -> Pixels:
        """Create it with the hash of the pixels as key."""
        return cls(image, digest_of_image(image), Path(name))

    def open(self) -> Image:
        """Return the image."""
        return self.image


class InMemoryPair(ImagePair):
    """A corrupted image and its reference, in memory."""

    def __init__(self, candidate: Pixels, page: Image, reference: Path) -> None:
        self.reference = ImageCrop.of(reference)
        self._key = candidate.key
        self.size = Size(page.shape[1], page.shape[0])
        self.own_size = Size(candidate.image.shape[1], candidate.image.shape[0])
        self.page, self.prediction = page, candidate.image
        self.candidate = resized(candidate.image, self.size)

    @property
    def content(self) -> str:
        """Hash of the prediction."""
        return self._key


class SampleGroundTruth(GroundTruth):
    """Ground truth that is read once for all levels and protocols."""

    def __init__(self, suite: Suite, reader: CachedReader | None = None) -> None:
        super().__init__(suite, reader)
        self._kept: dict[tuple[str, str], Any] = {}

    def _once(self, kind: str, sample: Sample, read: Any) -> Any:
        key = kind, sample.key
        if key not in self._kept:
            self._kept[key] = read(sample)
        return self._kept[key]

    def page(self, sample: Sample) -> PageText:
        """Ground truth of the page."""
        text: PageText = self._once("page", sample, super().page)
        return text

    def regions(self, sample: Sample) -> list[PageText] | None:
        """Ground truth of the regions' crops."""
        texts: list[PageText] | None = self._once("regions", sample, super().regions)
        return texts

    def source_crop_blocks(self, sample: Sample) -> list[Sequence[Block]] | None:
        """OCR output of each region before the edit."""
        blocks: list[Sequence[Block]] | None = self._once("before", sample, super().source_crop_blocks)
        return blocks


class NoPredictions(Predictions):
    """A placeholder: predictions are passed one by one instead."""

    name = "corrupted"
    root = Path()
    has_regions = True

    def __init__(self, reader: str) -> None:
        self.reader = reader

    def page(self, sample: Sample) -> PredictedPage | None:
        """Nothing is kept."""
        return None

    def regions(self, sample: Sample) -> Sequence[PredictedPage] | None:
        """Nothing is kept."""
        return None

    def has_any(self, sample: Sample) -> bool:
        """Nothing is kept."""
        return False


class LadderScorer:
    """Scores pages of one suite by several protocols."""

    def __init__(
        self,
        suite: Suite,
        protocols: Sequence[PageProtocol],
        measures: ImageMetrics,
        reader: CachedReader | None = None,
        *,
        usable: bool = False,
    ) -> None:
        self.protocols = protocols
        self._usable = usable
        self._suite = suite
        self._measures = measures
        self._reader = reader
        self._truths = SampleGroundTruth(suite, reader)
        self._nobody = NoPredictions(reader.label if reader else EXACT_LAYOUT)

    def rows(
        self, sample: Sample, page: CorruptedPage, reference_image: Image
    ) -> Iterator[tuple[PageProtocol, ScoredSample]]:
        """Yield every protocol's rows of a page in both settings."""
        pixels = Pixels.of(page.image, f"corrupted page of {sample.key}")
        prediction = self._read(sample, page, pixels)
        reference = self._suite.reference_image(sample)
        opens_images = bool(self._measures) or self._usable
        pair = InMemoryPair(pixels, reference_image, reference) if opens_images and reference else None
        for protocol in self.protocols:
            if not protocol.covers(sample):
                continue
            local: LocalMode = "filter" if protocol.local == "filter" else "crop"
            scope = ScoringScope(self._truths, self._nobody, protocol, SETTINGS, local, [sample], ImageMetrics(()))
            for row in score_sample(scope, sample, prediction, SETTINGS):
                yield protocol, self._with_images(protocol, sample, row, pair)

    def _read(self, sample: Sample, page: CorruptedPage, pixels: Pixels) -> Prediction:
        if self._reader is None:
            return Prediction(KnownPage(page.reading), [KnownPage(region) for region in page.regions])
        size = Size(page.image.shape[1], page.image.shape[0])
        boxes = [PixelBox.holding(region.box(size), size) for region in sample.regions]
        crops = [Pixels.of(box.cut(page.image), f"region of {pixels.file}") for box in boxes]
        try:
            return Prediction(
                *(KnownPage(self._reader.read(pixels)), [KnownPage(self._reader.read(crop)) for crop in crops])
            )
        except VdeError as error:
            return Prediction(failure=str(error))

    def _with_images(
        self, protocol: PageProtocol, sample: Sample, row: ScoredSample, pair: InMemoryPair | None
    ) -> ScoredSample:
        if pair is None or row.score["state"] != "scored":
            return row
        setting = row.score["setting"]
        measured = self._measures.row(sample, setting, pair, protocol) if self._measures else {}
        traces: dict[str, Any] = {}
        if self._usable and protocol.properties:
            traces = trace_row(self._suite, sample, setting, pair)
            if setting == "global":
                traces |= change_row(self._truths, sample, pair)
        return row._replace(score={**row.score, **measured, **traces})


@contextmanager
def temporary_cache() -> Iterator[None]:
    """Use a temporary cache folder: measures of pages that exist only in memory are not kept."""
    before = os.environ.get("VDE_CACHE")
    with tempfile.TemporaryDirectory(prefix="vde-validity-") as folder:
        os.environ["VDE_CACHE"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["VDE_CACHE"]
            else:
                os.environ["VDE_CACHE"] = before
