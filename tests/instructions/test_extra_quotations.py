"""Operations inferred from words, instructions from two pages of text, ambiguous instructions."""

from __future__ import annotations

import pytest

from tests.instructions.instruct_pages import TABLE, drawn, page, reading
from vdebench.errors import VdeError
from vdebench.instructions import checked, classify, infer_from_pair, kinds_for, make_ambiguous
from vdebench.instructions.phrasing import phrasings
from vdebench.instructions.records import Instruction

OPERATION = {
    **dict.fromkeys(["replace_text", "replace_block"], "text_replace"),
    **dict.fromkeys(["insert_sentence", "insert_text", "insert_block"], "text_insert"),
    **dict.fromkeys(["delete_text", "delete_block"], "text_delete"),
    "set_cell": "table_replace",
    **dict.fromkeys(["fill_cell", "append_cell"], "table_insert"),
    "clear_cell": "table_delete",
    **dict.fromkeys(["move_block", "align_block"], "text_relocation"),
    "scale_block": "scaling",
    **dict.fromkeys(["style_ink", "style_bold", "style_font"], "text_attribute"),
}
"""What each phrasing of the typeset suite is; all others change a table's structure."""


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_the_typeset_suites_phrasings_are_told_apart(tongue):
    words = phrasings(tongue)
    opening, closing = words["quote"]
    names = ("target", "new", "anchor", "row", "column", "other", "added", "head", "cells")
    fields = {name: f"{opening}{name.upper()}{closing}" for name in names} | {
        **{"role": words["roles"]["heading"], "anchor_role": words["roles"]["bullet"], "table": words["the_table"]},
        **{"colour": words["colours"]["#c00000"], "font": words["fonts"]["serif"], "align": words["aligns"]["left"]},
        "percent": "80",
    }
    told = {
        way: (OPERATION.get(phrasing, "table_structure"), classify(way.format(**fields)).value)
        for phrasing, ways in words["instructions"].items()
        for way in ways
    }
    assert len(told) > 60
    assert {way: found for way, found in told.items() if found[0] != found[1]} == {}


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ('The year "2019" on the cover should read "2020".', "text_replace"),
        ('Correct the caption of the table: replace "Table 1" with "Table 2".', "text_replace"),
        ('Put "(draft)" behind the title "Report".', "text_insert"),
        ('Write "2020" in place of "2019".', "text_replace"),
        ('Amend "costs" by adding the word "total" before it.', "text_insert"),
        ('The remark "(draft)" should be removed.', "text_delete"),
        ('Erase the contents of the cell "41.5" in the table.', "table_delete"),
        ('Merge the cells "41.5" and "44.0" in the row "North".', "table_structure"),
        ('Remove the column headed "2022".', "table_structure"),
        ('Change the header "2022" of the column to "2021".', "table_replace"),
        ('Enter "39.1" into the blank cell of row "South".', "table_insert"),
        ("把标题“报告”换成“总结”。", "text_replace"),
        ("在“报告”前面加上“年度”。", "text_insert"),
        ("去掉“（草案）”这几个字。", "text_delete"),
        ("删除表格中“北区”行“2022”列的数值。", "table_delete"),
        ("删除表格中的“北区”这一行。", "table_structure"),
        ("在表格末尾新增一行，内容为“西区”、“3”。", "table_structure"),
        ("Make the page nicer.", "other"),
        ("", "other"),
    ],
)
def test_other_words(text, operation):
    assert classify(text).value == operation


BEFORE = reading("Annual report", "Sales rose by 5% in May. Costs fell by 5% in June.", table=TABLE)


def after(text="Sales rose by 5% in May. Costs fell by 5% in June.", table=TABLE, heading="Annual report"):
    return reading(heading, text, table=table)


@pytest.mark.parametrize(
    ("now", "operation", "instruction"),
    [
        (after("Sales rose by 5% in July. Costs fell by 5% in June."), "text_replace", 'Replace "May" with "July".'),
        (after("Sales rose by 5% in May. Costs fell by 7% in June."), "text_replace",
         'Replace "fell by 5% in June" with "fell by 7% in June".'),
        (after("Sales rose by 5% in May (est). Costs fell by 5% in June."), "text_insert",
         'Insert "(est)" directly after "by 5% in May".'),
        (after("Sales rose by 5% in May."), "text_delete", 'Delete "Costs fell by 5% in June.".'),
        (after(table=TABLE.replace("41.5", "43.9")), "table_replace",
         'In the table, change the cell in row "North", column "2022" to "43.9".'),
        (after(table=TABLE.replace("<td></td>", "<td>39.1</td>")), "table_insert",
         'In the table, fill the empty cell in row "South", column "2023" with "39.1".'),
        (after(table=TABLE.replace("41.5", "41.5 (est)")), "table_insert",
         'In the table, add "(est)" after the value in row "North", column "2022".'),
        (after(table=TABLE.replace("41.5", "")), "table_delete",
         'In the table, delete the value in row "North", column "2022" and leave the cell empty.'),
        (after(table=TABLE.replace("<tr><td>North</td><td>41.5</td><td>44.0</td></tr>", "")), "table_structure",
         'Delete the row "North" from the table.'),
        (after(table=TABLE.replace("<td>2022</td>", "").replace("<td>41.5</td>", "").replace("<td>38.2</td>", "")),
         "table_structure", 'Delete the column "2022" from the table.'),
        (after(table=TABLE.replace("</table>", "<tr><td>West</td><td>1</td><td>2</td></tr></table>")), "table_structure",
         'In the table, insert a new row directly below the row "South" with the cells "West", "1", "2".'),
    ],
)  # fmt: skip
def test_an_instruction_from_two_readings(now, operation, instruction):
    found = infer_from_pair(BEFORE, now, "english")
    assert found is not None
    assert found.operation.value == operation
    assert found.instruction == instruction
    assert classify(found.instruction).value == operation
    passed = checked(found.instruction, drawn(operation), page(has_table=True), BEFORE)
    assert isinstance(passed, Instruction), passed


