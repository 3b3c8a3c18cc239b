"""Rows of one sample: its scores in each setting, or the reason why there are none."""

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
from vdebench.pipeline.scoring.page_changes import change_row, request_row, unjudged_reason
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
    """Inputs and options of a run, fixed before the first sample."""

    ground_truth: GroundTruth
    predictions: Predictions
    protocol: PageProtocol
    settings: tuple[Setting, ...]
    local: LocalMode
    samples: list[Sample]
    measures: ImageMetrics
    has_images: bool = False
    """Whether predicted images are available."""

    @property
    def suite(self) -> Suite:
        """The suite."""
        return self.ground_truth.suite

    @property
    def opens_images(self) -> bool:
        """Whether predicted images are opened: for image metrics, or to judge whether edits are usable."""
        return bool(self.measures) or (self.protocol.properties and self.has_images)


class Prediction(NamedTuple):
    """Files of a sample's prediction, or the reason why there are none."""

    page: PredictedPage | None = None
    regions: Sequence[PredictedPage] | None = None
    image: Path | None = None
    failure: str = ""
    absence: str = ""
    """Reason for a missing prediction."""
    regions_place: str = ""
    """Expected location of missing OCR output of crops."""


def score_sample(
    scope: ScoringScope, sample: Sample, output: Prediction, settings: Sequence[Setting]
) -> list[ScoredSample]:
    """Return a sample's rows in each setting; errors in its files become the state and reason of the rows."""
    rows = [_with_reason(row, output) for row in _text_rows(scope, sample, output, settings)]
    if not scope.opens_images:
        return rows
    failed = any(row.score["state"] == "failed" for row in rows)
    if failed and output.image is not None and (error := _open_error(output.image)):
        return [row._replace(score={**row.score, "image_reason": error}) for row in rows]
    try:
        if output.image is None and output.page is not None:
            raise InputError(f"sample {sample.key}: has OCR output but no image")
        pair = ImagePair(output.image, scope.ground_truth.compared_image(sample), scope.protocol.image_opening)
        return [_with_images(scope, sample, pair, row) for row in rows]
    except VdeError as failure:  # of the reference: errors in the prediction are in the state
        reason = str(failure)
        if not scope.suite.has_reference(sample):
            return [_failed_if_scored(sample, row, reason) for row in rows]
        return [row._replace(score={**row.score, "image_reason": reason}) for row in rows]


def _failed_if_scored(sample: Sample, row: ScoredSample, reason: str) -> ScoredSample:
    """Return a row that was to be scored as failed, and others, such as those of a missing output, as they are."""
    if row.score["state"] != "scored":
        return row
    return without_score(sample, row.score["setting"], "failed", reason)


def _open_error(image: Path) -> str:
    """Return the error of opening an editor's output, or ""."""
    try:
        open_image(image)
        return ""
    except VdeError as error:
        return str(error)


def _with_reason(row: ScoredSample, output: Prediction) -> ScoredSample:
    """Return the row with the reason for a missing prediction that counts as an empty page."""
    if row.score["state"] != "missing" or row.score["reason"]:
        return row
    return row._replace(score={**row.score, "reason": f"{output.absence}: counted as an empty page"})


def _with_images(scope: ScoringScope, sample: Sample, pair: ImagePair, row: ScoredSample) -> ScoredSample:
    """Return the row with its image metrics, if it is scored or counts as an empty page, and its changes."""
    state, setting = row.score["state"], row.score["setting"]
    if state != "scored" and not (state == "missing" and scope.protocol.missing == "empty"):
        return row
    if not scope.suite.has_reference(sample):
        changes = request_row(scope.ground_truth, sample, pair) if state == "scored" else {}
        return row._replace(score={**row.score, **changes})
    measured = scope.measures.row(sample, setting, pair, scope.protocol) if scope.measures else {}
    traces: dict[str, Any] = {}
    if scope.protocol.properties and state == "scored":
        traces = trace_row(scope.suite, sample, setting, pair)
        if setting == "global":
            traces |= change_row(scope.ground_truth, sample, pair)
    return row._replace(score={**row.score, **measured, **traces})


