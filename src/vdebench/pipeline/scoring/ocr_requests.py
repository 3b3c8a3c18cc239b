"""OCR inputs of a sample, and cached OCR output that is sent to workers with another cache."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.io.cache import Digest
from vdebench.pipeline.scoring.sample import ScoringScope
from vdebench.readers.cached import CachedPageText, CachedReader, ImageCrop
from vdebench.readers.predictions import OcrPredictions, crops


def pictures_of(scope: ScoringScope, sample: Sample) -> Iterator[ImageCrop]:
    """Yield the OCR inputs of a sample: prediction, reference (OCR ceiling or ground truth), and their crops.

    There are none without a reference: change detection reads the lines of page and output itself.
    """
    if not scope.suite.has_reference(sample):
        return
    local = scope.local == "crop" and "local" in scope.settings
    for find, lasting in ((scope.predictions.image, False), (scope.suite.reference_image, True)):
        try:
            file = find(sample)
            if file is not None:
                page = ImageCrop.of(file, lasting=lasting)
                yield page
                if local:
                    yield from crops(page, sample)
        except VdeError:  # reported when the sample is scored
            continue
    if local and scope.protocol.region_needs_source:
        with suppress(VdeError):
            yield from scope.ground_truth.source_crops(sample)


def reader_of(scope: ScoringScope) -> CachedReader | None:
    """Return the reader of a run, or None."""
    return scope.predictions.cached if isinstance(scope.predictions, OcrPredictions) else scope.ground_truth.reader


class CachedPageTexts(NamedTuple):
    """Cached OCR output and OCR failures of a sample's pictures, by the pictures' keys."""

    page_texts: Mapping[Digest, CachedPageText] = {}
    failures: Mapping[Digest, str] = {}

    @classmethod
    def of(cls, scope: ScoringScope, sample: Sample, *, shared: bool) -> CachedPageTexts:
        """Collect failures, and OCR output unless the worker shares this cache."""
        reader = reader_of(scope)
        if reader is None or (shared and not reader.failures):
            return cls()
        pictures = {picture.key: picture for picture in pictures_of(scope, sample)}
        failures = {key: reader.failures[key] for key in pictures if key in reader.failures}
        page_texts = {}
        for key, picture in () if shared else pictures.items():
            if (cached := reader.find(key)) is not None:
                page_texts[key] = cached._replace(lasting=picture.lasting)
        return cls(page_texts, failures)

    def add_to(self, reader: CachedReader | None) -> None:
        """Add them to the cache of a worker's reader."""
        if reader is not None:
            reader.failures.update(self.failures)
            for key, cached in self.page_texts.items():
                reader.add(key, cached)