def test_readings_that_say_the_same_or_differ_twice_have_no_instruction():
    assert infer_from_pair(BEFORE, BEFORE) is None
    assert (
        infer_from_pair(BEFORE, after("Sales rose by 6% in May. Costs fell by 8% in June.", heading="Report")) is None
    )


@pytest.mark.parametrize(
    ("one", "other", "instruction"),
    [
        ("Sales rose by 5% in May. Costs fell by 5% in June.", "Sales rose in May. Costs fell by 5% in June.",
         'In the text "rose by 5% in", delete "by 5%".'),
        ("销售额增长百分之五。成本增长百分之五。", "销售额增长百分之五。成本增长。",
         "在文字“本增长百分之五。”中，删除“百分之五”。"),
    ],
)  # fmt: skip
def test_a_deletion_of_what_stands_there_twice_names_what_is_around_it(one, other, instruction):
    found = infer_from_pair(reading(one), reading(other))
    assert found is not None
    assert (found.operation.value, found.instruction) == ("text_delete", instruction)
    language = "english" if one.isascii() else "simplified_chinese"
    passed = checked(found.instruction, drawn("text_delete"), page(language=language), reading(one))
    assert isinstance(passed, Instruction), passed


NORTH = "<tr><td>North</td><td>41.5</td><td>44.0</td></tr>"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (reading("It is very very late."), reading("It is very late.")),  # which `very`, nothing around it tells
        (reading("Draft", "Text.", "Draft"), reading("Draft", "Text.")),  # nor which block
        (reading("Yes or no.", "Yes or no."), reading("Yes or no.", "Yes or no, not both.")),
        (reading("Yes or no.", "Yes or no."), reading("Yes or no.", "Yes or never.")),
        (reading("rose in May.", "Costs fell."), reading("Sales rose in May.", "Costs halved.")),  # before all words
        (reading("", "Below."), reading("A new heading", "Above.")),  # one of two changes
        (reading("A.", table=TABLE), reading("B.")),  # a table more or less beside another change
        (reading("A.", table=TABLE), reading("B.", table=TABLE.replace(NORTH, "").replace("<td>2022</td>", "")
                                             .replace("<td>38.2</td>", ""))),
        (reading("A.", table=TABLE), reading("A.", table=TABLE.replace("Region", "Area"))),  # names itself
        (reading("A.", table=TABLE.replace("South", "North")),
         reading("A.", table=TABLE.replace("South", "North").replace("41.5", "43.9"))),  # which row?
        (reading("A.", table=TABLE.replace("South", "North")),
         reading("A.", table=TABLE.replace("South", "North").replace(NORTH, ""))),
        (reading("A.", table=TABLE), reading("B.", table=TABLE.replace("<tr>", f"{NORTH}<tr>", 1))),  # above all
        (reading("A.", table=TABLE), reading("A.", table=TABLE.replace(NORTH, f"{NORTH}{NORTH}".replace("North", "W")))),
        (reading("A.", table=TABLE),
         reading("A.", table=TABLE.replace("<td>41.5</td><td>44.0</td>", '<td colspan="2">41.5</td>'))),
    ],
)  # fmt: skip
def test_what_cannot_be_said_has_no_instruction(one, other):
    assert infer_from_pair(one, other, "english") is None


def test_a_chinese_pair_is_told_in_chinese():
    one, other = reading("销售额在五月增长。成本不变。"), reading("销售额在六月增长。成本不变。")
    assert infer_from_pair(one, other).instruction == "将“五”替换为“六”。"


