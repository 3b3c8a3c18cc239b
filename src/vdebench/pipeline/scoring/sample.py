"""One sample into rows: what is measured of it in each setting, or why nothing could be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText
from vdebench.core.sample import Sample
from vdebench.errors import InputError, VdeError
from vdebench.io.images import open_image
from vdebench.metrics.registry import block_metrics
from vdebench.pipeline.scoring.edit_traces import trace_row
from vdebench.pipeline.scoring.ground_truth import GroundTruth
from vdebench.pipeline.scoring.image_metrics import ImageMetrics, ImagePair
from vdebench.protocols.pages.comparison import BlockComparison, compare, meeting
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.protocols.pages.region_texts import PageSides, RegionView
from vdebench.readers.predictions import PredictedPage, Predictions
from vdebench.runs.folder import ScoredSample
from vdebench.suites.suite import Suite

Setting = Literal["global", "local"]
SETTINGS: tuple[Setting, ...] = ("global", "local")
EVERYWHERE = Box(-math.inf, -math.inf, math.inf, math.inf)
LocalMode = Literal["crop", "filter", "off"]


class ScoringScope(NamedTuple):
    """What one run scores and how: fixed before the first sample."""

    truths: GroundTruth
    predictions: Predictions
    protocol: PageProtocol
    settings: tuple[Setting, ...]
    local: LocalMode
    samples: list[Sample]
    measures: ImageMetrics
    has_images: bool = False
    """Whether predicted images are at hand."""

    @property
    def suite(self) -> Suite:
        """The suite."""
        return self.truths.suite

    @property
    def looks_at_images(self) -> bool:
        """Whether predicted images are opened: for image metrics, or to judge whether edits are usable."""
        return bool(self.measures) or (self.protocol.properties and self.has_images)


class Prediction(NamedTuple):
    """What was found for a sample: files, nothing, or the reason why that is not known."""

    page: PredictedPage | None = None
    regions: Sequence[PredictedPage] | None = None
    image: Path | None = None
    failure: str = ""
    absence: str = ""
    """Why there is no prediction, where there is none."""
    regions_place: str = ""
    """Where the readings of crops were looked for, where not all are there."""


def score_sample(
    scope: ScoringScope, sample: Sample, found: Prediction, settings: Sequence[Setting]
) -> list[ScoredSample]:
    """A sample's rows in each setting; whatever goes wrong with its files becomes the rows' state and reason."""
    rows = [_with_reason(row, found) for row in _text_rows(scope, sample, found, settings)]
    if not scope.looks_at_images:
        return rows
    failed = any(row.score["state"] == "failed" for row in rows)
    if failed and found.image is not None and (broken := _broken(found.image)):
        return [row._replace(score={**row.score, "image_reason": broken}) for row in rows]
    try:
        if found.image is None and found.page is not None:
            raise InputError(f"sample {sample.key}: has a reading, and no image was found for it")
        pair = ImagePair(found.image, scope.truths.reference(sample), scope.protocol.image_opening)
        return [_with_images(scope, sample, pair, row) for row in rows]
    except VdeError as error:  # of the reference: what is wrong with the prediction has been said in the state
        told = str(error)
        return [row._replace(score={**row.score, "image_reason": told}) for row in rows]


def _broken(image: Path) -> str:
    """Why an editor's output cannot be opened, "" where it can."""
    try:
        open_image(image)
        return ""
    except VdeError as error:
        return str(error)


def _with_reason(row: ScoredSample, found: Prediction) -> ScoredSample:
    """The row with why a prediction that counts as an empty page is missing."""
    if row.score["state"] != "missing" or row.score["reason"]:
        return row
    return row._replace(score={**row.score, "reason": f"{found.absence}: counted as an empty page"})


