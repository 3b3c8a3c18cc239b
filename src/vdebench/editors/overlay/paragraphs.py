"""Group lines into paragraphs for editing: text that a typesetter would break into lines together.

Stricter than the reader's blocks: an edit must not make a list item or paragraph flow into the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

import cv2
import numpy as np
import regex

from vdebench.core.box import Box
from vdebench.core.images import Image
from vdebench.readers.layout.grouping import find_line_runs, first_word_width, is_centered
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.text import FULL_WIDTH, join_lines

_MARK = regex.compile(
    r"\s*(?:[–—•▪■●◦·‣*-]\s*\S|\(?\d{1,3}[.)．、]\s*\D|[(（]?[\p{Nd}一二三四五六七八九十]{1,2}[)）、]|[①-⑳]|[A-H][.．]\s)"
)
_PITCH = 1.07
"""Tolerance of the distance of baselines in one paragraph."""
_PITCH_WIDE = 1.14
"""The same for Chinese, whose baseline is less certain."""
_ALIKE = 0.72
_TONE = 70
"""Minimum distance of two different ink colours."""


def joined_rows(lines: Sequence[Line], far: float = 0.6) -> list[Line]:
    """Join pieces of one line that are less than some line heights apart."""
    rows: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.box.x1, line.box.y1)):
        for index, row in enumerate(rows):
            high = min(row.height, line.height)
            shared = min(row.box.y2, line.box.y2) - max(row.box.y1, line.box.y1)
            gap = line.box.x1 - row.box.x2
            if -0.5 * high < gap < far * high and shared > 0.6 * high and max(row.height, line.height) < 1.6 * high:
                text = join_lines([row.text, line.text])
                rows[index] = Line(Box.around([row.box, line.box]), text, min(row.score, line.score))
                break
        else:
            rows.append(line)
    return rows


def paragraphs_of(image: Image, lines: Sequence[Line], others: Sequence[Box] = ()) -> list[list[Line]]:
    """Group lines into paragraphs; `others` are tables, which help to determine column widths."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    found: list[list[Line]] = []
    rows = joined_rows(lines)
    boxes = [*(row.box for row in rows), *others]
    for run in _columns(rows):
        found += _cut(image, grey, run, _right(run, boxes))
    return found


def _columns(rows: list[Line]) -> list[list[Line]]:
    """Group rows into columns; rows that the reader's rules do not connect are attached to the nearest below."""
    runs = find_line_runs(rows)
    grown = True
    while grown:
        grown = False
        for one in runs:
            below = [other for other in runs if other is not one and _goes_on(one[-1], other[0], rows)]
            if len(below) == 1:
                one.extend(below[0])
                runs.remove(below[0])
                grown = True
                break
    return runs


def _goes_on(upper: Line, lower: Line, rows: Sequence[Line]) -> bool:
    """Whether a line is directly below another and similar to it."""
    high = min(upper.height, lower.height)
    gap = lower.box.y1 - upper.box.y2
    shared = min(upper.box.x2, lower.box.x2) - max(upper.box.x1, lower.box.x1)
    if not (-0.6 * high < gap < high and (lower.box.y1 + lower.box.y2) > (upper.box.y1 + upper.box.y2) + high):
        return False
    near = shared > 0.5 * min(upper.box.x2 - upper.box.x1, lower.box.x2 - lower.box.x1)
    return near and high > _ALIKE * max(upper.height, lower.height)


def _right(run: Sequence[Line], boxes: Sequence[Box]) -> float:
    """Return the right edge of a column: the maximum of everything that starts at its left edge without neighbours."""
    column = Box.around(line.box for line in run)
    high = run[0].height
    sides = [box.x1 for box in boxes if box.x1 > column.x2 and min(box.y2, column.y2) > max(box.y1, column.y1)]
    peers = [box.x2 for box in boxes if abs(box.x1 - column.x1) < 3 * high and box.x2 < min(sides, default=1e9)]
    return max([column.x2, *peers])


