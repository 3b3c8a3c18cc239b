"""Which block of the prediction stands for which block of the ground truth.

Three strategies, one result: units. A unit is a pair of index tuples, ground truth and prediction; a missed block is a
unit without prediction, an invented one a unit without ground truth. The papers' strategies pair one to one; `strict`
also joins blocks that a reader merged or split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from vdebench.core.box import Box, Size
from vdebench.metrics.boxes import Matrix, areas, as_array, centre_distances, iou_matrix, shared_areas
from vdebench.metrics.reading_order import from_top
from vdebench.metrics.registry import versioned
from vdebench.metrics.text import MAX_COMPARED_CHARACTERS, edit_distance
from vdebench.metrics.tokens import settled


class Unit(NamedTuple):
    """Blocks that are compared with each other, by index."""

    truth: tuple[int, ...]
    prediction: tuple[int, ...]


class PageBlocks(NamedTuple):
    """What matching sees of a reading: boxes and texts in reading order, and the page's size where known."""

    boxes: Sequence[Box]
    texts: Sequence[str]
    size: Size | None = None
    join: Callable[[Sequence[int]], str] | None = None
    """Text of several blocks in a given order; by default their texts joined."""

    def text(self, indices: Sequence[int]) -> str:
        """Text of some blocks, in the given order."""
        if len(indices) < 2:
            return self.texts[indices[0]] if indices else ""
        return self.join(indices) if self.join else joined_text([self.texts[i] for i in indices])

    def nearest_order(self, indices: Sequence[int], reference: str) -> tuple[int, ...]:
        """Some blocks as the page lists them, or from top to bottom where that is nearer to the reference."""
        listed = tuple(sorted(indices))
        if len(listed) < 2:
            return listed
        from_above = tuple(listed[i] for i in from_top([self.boxes[i] for i in listed]))
        if from_above == listed or self.text(listed) == reference:
            return listed
        return min((listed, from_above), key=lambda order: bounded_edits(self.text(order), reference))


Matching = Callable[[PageBlocks, PageBlocks], list[Unit]]


@versioned("greedy-centre")
def greedy_by_centre(truth: PageBlocks, prediction: PageBlocks) -> list[Unit]:
    """Nearest centres first, each block once, however far apart (the papers' rule).

    >>> page = PageBlocks([Box(0, 0, 10, 10), Box(0, 90, 10, 99)], ["a", "b"])
    >>> greedy_by_centre(page, PageBlocks([Box(0, 80, 10, 90)], ["b"]))
    [Unit(truth=(1,), prediction=(0,)), Unit(truth=(0,), prediction=())]
    """
    distances = centre_distances(as_array(truth.boxes), as_array(prediction.boxes))
    return _greedy(np.argsort(distances, axis=None, kind="stable"), truth, prediction)


@versioned("greedy-iou")
def greedy_by_iou(truth: PageBlocks, prediction: PageBlocks, *, at_least: float = 0.1) -> list[Unit]:
    """Largest overlap first, each block once, pairs of a given IoU and more (the release's rule)."""
    ious = iou_matrix(as_array(truth.boxes), as_array(prediction.boxes)).ravel()
    candidates = np.flatnonzero(ious >= at_least)
    return _greedy(candidates[np.argsort(-ious[candidates], kind="stable")], truth, prediction)


def _greedy(order: Iterable[int], truth: PageBlocks, prediction: PageBlocks) -> list[Unit]:
    """Take pairs in the given order of flat indices (truth × prediction) while both sides are free."""
    width = len(prediction.boxes)
    partner: dict[int, int] = {}
    taken: set[int] = set()
    enough = min(len(truth.boxes), width)
    for flat in order:
        if len(partner) == enough:
            break
        g, p = divmod(int(flat), width)
        if g not in partner and p not in taken:
            partner[g] = p
            taken.add(p)
    return _units(partner, truth, prediction)


def _units(partner: dict[int, int], truth: PageBlocks, prediction: PageBlocks) -> list[Unit]:
    """Matched pairs in the order they were found, then missed, then invented blocks in reading order."""
    taken = set(partner.values())
    units = [Unit((g,), (p,)) for g, p in partner.items()]
    units += [Unit((g,), ()) for g in range(len(truth.boxes)) if g not in partner]
    units += [Unit((), (p,)) for p in range(len(prediction.boxes)) if p not in taken]
    return units