def _text_rows(
    scope: ScoringScope, sample: Sample, output: Prediction, settings: Sequence[Setting]
) -> list[ScoredSample]:
    if output.failure:
        return [without_score(sample, setting, "failed", output.failure) for setting in settings]
    state = "scored" if output.page else "missing"
    if not scope.suite.has_reference(sample):
        return [_without_reference(scope, sample, setting, output) for setting in settings]
    if state == "missing" and scope.protocol.missing == "dropped":
        dropped = [without_score(sample, setting, state, output.absence) for setting in settings]
        return [_with_region_rows(scope, sample, scored) for scored in dropped]
    try:
        truth = scope.ground_truth.page(sample)
        prediction = output.page.parse() if output.page else PageText()
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
                rows.append(_local(scope, sample, state, truth, prediction, comparison, output))
        except VdeError as error:
            rows.append(without_score(sample, setting, "failed", str(error)))
    return rows


def _without_reference(scope: ScoringScope, sample: Sample, setting: Setting, output: Prediction) -> ScoredSample:
    """Return a row without block scores: `scored` if the changes of the page can be measured."""
    if output.page is None:
        return without_score(sample, setting, "missing", output.absence)
    if setting == "local":
        return without_score(sample, setting, "left_out", "no reference")
    if not scope.protocol.properties:
        return without_score(sample, setting, "left_out", f"no reference, which {scope.protocol.name} needs")
    reason = unjudged_reason(scope.ground_truth)
    if reason:
        return without_score(sample, setting, "left_out", f"no reference, and {reason}")
    error = _open_error(output.image) if output.image is not None else ""
    return without_score(sample, setting, "failed" if error else "scored", error)


def _local(
    scope: ScoringScope,
    sample: Sample,
    state: str,
    truth: PageText,
    prediction: PageText,
    whole: BlockComparison | None,
    output: Prediction,
) -> ScoredSample:
    if not sample.regions:
        return without_score(sample, "local", "left_out", "the suite names no region")
    if scope.local == "crop":
        if output.regions:
            state = "scored"
        return _crops(scope, sample, state, output, truth, prediction, whole)
    boxes = _region_boxes(scope.protocol, sample, truth.size)
    if boxes is None:
        unknown = "original_width and original_height" if scope.protocol.local == "filter" else "the page's size"
        return without_score(sample, "local", "left_out", f"regions in percent, and {unknown} is not known")
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
    output: Prediction,
    truth: PageText,
    prediction: PageText,
    whole: BlockComparison | None,
) -> ScoredSample:
    """Compare every region's crop with the crop's ground truth."""
    truths = scope.ground_truth.regions(sample)
    if truths is None:
        raise InputError(f"sample {sample.key}: the suite has no OCR output of its regions' crops")
    if output.regions is None and output.page is not None:
        raise InputError(
            f"sample {sample.key}: OCR output of some regions' crops is missing: "
            f"expected {output.regions_place}, k from 0 to {len(sample.regions) - 1}"
        )
    crops = [region.parse() for region in output.regions] if output.regions else [PageText()] * len(truths)
    compared = [compare(*pair, scope.protocol) for pair in zip(truths, crops, strict=True)]
    scored = _scored(scope.protocol, sample, "local", state, compared)
    if scope.protocol.region is None:
        return scored
    boxes = _region_boxes(scope.protocol, sample, truth.size) if output.page is not None or state == "missing" else None
    page = _page_sides(scope, sample, truth, prediction, whole) if boxes else None
    sources = scope.ground_truth.source_crop_blocks(sample) if scope.protocol.region_needs_source else None
    views = [
        RegionView(
            sample,
            _sides(scope.protocol, truths[k].size, comparison, sources[k] if sources else None),
            EVERYWHERE,
            page=page,
            page_box=boxes[k] if boxes else None,
            is_crop=True,
            truth_is_read=scope.ground_truth.reads_crops,
            page_truth_is_read=scope.ground_truth.reads_page(sample),
        )
        for k, comparison in enumerate(compared)
    ]
    if state == "missing":
        return _all_missing(sample, scored, views)
    return _with_rows(sample, scored, [scope.protocol.region(view) for view in views])


