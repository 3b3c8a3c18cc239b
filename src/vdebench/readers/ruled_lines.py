"""Ruled lines on a page, and the tables and blanks that they tell of.

A table is found where rules or sides of panels run across, one above the other, or cross each other, and the text
between them stands in columns. Running text between two rules fills its width; cells do not. A short rule after a word,
at the foot of its line, is a blank to be filled in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import cv2
import numpy as np

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.readers.line_grouping import Line, in_rows, middle_in, runs_of
from vdebench.readers.line_text import BLANK


class TableRules(NamedTuple):
    """What makes a table; lengths in heights of the page's lines of text."""

    contrast: int = 20
    """Grey levels by which a rule differs from what is above and below it."""
    across: float = 2.5
    """Length of the shortest rule across."""
    down: float = 1.4
    """Length of the shortest rule down."""
    width: float = 7.0
    """Length of the shortest rule that tells of a table by itself."""
    bridge: float = 0.6
    """Gap in a rule."""
    sides: float = 1.0
    """How far the ends of the rules of one table may be apart."""
    paragraph: int = 4
    """Lines of a paragraph,"""
    wide: float = 6.0
    """how wide it is,"""
    full: float = 0.85
    """and what share of its width its lines fill."""
    head: int = 6
    """Rows of text in a head whose cells stand at different heights."""
    blank: float = 12.0
    """Length of the longest blank in a line."""
    rows: int = 2
    """Rows of two cells and more that a table has."""


FINDING = TableRules()


class Rules(NamedTuple):
    """Ruled lines of a page."""

    across: list[Box]
    down: list[Box]