# --- strict ----------------------------------------------------------------------------------------------------------

NEAR = 0.1
"""Centres further apart than this share of the page's diagonal are not the same block, unless the boxes meet."""
TOO_FAR = 0.7
"""Pairs of this cost and more stay apart: less alike than a block of the right place whose text is garbled."""
BEGINNING = 200
"""Characters of two texts that are compared for the cost of a pair."""
COVERED = 0.25
"""A block that lies in another by this share of its area may hold a part of it."""
FITS = 0.1
"""A pair that needs no more edits than this share of its text is not in want of further blocks."""
HALVED = 0.5
"""Joining must leave at most this share of the edits: chance likeness of two texts does not reach that."""
WANTED = 0.9
"""Or: this share of the text of a block without a partner must be what the other unit lacks, as of the rest of a
paragraph that was wiped out. Else it would count twice, as missed and as invented, and less than if all were gone."""


@versioned("assign", 3)
def assign(truth: PageBlocks, prediction: PageBlocks) -> list[Unit]:
    """Cheapest one-to-one assignment, then blocks that a reader merged or split are joined.

    The order in which the prediction lists its blocks does not count.

    >>> truth = PageBlocks([Box(0, 0, 90, 20), Box(0, 22, 90, 40)], ["First paragraph.", "Second one."], Size(100, 100))
    >>> assign(truth, PageBlocks([Box(0, 0, 90, 40)], ["First paragraph. Second one."], Size(100, 100)))
    [Unit(truth=(0, 1), prediction=(0,))]
    """
    if not truth.boxes or not prediction.boxes:
        return _units({}, truth, prediction)
    from scipy.optimize import linear_sum_assignment  # imports slowly; the papers' protocols do without

    order = sorted(range(len(prediction.boxes)), key=lambda p: (*prediction.boxes[p], prediction.texts[p]))
    ordered = PageBlocks([prediction.boxes[p] for p in order], [prediction.texts[p] for p in order])
    first, second = as_array(truth.boxes), as_array(ordered.boxes)
    cost = _cost(first, second, truth, ordered)
    rows, columns = linear_sum_assignment(cost)
    partner = {int(g): order[int(p)] for g, p in zip(rows, columns, strict=True) if cost[g, p] < TOO_FAR}
    units = _units(partner, truth, prediction)
    links = [(g, order[p]) for g, p in _links(first, second)]
    return _Joining(units, truth, prediction).join_along(links) if links else units


