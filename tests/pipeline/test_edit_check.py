"""The check of one edit with the real reader: the outcome of the request, and whether the output can be used."""

from __future__ import annotations

import numpy as np
import pytest

from tests.changes.drawn import LINES, blank, draw, jpeg, resized, warped, with_line
from vdebench.changes.engine import PageComparator
from vdebench.changes.verdict import GeometryLimits
from vdebench.core.png import encode_png
from vdebench.pipeline.edit_check import check_edit, check_images, is_decidable
from vdebench.readers.reader import get_reader

PAGE = draw()
PRICE = 'Replace "21.88" with "27.88".'
BOTH = 'Change "21.88" to "27.88" and "4.20" to "5.30".'
DONE = "the edit is done and nothing else changed"


@pytest.fixture(scope="module")
def comparator():
    return PageComparator(get_reader("rapidocr"))


@pytest.fixture
def check(comparator):
    """The outcome, the verdict, and the changes that nobody asked for."""

    def run(after, instruction, before=PAGE):
        found = check_images(before, after, comparator, instruction=instruction)
        return found.edit, found.usable, [str(each) for each in found.page.changes if each.asked is False]

    return run


def priced(price):
    return LINES[2].replace("21.88", price)


def page(row, text, **style):
    return draw(with_line(row, text), **style)


@pytest.mark.parametrize(
    ("instruction", "row", "text"),
    [
        (PRICE, 2, priced("27.88")),
        ('Replace "21.88" with "2.88".', 2, priced("2.88")),
        ('Replace "21.88" with "-21.88".', 2, priced("-21.88")),
        ('Replace "museum" with "museums".', 4, "Visitors find the museums of"),  # contains the old text
        ('Replace "museum of" with "museum".', 4, "Visitors find the museum"),  # a part of it
        ('Insert "old" before "museum".', 4, "Visitors find the old museum of"),
        ('Insert "the" after "museum of".', 4, "Visitors find the museum of the"),  # "the" stands near it anyway
        ('Delete "museum of".', 4, "Visitors find the"),
        ('Delete "and 4.20 for each passenger."', 3, ""),
        ("将“八点”改成“九点”。", 6, LINES[6].replace("八", "九")),
    ],
)
def test_an_edit_that_is_done(check, instruction, row, text):
    assert check(page(row, text), instruction) == ("done", True, [])
    assert check(jpeg(PAGE), instruction) == ("not_done", False, [])


def test_a_target_over_two_lines(check):
    after = draw([*LINES[:4], "Visitors find the castle of", "kings behind the bridge.", *LINES[6:]])
    assert check(after, 'Replace "museum of navigation" with "castle of kings".') == ("done", True, [])


@pytest.mark.parametrize(
    ("price", "outcome"),
    [
        ("27.68", "wrong_text"),
        ("127.88", "wrong_text"),  # a longer number that contains the new one
        ("27.88.5", "wrong_text"),
        ("", "wrong_text"),
        ("21.88", "not_done"),
    ],
)
def test_an_edit_with_the_wrong_text(check, price, outcome):
    assert check(jpeg(page(2, priced(price)), 90), PRICE)[:2] == (outcome, False)


NUMBERS = draw(["Name and mass", "Ant 6.5", "Bee 7.5", "Cow 6.5"])
FIRST = 'Replace "6.5" with "7.5" in the line "Ant 6.5".'


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Ant 7.5", "Bee 7.5", "Cow 6.5"], ("done", True, [])),
        (["Ant 5.5", "Bee 7.5", "Cow 6.5"], ("wrong_text", False, [])),
        (["Ant 6.5", "Bee 7.5", "Cow 7.5"], ("not_done", False, ["6.5 → 7.5"])),
    ],
    ids=["done", "wrong", "another line"],
)
def test_the_same_numbers_in_the_lines_around_do_not_decide(check, lines, expected):
    assert check(draw(["Name and mass", *lines]), FIRST, NUMBERS) == expected


def test_a_word_inside_longer_words(check):
    before, after = (page(4, f"sand {word} band of gold") for word in ("and", "or"))
    assert check(after, 'Replace "and" with "or".', before) == ("done", True, [])