def _with_images(scope: ScoringScope, sample: Sample, pair: ImagePair, row: ScoredSample) -> ScoredSample:
    """The row with its image metrics, where it stands for something."""
    state, setting = row.score["state"], row.score["setting"]
    if state != "scored" and not (state == "missing" and scope.protocol.missing == "empty"):
        return row
    measured = scope.measures.row(sample, setting, pair, scope.protocol) if scope.measures else {}
    traces = trace_row(scope.suite, sample, setting, pair) if scope.protocol.properties and state == "scored" else {}
    return row._replace(score={**row.score, **measured, **traces})


def _text_rows(
    scope: ScoringScope, sample: Sample, found: Prediction, settings: Sequence[Setting]
) -> list[ScoredSample]:
    if found.failure:
        return [without_score(sample, setting, "failed", found.failure) for setting in settings]
    state = "scored" if found.page else "missing"
    if state == "missing" and scope.protocol.missing == "dropped":
        dropped = [without_score(sample, setting, state, found.absence) for setting in settings]
        return [_with_region_rows(scope, sample, scored) for scored in dropped]
    try:
        truth = scope.truths.page(sample)
        prediction = found.page.parse() if found.page else PageText()
        comparison = None
        if "global" in settings or (scope.local == "filter" and scope.protocol.local == "crop or units"):
            comparison = compare(truth, prediction, scope.protocol)
    except VdeError as error:
        return [without_score(sample, setting, "failed", str(error)) for setting in settings]
    rows = []
    for setting in settings:
        try:
            if setting == "global":
                assert comparison is not None
                rows.append(_scored(scope.protocol, sample, setting, state, [comparison]))
                rows[-1] = rows[-1].with_unplaced(len(prediction.left_out))
            else:
                rows.append(_local(scope, sample, state, truth, prediction, comparison, found))
        except VdeError as error:
            rows.append(without_score(sample, setting, "failed", str(error)))
    return rows


def _local(
    scope: ScoringScope,
    sample: Sample,
    state: str,
    truth: PageText,
    prediction: PageText,
    whole: BlockComparison | None,
    found: Prediction,
) -> ScoredSample:
    if not sample.regions:
        return without_score(sample, "local", "left_out", "the suite names no region")
    if scope.local == "crop":
        if found.regions:
            state = "scored"
        return _crops(scope, sample, state, found, truth, prediction, whole)
    boxes = _region_boxes(scope.protocol, sample, truth.size)
    if boxes is None:
        wanted = "original_width and original_height" if scope.protocol.local == "filter" else "the page's size"
        return without_score(sample, "local", "left_out", f"regions in percent, and {wanted} is not known")
    if scope.protocol.local == "crop or units":
        assert whole is not None
        comparison = whole.meeting(boxes)
    else:
        comparison = compare(_meeting_blocks(truth, boxes), _meeting_blocks(prediction, boxes), scope.protocol)
    scored = _scored(scope.protocol, sample, "local", state, [comparison])
    return _with_outcomes(scope, sample, truth, prediction, scored, whole)


def _crops(
    scope: ScoringScope,
    sample: Sample,
    state: str,
    found: Prediction,
    truth: PageText,
    prediction: PageText,
    whole: BlockComparison | None,
) -> ScoredSample:
    """Every region's crop against the crop's ground truth."""
    wanted = scope.truths.regions(sample)
    if wanted is None:
        raise InputError(f"sample {sample.key}: the suite has no readings of its regions' crops")
    if found.regions is None and found.page is not None:
        raise InputError(
            f"sample {sample.key}: not all regions' crops were read: "
            f"expected {found.regions_place}, k from 0 to {len(sample.regions) - 1}"
        )
    read = [region.parse() for region in found.regions] if found.regions else [PageText()] * len(wanted)
    pairs = zip(wanted, read, strict=True)
    compared = [compare(wanted, read, scope.protocol) for wanted, read in pairs]
    scored = _scored(scope.protocol, sample, "local", state, compared)
    if scope.protocol.region is None:
        return scored
    boxes = _region_boxes(scope.protocol, sample, truth.size) if found.page is not None or state == "missing" else None
    page = _page_sides(scope, sample, truth, prediction, whole) if boxes else None
    sources = scope.truths.crops_read_before(sample) if scope.protocol.region_needs_source else None
    views = [
        RegionView(
            sample,
            _sides(scope.protocol, wanted[k].size, comparison, sources[k] if sources else None),
            EVERYWHERE,
            page=page,
            page_box=boxes[k] if boxes else None,
            is_crop=True,
            truth_is_read=scope.truths.reads_crops,
            page_truth_is_read=scope.truths.reads_page(sample),
        )
        for k, comparison in enumerate(compared)
    ]
    if state == "missing":
        return _all_missing(sample, scored, views)
    return _with_rows(sample, scored, [scope.protocol.region(view) for view in views])