def _cost(first: Matrix, second: Matrix, truth: PageBlocks, prediction: PageBlocks) -> Matrix:
    """Cost of every pair: a quarter for area not shared, a quarter for distance, a half for other text.

    Pairs that cannot be cost as much as leaving both alone.
    """
    ious = iou_matrix(first, second)
    distances = centre_distances(first, second)
    diagonal = (
        truth.size.diagonal if truth.size else float(np.hypot(*np.concatenate([first, second])[:, 2:].max(axis=0)))
    )
    far = np.minimum(distances / (NEAR * diagonal), 1) if diagonal > 0 else np.zeros_like(distances)
    cost = np.full(ious.shape, TOO_FAR)
    possible = np.nonzero((ious > 0) | (far < 1))
    beginnings = [[text[:BEGINNING] for text in page.texts] for page in (truth, prediction)]
    pairs = [[side[i] for i in at] for side, at in zip(beginnings, possible, strict=True)]
    texts = cpdist(*pairs, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    cost[possible] = np.minimum((1 - ious[possible]) / 4 + far[possible] / 4 + texts / 2, TOO_FAR)
    return cost


def _links(first: Matrix, second: Matrix) -> list[tuple[int, int]]:
    """Pairs of blocks of which one lies in the other, the closest first."""
    smaller = np.minimum(areas(first)[:, None], areas(second)[None, :])
    covered = np.divide(shared_areas(first, second), smaller, out=np.zeros_like(smaller), where=smaller > 0)
    flat = np.flatnonzero(covered >= COVERED)
    order = flat[np.argsort(-covered.ravel()[flat], kind="stable")]
    return [divmod(int(i), second.shape[0]) for i in order]


class _Joining:
    """Units that grow along links between blocks, where their joined texts fit better than apart."""

    def __init__(self, units: Sequence[Unit], truth: PageBlocks, prediction: PageBlocks) -> None:
        self._pages = truth, prediction
        self._of_truth = {g: unit for unit in units for g in unit.truth}
        self._of_prediction = {p: unit for unit in units for p in unit.prediction}
        self._edits: dict[Unit, tuple[int, bool]] = {}

    def join_along(self, links: Sequence[tuple[int, int]]) -> list[Unit]:
        """The units after joining: two at a time where that halves their edits, then all that links hold together."""
        for g, p in links:
            if self._is_open(g, p):
                self._join({self._of_truth[g], self._of_prediction[p]})
        left = [(self._of_truth[g], self._of_prediction[p]) for g, p in links if self._is_open(g, p)]
        for together in _held_together(left):
            self._join(together)
        return sorted({*self._of_truth.values(), *self._of_prediction.values()}, key=_reading_order)

    def _is_open(self, g: int, p: int) -> bool:
        """Whether two blocks with text stand in different units of which one is in want of text."""
        one, other = self._of_truth[g], self._of_prediction[p]
        if one == other or not self._pages[0].texts[g] or not self._pages[1].texts[p]:
            return False
        return not (self._measured(one)[1] and self._measured(other)[1])

    def _join(self, together: set[Unit]) -> None:
        union = Unit(
            tuple(sorted(g for unit in together for g in unit.truth)),
            tuple(sorted(p for unit in together for p in unit.prediction)),
        )
        edits = self._measured(union)[0]
        if edits <= HALVED * sum(self._measured(unit)[0] for unit in together) or self._is_wanted(together, edits):
            self._of_truth.update(dict.fromkeys(union.truth, union))
            self._of_prediction.update(dict.fromkeys(union.prediction, union))

    def _is_wanted(self, together: set[Unit], edits: int) -> bool:
        """Whether one of two units is a block without a partner, nearly all of whose text the other lacks."""
        if len(together) != 2:
            return False
        one, other = together
        return any(
            not (lone.truth and lone.prediction) and edits <= self._measured(rest)[0] - WANTED * self._measured(lone)[0]
            for lone, rest in ((one, other), (other, one))
        )

    def _measured(self, unit: Unit) -> tuple[int, bool]:
        """Edits between the unit's texts, and whether they fit."""
        if unit not in self._edits:
            truth, prediction = self._pages
            reference = truth.text(unit.truth)
            candidate = prediction.text(prediction.nearest_order(unit.prediction, reference))
            edits = bounded_edits(candidate, reference)
            self._edits[unit] = edits, edits <= FITS * max(len(candidate), len(reference))
        return self._edits[unit]


def bounded_edits(candidate: str, reference: str) -> int:
    """Edits between two texts; as many as can be where they are too long to compare, so that they are not joined."""
    if max(len(candidate), len(reference)) > MAX_COMPARED_CHARACTERS and candidate != reference:
        return len(candidate) + len(reference)
    return edit_distance(candidate, reference)


def _held_together(links: Sequence[tuple[Unit, Unit]]) -> list[set[Unit]]:
    """Sets of units that links connect."""
    sets: list[set[Unit]] = []
    for link in links:
        touching = [found for found in sets if not found.isdisjoint(link)]
        if len(touching) != 1 or not touching[0].issuperset(link):
            sets = [found for found in sets if found not in touching]
            sets.append(set(link).union(*touching))
    return sets


@versioned("join-text")
def joined_text(texts: Sequence[str]) -> str:
    """Texts of blocks that a reader cut apart, as one.

    >>> joined_text(["基金", "分析"]), joined_text(["net", "of tax"])
    ('基金分析', 'net of tax')
    """
    return texts[0] if len(texts) == 1 else settled("\n".join(texts))


def _reading_order(unit: Unit) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    return not unit.truth, unit.truth, unit.prediction
