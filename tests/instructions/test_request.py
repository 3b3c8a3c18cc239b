"""Instructions of `overlay`: the parsed request of each phrasing."""

import pytest

from vdebench.instructions.quotations import cut_quotes
from vdebench.instructions.request import EditRequest, NotUnderstoodError, parse

R = EditRequest


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ('Replace "2023" with "2024".', R("replace", "2023", "2024")),
        ("Please replace '2023' with '2024'", R("replace", "2023", "2024")),
        ("Change “the boss's view” to “our view\".", R("replace", "the boss's view", "our view")),
        ("Replace ‘what’s new’ by ‘the news’.", R("replace", "what’s new", "the news")),
        ("Replace 2023 with 2024", R("replace", "2023", "2024")),
        ('Edit "a b" so that it becomes "c".', R("replace", "a b", "c")),
        ('Where the page says "x", it should say "y".', R("replace", "x", "y")),
        ('Rewrite the heading "Old" so that it reads "New".', R("replace", "Old", "New")),
        ('"x" should read "y".', R("replace", "x", "y")),
        ('Use "y" instead of "x".', R("replace", "x", "y")),
        ('Change the column header "Weight" to "Mass".', R("replace", "Weight", "Mass")),
        ("Replace ‘teh’ in the abstract with ‘the’.", R("replace", "teh", "the", place="in the abstract")),
        (
            'Replace "moon" with "planet" in the sentence "A moon rises." under point (4).',
            R("replace", "moon", "planet", within="A moon rises.", place="in the sentence"),
        ),
        ('Insert "(new)" directly after "12%".', R("insert_after", "12%", "(new)")),
        ('After "the end.", insert a new sentence: "It goes on."', R("insert_after", "the end.", "It goes on.")),
        ('Put "very" before "good".', R("insert_before", "good", "very")),
        ('Delete "this part".', R("delete", "this part")),
        ('Take out "this part" and close the gap.', R("delete", "this part")),
        (
            'Remove the phrase "so called" from the first paragraph.',
            R("delete", "so called", place="from the first paragraph"),
        ),
        ('Delete the whole list item that begins with "– One".', R("delete_block", "– One")),
        ('Below the note that begins with "One", add a new note: "Two"', R("insert_block", "One", "Two")),
        ('In the table, change the cell in row "A", column "B" to "7".', R("replace", new="7", row="A", column="B")),
        ('Set the entry for "A" under "B" in the table to "7".', R("replace", new="7", row="A", column="B")),
        (
            "Change the value in row 3, column ‘B’ from ‘6’ to ‘7’.",
            R("replace", "6", "7", row="#3", column="B"),
        ),
        (
            'Change the text "6" in the last column of the second row of the table to "7".',
            R("replace", "6", "7", row="#2", column="#-1"),
        ),
        (
            'Append "(a)" to the cell in row "A", column "B" of the table.',
            R("insert_after", new="(a)", row="A", column="B"),
        ),
        ('Clear the cell in row "A", column "B" of the table.', R("delete", row="A", column="B")),
        ("将“甲”替换为“乙”。", R("replace", "甲", "乙")),
        ("把「甲」换成『乙』", R("replace", "甲", "乙")),
        ('请将"甲"改为"乙"', R("replace", "甲", "乙")),
        ("将2023改为2024。", R("replace", "2023", "2024")),
        ("请修改“甲”，使其变为“乙”。", R("replace", "甲", "乙")),
        ("用“乙”代替“甲”。", R("replace", "甲", "乙")),
        ("在“甲”后面加上“（乙）”。", R("insert_after", "甲", "（乙）")),
        ("在“甲”之前插入“乙”", R("insert_before", "甲", "乙")),
        ("请把“甲”删去，并将前后文接上。", R("delete", "甲")),
        ("删除以“甲”开头的整个段落。", R("delete_block", "甲")),
        ("在以“甲”开头的列表项下面新增一个列表项：“乙”", R("insert_block", "甲", "乙")),
        ("在表格中，将“甲”行“乙”列的单元格改为“7”。", R("replace", new="7", row="甲", column="乙")),
        ("表格中“甲”行“乙”列为空，请写上“7”。", R("replace", new="7", row="甲", column="乙")),
        ("将表格第三行第二列的“6”改为“7”。", R("replace", "6", "7", row="#3", column="#2")),
        ("清空表格里“甲”行、“乙”列的单元格。", R("delete", row="甲", column="乙")),
    ],
)
def test_phrasings(instruction: str, expected: EditRequest) -> None:
    assert parse(instruction) == expected


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("Change the title.", "quotes no text"),
        ("Delete the footnote at the bottom of the page.", "quotes no text"),
        ('Fix "teh".', "is not supported"),
        ('Change it to "x".', "is not supported"),
        ('Insert "x" where it fits.', "is not supported"),
        ('If it is out of date, change "x" to "y".', "whether to edit"),
        ('Replace "a" with "b" and delete "c".', "more than one edit"),
        ('Delete the row "A" from the table.', "structure"),
        ('Merge the two cells under "A" and "B" in row "C" of the table; the merged cell reads "D".', "structure"),
        ('Make "x" bold.', "appearance"),
        ('Set "x" in red.', "appearance"),
        (
            'Move the paragraph that begins with "a" so that it stands directly after the one that begins with "b".',
            "appearance",
        ),
        ("把它改成“甲”。", "is not supported"),
        ("如果不重要，就删除“甲”。", "whether to edit"),
        ("将“甲”加粗。", "appearance"),
        ("删除表格中的“甲”列。", "structure"),
        ("把一部分文字设为衬线字体。", "appearance"),
        ("", "quotes no text"),
        ("“”“”", "quotes no text"),
    ],
)
def test_refusals(instruction: str, reason: str) -> None:
    with pytest.raises(NotUnderstoodError, match=reason):
        parse(instruction)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("‘a’ and 'b'", ["a", "b"]),
        ("the boys' and girls' 'c d'", ["c d"]),
        ("“he said “no” again”", ["he said “no” again"]),
        ("「甲『乙』丙」", ["甲『乙』丙"]),
        ('an open " mark', []),
    ],
)
def test_quotes(text: str, quoted: list[str]) -> None:
    assert cut_quotes(text)[1] == quoted
