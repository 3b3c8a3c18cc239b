"""`review.jsonl`: decisions on each edit, step by step, by people or by the automatic filter.

One JSON line per decision, never rewritten; the last line for a sample, an edit and a step is valid:

    {"id": "page_12-0", "edit": "9f86d081…", "step": "boxes", "verdict": "pass", "by": "group 2", "kind": "people",
     "when": "2026-11-16T14:50:00Z", "boxes": [[102, 340, 418, 371]], "scores": {}, "reason": "", "words": ""}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from vdebench.core.box import Box, Size
from vdebench.core.page_text import as_numbers
from vdebench.errors import InputError

STEPS = {
    "score": "scored 9",
    "boxes": "boxes agreed",
    "screen": "screened",
    "ocr": "OCR checked",
}
"""The steps in order, with the funnel's name for edits that have passed."""
PEOPLE, AUTOMATIC = "people", "automatic"
VERDICTS = ("pass", "reject")
REJECTION_REASONS = {
    "low_score": "a group's total was too low",
    "screened_out": "a group said no at the final screening",
    "misread": "OCR of the regions is wrong",
    "adjudicated": "an adjudicator rejected it",
}
"""Reasons of people for rejecting a sample."""


class Decision(NamedTuple):
    """A line of `review.jsonl`."""

    id: str
    """Id of the sample."""
    edit: str
    """SHA-256 of the reviewed image: a new edit is reviewed again."""
    step: str
    """score, boxes, screen or ocr."""
    verdict: str
    """pass or reject."""
    by: str
    """People or groups, or the filter with its version."""
    kind: str
    """people or automatic."""
    when: str
    """UTC."""
    reason: str = ""
    """Reason of a rejection."""
    words: str = ""
    """Details for people."""
    boxes: Sequence[Box] = ()
    """Changed regions in pixels of the source page (step `boxes`)."""
    scores: Mapping[str, int] = {}
    """Scores by people (step `score`): the total is 9 if it passes."""


def latest_decisions(
    decisions: Iterable[Decision], samples_in_review: Set[str] = frozenset()
) -> dict[tuple[str, str], dict[str, Decision]]:
    """Return the valid decisions by sample and edit, then by step; the filter never overrides people.

    For a sample that was given to people, automatic decisions do not count, for any step and any edit.

    >>> first = Decision("a", "e", "score", "reject", "group 1", PEOPLE, "2026-11-16T00:00:00Z")
    >>> then = first._replace(verdict="pass", by="filter", kind=AUTOMATIC)
    >>> latest_decisions([first, then])["a", "e"]["score"].verdict
    'reject'
    """
    latest: dict[tuple[str, str], dict[str, Decision]] = {}
    for decision in decisions:
        if decision.step not in STEPS or decision.verdict not in VERDICTS or decision.kind not in (PEOPLE, AUTOMATIC):
            raise InputError(
                f"review.jsonl: {decision.id}: step {decision.step!r}, verdict {decision.verdict!r}, kind"
                f" {decision.kind!r}; expected a step of {', '.join(STEPS)}, a verdict of {', '.join(VERDICTS)},"
                f" and {PEOPLE} or {AUTOMATIC}"
            )
        if decision.kind == AUTOMATIC and decision.id in samples_in_review:
            continue
        steps = latest.setdefault((decision.id, decision.edit), {})
        before = steps.get(decision.step)
        if before is None or not (before.kind == PEOPLE and decision.kind == AUTOMATIC):
            steps[decision.step] = decision._replace(boxes=_boxes(decision))
    return latest


def _boxes(decision: Decision) -> tuple[Box, ...]:
    latest = [as_numbers(list(box), 4) for box in decision.boxes if isinstance(box, Sequence)]
    boxes = tuple(Box(*box) for box in latest if box)
    whole = len(boxes) == len(decision.boxes) and all(box.x1 < box.x2 and box.y1 < box.y2 for box in boxes)
    if not whole or (decision.step == "boxes" and _lacks(decision, latest)):
        raise InputError(
            f"review.jsonl: {decision.id}: boxes are {decision.boxes!r}, expected lists of left, top, right, bottom in"
            " pixels, right of left and below top, and at least one where the step `boxes` has passed"
        )
    return boxes


def clipped(boxes: Sequence[Box], page: Size, id: str) -> tuple[Box, ...]:
    """Limit boxes to the page; raise `InputError` if nothing of a box is left.

    >>> clipped([Box(-2, 1, 5, 30)], Size(10, 20), "a")
    (Box(x1=0, y1=1, x2=5, y2=20),)
    """
    latest = tuple(
        Box(max(box.x1, 0), max(box.y1, 0), min(box.x2, page.width), min(box.y2, page.height)) for box in boxes
    )
    for box, part in zip(boxes, latest, strict=True):
        if part.x1 >= part.x2 or part.y1 >= part.y2:
            raise InputError(
                f"review.jsonl: {id}: the box {list(box)} is not on the page, which has {page.width:g}×{page.height:g}"
                " pixels"
            )
    return latest


def _lacks(decision: Decision, latest: Sequence[object]) -> bool:
    return decision.verdict == "pass" and not latest


def reached(steps: Mapping[str, Decision]) -> tuple[list[str], Decision | None]:
    """The steps that were passed, in order, and the decision that ended it, where one did.

    >>> given = Decision("a", "e", "score", "pass", "g", PEOPLE, "")
    >>> reached({"score": given, "ocr": given._replace(step="ocr")})
    (['score'], None)
    """
    passed: list[str] = []
    for step in STEPS:
        decision = steps.get(step)
        if decision is None:
            return passed, None
        if decision.verdict == "reject":
            return passed, decision
        passed.append(step)
    return passed, None
