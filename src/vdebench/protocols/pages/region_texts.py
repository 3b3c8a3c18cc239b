"""What a region reads on a page, should read, and read before the edit, whatever blocks the reader cut the page into.

Blocks of the three pages that say the same thing are grouped, each page being matched with the two others. A region's
text is that of the groups with a ground-truth or source block in the region, so that blocks merged, split, listed in
another order or moved by a pixel give the same text.
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

CROP_FOUND = 90.0
"""Likeness, in percent, of a crop's text and the part of the page's text that it is taken for."""
INSIDE = 0.5
"""Share of a block's area that must lie in another for the block to be a piece of it."""
ENOUGH = 40
"""Characters beside a deletion that tell whether the page around it stands."""


class RegionText(NamedTuple):
    """The three texts of a region; `before` is None where the page before the edit is not known."""

    read: str
    wanted: ExpectedText
    before: str | None


class RegionView:
    """A region as a protocol judges it: on the page, or in a crop of it with the page beside."""

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
        """What the region reads, should read, and read before."""
        found = self.sides.region(self.box)
        if not self._is_crop or found.before is not None or self._page is None or self._page_box is None:
            return found
        wanted = found.wanted.text
        before = _before_in_crop(wanted, self._page.region(self._page_box))
        there = self.stood_there
        if before is None or (before == wanted and there is not None and not _holds(there, wanted)):
            before = there  # the text moved: what it was made from stood elsewhere
        return found._replace(before=before)

    @property
    def readable(self) -> bool:
        """Whether what the region should read can be believed, where the reader itself said it.

        The suite's own text of the page decides where it has any in the region; else the reader must have read
        something, unless the edit is a deletion.
        """
        if not self._truth_is_read:
            return True
        found = folded(self.texts.wanted.own_text)
        if self._page is not None and self._page_box is not None and not self._page_truth_is_read:
            expected = folded(self._page.truth_inside(self._page_box))
            if expected:
                return bool(found) and partial_ratio(found, expected) >= 100 * CAN_READ
        return bool(found) or self.sample.operation.is_deletion

    @property
    def stood_there(self) -> str | None:
        """What the page read in the region's place before the edit, where the region is a crop and that is known.

        Not always what its text was made from: where a line goes, the next one stands in its place.
        """
        if not self._is_crop or self._page is None or self._page_box is None:
            return None
        return self._page.source_at(self._page_box)

    @property
    def beside(self) -> RegionText | None:
        """What stands nearest to the region and outside it, where the page is known."""
        if self._page is None or self._page_box is None:
            return None
        return self._page.beside(self._page_box)


def _holds(text: str, part: str) -> bool:
    return partial_ratio(folded(part), folded(text)) >= CROP_FOUND if part and text else not part


