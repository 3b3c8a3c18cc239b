"""Changes of text between a page and an output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vdebench.changes.alignment import AlignedPages, cut
from vdebench.changes.change import Change, ChangeKind
from vdebench.changes.evidence import LinePair, gather
from vdebench.changes.joining import join_replaced, mark_duplicates
from vdebench.changes.line_pairs import PlacedLine, find_in_place, find_moved, in_row, line_text, without_moved
from vdebench.changes.reading_order import mark_reordered
from vdebench.changes.running_text import Piece, RemainingText, compare_running_text
from vdebench.changes.shifts import with_moved_pieces
from vdebench.changes.words import (
    Difference,
    LineText,
    PlacedText,
    count_words,
    differences,
    fact_kind,
    is_meaningful,
    tokens,
)
from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import LikelihoodReader, ReadLines

MIN_CONFIDENCE = 0.5
"""Least confidence of a change that is reported."""
MIN_PUNCTUATION = 8.0
"""Least evidence for a change of a mark; readers confuse them most often."""
EDGE_TOLERANCE = 0.12
"""Part of a line, in heights, that may lie outside the frame without being cut off."""
COVERED = 0.6
"""Share of a line of the output that lines of the page must cover for it to be one of them."""
MAX_DRIFT = 0.8
"""Distance in heights by which the ends of words may differ that replace each other at the end of a line."""
MIN_MOVE = 0.35
"""Least distance of a line from its place, in heights, down or up, for it to have moved."""
PRESENT = 0.8
"""Correlation from which ink is at its place, whatever was read."""


@dataclass
class TextComparison:
    """The changes of text of a page."""

    changes: list[Change] = field(default_factory=list)
    cropped_words: int = 0
    lines: list[Box] = field(default_factory=list)
    """Boxes of the lines of the page."""
    output_lines: list[Box] = field(default_factory=list)
    """Boxes of the lines of the output, on the page; also of lines that could not be read."""
    unchanged: list[PlacedText] = field(default_factory=list)
    """Lines that read as before, at their place."""
    uncertain: list[PlacedText] = field(default_factory=list)
    """Lines that read differently, with too little evidence for a change."""


def compare_text(pages: AlignedPages, page: ReadLines, output: ReadLines, reader: LikelihoodReader) -> TextComparison:
    """Compare the text of a page with that of an output that is registered on it."""
    result = TextComparison()
    lines = _inside_frame(pages, page.lines, result)
    placed = [
        PlacedLine(number, pages.box_to_page(line.box), line_text(line)) for number, line in enumerate(output.lines)
    ]
    result.lines = page.boxes
    result.output_lines = [pages.box_to_page(box) for box in output.boxes]
    found = without_moved(find_in_place(pages, lines, placed, reader), lines, placed)
    lost: list[Piece] = []
    missing = []
    explained = [change.box_before for change in result.changes if change.box_before]  # cut off
    for each in found:
        line = lines[each.line]
        if each.same:
            explained.append(line.box)
            result.unchanged.append(line)
        elif each.pair is not None:
            explained += [line.box, each.pair.box_after]
        else:
            missing.append((each.line, line.box, line.text))
    free = _unexplained(placed, explained)
    whole = [piece.line for piece in free if piece.is_whole]
    moved, nowhere = find_moved(missing, whole, pages.before, pages.after)
    taken = {number for _, number, _ in moved}
    result.changes += [_moved(pair, pages) for _, _, pair in moved if _is_far(pair)]
    pairs = [each.pair for each in found if each.pair is not None] + [pair for _, _, pair in moved]
    added: list[Piece] = []
    for number, pair in enumerate(pairs):
        _compare_pair(pair, number, pages, reader, result, lost, added)
    for index in nowhere:
        line = lines[index]
        lost.append(Piece(index, line.text, range(len(line.text.text)), line.box, cut(pages.before, line.box)))
    for piece in free:
        if piece.line.number not in taken:
            line_box = piece.line.box
            added.append(Piece(piece.line.number, piece.line.text, piece.span, line_box, cut(pages.after, line_box)))
    for remaining in compare_running_text(lost, added):
        _add_remaining(remaining, pages, reader, result)
    standing = [line.text.text for line in result.unchanged]
    changes = mark_duplicates(with_moved_pieces(join_replaced(result.changes, pages), pages), standing)
    result.changes = mark_reordered(changes, [line.box for line in result.unchanged], pages)
    return result


def compare_text_anywhere(
    before: Image, after: Image, page: ReadLines, output: ReadLines, reader: LikelihoodReader
) -> TextComparison:
    """Compare the text of a page with that of an output that cannot be registered, by text alone."""
    result = TextComparison()
    lines = [(index, line.box, line_text(line)) for index, line in enumerate(page.lines) if is_meaningful(line.text)]
    placed = [PlacedLine(number, line.box, line_text(line)) for number, line in enumerate(output.lines)]
    moved, nowhere = find_moved(lines, placed, before, after)
    taken = {number for _, number, _ in moved}
    lost: list[Piece] = []
    added: list[Piece] = []
    for number, (_, _, pair) in enumerate(moved):
        _compare_pair(pair, number, None, reader, result, lost, added)
    texts = {index: (box, text) for index, box, text in lines}
    for index in nowhere:
        box, text = texts[index]
        lost.append(Piece(index, text, range(len(text.text)), box, cut(before, box)))
    added += [
        Piece(line.number, line.text, range(len(line.text.text)), line.box, cut(after, line.box))
        for line in placed
        if line.number not in taken and is_meaningful(line.text.text)
    ]
    for remaining in compare_running_text(lost, added):
        _add_remaining(remaining, None, reader, result)
    standing = [pair.before.text for _, _, pair in moved]
    result.changes = mark_duplicates(result.changes, standing)
    return result


def _inside_frame(pages: AlignedPages, lines: Sequence[Line], result: TextComparison) -> list[PlacedText]:
    """Return the parts of lines inside the output's frame; words that are cut off become changes."""
    frame = pages.frame
    inside = []
    for line in lines:
        text, box = line_text(line), line.box
        slack = EDGE_TOLERANCE * (box.y2 - box.y1)
        if box.y1 < frame.y1 - slack or box.y2 > frame.y2 + slack:
            kept: list[range] = []
        else:
            width = box.x2 - box.x1
            ends = [(token, text.span(token.start, token.stop)) for token in tokens(text.text)]
            kept = [
                token
                for token, (start, end) in ends
                if box.x1 + start * width >= frame.x1 - slack and box.x1 + end * width <= frame.x2 + slack
            ]
            if len(kept) == len(ends):
                inside.append(PlacedText(box, text))
                continue
        start, stop = (kept[0].start, kept[-1].stop) if kept else (0, 0)
        for part in (range(start), range(stop, len(text.text))):
            words = text.text[part.start : part.stop].strip()
            if is_meaningful(words):
                place = PlacedText(box, text).part(part)
                result.changes.append(Change("cropped", words, "", place, None, fact_kind(words)))
                result.cropped_words += count_words(words)
        if is_meaningful(text.text[start:stop]):
            edges = text.edges[start : stop + 1]
            part_box = PlacedText(box, text).part(range(start, stop))
            if edges:
                low, high = edges[0], edges[-1]
                edges = tuple((edge - low) / max(1e-6, high - low) for edge in edges)
            inside.append(PlacedText(part_box, LineText(text.text[start:stop], edges, text.probabilities[start:stop])))
    return inside


