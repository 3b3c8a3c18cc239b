"""Detection of ruled lines on a page, and of the tables and blanks they mark.

A table is found where horizontal rules or panel borders lie one above the other, or cross vertical ones, and the text
between them is in columns. Running text between two rules fills its width; cells do not. A short rule after a word, at
the baseline, is a blank to fill in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.readers.layout.grouping import center_inside, find_line_runs, in_rows
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.text import BLANK


class TableLimits(NamedTuple):
    """Limits for the detection of tables; lengths are in line heights of the page."""

    contrast: int = 20
    """Smallest difference in grey levels between a rule and its surroundings."""
    across: float = 2.5
    """Smallest length of a horizontal rule."""
    down: float = 1.4
    """Smallest length of a vertical rule."""
    width: float = 7.0
    """Smallest length of a horizontal rule that marks a table without vertical rules."""
    bridge: float = 0.6
    """Largest gap in a rule."""
    sides: float = 1.0
    """Largest distance between the ends of the rules of one table."""
    paragraph: int = 4
    """Running text: smallest number of lines of a paragraph."""
    wide: float = 6.0
    """Running text: smallest width of a paragraph."""
    full: float = 0.85
    """Running text: smallest share of the width that most lines fill."""
    head: int = 6
    """Largest number of text rows in a table head whose cells are not on common baselines."""
    blank: float = 12.0
    """Largest length of a blank in a line."""
    rows: int = 2
    """Smallest number of rows with at least two cells."""
    double: float = 0.25
    """Largest distance between the two lines of a double rule, and between two parts of one table."""
    meet: float = 0.2
    """Distance by which rules are extended to find those that cross."""


TABLE_LIMITS = TableLimits()


class RuledLines(NamedTuple):
    """Horizontal and vertical ruled lines of a page."""

    across: list[Box]
    down: list[Box]


def find_ruled_lines(image: Image, height: float, limits: TableLimits = TABLE_LIMITS) -> RuledLines:
    """Return the ruled lines and straight panel borders of a page; `height` is its typical line height."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    return RuledLines(
        _horizontal_lines(grey, limits.across * height, limits.bridge * height, limits.contrast),
        [
            Box(y1, x1, y2, x2)
            for x1, y1, x2, y2 in _horizontal_lines(
                np.ascontiguousarray(grey.T), limits.down * height, limits.bridge * height, limits.contrast
            )
        ],
    )


def _horizontal_lines(grey: Any, shortest: float, bridge: float, contrast: int) -> list[Box]:
    """Return the boxes of horizontal edges: grey changes from above to below along a straight line."""
    edges = np.zeros_like(grey)
    cv2.absdiff(grey[2:], grey[:-2], edges[1:-1])
    marked = cv2.dilate((edges > contrast).astype(np.uint8), np.ones((3, 1), np.uint8))  # allow a slight slope
    marked = cv2.morphologyEx(marked, cv2.MORPH_OPEN, np.ones((1, max(8, round(shortest))), np.uint8))
    marked = cv2.morphologyEx(marked, cv2.MORPH_CLOSE, np.ones((1, round(bridge) | 1), np.uint8))
    _, _, components, _ = cv2.connectedComponentsWithStats(marked, connectivity=8)
    return [Box(float(x), float(y), float(x + w), float(y + h)) for x, y, w, h, _ in components[1:]]


def is_inside(rule: Box, box: Box, height: float) -> bool:
    """Whether a vertical rule lies inside a table, not at its sides."""
    x, y = (rule.x1 + rule.x2) / 2, (rule.y1 + rule.y2) / 2
    return box.x1 + height < x < box.x2 - height and box.y1 < y < box.y2


def rule_contrasts(grey: Any, rule: Box) -> NDArray[np.int16]:
    """Return the contrast of a horizontal rule with its surroundings at each pixel of its length, in grey levels."""
    part = grey[max(0, int(rule.y1) - 1) : int(rule.y2) + 1, max(0, int(rule.x1)) : int(rule.x2)].astype(np.int16)
    return np.asarray(part.max(0) - part.min(0), np.int16) if part.size else np.zeros(0, np.int16)


