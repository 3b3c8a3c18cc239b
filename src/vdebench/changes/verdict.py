"""The verdict on one edit: whether a careful person would use the output in place of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vdebench.changes.change import TEXT_KINDS, Change, EditCheck, EditOutcome, Geometry, PageChanges
from vdebench.changes.reading_order import PASSED


@dataclass(frozen=True)
class GeometryLimits:
    """How far the output may differ from the page's frame."""

    max_zoom: float = 0.05
    """Greatest enlargement or reduction of the page in its frame, as a share."""
    allow_crop: bool = False
    """Whether text may be cut off at the edges."""

    def problem(self, geometry: Geometry) -> str:
        """Return why the geometry is not acceptable, or ""."""
        if geometry.kind == "reframed":
            return "the page was drawn anew: it cannot be aligned with the original"
        if geometry.cropped_words and not self.allow_crop:
            return f"cropped: {geometry.cropped_words} words are cut off"
        zoom = max(abs(geometry.scale_x - 1), abs(geometry.scale_y - 1))
        if zoom > self.max_zoom and not self.allow_crop:
            return f"zoomed by {zoom:.1%}, more than {self.max_zoom:.1%}"
        if abs(geometry.aspect_change - 1) > MAX_ASPECT_CHANGE:
            return f"proportions changed by {abs(geometry.aspect_change - 1):.1%}"
        if abs(geometry.rotation) > MAX_ROTATION:
            return f"rotated by {abs(geometry.rotation):.1f}°"
        moved = max(
            abs(geometry.scale_x / 2 + geometry.shift[0] - 0.5), abs(geometry.scale_y / 2 + geometry.shift[1] - 0.5)
        )
        if moved > MAX_SHIFT + zoom / 2 and not self.allow_crop:
            return f"shifted by {moved:.1%} of the page"
        return ""


MAX_ASPECT_CHANGE = 0.04
"""Greatest change of proportions that a person accepts."""
MAX_ROTATION, MAX_SHIFT = 1.0, 0.03
"""Greatest rotation in degrees, and greatest shift of the middle of the page as a share of its sides, that nobody
notices on a page by itself."""
TEXT_DAMAGE = (*TEXT_KINDS, "illegible", "weakened")
"""Kinds of changes after which text is wrong or not safe to read."""
INK_DAMAGE = ("ink_lost", "ink_added", "residue", "redrawn")
VISIBLE_DROP = 0.2
"""Drop of the correlation of a character from which its shape changed visibly (see `changes/glyphs.py`)."""
SHOWN = 3
"""Changes that an explanation names."""


def is_damage(change: Change) -> bool:
    """Whether a change of text makes an output unusable.

    A doubtful character does so in a fact, and elsewhere if its shape changed visibly. Text that moved does so if it
    moved past other text.
    """
    if change.kind == "moved":
        return PASSED in change.evidence
    if change.kind == "weakened":
        return bool(change.fact) or change.evidence.get("correlation_drop", 0.0) >= VISIBLE_DROP
    return change.kind in TEXT_DAMAGE


def is_unasked(change: Change) -> bool:
    """Whether an edit did not ask for a change; no edit asks for traces of deleted text."""
    return change.asked is False or (change.asked is None and change.kind == "residue")


def judge(page: PageChanges, edit: EditOutcome, limits: GeometryLimits) -> EditCheck:
    """Return the verdict: usable if the edit is done and nothing else changed; None if that is not known."""
    problems = []
    if edit in ("not_done", "wrong_text", "partly"):
        problems.append(
            {"not_done": "the edit was not made", "wrong_text": "the edit has the wrong text"}.get(
                edit, "the edit was made in part"
            )
        )
    unasked = [change for change in page.changes if is_unasked(change)]
    facts = [change for change in unasked if change.fact and is_damage(change)]
    text = [change for change in unasked if not change.fact and is_damage(change)]
    if facts:
        problems.append(f"{_count(facts, 'fact')} changed: {_named(facts)}")
    if text:
        problems.append(f"{_count(text, 'other change')} of text: {_named(text)}")
    problem = limits.problem(page.geometry)
    if problem:
        problems.append(problem)
    ink = [change for change in unasked if change.kind in INK_DAMAGE and change.kind != "redrawn"]
    if ink:
        problems.append(f"{_count(ink, 'mark')} lost, added or left behind")
    pictures = [change for change in unasked if change.kind == "redrawn"]
    if pictures:
        problems.append(f"{_count(pictures, 'area')} of the page redrawn")
    restyled = [change for change in unasked if change.kind == "restyled"]
    if restyled:
        problems.append(f"text looks different: {shortened(restyled[0].after) or 'new words'} ({restyled[0].note})")
    if problems:
        return EditCheck(page, edit, False, "; ".join(problems))
    if page.unknown:
        return EditCheck(page, edit, None, page.unknown)
    undecided = edit == "unknown" or any(change.asked is None for change in page.changes)
    if undecided:
        return EditCheck(page, edit, None, "it is not known which changes were asked for")
    return EditCheck(page, edit, True, "the edit is done and nothing else changed")


def _count(changes: Sequence[Change], noun: str) -> str:
    return f"{len(changes)} {noun}{'' if len(changes) == 1 else 's'}"


def _named(changes: Sequence[Change]) -> str:
    shown = ", ".join(shortened(str(change)) for change in changes[:SHOWN])
    return shown + (", …" if len(changes) > SHOWN else "")


def shortened(text: str, limit: int = 60) -> str:
    """Return the beginning of a long text.

    >>> shortened("a long text", 8)
    'a long …'
    """
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
