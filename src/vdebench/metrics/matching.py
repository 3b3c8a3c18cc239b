"""Which block of the prediction stands for which block of the ground truth.

Three strategies, one result: units. A unit is a pair of index tuples, ground truth and prediction; a missed block is a
unit without prediction, an invented one a unit without ground truth. The papers' strategies pair one to one; `exact`
also joins blocks that a reader merged or split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from vdebench.box import Box, Size
from vdebench.metrics.boxes import Matrix, areas, as_array, centre_distances, iou_matrix, shared_areas
from vdebench.metrics.text import edit_distance
from vdebench.metrics.tokens import settled


class Unit(NamedTuple):
    """Blocks that are compared with each other, by index."""

    truth: tuple[int, ...]
    prediction: tuple[int, ...]


class Page(NamedTuple):
    """What matching sees of a reading: boxes and texts in reading order, and the page's size where known."""

    boxes: Sequence[Box]
    texts: Sequence[str]
    size: Size | None = None


Matching = Callable[[Page, Page], list[Unit]]


def greedy_by_centre(truth: Page, prediction: Page) -> list[Unit]:
    """Nearest centres first, each block once, however far apart (the papers' rule).

    >>> page = Page([Box(0, 0, 10, 10), Box(0, 90, 10, 99)], ["a", "b"])
    >>> greedy_by_centre(page, Page([Box(0, 80, 10, 90)], ["b"]))
    [Unit(truth=(1,), prediction=(0,)), Unit(truth=(0,), prediction=())]
    """
    distances = centre_distances(as_array(truth.boxes), as_array(prediction.boxes))
    return _greedy(np.argsort(distances, axis=None, kind="stable"), truth, prediction)


def greedy_by_iou(truth: Page, prediction: Page, *, at_least: float = 0.1) -> list[Unit]:
    """Largest overlap first, each block once, pairs of a given IoU and more (the release's rule)."""
    ious = iou_matrix(as_array(truth.boxes), as_array(prediction.boxes)).ravel()
    candidates = np.flatnonzero(ious >= at_least)
    return _greedy(candidates[np.argsort(-ious[candidates], kind="stable")], truth, prediction)


def _greedy(order: Iterable[int], truth: Page, prediction: Page) -> list[Unit]:
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


def _units(partner: dict[int, int], truth: Page, prediction: Page) -> list[Unit]:
    """Matched pairs in the order they were found, then missed, then invented blocks in reading order."""
    taken = set(partner.values())
    units = [Unit((g,), (p,)) for g, p in partner.items()]
    units += [Unit((g,), ()) for g in range(len(truth.boxes)) if g not in partner]
    units += [Unit((), (p,)) for p in range(len(prediction.boxes)) if p not in taken]
    return units


# --- exact -----------------------------------------------------------------------------------------------------------

NEAR = 0.1
"""Centres further apart than this share of the page's diagonal are not the same block, unless the boxes meet."""
COVERED = 0.5
"""A block that lies in another by this share of its area may be a part of it."""
HALVED = 0.5
"""Joining must leave at most this share of the edit distance: chance likeness of two texts does not reach that."""


def assign(truth: Page, prediction: Page) -> list[Unit]:
    """Cheapest one-to-one assignment, then blocks that a reader merged or split are joined.

    The cost of a pair is half what its boxes do not share (1 − IoU) and half the distance of its centres, as a share
    of the farthest that can still be the same block. Blocks that neither meet nor lie near stay alone.

    >>> truth = Page([Box(0, 0, 90, 20), Box(0, 22, 90, 40)], ["First paragraph.", "Second one."], Size(100, 100))
    >>> assign(truth, Page([Box(0, 0, 90, 40)], ["First paragraph. Second one."], Size(100, 100)))
    [Unit(truth=(0, 1), prediction=(0,))]
    """
    if not truth.boxes or not prediction.boxes:
        return _units({}, truth, prediction)
    from scipy.optimize import linear_sum_assignment  # imports slowly; the papers' protocols do without

    first, second = as_array(truth.boxes), as_array(prediction.boxes)
    cost = _cost(first, second, truth.size)
    rows, columns = linear_sum_assignment(cost)
    partner = {int(g): int(p) for g, p in zip(rows, columns, strict=True) if cost[g, p] < 1}
    return _joined(_units(partner, truth, prediction), truth, prediction, first, second)


