"""Grouping of text lines into blocks (paragraphs, titles) by layout.

1. Pieces of a line that the engine detected separately are joined, but not across the gutter between two columns.
2. Lines form a run if one is directly below the other, nothing is beside either, and their heights are similar.
3. A run is split into paragraphs where a line is indented or begins with a bullet, where the previous line has room for
   the line's first word, or where the line spacing grows.
4. Fragments that touch or overlap each other (formulas) become one block.
5. Blocks are sorted into reading order by cutting the page along its white gaps (XY-cut).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from vdebench.core.box import Box
from vdebench.core.page_text import Block
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.text import BLANK, FULL_WIDTH, join_lines
from vdebench.readers.reader import source_hash

_WORDS = regex.compile(r"\p{L}[^\p{L}]*\p{L}")
_BULLET = regex.compile(r"[•▪■●◆◦○□▶►‣]\s*\S")
_FORMULA = regex.compile(r"[=≡≤≥<>∑∫]")


class Grouping(NamedTuple):
    """Limits for grouping, in line heights unless stated otherwise. Chosen by measurement, see docs/readers.md."""

    row: float = 0.6
    """Largest gap between two pieces of one line."""
    gap: float = 1.0
    """Largest vertical gap between two lines of one paragraph."""
    likeness: float = 0.7
    """Smallest ratio of the heights (smaller / larger) of two lines of one paragraph."""
    pitch: float = 1.25
    """Largest ratio of the spacing of two lines to that of their neighbours within one paragraph."""
    indent: float = 0.8
    """Smallest indent that starts a paragraph."""
    room: float = 0.5
    """Space after the last line of a paragraph, beyond the width of the next word."""
    fragment: float = 1.0
    """Largest gap between pieces of one formula."""
    narrower: float = 0.7
    """Largest ratio of widths of the lines below and above a place where a column begins, without unit …"""
    apart: float = 0.5
    """… and smallest gap there, unless the line above ends early."""
    title: float = 1.4
    """Smallest height of a title, in typical line heights of the page."""

    @property
    def identity(self) -> str:
        """Version of the algorithm, its limits and a hash of its source."""
        return f"lines-3:{','.join(f'{value:g}' for value in self)} {source_hash('layout/grouping', 'lines/text')}"


GROUPING = Grouping()
COLUMN_LINES = 3
"""Number of lines above and below a place whose widths tell whether a column begins there."""


def group_lines(lines: Sequence[Line], grouping: Grouping = GROUPING, others: Iterable[Block] = ()) -> list[Block]:
    """Group the lines of a page into blocks; return them with `others` (tables) in reading order."""
    rows = _join_row_pieces(lines, grouping)
    groups = [part for run in find_line_runs(rows, grouping) for part in _split_paragraphs(run, grouping)]
    line_height = typical_line_height(lines)
    blocks = [_block(group, line_height, grouping) for group in _join_fragments(groups, grouping)]
    ordered = in_reading_order([*blocks, *others])
    return [Block(block.box, block.content, block.label, index, index) for index, block in enumerate(ordered)]


def typical_line_height(lines: Sequence[Line]) -> float:
    """Median line height over the characters of a page; 0 without lines."""
    if not lines:
        return 0.0
    ordered = sorted((line.height, len(line.text)) for line in lines)
    counts = np.cumsum([count for _, count in ordered])
    return ordered[int(np.searchsorted(counts, counts[-1] / 2))][0]


def _block(group: Sequence[Line], line_height: float, limits: Grouping) -> Block:
    text = join_lines([line.text for row in in_rows(group) for line in row])
    large = min(line.height for line in group) > limits.title * line_height and len(group) <= 3
    title = large and _WORDS.search(text) and not _FORMULA.search(text)
    return Block(Box.around(line.box for line in group), text, "paragraph_title" if title else "text")


# --- rows ------------------------------------------------------------------------------------------------------------


def in_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Group lines into rows from top to bottom; lines of one row are sorted from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.box.y1 + line.box.y2):
        middle = (line.box.y1 + line.box.y2) / 2
        if rows and middle < max(each.box.y2 for each in rows[-1]) - 0.3 * line.height:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.box.x1) for row in rows]


def center_inside(box: Box, other: Box) -> bool:
    """Whether the center of a box lies inside another."""
    x, y = (box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2
    return other.x1 <= x <= other.x2 and other.y1 <= y <= other.y2


def _join_row_pieces(lines: Sequence[Line], limits: Grouping) -> list[Line]:
    """Join pieces of one line that the engine detected separately."""
    boxes = _boxes(lines)
    rows: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.box.x1, line.box.y1)):
        left = [
            row
            for row in rows
            if _same_row(row, line, limits)
            and (BLANK in (row.text[-1:], line.text[:1]) or not _is_gutter(row.box, line.box, boxes))
        ]
        if left:
            row = max(left, key=lambda row: row.box.x2)
            rows[rows.index(row)] = Line(
                Box.around([row.box, line.box]), join_lines([row.text, line.text]), min(row.score, line.score)
            )
        else:
            rows.append(line)
    return rows


def _same_row(left: Line, right: Line, limits: Grouping) -> bool:
    gap = right.box.x1 - left.box.x2
    height = min(left.height, right.height)
    shared = min(left.box.y2, right.box.y2) - max(left.box.y1, right.box.y1)
    return (
        -0.5 * height < gap < limits.row * height
        and shared > 0.6 * height
        and 1.6 * height > max(left.height, right.height)
    )


def _is_gutter(left: Box, right: Box, boxes: NDArray[np.float64]) -> bool:
    """Whether the gap between two boxes is a column gutter: lines above or below end or start here, none crosses."""
    top, bottom = min(left.y1, right.y1), max(left.y2, right.y2)
    height = bottom - top
    middles = (boxes[:, 1] + boxes[:, 3]) / 2
    near = ((middles > top - 1.6 * height) & (middles < top)) | ((middles > bottom) & (middles < bottom + 1.6 * height))
    near &= (boxes[:, 0] < right.x1 + 2 * height) & (boxes[:, 2] > left.x2 - 2 * height)
    across = (boxes[:, 0] < left.x2 - 0.5 * height) & (boxes[:, 2] > right.x1 + 0.5 * height)
    return bool(near.any() and not (near & across).any())


# --- paragraphs ------------------------------------------------------------------------------------------------------


def find_line_runs(rows: Sequence[Line], limits: Grouping = GROUPING) -> list[list[Line]]:
    """Return runs of lines that are directly below each other with nothing beside them."""
    if not rows:
        return []
    rows = sorted(rows, key=lambda row: (row.box.y1, row.box.x1))
    boxes = _boxes(rows)
    heights = boxes[:, 3] - boxes[:, 1]
    smaller, larger = np.minimum.outer(heights, heights), np.maximum.outer(heights, heights)
    middles = (boxes[:, 1] + boxes[:, 3]) / 2
    overlap = np.minimum.outer(boxes[:, 2], boxes[:, 2]) > np.maximum.outer(boxes[:, 0], boxes[:, 0])
    gap = boxes[None, :, 1] - boxes[:, None, 3]  # of the second below the first
    below = overlap & (middles[None, :] > middles[:, None]) & (gap > -0.6 * smaller) & (gap < limits.gap * smaller)
    # A line below a nearer line is not adjacent to this one.
    behind = overlap & (middles[None, :] - middles[:, None] > 0.5 * smaller)
    next_to = below & ~_through(below, behind)
    over = below & ~_through(below.T, behind.T).T
    alike = smaller >= limits.likeness * larger
    linked = next_to & over & alike & (next_to.sum(1) == 1)[:, None] & (over.sum(0) == 1)[None, :]
    following = {int(one): int(other) for one, other in zip(*np.nonzero(linked), strict=True)}
    runs = []
    for start in sorted(set(range(len(rows))) - set(following.values())):
        run = [start]
        while run[-1] in following:
            run.append(following[run[-1]])
        runs += _split_at_columns([rows[index] for index in run], limits)
    return runs


def _split_at_columns(run: Sequence[Line], limits: Grouping) -> list[list[Line]]:
    """Split a run where a wide title or lead ends and a narrower column begins: each has its own right edge."""
    parts = [[run[0]]] if run else []
    for index in range(1, len(run)):
        above, below = parts[-1][-COLUMN_LINES:], run[index : index + COLUMN_LINES]
        edge, width = max(line.box.x2 for line in above), _width(above)
        apart = run[index].box.y1 - above[-1].box.y2 > limits.apart * above[-1].height
        ends = edge - above[-1].box.x2 > limits.indent * above[-1].height
        if len(below) == COLUMN_LINES and _width(below) < limits.narrower * width and (apart or ends):
            parts.append([])
        parts[-1].append(run[index])
    return parts


def _width(lines: Sequence[Line]) -> float:
    return max(line.box.x2 for line in lines) - min(line.box.x1 for line in lines)


def _through(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Boolean matrix product: pairs connected through a third element."""
    return (first.astype(np.float32) @ second.astype(np.float32)) > 0


