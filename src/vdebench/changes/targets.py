"""The place on a page that an edit request means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import regex

from vdebench.changes.line_pairs import in_row
from vdebench.changes.words import PlacedText, compared, similarity, tokens
from vdebench.core.box import Box
from vdebench.instructions.request import EditRequest

MAX_LINES = 4
"""Greatest number of lines over which a target is searched."""
MIN_FUZZY = 0.75
"""Least similarity of a line to a target that the reader did not read exactly."""
_NUMBER, _DIGITS = regex.compile(r"\d+(?:[.,:]\d+)*"), regex.compile(r"\d+")
_LABELLED = regex.compile(r"\s*[:：]\s*(\d+(?:[.,:]\d+)*)(?!\S)")


class Target(NamedTuple):
    """A place on the page: a range of characters in each of its lines."""

    parts: tuple[tuple[int, range], ...]
    boxes: tuple[Box, ...]
    text: str
    inside_number: bool = False
    """Whether it is a part of a longer number, as 05 in 10:05."""

    @property
    def box(self) -> Box:
        """The box around all parts."""
        return Box.around(self.boxes)

    @property
    def height(self) -> float:
        """Height of a line."""
        return max(box.y2 - box.y1 for box in self.boxes)


def find_targets(request: EditRequest, lines: Sequence[PlacedText]) -> list[Target]:
    """Return the places that a request may mean, the likeliest first; empty if it names none on the page."""
    if request.in_cell:
        cells = _cells(request, lines)
        if cells:
            return cells
    found = _occurrences(request.target, lines) if request.target else []
    if request.within and len(found) > 1:
        inside = {part for each in _occurrences(request.within, lines) for part in each.parts}
        narrowed = [each for each in found if any(_shares(part, other) for part in each.parts for other in inside)]
        found = narrowed or found
    if request.action == "replace" and _NUMBER.fullmatch(request.new) and not _NUMBER.search(request.target):
        alone = [each for each in found if _is_whole(each, lines)]
        return list(_labelled(found, lines)) or alone or _values(request, lines) or found
    return found or list(_similar(request.target, lines))


def _is_whole(target: Target, lines: Sequence[PlacedText]) -> bool:
    """Whether a target is all that its lines have, such as a cell with a text to replace."""
    texts = [lines[number].text.text for number, _ in target.parts]
    return compared("".join(texts)).characters == compared(target.text).characters


def _shares(one: tuple[int, range], other: tuple[int, range]) -> bool:
    return one[0] == other[0] and one[1].start < other[1].stop and other[1].start < one[1].stop


def _occurrences(text: str, lines: Sequence[PlacedText]) -> list[Target]:
    """Return the places of a text; where it is a part of longer numbers only, those."""
    return list(_places(text, lines)) or list(_places(text, lines, inside_number=True))


def _places(text: str, lines: Sequence[PlacedText], *, inside_number: bool = False) -> Iterator[Target]:
    """Yield the places of a text: in one line, or over several lines below each other."""
    wanted = compared(text).characters
    if not wanted:
        return
    hyphens = "-" in wanted
    several = []
    for start in range(len(lines)):
        chain = [start]
        while len(chain) <= MAX_LINES:
            characters, owners = _joined(lines, chain, hyphens=hyphens)
            at = characters.find(wanted)
            while at >= 0:
                owned = owners[at : at + len(wanted)]
                target = _target(owned, lines)._replace(inside_number=inside_number)
                whole = all(
                    is_bounded(lines[number].text.text, span, inside_number=inside_number)
                    for number, span in target.parts
                )
                if owned[0][0] == start and owned[-1][0] == chain[-1] and whole:
                    if len(chain) == 1:
                        yield target
                    else:
                        several.append(target)
                at = characters.find(wanted, at + 1)
            following = _line_below(chain[-1], lines)
            if following is None or following in chain or not _may_continue(characters, wanted, hyphens):
                break
            chain.append(following)
    yield from several


def _may_continue(characters: str, wanted: str, hyphens: bool) -> bool:
    """Whether the end of a text may be the beginning of the wanted one."""
    characters = characters if hyphens else characters.removesuffix("-")
    return any(characters.endswith(wanted[:size]) for size in range(1, len(wanted)))


def is_bounded(text: str, span: range, *, inside_number: bool = False) -> bool:
    """Whether a part of a text does not begin or end inside a number; `inside_number`: between two digits.

    Words are not checked: readers lose the spaces between them.

    >>> is_bounded("211.88", range(1, 6)), is_bounded("12 8 5", range(3, 4)), is_bounded("at7C", range(2, 3))
    (False, True, True)
    >>> is_bounded("10:05", range(3, 5)), is_bounded("10:05", range(3, 5), inside_number=True)
    (False, True)
    """
    numbers = (_DIGITS if inside_number else _NUMBER).finditer(text)
    return not any(each.start() < edge < each.end() for each in numbers for edge in (span.start, span.stop))


def find_in(text: str, wanted: str, *, inside_number: bool = False) -> list[range]:
    """Return where a text contains another, whatever its spaces, but not as a part of a longer number.

    >>> find_in("12 8 5, 1.8 and 88", "8"), find_in("At last", "tlas")
    ([range(3, 4)], [range(1, 6)])
    """
    characters, positions = compared(text)
    part = compared(wanted).characters
    found = []
    at = characters.find(part) if part else -1
    while at >= 0:
        span = range(positions[at], positions[at + len(part) - 1] + 1)
        if is_bounded(text, span, inside_number=inside_number):
            found.append(span)
        at = characters.find(part, at + 1)
    return found


def _joined(lines: Sequence[PlacedText], numbers: Sequence[int], *, hyphens: bool) -> tuple[str, list[tuple[int, int]]]:
    """Return the compared characters of lines with line and position; `hyphens`: also those at the ends of lines."""
    characters, owners = "", []
    for number in numbers:
        part = compared(lines[number].text.text)
        broken = not hyphens and number != numbers[-1] and part.characters.endswith("-")
        kept = len(part.characters) - broken
        characters += part.characters[:kept]
        owners += [(number, position) for position in part.positions[:kept]]
    return characters, owners


def _target(owned: Sequence[tuple[int, int]], lines: Sequence[PlacedText]) -> Target:
    numbers = list(dict.fromkeys(number for number, _ in owned))
    parts, boxes, texts = [], [], []
    for number in numbers:
        text = lines[number].text.text
        places = [position for owner, position in owned if owner == number]
        span = range(min(places), max(places) + 1 if number == numbers[-1] else len(text.rstrip()))
        parts.append((number, span))
        boxes.append(lines[number].part(span))
        texts.append(text[span.start : span.stop])
    return Target(tuple(parts), tuple(boxes), " ".join(texts))


def _line_below(index: int, lines: Sequence[PlacedText]) -> int | None:
    """Return the line that continues a line: beside it to the right, or below it."""
    box = lines[index].box
    height = box.y2 - box.y1
    best: tuple[float, int] | None = None
    for number, (other, _) in enumerate(lines):
        if number == index:
            continue
        beside = abs(other.y1 - box.y1) < 0.5 * height and 0 <= other.x1 - box.x2 < 2 * height
        below = 0.5 * height < other.y1 - box.y1 < 2.5 * height and other.x1 < box.x2 and box.x1 < other.x2
        if beside or below:
            distance = (other.x1 - box.x2 if beside else other.y1 - box.y1) + (0 if beside else height)
            best = min(best or (distance, number), (distance, number))
    return best[1] if best else None


def _cells(request: EditRequest, lines: Sequence[PlacedText]) -> list[Target]:
    """Return the cell in the row and the column that the request names by their texts."""
    rows = _occurrences(request.row, lines) if not request.row.startswith("#") else []
    columns = _occurrences(request.column, lines) if not request.column.startswith("#") else []
    found = []
    for row in rows:
        for column in columns:
            cell = Box(column.box.x1, row.box.y1, column.box.x2, row.box.y2)
            inside = [
                number
                for number, line in enumerate(lines)
                if in_row(line.box, cell) and number not in {part[0] for part in row.parts}
            ]
            for number in inside:
                text = lines[number].text.text
                if not request.target or compared(request.target).characters in compared(text).characters:
                    whole = range(len(text))
                    found.append(Target(((number, whole),), (lines[number].box,), text))
    return found


def _labelled(labels: Sequence[Target], lines: Sequence[PlacedText]) -> Iterator[Target]:
    """Yield the numbers behind labels and a colon: `change the telephone number to 5550199`."""
    for label in labels:
        number, span = label.parts[-1]
        line = lines[number]
        match = _LABELLED.match(line.text.text, span.stop)
        if match:
            value = range(match.start(1), match.end(1))
            yield Target(((number, value),), (line.part(value),), match[1])


def _values(request: EditRequest, lines: Sequence[PlacedText]) -> list[Target]:
    """Return the numbers written like the new one, the largest type first: `change the price to 21.88`."""
    decimals = len(request.new.partition(".")[2])
    found = []
    for number, line in enumerate(lines):
        for match in _NUMBER.finditer(line.text.text):
            if len(match[0].partition(".")[2]) == decimals and decimals:
                span = range(match.start(), match.end())
                found.append(Target(((number, span),), (line.part(span),), match[0]))
    return sorted(found, key=lambda each: -each.height)


def _similar(text: str, lines: Sequence[PlacedText]) -> Iterator[Target]:
    """Yield the most similar words of the lines, if they are similar enough to be a misreading."""
    wanted = len(compared(text).characters)
    best: tuple[float, Target] | None = None
    for number, line in enumerate(lines):
        parts = tokens(line.text.text)
        for start in range(len(parts)):
            for end in range(start, min(len(parts), start + 24)):
                span = range(parts[start].start, parts[end].stop)
                words = line.text.text[span.start : span.stop]
                size = len(compared(words).characters)
                if size < 0.6 * wanted:
                    continue
                if size > 1.5 * wanted:
                    break
                likeness = similarity(words, text)
                if likeness >= MIN_FUZZY and (best is None or likeness > best[0]):
                    best = likeness, Target(((number, span),), (line.part(span),), words)
    if best:
        yield best[1]
