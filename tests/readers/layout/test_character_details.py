"""Positions and probabilities of characters in OCR output."""

from __future__ import annotations

import pytest

from vdebench.core.box import Box
from vdebench.core.page_text import Block, PageText
from vdebench.readers.layout.character_details import block_details, doubtful_spans, with_details
from vdebench.readers.lines.line import Line
from vdebench.readers.lines.recognition import RecognizedLine


def line(text: str, probabilities, top: float = 0) -> Line:
    count = len(text)
    edges = tuple(index / count for index in range(count + 1))
    recognized = RecognizedLine(text, edges, tuple(probabilities))
    return Line(Box(10, top, 10 + 10 * count, top + 20), text, 0.9, recognized)


@pytest.mark.parametrize(
    ("content", "texts", "doubtful", "expected"),
    [
        ("abc", ["abc"], {1: 0.5}, [[1, 2, 50]]),
        ("abc", ["abc"], {}, []),
        ("ab cd", ["ab", "cd"], {3: 0.61}, [[4, 5, 61]]),  # lines are joined with a space
        ("evaporation", ["evapo-", "ration"], {6: 0.8}, [[5, 6, 80]]),  # the hyphen is gone
        ("共三项，税", ["共三项,税"], {3: 0.7}, [[3, 4, 70]]),  # another width
        ("<table><tr><td>12</td></tr></table>", ["12"], {1: 0.42}, [[16, 17, 42]]),
        ("<table><tr><td>td</td></tr></table>", ["td"], {0: 0.42}, [[15, 16, 42]]),  # not the tag
        ("<table><tr><td>&lt;5</td></tr></table>", ["<5"], {1: 0.42}, [[19, 20, 42]]),
        ("a b", ["a b"], {1: 0.3}, []),  # a space
    ],
)
def test_doubtful_characters_are_found_in_the_content(content, texts, doubtful, expected):
    lines, at = [], 0
    for text in texts:
        lines.append(line(text, [doubtful.get(at + index, 0.99) for index in range(len(text))]))
        at += len(text)
    assert doubtful_spans(content, lines) == expected


def test_a_line_has_positions_in_pixels_of_the_page():
    details = block_details("ab", [line("ab", [0.99, 0.57])], [Box(10, 0, 30, 20)])
    assert details["lines"] == [{"bbox": [10, 0, 30, 20], "text": "ab", "x": [10, 20, 30], "doubtful": [[1, 57]]}]
    assert details["doubtful"] == [[1, 2, 57]]


def test_an_engine_without_probabilities_gives_no_details():
    assert block_details("ab", [Line(Box(0, 0, 9, 9), "ab")], [Box(0, 0, 9, 9)]) == {}


def test_each_line_belongs_to_the_block_that_covers_it():
    blocks = [Block(Box(0, 0, 200, 30), "ab", extra={"kept": 1}), Block(Box(0, 40, 200, 100), "cd ef")]
    lines = [line("ef", [1, 1], 70), line("ab", [1, 1], 5), line("cd", [1, 1], 45)]
    first, second = with_details(blocks, lines, [each.box for each in lines])
    assert first.extra["kept"] == 1
    assert [each["text"] for each in first.extra["lines"]] == ["ab"]
    assert [each["text"] for each in second.extra["lines"]] == ["cd", "ef"]
    page = PageText((first, second))
    assert PageText.from_json(page.to_json()) == page


def test_lines_beside_a_tall_box_of_another_block_keep_their_order():
    blocks = [Block(Box(100, 0, 300, 100), "ab cd ef"), Block(Box(0, 0, 60, 100), "X")]
    tops = {"ab": 0, "cd": 35, "ef": 70}
    lines = [line(text, [1, 1])._replace(box=Box(170 - top, top, 300, top + 20)) for text, top in tops.items()]
    every = [*lines, line("X", [1])._replace(box=Box(0, 0, 60, 100))]
    first, _ = with_details(blocks, every, [each.box for each in every])
    assert [each["text"] for each in first.extra["lines"]] == ["ab", "cd", "ef"]


def test_turned_and_vertical_lines_have_no_horizontal_positions():
    turned, vertical = line("ab", [1, 1]), line("ab", [1, 1])._replace(box=Box(0, 0, 20, 60))
    details = block_details("ab", [turned, vertical], [Box(300, 10, 320, 30), vertical.box])
    assert [each["bbox"] for each in details["lines"]] == [[300, 10, 320, 30], [0, 0, 20, 60]]
    assert not any("x" in each for each in details["lines"])
