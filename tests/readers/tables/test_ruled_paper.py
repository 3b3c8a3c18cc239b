"""Ruled paper on drawn pages: its lines are dropped, rules of a table stay."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.ruled_lines import RuledLines, find_ruled_lines, rule_contrast
from vdebench.readers.tables.ruled_paper import without_ruled_paper

HEIGHT = 28
PAPER, TABLE = 215, 40


def page(pitch=42):
    """A page of 700 × 600 pixels with faint lines over its full width."""
    image = np.full((600, 700, 3), 255, np.uint8)
    for y in range(40, 600, pitch):
        image[y : y + 2] = PAPER
    return image


def text(y, x1=120, x2=400):
    return Line(Box(x1, y - HEIGHT / 2, x2, y + HEIGHT / 2), "text")


def kept(image, lines):
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    return without_ruled_paper(grey, find_ruled_lines(image, HEIGHT), lines, HEIGHT).across


THROUGH = [text(y) for y in (41, 83, 125, 167)]
BETWEEN = [text(y) for y in (62, 104, 146, 188)]


def test_lines_through_text_are_paper():
    assert kept(page(), THROUGH) == []


@pytest.mark.parametrize(("lines", "count"), [(BETWEEN, 14), ([], 14), (THROUGH[:2], 12)])
def test_lines_between_texts_are_rules(lines, count):
    """Two lines through text are creases: they go alone."""
    assert len(kept(page(), lines)) == count


def test_letters_interrupt_the_paper():
    image = page()
    for line in THROUGH:
        y = int(line.box.y1)
        image[y : y + HEIGHT, 120:400] = 255
        cv2.putText(image, "Words that run on", (124, y + 22), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (0, 0, 0), 2)
    assert kept(image, THROUGH) == []


def test_a_column_between_two_tables_is_not_crossed():
    """Rules at the same height left and right of a text, but not near it."""
    image = np.full((600, 900, 3), 255, np.uint8)
    for y in (100, 150, 200, 250):
        image[y : y + 2, 20:200] = image[y : y + 2, 700:880] = TABLE
    assert len(kept(image, [text(y, 300, 600) for y in (100, 150, 200, 250)])) == 8


def test_the_rules_of_a_table_on_ruled_paper_stay():
    image = page()
    for y in (300, 336, 376):  # the last one lies on a line of the paper
        image[y : y + 3, 100:500] = TABLE
    rules = kept(image, THROUGH)
    assert len(rules) == 3
    assert all(abs(rule.x1 - 100) < 4 and abs(rule.x2 - 500) < 4 for rule in rules)


def test_the_contrast_of_a_rule():
    grey = np.full((20, 50), 200, np.uint8)
    grey[10, 10:40] = 80
    assert rule_contrast(grey, Box(10, 9, 40, 12)) == 120
    assert rule_contrast(grey, Box(60, 9, 70, 12)) == 0  # outside the page
    assert without_ruled_paper(grey, RuledLines([], []), [], HEIGHT) == RuledLines([], [])
