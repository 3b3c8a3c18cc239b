"""Bullets found in drawn lines."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vdebench.core.box import Box
from vdebench.readers.layout.list_marks import find_mark, with_list_marks
from vdebench.readers.lines.line import Line

LEFT = 100


def page(mark, size=8, gap=14, text="Type of paper", ink=30, paper=250):
    """A line with letters 24 pixels high after a mark; with the position of the text."""
    grey = np.full((80, 500), paper, np.uint8)
    x, y = LEFT, 40
    if mark == "square":
        grey[y - size // 2 : y + size // 2, x : x + size] = ink
    elif mark == "disc":
        big = np.full((640, 4000), paper, np.uint8)  # drawn large, for soft edges
        cv2.circle(big, (x * 8 + size * 4, y * 8), size * 4, ink, -1)
        grey = cv2.resize(big, (500, 80), interpolation=cv2.INTER_AREA)
    elif mark == "ring":
        cv2.circle(grey, (x + size // 2, y), size // 2, ink, 1)
    elif mark == "dash":
        grey[y - 1 : y + 1, x : x + 2 * size] = ink
    start = x + (2 * size if mark == "dash" else size if mark else 0) + gap
    cv2.putText(grey, text, (start, 49), cv2.FONT_HERSHEY_SIMPLEX, 0.8, ink, 2)
    return grey, start


@pytest.mark.parametrize(
    ("mark", "size", "expected"),
    [
        ("square", 8, "▪"),
        ("square", 6, "▪"),
        ("disc", 8, "•"),
        ("disc", 6, "•"),
        ("disc", 3, ""),  # a middle dot
        ("square", 18, ""),  # a check box
        ("ring", 8, ""),  # hollow, like the letter o
        ("dash", 8, ""),
        ("", 0, ""),
    ],
)
@pytest.mark.parametrize(("ink", "paper"), [(30, 250), (250, 60)])
def test_the_shape_of_a_mark(mark, size, expected, ink, paper):
    grey, start = page(mark, size, ink=ink, paper=paper)
    for left in (LEFT - 3, start - 2):  # the engine's box holds the mark, or not
        found = find_mark(Line(Box(left, 26, 330, 56), "Text"), grey)
        assert (found[0] if found else "") == expected


def test_a_mark_far_from_the_text_is_none():
    grey, start = page("square", 8, gap=40)
    assert find_mark(Line(Box(start - 2, 26, 400, 56), "Text"), grey) is None
    assert find_mark(Line(Box(600, 26, 700, 56), "Text"), grey) is None  # outside the page


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("Text", "▪ Text"),
        ("·Text", "▪ Text"),
        ("• Text", "▪ Text"),
        ("▪ Text", "▪ Text"),
        ("o Text", "▪ Text"),
        ("over", "▪ over"),  # begins with a letter like a mark
    ],
)
def test_a_mark_replaces_what_the_recogniser_returned(read, expected):
    grey, start = page("square")
    (line,) = with_list_marks([Line(Box(start - 2, 26, 330, 56), read)], grey)
    assert line.text == expected
    assert line.box.x1 == LEFT


def test_a_mark_between_two_pieces_of_a_line_is_no_bullet():
    grey, start = page("square")
    pieces = [Line(Box(40, 26, LEFT - 2, 56), "before"), Line(Box(start - 2, 26, 330, 56), "after")]
    assert with_list_marks(pieces, grey) == pieces


def test_lines_without_marks_stay():
    grey, start = page("")
    lines = [Line(Box(start - 2, 26, 330, 56), "Text")]
    assert with_list_marks(lines, grey) == lines
