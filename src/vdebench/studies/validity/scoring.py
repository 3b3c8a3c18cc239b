"""A corrupted page into rows, in memory: by the code that scores editors' files, without writing the files.

Writing each page, reading it back and hashing it for four protocols takes longer than to score it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from vdebench.core.box import Size
from vdebench.core.images import Image, PixelBox
from vdebench.core.page_text import Block, Reading
from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.pipeline.scoring.edit_traces import trace_row
from vdebench.pipeline.scoring.ground_truth import Truths
from vdebench.pipeline.scoring.image_metrics import Measures, Pair
from vdebench.pipeline.scoring.sample import SETTINGS, LocalMode, Prediction, Scope, score_sample
from vdebench.protocols.pages.protocol import Protocol
from vdebench.readers.cached import CachedReader, Picture
from vdebench.readers.predictions import Found, Predictions
from vdebench.runs.folder import Scored
from vdebench.studies.validity.export import EXACT_LAYOUT
from vdebench.studies.validity.subject import Page
from vdebench.suites.suite import Suite


class Known(NamedTuple):
    """A reading that is there."""

    reading: Reading
    digest: str = ""

    def parse(self) -> Reading:
        """The reading."""
        return self.reading


class Pixels(NamedTuple):
    """An image without a file, as readers are given one."""

    image: Image
    key: str
    file: Path

    @classmethod
    def of(cls, image: Image, name: str) -> Pixels:
        """The image, known by its pixels."""
        return cls(image, sha256(repr(image.shape).encode() + image.tobytes()).hexdigest(), Path(name))

    def open(self) -> Image:
        """The image that is read."""
        return self.image


class Seen(Pair):
    """A corrupted image beside its reference, both in memory."""

    def __init__(self, candidate: Pixels, page: Image, reference: Path) -> None:
        self.reference = Picture.of(reference)
        self._key = candidate.key
        self.size = self.own_size = Size(page.shape[1], page.shape[0])
        self.page, self.candidate = page, candidate.image

    @property
    def content(self) -> str:
        """What the prediction is known by."""
        return self._key


class OneSample(Truths):
    """The ground truth of the sample at hand, read from its files once for all levels and protocols."""

    def __init__(self, suite: Suite) -> None:
        super().__init__(suite)
        self._kept: dict[tuple[str, str], Any] = {}

    def _once(self, what: str, sample: Sample, read: Any) -> Any:
        key = what, sample.key
        if key not in self._kept:
            self._kept[key] = read(sample)
        return self._kept[key]

    def page(self, sample: Sample) -> Reading:
        """What the edited page should read."""
        found: Reading = self._once("page", sample, super().page)
        return found

    def regions(self, sample: Sample) -> list[Reading] | None:
        """What each region's crop should read."""
        found: list[Reading] | None = self._once("regions", sample, super().regions)
        return found

    def crops_read_before(self, sample: Sample) -> list[Sequence[Block]] | None:
        """What the reader reads in each region of the page before the edit."""
        found: list[Sequence[Block]] | None = self._once("before", sample, super().crops_read_before)
        return found


class Nobody(Predictions):
    """Predictions that are handed over one by one, and never looked for."""

    name = "corrupted"
    root = Path()
    has_regions = True

    def __init__(self, reader: str) -> None:
        self.reader = reader

    def page(self, sample: Sample) -> Found | None:
        """Nothing is kept."""
        return None

    def regions(self, sample: Sample) -> Sequence[Found] | None:
        """Nothing is kept."""
        return None

    def has_any(self, sample: Sample) -> bool:
        """Nothing is kept."""
        return False


class Scorer:
    """Scores pages of one suite by several protocols."""

    def __init__(
        self,
        suite: Suite,
        protocols: Sequence[Protocol],
        measures: Measures,
        reader: CachedReader | None = None,
        *,
        usable: bool = False,
    ) -> None:
        self.protocols = protocols
        self._usable = usable
        self._suite = suite
        self._measures = measures
        self._reader = reader
        self._truths = OneSample(suite)
        self._nobody = Nobody(reader.label if reader else EXACT_LAYOUT)

    def rows(self, sample: Sample, page: Page, right: Image) -> Iterator[tuple[Protocol, Scored]]:
        """What each protocol says of a page in both settings; `right` is the image that it should be."""
        pixels = Pixels.of(page.image, f"corrupted page of {sample.key}")
        found = self._read(sample, page, pixels)
        reference = self._suite.reference_image(sample)
        pair = Seen(pixels, right, reference) if self._measures and reference else None
        for protocol in self.protocols:
            if not protocol.covers(sample):
                continue
            local: LocalMode = "filter" if protocol.local == "filter" else "crop"
            scope = Scope(self._truths, self._nobody, protocol, SETTINGS, local, [sample], Measures(()))
            for row in score_sample(scope, sample, found, SETTINGS):
                yield protocol, self._with_images(protocol, sample, row, pair)

    def _read(self, sample: Sample, page: Page, pixels: Pixels) -> Prediction:
        if self._reader is None:
            return Prediction(Known(page.reading), [Known(region) for region in page.regions])
        size = Size(page.image.shape[1], page.image.shape[0])
        boxes = [PixelBox.holding(region.box(size), size) for region in sample.regions]
        crops = [Pixels.of(box.cut(page.image), f"region of {pixels.file}") for box in boxes]
        try:
            return Prediction(*(Known(self._reader.read(pixels)), [Known(self._reader.read(crop)) for crop in crops]))
        except VdeError as error:
            return Prediction(failure=str(error))

    def _with_images(self, protocol: Protocol, sample: Sample, row: Scored, pair: Seen | None) -> Scored:
        if pair is None or row.score["state"] != "scored":
            return row
        setting = row.score["setting"]
        measured = self._measures.row(sample, setting, pair, protocol)
        traces = trace_row(self._suite, sample, setting, pair) if self._usable and protocol.properties else {}
        return row._replace(score={**row.score, **measured, **traces})
