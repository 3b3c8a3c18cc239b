"""Ruled paper and creases: their lines run through the text, unlike the rules of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.ruled_lines import RuledLines, rule_contrast, rule_contrasts

_LEAST = 3
"""Smallest number of lines through text that make ruled paper."""
_ALIKE = 1.5
"""Largest contrast of a line of the paper, as a ratio to those that run through text."""
_BODY = 0.3
"""Share of a text line's height, at its top and bottom, that a rule may touch: engines return boxes with padding."""
_SOLID = 0.85
"""Smallest share of dark pixels in a rule; letters on a line of the paper are dark in places."""
_NEAR = 1.5
"""Largest distance, in line heights, of these pieces from the text."""
_LEVEL = 2.0
"""Largest vertical distance, in pixels, of the pieces of a line that letters interrupt."""


def without_ruled_paper(grey: Any, rules: RuledLines, lines: Sequence[Line], height: float) -> RuledLines:
    """Return the rules of a page without creases and the lines of ruled paper.

    A rule that runs through text is a crease, or strikes a text out. Where letters interrupt it and there are several,
    they are ruled paper: rules as faint as they go, and a rule that lies on such a line is cut to its dark part.
    """
    through = [rule for rule in rules.across if any(_runs_through(rule, line, rules.across) for line in lines)]
    if len(through) < _LEAST:
        crossing = [rule for rule in through if any(_runs_through(rule, line, [rule]) for line in lines)]
        return rules._replace(across=[rule for rule in rules.across if rule not in crossing])
    faint = _ALIKE * float(np.median([rule_contrast(grey, rule) for rule in through]))
    dark = [_dark_part(grey, rule, faint, height) for rule in rules.across]
    return rules._replace(across=[rule for rule in dark if rule is not None])


def _runs_through(rule: Box, line: Line, across: Sequence[Box]) -> bool:
    """Whether a rule, with the pieces beside it, crosses the letters of a line and continues on both sides."""
    middle = (rule.y1 + rule.y2) / 2
    if not line.box.y1 + _BODY * line.height < middle < line.box.y2 - _BODY * line.height:
        return False
    level = [other for other in across if abs((other.y1 + other.y2) / 2 - middle) <= _LEVEL]
    left, right, near = line.box.x1, line.box.x2, _NEAR * line.height
    reaches_left = any(other.x1 < left - line.height and other.x2 > left - near for other in level)
    return reaches_left and any(other.x2 > right + line.height and other.x1 < right + near for other in level)


def _dark_part(grey: Any, rule: Box, faint: float, height: float) -> Box | None:
    """Return the longest part of a rule that is darker than the paper's lines; None if only letters are."""
    dark = (rule_contrasts(grey, rule) > faint).astype(np.uint8)[None]
    closed = cv2.morphologyEx(dark, cv2.MORPH_CLOSE, np.ones((1, round(height) | 1), np.uint8))
    _, _, parts, _ = cv2.connectedComponentsWithStats(closed)
    start, width = max(((int(part[0]), int(part[2])) for part in parts[1:]), key=lambda part: part[1], default=(0, 0))
    if width < height or dark[0, start : start + width].mean() < _SOLID:
        return None
    return rule._replace(x1=rule.x1 + start, x2=rule.x1 + start + width)
