"""Lines of a page found again on an output: at their place, elsewhere, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from vdebench.changes.alignment import AlignedPages, PlacedCrop, cut
from vdebench.changes.evidence import LinePair
from vdebench.changes.words import LineText, compared, is_meaningful, same_text, similarity
from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import LikelihoodReader

MIN_SIMILARITY = 0.5
"""Similarity of two readings from which they are of the same line at its place."""
MOVED_SIMILARITY = 0.6
"""The same for lines at other places."""
OWN_LINE = 0.1
"""Similarity by which the output's own line is preferred: its ends are not cut where the text moved sideways."""
CELL, SAME_PLACE = 8, 0.5
"""Greatest number of characters of a line, such as a cell, that is compared with any other in its place, and the least
overlap of their boxes."""
HALF_SEEN, NEXT = 0.5, 1.5
"""Correlation below which a line that reads as before may be the half of one that moved, and the greatest distance that
it moved, in its heights."""
HALF, OUTSIDE = 0.5, 0.1
"""Share of a line that a line of the output covers at least that continues beyond its ends, and the distance in heights
from which a character is beyond them."""
MANY, FEW = 60, 2
"""Number of lines that read differently from which a page is garbled, and the number of differing characters up to
which crops of a line are read there too."""
ROW_OVERLAP = 0.5
"""Least overlap of two lines in one row, as a share of the lower one's height."""


class PlacedLine(NamedTuple):
    """A line of the output, in the page's coordinates, and its number."""

    number: int
    box: Box
    text: LineText


class InPlace(NamedTuple):
    """What stands on the output where a line of the page was."""

    line: int
    pair: LinePair | None
    """None if the same text stands there, or nothing like it."""
    same: bool
    place: PlacedCrop


def line_text(line: Line) -> LineText:
    """Return the text of a line with the places of its characters."""
    if line.recognized is None or not line.recognized.text:
        return LineText(line.text)
    return LineText(line.recognized.text, line.recognized.edges, line.recognized.probabilities)


def in_row(one: Box, other: Box) -> bool:
    """Whether two boxes lie in one row and overlap horizontally."""
    down = min(one.y2, other.y2) - max(one.y1, other.y1)
    across = min(one.x2, other.x2) - max(one.x1, other.x1)
    return down >= ROW_OVERLAP * min(one.y2 - one.y1, other.y2 - other.y1) and across > 0


def find_in_place(
    pages: AlignedPages, lines: Sequence[tuple[Box, LineText]], output: Sequence[PlacedLine], reader: LikelihoodReader
) -> list[InPlace]:
    """Compare each line of the page with what stands at its place on the output.

    Text that the reader reads alike in any crop of the place is the same. Where it does not, the reading that is most
    similar is compared.
    """
    results: list[InPlace | None] = []
    doubtful = []
    for index, (box, text) in enumerate(lines):
        row = [each for each in output if in_row(box, each.box)]
        if _reads_alike(text, row):
            results.append(InPlace(index, None, True, PlacedCrop(0, 0, 1.0)))
        else:
            results.append(None)
            others = [other for number, (other, _) in enumerate(lines) if number != index]
            doubtful.append(_DoubtfulLine(index, box, text, row, others, pages))
    _read_crops(doubtful, reader)
    for line in doubtful:
        results[line.index] = line.best()
    return [each for each in results if each is not None]


