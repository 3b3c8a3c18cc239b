"""JSON data of the compared blocks of one sample: boxes of both sides, and the difference of their texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rapidfuzz.distance import Levenshtein

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText
from vdebench.core.sample import Sample
from vdebench.metrics.registry import block_metrics
from vdebench.protocols.pages.comparison import meeting
from vdebench.protocols.pages.protocol import PageProtocol
from vdebench.report.site.doubtful import doubtful_positions, mark_doubtful

Percent = list[float]
"""Left, top, width, height in percent of a page."""
MAX_DIFF = 20_000
"""Longer texts are shown without alignment, which would take gigabytes."""
UNLIKE = 0.4
"""Texts below this similarity are shown without alignment."""


class UnitPages(NamedTuple):
    """The OCR output of a sample's page and of its regions' crops, which block rows refer to by index."""

    truth: PageText
    prediction: PageText
    truth_crops: Sequence[PageText] = ()
    prediction_crops: Sequence[PageText] = ()


class _Side(NamedTuple):
    blocks: Sequence[Block]
    place: Callable[[Box], Percent]


def units(
    rows: Sequence[Mapping[str, Any]], sides: UnitPages, sample: Sample, protocol: PageProtocol, local: str
) -> list[dict[str, Any]]:
    """Group block rows of one setting into units; rows with invalid indices are left out."""
    result = []
    for (region, _), group in _grouped(rows).items():
        first = group[0]
        try:
            truth, prediction = _sides_of(first["setting"], region, sides, sample, protocol, local)
            expected = [truth.blocks[row["truth"]] for row in group if row["truth"] is not None]
            predicted = [prediction.blocks[index] for index in first["prediction"]]
        except IndexError:  # read by another version, or the image has changed
            continue
        texts = [_text(side, protocol) for side in (expected, predicted)]
        scores = {name: first[name] for name in ("iou", *block_metrics()) if first.get(name) is not None}
        result.append(
            {
                "state": first["state"],
                "label": first["label"],
                "region": region,
                "truth": [truth.place(block.box) for block in expected],
                "prediction": [prediction.place(block.box) for block in predicted],
                "scores": {name: round(value, 4) for name, value in scores.items()} if expected and predicted else {},
                "text": mark_doubtful(difference(*texts), doubtful_positions(predicted, texts[1])),
            }
        )
    return result


def unread_lines(page: PageText) -> list[dict[str, Any]]:
    """Lines of a page that the reader could not read, with the reason."""
    size = page.size or Size(100, 100)
    return [
        {"box": _rounded(line.box.to_percent(size)), "reason": line.reason, "height": round(line.height)}
        for line in page.unread
    ]


def _text(blocks: Sequence[Block], protocol: PageProtocol) -> str:
    if len(blocks) == 1:
        return protocol.block_text(blocks[0])
    return protocol.join_text(blocks) if blocks else ""


def difference(truth: str, prediction: str) -> list[list[str]]:
    """Two texts as pieces: `=` in both, `-` only in the truth, `+` only in the prediction.

    >>> difference("in 2023", "in 2024")
    [['=', 'in 202'], ['-', '3'], ['+', '4']]
    """
    if truth == prediction:
        return [["=", truth]] if truth else []
    longest = max(len(truth), len(prediction))
    if longest > MAX_DIFF or Levenshtein.normalized_similarity(truth, prediction) < UNLIKE:
        return [piece for piece in (["-", truth], ["+", prediction]) if piece[1]]
    pieces: list[list[str]] = []
    for op in Levenshtein.opcodes(truth, prediction):
        if op.tag == "equal":
            pieces.append(["=", truth[op.src_start : op.src_end]])
            continue
        for sign, text in (("-", truth[op.src_start : op.src_end]), ("+", prediction[op.dest_start : op.dest_end])):
            if text:
                pieces.append([sign, text])
    return pieces


def _grouped(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[int | None, Any], list[Mapping[str, Any]]]:
    """Rows by unit: blocks of a unit share their predicted blocks."""
    groups: dict[tuple[int | None, Any], list[Mapping[str, Any]]] = {}
    for row in rows:
        unit = tuple(row["prediction"]) if row["prediction"] else ("missed", row["truth"])
        groups.setdefault((row["region"], unit), []).append(row)
    return groups


def _sides_of(
    setting: str, region: int | None, sides: UnitPages, sample: Sample, protocol: PageProtocol, local: str
) -> tuple[_Side, _Side]:
    if setting == "local" and local == "crop":
        index = region or 0
        rectangle = sample.regions[index]
        inside = Box.from_percent(rectangle.x, rectangle.y, rectangle.width, rectangle.height, Size(100, 100))
        return _crop_side(sides.truth_crops[index], inside), _crop_side(sides.prediction_crops[index], inside)
    pages = _page_side(sides.truth, sides.truth.size), _page_side(sides.prediction, sides.truth.size)
    if setting == "local" and protocol.local == "filter":  # numbers count the blocks that meet a region
        boxes = [region.box(region.page) for region in sample.regions if region.page]
        met = [zip(side.blocks, meeting(side.blocks, boxes), strict=True) for side in pages]
        truth, prediction = ([block for block, meets in side if meets] for side in met)
        return pages[0]._replace(blocks=truth), pages[1]._replace(blocks=prediction)
    return pages


def _page_side(reading: PageText, fallback: Size | None) -> _Side:
    size = reading.size or fallback or Size(100, 100)
    return _Side(reading.blocks, lambda box: _rounded(box.to_percent(size)))


def _crop_side(reading: PageText, inside: Box) -> _Side:
    """Blocks of a crop, in coordinates of its page."""
    width, height = inside.x2 - inside.x1, inside.y2 - inside.y1
    size = reading.size or Size(100, 100)

    def place(box: Box) -> Percent:
        x, y, w, h = box.to_percent(size)
        return _rounded((inside.x1 + x * width / 100, inside.y1 + y * height / 100, w * width / 100, h * height / 100))

    return _Side(reading.blocks, place)


def _rounded(box: Sequence[float]) -> Percent:
    return [round(value, 2) for value in box]
