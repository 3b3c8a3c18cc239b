"""RuledLines on drawn pages: detects tables, ignores text and charts."""

from __future__ import annotations

import cv2
import numpy as np

from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.ruled_lines import RuledLines, find_blanks, find_ruled_lines, find_tables

HEIGHT = 20


def paper(width=800, height=600):
    return np.full((height, width, 3), 255, np.uint8)


def across(image, y, x1, x2, thick=2):
    cv2.line(image, (x1, y), (x2, y), (60, 60, 60), thick)


def down(image, x, y1, y2):
    cv2.line(image, (x, y1), (x, y2), (60, 60, 60), 2)


def cells(xs, ys, width=60):
    return [Line(Box(x, y, x + width, y + HEIGHT), "cell") for y in ys for x in xs]


def close(box, other, far=6):
    return all(abs(one - two) <= far for one, two in zip(box, other, strict=True))


def tables(image, lines):
    return find_tables(lines, find_ruled_lines(image, HEIGHT), HEIGHT)


def test_rules_are_found_across_and_down_and_letters_are_not():
    image = paper()
    across(image, 100, 50, 450)
    down(image, 300, 200, 400)
    cv2.putText(image, "HIll", (500, 300), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (0, 0, 0), 2)
    rules = find_ruled_lines(image, HEIGHT)
    assert len(rules.across) == len(rules.down) == 1
    assert close(rules.across[0], (50, 99, 450, 101))
    assert close(rules.down[0], (299, 200, 301, 400))


def test_the_side_of_a_panel_is_a_rule():
    image = paper()
    image[100:140, 50:450] = (20, 90, 90)
    assert [round(rule.y1 / 10) for rule in find_ruled_lines(image, HEIGHT).across] == [10, 14]


def test_a_grid_with_text_is_a_table():
    image = paper()
    for y in (100, 140, 180, 220):
        across(image, y, 50, 450)
    for x in (50, 250, 450):
        down(image, x, 100, 220)
    (found,) = tables(image, cells((80, 300), (110, 150, 190)))
    assert close(found, (50, 100, 450, 220))


def test_a_grid_without_text_is_none():
    image = paper()
    for y in (100, 140, 180):
        across(image, y, 50, 450)
    for x in (50, 250, 450):
        down(image, x, 100, 180)
    assert tables(image, []) == []


def test_three_rules_with_columns_between_are_a_table():
    image = paper()
    for y in (100, 135, 300):
        across(image, y, 50, 450)
    lines = cells((80, 200, 350), (108, 145, 180, 215, 250))
    (found,) = tables(image, lines)
    assert close(found, (50, 100, 450, 300))


def test_the_caption_between_a_heading_and_the_table_stays_out():
    image = paper()
    for y in (20, 100, 135, 300):
        across(image, y, 50, 450)
    caption = Line(Box(150, 60, 350, 80), "Table 1. Results")
    (found,) = tables(image, [caption, *cells((80, 200, 350), (108, 145, 180, 215, 250))])
    assert found.y1 > 90


def test_a_wider_rule_above_is_not_the_tables():
    image = paper()
    across(image, 20, 50, 750)
    for y in (100, 135, 300):
        across(image, y, 50, 450)
    headings = [Line(Box(x, 50, x + 200, 70), "A heading") for x in (50, 470)]
    (found,) = tables(image, [*headings, *cells((80, 200, 350), (108, 145, 180, 215, 250))])
    assert close(found, (50, 100, 450, 300))


def test_two_columns_of_text_between_rules_are_none():
    image = paper()
    for y in (40, 300, 560):
        across(image, y, 50, 750)
    lines = [
        Line(Box(x, y, x + 330, y + HEIGHT), "a line of running text here")
        for x in (50, 420)
        for y in range(60, 540, 26)
    ]
    assert tables(image, lines) == []


def test_questions_between_rules_are_none():
    image = paper()
    for y in (40, 200):
        across(image, y, 50, 450)
    lines = [Line(Box(50, y, 440, y + HEIGHT), "question that goes over lines") for y in (50, 76, 102, 128)]
    assert tables(image, [*lines, *cells((60, 250), (160,), 30)]) == []


def test_a_panel_below_a_table_stays_out():
    image = paper()
    for y in (100, 135, 300):
        across(image, y, 50, 450)
    cv2.rectangle(image, (52, 312), (448, 350), (205, 220, 235), -1)
    panel = [Line(Box(60, 320, 140, 340), "Term:"), Line(Box(150, 320, 440, 340), "what it means")]
    (found,) = tables(image, [*cells((80, 200, 350), (108, 145, 180, 215, 250)), *panel])
    assert close(found, (50, 100, 450, 300))


def test_a_double_rule_ends_no_table():
    image = paper()
    for y in (100, 135, 140, 300):
        across(image, y, 50, 450, 1)
    (found,) = tables(image, cells((80, 200, 350), (108, 145, 180, 215, 250)))
    assert close(found, (50, 100, 450, 300))


def test_a_shadow_and_a_crease_are_no_rules():
    """A shadow is soft; a crease is sharp but not straight."""
    rows, columns = np.mgrid[0:600, 0:800]
    shade = 80 * np.exp(-(((rows - 200) / 12) ** 2)) + 60 * np.exp(-(((columns - 300) / 15) ** 2))
    bend = 400 + 14 * np.sin(columns / 25)
    shade += np.where(np.abs(rows - bend) < 1.5, 90, 0)
    image = np.repeat((250 - np.clip(shade, 0, 200)).astype(np.uint8)[..., None], 3, axis=2)
    rules = find_ruled_lines(image, HEIGHT)
    assert rules.down == []
    assert all(rule.y1 > 380 and rule.x2 - rule.x1 < 3 * HEIGHT for rule in rules.across)  # the crests of the crease
    lines = cells((80, 200, 350), (108, 145, 180, 215, 250))
    assert tables(image, lines) == []


def test_a_short_rule_after_a_word_is_a_blank():
    name = Line(Box(50, 100, 110, 120), "Name")
    (blank,) = find_blanks([name], [Box(112, 116, 192, 118)])
    assert blank.text == "_" * 10  # 80 pixels, a stroke for every 8
    assert (blank.box.y1, blank.box.y2) == (100, 120)
    assert find_blanks([name], [Box(112, 90, 192, 92)]) == []  # above the line
    assert find_blanks([name], [Box(300, 116, 380, 118)]) == []  # far from it
    assert find_blanks([name], [Box(112, 116, 700, 118)]) == []  # as long as the page


def test_a_page_without_rules_has_no_tables():
    assert find_ruled_lines(paper(), HEIGHT) == RuledLines([], [])
    assert find_tables(cells((80, 300), (110, 150)), RuledLines([], []), HEIGHT) == []
