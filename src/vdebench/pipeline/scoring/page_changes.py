"""Changes of an output, for usable edits: against the sample's reference, or, if it has none, against its page.

Both are cached by the content of the images.
"""

from __future__ import annotations

import json
from typing import Any

from vdebench.changes.change import PageChanges
from vdebench.changes.engine import PageComparator
from vdebench.changes.identity import CHANGES, REQUESTS
from vdebench.changes.reference_check import ReferencePage, compare_with_reference
from vdebench.changes.verdict import is_damage
from vdebench.core.images import DECODINGS, resized
from vdebench.core.sample import Sample
from vdebench.io.cache import Cache, digest_of
from vdebench.io.images import open_image
from vdebench.pipeline.edit_check import check_comparison, is_decidable
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


def unjudged_reason(ground_truth: GroundTruth) -> str:
    """Return why outputs cannot be compared with pages: the reader cannot rate texts on images; "" if it can."""
    if ground_truth.reader is None:
        return "ready OCR output cannot tell how likely a text is on an image"
    if not isinstance(ground_truth.reader.reader, LikelihoodReader):
        return "the reader cannot tell how likely a text is on an image; rapidocr can"
    return ""


def request_row(ground_truth: GroundTruth, sample: Sample, pair: ImagePair) -> dict[str, Any]:
    """Return columns of a row of a sample without a reference; `pair` is the output and the page.

    The JSON of the changes also has the outcome of the request, `edit`, and the version of its rules, `request_rules`.
    """
    cached = ground_truth.reader
    assert cached is not None  # see `unjudged_reason`
    assert pair.prediction is not None
    page, output, instruction, target_text = pair.page, pair.prediction, sample.instruction, sample.target_text

    def compute() -> object:
        comparator = PageComparator(cached.reader)
        comparison = comparator.compare(page, output)
        check = check_comparison(comparison, comparator.reader, instruction=instruction, target_text=target_text)
        decidable = is_decidable(instruction, target_text, comparison.page)
        return {**check.page.to_json(), "edit": check.edit, "decidable": decidable}

    identity = {"name": "edit-check", "identity": f"{CHANGES},{REQUESTS}"}
    identity |= {"reader": cached.label, "images": DECODINGS[pair.opening]}
    cache = Cache("measures", identity, _edit_check, cached.root)
    data = cache.get(digest_of(pair.content, pair.reference.content, instruction, target_text), compute)
    data = {**data, "engine": CHANGES, "request_rules": REQUESTS}
    judged_by = "request" if data["decidable"] else "nothing"
    numbers = change_numbers(PageChanges.from_json(data))
    return {**numbers, "changes": json.dumps(data, ensure_ascii=False), "judged_by": judged_by}


def _edit_check(data: Any) -> dict[str, Any]:
    """Return the data of an edit check; raises an error if it is not complete."""
    PageChanges.from_json(data)
    return {**data, "edit": str(data["edit"]), "decidable": bool(data["decidable"])}


def change_numbers(changes: PageChanges) -> dict[str, Any]:
    """Return the columns of a row for the changes of a page; their JSON names the version of the `engine`.

    Numbers of changes that were not asked for are None if it is not known which ones were.
    """
    damage = [change for change in changes.changes if is_damage(change)]
    unasked = None if any(change.asked is None for change in damage) else [each for each in damage if not each.asked]
    geometry = changes.geometry
    return {
        "changes": json.dumps({**changes.to_json(), "engine": CHANGES}, ensure_ascii=False),
        "unasked_changes": None if unasked is None else len(unasked),
        "changed_facts": None if unasked is None else sum(bool(change.fact) for change in unasked),
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

    identity = {"name": "changes", "identity": CHANGES, "reader": cached.label, "images": DECODINGS[pair.opening]}
    cache = Cache("measures", identity, PageChanges.from_json, cached.root)
    key = digest_of(pair.content, pair.reference.content, source.content if source else "", repr(regions))
    return cache.get(key, compute)
