"""Lines into blocks: paragraphs and titles, told by where the lines stand.

A line goes on with the one above it where both are set alike (nearly the same height), one follows the other by less
than a line, and their sides agree. Blocks are put in reading order by cutting the page along white gaps (XY-cut).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import regex

from vdebench.box import Box
from vdebench.reading import Block

_HAN = regex.compile(r"\p{Han}|\p{Hiragana}|\p{Katakana}|[\u3000-\u303f\uff00-\uffef]")


class Line(NamedTuple):
    """A line of text as an engine reads it."""

    box: Box
    text: str
    score: float = 1.0

    @property
    def height(self) -> float:
        """Height of its box."""
        return self.box.y2 - self.box.y1


class Grouping(NamedTuple):
    """When two lines belong together: limits in heights of a line. Chosen by measurement, see docs/readers.md."""

    gap: float = 0.75
    """White between two lines of one paragraph."""
    likeness: float = 0.72
    """Smaller height over larger height."""
    overlap: float = 0.5
    """Share of the narrower line's width that lies above the other."""
    side: float = 3.0
    """How far left sides may be apart."""


GROUPING = Grouping()


def blocks_of(lines: Sequence[Line], grouping: Grouping = GROUPING) -> list[Block]:
    """Paragraphs of a page's lines, in reading order."""
    groups: list[list[Line]] = []
    for line in sorted(_joined_rows(lines), key=lambda line: (line.box.y1, line.box.x1)):
        fitting = [group for group in groups if _goes_on(group, line, grouping)]
        if fitting:
            max(fitting, key=lambda group: group[-1].box.y2).append(line)
        else:
            groups.append([line])
    blocks = [
        Block(Box.around(line.box for line in group), join_lines([line.text for line in group]), "text")
        for group in groups
    ]
    return [
        Block(block.box, block.content, block.label, index, index)
        for index, block in enumerate(in_reading_order(blocks))
    ]


def _joined_rows(lines: Sequence[Line]) -> list[Line]:
    """Pieces of one line that the engine read apart, put together again."""
    rows: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.box.x1, line.box.y1)):
        left = [row for row in rows if _same_row(row, line)]
        if left:
            row = max(left, key=lambda row: row.box.x2)
            rows[rows.index(row)] = Line(
                Box.around([row.box, line.box]), join_lines([row.text, line.text]), min(row.score, line.score)
            )
        else:
            rows.append(line)
    return rows


def _same_row(left: Line, right: Line) -> bool:
    height = min(left.height, right.height)
    shared = min(left.box.y2, right.box.y2) - max(left.box.y1, right.box.y1)
    gap = right.box.x1 - left.box.x2
    return (
        shared > 0.6 * height and -0.5 * height < gap < 0.6 * height and 1.6 * height > max(left.height, right.height)
    )


def _goes_on(group: Sequence[Line], line: Line, limits: Grouping) -> bool:
    last = group[-1]
    height = min(last.height, line.height)
    if height < limits.likeness * max(last.height, line.height):
        return False
    gap = line.box.y1 - last.box.y2
    if not -0.5 * height < gap < limits.gap * height:
        return False
    shared = min(last.box.x2, line.box.x2) - max(last.box.x1, line.box.x1)
    if shared < limits.overlap * min(last.box.x2 - last.box.x1, line.box.x2 - line.box.x1):
        return False
    left = min(each.box.x1 for each in group)
    return abs(line.box.x1 - left) < limits.side * height


def join_lines(texts: Sequence[str]) -> str:
    """Lines of a paragraph as one text: a space between words, none between Chinese characters.

    >>> join_lines(["基金情", "况 fund", "report"]), join_lines(["well-", "known"])
    ('基金情况 fund report', 'well-known')
    """
    whole = ""
    for text in filter(None, (text.strip() for text in texts)):
        touching = not whole or whole.endswith("-") or (_HAN.match(whole[-1]) and _HAN.match(text[0]))
        whole += text if touching else f" {text}"
    return whole


def in_reading_order(blocks: Sequence[Block]) -> list[Block]:
    """Blocks as people read them: cut the page at its widest white gap, down or across, and read the parts in turn."""
    if len(blocks) < 2:
        return list(blocks)
    across = _cut(blocks, "y1", "y2")
    down = _cut(blocks, "x1", "x2")
    if across is None and down is None:
        return sorted(blocks, key=lambda block: (block.box.y1, block.box.x1))
    by_column = down is not None and (across is None or down[0] >= across[0])
    side, (_, place) = ("x1", down) if by_column and down else ("y1", across or (0.0, 0.0))
    first = [block for block in blocks if getattr(block.box, side) < place]
    second = [block for block in blocks if getattr(block.box, side) >= place]
    return in_reading_order(first) + in_reading_order(second)


def _cut(blocks: Sequence[Block], start: str, end: str) -> tuple[float, float] | None:
    """Width and end of the widest gap that no block crosses."""
    sides = sorted((getattr(block.box, start), getattr(block.box, end)) for block in blocks)
    best: tuple[float, float] | None = None
    reach = sides[0][1]
    for first, last in sides[1:]:
        if first >= reach and (best is None or first - reach > best[0]):
            best = first - reach, first
        reach = max(reach, last)
    return best
