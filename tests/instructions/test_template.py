"""Instructions by templates name one place on real pages, in the page's language."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instructions.instruct_pages import TABLE, drawn, page, reading, real_pages
from tests.instructions.instruct_unambiguous import is_read, language_fits, names_one_place, plain, texts_of
from vdebench.instructions import checked, draw, generator, obtain
from vdebench.instructions.page_index import PageIndex
from vdebench.instructions.prompt_pool import OPERATIONS
from vdebench.instructions.records import Instruction
from vdebench.instructions.request import parse
from vdebench.instructions.seeded_choice import SeededChoice
from vdebench.instructions.values import bank, other_date, other_number

TEMPLATE = generator("template")
TEXT = "In 1998, sales rose by 12.5% to 340 million. Costs fell (slightly). The large plant in the north closed in May."


@pytest.fixture(scope="module")
def made(shared):
    """Every draw of the preset `all` on the real pages, with what came of it."""
    found = []
    for one, read, annotation in real_pages(shared):
        for each in draw([one], "all", 0, ["template"]):
            *_, last = obtain(each, one, read, TEMPLATE)
            found.append((one, annotation, each, last))
    return found


def test_nearly_every_draw_has_an_instruction(made):
    assert len({one.id for one, *_ in made}) == 18
    assert len(made) == 90
    failed = [(one.id, each.operation, last.reason) for one, _, each, last in made if not isinstance(last, Instruction)]
    assert {reason for *_, reason in failed} <= {"no_candidate"}
    assert len(failed) <= 2  # a table of empty boxes has no value to replace or delete


@pytest.mark.parametrize("language", ["english", "simplified_chinese", "en_ch_mixed"])
def test_at_least_nine_in_ten_are_unambiguous_and_in_the_right_language(made, language):
    judged = [
        language_fits(last.instruction, language)
        and names_one_place(last.instruction, each.operation, *texts_of(annotation))
        for one, annotation, each, last in made
        if one.language == language and isinstance(last, Instruction)
    ]
    assert len(judged) >= 7
    assert sum(judged) >= 0.9 * len(judged)


def test_wordings_and_targets_vary(made):
    told = [last.instruction for *_, last in made if isinstance(last, Instruction)]
    openings = Counter(re.sub(r"[“\"].*", "", text) for text in told)
    assert len(set(told)) > 0.95 * len(told)
    assert len(openings) >= 25
    assert openings.most_common(1)[0][1] < 0.2 * len(told)


def test_overlay_understands_all_that_it_can_do_at_all(made):
    for *_, each, last in made:
        if isinstance(last, Instruction) and each.operation != "table_structure":
            action = parse(last.instruction).action.split("_")[0]
            filled = each.operation == "table_insert" and action == "replace"  # of an empty cell
            assert action == each.operation.split("_")[1] or filled


@pytest.mark.slow
@pytest.mark.usefixtures("shared_cache")
def test_at_least_nine_in_ten_targets_are_read_once_by_an_ocr_engine_too(shared):
    """By rapidocr's reading, which has nothing to do with the annotation: the same, or nearly, as readers err."""
    from vdebench.io.images import open_image
    from vdebench.readers.line_cache import LineCache
    from vdebench.readers.rapid import RapidReader

    reader, kept = RapidReader(), LineCache(RapidReader(tables=False))  # whose pages `overlay` may have read
    judged: dict[str, list[bool]] = {"english": [], "simplified_chinese": [], "en_ch_mixed": []}
    for one, read, annotation in real_pages(shared):
        image = open_image(Path(one.image))
        lines = [plain(block.plain_text) for block in reader.blocks(image, kept.lines(image))]
        for seed in range(3):
            for each in draw([one], "all", seed, ["template"]):
                *_, last = obtain(each, one, read, TEMPLATE)
                if isinstance(last, Instruction):
                    told = last.instruction, last.target, each.operation
                    judged[one.language].append(is_read(*told, lines, texts_of(annotation)[1]))
    for language in ("english", "simplified_chinese"):  # of the mixed kind there is one page only, written by hand
        found = judged[language]
        assert sum(found) >= 0.9 * len(found), (language, sum(found), len(found))
    everything = [each for found in judged.values() for each in found]
    assert sum(everything) >= 0.9 * len(everything)


