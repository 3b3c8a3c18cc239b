"""Image metrics of one sample: the predicted image against the reference, whole and in the edited regions.

Values are cached by the content of both images and the way of opening files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.images import DECODINGS, RESIZING, Image, Opening, PixelBox, resized
from vdebench.core.sample import Sample
from vdebench.errors import InputError, MissingPartError, VdeError
from vdebench.io.cache import Cache, Value, as_numbers, digest_of, is_finite
from vdebench.io.images import image_size, open_image
from vdebench.metrics.image import TooSmallError, decibel
from vdebench.metrics.image_metrics import TO_INSTRUCTION, LoadedMetric, loaders
from vdebench.metrics.registry import facts
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.readers.cached import ImageCrop

LEAST_SIDE = 64
"""Crops are grown to this many pixels: smaller ones have no meaning for perceptual metrics."""
BLANK = "blank"
"""Cache key of a missing prediction: a white page."""


class ImageMetrics:
    """The image metrics of a run: loaded ones, and the reasons for unavailable ones."""

    def __init__(self, names: Sequence[str]) -> None:
        self.loaded: dict[str, LoadedMetric] = {}
        self.unavailable: dict[str, str] = {}
        known = loaders()
        for name in dict.fromkeys(names):
            try:
                self.loaded[name] = known[name].load()
            except VdeError as error:  # a package is missing, or a file of weights is invalid
                self.unavailable[name] = str(error)

    def _cache(self, name: str, opening: Opening, parse: Callable[[Any], Value]) -> Cache[Value]:
        images = f"{DECODINGS[opening]},{RESIZING}"
        return Cache("measures", {"name": name, "identity": self.loaded[name].identity, "images": images}, parse)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle names only: another process loads the metrics again."""
        return _load_again, (tuple(self.loaded), self.identity)

    def __bool__(self) -> bool:
        """Whether there is anything to measure."""
        return bool(self.loaded)

    @property
    def identity(self) -> str:
        """Identities of all loaded metrics."""
        return ",".join(loaded.identity for loaded in self.loaded.values())

    @property
    def _by_sample(self) -> list[str]:
        """Metrics that are computed per sample."""
        return [name for name in self.loaded if facts(name).kind == "image"]

    def row(self, sample: Sample, setting: str, pair: ImagePair, protocol: PageProtocol) -> dict[str, Any]:
        """Return the columns of a sample's row: means over its crops, with squared errors weighted by pixels."""
        boxes = [None] if setting == "global" else pair.crops(sample, protocol)
        values_by_box = [self._values(sample, pair, box) for box in boxes]
        sizes = [box.pixels if box else 1 for box in boxes]
        row: dict[str, Any] = {}
        for name in self._by_sample:
            values = [each[name] for each in values_by_box]
            if None in values or not values:
                row["mse" if name == "psnr" else name] = None
            elif name == "psnr":
                row["mse"] = sum(value * size for value, size in zip(values, sizes, strict=True)) / sum(sizes)
                row["psnr"] = decibel(row["mse"])
            else:
                row[name] = sum(values) / len(values)
        return {**row, "width": int(pair.own_size.width), "height": int(pair.own_size.height)}

    def _values(self, sample: Sample, pair: ImagePair, box: PixelBox | None) -> Mapping[str, Any]:
        return {name: self._value(name, sample, pair, box) for name in self._by_sample}

    def _value(self, name: str, sample: Sample, pair: ImagePair, box: PixelBox | None) -> float | None:
        against_text = name in TO_INSTRUCTION
        other = sample.instruction if against_text else pair.reference.content
        key = digest_of(pair.content, other, repr(box and tuple(box)), repr(pair.size if against_text else ""))

        def compute() -> object:
            candidate = pair.candidate if box is None else box.cut(pair.candidate)
            target = sample.instruction if against_text else pair.page if box is None else box.cut(pair.page)
            try:
                value = float(self.loaded[name].function(candidate, target))
            except TooSmallError:
                return {"value": None}
            if not math.isfinite(value):
                raise InputError(f"{name} of {sample.key} is {value}")
            return {"value": value}

        return self._cache(name, pair.opening, as_numbers).get(key, compute).get("value")

    def features(
        self, setting: str, sample: Sample, pair: ImagePair, protocol: PageProtocol
    ) -> Iterator[tuple[Any, Any]]:
        """Yield features of prediction and reference for FID, of the page or of each crop."""
        loaded, cache = self.loaded["fid"], self._cache("fid", pair.opening, _features)
        for box in [None] if setting == "global" else pair.crops(sample, protocol):

            def cached(content: str, side: str, box: PixelBox | None = box) -> Any:
                def compute() -> object:
                    image = getattr(pair, side)
                    return loaded.function(image if box is None else box.cut(image)).tolist()

                return cache.get(digest_of(content, repr(pair.size), repr(box and tuple(box))), compute)

            yield cached(pair.content, "candidate"), cached(pair.reference.content, "page")


def _features(data: Any) -> list[float]:
    if not isinstance(data, list) or not all(map(is_finite, data)):
        raise TypeError("expected a list of finite numbers")
    return data


def _load_again(names: tuple[str, ...], identity: str) -> ImageMetrics:
    measures = ImageMetrics(names)
    if measures.identity != identity:
        available = measures.unavailable or measures.identity
        raise MissingPartError(
            f"a worker has other image metrics: {available}, expected {identity}\n"
            "  install the same packages and weights on all machines"
        )
    return measures


class ImagePair:
    """A predicted image and its reference, opened on first use; the prediction is resized to the reference."""

    opening: Opening = "composited"

    def __init__(self, prediction: Path | None, reference: Path, opening: Opening = "composited") -> None:
        self.opening = opening
        self._prediction = ImageCrop.of(prediction) if prediction else None
        self.reference = ImageCrop.of(reference)

    @property
    def content(self) -> str:
        """Hash of the prediction."""
        return self._prediction.content if self._prediction else BLANK

    @cached_property
    def size(self) -> Size:
        """Size of the reference."""
        return image_size(self.reference.file, self.opening)

    @cached_property
    def own_size(self) -> Size:
        """Size of the prediction."""
        return image_size(self._prediction.file, self.opening) if self._prediction else self.size

    @cached_property
    def page(self) -> Image:
        """The reference."""
        return open_image(self.reference.file, self.opening)

    @cached_property
    def prediction(self) -> Image | None:
        """The prediction in its own size; None if it is missing."""
        return open_image(self._prediction.file, self.opening) if self._prediction else None

    @cached_property
    def candidate(self) -> Image:
        """The prediction in the size of the reference; a white page if it is missing."""
        if self.prediction is None:
            return np.full_like(self.page, 255)
        return resized(self.prediction, self.size)

    def crops(self, sample: Sample, protocol: PageProtocol) -> list[PixelBox]:
        """Return the boxes of `local`: every region, or one box around all regions."""
        boxes = [region.box(self.size) for region in sample.regions]
        if protocol.image_local == "hull truncated" and boxes:
            hull = PixelBox.around(PixelBox.truncated(box, self.size) for box in boxes)
            return [hull.grown(self.size, LEAST_SIDE)]
        if protocol.image_local == "hull" and boxes:
            boxes = [Box.around(boxes)]
        return [PixelBox.holding(box, self.size, LEAST_SIDE) for box in boxes]