def _page_sides(
    scope: ScoringScope, sample: Sample, truth: PageText, prediction: PageText, whole: BlockComparison | None
) -> PageSides:
    """The page as it should be and as it is, and as it was before where a protocol asks for that."""
    comparison = whole or compare(truth, prediction, scope.protocol)
    source = scope.suite.source(sample) if scope.protocol.region_needs_source else None
    return _sides(scope.protocol, truth.size, comparison, _on_page(source, truth, scope.protocol))


def _sides(
    protocol: PageProtocol, size: Size | None, comparison: BlockComparison, source: Sequence[Block] | None
) -> PageSides:
    return PageSides(
        comparison.truth,
        comparison.prediction,
        source,
        size=size,
        matching=protocol.matching,
        join=protocol.raw_text or protocol.join_text,
        units=[score.unit for score in comparison.units],
    )


def _region_boxes(protocol: PageProtocol, sample: Sample, page: Size | None) -> list[Box] | None:
    """Regions in pixels; by the release's rule only where each says the size of its page itself."""
    sizes = [region.page if protocol.local == "filter" else page or region.page for region in sample.regions]
    if any(size is None for size in sizes):
        return None
    return [region.box(size) for region, size in zip(sample.regions, sizes, strict=True) if size]


def _meeting_blocks(reading: PageText, regions: Sequence[Box]) -> PageText:
    kept = zip(reading.blocks, meeting(reading.blocks, regions), strict=True)
    return replace(reading, blocks=tuple(block for block, meets in kept if meets))


def _with_region_rows(scope: ScoringScope, sample: Sample, scored: ScoredSample) -> ScoredSample:
    """The release drops a missing prediction from its means, but judges its regions as empty."""
    if scored.score["setting"] != "local":
        return scored
    try:
        return _with_outcomes(scope, sample, scope.truths.page(sample), PageText(), scored, None)
    except VdeError as error:
        return without_score(sample, "local", "failed", str(error))


def _with_outcomes(
    scope: ScoringScope,
    sample: Sample,
    truth: PageText,
    prediction: PageText,
    scored: ScoredSample,
    whole: BlockComparison | None,
) -> ScoredSample:
    """The row with what the protocol says of each region."""
    boxes = _region_boxes(scope.protocol, sample, truth.size)
    if scope.protocol.region is None or boxes is None:
        return scored
    page = _page_sides(scope, sample, truth, prediction, whole)
    read = scope.truths.reads_page(sample)
    views = [
        RegionView(sample, page, box, page=page, page_box=box, truth_is_read=read, page_truth_is_read=read)
        for box in boxes
    ]
    if scored.score["state"] == "missing" and scope.protocol.missing == "empty":
        return _all_missing(sample, scored, views)
    return _with_rows(sample, scored, [scope.protocol.region(view) for view in views])


def _all_missing(sample: Sample, scored: ScoredSample, views: Sequence[RegionView]) -> ScoredSample:
    """The row with its regions missing, but for those that no editor can be judged on."""
    outcomes = ["missing" if view.readable else "unreadable" for view in views]
    return _with_rows(sample, scored, [{"outcome": each, "kind": sample.operation.value} for each in outcomes])


