"""Changes of an output against the reference of a sample: inside the edited regions, and elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from vdebench.changes.alignment import AlignedPages, cut
from vdebench.changes.change import TEXT_KINDS, Change, EditOutcome, PageChanges
from vdebench.changes.engine import PageComparator, PageComparison
from vdebench.changes.ink import ghost, region_residue
from vdebench.changes.kept_words import keeps_context
from vdebench.changes.style import corrected, ink_style, is_wide, style_differences
from vdebench.changes.type_heights import lines_outside, words_by_height
from vdebench.changes.verdict import INK_DAMAGE
from vdebench.changes.words import compared
from vdebench.core.box import Box
from vdebench.core.images import Image

MARGIN = 0.6
"""Margin of a region, in heights of its lines: the new text may exceed it a little."""
MAX_DRIFT, MAX_RISE, MIN_CORRELATION = 0.8, 0.22, 0.5
"""Distance in heights within which new words are searched, by which they may be above or below their line, and the
correlation from which they are found."""
NEAR = 1.5
"""Distance in heights of the line within which added text is where the reference has it."""
EDITS = (*TEXT_KINDS, "moved", "illegible")
"""Kinds of changes that an edit of text may ask for, or that spoil it."""
LOOKS = ("restyled", *INK_DAMAGE)
"""Kinds of changes of how the page looks, without other text."""
LOCATED = ("ink_lost", "ink_added", "redrawn", "moved")
"""Kinds that depend on where the reference has something: an edit may leave the page as it was instead."""


class ReferencePage(NamedTuple):
    """A reference with its source and the boxes of its regions, in pixels of the reference."""

    reference: Image
    source: Image | None
    regions: tuple[Box, ...]


def compare_with_reference(output: Image, page: ReferencePage, comparator: PageComparator) -> PageChanges:
    """Return the changes of an output against its reference; `asked` is true inside the regions.

    Marks and lines at the places of the source are accepted too: an edit need not move what follows it as the reference
    does.
    """
    comparison = comparator.compare(page.reference, output)
    changes = [
        replace(change, asked=_is_inside(change, comparison, page.regions)) for change in comparison.result.changes
    ]
    if page.source is not None and any(change.kind in LOCATED for change in changes):
        other = comparator.compare(page.source, output).result.changes
        changes = [change for change in changes if change.kind not in LOCATED or _is_new(change, other)]
    if comparison.pages is not None:
        changes += _region_look(comparison, comparison.pages, page, comparator, changes)
    lines = lines_outside(comparison.page.lines, page.regions, MARGIN)
    heights = words_by_height(page.reference, lines, comparison.result.changes)
    return replace(comparison.result, changes=tuple(changes), heights=heights)


def _is_new(change: Change, other: Sequence[Change]) -> bool:
    """Whether a mark or line is at a new place against the source too, given the changes against the source."""
    if change.kind in ("ink_lost", "redrawn"):
        return any(each.kind == change.kind for each in other)
    box = change.box_after
    return box is None or any(each.box_after is not None and each.box_after.shared_area(box) > 0 for each in other)


def _is_inside(change: Change, comparison: PageComparison, regions: Sequence[Box]) -> bool:
    """Whether a change lies in a region, on the page or on the output."""
    boxes = [change.box_before] if change.box_before is not None else []
    if change.box_after is not None and comparison.pages is not None and change.box_before is None:
        boxes.append(comparison.pages.box_to_page(change.box_after))
    return any(_is_in(box, region) for box in boxes for region in regions)


def _is_in(box: Box, region: Box) -> bool:
    margin = MARGIN * min(box.y2 - box.y1, region.y2 - region.y1)
    x, y = (box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2
    inside = region.x1 - margin <= x <= region.x2 + margin and region.y1 - margin <= y <= region.y2 + margin
    return inside or box.shared_area(region) > 0.5 * box.area


def _region_look(
    comparison: PageComparison,
    pages: AlignedPages,
    page: ReferencePage,
    comparator: PageComparator,
    changes: Sequence[Change],
) -> list[Change]:
    """Return new words that look different from the reference's, and traces where the reference is blank."""
    found = []
    damaged = [change.box_before for change in changes if change.asked and change.box_before is not None]
    edit = comparator.compare(page.source, page.reference).result.changes if page.source is not None else ()
    for box in _new_words(page, edit):
        if any(box.shared_area(other) > 0.3 * box.area for other in damaged):
            continue
        place = pages.settle(box, reach=MAX_DRIFT)
        if place.correlation >= MIN_CORRELATION and abs(place.down) > MAX_RISE * (box.y2 - box.y1):
            found.append(
                Change("moved", "", "", box, pages.box_to_output(box), asked=True, note=f"{place.down} px down")
            )
            continue
        notes = _style_notes(pages, box)
        if notes:
            found.append(
                Change("restyled", "", "", box, pages.box_to_output(box), asked=True, confidence=0.8, note=notes)
            )
    traces = [region_residue(pages, region) for region in page.regions]
    if page.source is not None:
        removed = [change.box_before for change in edit if change.kind == "lost" and change.box_before is not None]
        traces += [ghost(pages, page.source, box) for box in removed]
    return found + [replace(each, asked=True) for each in traces if each is not None]


def _new_words(page: ReferencePage, edit: Sequence[Change]) -> list[Box]:
    """Return the boxes of the words of the reference that the source does not have, given what the edit changes."""
    boxes = [change.box_after for change in edit if change.kind in ("replaced", "added") and change.box_after]
    return [box for box in boxes if any(_is_in(box, region) for region in page.regions)]