def _before_in_crop(crop: str, page: RegionText) -> str | None:
    """What a crop read before the edit: its text with the page's changes taken back, None where it is not found.

    >>> page = RegionText("", ExpectedText.of("One. Two is new. Three."), "One. Two is old. Three.")
    >>> _before_in_crop("Two is new.", page)
    'Two is old.'
    """
    if page.before is None:
        return None
    whole, earlier = page.wanted.text, settled(page.before)
    start = whole.find(crop)
    if start < 0:
        found = partial_ratio_alignment(crop, whole, score_cutoff=CROP_FOUND) if crop else None
        if found is None:
            return None
        start, end = found.dest_start, found.dest_end
    else:
        end = start + len(crop)
    start -= whole[start - 1 : start].isspace()  # what was deleted at an edge stood behind the space
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
    """The blocks of a page as they should be, as they are, and as they were before the edit where that is known."""

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
        """The texts of one region."""
        mine = self._meeting(box)
        groups = {self._group[node] for node in mine}
        groups |= {self._group["p", p] for p in self._strays if self.prediction[p].box.shared_area(box) > 0}
        wanted = self._wanted(groups, {g for kind, g in mine if kind == "t"})
        before = None if self.source is None else self._text("s", self.source, groups, [wanted.text])
        near = [wanted.text] if before is None else [wanted.text, before]
        return RegionText(self._text("p", self.prediction, groups, near), wanted, before)

    def beside(self, box: Box) -> RegionText:
        """What should stand nearest to a region, outside it, and what stands there."""
        inside = {g for kind, g in self._meeting(box) if kind == "t"}
        near = sorted(
            (g for g in range(len(self.truth)) if g not in inside), key=lambda g: _gap(self.truth[g].box, box)
        )
        chosen: list[int] = []
        for g in near:
            if sum(len(self._join([self.truth[each]])) for each in chosen) >= ENOUGH:
                break
            chosen.append(g)
        groups = {self._group["t", g] for g in chosen}
        wanted = self._wanted(groups, set(chosen))
        return RegionText(self._text("p", self.prediction, groups, [wanted.text]), wanted, None)

    def _wanted(self, groups: set[int], own: set[int]) -> ExpectedText:
        """The ground truth of some groups, in pieces; in one where blocks read otherwise together than apart."""
        truth = [g for g in range(len(self.truth)) if self._group["t", g] in groups]
        pieces = ExpectedText([self._join([self.truth[g]]) for g in truth], [g in own for g in truth])
        whole = self._join([self.truth[g] for g in truth]) if truth else ""
        apart = "".join(map(folded, pieces.pieces))
        return pieces if _compact(apart) == _compact(folded(whole)) else ExpectedText.of(whole)

    def truth_inside(self, box: Box) -> str:
        """Text of the ground truth's blocks that lie in a region by at least half of their area."""
        blocks = [block for block in self.truth if block.box.shared_area(box) >= INSIDE * block.box.area > 0]
        return self._join(blocks) if blocks else ""

    def source_at(self, box: Box) -> str | None:
        """Text of the source's blocks that share area with a region, None where the source is not known."""
        if self.source is None:
            return None
        found = [block for block in self.source if block.box.shared_area(box) > 0]
        return self._join(found) if found else ""

    def _meeting(self, box: Box) -> set[tuple[str, int]]:
        """Blocks of the ground truth and of the source that share area with a region."""
        sides = (("t", self.truth), ("s", self.source or ()))
        return {(kind, i) for kind, blocks in sides for i, block in enumerate(blocks) if block.box.shared_area(box) > 0}

    def _text(self, kind: str, blocks: Sequence[Block], groups: set[int], references: Sequence[str]) -> str:
        """Text of one side's blocks in some groups: in the order of the groups, from top to bottom, or as listed,
        whichever is nearest to one of the references."""
        chosen = [i for i in range(len(blocks)) if self._group[kind, i] in groups]
        if len(chosen) < 2:
            return self._join([blocks[i] for i in chosen]) if chosen else ""
        place = self._places
        above = [chosen[i] for i in from_top([blocks[i].box for i in chosen])]
        grouped = sorted(above, key=lambda i: place.get(self._group[kind, i], len(place)))
        orders = dict.fromkeys(tuple(order) for order in (grouped, above, chosen))
        texts = [self._join([blocks[i] for i in order]) for order in orders]
        plain = [folded(reference) for reference in references]
        return min(texts, key=lambda text: min(bounded_edits(folded(text), each) for each in plain))

    @cached_property
    def _places(self) -> dict[int, int]:
        """Where each group stands in the ground truth, or in the source behind it."""
        sides = (("t", len(self.truth)), ("s", len(self.source or ())))
        groups = [self._group[kind, i] for kind, count in sides for i in range(count)]
        return {group: place for place, group in reversed(list(enumerate(groups)))}

    @property
    def _strays(self) -> list[int]:
        """Predicted blocks that belong to no ground truth and to no source block."""
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
        self._hold(groups, units, ("t", "p"))
        if self.source is not None:
            self._hold(groups, self._matched(self.truth, self.source), ("t", "s"))
            self._hold(groups, self._matched(self.source, self.prediction), ("s", "p"))
        self._place_strays(groups)
        return groups.numbered()

    def _place_strays(self, groups: _Groups) -> None:
        """Put predicted blocks without a partner to the block in which at least half of their area lies."""
        numbers = groups.numbered()
        known = {group for (kind, _), group in numbers.items() if kind != "p"}
        others = [("t", i, block.box) for i, block in enumerate(self.truth)]
        others += [("s", i, block.box) for i, block in enumerate(self.source or ())]
        for p, block in enumerate(self.prediction):
            if numbers["p", p] in known or not others:
                continue
            kind, i, box = max(others, key=lambda other: block.box.shared_area(other[2]))
            if block.box.shared_area(box) >= INSIDE * block.box.area > 0:
                groups.hold([(kind, i), ("p", p)])

    def _hold(self, groups: _Groups, units: Iterable[Unit], kinds: tuple[str, str]) -> None:
        for unit in units:
            groups.hold([(kinds[0], g) for g in unit.truth] + [(kinds[1], p) for p in unit.prediction])

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
    """Things that belong together, directly or through others."""

    def __init__(self) -> None:
        self._parent: dict[tuple[str, int], tuple[str, int]] = {}

    def add(self, thing: tuple[str, int]) -> None:
        self._parent[thing] = thing

    def hold(self, things: Sequence[tuple[str, int]]) -> None:
        for thing in things[1:]:
            self._parent[self._root(thing)] = self._root(things[0])

    def numbered(self) -> dict[tuple[str, int], int]:
        numbers: dict[tuple[str, int], int] = {}
        return {thing: numbers.setdefault(self._root(thing), len(numbers)) for thing in self._parent}

    def _root(self, thing: tuple[str, int]) -> tuple[str, int]:
        while self._parent[thing] != thing:
            self._parent[thing] = thing = self._parent[self._parent[thing]]
        return thing


def _gap(box: Box, other: Box) -> float:
    """Distance of two boxes, 0 where they meet."""
    across = max(box.x1 - other.x2, other.x1 - box.x2, 0.0)
    down = max(box.y1 - other.y2, other.y1 - box.y2, 0.0)
    return float(across**2 + down**2)
