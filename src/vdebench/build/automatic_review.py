"""Automatic review: accept an edit if OCR output and pixels show the requested change and no other.

`change_check` compares the finished reference image with the page. The data set states that its samples were not
reviewed by people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import regex
from rapidfuzz.distance import Levenshtein

from vdebench.build.paste_back import mask_of
from vdebench.build.table_check import table_request, wrong_structure
from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.core.page_text import Block, PageText
from vdebench.instructions.folding import confusable, folded
from vdebench.instructions.page_index import LONG_ENOUGH, PageIndex
from vdebench.instructions.records import Instruction
from vdebench.metrics.edit_traces import outside
from vdebench.metrics.teds import parse_table
from vdebench.stats.usable import Thresholds

IDENTITY = "filter-3"
"""Version of the rules below."""
REASONS = {
    "not_edited": "the image equals the source page",
    "target_not_read": "OCR does not find the target on the source page, so the edit cannot be checked",
    "target_still_there": "the text to be removed is still read",
    "replacement_not_read": "the new text is not read",
    "neighbour_lost": "the text next to the insertion is no longer read",
    "not_decided": "the instruction does not identify the row, column or cells, so the edit cannot be checked",
    "structure_not_changed": "the table has as many rows and columns as before, or the cells are not merged",
    "more_changed": "other words of the same block, or other cells, changed too",
    "several_places": "the image differs from the page in more than one place",
    "other_place": "the difference is not at the target",
    "too_much_changed": "the changed area is too large",
    "page_changed": "something outside the changed region was lost or added",
    "region_misread": "OCR of the changed region is wrong",
    "misread": "OCR of the finished image is wrong",
    "not_as_asked": "change detection finds that the edit was not made, or only in part",
    "text_changed": "change detection finds other text that changed",
    "traces_left": "there are traces of the old text, or marks or rules that were lost or added",
    "looks_different": "the new text has another colour or weight than the text around it",
}
"""Reasons for rejecting an edit, in the order of the checks."""
LARGEST = 0.4
"""Maximum changed share of the page, unless the target's block is larger."""
BESIDE = 0.02
"""Maximum distance of an edit from the target's block, as a share of the page's longer side."""
NOISE = 0.01
"""Share of a block's letters that may differ between two OCR passes."""
_TOKEN = regex.compile(r"\p{Han}|[^\s\p{Han}]+")


class RejectedEdit(NamedTuple):
    """The reason for rejecting an edit, and details."""

    reason: str
    words: str


def wrong_text(instruction: Instruction, before: PageText, after: PageText) -> RejectedEdit | None:
    """Compare the text of a page before and after an edit with the instruction; return what is wrong, None if nothing.

    >>> from vdebench.core.page_text import Block
    >>> page, edit = (PageText((Block(Box(0, 0, 9, 9), text),)) for text in ("in 2023 and", "in 2024 and"))
    >>> asked = Instruction("a", "p", "text_replace", "english", "…", "2023", "2024")
    >>> wrong_text(asked, page, edit), wrong_text(asked, page, page).reason
    (None, 'replacement_not_read')
    """
    pages = PageIndex(before), PageIndex(after)
    verb = instruction.operation.rpartition("_")[2]
    if verb == "structure":
        wrong = wrong_structure(instruction.instruction, *pages)
        return RejectedEdit(*wrong) if wrong else None
    old, new = instruction.target, instruction.replacement
    old_before, old_after = (_count(page, old) for page in pages)
    new_before, new_after = (_count(page, new) for page in pages)
    if folded(old) and not old_before:
        return RejectedEdit("target_not_read", f"“{old}” is not read on the page")
    if folded(new) and new_after <= new_before:
        return RejectedEdit("replacement_not_read", f"“{new}” is read {new_after} times, {new_before} times before")
    if verb == "insert" and old_after < old_before:
        return RejectedEdit("neighbour_lost", f"“{old}” is read {old_after} times, {old_before} times before")
    if verb != "insert" and old_after > old_before - 1 + folded(new).count(folded(old)):
        return RejectedEdit("target_still_there", f"“{old}” is read {old_after} times, {old_before} times before")
    return None


def wrong_surroundings(
    instruction: Instruction, before: PageText, after: PageText, boxes: Sequence[Box]
) -> RejectedEdit | None:
    """Return what else changed in the edited blocks; only letters and digits count, since OCR of marks is
    unreliable.
    """
    verb = instruction.operation.rpartition("_")[2]
    old_text, new_text = (
        "".join(
            _letters(block.plain_text)
            for block in page.blocks
            if any(block.box.shared_area(box) for box in boxes) and not (block.html and verb == "structure")
        )
        for page in (before, after)
    )
    old, new = _letters(instruction.target), _letters(instruction.replacement)
    starts = (
        [place for place in range(len(old_text)) if old_text.startswith(old, place)]
        if old
        else range(len(old_text) + 1)
    )
    if verb == "structure":  # `wrong_text` has checked the table cell by cell
        expected = [old_text]
    elif verb == "insert":
        places = {end for start in starts for end in (start, start + len(old))}
        expected = [old_text[:place] + new + old_text[place:] for place in sorted(places)]
    else:
        expected = [old_text[:start] + new + old_text[start + len(old) :] for start in starts]
    distance = min((Levenshtein.distance(each, new_text) for each in expected), default=0)
    if distance > len(new_text) * NOISE:
        return RejectedEdit(
            "more_changed", f"{distance} of {len(new_text)} letters or digits differ from the expected text"
        )
    return None


