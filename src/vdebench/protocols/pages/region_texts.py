"""Texts of a region: read on the predicted page, expected, and before the edit, independent of block segmentation.

Blocks of the three pages with the same content are grouped by matching each page with the two others. A region's text
is that of the groups with a ground-truth or source block in the region, so that merged, split, reordered or slightly
moved blocks give the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio, partial_ratio_alignment

from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block
from vdebench.core.sample import Sample
from vdebench.metrics.folding import folded
from vdebench.metrics.matching import Matching, PageBlocks, Unit, bounded_edits
from vdebench.metrics.reading_order import from_top
from vdebench.metrics.tokens import settled
from vdebench.protocols.pages.region_outcome import CAN_READ, ExpectedText

Join = Callable[[Sequence[Block]], str]
"""Text of several blocks, unfolded."""

MIN_CROP_RATIO = 90.0
"""Minimum similarity, in percent, of a crop's text and its part of the page's text."""
INSIDE = 0.5
"""Minimum share of a block's area inside another block or region to be a part of it."""
NEIGHBOUR_CHARACTERS = 40
"""Minimum number of characters next to a deletion that are checked."""


class RegionText(NamedTuple):
    """The three texts of a region; `before` is None if the source page is unknown."""

    read: str
    expected: ExpectedText
    before: str | None


class RegionView:
    """A region for a protocol's region rule: on the page, or as a crop with its page."""

    def __init__(
        self,
        sample: Sample,
        sides: PageSides,
        box: Box,
        *,
        page: PageSides | None = None,
        page_box: Box | None = None,
        is_crop: bool = False,
        truth_is_read: bool = False,
        page_truth_is_read: bool = False,
    ) -> None:
        self.sample, self.sides, self.box = sample, sides, box
        self._page, self._page_box, self._is_crop = page, page_box, is_crop
        self._truth_is_read, self._page_truth_is_read = truth_is_read, page_truth_is_read

    @cached_property
    def texts(self) -> RegionText:
        """The text read, the expected text, and the text before the edit."""
        texts = self.sides.region(self.box)
        if not self._is_crop or texts.before is not None or self._page is None or self._page_box is None:
            return texts
        expected = texts.expected.text
        before = _before_in_crop(expected, self._page.region(self._page_box))
        source = self.source_text
        if before is None or (before == expected and source is not None and not _contains(source, expected)):
            before = source  # the text moved: the source has it elsewhere
        return texts._replace(before=before)

    @property
    def readable(self) -> bool:
        """Whether ground truth made by OCR is reliable in the region.

        It must be similar to the suite's text of the region, if there is any; else it must not be empty, unless the
        edit is a deletion.
        """
        if not self._truth_is_read:
            return True
        ocr_text = folded(self.texts.expected.own_text)
        if self._page is not None and self._page_box is not None and not self._page_truth_is_read:
            suite_text = folded(self._page.truth_inside(self._page_box))
            if suite_text:
                return bool(ocr_text) and partial_ratio(ocr_text, suite_text) >= 100 * CAN_READ
        return bool(ocr_text) or self.sample.operation.is_deletion

    @property
    def source_text(self) -> str | None:
        """Text of the source page at the position of a crop; None if the region is no crop or the source is unknown.

        It may differ from the text before the edit: after a deleted line, the next line takes its position.
        """
        if not self._is_crop or self._page is None or self._page_box is None:
            return None
        return self._page.source_at(self._page_box)

    @property
    def neighbours(self) -> RegionText | None:
        """Texts nearest to the region, outside it; None if the page is unknown."""
        if self._page is None or self._page_box is None:
            return None
        return self._page.neighbours(self._page_box)


def _contains(text: str, part: str) -> bool:
    return partial_ratio(folded(part), folded(text)) >= MIN_CROP_RATIO if part and text else not part


