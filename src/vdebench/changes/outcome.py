"""Outcomes of edit requests, and the changes that belong to them, without a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from vdebench.changes.change import Change, EditOutcome
from vdebench.changes.deletion import block_from
from vdebench.changes.engine import PageComparison
from vdebench.changes.kept_words import adds_part, keeps_context, keeps_rest, writes_part
from vdebench.changes.line_pairs import line_text
from vdebench.changes.meant_places import MeantPlaces, find_places, read_places
from vdebench.changes.target_outcome import (
    at_target,
    contains,
    count_text,
    is_changed,
    output_texts,
    resembles,
    search_box,
)
from vdebench.changes.targets import Target
from vdebench.changes.verdict import INK_DAMAGE
from vdebench.changes.words import PlacedText, compared
from vdebench.core.box import Box
from vdebench.instructions.request import EditRequest
from vdebench.readers.layout.grouping import center_inside
from vdebench.readers.reader import LikelihoodReader, ReadLines

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
    lines = placed_lines(comparison.page)
    found = [
        outcome
        for request in requests
        for outcome in _outcomes(comparison, request, _places(comparison, request, lines), reader)
    ]
    return [_exchanged(comparison, each) if _is_exchange(each.request, requests) else each for each in found]


def can_tell(request: EditRequest) -> bool:
    """Whether a comparison shows that a request was fulfilled: spaces and the case of some letters are not compared.

    >>> can_tell(EditRequest("replace", "Cost", "cost")), can_tell(EditRequest("replace", "Cost", "Price"))
    (False, True)
    """
    return request.action != "replace" or compared(request.target).characters != compared(request.new).characters


def _is_exchange(request: EditRequest, requests: Sequence[EditRequest]) -> bool:
    """Whether a request writes what another one replaces, or the other way round."""
    others = [each for each in requests if each.action == "replace" and each != request]
    return request.action == "replace" and any(
        compared(one).characters == compared(two).characters
        for each in others
        for one, two in ((request.new, each.target), (request.target, each.new))
    )


def _exchanged(comparison: PageComparison, found: RequestOutcome) -> RequestOutcome:
    """Correct the outcome of one of two exchanged texts: its own place decides, as the other may stand beside it."""
    return found._replace(outcome="done") if _shows(comparison, found) else found


def placed_lines(page: ReadLines) -> list[PlacedText]:
    """Return the lines that were read on an image, with their boxes."""
    return [PlacedText(line.box, line_text(line)) for line in page.lines]


def _places(comparison: PageComparison, request: EditRequest, lines: Sequence[PlacedText]) -> MeantPlaces:
    """Return the places that a request means; of a block that is deleted, all its lines.

    Where an item of several lines ends is not known: the block may have other items.
    """
    places = find_places(request, lines)
    if request.action != "delete_block":
        return places
    read, one_line = comparison.page.lines, request.block == "line"
    blocks = tuple(block_from(each, read, one_line=one_line) for each in places.targets)
    unclear = request.block == "item" and any(len(each.parts) > 1 for each in blocks)
    return MeantPlaces(blocks, unclear=places.unclear or unclear)


def _outcomes(
    comparison: PageComparison, request: EditRequest, places: MeantPlaces, reader: LikelihoodReader
) -> list[RequestOutcome]:
    if not can_tell(request):
        return [RequestOutcome(request, "unknown", places.targets[0] if places.targets else None)]
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
        old = read_places(request.new, placed_lines(comparison.page))
        new = read_places(request.new, placed_lines(comparison.output))
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
    written = [_written_at(comparison, each) for each in found]
    return [
        replace(change, asked=any(_is_asked(change, comparison, *each) for each in zip(found, written, strict=True)))
        for change in comparison.result.changes
    ]


def _written_at(comparison: PageComparison, found: RequestOutcome) -> list[Target]:
    """Return where the output has the new text of a request whose place on the page is not known.

    A misspelt text counts where the outcome is `wrong_text`.
    """
    if found.target is not None or not found.request.new:
        return []
    lines = placed_lines(comparison.output)
    if found.outcome != "wrong_text":
        return read_places(found.request.new, lines)
    return [
        Target(((number, range(len(line.text.text))),), (line.box,), line.text.text)
        for number, line in enumerate(lines)
        if resembles(line.text.text, found.request.new)
    ]


def _is_asked(change: Change, comparison: PageComparison, found: RequestOutcome, written: Sequence[Target]) -> bool:
    if change.kind in ("restyled", "illegible", *INK_DAMAGE):
        return False
    if found.target is None:
        return _is_written(change, found, written)
    if change.box_before is not None and _is_at_target(change, comparison, found, found.target):
        return True
    if change.kind != "added" or not found.request.new or not adds_part(change, found.request.new):
        return False
    if comparison.pages is None or change.box_after is None:
        return True
    area = search_box(found.request, found.target, comparison.page)
    return area.shared_area(comparison.pages.box_to_page(change.box_after)) > 0


def _is_written(change: Change, found: RequestOutcome, written: Sequence[Target]) -> bool:
    """Whether a change puts words of the new text where the output has it."""
    if change.kind not in ("replaced", "added", "duplicated") or change.box_after is None:
        return False
    for place in written:
        shared = sum(change.box_after.shared_area(box) for box in place.boxes)
        if shared <= 0.5 * change.box_after.area:
            continue
        if found.outcome == "wrong_text" or writes_part(change, found.request.new, broken=len(place.boxes) > 1):
            return True
    return False


def _is_at_target(change: Change, comparison: PageComparison, found: RequestOutcome, target: Target) -> bool:
    """Whether a change of text of the page is what a request asks for at its place."""
    request, box = found.request, change.box_before
    assert box is not None
    deletes = request.action in ("delete", "delete_block")
    if request.action == "delete_block" and change.kind == "lost" and center_inside(box, target.box):
        return True
    if not _is_in(box, target):
        return False
    if change.kind == "moved":
        return True
    lines = comparison.page.lines
    parts = [line_text(lines[number]).text[span.start : span.stop] for number, span in target.parts]
    replaced = [target.text, *parts] if deletes or request.action == "replace" else [""]
    wanted = target.text if deletes and found.outcome == "partly" else request.new
    if any(keeps_rest(change, part, wanted) for part in replaced):
        return True
    stands_another = found.outcome != "done" and not deletes
    return stands_another and any(keeps_context(change, part) for part in replaced)


def _is_in(box: Box, target: Target) -> bool:
    """Whether a change lies mostly in the target, or the target in the change."""
    for part in target.boxes:
        shared = box.shared_area(part)
        if shared > 0.4 * min(box.area, part.area):
            return True
    return False