class _FreeLine(NamedTuple):
    """A line of the output, or a part of one, where the page has no line."""

    line: PlacedLine
    span: range

    @property
    def is_whole(self) -> bool:
        return len(self.span) == len(self.line.text.text)


def _unexplained(output: Sequence[PlacedLine], explained: Sequence[Box]) -> list[_FreeLine]:
    """Return the lines of the output, or their parts, that no line of the page covers."""
    free = []
    for line in output:
        box, text = line.box, line.text
        row = [each for each in explained if in_row(box, each)]
        width, height = box.x2 - box.x1, box.y2 - box.y1
        uncovered = []
        for token in tokens(text.text):
            start, end = text.span(token.start, token.stop)
            left, right = box.x1 + start * width, box.x1 + end * width
            slack = 0.35 * height
            shared = sum(max(0.0, min(right, each.x2 + slack) - max(left, each.x1 - slack)) for each in row)
            if shared < COVERED * (right - left):
                uncovered.append(token)
        if uncovered and is_meaningful("".join(text.text[each.start : each.stop] for each in uncovered)):
            if len(uncovered) > 0.8 * len(tokens(text.text)):
                free.append(_FreeLine(line, range(len(text.text))))
            else:
                free.append(_FreeLine(line, range(uncovered[0].start, uncovered[-1].stop)))
    return free


def _compare_pair(
    pair: LinePair,
    number: int,
    pages: AlignedPages | None,
    reader: LikelihoodReader,
    result: TextComparison,
    lost: list[Piece],
    added: list[Piece],
) -> None:
    """Add the differences of two readings of a line; those at its ends may be text that moved to another line."""
    one, other = pair.before.text, pair.after.text
    found = differences(one, other)
    outer = _outer(found, pair)
    inner = [each for place, each in enumerate(found) if place not in outer]
    for place in sorted(outer):
        each = found[place]
        origin = 1000 * number + place
        gone, new = each.words_before, each.words_after
        if is_meaningful(one[gone.start : gone.stop]):
            lost.append(Piece(number, pair.before, gone, pair.box, pair.image_before, origin))
        if is_meaningful(other[new.start : new.stop]):
            added.append(Piece(number, pair.after, new, pair.box_after, pair.image_after, origin))
    if not inner:
        return
    for each, evidence in zip(inner, gather(pair, inner, reader, pages), strict=True):
        before, after = each.texts(one, other)
        if before == after:
            continue
        if evidence.confidence < MIN_CONFIDENCE:
            result.uncertain.append(PlacedText(pair.box, pair.before))
            continue
        if each.is_punctuation(one, other) and evidence.score < MIN_PUNCTUATION:
            continue
        kind: ChangeKind = "replaced" if before and after else "lost" if before else "added"
        if kind == "replaced" and evidence.is_weak:
            kind = "weakened"
        result.changes.append(
            Change(
                kind,
                before,
                after,
                PlacedText(pair.box, pair.before).part(each.words_before),
                _on_output(pages, PlacedText(pair.box_after, pair.after).part(each.words_after)),
                fact_kind(before, after),
                confidence=evidence.confidence,
                evidence=evidence.to_json(),
            )
        )