def rule_contrast(grey: Any, rule: Box) -> float:
    """Return the median contrast of a horizontal rule."""
    contrasts = rule_contrasts(grey, rule)
    return float(np.median(contrasts)) if contrasts.size else 0.0


def find_tables(
    lines: Sequence[Line], rules: RuledLines, height: float, limits: TableLimits = TABLE_LIMITS
) -> list[Box]:
    """Return the boxes of tables from top to bottom; none lies inside another."""
    tables = _merge_boxes(_grid_tables(rules, lines, height, limits), height)
    for box in _banded_tables(rules.across, lines, height, limits):
        over = [other for other in tables if other.shared_area(box) > 0]
        if not over or (len(over) == 1 and over[0].iou(box) > 0.5):  # a grid, and rules that extend it
            tables = _merge_boxes([*tables, box], height)
    return sorted(tables, key=lambda box: (box.y1, box.x1))


def _merge_boxes(boxes: Sequence[Box], height: float) -> list[Box]:
    """Merge boxes that overlap, or of which one continues another."""
    merged: list[Box] = []
    for box in boxes:
        over = [
            other
            for other in merged
            if other.shared_area(box) > 0 or _continues(other, box, TABLE_LIMITS.double * height)
        ]
        merged = [other for other in merged if other not in over]
        merged.append(Box.around([box, *over]))
    return merged


def _continues(one: Box, other: Box, far: float) -> bool:
    apart = max(one.y1, other.y1) - min(one.y2, other.y2)
    return max(apart, abs(one.x1 - other.x1), abs(one.x2 - other.x2)) < far


def _is_running_text(lines: Sequence[Line], height: float, limits: TableLimits) -> bool:
    """Whether more than half of the characters are in paragraphs: lines below each other that fill their width."""
    characters = 0
    for run in find_line_runs(lines):
        box = Box.around(line.box for line in run)
        width = box.x2 - box.x1
        filled = float(np.median([line.box.x2 - line.box.x1 for line in run])) / width  # last lines may be short
        if len(run) >= limits.paragraph and width > limits.wide * height and filled > limits.full:
            characters += sum(len(line.text) for line in run)
    return 2 * characters > sum(len(line.text) for line in lines)


def _grid_tables(rules: RuledLines, lines: Sequence[Line], height: float, limits: TableLimits) -> list[Box]:
    """Return the boxes of grids: rules cross and separate text into rows and columns."""
    every = np.array([*rules.across, *rules.down]).reshape(-1, 4)
    grown = every + np.array([-1, -1, 1, 1]) * limits.meet * height
    meets = (grown[:, None, :2] < grown[None, :, 2:]).all(2)
    meets &= meets.T
    boxes = []
    for members in _connected_components(meets):
        down = [every[index] for index in members if index >= len(rules.across)]
        if not down:
            continue
        # Ruled paper: its lines cross a table drawn on it and continue above and below.
        top, bottom = min(rule[1] for rule in down) - 1.5 * height, max(rule[3] for rule in down) + 1.5 * height
        across = [rules.across[index] for index in members if index < len(rules.across)]
        across = [rule for rule in across if top < rule.y1 and rule.y2 < bottom]
        if not across:
            continue
        box = Box.around(across)
        if sum(rule.x2 - rule.x1 > 0.8 * (box.x2 - box.x1) for rule in across) < 2:
            continue
        inside = [line for line in lines if center_inside(line.box, box)]
        cuts = _merge_positions([(rule[0] + rule[2]) / 2 for rule in down], height)
        columns = {int(np.searchsorted(cuts, (line.box.x1 + line.box.x2) / 2)) for line in inside}
        rows = len(in_rows(inside))
        if (
            len(columns) > 1
            and rows >= limits.rows
            and len(inside) >= 4
            and not _is_running_text(inside, height, limits)
        ):
            boxes.append(box)
    return boxes


def _merge_positions(positions: list[float], height: float) -> list[float]:
    """Sort positions and drop those closer than 0.7 line heights to the previous one."""
    merged: list[float] = []
    for position in sorted(positions):
        if not merged or position - merged[-1] > 0.7 * height:
            merged.append(position)
    return merged