def rules_of(image: Image, height: float, limits: TableRules = FINDING) -> Rules:
    """Ruled lines and straight sides of panels on a page whose lines of text have a height."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    return Rules(
        _straight(grey, limits.across * height, limits.bridge * height, limits.contrast),
        [
            Box(y1, x1, y2, x2)
            for x1, y1, x2, y2 in _straight(
                np.ascontiguousarray(grey.T), limits.down * height, limits.bridge * height, limits.contrast
            )
        ],
    )


def _straight(grey: Any, shortest: float, bridge: float, contrast: int) -> list[Box]:
    """Where grey changes from above to below along a straight line."""
    edges = np.zeros_like(grey)
    cv2.absdiff(grey[2:], grey[:-2], edges[1:-1])
    marked = cv2.dilate((edges > contrast).astype(np.uint8), np.ones((3, 1), np.uint8))  # of a line not quite straight
    marked = cv2.morphologyEx(marked, cv2.MORPH_OPEN, np.ones((1, max(8, round(shortest))), np.uint8))
    marked = cv2.morphologyEx(marked, cv2.MORPH_CLOSE, np.ones((1, round(bridge) | 1), np.uint8))
    _, _, found, _ = cv2.connectedComponentsWithStats(marked, connectivity=8)
    return [Box(float(x), float(y), float(x + w), float(y + h)) for x, y, w, h, _ in found[1:]]


def find_tables(lines: Sequence[Line], rules: Rules, height: float, limits: TableRules = FINDING) -> list[Box]:
    """Boxes of tables, from the top of the page to its foot; none lies in another."""
    found = _joined(_crossing(rules, lines, height, limits), height)
    for box in _stacked(rules.across, lines, height, limits):
        over = [other for other in found if other.shared_area(box) > 0]
        if not over or (len(over) == 1 and over[0].iou(box) > 0.5):  # rules that cross, and rules beyond them
            found = _joined([*found, box], height)
    return sorted(found, key=lambda box: (box.y1, box.x1))


def _joined(boxes: Sequence[Box], height: float) -> list[Box]:
    """Boxes that overlap, or of which one continues another, as one."""
    found: list[Box] = []
    for box in boxes:
        over = [other for other in found if other.shared_area(box) > 0 or _continues(other, box, 0.5 * height)]
        found = [other for other in found if other not in over]
        found.append(Box.around([box, *over]))
    return found


def _continues(one: Box, other: Box, far: float) -> bool:
    apart = max(one.y1, other.y1) - min(one.y2, other.y2)
    return max(apart, abs(one.x1 - other.x1), abs(one.x2 - other.x2)) < far


def _is_running(lines: Sequence[Line], height: float, limits: TableRules) -> bool:
    """Whether most of the text is set in paragraphs: lines below each other that fill their width."""
    letters = 0
    for run in runs_of(lines):
        box = Box.around(line.box for line in run)
        width = box.x2 - box.x1
        filled = sum(line.box.x2 - line.box.x1 for line in run) / (len(run) * width)
        if len(run) >= limits.paragraph and width > limits.wide * height and filled > limits.full:
            letters += sum(len(line.text) for line in run)
    return 2 * letters > sum(len(line.text) for line in lines)


def _crossing(rules: Rules, lines: Sequence[Line], height: float, limits: TableRules) -> list[Box]:
    """Frames whose rules cross and part text into rows and columns."""
    every = np.array([*rules.across, *rules.down]).reshape(-1, 4)
    grown = every + np.array([-1, -1, 1, 1]) * 0.25 * height
    meets = (grown[:, None, :2] < grown[None, :, 2:]).all(2)
    meets &= meets.T
    boxes = []
    for members in _connected(meets):
        down = [every[index] for index in members if index >= len(rules.across)]
        if not down:
            continue
        # The lines of ruled paper meet a table drawn on it, and go on above and below.
        top, bottom = min(rule[1] for rule in down) - 1.5 * height, max(rule[3] for rule in down) + 1.5 * height
        across = [rules.across[index] for index in members if index < len(rules.across)]
        across = [rule for rule in across if top < rule.y1 and rule.y2 < bottom]
        if not across:
            continue
        box = Box.around(across)
        if sum(rule.x2 - rule.x1 > 0.8 * (box.x2 - box.x1) for rule in across) < 2:
            continue
        inside = [line for line in lines if middle_in(line.box, box)]
        cuts = _apart([(rule[0] + rule[2]) / 2 for rule in down], height)
        columns = {int(np.searchsorted(cuts, (line.box.x1 + line.box.x2) / 2)) for line in inside}
        rows = len(in_rows(inside))
        if len(columns) > 1 and rows >= limits.rows and len(inside) >= 4 and not _is_running(inside, height, limits):
            boxes.append(box)
    return boxes


def _apart(places: list[float], height: float) -> list[float]:
    """Places in order, those nearer than a line as one."""
    kept: list[float] = []
    for place in sorted(places):
        if not kept or place - kept[-1] > 0.7 * height:
            kept.append(place)
    return kept


def _connected(meets: Any) -> list[list[int]]:
    """Sets of things that meet, directly or through others."""
    left = set(range(len(meets)))
    found = []
    while left:
        reached, edge = set(), {left.pop()}
        while edge:
            reached |= edge
            edge = {int(other) for one in edge for other in np.flatnonzero(meets[one])} - reached
        left -= reached
        found.append(sorted(reached))
    return found


def _stacked(across: Sequence[Box], lines: Sequence[Line], height: float, limits: TableRules) -> list[Box]:
    """Between rules of one width, one below the other, where the text stands in columns."""
    boxes = []
    left = sorted((rule for rule in across if rule.x2 - rule.x1 > limits.width * height), key=lambda rule: rule.y1)
    while left:
        first = left[0]
        stack = [rule for rule in left if _in_line(first, rule, limits.sides * height)]
        left = [rule for rule in left if rule not in stack]
        run: list[tuple[Box, int, bool]] = []
        for above, below in pairwise([*stack, Box(0, np.inf, 0, np.inf)]):
            if below.y1 - above.y2 < 0.5 * height:
                continue
            band = Box(min(above.x1, below.x1), above.y2, max(above.x2, below.x2), below.y1)
            inside = [line for line in lines if below in stack and middle_in(line.box, band)]
            rows = in_rows(inside)
            several = [row for row in rows if len(row) > 1]
            most = len(rows) <= limits.head and 2 * sum(map(len, several)) >= len(inside)
            columns = 2 * len(several) >= len(rows) or len(rows) == 1 or most
            if rows and columns and not _is_running(inside, height, limits):
                even = max(abs(above.x1 - below.x1), abs(above.x2 - below.x2)) < limits.sides * height
                run.append((band, len(several), even))
                continue
            boxes += _table_of(run, limits)
            run = []
    return boxes


def _in_line(one: Box, other: Box, far: float) -> bool:
    """Whether two rules begin or end at one place, and the shorter is half as long as the longer."""
    shared = min(one.x2, other.x2) - max(one.x1, other.x1)
    longer = max(one.x2 - one.x1, other.x2 - other.x1)
    return min(abs(one.x1 - other.x1), abs(one.x2 - other.x2)) < far and shared > 0.4 * longer


def _table_of(run: list[tuple[Box, int, bool]], limits: TableRules) -> list[Box]:
    """The box of a run of bands, without those at its ends that hold one piece of text, or reach to a wider rule."""
    while run and not _bounds(run[0], run):
        run = run[1:]
    while run and not _bounds(run[-1], run):
        run = run[:-1]
    rows = sum(rows for _, rows, _ in run)
    enough = rows >= limits.rows if len(run) > 1 else rows > limits.rows and run[0][2]
    return [Box.around(band for band, _, _ in run)] if enough else []


def _bounds(end: tuple[Box, int, bool], run: list[tuple[Box, int, bool]]) -> bool:
    """Whether a table may end with a band: it holds columns, and others are as wide."""
    band, rows, even = end
    as_wide = any(alike and other.x2 - other.x1 > 0.95 * (band.x2 - band.x1) for other, _, alike in run)
    return rows > 0 and (even or as_wide)


def blanks_of(lines: Sequence[Line], across: Sequence[Box], limits: TableRules = FINDING) -> list[Line]:
    """Blanks to be filled in, as lines of low strokes about as wide as they are."""
    found = []
    for rule in across:
        width = rule.x2 - rule.x1
        for line in lines:
            foot = line.box.y1 + 0.6 * line.height < rule.y1 < line.box.y2 + 0.2 * line.height
            follows = abs(rule.x1 - line.box.x2) < 0.6 * line.height
            if foot and follows and width < limits.blank * line.height:
                strokes = BLANK * max(2, round(width / (0.4 * line.height)))
                found.append(Line(Box(max(rule.x1, line.box.x2), line.box.y1, rule.x2, line.box.y2), strokes))
                break
    return [line for line in found if line.box.x2 > line.box.x1]
