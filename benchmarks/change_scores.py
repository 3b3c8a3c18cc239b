"""Scores of reported changes against planted ones, for `changes.py`."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from vdebench.changes.change import TEXT_KINDS, Change, PageChanges
from vdebench.core.box import Box

FALSE_GROUPS = {
    "text": TEXT_KINDS,
    "weakened": ("weakened",),
    "illegible": ("illegible",),
    "moved": ("moved", "cropped"),
    "ink": ("ink_lost", "ink_added", "residue"),
    "restyled": ("restyled",),
}
"""Kinds of false alarms, counted separately."""
FOUND, OTHER, WEAKENED, ILLEGIBLE, MISSED = OUTCOMES = ("found", "other words", "weakened", "illegible", "missed")
"""Outcome of a planted change.

`other words`: a change of text is reported at its place, but without the differing characters. `weakened`,
`illegible`: only such a change is reported there.
"""
EXACT_LENGTH = 3
"""Differences of so many characters must be reported exactly; of longer ones a share is enough."""
ENOUGH = 0.6


class PlantedChange(NamedTuple):
    """What the scores need of a planted change (see `planted_changes.Planted`)."""

    kind: str
    before: str
    after: str
    box: Box
    height: float
    box_after: Box
    difference: tuple[str, str]


class PairScore(NamedTuple):
    """Outcomes of the planted changes of a pair of images, and its false alarms."""

    outcomes: list[str]
    false_alarms: list[Change]


def score_changes(planted: Sequence[PlantedChange], result: PageChanges) -> PairScore:
    """Compare the reported changes with the planted ones."""
    by_x = result.geometry.before.width / result.geometry.after.width
    by_y = result.geometry.before.height / result.geometry.after.height
    places = [[change for change in result.changes if is_at(each, change, by_x, by_y)] for each in planted]
    outcomes = [outcome_of(each, found) for each, found in zip(planted, places, strict=True)]
    explained = {id(change) for found in places for change in found}
    return PairScore(outcomes, [change for change in result.changes if id(change) not in explained])


def is_at(planted: PlantedChange, change: Change, by_x: float = 1.0, by_y: float = 1.0) -> bool:
    """Whether a reported change is at the place of a planted one, on either page.

    On the page before, half a line of tolerance; on the output, whose boxes are scaled to the page's size, a line:
    they include a shift or zoom.
    """
    half = planted.height / 2
    if change.box_before is not None and _grown(planted.box, half).shared_area(_solid(change.box_before)) > 0:
        return True
    if change.box_after is None or not planted.after:
        return False
    after = _solid(change.box_after.scaled(by_x, by_y))
    return _grown(planted.box_after, planted.height).shared_area(after) > 0


def _grown(box: Box, by: float) -> Box:
    return Box(box.x1 - by, box.y1 - by, box.x2 + by, box.y2 + by)


def _solid(box: Box) -> Box:
    """The box, at least a pixel wide and high: a place where something was inserted may have no width."""
    return Box(box.x1, box.y1, max(box.x2, box.x1 + 1), max(box.y2, box.y1 + 1))


def outcome_of(planted: PlantedChange, changes: Sequence[Change]) -> str:
    """Return the outcome of a planted change, from the changes reported at its place."""
    texts = [change for change in changes if change.kind in TEXT_KINDS]
    old, new = map(compact, planted.difference)
    before = "\n".join(compact(change.before) for change in texts)
    after = "\n".join(compact(change.after) for change in texts)
    if texts:
        return FOUND if contains(before, old) and contains(after, new) else OTHER
    kinds = {change.kind for change in changes}
    return WEAKENED if "weakened" in kinds else ILLEGIBLE if "illegible" in kinds else MISSED


def contains(text: str, part: str) -> bool:
    """Whether a text has the characters of a part: all of a short one in a row, most of a longer one in order.

    >>> contains("8,986", "9"), contains("The quick brovn fox", "brown fox"), contains("The quick", "brown fox")
    (True, True, False)
    """
    if len(part) <= EXACT_LENGTH:
        return part in text
    return bool(LCSseq.similarity(text, part) >= ENOUGH * len(part)) and bool(text)


def compact(text: str) -> str:
    """The text without spaces, with compatibility characters unified.

    >>> compact("Total （2019）")
    'Total(2019)'
    """
    return "".join(unicodedata.normalize("NFKC", text).split())