def _cost(first: Matrix, second: Matrix, size: Size | None) -> Matrix:
    """Cost of every pair, 1 for pairs that cannot be: pairing those is as good as leaving both alone."""
    ious = iou_matrix(first, second)
    distances = centre_distances(first, second)
    diagonal = size.diagonal if size else float(np.hypot(*np.concatenate([first, second])[:, 2:].max(axis=0)))
    nearness = distances / (NEAR * diagonal) if diagonal > 0 else np.zeros_like(distances)
    cost = (1 - ious) / 2 + np.minimum(nearness, 1) / 2
    cost[(ious == 0) & (nearness >= 1)] = 1
    return np.asarray(cost)


def _joined(units: list[Unit], truth: Page, prediction: Page, first: Matrix, second: Matrix) -> list[Unit]:
    """Units with those joined that a reader cut differently.

    Blocks with text of which one lies in the other are linked. All units that links hold together are tried as one,
    then, where that fails, link by link. Their texts, joined in reading order, decide.
    """
    shared = shared_areas(first, second)
    smaller = np.minimum(areas(first)[:, None], areas(second)[None, :])
    linked = shared >= np.maximum(COVERED * smaller, 1e-9)
    of_truth = {g: unit for unit in units for g in unit.truth}
    of_prediction = {p: unit for unit in units for p in unit.prediction}
    links = [(g, p) for g, p in np.argwhere(linked).tolist() if of_truth[g] != of_prediction[p]]
    if not links:
        return units
    texts = [settled(text) for text in truth.texts], [settled(text) for text in prediction.texts]
    links = [(g, p) for g, p in links if texts[0][g] and texts[1][p]]

    def distance(unit: Unit) -> int:
        return edit_distance(joined_text(texts[1], unit.prediction), joined_text(texts[0], unit.truth))

    def join(together: set[Unit]) -> bool:
        apart = sum(distance(unit) for unit in together)
        union = _union(together)
        if apart == 0 or distance(union) > HALVED * apart:
            return False
        of_truth.update(dict.fromkeys(union.truth, union))
        of_prediction.update(dict.fromkeys(union.prediction, union))
        return True

    for together, inner_links in _held_together([(of_truth[g], of_prediction[p], (g, p)) for g, p in links]):
        if not join(together) and len(together) > 2:
            for g, p in inner_links:
                if of_truth[g] != of_prediction[p]:
                    join({of_truth[g], of_prediction[p]})
    return sorted({*of_truth.values(), *of_prediction.values()}, key=_reading_order)


def _held_together(
    links: Sequence[tuple[Unit, Unit, tuple[int, int]]],
) -> list[tuple[set[Unit], list[tuple[int, int]]]]:
    """Sets of units that links connect, each with its links."""
    sets: list[tuple[set[Unit], list[tuple[int, int]]]] = []
    for one, other, link in links:
        touching = [entry for entry in sets if one in entry[0] or other in entry[0]]
        sets = [entry for entry in sets if entry not in touching]
        units = {one, other}.union(*(entry[0] for entry in touching))
        sets.append((units, [*(inner for entry in touching for inner in entry[1]), link]))
    return sets


def _union(units: Iterable[Unit]) -> Unit:
    return Unit(
        tuple(sorted(g for unit in units for g in unit.truth)),
        tuple(sorted(p for unit in units for p in unit.prediction)),
    )


def _reading_order(unit: Unit) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    return not unit.truth, unit.truth, unit.prediction


def joined_text(texts: Sequence[str], indices: Iterable[int]) -> str:
    """Texts of some blocks as one, in reading order."""
    return settled("\n".join(texts[i] for i in indices))
