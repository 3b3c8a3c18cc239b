"""Which changes a request asked for, on hand-made changes; `tests/pipeline/test_edit_check.py` has the real reader."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.changes.fake_reader import FakeReader
from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change, Geometry, PageChanges
from vdebench.changes.engine import PageComparison
from vdebench.changes.outcome import mark_asked, outcomes
from vdebench.core.box import Box, Size
from vdebench.instructions.request import EditRequest as R
from vdebench.readers.lines.line import Line
from vdebench.readers.reader import ReadLines

WHITE = np.full((300, 600, 3), 255, np.uint8)
PAGES = AlignedPages(WHITE, WHITE, np.array([[1.0, 0, 0], [0, 1, 0]]))
SIZE = Size(600, 300)


def line(text, row=0, pitch=40):
    """10 pixels for each character, 20 high, 40 below the line above."""
    return Line(word(text, text, row, pitch), text)


def word(text, part, row=0, pitch=40):
    start = text.index(part)
    return Box(10 * start, pitch * row, 10 * (start + len(part)), pitch * row + 20)


def compared(before, after, *changes, pages=PAGES, pitch=40):
    page, output = (
        ReadLines([line(text, row, pitch) for row, text in enumerate(side) if text], []) for side in (before, after)
    )
    geometry = Geometry("same" if pages else "reframed", SIZE, SIZE)
    return PageComparison(WHITE, WHITE, page, output, pages, PageChanges(geometry, changes))


def outcome(comparison, *requests):
    reader = FakeReader(lambda image: "")  # finds any text equally unlikely
    found = outcomes(comparison, requests, reader)
    return [each.outcome for each in found], [change.asked for change in mark_asked(comparison, found)]


TEXT = "the cost is 21.88 now"
REPLACED = Change("replaced", "21.88", "27.88", word(TEXT, "21.88"), word(TEXT, "21.88"), "number")
PRICE = R("replace", "21.88", "27.88")


def test_a_replacement_that_was_asked_for():
    after = "the cost is 27.88 now"
    assert outcome(compared([TEXT], [after], REPLACED), PRICE) == (["done"], [True])
    assert outcome(compared([TEXT], [TEXT]), PRICE) == (["not_done"], [])
    assert outcome(compared([TEXT], [after], REPLACED)) == ([], [None])  # no request


def test_changes_elsewhere_were_not_asked_for():
    second = "and 4.20 for each"
    other = Change("replaced", "4.20", "4.30", word(second, "4.20", 1), word(second, "4.20", 1))
    ink = Change("ink_lost", "", "", word(TEXT, "21.88"))
    comparison = compared([TEXT, second], ["the cost is 27.88 now", "and 4.30 for each"], REPLACED, other, ink)
    assert outcome(comparison, PRICE) == (["done"], [True, False, False])


def test_a_text_that_is_not_on_the_page():
    comparison = compared([TEXT], ["the cost is 27.88 now"], REPLACED)
    assert outcome(comparison, R("replace", "zeppelin", "balloon")) == (["unknown"], [None])
    # the reader may not have read the target: new text that was nowhere before decides
    assert outcome(comparison, R("replace", "zeppelin", "27.88")) == (["done"], [True])
    assert outcome(compared([TEXT], [TEXT]), R("replace", "zeppelin", "balloon")) == (["not_done"], [])


def test_one_unknown_request_leaves_all_changes_open():
    comparison = compared([TEXT], ["the cost is 27.88 now"], REPLACED)
    assert outcome(comparison, PRICE, R("replace", "zeppelin", "balloon")) == (["done", "unknown"], [None])


def test_the_old_text_in_another_line_is_not_the_target():
    lines = ["the moon is far", "a moon rises"]
    change = Change("replaced", "moon", "star", word(lines[1], "moon", 1), word(lines[1], "moon", 1))
    request = R("replace", "moon", "star", within="a moon rises")
    assert outcome(compared(lines, [lines[0], "a star rises"], change), request) == (["done"], [True])
    wrong = Change("replaced", "moon", "star", word(lines[0], "moon"), word(lines[0], "moon"))
    assert outcome(compared(lines, ["the star is far", lines[1]], wrong), request) == (["not_done"], [False])


def test_a_deletion():
    change = Change("lost", "21.88", "", word(TEXT, "21.88"))
    assert outcome(compared([TEXT], ["the cost is now"], change), R("delete", "21.88")) == (["done"], [True])
    assert outcome(compared([TEXT], [TEXT]), R("delete", "21.88")) == (["not_done"], [])
    more = Change("lost", "is 21.88", "", word(TEXT, "is 21.88"))
    assert outcome(compared([TEXT], ["the cost now"], more), R("delete", "21.88")) == (["done"], [False])


PARAGRAPH = ["the cost is 21.88 now", "and 4.20 for a child", "", "", "ships sail at noon"]  # and another one
BLOCK = R("delete_block", "the cost")


def deleted(lines, *rows):
    """Changes in which lines are lost, 26 pixels below each other, as lines of one paragraph are."""
    return [Change("lost", lines[row], "", word(lines[row], lines[row], row, 26)) for row in rows]


def block_outcome(before, after, *changes, request=BLOCK):
    return outcome(compared(before, after, *changes, pitch=26), request)


def test_a_block_is_deleted_from_its_beginning_to_its_end():
    whole, first = deleted(PARAGRAPH, 0, 1), deleted(PARAGRAPH, 0)
    assert block_outcome(PARAGRAPH, ["", "", *PARAGRAPH[2:]], *whole) == (["done"], [True, True])
    assert block_outcome(PARAGRAPH, ["", *PARAGRAPH[1:]], *first) == (["partly"], [True])
    assert block_outcome(PARAGRAPH, PARAGRAPH) == (["not_done"], [])


def test_an_item_is_deleted_whose_end_the_page_does_not_show():
    item, line_ = replace(BLOCK, block="item"), replace(BLOCK, block="line")
    after, first = ["", *PARAGRAPH[1:]], deleted(PARAGRAPH, 0)
    assert block_outcome(PARAGRAPH, after, *first, request=item) == (["unknown"], [None])
    assert block_outcome(PARAGRAPH, PARAGRAPH, request=item) == (["not_done"], [])
    assert block_outcome(PARAGRAPH, after, *first, request=line_) == (["done"], [True])
    assert block_outcome(PARAGRAPH[:1], [], *first, request=item) == (["done"], [True])


def test_what_is_lost_or_replaced_beside_a_deleted_block():
    assert block_outcome(PARAGRAPH, [], *deleted(PARAGRAPH, 0, 1, 4)) == (["done"], [True, True, False])
    lines = ["moon and sun rise", *PARAGRAPH[:2]]  # the block that is named begins in the second line
    assert block_outcome(lines, [], *deleted(lines, 0, 1, 2)) == (["done"], [False, True, True])
    first, second = deleted(PARAGRAPH, 0, 1)
    other = replace(first, kind="replaced", after="dogs sleep", box_after=Box(0, 0, 100, 20))
    assert block_outcome(PARAGRAPH, ["dogs sleep", *PARAGRAPH[2:]], other, second) == (["done"], [False, True])


def test_a_fact_beside_an_inserted_block():
    request = R("insert_block", "the cost", "Dogs travel free.")
    after = ["the cost is 27.88 now", "Dogs travel free."]
    added = Change("added", "", "Dogs travel free.", None, Box(0, 40, 170, 60))
    changed = Change("replaced", "the cost is 21.88", "the cost is 27.88", Box(0, 0, 170, 20), Box(0, 0, 170, 20))
    lost = Change("lost", "the cost", "", word(TEXT, "the cost"))
    assert outcome(compared([TEXT], after, added, changed, lost), request) == (["done"], [True, False, False])


def test_text_inserted_at_every_place():
    lines, after = MOONS[:1] * 3, "the moon too is far"
    added = [Change("added", "", "too", None, word(after, "too", 4 * row)) for row in range(3)]
    apart = [text for line in lines for text in (line, "", "", "")]
    done = [text for _ in lines for text in (after, "", "", "")]
    elsewhere = Change("added", "", "too", None, Box(400, 280, 430, 300))
    request = R("insert_after", "moon", "too", everywhere=True)
    assert outcome(compared(apart, done, *added, elsewhere), request) == (["done"] * 3, [True, True, True, False])


def test_text_added_to_the_new_text():
    after = "the cost is 21.88 new euros now"
    added = Change("added", "", "new euros", None, word(after, "new euros"))
    assert outcome(compared([TEXT], [after], added), R("insert_after", "21.88", "euros")) == (["done"], [False])


def test_similar_changes_elsewhere_are_not_asked_for_without_a_place():
    lines = ["sum 392.70 of all", "no text here", "the tax is 12"]
    new = R("insert_block", new="412.70")
    right = Change("replaced", "392.70", "412.70", word(lines[0], "392.70"), word(lines[0], "392.70"))
    similar = Change("replaced", "12", "412", word(lines[2], "12", 2), Box(110, 80, 140, 100))
    after = ["sum 412.70 of all", lines[1], "the tax is 412"]
    assert outcome(compared(lines, after, right, similar), new) == (["done"], [True, False])
    context = Change("replaced", "sum 392.70", "sum 412.70", word(lines[0], "sum 392.70"), Box(0, 0, 100, 20))
    part = Change("added", "", "4", None, word("sum 412.70", "4"))  # not a whole word
    moved = Change("replaced", "sum 392.70", "all 412.70", context.box_before, context.box_after)
    comparison = compared(lines, [after[0], *lines[1:]], context, part, moved)
    assert outcome(comparison, new) == (["done"], [True, False, False])


def test_text_over_two_lines_of_the_page_is_no_new_text():
    lines = ["the moon is far from", "the sun it circles"]
    change = Change("replaced", "circles", "rounds", word(lines[1], "circles", 1), word(lines[1], "circles", 1))
    after = [lines[0], "the sun it rounds"]
    assert outcome(compared(lines, after, change), R("insert_block", new="far from the sun")) == (["unknown"], [None])


def test_an_insertion():
    after = "the cost is 21.88 euros now"
    added = Change("added", "", "euros", None, word(after, "euros"))
    assert outcome(compared([TEXT], [after], added), R("insert_after", "21.88", "euros")) == (["done"], [True])
    assert outcome(compared([TEXT], [TEXT]), R("insert_after", "21.88", "euros")) == (["not_done"], [])


def test_an_output_that_is_not_registered():
    comparison = compared([TEXT], ["the cost is 27.88 now"], REPLACED, pages=None)
    assert outcome(comparison, PRICE) == (["done"], [True])


def wrapped(*rows, column=0):
    """Lines of a column that begins 300 pixels further right for each."""
    return [
        line(text, row)._replace(box=Box(300 * column, 40 * row, 300 * column + 250, 40 * row + 20))
        for row, text in enumerate(rows)
    ]


def test_new_text_that_takes_further_lines_beside_another_column():
    other = wrapped("lorem ipsum dolor sit amet", "consectetur adipiscing it", "sed do eiusmod tempor inc", column=1)
    before = [*wrapped("it opens at eight. Ships", "report before they pass."), *other]
    after = [*wrapped("it opens at eight. In win-", "ter it opens at ten. Ships", "report before they pass."), *other]
    geometry = Geometry("same", SIZE, SIZE)
    added = [
        Change("added", "", "In win-", None, Box(190, 0, 250, 20)),
        Change("added", "", "ter it opens at ten.", None, Box(0, 40, 190, 60)),
        Change("added", "", "lorem", None, Box(300, 160, 350, 180)),
    ]
    sides = ReadLines(before, []), ReadLines(after, [])
    comparison = PageComparison(WHITE, WHITE, *sides, PAGES, PageChanges(geometry, tuple(added)))
    request = R("insert_after", "at eight.", "In winter it opens at ten.")
    assert outcome(comparison, request) == (["done"], [True, True, False])


def test_a_deletion_is_checked_word_by_word():
    text = "find the museum of art"
    request = R("delete", "museum of")
    part = Change("lost", "museum", "", word(text, "museum"))
    assert outcome(compared([text], ["find the of art"], part), request) == (["partly"], [True])
    other = Change("lost", "of", "", word(text, "of"))
    assert outcome(compared([text], ["find the museum art"], other), request) == (["partly"], [True])
    shown = Change("replaced", "museum of", "of", word(text, "museum of"), word(text, "museum of"))
    assert outcome(compared([text], ["find the of art"], shown), request) == (["partly"], [True])
    whole = Change("lost", "museum of", "", word(text, "museum of"))
    assert outcome(compared([text], ["find the art"], whole), request) == (["done"], [True])


def test_a_deletion_in_part_that_takes_a_word_beside_it():
    text = "find the museum of art"
    more = Change("lost", "the museum", "", word(text, "the museum"))
    assert outcome(compared([text], ["find of art"], more), R("delete", "museum of")) == (["partly"], [False])


def test_a_word_of_a_deleted_text_that_stands_elsewhere_too():
    lines = ["find the museum of art", "as of old"]  # the line below has another "of", which stays
    lost = Change("lost", "museum of", "", word(lines[0], "museum of"))
    assert outcome(compared(lines, ["find the art", lines[1]], lost), R("delete", "museum of")) == (["done"], [True])


def test_chinese_text_deleted_in_part():
    text = "渡轮每天早上出发"
    part = Change("lost", "早", "", word(text, "早"))
    assert outcome(compared([text], ["渡轮每天上出发"], part), R("delete", "早上")) == (["partly"], [True])


def test_lost_words_beside_a_wrong_text():
    lost = Change("replaced", "cost is 21.88", "35.11", word(TEXT, "cost is 21.88"), Box(40, 0, 90, 20))
    assert outcome(compared([TEXT], ["the 35.11 now"], lost), PRICE) == (["wrong_text"], [False])


MOONS = ["the moon is far", "no text here", "a moon rises"]
MOON_0 = Change("replaced", "moon", "star", word(MOONS[0], "moon"), word(MOONS[0], "moon"))
MOON_2 = Change("replaced", "moon", "star", word(MOONS[2], "moon", 2), word(MOONS[2], "moon", 2))
STARS = ["the star is far", "no text here", "a star rises"]
EVERY = R("replace", "moon", "star", everywhere=True)


def test_every_place_of_a_text():
    assert outcome(compared(MOONS, STARS, MOON_0, MOON_2), EVERY) == (["done", "done"], [True, True])
    assert outcome(compared(MOONS, [STARS[0], *MOONS[1:]], MOON_0), EVERY) == (["done", "not_done"], [True])
    assert outcome(compared(MOONS, MOONS), EVERY) == (["not_done", "not_done"], [])
    wrong = replace(MOON_2, after="mars")
    after = [*STARS[:2], "a mars rises"]
    assert outcome(compared(MOONS, after, MOON_0, wrong), EVERY) == (["done", "wrong_text"], [True, True])


def test_every_place_of_a_text_in_neighbouring_lines():
    lines, after = [MOONS[0], MOONS[2]], [STARS[0], "a mars rises"]
    wrong = Change("replaced", "moon", "mars", word(lines[1], "moon", 1), word(lines[1], "moon", 1))
    # the new text in the line above does not count for the line below
    assert outcome(compared(lines, after, MOON_0, wrong), EVERY) == (["done", "wrong_text"], [True, True])
    right = replace(wrong, after="star")
    assert outcome(compared(lines, [STARS[0], STARS[2]], MOON_0, right), EVERY) == (["done", "done"], [True, True])


def test_every_place_of_a_deleted_text():
    request = R("delete", "moon", everywhere=True)
    gone = [Change("lost", "moon", "", each.box_before) for each in (MOON_0, MOON_2)]
    both = compared(MOONS, ["the is far", "no text here", "a rises"], *gone)
    assert outcome(both, request) == (["done", "done"], [True, True])
    one = compared(MOONS, ["the is far", *MOONS[1:]], gone[0])
    assert outcome(one, request) == (["done", "not_done"], [True])
    unregistered = compared(MOONS, ["the is far", *MOONS[1:]], gone[0], pages=None)
    assert outcome(unregistered, request)[0] == ["done", "not_done"]


def test_longer_words_may_change_where_every_place_is_meant():
    lines = ["the moon is far", "no text here", "moonlight is near"]
    longer = Change(
        "replaced", "moonlight", "starlight", word(lines[2], "moonlight", 2), word(lines[2], "moonlight", 2)
    )
    kept = [STARS[0], *lines[1:]]
    assert outcome(compared(lines, kept, MOON_0), EVERY) == (["done"], [True])
    both = [STARS[0], lines[1], "starlight is near"]
    assert outcome(compared(lines, both, MOON_0, longer), EVERY) == (["done", "done"], [True, True])


def test_the_second_place_of_a_text():
    second = R("replace", "moon", "star", occurrence=2)
    assert outcome(compared(MOONS, [*MOONS[:2], STARS[2]], MOON_2), second) == (["done"], [True])
    assert outcome(compared(MOONS, [STARS[0], *MOONS[1:]], MOON_0), second) == (["not_done"], [False])
    third = R("replace", "moon", "star", occurrence=3)  # there is none
    assert outcome(compared(MOONS, [STARS[0], *MOONS[1:]], MOON_0), third) == (["unknown"], [None])


def test_a_place_that_the_page_does_not_tell():
    request = R("replace", "moon", "star", place="second paragraph")
    assert outcome(compared(MOONS, [STARS[0], *MOONS[1:]], MOON_0), request) == (["unknown"], [None])
    assert outcome(compared(MOONS, MOONS), request) == (["not_done"], [])
    only = ["the moon is far"]
    assert outcome(compared(only, STARS[:1], MOON_0), request) == (["done"], [True])