class _DoubtfulLine:
    """A line of the page that the output's own line does not read alike, and the readings of its place."""

    def __init__(
        self,
        index: int,
        box: Box,
        text: LineText,
        row: Sequence[PlacedLine],
        others: Sequence[Box],
        pages: AlignedPages,
    ) -> None:
        self.index, self.box, self.text = index, box, text
        self.place = pages.settle(box)
        self._image = cut(pages.before, box)
        longer = [each for each in row if _extends(each, box, others)]
        self._own = [
            LinePair(box, text, each.text, self._image, cut(pages.after, each.box), each.box, self.place)
            for each in longer or row
            if longer or _is_beside(box, each.box)
        ]
        self.crops = [] if longer else _variants(pages, box, self.place)
        """A crop would cut off what the output's own line has more."""
        self._read: list[LinePair] = []

    @property
    def candidates(self) -> list[LinePair]:
        """The readings of the crops, and of the output's own lines."""
        return [*self._read, *self._own]

    @property
    def is_same(self) -> bool:
        """Whether any reading is that of the page."""
        return any(same_text(self.text.text, each.after.text) for each in self.candidates)

    @property
    def is_near(self) -> bool:
        """Whether a reading differs from that of the page in a few characters only."""
        wanted = compared(self.text.text).characters
        return any(
            Levenshtein.distance(wanted, compared(each.after.text).characters) <= FEW for each in self.candidates
        )

    def add(self, reading: LineText) -> None:
        """Add the reading of the next crop."""
        box, image = self.crops[len(self._read)]
        self._read.append(LinePair(self.box, self.text, reading, self._image, image, box, self.place))

    def best(self) -> InPlace:
        """Return what stands at the place of the line."""
        return _best(self.index, self.candidates, len(self._read), self.place)


def _read_crops(lines: Sequence[_DoubtfulLine], reader: LikelihoodReader) -> None:
    """Read crops of the places of lines, one after another until one reads alike.

    On a garbled page that would read every line four times, and most crops would clear nothing.
    """
    waiting = [line for line in lines if not line.is_same]
    for number in range(max((len(line.crops) for line in waiting), default=0)):
        if len(waiting) > MANY:
            waiting = [line for line in waiting if line.is_near or not line.candidates]
        waiting = [line for line in waiting if number < len(line.crops)]
        readings = reader.recognize([line.crops[number][1] for line in waiting])
        for line, reading in zip(waiting, readings, strict=True):
            line.add(LineText(*reading))
        waiting = [line for line in waiting if not line.is_same]


def without_moved(
    found: Sequence[InPlace], lines: Sequence[tuple[Box, LineText]], output: Sequence[PlacedLine]
) -> list[InPlace]:
    """Return the results without pairs of different lines, of which the first stands elsewhere on the output.

    Where text moved up or down, a line may stand where a similar one was, such as the next item of a list. If it moved
    by less than its height, the half of it that is seen at its place may read as before.
    """
    standing = [lines[each.line][0] for each in found if each.same]
    free = [each for each in output if not any(_covers(box, each.box) for box in standing)]
    result = []
    for each in found:
        box, text = lines[each.line]
        half = each.same and each.place.correlation < HALF_SEEN
        if (each.pair is not None or half) and is_meaningful(text.text):
            elsewhere = [other for other in free if same_text(text.text, other.text.text)]
            near = [other for other in elsewhere if min(box.x2, other.box.x2) > max(box.x1, other.box.x1)]
            if any(not half or _is_next_to(box, other.box) for other in near):
                each = each._replace(pair=None, same=False)
        result.append(each)
    return result


def _is_next_to(one: Box, other: Box) -> bool:
    """Whether a line is above or below another one, so near that the first one's place shows a part of it."""
    return not in_row(one, other) and abs(one.y1 + one.y2 - other.y1 - other.y2) / 2 < NEXT * (one.y2 - one.y1)


def _covers(box: Box, other: Box) -> bool:
    return in_row(box, other) and box.shared_area(other) > 0.5 * min(box.area, other.area)


def _reads_alike(text: LineText, row: Sequence[PlacedLine]) -> bool:
    if len(row) == 1:
        return same_text(text.text, row[0].text.text)
    ordered = sorted(row, key=lambda each: each.box.x1)
    return len(row) > 1 and same_text(text.text, "".join(each.text.text for each in ordered))