def _cut(image: Image, grey: np.ndarray, run: Sequence[Line], right: float) -> list[list[Line]]:
    """Split a column of lines where paragraphs start."""
    if len(run) == 1:
        return [list(run)]
    feet = [_foot(grey, line) for line in run]
    tones = [_tone(image, line) for line in run]
    pitches = [lower - upper for upper, lower in pairwise(feet)]
    left = min(line.box.x1 for line in run)
    found = [[run[0]]]
    for index, (before, line) in enumerate(pairwise(run)):
        high = median([before.height, line.height])
        beside = [pitches[other] for other in (index - 1, index + 1) if 0 <= other < len(pitches)]
        usual = min([*beside, pitches[index]])
        chinese = bool(FULL_WIDTH.search(before.text + line.text))
        more = max(_PITCH * usual, usual + 1.9) if not chinese else max(_PITCH_WIDE * usual, usual + 3.9)
        begins = pitches[index] > more if beside else False
        begins |= min(before.height, line.height) < _ALIKE * max(before.height, line.height)
        begins |= float(np.linalg.norm(tones[index] - tones[index + 1])) > _TONE
        if not is_centered(before.box, line.box, high):
            begins |= (
                bool(_MARK.match(line.text) or _marked(grey, line)) and line.box.x1 <= found[-1][0].box.x1 + 0.5 * high
            )
            short = right - before.box.x2 > first_word_width(line, wide=1.2) + 0.5 * high
            near = run[max(0, index - 8) : index + 9]  # a column may continue below a wider one
            begins |= short and sum(abs(other.box.x2 - before.box.x2) < 0.45 * high for other in near) < 4
            indented = line.box.x1 - before.box.x1 > 0.8 * high
            after = run[index + 2] if index + 2 < len(run) else None
            hangs = after is not None and abs(after.box.x1 - line.box.x1) < 0.5 * high and len(found[-1]) == 1
            begins |= indented and not hangs and not (len(found[-1]) == 1 and _MARK.match(before.text))
            begins |= (
                len(found[-1]) > 1 and before.box.x1 - line.box.x1 > 0.8 * high and line.box.x1 < left + 0.8 * high
            )
        if begins:
            found.append([line])
        else:
            found[-1].append(line)
    return found


def _part(image: np.ndarray, line: Line) -> np.ndarray:
    x1, y1, x2, y2 = (max(0, round(side)) for side in line.box)
    return image[y1 : max(y2, y1 + 1), x1 : max(x2, x1 + 1)]


def _marked(grey: np.ndarray, line: Line) -> bool:
    """Whether an unread mark, such as a bullet, is before a line."""
    high = line.height
    y1, y2 = max(0, round(line.box.y1)), round(line.box.y2)
    x1, x2 = max(0, round(line.box.x1 - 1.3 * high)), max(1, round(line.box.x1 - 0.1 * high))
    part = grey[y1:y2, x1:x2].astype(np.float32)
    if part.size == 0:
        return False
    dark = np.abs(part - np.median(part)) > 60
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    if len(columns) < 2 or columns[0] == 0 or len(rows) < 2:
        return False
    return bool(rows[-1] - rows[0] < 0.5 * high and columns[-1] - columns[0] < 0.6 * high)


def _foot(grey: np.ndarray, line: Line) -> float:
    """Return the baseline of a line: where its ink decreases most."""
    part = _part(grey, line).astype(np.float32)
    if part.shape[0] < 4:
        return line.box.y2
    ink = np.abs(part - np.median(part)).sum(axis=1)
    if FULL_WIDTH.search(line.text):
        return (line.box.y1 + line.box.y2) / 2
    low = len(ink) // 2
    fall = ink[low:-1] - ink[low + 1 :]
    return float(max(0, round(line.box.y1)) + low + int(fall.argmax()))


def _tone(image: Image, line: Line) -> np.ndarray:
    """Return the ink colour of a line."""
    part = _part(image, line).reshape(-1, 3).astype(np.float32)
    paper = np.median(part, axis=0)
    far = np.linalg.norm(part - paper, axis=1)
    return np.asarray(part[far >= np.percentile(far, 95)].mean(axis=0))
