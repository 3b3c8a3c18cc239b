"""Search of quoted text in given lines."""

import numpy as np
import pytest

from vdebench.core.box import Box
from vdebench.editors.overlay.location import OverlayPage, TextSpan
from vdebench.editors.overlay.words import LineWord, part_between, pieces_of, units_of
from vdebench.instructions.request import NotUnderstoodError
from vdebench.readers.lines.line import Line

BLANK = np.full((400, 600, 3), 255, np.uint8)


def page(*texts: str) -> OverlayPage:
    """Lines of one paragraph, 500 pixels wide, 24 high, 30 apart."""
    return OverlayPage(BLANK, [Line(Box(50, 40 + 30 * k, 550, 64 + 30 * k), text) for k, text in enumerate(texts)])


@pytest.mark.parametrize(
    ("lines", "text", "spot"),
    [
        (["one two three", "four five six"], "two", TextSpan(0, 4, 0, 7)),
        (["one two three", "four five six"], "three four", TextSpan(0, 8, 1, 4)),
        (["measures of evapo-", "ration in summer"], "evaporation", TextSpan(0, 12, 1, 6)),  # broken by a hyphen
        (["onetwo three"], "one two", TextSpan(0, 0, 0, 6)),  # a space that was not read
        (["约为（28.7%），其余"], "(28.7%)", TextSpan(0, 2, 0, 9)),  # another width
        (["the year 12023 and 2023 again"], "2023", TextSpan(0, 19, 0, 23)),  # the whole number, not its end
        (["The valley receives rein in winter"], "valley receives rain in winter", TextSpan(0, 4, 0, 34)),  # misread
    ],
)
def test_finds(lines: list[str], text: str, spot: TextSpan) -> None:
    assert page(*lines).find(text)[1] == spot


@pytest.mark.parametrize(
    ("text", "reason"),
    [("five", "2 times"), ("seven", "not found"), ("·", "contains no searchable letters"), ("sox", "not found")],
)
def test_does_not_guess(text: str, reason: str) -> None:
    with pytest.raises(NotUnderstoodError, match=reason):
        page("one five three", "four five six").find(text)


def test_a_longer_text_tells_which() -> None:
    assert page("one five three", "four five six").find("five", within="four five six")[1] == TextSpan(1, 5, 1, 9)


def test_a_paragraph_begins_with_it() -> None:
    listed = page("– one two", "– two one")
    assert len(listed.paragraphs) == 2
    assert listed.find("– two", begins=True)[0].lines[0].text == "– two one"
    with pytest.raises(NotUnderstoodError, match="not found"):
        listed.find("one two and", begins=True)


def test_words_and_where_lines_may_end() -> None:
    assert [text for text, _, _ in pieces_of("约28.7%的缺陷，来自 GPU。")] == [
        *("约", "28.7%", "的", "缺", "陷", "，", "来", "自", "GPU", "。")
    ]
    words = [LineWord(text, part) for text, part, _ in pieces_of("（甲）乙，28.7% of")]
    assert ["".join(word.text for word in unit) for unit in units_of(words)] == ["（甲）", "乙，", "28.7%", "of"]


@pytest.mark.parametrize(
    ("before", "after", "part"), [("end.", "New", " "), ("甲", "乙", ""), ("12%", "(a)", " "), ("word", ", and", "")]
)
def test_what_parts_words(before: str, after: str, part: str) -> None:
    assert part_between(before, after) == part
