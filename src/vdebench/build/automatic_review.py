"""A filter that stands in for people: an edit passes where readings and pixels say it did what was asked, and no more.

It knows nothing of how an edit looks. What it lets through was not reviewed by people, and the data set says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import regex
from rapidfuzz.distance import Levenshtein

from vdebench.build.paste_back import mask_of
from vdebench.build.table_check import asked_of_table, wrong_structure
from vdebench.core.box import Box, Size
from vdebench.core.images import Image
from vdebench.core.page_text import Block, PageText
from vdebench.instructions.folding import confusable, folded
from vdebench.instructions.page_index import LONG_ENOUGH, PageIndex
from vdebench.instructions.records import Instruction
from vdebench.metrics.edit_traces import outside
from vdebench.metrics.teds import parse_table
from vdebench.stats.usable import Thresholds

IDENTITY = "filter-2"
"""Changes with any rule below."""
REASONS = {
    "not_edited": "the image is the page as it was",
    "target_not_read": "the reader does not find the target on the page, so nothing can be said of it",
    "target_still_there": "the text that was to go is still read",
    "replacement_not_read": "the text that was to come is not read",
    "neighbour_lost": "the text beside the insertion is not read any more",
    "not_decided": "the words do not tell which row, column or cells are meant, so nothing can be said of them",
    "structure_not_changed": "the table has as many rows and columns as before, or the cells are not one",
    "more_changed": "other words of the same block, or other cells, read differently too",
    "several_places": "the image differs from the page in more than one place",
    "other_place": "it differs elsewhere than where the target stands",
    "too_much_changed": "what differs is more than could be asked for",
    "page_changed": "something outside the place was lost or has come",
    "region_misread": "the place alone does not read as it should",
    "misread": "the finished image does not read as it should",
}
"""Why an edit is turned down, in the order in which it is looked at."""
LARGEST = 0.4
"""Share of the page above which a difference is no edit of one place, unless the target's block is that large."""
BESIDE = 0.02
"""How far from the target's block an edit may begin, as a share of the page's longer side."""
NOISE = 0.01
"""Share of a block's letters that a reader may read differently the second time."""
_TOKEN = regex.compile(r"\p{Han}|[^\s\p{Han}]+")


class RejectedEdit(NamedTuple):
    """Why an edit goes no further."""

    reason: str
    words: str


def wrong_text(instruction: Instruction, before: PageText, after: PageText) -> RejectedEdit | None:
    """What is wrong with what a page reads after an edit, held against what it read before; nothing where it is right.

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
    """What else reads differently in the blocks that changed; letters and digits count, marks are readers' noise."""
    verb = instruction.operation.rpartition("_")[2]
    here, there = (
        "".join(
            _letters(block.plain_text)
            for block in page.blocks
            if any(block.box.shared_area(box) for box in boxes) and not (block.html and verb == "structure")
        )
        for page in (before, after)
    )
    old, new = _letters(instruction.target), _letters(instruction.replacement)
    starts = [place for place in range(len(here)) if here.startswith(old, place)] if old else range(len(here) + 1)
    if verb == "structure":  # of the table itself `wrong_text` has said it, cell by cell
        expected = [here]
    elif verb == "insert":
        places = {end for start in starts for end in (start, start + len(old))}
        expected = [here[:place] + new + here[place:] for place in sorted(places)]
    else:
        expected = [here[:start] + new + here[start + len(old) :] for start in starts]
    apart = min((Levenshtein.distance(each, there) for each in expected), default=0)
    if apart > len(there) * NOISE:
        return RejectedEdit(
            "more_changed", f"{apart} letters or digits differ from what was asked for, of {len(there)}"
        )
    return None


def _letters(text: str) -> str:
    return confusable(regex.sub(r"[^\p{L}\p{N}]", "", folded(text)))


def _count(page: PageIndex, words: str) -> int:
    """How often words are read; where never, in marks that readers confuse."""
    if not folded(words):
        return 0
    exact = page.count(words)
    if exact or len(folded(words)) < LONG_ENOUGH:
        return exact
    return sum(confusable(folded(block.plain_text)).count(confusable(folded(words))) for block in page.page_text.blocks)


def wrong_place(instruction: Instruction, boxes: Sequence[Box], page: Size) -> RejectedEdit | None:
    """What is wrong with where an image differs from its page; nothing where it is one place, the target's."""
    if not boxes:
        return RejectedEdit("not_edited", "no difference from the page")
    if len(boxes) > 1:
        shown = "; ".join(f"{box.x1:.0f},{box.y1:.0f}–{box.x2:.0f},{box.y2:.0f}" for box in boxes[:4])
        return RejectedEdit("several_places", f"{len(boxes)} places: {shown}{'; …' if len(boxes) > 4 else ''}")
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
    """What became of the page outside the boxes, where something did; both images are of one size."""
    limits = Thresholds()
    mask = mask_of(Size(source.shape[1], source.shape[0]), boxes) > 0
    found = outside(edited, source, mask)
    if found and found.preservation < limits.preservation:
        return RejectedEdit(
            "page_changed", f"{found.preservation:.2%} of the page kept, expected {limits.preservation:.2%}"
        )
    if found and found.stray > limits.stray:
        return RejectedEdit("page_changed", f"something new on {found.stray:.2%} of the page")
    return None


def wrong_region(instruction: Instruction, regions: Sequence[PageText]) -> RejectedEdit | None:
    """What is wrong with what the changed place reads by itself; a place may be a part of what was asked for."""
    told = folded(" ".join(block.plain_text for region in regions for block in region.blocks))
    if instruction.operation == "table_structure":
        return _wrong_lines_of(instruction, regions, told)
    gone, come = changed_part(instruction.target, instruction.replacement)
    if instruction.operation.endswith("insert"):
        gone, come = "", instruction.replacement
    if folded(come) not in told and confusable(folded(come)) not in confusable(told):
        return RejectedEdit("region_misread", f"“{come}” is not read there, but “{told[:80]}”")
    if not folded(come) and folded(gone) and folded(gone) in told:
        return RejectedEdit("region_misread", f"“{gone}” is still read there")
    return None


def _wrong_lines_of(instruction: Instruction, regions: Sequence[PageText], told: str) -> RejectedEdit | None:
    """The same for a table's rows, columns and cells: those that have come are read there, one that is gone is not."""
    asked = asked_of_table(instruction.instruction)
    lacking = [each for each in asked.come if confusable(folded(each)) not in confusable(told)]
    if lacking:
        return RejectedEdit("region_misread", f"“{lacking[0]}” is not read there, but “{told[:80]}”")
    gone = folded(asked.gone)
    texts = [text for region in regions for block in region.blocks for text in _texts_of(block)]
    if gone and gone in map(folded, texts):
        return RejectedEdit("region_misread", f"“{asked.gone}” is still read there")
    return None


def _texts_of(block: Block) -> list[str]:
    return [cell.text for row in parse_table(block.html) for cell in row] if block.html else [block.plain_text]


def changed_part(old: str, new: str) -> tuple[str, str]:
    """What of two texts differs, in whole words: what they begin and end with alike may stand outside the place.

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