@pytest.mark.parametrize(
    ("instruction", "row", "text", "unasked"),
    [
        (PRICE, 2, "27.88 per car", ["The ferry costs 21.88 → 27.88"]),
        (PRICE, 2, "The ferry costs 27.88", ["lost: per car"]),
        (PRICE, 2, priced("27.88%"), ["21.88 → 27.88%"]),
        ('Delete "museum of".', 4, "Visitors find", ["lost: the museum of"]),
        ('Delete "museum of".', 4, "", ["lost: Visitors find the museum of"]),
        ('Insert "old" before "museum".', 4, "Visitors find the very old museum of", ["added: very old"]),
        ("将“八点”改成“九点”。", 6, "轮渡每天早下九点出发。", ["早上八点 → 早下九点"]),
    ],
)
def test_words_around_the_target_must_stay(check, instruction, row, text, unasked):
    assert check(page(row, text), instruction) == ("done", False, unasked)


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (
            draw([LINES[0], "Opening hours: 8:30 to 17:46", priced("27.88"), *LINES[3:]]),
            "1 fact changed: 17:45 → 17:46",
        ),
        (page(2, priced("27.88"), rule=False), "1 mark lost, added or left behind"),
        (page(2, priced("27.88"), colours={"27.88": (210, 30, 30)}), "text looks different: 27.88 (other colour"),
        (warped(page(2, priced("27.88")), 0.9), "zoomed by 10.0%, more than 5.0%"),
        (resized(page(2, priced("27.88")), 480, 360), "proportions changed by 16.7%"),
        (page(2, priced("27.88"))[72:], "cropped: 4 words are cut off"),
    ],
    ids=["fact", "rule", "colour", "zoom", "aspect", "crop"],
)
def test_damage_beside_a_done_edit(comparator, after, why):
    found = check_images(PAGE, np.ascontiguousarray(after), comparator, instruction=PRICE)
    assert (found.edit, found.usable) == ("done", False)
    assert found.why.startswith(why)


def test_the_same_page_at_another_size_is_usable(check, comparator):
    assert check(jpeg(resized(page(2, priced("27.88")), 720, 630)), PRICE) == ("done", True, [])
    cropped = np.ascontiguousarray(page(2, priced("27.88"))[72:])
    limits = GeometryLimits(allow_crop=True)
    assert check_images(PAGE, cropped, comparator, instruction=PRICE, limits=limits).usable is True


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ("27.88", "5.30", "done"),
        ("27.88", "4.20", "partly"),
        ("27.88", "5.50", "partly"),
        ("27.38", "4.20", "wrong_text"),
        ("21.88", "4.20", "not_done"),
    ],
)
def test_two_requests(check, first, second, outcome):
    after = jpeg(draw([*LINES[:2], priced(first), LINES[3].replace("4.20", second), *LINES[4:]]), 90)
    assert check(after, BOTH) == (outcome, outcome == "done", [])


@pytest.mark.parametrize(
    ("text", "outcome", "unasked"),
    [
        ("Visitors find the of", "partly", []),
        ("Visitors find the museum", "partly", []),
        ("Visitors find the          of", "partly", []),  # the gap stays
        ("Visitors find of", "partly", ["lost: the museum"]),
        ("Visitors find the", "done", []),
        ("Visitors find", "done", ["lost: the museum of"]),
        ("Visitors find the museum of", "not_done", []),
    ],
)
def test_a_deletion_is_checked_word_by_word(check, text, outcome, unasked):
    assert check(jpeg(page(4, text), 90), 'Delete "museum of".') == (
        outcome,
        outcome == "done" and not unasked,
        unasked,
    )


def test_chinese_text_deleted_in_part(check):
    assert check(page(6, "轮渡每天早八点出发。"), "删除“早上”。") == ("partly", False, [])
    assert check(page(6, "轮渡每天八点出发。"), "删除“早上”。") == ("done", True, [])


