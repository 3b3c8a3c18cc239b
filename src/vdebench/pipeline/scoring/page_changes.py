"""Changes of an output against the sample's reference, for usable edits; cached by the content of the images."""

from __future__ import annotations

import json
from typing import Any

from vdebench.changes.change import IDENTITY, PageChanges
from vdebench.changes.engine import PageComparator
from vdebench.changes.reference_check import ReferencePage, compare_with_reference
from vdebench.changes.verdict import is_damage
from vdebench.core.images import DECODINGS, resized
from vdebench.core.sample import Sample
from vdebench.io.cache import Cache, digest_of
from vdebench.io.images import open_image
from vdebench.pipeline.scoring.edit_traces import source_page
from vdebench.pipeline.scoring.ground_truth import GroundTruth
from vdebench.pipeline.scoring.image_metrics import ImagePair
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import LikelihoodReader


def change_row(ground_truth: GroundTruth, sample: Sample, pair: ImagePair) -> dict[str, Any]:
    """Return columns of a row: the changes as JSON, and their numbers.

    It is empty for samples without regions or output, and for readers that cannot tell how likely a text is: usable
    edits then follow the weaker rules of `metrics.edit_traces`.
    """
    cached = ground_truth.reader
    if not sample.regions or cached is None or not isinstance(cached.reader, LikelihoodReader):
        return {}
    if pair.prediction is None:
        return {}
    return change_numbers(_cached_changes(ground_truth, sample, pair, cached))


def change_numbers(changes: PageChanges) -> dict[str, Any]:
    """Return the columns of a row for the changes of a page."""
    unasked = [change for change in changes.changes if change.asked is False and is_damage(change)]
    geometry = changes.geometry
    return {
        "changes": json.dumps(changes.to_json(), ensure_ascii=False),
        "unasked_changes": len(unasked),
        "changed_facts": sum(bool(change.fact) for change in unasked),
        "illegible_words": changes.illegible_words,
        "cropped_words": geometry.cropped_words,
        "zoom": max(abs(geometry.scale_x - 1), abs(geometry.scale_y - 1)),
    }


def _cached_changes(ground_truth: GroundTruth, sample: Sample, pair: ImagePair, cached: CachedReader) -> PageChanges:
    source = source_page(ground_truth.suite, sample)
    regions = tuple(region.box(pair.size) for region in sample.regions)

    def compute() -> object:
        before = None if source is None else resized(open_image(source.file, pair.opening), pair.size)
        page = ReferencePage(pair.page, before, regions)
        assert pair.prediction is not None
        return compare_with_reference(pair.prediction, page, PageComparator(cached.reader)).to_json()

    identity = {"name": "changes", "identity": IDENTITY, "reader": cached.label, "images": DECODINGS[pair.opening]}
    cache = Cache("measures", identity, PageChanges.from_json, cached.root)
    key = digest_of(pair.content, pair.reference.content, source.content if source else "", repr(regions))
    return cache.get(key, compute)
