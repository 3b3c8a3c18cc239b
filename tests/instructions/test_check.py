"""Answers are rejected for the right reason, and accepted if valid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.instructions.instruct_pages import TABLE, drawn, page, reading
from vdebench.core.box import Box
from vdebench.instructions import REASONS, checked
from vdebench.instructions.prompt_pool import OPERATIONS, pool
from vdebench.instructions.records import Instruction, Rejection

ENGLISH = reading(
    "Annual report", "Sales rose by 12.5% in May 2023. Costs fell (slightly). Sales may rise again.", table=TABLE
)
WITHOUT = reading("Annual report", "Sales rose by 12.5% in May 2023. Costs fell (slightly). Sales may rise again.")
CHINESE = reading("年度报告", "5月销售额增长了12.5%，成本下降。销售额可能再次增长。")


def outcome(text, operation="text_replace", language="english", on=None):
    read = on or {"english": ENGLISH, "simplified_chinese": CHINESE}[language]
    has_table = any(block.html for block in read.blocks)
    return checked(text, drawn(operation), page(language=language, has_table=has_table), read)


@pytest.mark.parametrize(
    ("text", "operation", "language", "target", "new"),
    [
        ('Replace "12.5%" with "14.0%".', "text_replace", "english", "12.5%", "14.0%"),
        ('In the first sentence, please change the share “12.5%” so that it reads “14.0%”.', "text_replace", "english",
         "12.5%", "14.0%"),
        ('Change "May 2023" in the paragraph to "June 2023", keeping the same font, size and colour.', "text_replace",
         "english", "May 2023", "June 2023"),
        ('Insert the sentence "Profits grew." directly after "(slightly)."', "text_insert", "english", "(slightly).",
         "Profits grew."),
        ('Delete the remark "(slightly)" from the second sentence.', "text_delete", "english", "(slightly)", ""),
        ('In the table, change the value "41.5" in row "North", column "2022" to "43.9".', "table_replace", "english",
         "41.5", "43.9"),
        ('Update the figure 2022 for the North region: replace "41.5" with "43.9".', "table_replace", "english", "41.5",
         "43.9"),
        ('Fill the empty cell in row "South", column "2023" with "39.1".', "table_insert", "english", "", "39.1"),
        ('Remove the value "38.2" from the table and leave the cell blank.', "table_delete", "english", "38.2", ""),
        ('Delete the row "South" from the table.', "table_structure", "english", "South", ""),
        ('Add a new row below the row "North" with the cells "West", "12.0" and "13.0".', "table_structure", "english",
         "North", None),
        ("将“12.5%”改为“14.0%”。", "text_replace", "simplified_chinese", "12.5%", "14.0%"),
        ("请把正文中的“成本下降”替换为“成本上升”，保持字体和格式不变。", "text_replace", "simplified_chinese", "成本下降", "成本上升"),
        ("在“年度报告”之后插入“（摘要）”。", "text_insert", "simplified_chinese", "年度报告", "（摘要）"),
        ("删除“销售额可能再次增长。”这句话。", "text_delete", "simplified_chinese", "销售额可能再次增长。", ""),
    ],
)  # fmt: skip
def test_good_answers_pass(text, operation, language, target, new):
    found = outcome(text, operation, language)
    assert isinstance(found, Instruction), found
    assert found.target == target
    assert new is None or found.replacement == new
    assert (found.prompt, found.prompt_hash) == (f"{operation}-1", pool()[f"{operation}-1"].hash)
    assert found.place is not None


@pytest.mark.parametrize(
    ("text", "operation", "language", "reason"),
    [
        ("", "text_replace", "english", "empty"),
        (" \n ", "text_replace", "english", "empty"),
        ('**Replace** "12.5%" with "14.0%".', "text_replace", "english", "not_plain_text"),
        ('{"instruction": "Replace \\"12.5%\\" with \\"14.0%\\"."}', "text_replace", "english", "not_plain_text"),
        ('```\nReplace "12.5%" with "14.0%".\n```', "text_replace", "english", "not_plain_text"),
        ('1. Replace "12.5%" with "14.0%".\n2. Save.', "text_replace", "english", "not_plain_text"),
        ('- Replace "12.5%" with "14.0%".', "text_replace", "english", "not_plain_text"),
        ('Instruction: Replace "12.5%" with "14.0%".', "text_replace", "english", "not_plain_text"),
        ('Replace "12.5%" with "14.0%".\n\nThis corrects the share.', "text_replace", "english", "not_plain_text"),
        ('Replace "12.5%" with "14.0%". ' + "Be careful. " * 80, "text_replace", "english", "not_plain_text"),
        ("Change the percentage in the paragraph to a higher one.", "text_replace", "english", "no_target"),
        ('Replace "12.5%" with another share.', "text_replace", "english", "no_replacement"),
        ('Replace "13.5%" with "14.0%".', "text_replace", "english", "target_not_on_page"),
        ('Replace "Sales" with "Profits".', "text_replace", "english", "target_not_unique"),
        ('Replace "12.5%" with "12.5%".', "text_replace", "english", "same_text"),
        ('Replace "12.5%" with " １２.5 %".', "text_replace", "english", "same_text"),
        ('Replace "12.5%" with "14.0%" and change "May 2023" to "June 2023".', "text_replace", "english", "two_places"),
        ('Replace "12.5%" with "14.0%". Then delete "(slightly)".', "text_replace", "english", "two_places"),
        ('Replace all occurrences of "Sales" with "Profits".', "text_replace", "english", "two_places"),
        ("将“12.5%”改为“14.0%”。", "text_replace", "english", "wrong_language"),
        ('Replace "12.5%" with "14.0%".', "text_replace", "simplified_chinese", "wrong_language"),
        ('Delete "(slightly)".', "text_replace", "english", "wrong_operation"),
        ('Make "12.5%" bold.', "text_replace", "english", "wrong_operation"),
        ('In the table, replace "41.5" with "43.9".', "text_replace", "english", "wrong_operation"),
        ('In the table, replace "12.5%" with "14.0%".', "table_replace", "english", "wrong_operation"),
        ('Delete the row "South" from the table.', "table_delete", "english", "wrong_operation"),
        ('Delete the row "East" from the table.', "table_structure", "english", "target_not_on_page"),
        ('In the table, fill the empty cell in row "East", column "2023" with "9".', "table_insert", "english",
         "target_not_on_page"),
        ('Add a new row below the row "Nowhere" of the table with the cells "Other" and "41.5".', "table_structure",
         "english", "target_not_on_page"),
        ('Add a column headed "2022" right after the column "1999" of the table, with the values "1" and "2".',
         "table_structure", "english", "target_not_on_page"),
        ('Delete the column "North Pole" from the table, beside "2022".', "table_structure", "english",
         "target_not_on_page"),
        ('Merge the rows "North" and "Nowhere" of the table into one row: "a", "b".', "table_structure", "english",
         "target_not_on_page"),
        ("将表格中“甲”行“乙”列的单元格改为“3”。", "text_replace", "simplified_chinese", "table_on_page_without_table"),
        ("将“销售额”改为“利润”。", "text_replace", "simplified_chinese", "target_not_unique"),
        ("将“12.5%”改为“14.0%”，并将“成本下降”改为“成本上升”。", "text_replace", "simplified_chinese", "two_places"),
        ("把所有的“增长”替换为“下降”。", "text_replace", "simplified_chinese", "two_places"),
        ("把增长的幅度改大一些。", "text_replace", "simplified_chinese", "no_target"),
        ("删除“利润”。", "text_delete", "simplified_chinese", "target_not_on_page"),
    ],
)  # fmt: skip
def test_bad_answers_are_turned_down_for_the_right_reason(text, operation, language, reason):
    found = outcome(text, operation, language)
    assert isinstance(found, Rejection), found
    assert found.reason == reason, found.words
    assert found.stage == "instruct"
    assert found.id == "p-1"
    assert found.generator == "model-a"
    assert not found.final


NAMES = reading("Mr. Lee met Ms. Ray.", table=TABLE)
LETTERS = reading("A 和 C。")
AREAS = reading("年度", table=TABLE.replace("North", "北区").replace("South", "南区"))


@pytest.mark.parametrize(
    ("text", "operation", "on"),
    [
        ('Delete "(slightly)" and "again".', "text_delete", ENGLISH),
        ('Delete "(slightly)" in the second sentence and the word "again" in the third.', "text_delete", ENGLISH),
        ('Remove "12.5%" as well as "(slightly)".', "text_delete", ENGLISH),
        ('Delete "(slightly)", "again".', "text_delete", ENGLISH),
        ('Insert "x" after "12.5%" and "y" after "May 2023".', "text_insert", ENGLISH),
        ('Insert "x" after "12.5%" and "x" after "May 2023".', "text_insert", ENGLISH),
        ('Insert "x" after "12.5%" and after "May 2023".', "text_insert", ENGLISH),
        ('Replace "Mr. Lee" with "Mrs. Poe" and also "Ms. Ray" with "Dr. Hill".', "text_replace", NAMES),
        ('Replace "Sales" with "Costs" in the sentence "Sales rose" and in the sentence "Sales may rise again."',
         "text_replace", ENGLISH),
        ('In the table, delete "41.5" and "44.0".', "table_delete", ENGLISH),
        ('In the table, change row "North", column "2022" to "1" and row "South", column "2023" to "2".',
         "table_replace", ENGLISH),
        ('Delete the rows "North" and "South" from the table.', "table_structure", ENGLISH),
        ('Delete the row "North" and the row "South" from the table.', "table_structure", ENGLISH),
        ('Delete the row "North" and the column "2022" from the table.', "table_structure", ENGLISH),
        ('Add a row below "North" with "a" and a row below "South" with "b" to the table.', "table_structure", ENGLISH),
        ("删除“12.5%”和“成本下降”。", "text_delete", CHINESE),
        ("在“12.5%”和“成本下降”之后插入“（估计）”。", "text_insert", CHINESE),
        ("在“12.5%”之后插入“甲”，在“成本下降”之后插入“乙”。", "text_insert", CHINESE),
        ("将“A”改为“B”，“C”改为“D”。", "text_replace", LETTERS),
        ("删除表格中的“北区”行和“南区”行。", "table_structure", AREAS),
        ("把表格里“北区”、“南区”两行删去。", "table_structure", AREAS),
        ("在表格的“北区”行下方和“南区”行下方各插入一行，内容为“甲”。", "table_structure", AREAS),
    ],
)  # fmt: skip
def test_one_edit_in_one_place(text, operation, on):
    found = outcome(text, operation, "english" if text[0].isascii() else "simplified_chinese", on)
    assert isinstance(found, Rejection), found
    assert found.reason == "two_places", found.words


@pytest.mark.parametrize(
    ("text", "operation", "on", "target", "new"),
    [
        ('In the "Annual report" section, replace "12.5%" with "14.0%".', "text_replace", ENGLISH, "12.5%", "14.0%"),
        ('In "Sales may rise again.", replace "Sales" with "Costs".', "text_replace", ENGLISH, "Sales", "Costs"),
        ('Replace "12.5%" with "14.0%" so that the sentence reads "Sales rose by 14.0% in May 2023."', "text_replace",
         ENGLISH, "12.5%", "14.0%"),
        ('Replace "12.5%" with "14.0%", keeping "in May 2023" as it is.', "text_replace", ENGLISH, "12.5%", "14.0%"),
        ('Change the share after "rose by" from "12.5%" to "14.0%".', "text_replace", ENGLISH, "12.5%", "14.0%"),
        ('Insert "x" between "12.5%" and "in May 2023".', "text_insert", ENGLISH, "12.5%", "x"),
        ('Insert "x" after "12.5%" and before "in May 2023".', "text_insert", ENGLISH, "12.5%", "x"),
        ('Insert "x" after "12.5%" in the line below "Annual report".', "text_insert", ENGLISH, "12.5%", "x"),
        ('Delete "(slightly)" after "Costs fell".', "text_delete", ENGLISH, "(slightly)", ""),
        ('In the table under "Annual report", change the value in row "North", column "2022" from "41.5" to "43.9".',
         "table_replace", ENGLISH, "41.5", "43.9"),
        ('Delete the row "North" with the cells "41.5" and "44.0" from the table.', "table_structure", ENGLISH, "North",
         ""),
        ('Add a row between "North" and "South" to the table with the cells "West", "1" and "2".', "table_structure",
         ENGLISH, "North", ""),
        ('Add a row below "North" to the table with "West" under "Region", "1" under "2022".', "table_structure",
         ENGLISH, "North", ""),
        ("将“年度报告”一节中的“12.5%”改为“14.0%”。", "text_replace", CHINESE, "12.5%", "14.0%"),
        ("在“12.5%”与“，成本下降”之间插入“（估计）”。", "text_insert", CHINESE, "12.5%", "（估计）"),
        ("在“12.5%”之后、“成本下降”之前插入“（估计）”。", "text_insert", CHINESE, "12.5%", "（估计）"),
        ("在表格的“北区”行和“南区”行之间插入一行，各单元格依次为“甲”、“乙”、“丙”。", "table_structure", AREAS, "北区", ""),
    ],
)  # fmt: skip
def test_quotations_that_say_where_or_say_it_again_are_no_second_edit(text, operation, on, target, new):
    found = outcome(text, operation, "english" if text[0].isascii() else "simplified_chinese", on)
    assert isinstance(found, Instruction), found
    assert (found.target, found.replacement) == (target, new)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('Here is the instruction: Replace "12.5%" with "14.0%".', "english"),
        ('Sure! Replace "12.5%" with "14.0%".', "english"),
        ('The instruction is: Replace "12.5%" with "14.0%".', "english"),
        ('"Replace "12.5%" with "14.0%"."', "english"),
        ('"Replace "May" with "June"."', "english"),
        ("“Replace '12.5%' with '14.0%'.”", "english"),
        ("好的，将“12.5%”改为“14.0%”。", "simplified_chinese"),
        ("以下是指令：将“12.5%”改为“14.0%”。", "simplified_chinese"),
        ("修改指令：将“12.5%”改为“14.0%”。", "simplified_chinese"),
        ("“将“12.5%”改为“14.0%”。”", "simplified_chinese"),
    ],
)
def test_nothing_stands_before_or_around_an_instruction(text, language):
    assert outcome(text, language=language).reason == "not_plain_text"


@pytest.mark.parametrize("text", ['"12.5%" should read "14.0%".', "“12.5%” should be “14.0%”"])
def test_an_instruction_may_begin_and_end_with_a_quotation(text):
    assert outcome(text).replacement == "14.0%"


def test_words_that_say_the_table_do_not_mean_a_paragraph():
    on = reading("There were 12 of them.", table=TABLE.replace("41.5", "12"))
    told = 'Replace "12" in the table with "13".'
    assert outcome(told, "text_replace", on=on).reason == "target_not_unique"
    assert outcome(told, "table_replace", on=on).place == Box(10, 500, 400, 700)


def test_a_new_columns_heading_is_not_looked_for():
    told = 'Add a column headed "Notes" right after the column "2022" of the table, with the values "a" and "b".'
    assert outcome(told, "table_structure").target == "2022"


def test_a_table_on_a_page_without_one():
    found = outcome('In the table, change the cell in row "North", column "2022" to "1".', "text_replace", on=WITHOUT)
    assert found.reason == "table_on_page_without_table"


def test_readers_confuse_marks_and_widths_and_the_target_is_found_all_the_same():
    on = reading("Tabie l0: “Annual  report”, p. 3—4 （draft）")
    assert isinstance(outcome('Delete "Annual report".', "text_delete", on=on), Instruction)
    assert isinstance(outcome("Replace '(draft)' with '(final)'.", on=on), Instruction)
    assert isinstance(outcome('Replace "p. 3-4" with "p. 5-6".', on=on), Instruction)
    assert isinstance(outcome('Replace "Tabie 10:" with "Table 11:".', on=on), Instruction)  # l for 1
    assert outcome('Replace "l1" with "12".', on=on).reason == "target_not_on_page"  # too short to be lenient


def test_a_longer_text_tells_which_of_two_is_meant():
    found = outcome('In the sentence "Sales may rise again.", replace "Sales" with "Profits".')
    assert isinstance(found, Instruction)
    assert found.target == "Sales"


def test_a_word_is_not_its_part_in_another():
    on = reading("The art of starting: 12 parts, 2012.")
    assert isinstance(outcome('Replace "art" with "skill".', on=on), Instruction)
    assert isinstance(outcome('Replace "12" with "13".', on=on), Instruction)


def test_a_place_is_the_block_of_the_target():
    assert outcome('Replace "12.5%" with "14.0%".').place == Box(10, 30, 400, 50)
    assert outcome('Remove the value "38.2" from the table.', "table_delete").place == Box(10, 500, 400, 700)


@given(st.text(max_size=200), st.sampled_from(OPERATIONS), st.sampled_from(["english", "simplified_chinese"]))
def test_whatever_comes_is_judged_and_never_an_exception(text, operation, language):
    found = outcome(text, operation, language)
    assert isinstance(found, Instruction) or found.reason in REASONS
