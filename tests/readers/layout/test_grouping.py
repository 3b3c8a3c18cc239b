"""Grouping of lines into blocks on small layouts."""

from __future__ import annotations

from vdebench.core.box import Box
from vdebench.core.page_text import Block
from vdebench.readers.layout.grouping import group_lines, in_reading_order, typical_line_height
from vdebench.readers.lines.line import Line


def line(x: float, y: float, width: float, text: str, height: float = 20) -> Line:
    return Line(Box(x, y, x + width, y + height), text)


def said(lines) -> list[str]:
    return [block.content for block in group_lines(lines)]


def test_lines_close_together_are_a_paragraph():
    lines = [line(10, 10, 300, "one two"), line(10, 36, 300, "three four"), line(10, 62, 120, "five.")]
    assert said(lines) == ["one two three four five."]


def test_a_wide_gap_begins_another_paragraph():
    assert said([line(10, 10, 300, "one"), line(10, 36, 300, "two"), line(10, 90, 300, "three")]) == [
        "one two",
        "three",
    ]


def test_a_title_is_larger_and_apart():
    assert said([line(10, 10, 300, "Title", height=40), line(10, 56, 300, "text"), line(10, 82, 300, "goes on")]) == [
        "Title",
        "text goes on",
    ]


def test_columns_are_read_one_after_the_other():
    left = [line(10, 10 + 26 * row, 200, f"l{row}") for row in range(3)]
    right = [line(240, 12 + 26 * row, 200, f"r{row}") for row in range(3)]
    assert said([*right, *left]) == ["l0 l1 l2", "r0 r1 r2"]


def test_a_title_over_two_columns_comes_first():
    lines = [line(10, 10, 430, "Title", height=30)]
    lines += [line(x, 60 + 26 * row, 200, f"{name}{row}") for x, name in ((10, "l"), (240, "r")) for row in range(3)]
    assert said(lines) == ["Title", "l0 l1 l2", "r0 r1 r2"]


def test_pieces_of_one_line_are_put_together():
    assert said([line(10, 10, 100, "left"), line(115, 11, 100, "right")]) == ["left right"]


def test_a_short_last_line_and_an_indented_first_one_belong_to_the_paragraph():
    assert said([line(40, 10, 270, "first"), line(10, 36, 300, "second"), line(10, 62, 60, "end")]) == [
        "first second end"
    ]


def test_an_indented_line_begins_a_paragraph_without_a_gap():
    lines = [line(10, 10, 300, "one"), line(10, 36, 298, "two"), line(50, 62, 260, "three"), line(10, 88, 300, "four")]
    assert said(lines) == ["one two", "three four"]


def test_a_line_with_room_for_the_next_word_ends_a_paragraph():
    lines = [line(10, 10, 300, "a full line"), line(10, 36, 90, "ends here."), line(10, 62, 300, "Another one begins")]
    assert said(lines) == ["a full line ends here.", "Another one begins"]
    # "incomprehensibilities" would not have fitted: 21 of 30 characters of 300 pixels, and 200 are left
    lines = [
        line(10, 10, 300, "a full line"),
        line(10, 36, 100, "short"),
        line(10, 62, 300, "incomprehensibilities go along"),
    ]
    assert said(lines) == ["a full line short incomprehensibilities go along"]


def test_hanging_items_are_apart():
    items = [
        line(10 if row % 3 == 0 else 40, 10 + 26 * row, 300 if row % 3 == 0 else 270, f"line {row}") for row in range(6)
    ]
    assert said(items) == ["line 0 line 1 line 2", "line 3 line 4 line 5"]


def test_centred_lines_stay_together():
    assert said([line(10, 10, 300, "A title of two"), line(100, 36, 120, "lines")]) == ["A title of two lines"]


def test_pieces_are_joined_across_a_gap_but_not_across_a_gutter():
    across = [line(10, 36 * row, 400, f"line {row}") for row in (0, 2)]
    assert said([across[0], line(10, 36, 195, "left"), line(214, 36, 196, "right"), across[1]]) == [
        "line 0 left right line 2"
    ]
    columns = [line(x, 26 * row, 195, f"{name}{row}") for x, name in ((10, "l"), (214, "r")) for row in range(3)]
    assert said(columns) == ["l0 l1 l2", "r0 r1 r2"]


def test_scraps_of_a_formula_are_one_block():
    fraction = [
        line(100, 100, 20, "1", height=18),
        line(100, 122, 20, "2", height=18),
        line(60, 105, 35, "x =", height=30),
    ]
    assert len(group_lines(fraction)) == 1
    assert len(group_lines([line(100, 100, 20, "1", height=18), line(200, 100, 20, "2", height=18)])) == 2


def test_large_words_are_titles_and_large_formulas_are_not():
    text = [line(10, 100 + 26 * row, 300, "some text that is read") for row in range(4)]
    labels = {block.content: block.label for block in group_lines([line(10, 10, 200, "A title", height=40), *text])}
    assert labels["A title"] == "paragraph_title"
    assert set(labels.values()) == {"paragraph_title", "text"}
    assert {block.label for block in group_lines([line(10, 10, 200, "E = mc", height=40), *text])} == {"text"}


def test_other_blocks_take_their_place_in_the_order():
    table = Block(Box(10, 100, 310, 200), "<table></table>", "table")
    blocks = group_lines([line(10, 10, 300, "above"), line(10, 250, 300, "below")], others=[table])
    assert [block.label for block in blocks] == ["text", "table", "text"]
    assert [block.order for block in blocks] == [0, 1, 2]


def test_the_usual_height_is_that_of_most_letters():
    assert typical_line_height([]) == 0
    assert (
        typical_line_height(
            [line(0, 0, 9, "x", height=50), line(0, 0, 9, "x", height=60), line(0, 0, 9, "text", height=20)]
        )
        == 20
    )


def test_blanks_join_their_line():
    lines = [line(10, 10, 60, "Name"), line(70, 10, 100, "____"), line(180, 10, 60, "Class"), line(10, 90, 50, "alone")]
    assert said(lines)[0] == "Name ____ Class"


def test_the_same_lines_in_another_order_give_the_same_blocks():
    lines = [line(x, 26 * row, 195, f"{x} {row}") for x in (10, 240) for row in range(5)] + [line(10, 200, 90, "end")]
    assert group_lines(lines) == group_lines(lines[::-1])


def test_reading_order_of_nothing_and_of_one():
    block = Block(Box(0, 0, 1, 1), "a")
    assert in_reading_order([]) == []
    assert in_reading_order([block]) == [block]
    assert group_lines([]) == []


def test_a_bullet_begins_a_block():
    lines = [line(10, 10 + 26 * row, 300, text) for row, text in enumerate(["▪ one two", "three four", "▪ five six"])]
    assert said(lines) == ["▪ one two three four", "▪ five six"]


def test_a_column_below_a_wide_lead_is_a_paragraph_of_its_own():
    lead = [line(10, 10, 900, "the lead is wide"), line(10, 36, 500, "and ends.")]
    byline = [line(10, 82, 120, "By a writer")]
    column = [line(10, 108 + 26 * row, 300, f"text {row}") for row in range(5)]
    right = [line(340, 150 + 26 * row, 300, f"right {row}") for row in range(4)]
    assert "text 0 text 1 text 2 text 3 text 4" in " ".join(said([*lead, *byline, *column, *right]))
    assert sum("text" in content for content in said([*lead, *byline, *column, *right])) == 1