def _split_paragraphs(run: Sequence[Line], limits: Grouping) -> list[list[Line]]:
    """Split a run of lines where paragraphs start."""
    right = max(line.box.x2 for line in run)
    pitches = [(lower.box.y1 + lower.box.y2 - upper.box.y1 - upper.box.y2) / 2 for upper, lower in pairwise(run)]
    paragraphs = [[run[0]]]
    for index, (before, line) in enumerate(pairwise(run)):
        height = min(before.height, line.height)
        beside = [pitches[other] for other in (index - 1, index + 1) if 0 <= other < len(pitches)]
        begins = bool(beside) and pitches[index] > limits.pitch * min(beside)
        begins |= _BULLET.match(line.text) is not None
        if not is_centered(before.box, line.box, height):
            indent = limits.indent * height
            after = run[index + 2] if index + 2 < len(run) else None
            begins |= right - before.box.x2 > first_word_width(line) + limits.room * height
            if line.box.x1 - before.box.x1 > indent:  # if the next line is indented too, this is a hanging indent
                begins |= len(paragraphs[-1]) > 1 if after is None else line.box.x1 - after.box.x1 > indent
            begins |= len(paragraphs[-1]) > 1 and before.box.x1 - line.box.x1 > indent  # a hanging indent ends
        if begins:
            paragraphs.append([line])
        else:
            paragraphs[-1].append(line)
    return paragraphs