def _letters(text: str) -> str:
    return confusable(regex.sub(r"[^\p{L}\p{N}]", "", folded(text)))


def _count(page: PageIndex, words: str) -> int:
    """Return how often words are read; if never, how often up to confusable characters."""
    if not folded(words):
        return 0
    exact = page.count(words)
    if exact or len(folded(words)) < LONG_ENOUGH:
        return exact
    return sum(confusable(folded(block.plain_text)).count(confusable(folded(words))) for block in page.page_text.blocks)


def wrong_place(instruction: Instruction, boxes: Sequence[Box], page: Size) -> RejectedEdit | None:
    """Check that the image differs from its page in one place, at the target; return what is wrong, None if nothing."""
    if not boxes:
        return RejectedEdit("not_edited", "no difference from the page")
    if len(boxes) > 1:
        places = "; ".join(f"{box.x1:.0f},{box.y1:.0f}–{box.x2:.0f},{box.y2:.0f}" for box in boxes[:4])
        return RejectedEdit("several_places", f"{len(boxes)} places: {places}{'; …' if len(boxes) > 4 else ''}")
    box, place = boxes[0], instruction.place
    beside = BESIDE * max(page)
    if place and not box.shared_area(Box(place.x1 - beside, place.y1 - beside, place.x2 + beside, place.y2 + beside)):
        return RejectedEdit(
            "other_place", f"at {box.x1:.0f},{box.y1:.0f}; the target is at {place.x1:.0f},{place.y1:.0f}"
        )
    share = box.area / (page.width * page.height)
    if share > LARGEST and (place is None or box.area > 1.5 * place.area):
        return RejectedEdit("too_much_changed", f"{share:.0%} of the page")
    return None


def wrong_elsewhere(source: Image, edited: Image, boxes: Sequence[Box]) -> RejectedEdit | None:
    """Return what changed outside the boxes, None if nothing; both images have the same size."""
    limits = Thresholds()
    mask = mask_of(Size(source.shape[1], source.shape[0]), boxes) > 0
    traces = outside(edited, source, mask)
    if traces and traces.preservation < limits.preservation:
        return RejectedEdit(
            "page_changed", f"{traces.preservation:.2%} of the page kept, expected {limits.preservation:.2%}"
        )
    if traces and traces.stray > limits.stray:
        return RejectedEdit("page_changed", f"something new on {traces.stray:.2%} of the page")
    return None


def wrong_region(instruction: Instruction, regions: Sequence[PageText]) -> RejectedEdit | None:
    """Check the text of the changed region alone; the region may show only part of the changed text."""
    text = folded(" ".join(block.plain_text for region in regions for block in region.blocks))
    if instruction.operation == "table_structure":
        return _wrong_lines_of(instruction, regions, text)
    removed, added = changed_part(instruction.target, instruction.replacement)
    if instruction.operation.endswith("insert"):
        removed, added = "", instruction.replacement
    if folded(added) not in text and confusable(folded(added)) not in confusable(text):
        return RejectedEdit("region_misread", f"“{added}” is not read there, but “{text[:80]}”")
    if not folded(added) and folded(removed) and folded(removed) in text:
        return RejectedEdit("region_misread", f"“{removed}” is still read there")
    return None


def _wrong_lines_of(instruction: Instruction, regions: Sequence[PageText], text: str) -> RejectedEdit | None:
    """Like `wrong_region`, for rows, columns and cells: added texts are read there, deleted ones are not."""
    asked = table_request(instruction.instruction)
    missing = [each for each in asked.added if confusable(folded(each)) not in confusable(text)]
    if missing:
        return RejectedEdit("region_misread", f"“{missing[0]}” is not read there, but “{text[:80]}”")
    removed = folded(asked.removed)
    texts = [text for region in regions for block in region.blocks for text in _texts_of(block)]
    if removed and removed in map(folded, texts):
        return RejectedEdit("region_misread", f"“{asked.removed}” is still read there")
    return None


def _texts_of(block: Block) -> list[str]:
    return [cell.text for row in parse_table(block.html) for cell in row] if block.html else [block.plain_text]


def changed_part(old: str, new: str) -> tuple[str, str]:
    """Return the differing parts of two texts, in whole words, without the common beginning and end.

    >>> changed_part("Annual Report 2023", "Annual Report 2024"), changed_part("共三项", "共五项")
    (('2023', '2024'), ('三', '五'))
    >>> changed_part("gone", "")
    ('gone', '')
    """
    one, other = _TOKEN.findall(old), _TOKEN.findall(new)
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return _joined(one[start : len(one) - end]), _joined(other[start : len(other) - end])


def _joined(tokens: Sequence[str]) -> str:
    return " ".join(tokens)