MOONS = ["The moon is far away", "Nothing is near", "A moon rises at ten", "and the moon sets", "Moonlight is pale"]
EVERYWHERE = ('Replace all "moon" with "star".', 'Change "moon" to "star" everywhere.', "将所有“moon”改为“star”。")


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ((0, 2, 3), ("done", True, [])),
        ((0, 2), ("partly", False, [])),
        ((3,), ("partly", False, [])),
        ((), ("not_done", False, [])),
    ],
)
def test_every_place_of_a_text(check, rows, expected):
    lines = [text.replace("moon", "star") if row in rows else text for row, text in enumerate(MOONS)]
    assert check(jpeg(draw(lines), 90), EVERYWHERE[len(rows) % 3], draw(MOONS)) == expected


def test_every_place_of_a_text_with_one_wrong_text(check):
    lines = [MOONS[0].replace("moon", "star"), MOONS[1], "A star rises at ten", "and the mars sets", MOONS[4]]
    assert check(draw(lines), EVERYWHERE[0], draw(MOONS)) == ("partly", False, [])


def test_every_place_of_a_deleted_text(check):
    gone = [MOONS[0], MOONS[1], "A rises at ten", "and the sets", MOONS[4]]
    assert check(draw(gone), 'Delete "moon" everywhere.', draw(MOONS)) == ("partly", False, [])
    gone[0] = "The is far away"
    assert check(draw(gone), 'Delete "moon" everywhere.', draw(MOONS)) == ("done", True, [])


SECOND = 'Replace the second occurrence of "moon" with "star".'


@pytest.mark.parametrize(
    ("instruction", "row", "expected"),
    [
        (SECOND, 2, ("done", True, [])),
        (SECOND, 0, ("not_done", False, ["moon → star"])),
        ('In the first line, change "moon" to "star".', 0, ("done", True, [])),
        ('In the first line, change "moon" to "star".', 3, ("not_done", False, ["moon → star"])),
        ('Change "moon" to "star" in the second paragraph.', 0, ("unknown", None, [])),
    ],
)
def test_one_of_several_places(check, instruction, row, expected):
    lines = [text.replace("moon", "star") if number == row else text for number, text in enumerate(MOONS)]
    assert check(draw(lines), instruction, draw(MOONS)) == expected


def test_new_text_that_the_frame_cuts_off_is_made_in_part(check):
    after = np.ascontiguousarray(page(2, "The ferry costs 1234567.99")[:, :330])
    assert check(after, 'Replace "21.88 per car" with "1234567.99".')[:2] == ("partly", False)


def test_two_texts_that_are_exchanged(check):
    asked = 'Replace "21.88" with "4.20" and "4.20" with "21.88".'
    exchanged = draw([*LINES[:2], priced("4.20"), LINES[3].replace("4.20", "21.88"), *LINES[4:]])
    assert check(exchanged, asked) == ("done", True, [])
    assert check(page(2, priced("4.20")), asked) == ("partly", False, [])
    assert check(PAGE, asked) == ("not_done", False, [])


@pytest.mark.parametrize("noun", ["line", "paragraph"])
def test_a_line_is_deleted_without_the_lines_below(check, noun):
    lines = ["Ships sail at noon.", "Cars pay 21.88", "Bikes pay 4.20"]
    before, after = (draw(["", *side], rule=False) for side in (lines, [lines[0], "", lines[2]]))
    asked = f'Delete the {noun} that begins with "Cars".'
    expected = {"line": ("done", True, []), "paragraph": ("partly", False, [])}
    assert check(after, asked, before) == expected[noun]


@pytest.mark.parametrize(
    "instruction",
    [
        'Replace "Harbour" with "HarbOur".',  # O has the shape of o
        'Replace "northern pier" with "northernpier".',
    ],
)
def test_what_the_comparison_does_not_see_is_unknown(check, instruction):
    assert not is_decidable(instruction)
    assert check(PAGE, instruction)[:2] == ("unknown", None)


@pytest.mark.parametrize("instruction", ["", "Make it nicer.", 'Replace "Zeppelin 99" with "Balloon 98".'])
def test_what_was_asked_for_is_not_known(comparator, instruction):
    found = check_images(PAGE, page(2, priced("27.88")), comparator, instruction=instruction)
    assert (found.edit, found.usable) == ("unknown", None)
    assert found.why == "it is not known which changes were asked for"
    assert [each.asked for each in found.page.changes] == [None]