def is_centered(upper: Box, lower: Box, height: float) -> bool:
    """Whether two lines have the same center but different left edges."""
    return abs(upper.x1 + upper.x2 - lower.x1 - lower.x2) < height < abs(upper.x1 - lower.x1)


def first_word_width(line: Line, wide: float = 2.0) -> float:
    """Width of the unbreakable start of a line: its first word, or `wide` line heights of Chinese characters."""
    if FULL_WIDTH.match(line.text):
        return wide * line.height
    word = 0
    while word < len(line.text) and not line.text[word].isspace() and not FULL_WIDTH.match(line.text[word]):
        word += 1
    return (line.box.x2 - line.box.x1) * (word + 1) / max(1, len(line.text))


def _join_fragments(groups: Sequence[list[Line]], limits: Grouping) -> list[list[Line]]:
    """Merge single lines and fractions that overlap or are close to each other: pieces of a formula."""
    joined = [group for group in groups if not _is_fragment(group)]
    fragments = [group for group in groups if _is_fragment(group)]
    while fragments:
        whole, grown = fragments.pop(), True
        while grown:
            touching = [
                fragment for fragment in fragments if any(_touch(a, b, limits) for a in fragment for b in whole)
            ]
            fragments = [fragment for fragment in fragments if fragment not in touching]
            whole = [*whole, *(line for fragment in touching for line in fragment)]
            grown = bool(touching)
        joined.append(whole)
    return joined


def _is_fragment(group: Sequence[Line]) -> bool:
    narrow = all(line.box.x2 - line.box.x1 < 3 * line.height for line in group)
    return len(group) == 1 or (len(group) == 2 and narrow)


def _touch(one: Line, other: Line, limits: Grouping) -> bool:
    gap = max(one.box.x1, other.box.x1) - min(one.box.x2, other.box.x2)
    fall = max(one.box.y1, other.box.y1) - min(one.box.y2, other.box.y2)
    height = min(one.height, other.height)
    if fall < -0.3 * height:
        return gap < limits.fragment * height
    return fall < 0 and gap < 0 and height < limits.likeness * max(one.height, other.height)


# --- reading order ----------------------------------------------------------------------------------------------------


def in_reading_order(blocks: Sequence[Block]) -> list[Block]:
    """Sort blocks into reading order (XY-cut): split at the widest gap, vertical or horizontal, then each part."""
    if len(blocks) < 2:
        return list(blocks)
    across = _widest_gap(blocks, "y1", "y2")
    down = _widest_gap(blocks, "x1", "x2")
    if across is None and down is None:
        return sorted(blocks, key=lambda block: (block.box.y1, block.box.x1))
    by_column = down is not None and (across is None or down[0] >= across[0])
    side, (_, position) = ("x1", down) if by_column and down else ("y1", across or (0.0, 0.0))
    first = [block for block in blocks if getattr(block.box, side) < position]
    second = [block for block in blocks if getattr(block.box, side) >= position]
    return in_reading_order(first) + in_reading_order(second)


def _widest_gap(blocks: Sequence[Block], start: str, end: str) -> tuple[float, float] | None:
    """Return width and end of the widest gap that no block crosses, or None."""
    sides = sorted((getattr(block.box, start), getattr(block.box, end)) for block in blocks)
    best: tuple[float, float] | None = None
    reach = sides[0][1]
    for first, last in sides[1:]:
        if first >= reach and (best is None or first - reach > best[0]):
            best = first - reach, first
        reach = max(reach, last)
    return best


def _boxes(lines: Sequence[Line]) -> NDArray[np.float64]:
    return np.array([line.box for line in lines], np.float64).reshape(-1, 4)
