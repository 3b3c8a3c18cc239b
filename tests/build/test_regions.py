"""Regions that differ between page and edit; the automatic filter; decisions."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from vdebench.build.automatic_review import wrong_elsewhere, wrong_place, wrong_region, wrong_surroundings, wrong_text
from vdebench.build.decisions import AUTOMATIC, PEOPLE, Decision, latest_decisions, reached
from vdebench.build.funnel import FunnelStep, require_consistent
from vdebench.build.regions import differing
from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText
from vdebench.errors import InputError, RunFolderError
from vdebench.instructions.records import Instruction

TEXT = [
    "The harbour office expects a quiet winter with",
    "412 vessels in 2023 and a further 31 in spring,",
    "as the report of May says on its last page.",
]


def page(lines=TEXT, size=(900, 600)):
    picture = Image.new("RGB", size, (250, 248, 240))
    pen = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        pen.text((60, 80 + 44 * number), line, fill=(20, 20, 30), font=ImageFont.load_default(26))
    return np.asarray(picture)


def changed(*pairs):
    lines = list(TEXT)
    for old, new in pairs:
        lines = [line.replace(old, new) for line in lines]
    return page(lines)


def saved_anew(image, quality=80):
    content = io.BytesIO()
    Image.fromarray(image).save(content, "JPEG", quality=quality)
    return np.asarray(Image.open(content).convert("RGB"))


def test_saving_and_shifting_change_nothing():
    assert differing(page(), page()) == []
    assert differing(page(), saved_anew(page())) == []
    assert differing(page(), np.roll(page(), 1, axis=1)) == []


@pytest.mark.parametrize("spoil", [lambda image: image, saved_anew])
def test_a_digit_is_seen_and_its_word_is_whole(spoil):
    (box,) = differing(page(), spoil(changed(("2023", "2028"))))
    font = ImageFont.load_default(26)
    start = 60 + font.getlength("412 vessels in ")
    end = start + font.getlength("2028")
    assert start - 12 < box.x1 < start
    assert end < box.x2 < end + 12
    assert 110 < box.y1 < box.y2 < 160


def test_places_of_one_block_are_one():
    edited = changed(("winter with", "summer and"), ("412", "507"))  # the end of a line, the start of the next
    assert len(differing(page(), edited)) == 2
    assert len(differing(page(), edited, [Box(50, 30, 800, 65), Box(50, 122, 800, 210)])) == 2  # in two blocks
    (box,) = differing(page(), edited, [Box(50, 70, 800, 210)])
    assert box.y1 < 90 < 140 < box.y2
    (box,) = differing(page(), edited, [Box(50, 70, 800, 115)])  # the line was added to the block
    assert box.y1 < 90 < 140 < box.y2
    assert len(differing(page(), changed(("harbour", "airport"), ("last", "next")), [Box(50, 70, 800, 210)])) == 2


def test_a_rule_is_not_followed_to_its_end():
    ruled, edited = page().copy(), changed(("2023", "2028")).copy()
    for image in (ruled, edited):
        image[:, 255:257] = 0  # a table's rule through the word
    (box,) = differing(ruled, edited)
    assert box.y2 - box.y1 < 60


def reading(text, label="text"):
    return PageText((Block(Box(0, 0, 9, 9), text, label),))


def asked(operation, target, replacement="", place=None):
    return Instruction("a", "p", operation, "english", "…", target, replacement, place)


TABLE = "<table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>1</td></tr></table>"
LESS = asked("table_structure", "b")._replace(instruction='Delete the row "b" from the table.')
MORE = asked("table_structure", "b")._replace(
    instruction='Add a row below "b" to the table with the cells "c" and "7".'
)


@pytest.mark.parametrize(
    ("instruction", "before", "after", "reason"),
    [
        (asked("text_replace", "2023", "2024"), "in 2023", "in 2024", None),
        (asked("text_replace", "2023", "2023–24"), "in 2023.", "in 2023–24.", None),  # the old text is in the new one
        (asked("text_replace", "2023", "2024"), "in 2023 x", "in 2023 x 2024", "target_still_there"),
        (asked("text_replace", "2023", "2024"), "in 2o23", "in 2024", "target_not_read"),
        (asked("text_replace", "2023", "2024"), "2023, 2024", "2025, 2024", "replacement_not_read"),
        (asked("text_delete", "a further"), "and a further 31", "and 31", None),
        (asked("text_delete", "a further"), "and a further 31", "and a further 3", "target_still_there"),
        (asked("text_insert", "in May", "(late)"), "seen in May.", "seen in May (late).", None),
        (asked("text_insert", "in May", "(late)"), "seen in May.", "seen (late).", "neighbour_lost"),
        (asked("table_replace", "1", "7"), TABLE, TABLE.replace("b</td><td>1", "b</td><td>7"), None),
        (LESS, TABLE, TABLE, "structure_not_changed"),
        (LESS, TABLE, TABLE.replace("<tr><td>b</td><td>1</td></tr>", ""), None),
        (LESS, TABLE, "<table><tr><td>b</td><td>9</td></tr></table>", "target_still_there"),  # the other row is gone
        (LESS, TABLE, "<table><tr><td>a</td><td>9</td></tr></table>", "more_changed"),
        (asked("text_replace", "第三季度", "第四季度"), "在 第三季度，", "在第四季度,", None),
    ],
)
def test_what_a_page_should_read(instruction, before, after, reason):
    label = "table" if before.startswith("<table") else "text"
    wrong = wrong_text(instruction, reading(before, label), reading(after, label))
    assert (wrong and wrong.reason) == reason


@pytest.mark.parametrize(
    ("instruction", "after", "reason"),
    [
        (asked("text_replace", "2023", "2024"), "412 vessels in 2024, and a further 31", None),
        (asked("text_replace", "2023", "2024"), "412 vessels in 2024 and a further 37", "more_changed"),
        (asked("text_insert", "vessels", "(old)"), "412 vessels (old) in 2023 and a further 31", None),
        (asked("text_insert", "vessels", "old"), "412 old vessels in 2023 and a further 31", None),
        (asked("text_delete", "a further"), "412 vessels in 2023 and 31", None),
        (asked("text_delete", "a further"), "412 vessels in 2023 and", "more_changed"),
    ],
)
def test_the_rest_of_the_block(instruction, after, reason):
    before = reading("412 vessels in 2023 and a further 31")
    wrong = wrong_surroundings(instruction, before, reading(after), [Box(1, 1, 3, 3)])
    assert (wrong and wrong.reason) == reason


def test_what_a_place_should_read():
    assert wrong_region(asked("text_replace", "May 2023", "May 2024"), [reading("2024")]) is None
    assert wrong_region(asked("text_replace", "May 2023", "May 2024"), [reading("2O24 x")]) is None  # O for 0
    assert wrong_region(asked("text_replace", "May 2023", "May 2024"), [reading("2025")]).reason == "region_misread"
    assert wrong_region(asked("text_delete", "gone"), [reading("")]) is None
    assert wrong_region(asked("text_delete", "gone"), [reading("is gone")]).reason == "region_misread"
    assert wrong_region(MORE, [reading("c 7")]) is None
    assert wrong_region(MORE, [reading("c 1")]).reason == "region_misread"
    assert wrong_region(LESS, [reading("bc 1")]) is None
    assert wrong_region(LESS, [reading(TABLE, "table")]).reason == "region_misread"


def test_text_beside_a_table_stays():
    before, after = (
        PageText((*reading(TABLE, "table").blocks, *reading(note).blocks)) for note in ("Note 1", "Note 2")
    )
    assert wrong_surroundings(LESS, before, before, [Box(1, 1, 3, 3)]) is None
    assert wrong_surroundings(LESS, before, after, [Box(1, 1, 3, 3)]).reason == "more_changed"


@pytest.mark.parametrize(
    ("boxes", "reason"),
    [
        ([], "not_edited"),
        ([Box(10, 10, 50, 20)], None),
        ([Box(10, 10, 50, 20), Box(10, 80, 50, 90)], "several_places"),
        ([Box(70, 80, 90, 90)], "other_place"),
        ([Box(0, 0, 100, 50)], "too_much_changed"),
    ],
)
def test_where_an_edit_may_be(boxes, reason):
    wrong = wrong_place(asked("text_replace", "a", "b", Box(5, 5, 60, 40)), boxes, Size(100, 100))
    assert (wrong and wrong.reason) == reason


def test_what_may_not_change_elsewhere():
    box = [Box(50, 110, 400, 160)]
    assert wrong_elsewhere(page(), changed(("2023", "2028")), box) is None
    assert wrong_elsewhere(page(), saved_anew(changed(("2023", "2028"))), box) is None
    assert wrong_elsewhere(page(), changed(("2023", "2028"), ("last", "next")), box).reason == "page_changed"
    marked = page().copy()
    marked[400:430, 300:400] = 0
    assert wrong_elsewhere(page(), marked, box).reason == "page_changed"


def decision(step="score", verdict="pass", kind=PEOPLE, **more):
    return Decision("a", "e", step, verdict, "x", kind, "2026-11-16T00:00:00Z", **more)


def test_last_words():
    told = [decision(kind=AUTOMATIC), decision(verdict="reject"), decision(kind=AUTOMATIC), decision("ocr")]
    steps = latest_decisions(told)["a", "e"]
    assert reached(steps) == ([], steps["score"])
    assert reached(latest_decisions([*told, decision()])["a", "e"])[0] == ["score"]  # people may change their minds


@pytest.mark.parametrize(
    "wrong",
    [
        decision("look"),
        decision(verdict="maybe"),
        decision(kind="robots"),
        decision("boxes"),
        decision("boxes", boxes=[[1, 2, 3]]),
        decision("boxes", boxes=[7]),
    ],
)
def test_decisions_nobody_can_use(wrong):
    with pytest.raises(InputError, match=r"review\.jsonl: a: "):
        latest_decisions([wrong])


def test_sums():
    good = FunnelStep("edits", "instructions", 5, 3, {"refused": 1}, 1)
    require_consistent([good, good, good, good._replace(name="scored 9", entered=3, passed=2, pending=0)])
    with pytest.raises(RunFolderError, match="3 passed edits, 4 entered scored 9"):
        require_consistent([good, good, good, good._replace(name="scored 9", entered=4, passed=2)])