def test_the_seed_decides(shared):
    one, read, _ = real_pages(shared)[2]
    told = [
        [
            last.instruction
            for each in draw([one], "all", seed, ["template"])
            for last in obtain(each, one, read, TEMPLATE)
        ]
        for seed in (0, 0, 1)
    ]
    assert told[0] == told[1]
    assert len(set(told[0]) & set(told[2])) <= 2


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(OPERATIONS))
def test_whatever_the_seed_an_answer_passes_all_checks_and_brings_something_new(seed, operation):
    read = reading("Report on the year", TEXT, table=TABLE)
    of, on = drawn(operation, generator="template", seed=seed), page(has_table=True)
    (found,) = obtain(of, on, read, TEMPLATE)
    assert isinstance(found, Instruction)
    assert checked(found.instruction, of, on, read) == found
    everything = plain(" ".join(block.plain_text for block in read.blocks))
    assert not found.replacement or plain(found.replacement) not in everything
    assert (found.generator, found.model, found.prompt, found.seed) == ("template", "", "", seed)


def test_a_page_with_nothing_to_take_is_dropped_with_its_reason():
    read = reading("8", "— 9 —")
    for operation in ("text_replace", "text_insert", "text_delete"):
        (found,) = obtain(drawn(operation, generator="template"), page(), read, TEMPLATE)
        assert (found.reason, found.final) == ("no_candidate", True)


def test_a_table_whose_names_come_twice_has_cells_named_by_what_they_say():
    twice = "<table><tr><td>A</td><td>B</td><td>B</td></tr><tr><td>x</td><td>41.57</td><td>7</td></tr></table>"
    read = reading("Figures", table=twice)
    (found,) = obtain(drawn("table_delete", generator="template"), page(has_table=True), read, TEMPLATE)
    assert found.target == "41.57"


@given(st.from_regex(r"[1-9]\d{0,2}(,\d{3}){0,2}(\.\d{1,3})?%?", fullmatch=True), st.integers())
def test_another_number_is_of_the_same_form(text, seed):
    other = other_number(text, SeededChoice(seed))
    if not re.fullmatch(r"(?:1[5-9]|20)\d\d", text):
        assert re.sub(r"\d", "0", other) == re.sub(r"\d", "0", text)
    assert other != text
    assert not (other.startswith("0") and len(other) > 1)


@given(st.dates(datetime.date(1500, 1, 1), datetime.date(2090, 12, 31)), st.integers())
def test_another_date_exists(date, seed):
    chance = SeededChoice(seed)
    english = other_date(f"{date:%B} {date.day}, {date.year}", chance)
    assert datetime.datetime.strptime(english, "%B %d, %Y").date() != date
    chinese = other_date(f"{date.year}年{date.month}月{date.day}日", chance)
    assert datetime.datetime.strptime(chinese, "%Y年%m月%d日").date() != date
    month = other_date(f"{date.month}月", chance)
    assert month != f"{date.month}月"
    assert 1 <= int(month[:-1]) <= 12


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_the_banks_have_no_word_that_stands_for_itself(tongue):
    words = bank(tongue)
    assert all(len(set(group)) == len(group) >= 2 for group in words["swaps"])
    assert words.keys() == bank("en").keys()
    assert words["instructions"].keys() == bank("en")["instructions"].keys()


SPANNED = (
    '<table><tr><td colspan="2" rowspan="2"></td><td colspan="2">Yield</td></tr><tr><td>plain</td><td>treated</td></tr>'
    '<tr><td rowspan="2">Height</td><td>first</td><td>105</td><td>120</td></tr><tr><td>second</td><td>62</td><td>112</td>'
    "</tr><tr><td>Weight</td><td>third</td><td>19</td><td>20</td></tr></table>"
)


def test_headings_of_two_rows_and_labels_of_two_columns_are_told_from_values():
    grid = PageIndex(reading(table=SPANNED)).grids[0]
    assert (grid.height, grid.width, grid.head, grid.left) == (5, 4, 2, 2)
    assert grid.at(3, 0) is grid.at(2, 0)
    assert PageIndex(reading(table=TABLE)).grids[0].head == 1
    named = {cell.text for cell in PageIndex(reading(table=SPANNED)).cells_at("second", "treated")}
    assert named == {"112"}