def _before_in_crop(crop: str, page: RegionText) -> str | None:
    """Return the text of a crop before the edit: its text with the page's changes reverted; None if not found.

    >>> page = RegionText("", ExpectedText.of("One. Two is new. Three."), "One. Two is old. Three.")
    >>> _before_in_crop("Two is new.", page)
    'Two is old.'
    """
    if page.before is None:
        return None
    whole, earlier = page.expected.text, settled(page.before)
    start = whole.find(crop)
    if start < 0:
        alignment = partial_ratio_alignment(crop, whole, score_cutoff=MIN_CROP_RATIO) if crop else None
        if alignment is None:
            return None
        start, end = alignment.dest_start, alignment.dest_end
    else:
        end = start + len(crop)
    start -= whole[start - 1 : start].isspace()  # include the space next to text deleted at an edge
    end += whole[end : end + 1].isspace()
    pieces, at = [], start
    for op in Levenshtein.opcodes(whole, earlier):
        first, last = max(op.src_start, start), min(op.src_end, end)
        if op.tag == "equal" or first > last or (first == last and op.src_start < op.src_end):
            continue
        pieces += [whole[at:first], earlier[op.dest_start : op.dest_end]]
        at = last
    return settled("".join([*pieces, whole[at:end]]))


class PageSides:
    """Blocks of a page: ground truth, prediction, and source if known."""

    def __init__(
        self,
        truth: Sequence[Block],
        prediction: Sequence[Block],
        source: Sequence[Block] | None,
        *,
        size: Size | None,
        matching: Matching,
        join: Join,
        units: Sequence[Unit] | None = None,
    ) -> None:
        self.truth, self.prediction, self.source = truth, prediction, source
        self._size, self._matching, self._join = size, matching, join
        self._units = units

    def region(self, box: Box) -> RegionText:
        """Return the texts of one region."""
        blocks = self._meeting(box)
        groups = {self._group[block] for block in blocks}
        groups |= {self._group["p", p] for p in self._strays if self.prediction[p].box.shared_area(box) > 0}
        expected = self._expected(groups, {g for kind, g in blocks if kind == "t"})
        before = None if self.source is None else self._text("s", self.source, groups, [expected.text])
        near = [expected.text] if before is None else [expected.text, before]
        return RegionText(self._text("p", self.prediction, groups, near), expected, before)

    def neighbours(self, box: Box) -> RegionText:
        """Return the expected text nearest to a region, outside it, and the text read there."""
        inside = {g for kind, g in self._meeting(box) if kind == "t"}
        near = sorted(
            (g for g in range(len(self.truth)) if g not in inside), key=lambda g: _gap(self.truth[g].box, box)
        )
        chosen: list[int] = []
        for g in near:
            if sum(len(self._join([self.truth[each]])) for each in chosen) >= NEIGHBOUR_CHARACTERS:
                break
            chosen.append(g)
        groups = {self._group["t", g] for g in chosen}
        expected = self._expected(groups, set(chosen))
        return RegionText(self._text("p", self.prediction, groups, [expected.text]), expected, None)

    def _expected(self, groups: set[int], own: set[int]) -> ExpectedText:
        """Return the ground truth of groups in pieces; as one piece if joining blocks changes their text."""
        truth = [g for g in range(len(self.truth)) if self._group["t", g] in groups]
        pieces = ExpectedText([self._join([self.truth[g]]) for g in truth], [g in own for g in truth])
        whole = self._join([self.truth[g] for g in truth]) if truth else ""
        apart = "".join(map(folded, pieces.pieces))
        return pieces if _compact(apart) == _compact(folded(whole)) else ExpectedText.of(whole)

    def truth_inside(self, box: Box) -> str:
        """Return the text of ground-truth blocks with at least half of their area in a region."""
        blocks = [block for block in self.truth if block.box.shared_area(box) >= INSIDE * block.box.area > 0]
        return self._join(blocks) if blocks else ""

    def source_at(self, box: Box) -> str | None:
        """Return the text of source blocks that overlap a region; None if the source is unknown."""
        if self.source is None:
            return None
        blocks = [block for block in self.source if block.box.shared_area(box) > 0]
        return self._join(blocks) if blocks else ""

    def _meeting(self, box: Box) -> set[tuple[str, int]]:
        """Return ground-truth and source blocks that overlap a region, by side and index."""
        sides = (("t", self.truth), ("s", self.source or ()))
        return {(kind, i) for kind, blocks in sides for i, block in enumerate(blocks) if block.box.shared_area(box) > 0}

    def _text(self, kind: str, blocks: Sequence[Block], groups: set[int], references: Sequence[str]) -> str:
        """Return the text of one side's blocks in groups, in the order (by group, from the top, or as listed) that is
        nearest to one of the references."""
        chosen = [i for i in range(len(blocks)) if self._group[kind, i] in groups]
        if len(chosen) < 2:
            return self._join([blocks[i] for i in chosen]) if chosen else ""
        position = self._positions
        above = [chosen[i] for i in from_top([blocks[i].box for i in chosen])]
        grouped = sorted(above, key=lambda i: position.get(self._group[kind, i], len(position)))
        orders = dict.fromkeys(tuple(order) for order in (grouped, above, chosen))
        texts = [self._join([blocks[i] for i in order]) for order in orders]
        plain = [folded(reference) for reference in references]
        return min(texts, key=lambda text: min(bounded_edits(folded(text), each) for each in plain))

    @cached_property
    def _positions(self) -> dict[int, int]:
        """Position of each group in the ground truth, then in the source."""
        sides = (("t", len(self.truth)), ("s", len(self.source or ())))
        groups = [self._group[kind, i] for kind, count in sides for i in range(count)]
        return {group: position for position, group in reversed(list(enumerate(groups)))}

    @property
    def _strays(self) -> list[int]:
        """Predicted blocks without a ground-truth or source block in their group."""
        known = {group for (kind, _), group in self._group.items() if kind != "p"}
        return [p for p in range(len(self.prediction)) if self._group["p", p] not in known]

    @cached_property
    def _group(self) -> dict[tuple[str, int], int]:
        """The group of every block, by side and index."""
        groups = _Groups()
        for kind, blocks in (("t", self.truth), ("p", self.prediction), ("s", self.source or ())):
            for i in range(len(blocks)):
                groups.add((kind, i))
        units = self._units if self._units is not None else self._matched(self.truth, self.prediction)
        self._join_units(groups, units, ("t", "p"))
        if self.source is not None:
            self._join_units(groups, self._matched(self.truth, self.source), ("t", "s"))
            self._join_units(groups, self._matched(self.source, self.prediction), ("s", "p"))
        self._place_strays(groups)
        return groups.numbered()

    def _place_strays(self, groups: _Groups) -> None:
        """Join predicted blocks without a partner to the block that contains at least half of their area."""
        numbers = groups.numbered()
        known = {group for (kind, _), group in numbers.items() if kind != "p"}
        others = [("t", i, block.box) for i, block in enumerate(self.truth)]
        others += [("s", i, block.box) for i, block in enumerate(self.source or ())]
        for p, block in enumerate(self.prediction):
            if numbers["p", p] in known or not others:
                continue
            kind, i, box = max(others, key=lambda other: block.box.shared_area(other[2]))
            if block.box.shared_area(box) >= INSIDE * block.box.area > 0:
                groups.join([(kind, i), ("p", p)])

    def _join_units(self, groups: _Groups, units: Iterable[Unit], kinds: tuple[str, str]) -> None:
        for unit in units:
            groups.join([(kinds[0], g) for g in unit.truth] + [(kinds[1], p) for p in unit.prediction])

    def _matched(self, first: Sequence[Block], second: Sequence[Block]) -> list[Unit]:
        pages = [
            PageBlocks(
                [block.box for block in blocks],
                [folded(self._join([block])) for block in blocks],
                self._size,
                join=lambda indices, blocks=blocks: folded(self._join([blocks[i] for i in indices])),  # type: ignore[misc]
            )
            for blocks in (first, second)
        ]
        return self._matching(*pages)


def _compact(text: str) -> str:
    return "".join(text.split())


class _Groups:
    """Union-find over blocks, identified by side and index."""

    def __init__(self) -> None:
        self._parent: dict[tuple[str, int], tuple[str, int]] = {}

    def add(self, block: tuple[str, int]) -> None:
        self._parent[block] = block

    def join(self, blocks: Sequence[tuple[str, int]]) -> None:
        for block in blocks[1:]:
            self._parent[self._root(block)] = self._root(blocks[0])

    def numbered(self) -> dict[tuple[str, int], int]:
        numbers: dict[tuple[str, int], int] = {}
        return {block: numbers.setdefault(self._root(block), len(numbers)) for block in self._parent}

    def _root(self, block: tuple[str, int]) -> tuple[str, int]:
        while self._parent[block] != block:
            self._parent[block] = block = self._parent[self._parent[block]]
        return block


def _gap(box: Box, other: Box) -> float:
    """Return the squared distance of two boxes, 0 if they overlap."""
    across = max(box.x1 - other.x2, other.x1 - box.x2, 0.0)
    down = max(box.y1 - other.y2, other.y1 - box.y2, 0.0)
    return float(across**2 + down**2)