def _connected_components(meets: Any) -> list[list[int]]:
    """Return the connected components of an adjacency matrix."""
    left = set(range(len(meets)))
    components = []
    while left:
        reached, edge = set(), {left.pop()}
        while edge:
            reached |= edge
            edge = {int(other) for one in edge for other in np.flatnonzero(meets[one])} - reached
        left -= reached
        components.append(sorted(reached))
    return components


def _banded_tables(across: Sequence[Box], lines: Sequence[Line], height: float, limits: TableLimits) -> list[Box]:
    """Return tables without vertical rules: text in columns between aligned horizontal rules."""
    boxes = []
    left = sorted((rule for rule in across if rule.x2 - rule.x1 > limits.width * height), key=lambda rule: rule.y1)
    while left:
        first = left[0]
        stack = [rule for rule in left if _are_aligned(first, rule, limits.sides * height)]
        left = [rule for rule in left if rule not in stack]
        run: list[tuple[Box, int, bool]] = []
        for above, below in pairwise([*stack, Box(0, np.inf, 0, np.inf)]):
            if below.y1 - above.y2 < 0.5 * height:
                if below.y1 - above.y2 > limits.double * height:  # too far for a double rule: another panel begins
                    boxes += _table_from_bands(run, limits)
                    run = []
                continue
            band = Box(min(above.x1, below.x1), above.y2, max(above.x2, below.x2), below.y1)
            inside = [line for line in lines if below in stack and center_inside(line.box, band)]
            rows = in_rows(inside)
            several = [row for row in rows if len(row) > 1]
            most = len(rows) <= limits.head and 2 * sum(map(len, several)) >= len(inside)
            columns = 2 * len(several) >= len(rows) or len(rows) == 1 or most
            if rows and columns and not _is_running_text(inside, height, limits):
                even = max(abs(above.x1 - below.x1), abs(above.x2 - below.x2)) < limits.sides * height
                run.append((band, len(several), even))
                continue
            boxes += _table_from_bands(run, limits)
            run = []
    return boxes


def _are_aligned(one: Box, other: Box, far: float) -> bool:
    """Whether two rules share a start or an end, and overlap by more than 40 % of the longer one."""
    shared = min(one.x2, other.x2) - max(one.x1, other.x1)
    longer = max(one.x2 - one.x1, other.x2 - other.x1)
    return min(abs(one.x1 - other.x1), abs(one.x2 - other.x2)) < far and shared > 0.4 * longer


def _table_from_bands(run: list[tuple[Box, int, bool]], limits: TableLimits) -> list[Box]:
    """Return the box of a run of bands, without bands at its ends that have one column or end at a wider rule."""
    while run and not _can_end_table(run[0], run):
        run = run[1:]
    while run and not _can_end_table(run[-1], run):
        run = run[:-1]
    rows = sum(rows for _, rows, _ in run)
    enough = rows >= limits.rows if len(run) > 1 else rows > limits.rows and run[0][2]
    return [Box.around(band for band, _, _ in run)] if enough else []


def _can_end_table(end: tuple[Box, int, bool], run: list[tuple[Box, int, bool]]) -> bool:
    """Whether a band can be the first or last of a table: it has columns, and another band is as wide."""
    band, rows, even = end
    as_wide = any(alike and other.x2 - other.x1 > 0.95 * (band.x2 - band.x1) for other, _, alike in run)
    return rows > 0 and (even or as_wide)


def find_blanks(lines: Sequence[Line], across: Sequence[Box], limits: TableLimits = TABLE_LIMITS) -> list[Line]:
    """Return blanks to fill in, as lines of underscores of about the same width."""
    blanks = []
    for rule in across:
        width = rule.x2 - rule.x1
        for line in lines:
            foot = line.box.y1 + 0.6 * line.height < rule.y1 < line.box.y2 + 0.2 * line.height
            follows = abs(rule.x1 - line.box.x2) < 0.6 * line.height
            if foot and follows and width < limits.blank * line.height:
                strokes = BLANK * max(2, round(width / (0.4 * line.height)))
                blanks.append(Line(Box(max(rule.x1, line.box.x2), line.box.y1, rule.x2, line.box.y2), strokes))
                break
    return [line for line in blanks if line.box.x2 > line.box.x1]