def _is_far(pair: LinePair) -> bool:
    """Whether a line is at another place than before: not only a letter or two further in its row."""
    one, other = pair.box, pair.box_after
    height = one.y2 - one.y1
    return abs(other.y1 + other.y2 - one.y1 - one.y2) / 2 > MIN_MOVE * height or abs(other.x1 - one.x1) > 2 * height


def _moved(pair: LinePair, pages: AlignedPages) -> Change:
    text = pair.before.text.strip()
    place = pages.box_to_output(pair.box_after)
    return Change("moved", text, pair.after.text.strip(), pair.box, place, fact_kind(text))


def _outer(found: Sequence[Difference], pair: LinePair) -> set[int]:
    """Return the numbers of the differences at the ends of a line that may be text that moved to or from another line.

    A difference with no word between it and such a one belongs to it.
    """
    outer = {place for place, each in enumerate(found) if _may_continue(each, pair)}
    for place in [*range(1, len(found)), *range(len(found) - 2, -1, -1)]:
        for neighbour in (place - 1, place + 1):
            first = min(place, neighbour)
            if neighbour in outer and not _words_between(found[first], found[first + 1], pair):
                outer.add(place)
    return outer


def _words_between(one: Difference, other: Difference, pair: LinePair) -> bool:
    before = pair.before.text[one.words_before.stop : other.words_before.start]
    after = pair.after.text[one.words_after.stop : other.words_after.start]
    return is_meaningful(before) or is_meaningful(after)


def _may_continue(difference: Difference, pair: LinePair) -> bool:
    """Whether a difference may be text that moved to or from another line: at an end, and of unequal width."""
    one, other = pair.before.text, pair.after.text
    before, after = difference.words_before, difference.words_after
    at_start = not one[: before.start].strip() or not other[: after.start].strip()
    at_stop = not one[before.stop :].strip() or not other[after.stop :].strip()
    if not at_start and not at_stop:
        return False
    if not one[before.start : before.stop].strip() or not other[after.start : after.stop].strip():
        return True
    boxes = PlacedText(pair.box, pair.before).part(before), PlacedText(pair.box_after, pair.after).part(after)
    if pair.place is None:
        widths = [box.x2 - box.x1 for box in boxes]
        return max(widths) > 1.5 * min(widths)
    slack = MAX_DRIFT * (pair.box.y2 - pair.box.y1)
    return abs(boxes[0].x1 - boxes[1].x1) > slack or abs(boxes[0].x2 - boxes[1].x2) > slack


def _on_output(pages: AlignedPages | None, box: Box) -> Box:
    return pages.box_to_output(box) if pages is not None else box


def _add_remaining(
    remaining: RemainingText, pages: AlignedPages | None, reader: LikelihoodReader, result: TextComparison
) -> None:
    """Add text that is lost, added or replaced, unless the pixels say that it is not."""
    lost, added = remaining
    if lost is not None and added is not None:
        pair = LinePair(lost.box, lost.text, added.text, lost.image, added.image, added.box)
        difference = Difference(lost.span, added.span, lost.span, added.span)
        (evidence,) = gather(pair, [difference], reader, pages)
        if evidence.confidence < MIN_CONFIDENCE:
            return
        result.changes.append(
            Change(
                "replaced",
                lost.words,
                added.words,
                lost.box_of(lost.span),
                _on_output(pages, added.box_of(added.span)),
                fact_kind(lost.words, added.words),
                confidence=evidence.confidence,
                evidence=evidence.to_json(),
            )
        )
    elif lost is not None:
        box = lost.box_of(lost.span)
        correlation = pages.settle(box).correlation if pages is not None else 0.0
        if correlation >= PRESENT:
            return
        result.changes.append(
            Change(
                "lost",
                lost.words,
                "",
                box,
                None,
                fact_kind(lost.words),
                confidence=1 - max(0.0, correlation) / 2,
                evidence={"correlation": correlation},
            )
        )
    elif added is not None:
        box = added.box_of(added.span)
        correlation = pages.settle_back(box).correlation if pages is not None else 0.0
        if correlation >= PRESENT:
            return
        result.changes.append(
            Change(
                "added",
                "",
                added.words,
                None,
                _on_output(pages, box),
                fact_kind(added.words),
                confidence=1 - max(0.0, correlation) / 2,
                evidence={"correlation": correlation},
            )
        )
