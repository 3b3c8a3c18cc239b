"""What scoring will ask a reader for, and what of it goes along to workers who cannot look it up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.io.cache import Digest
from vdebench.pipeline.scoring.sample import ScoringScope
from vdebench.readers.cached import CachedReader, ImageCrop
from vdebench.readers.predictions import OcrPredictions, crops


def pictures_of(scope: ScoringScope, sample: Sample) -> Iterator[ImageCrop]:
    """All that is read for a sample: prediction, reference for the OCR ceiling or as ground truth, and their crops."""
    local = scope.local == "crop" and "local" in scope.settings
    for find in (scope.predictions.image, scope.suite.reference_image):
        try:
            file = find(sample)
            if file is not None:
                page = ImageCrop.of(file)
                yield page
                if local:
                    yield from crops(page, sample)
        except VdeError:  # told when the sample is scored
            continue
    if local and scope.protocol.region_needs_source:
        with suppress(VdeError):
            yield from scope.truths.crops_before(sample)


def reader_of(scope: ScoringScope) -> CachedReader | None:
    """Who reads for a run, where anybody does."""
    return scope.predictions.cached if isinstance(scope.predictions, OcrPredictions) else scope.truths.reader


class KnownPageTexts(NamedTuple):
    """Readings of a sample's pictures that were made, and those that failed, by the pictures' keys."""

    readings: Mapping[Digest, Any] = {}
    failures: Mapping[Digest, str] = {}

    @classmethod
    def of(cls, scope: ScoringScope, sample: Sample, *, shared: bool) -> KnownPageTexts:
        """What a worker must be told: failures always, readings where it does not share our cache."""
        reader = reader_of(scope)
        if reader is None or (shared and not reader.failures):
            return cls()
        keys = {picture.key for picture in pictures_of(scope, sample)}
        failures = {key: reader.failures[key] for key in keys if key in reader.failures}
        found = {} if shared else {key: reader.cache.find_json(key) for key in keys}
        return cls({key: reading for key, reading in found.items() if reading is not None}, failures)

    def tell(self, reader: CachedReader | None) -> None:
        """Make it known to a worker's reader."""
        if reader is not None:
            reader.failures.update(self.failures)
            for key, reading in self.readings.items():
                reader.cache.put(key, reading)
