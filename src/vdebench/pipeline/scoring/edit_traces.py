"""Pixel evidence for the usability of an edit: see `metrics.edit_traces`.

Values are cached by the content of the images, as image metrics are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vdebench.core.images import DECODINGS, RESIZING, Image, PixelBox, resized
from vdebench.core.sample import Sample
from vdebench.errors import VdeError
from vdebench.io.cache import Cache, as_numbers, digest_of
from vdebench.io.images import open_image
from vdebench.metrics.edit_traces import IDENTITY, TILE, edited_share, outside, scale_of, visual_fidelity
from vdebench.pipeline.scoring.image_metrics import LEAST_SIDE, ImagePair
from vdebench.readers.cached import ImageCrop
from vdebench.suites.suite import Suite

MARGIN = 4
"""Margin of a region in pixels, on a page of `LONG_SIDE`: new letters may exceed the region slightly."""


def trace_row(suite: Suite, sample: Sample, setting: str, pair: ImagePair) -> dict[str, float | None]:
    """Return columns of a row: `preservation`, `stray` (global), `visual_fidelity`, `edited` (local)."""
    if not sample.regions:
        return {}
    source = source_page(suite, sample)
    if setting == "global":
        return _outside(source, sample, pair)
    return {"visual_fidelity": _visual_fidelity(sample, pair), "edited": _edited(source, sample, pair)}


def trace_digests(suite: Suite, sample: Sample) -> list[str]:
    """Return the inputs of such a row besides the prediction and the reference, for its fingerprint."""
    source = source_page(suite, sample)
    return [IDENTITY, source.content if source else ""]


def source_page(suite: Suite, sample: Sample) -> ImageCrop | None:
    """Return the source page, or None if it is missing or unreadable: that is no fault of the prediction."""
    try:
        file = suite.image_files(sample).source
        return ImageCrop.of(file) if file else None
    except VdeError:
        return None


def _before(source: ImageCrop, pair: ImagePair) -> Image | None:
    try:
        return resized(open_image(source.file, pair.opening), pair.size)
    except VdeError:
        return None


def _outside(source: ImageCrop | None, sample: Sample, pair: ImagePair) -> dict[str, float | None]:
    boxes = [_grown(box, pair) for box in _boxes(sample, pair, 1)]

    def compute() -> object:
        regions = np.zeros(pair.page.shape[:2], np.bool_)
        for box in boxes:
            regions[box.y1 : box.y2, box.x1 : box.x2] = True
        result = outside(pair.candidate, pair.page, regions, _before(source, pair) if source else None)
        return {} if result is None else result._asdict()

    content = source.content if source else ""
    return _cached("preservation", compute, pair, content, repr(boxes))


def _visual_fidelity(sample: Sample, pair: ImagePair) -> float | None:
    boxes = _boxes(sample, pair, LEAST_SIDE)

    def compute() -> object:
        return {"value": min(visual_fidelity(box.cut(pair.candidate), box.cut(pair.page)) for box in boxes)}

    return _cached("visual_fidelity", compute, pair, repr(boxes)).get("value")


def _edited(source: ImageCrop | None, sample: Sample, pair: ImagePair) -> float | None:
    """Return the edited share of the least edited region; None without a source page or where no change would show."""
    if source is None:
        return None
    boxes = _boxes(sample, pair, 2 * round(TILE * scale_of(_long_side(pair))))

    def compute() -> object:
        before = _before(source, pair)
        if before is None:
            return {"value": None}
        shares = [
            edited_share(box.cut(pair.candidate), box.cut(before), box.cut(pair.page), _long_side(pair))
            for box in boxes
        ]
        return {"value": min((share for share in shares if share is not None), default=None)}

    return _cached("edited", compute, pair, source.content, repr(boxes)).get("value")


def _boxes(sample: Sample, pair: ImagePair, at_least: int) -> list[PixelBox]:
    return [PixelBox.holding(region.box(pair.size), pair.size, at_least) for region in sample.regions]


def _grown(box: PixelBox, pair: ImagePair) -> PixelBox:
    width, height = int(pair.size.width), int(pair.size.height)
    margin = round(MARGIN * scale_of(_long_side(pair)))
    x1, y1, x2, y2 = box
    return PixelBox(max(0, x1 - margin), max(0, y1 - margin), min(width, x2 + margin), min(height, y2 + margin))


def _long_side(pair: ImagePair) -> int:
    return int(max(pair.size.width, pair.size.height))


def _cached(name: str, compute: Callable[[], object], pair: ImagePair, *parts: str) -> dict[str, float | None]:
    images = f"{DECODINGS[pair.opening]},{RESIZING}"
    cache = Cache("measures", {"name": name, "identity": IDENTITY, "images": images}, as_numbers)
    return cache.get(digest_of(pair.content, pair.reference.content, *parts), compute)
