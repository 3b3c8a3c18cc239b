"""Matching of predicted blocks with ground-truth blocks.

The result of all three strategies is a list of units. A unit is a pair of index tuples, ground truth and prediction; a
missed block is a unit without prediction, an invented one a unit without ground truth. The papers' strategies are
one-to-one; `strict` also joins blocks that a reader merged or split.
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
    """Boxes and texts of a page in reading order, and its size if known."""

    boxes: Sequence[Box]
    texts: Sequence[str]
    size: Size | None = None
    join: Callable[[Sequence[int]], str] | None = None
    """Returns the text of several blocks in an order; by default their joined texts."""

    def text(self, indices: Sequence[int]) -> str:
        """Return the text of some blocks, in this order."""
        if len(indices) < 2:
            return self.texts[indices[0]] if indices else ""
        return self.join(indices) if self.join else joined_text([self.texts[i] for i in indices])

    def nearest_order(self, indices: Sequence[int], reference: str) -> tuple[int, ...]:
        """Order blocks as listed on the page, or from top to bottom if that is closer to the reference."""
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
    """Match nearest centres first, each block once, at any distance (the papers' rule).

    >>> page = PageBlocks([Box(0, 0, 10, 10), Box(0, 90, 10, 99)], ["a", "b"])
    >>> greedy_by_centre(page, PageBlocks([Box(0, 80, 10, 90)], ["b"]))
    [Unit(truth=(1,), prediction=(0,)), Unit(truth=(0,), prediction=())]
    """
    distances = centre_distances(as_array(truth.boxes), as_array(prediction.boxes))
    return _greedy(np.argsort(distances, axis=None, kind="stable"), truth, prediction)


@versioned("greedy-iou")
def greedy_by_iou(truth: PageBlocks, prediction: PageBlocks, *, at_least: float = 0.1) -> list[Unit]:
    """Match largest overlaps first, each block once, with a minimum IoU (the release's rule)."""
    ious = iou_matrix(as_array(truth.boxes), as_array(prediction.boxes)).ravel()
    candidates = np.flatnonzero(ious >= at_least)
    return _greedy(candidates[np.argsort(-ious[candidates], kind="stable")], truth, prediction)


def _greedy(order: Iterable[int], truth: PageBlocks, prediction: PageBlocks) -> list[Unit]:
    """Match pairs in the order of flat indices (truth × prediction) while both sides are free."""
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
    """Return matched pairs in order of matching, then missed, then invented blocks in reading order."""
    taken = set(partner.values())
    units = [Unit((g,), (p,)) for g, p in partner.items()]
    units += [Unit((g,), ()) for g in range(len(truth.boxes)) if g not in partner]
    units += [Unit((), (p,)) for p in range(len(prediction.boxes)) if p not in taken]
    return units


# --- strict ----------------------------------------------------------------------------------------------------------

NEAR = 0.1
"""Maximum distance of centres, as a share of the page diagonal, unless the boxes overlap."""
TOO_FAR = 0.7
"""Cost from which pairs are not matched: above that of a garbled text at the right position."""
BEGINNING = 200
"""Number of characters compared for the cost of a pair."""
COVERED = 0.25
"""Share of a block's area inside another from which they may belong together."""
FITS = 0.1
"""Share of edits up to which a pair counts as complete."""
HALVED = 0.5
"""Maximum share of edits that remain after joining; higher than by chance similarity."""
LACKING = 0.9
"""Alternative condition: share of the text of an unmatched block that the other unit lacks, as after a paragraph was
partly erased. Otherwise it would count twice, as missed and as invented."""


@versioned("assign", 3)
def assign(truth: PageBlocks, prediction: PageBlocks) -> list[Unit]:
    """Compute the cheapest one-to-one assignment, then join blocks that a reader merged or split.

    The order in which the prediction lists its blocks does not count.

    >>> truth = PageBlocks([Box(0, 0, 90, 20), Box(0, 22, 90, 40)], ["First paragraph.", "Second one."], Size(100, 100))
    >>> assign(truth, PageBlocks([Box(0, 0, 90, 40)], ["First paragraph. Second one."], Size(100, 100)))
    [Unit(truth=(0, 1), prediction=(0,))]
    """
    if not truth.boxes or not prediction.boxes:
        return _units({}, truth, prediction)
    from scipy.optimize import linear_sum_assignment  # slow import, not needed by the papers' protocols

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
    """Return the cost of every pair: a quarter for IoU, a quarter for distance, a half for text.

    Impossible pairs cost as much as leaving both unmatched.
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
    """Return pairs of blocks of which one lies in the other, largest overlap first."""
    smaller = np.minimum(areas(first)[:, None], areas(second)[None, :])
    covered = np.divide(shared_areas(first, second), smaller, out=np.zeros_like(smaller), where=smaller > 0)
    flat = np.flatnonzero(covered >= COVERED)
    order = flat[np.argsort(-covered.ravel()[flat], kind="stable")]
    return [divmod(int(i), second.shape[0]) for i in order]


class _Joining:
    """Joins units along links between blocks if their joined texts match better."""

    def __init__(self, units: Sequence[Unit], truth: PageBlocks, prediction: PageBlocks) -> None:
        self._pages = truth, prediction
        self._of_truth = {g: unit for unit in units for g in unit.truth}
        self._of_prediction = {p: unit for unit in units for p in unit.prediction}
        self._edits: dict[Unit, tuple[int, bool]] = {}

    def join_along(self, links: Sequence[tuple[int, int]]) -> list[Unit]:
        """Join two units at a time if that halves their edits, then connected components; return the units."""
        for g, p in links:
            if self._is_open(g, p):
                self._join({self._of_truth[g], self._of_prediction[p]})
        left = [(self._of_truth[g], self._of_prediction[p]) for g, p in links if self._is_open(g, p)]
        for together in _components(left):
            self._join(together)
        return sorted({*self._of_truth.values(), *self._of_prediction.values()}, key=_reading_order)

    def _is_open(self, g: int, p: int) -> bool:
        """Whether two blocks with text are in different units of which one is incomplete."""
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
        if edits <= HALVED * sum(self._measured(unit)[0] for unit in together) or self._completes(together, edits):
            self._of_truth.update(dict.fromkeys(union.truth, union))
            self._of_prediction.update(dict.fromkeys(union.prediction, union))

    def _completes(self, together: set[Unit], edits: int) -> bool:
        """Whether one of two units is an unmatched block whose text the other lacks almost entirely."""
        if len(together) != 2:
            return False
        one, other = together
        return any(
            not (lone.truth and lone.prediction)
            and edits <= self._measured(rest)[0] - LACKING * self._measured(lone)[0]
            for lone, rest in ((one, other), (other, one))
        )

    def _measured(self, unit: Unit) -> tuple[int, bool]:
        """Return the edits between the unit's texts, and whether the unit is complete."""
        if unit not in self._edits:
            truth, prediction = self._pages
            reference = truth.text(unit.truth)
            candidate = prediction.text(prediction.nearest_order(unit.prediction, reference))
            edits = bounded_edits(candidate, reference)
            self._edits[unit] = edits, edits <= FITS * max(len(candidate), len(reference))
        return self._edits[unit]


def bounded_edits(candidate: str, reference: str) -> int:
    """Return the edit distance; the maximum if the texts are too long to compare, so that they are not joined."""
    if max(len(candidate), len(reference)) > MAX_COMPARED_CHARACTERS and candidate != reference:
        return len(candidate) + len(reference)
    return edit_distance(candidate, reference)


def _components(links: Sequence[tuple[Unit, Unit]]) -> list[set[Unit]]:
    """Return the connected components of units."""
    sets: list[set[Unit]] = []
    for link in links:
        touching = [component for component in sets if not component.isdisjoint(link)]
        if len(touching) != 1 or not touching[0].issuperset(link):
            sets = [component for component in sets if component not in touching]
            sets.append(set(link).union(*touching))
    return sets


@versioned("join-text")
def joined_text(texts: Sequence[str]) -> str:
    """Join the texts of blocks that a reader split.

    >>> joined_text(["基金", "分析"]), joined_text(["net", "of tax"])
    ('基金分析', 'net of tax')
    """
    return texts[0] if len(texts) == 1 else settled("\n".join(texts))


def _reading_order(unit: Unit) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    return not unit.truth, unit.truth, unit.prediction