def _page_sides(
    scope: ScoringScope, sample: Sample, truth: PageText, prediction: PageText, whole: BlockComparison | None
) -> PageSides:
    """Return the blocks of ground truth and prediction, and of the source page if the protocol needs it."""
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
    """Return regions in pixels, None if a page size is unknown; the release uses only sizes stated by regions."""
    sizes = [region.page if protocol.local == "filter" else page or region.page for region in sample.regions]
    if any(size is None for size in sizes):
        return None
    return [region.box(size) for region, size in zip(sample.regions, sizes, strict=True) if size]


def _meeting_blocks(page: PageText, regions: Sequence[Box]) -> PageText:
    pairs = zip(page.blocks, meeting(page.blocks, regions), strict=True)
    return replace(page, blocks=tuple(block for block, meets in pairs if meets))


def _with_region_rows(scope: ScoringScope, sample: Sample, scored: ScoredSample) -> ScoredSample:
    """Add region rows to a dropped sample: the release excludes it from means but judges its regions as empty."""
    if scored.score["setting"] != "local":
        return scored
    try:
        return _with_outcomes(scope, sample, scope.ground_truth.page(sample), PageText(), scored, None)
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
    """Return the row with the protocol's outcome of each region."""
    boxes = _region_boxes(scope.protocol, sample, truth.size)
    if scope.protocol.region is None or boxes is None:
        return scored
    page = _page_sides(scope, sample, truth, prediction, whole)
    by_ocr = scope.ground_truth.reads_page(sample)
    views = [
        RegionView(sample, page, box, page=page, page_box=box, truth_is_read=by_ocr, page_truth_is_read=by_ocr)
        for box in boxes
    ]
    if scored.score["state"] == "missing" and scope.protocol.missing == "empty":
        return _all_missing(sample, scored, views)
    return _with_rows(sample, scored, [scope.protocol.region(view) for view in views])


def _all_missing(sample: Sample, scored: ScoredSample, views: Sequence[RegionView]) -> ScoredSample:
    """Return the row with all regions missing, or unreadable if OCR cannot read the reference."""
    outcomes = ["missing" if view.readable else "unreadable" for view in views]
    return _with_rows(sample, scored, [{"outcome": each, "kind": sample.operation.value} for each in outcomes])


def _with_rows(sample: Sample, scored: ScoredSample, judged: Sequence[Mapping[str, Any]]) -> ScoredSample:
    if not scored.blocks and any(region.get("outcome") == "unreadable" for region in judged):
        # Both sides are empty because the reader cannot read the region: it must not count as correct.
        zeros = {name: 0 for name in scored.score if name.endswith(("_sum", "_n"))}
        scored = scored._replace(score={**scored.score, **zeros})
    head = {"sample": sample.key, "setting": "local"}
    return scored._replace(regions=[{**head, "region": index, **region} for index, region in enumerate(judged)])


def _on_page(page: PageText | None, truth: PageText, protocol: PageProtocol) -> Any:
    """Return the blocks of a page, scaled to the ground truth's page size if the protocol does so."""
    if page is None:
        return None
    return page.scaled_to(truth.size).blocks if protocol.scale_boxes else page.blocks


def without_score(sample: Sample, setting: Setting, state: str, reason: str) -> ScoredSample:
    """Return a row without scores, with the reason."""
    text = reason.encode("utf-8", "backslashreplace").decode()  # file names may be invalid Unicode
    return ScoredSample({"sample": sample.key, "setting": setting, "state": state, "reason": text})


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
        # The region should be empty: without this, only predictions that are wrong would be counted.
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
    """Yield a row for every ground-truth block and every invented one; blocks of a group share its scores."""
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
    """Return sums and counts over a sample's blocks, from which every mean is computed."""
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