def _extends(line: PlacedLine, box: Box, others: Sequence[Box]) -> bool:
    """Whether a line of the output has a letter outside the page's line, where the page has no other line."""
    height = box.y2 - box.y1
    if not _is_beside(box, line.box) and min(box.x2, line.box.x2) - max(box.x1, line.box.x1) < HALF * (box.x2 - box.x1):
        return False
    for at, character in enumerate(line.text.text):
        start, end = line.text.span(at, at + 1)
        middle = line.box.x1 + (start + end) / 2 * (line.box.x2 - line.box.x1)
        outside = middle < box.x1 - OUTSIDE * height or middle > box.x2 + OUTSIDE * height
        if outside and is_meaningful(character):
            place = Box(middle, line.box.y1, middle + 1, line.box.y2)
            if not any(in_row(place, other) for other in others):
                return True
    return False


def _is_beside(one: Box, other: Box) -> bool:
    """Whether a line of the output is about as long as the line of the page."""
    width, other_width = one.x2 - one.x1, other.x2 - other.x1
    return 0.6 * width <= other_width <= 1.7 * width


def _variants(pages: AlignedPages, box: Box, place: PlacedCrop) -> list[tuple[Box, Image]]:
    """Return crops of the output at the place of a line: the same, a little larger, a little smaller, and unmoved."""
    height = box.y2 - box.y1
    grown = max(1.0, 0.1 * height)
    boxes = [_moved(box, place.right, place.down)]
    boxes.append(_padded(boxes[0], grown))
    boxes.append(_padded(boxes[0], -max(1.0, 0.05 * height), across=0.0))
    if place.right or place.down:
        boxes.append(box)
    return [(each, cut(pages.after, each)) for each in boxes]


def _moved(box: Box, right: float, down: float) -> Box:
    return Box(box.x1 + right, box.y1 + down, box.x2 + right, box.y2 + down)


def _padded(box: Box, by: float, across: float | None = None) -> Box:
    wide = by if across is None else across
    return Box(box.x1 - wide, box.y1 - by, box.x2 + wide, box.y2 + by)


def _best(index: int, candidates: Sequence[LinePair], variants: int, place: PlacedCrop) -> InPlace:
    """Choose the most similar reading; an own line of the output (after the variants) if it is nearly as similar."""
    before = candidates[0].before.text
    if any(same_text(before, each.after.text) for each in candidates):
        return InPlace(index, None, True, place)
    scored = [
        (similarity(before, each.after.text) + (OWN_LINE if number >= variants else 0.0), -number, each)
        for number, each in enumerate(candidates)
    ]
    likeness, _, best = max(scored, key=lambda item: item[:2])
    size = len(compared(before).characters)
    like = likeness >= (0.3 if size <= 3 and place.correlation >= 0.5 else MIN_SIMILARITY)
    if not like and size <= CELL:  # a word or number that is another one now, such as 15 and 31
        own = [each for each in candidates[variants:] if each.box_after.iou(each.box) >= SAME_PLACE]
        best, like = (own[0], True) if len(own) == 1 else (best, False)
    return InPlace(index, best if like else None, False, place)


def find_moved(
    lines: Sequence[tuple[int, Box, LineText]],
    output: Sequence[PlacedLine],
    before: Image,
    after: Image,
) -> tuple[list[tuple[int, int, LinePair]], list[int]]:
    """Match lines that are not at their place with lines of the output, by text, the most similar first.

    Return (index, number on the output, pair) of each match, and the indices of lines that are nowhere.
    `after` is the image whose coordinates the boxes of `output` have.
    """
    scored = sorted(
        (
            (-similarity(text.text, other.text.text), index, other.number, at, position)
            for at, (index, _, text) in enumerate(lines)
            for position, other in enumerate(output)
            if is_meaningful(text.text)
        ),
    )
    taken: set[int] = set()
    found: set[int] = set()
    matches = []
    for negative, index, number, at, position in scored:
        if -negative < MOVED_SIMILARITY:
            break
        if index in found or number in taken:
            continue
        found.add(index)
        taken.add(number)
        _, box, text = lines[at]
        other = output[position]
        pair = LinePair(box, text, other.text, cut(before, box), cut(after, other.box), other.box)
        matches.append((index, number, pair))
    return matches, [index for index, _, _ in lines if index not in found]
