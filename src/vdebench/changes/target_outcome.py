"""What stands at one place of a page after an edit: the new text, the old one, or another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import regex
from rapidfuzz import fuzz

from vdebench.changes.alignment import cut
from vdebench.changes.change import Change, EditOutcome
from vdebench.changes.deletion import deletion_outcome
from vdebench.changes.engine import PageComparison
from vdebench.changes.targets import Target, find_in
from vdebench.changes.words import compared, differences, similarity
from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.instructions.request import EditRequest
from vdebench.readers.reader import LikelihoodReader, ReadLines

NEAR = 1.3
"""Distance in heights of the target within which the new text is searched, above, below and to the left."""
NARROW, WIDE, LEADING = 0.4, 1.0, 1.6
"""Widths of a narrow and of a wide character, and the distance of lines, in heights of a line."""
MIN_ALIKE = 70.0
"""Similarity in percent from which a misread new text is tested by likelihood."""
TOLERANCE = 1.5
"""Log-likelihood per differing character by which the new text may be less likely than what was read."""
RESEMBLANCE = 0.6
"""Least similarity of a misspelt new text."""
CUT = 0.4
"""Distance in heights from the frame within which text is cut off by it."""
_BROKEN = regex.compile(r"(?<=\p{L})- (?=\p{Ll})")


class _ReadText(NamedTuple):
    """A text read on the output, with its image and its box on the page (on the output if it is not registered)."""

    text: str
    image: Image
    box: Box


def at_target(
    comparison: PageComparison, request: EditRequest, target: Target, reader: LikelihoodReader
) -> EditOutcome:
    """Return the outcome of a request at one place."""
    area, old, new = search_box(request, target, comparison.page), target.text, request.new
    texts = output_texts(comparison, [area])
    own = Box.around([comparison.page.lines[number].box for number, _ in target.parts])
    column = Box(own.x1, area.y1, own.x2, area.y2)  # without lines of other columns, which interrupt the text
    counts = [
        count_text(comparison, wanted, other, [place], inside_number=target.inside_number)
        for place, wanted, other in ((area, old, new), (area, new, old), (column, new, old))
    ]
    has_new = any(after > before for before, after in counts[1:]) or any(
        _is_likely(each, new, reader) for each in texts if new and not contains(each.text, new, inside_number=True)
    )
    has_old = counts[0][1] >= max(1, counts[0][0])
    unchanged = comparison.pages is not None and not is_changed(comparison, target, area if new else None)
    if request.action in ("delete", "delete_block"):
        if has_old or unchanged:
            return "not_done"
        return deletion_outcome(comparison, target, area_texts(comparison, [area]))
    if request.action != "replace":
        return "done" if has_new else "not_done" if unchanged else "wrong_text"
    stands = [
        each for each in texts if each.box.shared_area(target.box) > 0 and contains(_without(each.text, new), old)
    ]
    if unchanged and (stands or not has_new):
        return "not_done"
    if has_new:
        return "wrong_text" if has_old else "done"
    if has_old:
        return "not_done"
    return "partly" if _is_cut(comparison, texts, request.new) else "wrong_text"


def resembles(text: str, new: str) -> bool:
    """Whether a text is nearly the new one: a misspelt edit."""
    return similarity(text, new) >= RESEMBLANCE


def count_text(
    comparison: PageComparison, wanted: str, other: str, areas: Sequence[Box], *, inside_number: bool
) -> tuple[int, int]:
    """Return how often a text is read in areas of the page, before and after, where it is not a part of the other."""
    before, after = area_texts(comparison, areas)
    return (
        _count(before, wanted, other, inside_number=inside_number),
        _count(after, wanted, other, inside_number=inside_number),
    )


def _count(text: str, wanted: str, other: str, *, inside_number: bool) -> int:
    """Return how often a text has the old or the new words, where these are not a part of the other ones."""
    whole = _BROKEN.sub("", text)  # with words that are broken at the end of a line, or without
    if compared(wanted).characters in compared(other).characters:
        text, whole = _without(text, other), _without(whole, other)
    return max(len(find_in(each, wanted, inside_number=inside_number)) for each in (text, whole))


def search_box(request: EditRequest, target: Target, page: ReadLines) -> Box:
    """Return where the new text may stand: around the target, right of it as far as it may be longer, and in the lines
    below its own that it may take.
    """
    box, height = target.box, target.height
    added = len(request.new) if request.action.startswith("insert") else len(request.new) - len(target.text)
    longer = max(0, added) * height
    margin = NEAR * height
    area = Box(box.x1 - margin, box.y1 - margin, box.x2 + margin + longer, box.y2 + margin)
    column = Box.around([page.lines[number].box for number, _ in target.parts])
    if box.x2 + longer * NARROW <= column.x2:
        return area
    rows = math.ceil(longer * WIDE / max(height, column.x2 - column.x1))
    return Box(min(area.x1, column.x1), area.y1, area.x2, area.y2 + rows * LEADING * height)


def output_texts(comparison: PageComparison, areas: Sequence[Box] | None) -> list[_ReadText]:
    """Return the lines of the output in areas of the page (None: everywhere), each by itself and all joined."""
    pages = comparison.pages
    read = []
    for line in comparison.output.lines:
        box = pages.box_to_page(line.box) if pages is not None else line.box
        if areas is None or pages is None or any(box.shared_area(area) > 0 for area in areas):
            read.append(_ReadText(line.text, cut(comparison.after, line.box), box))
    if len(read) > 1 and (areas is not None or len(read) < 40):
        read.append(_ReadText(_in_rows([(each.box, each.text) for each in read]), read[0].image[:0], Box(0, 0, 0, 0)))
    return read


def area_texts(comparison: PageComparison, areas: Sequence[Box]) -> tuple[str, str]:
    """Return the text of the page and of the output in areas; all of it if the output is not registered."""
    everywhere = comparison.pages is None
    lines = [
        line for line in comparison.page.lines if everywhere or any(line.box.shared_area(area) > 0 for area in areas)
    ]
    texts = output_texts(comparison, areas)  # the last one has all lines
    return _in_rows([(line.box, line.text) for line in lines]), texts[-1].text if texts else ""


def _in_rows(lines: Sequence[tuple[Box, str]]) -> str:
    """Join the texts of lines row by row."""
    rows: list[list[tuple[Box, str]]] = []
    for box, text in sorted(lines, key=lambda each: ((each[0].y1 + each[0].y2) / 2, each[0].x1)):
        if rows and (box.y1 + box.y2) / 2 < rows[-1][-1][0].y2 - 0.25 * (box.y2 - box.y1):
            rows[-1].append((box, text))
        else:
            rows.append([(box, text)])
    return " ".join(text for row in rows for _, text in sorted(row, key=lambda each: each[0].x1))


def contains(text: str, wanted: str, *, inside_number: bool = False) -> bool:
    """Whether a text contains another, not as a part of a longer number unless it stood in one."""
    return bool(find_in(text, wanted, inside_number=inside_number))


def _without(text: str, removed: str) -> str:
    """Return a text without another that it contains."""
    for span in reversed(find_in(text, removed, inside_number=True)):
        text = f"{text[: span.start]}\0{text[span.stop :]}"
    return text


def _is_likely(read: _ReadText, wanted: str, reader: LikelihoodReader) -> bool:
    """Whether a line that nearly reads as wanted is about as likely to be so: the reader may have misread it."""
    if not read.image.size or fuzz.partial_ratio(wanted, read.text) < MIN_ALIKE:
        return False
    place = fuzz.partial_ratio_alignment(wanted, read.text)
    if place is None:
        return False
    other = read.text[: place.dest_start] + wanted + read.text[place.dest_end :]
    changed = sum(max(len(each.before), len(each.after), 1) for each in differences(read.text, other))
    if not changed:
        return contains(other, wanted)
    as_read, as_wanted = reader.likelihood(read.image, [read.text, other])
    return as_wanted >= as_read - TOLERANCE * changed


def _is_cut(comparison: PageComparison, texts: Sequence[_ReadText], new: str) -> bool:
    """Whether a part of the new text stands at the edge of the frame, which cuts off the rest."""
    wanted = compared(new).characters
    size = len(wanted)
    for each in texts:
        characters = compared(each.text).characters
        height = each.box.y2 - each.box.y1
        frame = comparison.pages.frame if comparison.pages is not None else None
        at_right = frame is None or each.box.x2 > frame.x2 - CUT * height
        at_left = frame is None or each.box.x1 < frame.x1 + CUT * height
        start = max((part for part in range(1, size) if characters.endswith(wanted[:part])), default=0)
        stop = max((part for part in range(1, size) if characters.startswith(wanted[-part:])), default=0)
        if (at_right and start >= 0.5 * size) or (at_left and stop >= 0.5 * size):
            return True
    return False


def is_changed(comparison: PageComparison, target: Target, area: Box | None = None) -> bool:
    """Whether a change overlaps a place, or adds text in the area around it."""
    return any(
        change.box_before.shared_area(target.box) > 0
        if change.box_before is not None
        else area is not None and _is_added_in(change, comparison, area)
        for change in comparison.result.changes
    )


def _is_added_in(change: Change, comparison: PageComparison, area: Box) -> bool:
    """Whether a change adds text in an area of the page."""
    if change.kind not in ("added", "duplicated") or change.box_after is None or comparison.pages is None:
        return False
    return comparison.pages.box_to_page(change.box_after).shared_area(area) > 0
