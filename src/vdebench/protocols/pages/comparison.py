"""Two readings of one page, compared unit by unit as a protocol asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText
from vdebench.errors import TooLargeError
from vdebench.metrics.matching import PageBlocks, Unit
from vdebench.metrics.text import edit_distance
from vdebench.protocols.pages.protocol import PageProtocol

MAX_BLOCK_PAIRS = 4_000_000
"""2,000 blocks against 2,000: four times the densest newspaper page."""

State = Literal["matched", "missed", "invented"]


class UnitScore(NamedTuple):
    """What a protocol measures of one unit; None where a metric does not apply."""

    unit: Unit
    state: State
    iou: float
    values: dict[str, float | None]
    edits: int
    """Characters to edit, and how many there are; for the whole page's text."""
    characters: int


class BlockComparison(NamedTuple):
    """Two lists of blocks and the units between them."""

    truth: Sequence[Block]
    prediction: Sequence[Block]
    units: list[UnitScore]

    def meeting(self, regions: Sequence[Box]) -> BlockComparison:
        """Only the units of which a block shares area with a region."""
        touching = [meeting(blocks, regions) for blocks in (self.truth, self.prediction)]
        units = [
            score
            for score in self.units
            if any(touching[0][g] for g in score.unit.truth) or any(touching[1][p] for p in score.unit.prediction)
        ]
        return self._replace(units=units)

    def label(self, score: UnitScore, truth_index: int | None) -> str:
        """Label of a ground-truth block, else of the prediction's, else `unknown`."""
        own = self.truth[truth_index].label if truth_index is not None else ""
        others = (self.prediction[p].label for p in score.unit.prediction)
        return own or next(filter(None, others), "unknown")


def meeting(blocks: Sequence[Block], regions: Sequence[Box]) -> list[bool]:
    """For every block whether it shares area with any region."""
    return [any(block.box.shared_area(region) > 0 for region in regions) for block in blocks]


def compare(truth: PageText, prediction: PageText, protocol: PageProtocol) -> BlockComparison:
    """Match the blocks of two readings and measure every unit."""
    placed = prediction.scaled_to(truth.size) if protocol.scale_boxes else prediction
    blocks = truth.blocks, placed.blocks
    if len(blocks[0]) * len(blocks[1]) > MAX_BLOCK_PAIRS:
        raise TooLargeError(f"{len(blocks[0]):,} blocks against {len(blocks[1]):,} are more than we match on a page")
    pages = [_page(side, truth.size, protocol) for side in blocks]
    measure = _Measure(protocol, blocks[0], blocks[1], pages[0], pages[1])
    return BlockComparison(blocks[0], blocks[1], [measure(unit) for unit in protocol.matching(pages[0], pages[1])])


def _page(blocks: Sequence[Block], size: Size | None, protocol: PageProtocol) -> PageBlocks:
    def join(indices: Sequence[int]) -> str:
        return protocol.join_text([blocks[i] for i in indices])

    return PageBlocks([block.box for block in blocks], [protocol.block_text(block) for block in blocks], size, join)


class _Measure:
    """The metrics of a protocol on the units of one page."""

    def __init__(
        self,
        protocol: PageProtocol,
        truth: Sequence[Block],
        prediction: Sequence[Block],
        truth_page: PageBlocks,
        prediction_page: PageBlocks,
    ) -> None:
        self._protocol = protocol
        self._truth, self._prediction = truth, prediction
        self._truth_page, self._prediction_page = truth_page, prediction_page

    def __call__(self, unit: Unit) -> UnitScore:
        if unit.truth and unit.prediction:
            return self._matched(unit)
        return self._alone(unit)

    def _matched(self, unit: Unit) -> UnitScore:
        protocol = self._protocol
        reference = self._truth_page.text(unit.truth)
        order = self._prediction_page.nearest_order(unit.prediction, reference)
        truth, prediction = [self._truth[g] for g in unit.truth], [self._prediction[p] for p in order]
        candidate = self._prediction_page.text(order)
        values: dict[str, float | None] = {}
        if reference or candidate or protocol.text_counts == "matched":
            for name, on_text in protocol.on_text.items():
                values[name] = on_text(candidate, reference)
            reference_tokens = protocol.tokens(reference)
            candidate_tokens = reference_tokens if candidate == reference else protocol.tokens(candidate)
            for name, on_tokens in protocol.on_tokens.items():
                values[name] = on_tokens(candidate_tokens, reference_tokens)
            if protocol.strict_text:
                strict = [protocol.strict_text(blocks) for blocks in (prediction, truth)]
                values |= {name: on_strict(*strict) for name, on_strict in protocol.on_strict_text.items()}
        for name, on_tables in protocol.on_tables.items():
            values[name] = on_tables(prediction, truth)
        iou = _hull(truth).iou(_hull(prediction))
        edits = edit_distance(candidate, reference) if protocol.page_text else 0
        return UnitScore(unit, "matched", iou, values, edits, max(len(candidate), len(reference)))

    def _alone(self, unit: Unit) -> UnitScore:
        missed = bool(unit.truth)
        text = self._truth_page.text(unit.truth) or self._prediction_page.text(unit.prediction)
        values: dict[str, float | None] = {}
        if self._protocol.text_counts == "all":
            values = dict.fromkeys(self._protocol.on_any_text if text else [], 0.0)
            truth, prediction = [self._truth[g] for g in unit.truth], [self._prediction[p] for p in unit.prediction]
            values |= {name: on_tables(prediction, truth) for name, on_tables in self._protocol.on_tables.items()}
        return UnitScore(unit, "missed" if missed else "invented", 0.0, values, len(text), len(text))


def _hull(blocks: Iterable[Block]) -> Box:
    boxes = [block.box for block in blocks]
    return boxes[0] if len(boxes) == 1 else Box.around(boxes)
