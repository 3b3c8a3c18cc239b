"""Instructions as people write them: several edits, all places of a text, its second place, no quotation marks."""

from __future__ import annotations

import pytest

from tests.instructions.asked_phrasings import PHRASINGS, UNKNOWN_PHRASINGS
from vdebench.instructions.request import EditRequest as R
from vdebench.instructions.several import requests_of


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("", []),
        ("   ", []),
        ("Make it nicer.", []),
        ('Replace ⟦5⟧ with "x".', []),
        ('Delete the paragraph that begins with "a".', [R("delete_block", "a")]),
        ('Delete the line that begins with "a".', [R("delete_block", "a", block="line")]),
        ('Delete the heading that begins with "a".', [R("delete_block", "a", block="item")]),
        ("删除以“甲”开头的那一行。", [R("delete_block", "甲", block="line")]),
        ("删除以“甲”开头的整段文字。", [R("delete_block", "甲")]),
        ("删除以“甲”开头的标题。", [R("delete_block", "甲", block="item")]),
        ("Rotate the picture by 90 degrees.", []),
        ('Replace "2023" with "2024".', [R("replace", "2023", "2024")]),
        ('Change "a" to "b" and "c" to "d".', [R("replace", "a", "b"), R("replace", "c", "d")]),
        (
            'Replace "1" with "2", "3" with "4" and "5" with "6".',
            [R("replace", "1", "2"), R("replace", "3", "4"), R("replace", "5", "6")],
        ),
        ('Change "a" to "b" in "a is a"', [R("replace", "a", "b", within="a is a")]),
        ('Change "a" to "b", and keep "c".', [R("replace", "a", "b")]),
        ("将0改成7，“冷藏”改成“风速”。", [R("replace", "0", "7"), R("replace", "冷藏", "风速")]),
        ("把“甲”改为“乙”，把“丙”替换为“丁”。", [R("replace", "甲", "乙"), R("replace", "丙", "丁")]),
        ("将“八点”改成“九点”。", [R("replace", "八点", "九点")]),
        ("将“1.5”改成“2,5”，“10:30”改成“11:30”。", [R("replace", "1.5", "2,5"), R("replace", "10:30", "11:30")]),
        ('Delete "this part".', [R("delete", "this part")]),
        ('Append "Inc." to "Acme".', [R("insert_after", "Acme", "Inc.")]),
        ('Replace "b" with "c". Do not change "a".', [R("replace", "b", "c")]),
        ("Change Jan 5 to Jan 6 on the poster", [R("replace", "Jan 5", "Jan 6")]),
        ('Change the last word "end" to "start".', [R("replace", "end", "start", place="last word")]),
        ("将第2段第1行的“甲”改为“乙”", [R("replace", "甲", "乙", place="第2段", line=1)]),
        (
            'Replace "cat" with "dog", "red" with "blue", and delete "old".',
            [R("replace", "cat", "dog"), R("replace", "red", "blue"), R("delete", "old")],
        ),
        ('Insert "(new)" directly after "12%".', [R("insert_after", "12%", "(new)")]),
        (
            'Replace "moon" with "planet" in the sentence "A moon rises."',
            [R("replace", "moon", "planet", within="A moon rises.")],
        ),
        (
            'In the table, change the cell in row "A", column "B" to "7".',
            [R("replace", new="7", row="A", column="B")],
        ),
        ('Change "a\nb" to "c".', [R("replace", "a b", "c")]),  # a line end is a space
        (
            'Change "a" to "b" and "c" to "d" in the second paragraph.',
            [R("replace", "a", "b", place="second paragraph"), R("replace", "c", "d", place="second paragraph")],
        ),
        (
            "将第二段中的“甲”改为“乙”，“丙”改为“丁”。",
            [R("replace", "甲", "乙", place="第二段"), R("replace", "丙", "丁", place="第二段")],
        ),
        ("在表格中，将“甲”行“乙”列的单元格改为“丙”。", [R("replace", new="丙", row="甲", column="乙")]),
        ("在表格中，删除“甲”。", [R("delete", "甲", place="表格")]),
        ("在脚注中，将“甲”改为“乙”。", [R("replace", "甲", "乙", place="脚注")]),
        ('On this page, change "a" to "b" and delete "c".', [R("replace", "a", "b"), R("delete", "c")]),
    ],
)
def test_requests_of(instruction, expected):
    assert requests_of(instruction) == expected


@pytest.mark.parametrize(
    "instruction",
    [
        'Change "a" to "b" and delete the last word.',
        'Replace "a" with "b" and insert "c" after it.',
        "将“甲”改成“乙”，并删除最后一句。",
        'Change "a" to "b" and "c" to "d", and make "e" bold.',
        "Replace “21.88” with 27.88 and “x” with “y”.",
        'Swap "Paris" and "Berlin".',
        'Replace the quote "“Hi”" with "Bye".',  # where does it end?
        'Delete the sentence beginning with "However".',
        'Change "100" to "200" and add "USD" after it.',
        'Move "Total" below "Sum".',
        'Make the heading "News" larger and change "Old" to "New".',
        "Change the color of 'am' to the same red as 'I'.",
        'Replace all "a" with "b" and "c" with "d".',  # is every c meant?
        'Replace all "a" except the first with "b".',
        'Replace every second "a" with "b".',
        'Change "a" in the title to "b" and "c" to "d".',  # is the c of the title meant?
        'Change the heading "a" to "b" and "c" to "d".',
        'Change "a" to "b" in the title and "c" to "d" in the footer.',
        'In the second paragraph, change "a" to "b" and delete "c".',
        'In the first line, change "a" to "b" and delete "c".',
        "Change the line spacing from 1.0 to 1.5",
        "Change the opacity to 50%.",
        "Delete Figure 3.",
        'Change the opacity from "50%" to "80%".',
        "将透明度改为50%。",
        "将除第一处以外的“甲”改为“乙”。",
        "Change the background from black to white.",
        "Delete the barcode in the picture",
        "delete all words in the picture",
        "将所有文字改为红色。",
    ],
)
def test_an_instruction_of_which_a_part_is_not_understood_is_not_understood(instruction):
    assert requests_of(instruction) == []  # else the check would certify an edit that was made in part


@pytest.mark.parametrize(("instruction", "expected"), PHRASINGS)
def test_phrasings_of_people(instruction, expected):
    assert requests_of(instruction) == expected


@pytest.mark.parametrize("instruction", UNKNOWN_PHRASINGS)
def test_phrasings_that_the_rules_do_not_know(instruction):
    assert requests_of(instruction) == []


def test_a_quotation_that_contains_the_words_of_a_replacement_is_one_text():
    assert requests_of('Replace "from a to b" with "from c to d".') == [R("replace", "from a to b", "from c to d")]
    assert requests_of("将“由甲改成乙”改成“丙”。") == [R("replace", "由甲改成乙", "丙")]


def test_values_without_quotes_end_at_punctuation():
    assert [(each.target, each.new) for each in requests_of("将12改成15，3改成4。")] == [("12", "15"), ("3", "4")]