def _style_notes(pages: AlignedPages, box: Box) -> str:
    """Return how the style of words differs from the reference, beyond what differs around them; or ""."""
    old, new = ink_style(cut(pages.before, box)), ink_style(cut(pages.after, box))
    if old is None or new is None:
        return ""
    around = _row_around(pages, box)
    usual_old, usual_new = ink_style(cut(pages.before, around)), ink_style(cut(pages.after, around))
    return ", ".join(style_differences(old, corrected(new, usual_old, usual_new), strokes=is_wide(box)))


def _row_around(pages: AlignedPages, box: Box) -> Box:
    """Return the wider side of the row beside a box, on the page."""
    width = pages.size.width
    left, right = (
        Box(max(0.0, box.x1 - 12 * (box.y2 - box.y1)), box.y1, box.x1 - 2, box.y2),
        Box(box.x2 + 2, box.y1, min(width, box.x2 + 12 * (box.y2 - box.y1)), box.y2),
    )
    sides = [each for each in (left, right) if each.x2 - each.x1 > 2 * (box.y2 - box.y1)]
    return max(sides, key=lambda each: _ink(pages, each)) if sides else box


def _ink(pages: AlignedPages, box: Box) -> float:
    return float(cut(pages.before_grey, box).std())


class _Wanted(NamedTuple):
    """A change that the reference has, and its place on the page."""

    change: Change
    place: Box | None


def check_against_reference(
    comparison: PageComparison, reference: Image, comparator: PageComparator
) -> tuple[list[Change], EditOutcome]:
    """Return the changes of a page, each with whether the reference has it too, and the outcome of the edit."""
    expected = comparator.compare(comparison.before, reference)
    wanted = [_Wanted(each, _place(each, expected)) for each in expected.result.changes if each.kind in EDITS]
    looks = [each for each in expected.result.changes if each.kind in LOOKS]
    found = [_Wanted(each, _place(each, comparison)) for each in comparison.result.changes]
    changes = [
        replace(
            each.change, asked=_has_look(each.change, looks) if each.change.kind in LOOKS else _is_wanted(each, wanted)
        )
        for each in found
    ]
    if not wanted:
        return changes, _look_outcome(changes, looks)
    if not any(_is_at(each, other) for each in found for other in wanted):
        return changes, "not_done"
    against = comparator.compare(reference, comparison.after)
    edits = [each.change for each in wanted]
    places = [each.box_after for each in edits if each.box_after is not None]
    wrong = [
        each
        for each in against.result.changes
        if each.kind in EDITS and (_is_inside(each, against, places) or _covers(each.box_before, places))
    ]
    kept = [compared(each.before).characters for each in edits if each.kind == "lost"]
    still = [
        each
        for each in against.result.changes
        if each.kind in ("added", "duplicated") and any(compared(each.after).characters in text for text in kept)
    ]
    instead = _written_instead(expected, against, edits)
    return changes, "wrong_text" if wrong or still or instead else "done"


def _place(change: Change, comparison: PageComparison) -> Box | None:
    """Return where on the page a change is; None if it is only on an output that is not registered."""
    if change.box_before is not None or change.box_after is None or comparison.pages is None:
        return change.box_before
    return comparison.pages.box_to_page(change.box_after)


def _written_instead(expected: PageComparison, against: PageComparison, wanted: Sequence[Change]) -> list[Change]:
    """Return text that the output has where the reference, with which it is compared, has none any more."""
    if expected.pages is None or against.pages is None:
        return []
    gone = [
        expected.pages.box_to_output(each.box_before)
        for each in wanted
        if each.kind == "lost" and each.box_before is not None
    ]
    found = []
    for change in against.result.changes:
        if change.kind in ("added", "duplicated") and change.box_after is not None:
            box = against.pages.box_to_page(change.box_after)
            if any(box.shared_area(place) > 0.3 * min(box.area, place.area) for place in gone):
                found.append(change)
    return found


def _has_look(change: Change, looks: Sequence[Change]) -> bool:
    """Whether the reference changes the look of the same place in the same way."""
    return any(each.kind == change.kind and _share_place(change, each) for each in looks)


def _share_place(change: Change, other: Change) -> bool:
    one, two = change.box_before, other.box_before
    return one is not None and two is not None and one.shared_area(two) > 0.3 * min(one.area, two.area)


def _look_outcome(changes: Sequence[Change], looks: Sequence[Change]) -> EditOutcome:
    """Return the outcome of an edit that changes no text, by what the reference looks like."""
    if not looks:
        return "unknown"
    made = [each for each in looks if any(each.kind == one.kind and _share_place(one, each) for one in changes)]
    return "done" if len(made) == len(looks) else "partly" if made else "not_done"


def _covers(box: Box | None, places: Sequence[Box]) -> bool:
    return box is not None and any(box.shared_area(place) > 0.5 * place.area for place in places)


def _is_wanted(found: _Wanted, wanted: Sequence[_Wanted]) -> bool:
    """Whether the reference has a change at the same place, and keeps the same words around it."""
    return any(_is_at(found, each) and keeps_context(found.change, each.change.before) for each in wanted)


def _is_at(found: _Wanted, wanted: _Wanted) -> bool:
    """Whether a change is at the place of a change of the reference."""
    change, each = found.change, wanted.change
    if change.kind not in EDITS:
        return False
    if change.box_before is not None and each.box_before is not None:
        return _share_place(change, each)
    if (
        change.kind != "added"
        or not each.after
        or compared(change.after).characters not in compared(each.after).characters
    ):
        return False
    if found.place is None or wanted.place is None:
        return True
    height = wanted.place.y2 - wanted.place.y1
    near = Box(
        wanted.place.x1 - NEAR * height,
        wanted.place.y1 - NEAR * height,
        wanted.place.x2 + NEAR * height,
        wanted.place.y2 + NEAR * height,
    )
    return near.shared_area(found.place) > 0