EXAMPLES = {
    'Replace "2023" with "2024".': ["conditional", "linguistic", "operation", "target"],
    'Insert "(draft)" directly after "Report".': ["operation", "spatial"],
    'Insert "(draft)" directly after "Report 7".': ["scope", "spatial", "target"],
    'Delete the row "South" from the table.': ["scope", "target"],
    "将“甲”改为“乙”。": ["conditional", "linguistic", "operation", "target"],
    "在表格中，将“甲”行“乙”列的单元格改为“丙”。": ["linguistic", "operation", "target"],
}


@pytest.mark.parametrize("instruction", EXAMPLES)
def test_each_kind_of_ambiguity_leaves_something_out(instruction):
    assert kinds_for(instruction) == EXAMPLES[instruction]
    chinese = not instruction.isascii()
    for kind in kinds_for(instruction):
        found = make_ambiguous(instruction, kind)
        assert found.kind == kind
        assert found.text != instruction
        assert "{" not in found.text
        assert any("一" <= letter <= "鿿" for letter in found.text) == chinese


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_the_typeset_suites_tables_are_made_ambiguous_as_that_suite_does_it(tongue):
    words = phrasings(tongue)
    opening, closing = words["quote"]
    fields = {name: f"{opening}{name.upper()}{closing}" for name in ("row", "column", "other", "head", "new")}
    fields |= {"table": words["the_table"], "cells": words["list_join"].join([fields["new"], fields["new"]])}
    lines = ("row", "column")
    names = [*(f"{verb}_{line}" for verb in ("add", "delete") for line in lines), *(f"merge_{line}s" for line in lines)]
    for name in [*names, "merge_cells"]:
        wanted = {kind: [way.format(**fields) for way in ways] for kind, ways in words["ambiguous"][name].items()}
        for way in words["instructions"][name]:
            told = way.format(**fields)
            assert kinds_for(told) == sorted(wanted), told
            for kind, ways in wanted.items():
                assert make_ambiguous(told, kind).text in ways, told


@pytest.mark.parametrize(
    ("told", "forms"),
    [
        ('Add a new row below the row "North" with the cells "West" and "3".',
         {"spatial": 'Add a row with "West", "3" to the table.', "operation": 'Extend the table below "North".'}),
        ('Insert a row above "North" with the cells "West" and "3".',
         {"spatial": 'Add a row with "West", "3" to the table.'}),
        ('Add two rows below the row "North" with the cells "West" and "East".', {}),
        ('Split the cell "41.5" of the row "North" in two.', {}),
    ],
)  # fmt: skip
def test_what_is_added_to_a_table_is_not_made_a_deletion(told, forms):
    assert {kind: make_ambiguous(told, kind).text for kind in kinds_for(told)} == forms


@pytest.mark.parametrize(
    ("told", "forms"),
    [
        ('Replace the value "41.5" in the table with "43.9".',  # it names no row and no column
         {"target": 'Change a value in the table to "43.9".', "linguistic": 'It should be "43.9" there.'}),
        ("将表格中的数值“9.23”改为“9.5”。", {"target": "把表格里的一个值改成“9.5”。", "linguistic": "那里应该是“9.5”。"}),
        ('Append "(revised)" to the cell in row "North", column "2022" of the table.',  # which is not empty
         {"target": 'Add "(revised)" to a value in the table.', "scope": 'Add "(revised)" to the values in the row "North".'}),
        ("在表格里“甲”行、“乙”列的单元格末尾添加“（修订）”。",
         {"target": "给表格里的一个值加上“（修订）”。", "scope": "给“甲”行的值加上“（修订）”。"}),
        ('Write "39.1" in row "South", column "2023" of the table.', {}),  # empty or not, it does not say
        ('After "Human Factors", put "(continued)".',  # no number, and no sentence
         {"spatial": 'Insert "(continued)" where it fits.', "operation": 'Extend the passage at "Human Factors".'}),
        ('After "in 2023", put "(late)".',
         {"spatial": 'Insert "(late)" next to the figure.', "target": 'Add "(late)" to one of the numbers.',
          "scope": 'Insert "(late)" after the numbers on this page.'}),
        ('Delete "(slightly)".',
         {"target": "Remove the part that is not needed.", "scope": 'Shorten the passage around "(slightly)".',
          "conditional": 'Delete "(slightly)" unless it is important.'}),
    ],
)  # fmt: skip
def test_nothing_false_is_said_of_what_is_left_open(told, forms):
    assert {kind: make_ambiguous(told, kind).text for kind in kinds_for(told)} == forms


def test_the_seed_decides_which_kind():
    told = 'Replace "2023" with "2024".'
    kinds = {make_ambiguous(told, seed=seed).kind for seed in range(40)}
    assert kinds == set(EXAMPLES[told])
    assert make_ambiguous(told, seed=3) == make_ambiguous(told, seed=3)


@pytest.mark.parametrize(
    ("told", "kind"), [("Make it nicer.", ""), ('Delete "a".', "colour"), ('Delete "a".', "spatial")]
)
def test_what_cannot_be_made_ambiguous(told, kind):
    with pytest.raises(VdeError):
        make_ambiguous(told, kind)