def _with_rows(sample: Sample, scored: ScoredSample, judged: Sequence[Mapping[str, Any]]) -> ScoredSample:
    if not scored.blocks and any(found.get("outcome") == "unreadable" for found in judged):
        # Nothing is read on either side since the reader cannot read it: that is no right answer.
        nothing = {name: 0 for name in scored.score if name.endswith(("_sum", "_n"))}
        scored = scored._replace(score={**scored.score, **nothing})
    head = {"sample": sample.key, "setting": "local"}
    return scored._replace(regions=[{**head, "region": index, **found} for index, found in enumerate(judged)])


def _on_page(reading: PageText | None, truth: PageText, protocol: PageProtocol) -> Any:
    """Blocks of a reading where they would stand on the ground truth's page."""
    if reading is None:
        return None
    return reading.scaled_to(truth.size).blocks if protocol.scale_boxes else reading.blocks


def without_score(sample: Sample, setting: Setting, state: str, reason: str) -> ScoredSample:
    """A row of a sample that has no numbers, and why."""
    told = reason.encode("utf-8", "backslashreplace").decode()  # names of files may be no text
    return ScoredSample({"sample": sample.key, "setting": setting, "state": state, "reason": told})


def _scored(
    protocol: PageProtocol, sample: Sample, setting: Setting, state: str, comparisons: Sequence[BlockComparison]
) -> ScoredSample:
    blocks = [
        row
        for region, comparison in enumerate(comparisons)
        for row in _block_rows(sample, setting, comparison, region if len(comparisons) > 1 else None)
    ]
    units = [score for comparison in comparisons for score in comparison.units]
    sums = _sums(blocks)
    if setting == "local" and not blocks and protocol.text_counts == "all":
        # The region should read nothing. Without this, only those who leave something there would be counted.
        for name in protocol.on_any_text:
            sums |= {f"{name}_sum": float(state == "scored"), f"{name}_n": 1}
    score = {
        "sample": sample.key,
        "setting": setting,
        "state": state,
        "reason": "",
        **sums,
    }
    if protocol.page_text:
        score["page_edits"] = sum(unit.edits for unit in units)
        score["page_characters"] = sum(unit.characters for unit in units)
    return ScoredSample(score, blocks)


def _block_rows(
    sample: Sample, setting: Setting, comparison: BlockComparison, region: int | None
) -> Iterable[Mapping[str, Any]]:
    """A row for every ground-truth block and for every invented one; blocks of a group share its numbers."""
    for score in comparison.units:
        tables = [g for g in score.unit.truth if comparison.truth[g].label == "table"] or score.unit.truth[:1]
        for truth in score.unit.truth or (None,):
            teds = {"teds": score.values.get("teds") if truth is None or truth in tables else None}
            yield {
                "sample": sample.key,
                "setting": setting,
                "region": region,
                "state": score.state,
                "label": comparison.label(score, truth),
                "truth": truth,
                "prediction": list(score.unit.prediction),
                "iou": score.iou,
                **score.values,
                **teds,
            }


def _sums(blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What every mean can be made from again: sums and counts over a sample's blocks."""
    matched = [row for row in blocks if row["state"] == "matched"]
    missed = sum(row["state"] == "missed" for row in blocks)
    sums: dict[str, Any] = {
        "gt_blocks": len(matched) + missed,
        "matched_blocks": len(matched),
        "unmatched_gt": missed,
        "unmatched_pred": len(blocks) - len(matched) - missed,
        "iou_sum": sum(row["iou"] for row in matched),
    }
    for name in block_metrics():
        values = [value for row in blocks if (value := row.get(name)) is not None]
        sums[f"{name}_sum"] = sum(values)
        sums[f"{name}_n"] = len(values)
        sums[f"{name}_matched_n"] = sum(row.get(name) is not None for row in matched)
    return sums
