"""The properties of a usable edit, decided by the changes between the reference and the output."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from vdebench.changes.change import Change, PageChanges
from vdebench.changes.verdict import INK_DAMAGE, GeometryLimits, is_damage, shortened

PropertyCheck = tuple[bool | None, str]
ADDED = ("added", "duplicated", "ink_added")
"""Kinds of changes that add something to the page."""
ALTERED = ("ink_lost", "redrawn", "residue", "restyled")
"""Kinds of changes, beside those of text, that alter what the page has."""
SHOWN = 20
"""Changes that evidence names."""


def changes_of(row: Mapping[str, Any]) -> PageChanges | None:
    """Return the changes of a row; None if they were not measured."""
    text = row.get("changes")
    return PageChanges.from_json(json.loads(text)) if text else None


def wrong_text(page: PageChanges) -> list[Change]:
    """Return the changes of text inside the regions: what differs from the reference there."""
    return [change for change in page.changes if change.asked and is_damage(change)]


def additions(page: PageChanges) -> PropertyCheck:
    """Nothing was added outside the regions."""
    return none_of(page, [each for each in page.changes if each.asked is False and each.kind in ADDED], "nothing added")


def preservation(page: PageChanges) -> PropertyCheck:
    """Nothing was lost, falsified or restyled outside the regions."""
    found = [each for each in page.changes if each.asked is False and (each.kind in ALTERED or is_damage(each))]
    found = [each for each in found if each.kind not in ADDED]
    return none_of(page, found, "no other text or mark changed")


def textual_correctness(page: PageChanges) -> PropertyCheck:
    """The text of the regions is that of the reference."""
    return none_of(page, wrong_text(page), "the text of the reference")


def spatial_precision(page: PageChanges, limits: GeometryLimits) -> PropertyCheck:
    """The page fills the frame as before, and its lines are where the reference or the source has them."""
    problem = limits.problem(page.geometry)
    if problem:
        return False, problem
    return none_of(page, [each for each in page.changes if each.kind == "moved"], f"geometry: {page.geometry.kind}")


def visual_fidelity(page: PageChanges) -> PropertyCheck:
    """The new words look like the reference's, and nothing is left where text was removed."""
    found = [each for each in page.changes if each.asked and each.kind in ("restyled", *INK_DAMAGE)]
    if found:
        return False, "; ".join(sorted({each.note or str(each) for each in found}))
    return True, "same style as the reference"


def none_of(page: PageChanges, found: Sequence[Change], passed: str) -> PropertyCheck:
    """A property that no change may break; it is unknown if text could not be compared."""
    if not found:
        return (None, page.unknown) if page.unknown else (True, passed)
    facts = [each for each in found if each.fact]
    ordered = [*facts, *(each for each in found if not each.fact)]
    named = "; ".join(shortened(str(each)) for each in ordered[:SHOWN])
    more = f"; and {len(ordered) - SHOWN} more" if len(ordered) > SHOWN else ""
    return False, f"{len(found)} {'change' if len(found) == 1 else 'changes'}: {named}{more}"
