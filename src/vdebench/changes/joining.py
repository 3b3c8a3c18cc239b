"""Changes that belong together: text lost and added at one place, and added text that stands elsewhere on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change
from vdebench.changes.words import compared, fact_kind
from vdebench.core.box import Box

GAP = 0.6
"""Greatest distance, in heights, between text that is lost and text that is added in its place."""
MIN_DUPLICATE = 6
"""Least number of characters of added text that counts as a repetition (half as many Chinese ones)."""


def join_replaced(changes: Sequence[Change], pages: AlignedPages) -> list[Change]:
    """Join text that is lost with text that is added at the same place."""
    lost = [change for change in changes if change.kind == "lost"]
    added = [change for change in changes if change.kind == "added"]
    partner: dict[int, Change] = {}
    for change in added:
        if change.box_after is None:
            continue
        box = pages.box_to_page(change.box_after)
        near = [each for each in lost if id(each) not in partner and each.box_before and _meet(each.box_before, box)]
        if near:
            best = max(near, key=lambda each: each.box_before.shared_area(box) if each.box_before else 0.0)
            partner[id(best)] = change
    joined = {id(change) for change in partner.values()}
    result = []
    for change in changes:
        if id(change) in joined:
            continue
        other = partner.get(id(change))
        if other is not None:
            change = replace(
                change,
                kind="replaced",
                after=other.after,
                box_after=other.box_after,
                fact=fact_kind(change.before, other.after),
                confidence=max(change.confidence, other.confidence),
            )
        result.append(change)
    return result


def _meet(one: Box, other: Box) -> bool:
    """Whether two boxes lie in one row and meet, or nearly."""
    heights = one.y2 - one.y1, other.y2 - other.y1
    down = min(one.y2, other.y2) - max(one.y1, other.y1)
    across = min(one.x2, other.x2) - max(one.x1, other.x1)
    return down > 0.4 * min(heights) and across > -GAP * min(heights)


def mark_duplicates(changes: Sequence[Change], standing: Sequence[str]) -> list[Change]:
    """Mark added text as duplicated where the same text still stands on the page."""
    texts = [compared(text).characters for text in standing]

    def is_duplicate(change: Change) -> bool:
        text = compared(change.after).characters
        weight = sum(2 if character >= "\u2e80" else 1 for character in text)
        return change.kind == "added" and weight >= MIN_DUPLICATE and any(text in other for other in texts)

    return [replace(change, kind="duplicated") if is_duplicate(change) else change for change in changes]
