"""Outcomes of edit requests, and the changes that belong to them, without a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from vdebench.changes.change import Change, EditOutcome
from vdebench.changes.engine import PageComparison
from vdebench.changes.kept_words import keeps_context, keeps_rest
from vdebench.changes.line_pairs import line_text
from vdebench.changes.meant_places import MeantPlaces, find_places
from vdebench.changes.target_outcome import (
    at_target,
    contains,
    count_text,
    is_changed,
    output_texts,
    resembles,
    search_box,
)
from vdebench.changes.targets import PlacedText, Target
from vdebench.changes.words import compared, similarity
from vdebench.core.box import Box
from vdebench.instructions.request import EditRequest
from vdebench.readers.layout.grouping import center_inside, group_lines
from vdebench.readers.reader import LikelihoodReader

BLOCK_ACTIONS = ("delete_block", "insert_block")
"""Actions whose target is the beginning of a block only."""
_ORDER = ("done", "partly", "wrong_text", "not_done", "unknown")


class RequestOutcome(NamedTuple):
    """The outcome of one request at one place, and that place on the page."""

    request: EditRequest
    outcome: EditOutcome
    target: Target | None


def outcomes(
    comparison: PageComparison, requests: Sequence[EditRequest], reader: LikelihoodReader
) -> list[RequestOutcome]:
    """Return the outcome of each request; of a request for every place, one for each place."""
    lines = [PlacedText(line.box, line_text(line)) for line in comparison.page.lines]
    return [
        outcome
        for request in requests
        for outcome in _outcomes(comparison, request, find_places(request, lines), reader)
    ]


def _outcomes(
    comparison: PageComparison, request: EditRequest, places: MeantPlaces, reader: LikelihoodReader
) -> list[RequestOutcome]:
    if not places.targets:
        return [RequestOutcome(request, _without_target(comparison, request), None)]
    tried = [RequestOutcome(request, at_target(comparison, request, each, reader), each) for each in places.targets]
    if places.unclear:
        untouched = all(each.outcome == "not_done" for each in tried)
        return [RequestOutcome(request, "not_done" if untouched else "unknown", places.targets[0])]
    if request.everywhere:
        also = [RequestOutcome(request, "done", each) for each in places.optional if is_changed(comparison, each)]
        return [*_counted(comparison, tried), *also]
    best = min(tried, key=lambda each: (_ORDER.index(each.outcome), not _is_changed(comparison, each)))
    return [best]


def _is_changed(comparison: PageComparison, found: RequestOutcome) -> bool:
    return found.target is not None and is_changed(comparison, found.target)


def _without_target(comparison: PageComparison, request: EditRequest) -> EditOutcome:
    """Return the outcome of a request whose text is not found on the page: the new text may tell."""
    if request.action in ("replace", "insert_after", "insert_before", "insert_block") and request.new:
        everywhere = output_texts(comparison, None)
        new = any(contains(each.text, request.new) for each in everywhere)
        old = any(contains(line.text, request.new) for line in comparison.page.lines)
        if new and not old:
            return "unknown" if request.everywhere else "done"
        if not old and any(resembles(each.text, request.new) for each in everywhere):
            return "wrong_text"
    return "unknown" if comparison.result.changes else "not_done"


def _counted(comparison: PageComparison, tried: Sequence[RequestOutcome]) -> list[RequestOutcome]:
    """Correct the outcomes at all places of a text: neighbouring places are seen with each other's new text.

    No more places are done than the new text is read more often, or the old one less often, than before.
    """
    request, targets = tried[0].request, [each.target for each in tried if each.target is not None]
    areas = [search_box(request, each, comparison.page) for each in targets]
    deletes = request.action == "delete"
    wanted, other = (targets[0].text, "") if deletes else (request.new, targets[0].text)
    before, after = count_text(comparison, wanted, other, areas, inside_number=targets[0].inside_number)
    possible = max(0, before - after if deletes else after - before)
    done = [number for number, each in enumerate(tried) if each.outcome == "done"]
    shows = [_shows(comparison, each) for each in tried]
    doubtful = sorted(done, key=lambda number: shows[number])[: max(0, len(done) - possible)]
    result = list(tried)
    for number in doubtful:
        if not shows[number]:
            result[number] = tried[number]._replace(outcome="not_done" if deletes else "wrong_text")
    return result


def _shows(comparison: PageComparison, found: RequestOutcome) -> bool:
    """Whether a change at the place of a request shows what was asked for: the new text, or a text that is gone."""
    target, request = found.target, found.request
    if target is None:
        return False
    for change in comparison.result.changes:
        if change.box_before is not None and _is_in(change.box_before, target):
            if request.action == "delete":
                if not contains(change.after, target.text):
                    return True
            elif contains(change.after, request.new):
                return True
    return False


def mark_asked(comparison: PageComparison, found: Sequence[RequestOutcome]) -> list[Change]:
    """Return the changes, each with whether a request asked for it."""
    if not found or any(each.outcome == "unknown" for each in found):
        return list(comparison.result.changes)
    blocks = _deleted_blocks(comparison, found)
    return [
        replace(change, asked=_is_asked(change, comparison, found) or _is_deleted(change, blocks))
        for change in comparison.result.changes
    ]


def _deleted_blocks(comparison: PageComparison, found: Sequence[RequestOutcome]) -> list[Box]:
    """Return the blocks of the page that requests delete whole; their targets are the beginnings."""
    targets = [each.target for each in found if each.request.action == "delete_block" and each.target is not None]
    blocks = [block.box for block in group_lines(comparison.page.lines)] if targets else []
    return [
        max(blocks, key=lambda box: box.shared_area(target.boxes[0]))
        for target in targets
        if any(box.shared_area(target.boxes[0]) > 0 for box in blocks)
    ]


def _is_deleted(change: Change, blocks: Sequence[Box]) -> bool:
    box = change.box_before
    return change.kind == "lost" and box is not None and any(center_inside(box, block) for block in blocks)


def _is_asked(change: Change, comparison: PageComparison, found: Sequence[RequestOutcome]) -> bool:
    if change.kind in ("restyled", "residue", "ink_lost", "ink_added", "illegible"):
        return False
    for each in found:
        target, new = each.target, each.request.new
        if target is None:
            if new and _adds(change, new):
                return True
            continue
        if change.box_before is not None and _is_in(change.box_before, target):
            if change.kind == "moved" or each.request.action in BLOCK_ACTIONS:
                return True
            lines = comparison.page.lines
            parts = [line_text(lines[number]).text[span.start : span.stop] for number, span in target.parts]
            replaced = [target.text, *parts] if each.request.action in ("replace", "delete") else [""]
            wanted = target.text if each.request.action == "delete" and each.outcome == "partly" else new
            if any(keeps_rest(change, part, wanted) for part in replaced):
                return True
            stands_another = each.outcome != "done" and each.request.action != "delete"
            if stands_another and any(keeps_context(change, part) for part in replaced):
                return True
        if change.kind == "added" and new and _adds(change, new):
            pages = comparison.pages
            if pages is None or change.box_after is None:
                return True
            return (
                search_box(each.request, target, comparison.page).shared_area(pages.box_to_page(change.box_after)) > 0
            )
    return False


def _is_in(box: Box, target: Target) -> bool:
    """Whether a change lies mostly in the target, or the target in the change."""
    for part in target.boxes:
        shared = box.shared_area(part)
        if shared > 0.4 * min(box.area, part.area):
            return True
    return False


def _adds(change: Change, new: str) -> bool:
    """Whether added text is the new text or a part of it."""
    text, wanted = compared(change.after).characters, compared(new).characters
    return bool(text) and (text in wanted or text.removesuffix("-") in wanted or similarity(change.after, new) > 0.5)