@pytest.mark.parametrize(
    ("target_text", "row", "text", "expected"),
    [
        ("27.88", 2, priced("27.88"), ("done", True)),
        ("27.88\n4.20", 2, priced("27.88"), ("unknown", None)),  # the page has 4.20: was it to be written?
        ("4.2", 3, LINES[3].replace("4.20", "4.2"), ("done", True)),  # the page has no 4.2, but 4.20
        ("museum of navigation", 2, priced("27.88"), ("unknown", None)),  # over two lines of the page
        ("27.88", 2, "27.88 per car", ("done", None)),  # may the other words go?
        ("27.88\n27.88", 2, priced("27.88"), ("partly", False)),
        ("27.88", 2, "27.88 or 27.88 costs 21.88", ("unknown", None)),  # which of them?
    ],
)
def test_a_target_text_decides_where_the_instruction_does_not(comparator, target_text, row, text, expected):
    found = check_images(PAGE, page(row, text), comparator, instruction="Fix the fare.", target_text=target_text)
    assert (found.edit, found.usable) == expected


def test_a_blank_output(comparator):
    found = check_images(PAGE, blank(), comparator, instruction=PRICE)
    assert (found.edit, found.usable) == ("wrong_text", False)
    assert "facts changed: lost: Opening hours: 8:30 to 17:45, " in found.why
    assert found.why.endswith("the page was drawn anew: it cannot be aligned with the original")


REFERENCE = page(2, priced("27.88"))
DELETED = page(4, "Visitors find the")
RED = draw(colours={"passenger.": (210, 30, 30)})
WITHOUT_RULE = draw(rule=False)


@pytest.mark.parametrize(
    ("reference", "after", "expected"),
    [
        (REFERENCE, jpeg(REFERENCE), ("done", True, [])),
        (REFERENCE, resized(REFERENCE, 720, 630), ("done", True, [])),
        (REFERENCE, jpeg(PAGE), ("not_done", False, [])),
        (REFERENCE, page(2, priced("27.38")), ("wrong_text", False, [])),
        (REFERENCE, page(2, priced("27.88%")), ("wrong_text", False, [])),
        (REFERENCE, page(2, "27.88 per car"), ("done", False, ["The ferry costs 21.88 → 27.88"])),
        (DELETED, jpeg(DELETED), ("done", True, [])),
        (DELETED, page(4, "Visitors find"), ("done", False, ["lost: the museum of"])),
        (DELETED, page(4, "Visitors find the of"), ("wrong_text", False, [])),  # a word of it is left
        (DELETED, page(4, ""), ("done", False, ["lost: Visitors find the museum of"])),
        (DELETED, page(4, "Visitors find the sights of"), ("wrong_text", False, [])),  # another text in its place
        (PAGE, page(2, priced("27.88")), ("unknown", False, ["21.88 → 27.88"])),  # the reference has no edit
        (RED, RED, ("done", True, [])),
        (RED, PAGE, ("not_done", False, [])),
        (WITHOUT_RULE, WITHOUT_RULE, ("done", True, [])),
        (PAGE, WITHOUT_RULE, ("unknown", False, ["ink lost: rule"])),
    ],
)
def test_a_reference_decides_what_was_asked_for(comparator, reference, after, expected):
    found = check_images(PAGE, after, comparator, reference=reference)
    assert (found.edit, found.usable, [str(each) for each in found.page.changes if each.asked is False]) == expected


def test_files(tmp_path):
    before, after = tmp_path / "before.png", tmp_path / "after.png"
    before.write_bytes(encode_png(PAGE))
    after.write_bytes(encode_png(page(2, priced("27.88"))))
    found = check_edit(before, after, instruction=PRICE)
    assert (found.edit, found.usable, found.why) == ("done", True, DONE)
    assert [str(each) for each in found.page.changes] == ["21.88 → 27.88"]
