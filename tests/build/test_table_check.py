"""Checks of tables after edits of rows, columns or cells."""

from __future__ import annotations

import pytest

from tests.instructions.instruct_pages import TABLE, reading
from vdebench.build.automatic_review import REASONS
from vdebench.build.table_check import wrong_structure
from vdebench.core.page_text import PageText
from vdebench.instructions.page_index import PageIndex
from vdebench.instructions.phrasing import phrasings

NORTH = "<tr><td>North</td><td>41.5</td><td>44.0</td></tr>"
SOUTH = "<tr><td>South</td><td>38.2</td><td></td></tr>"
WEST = "<tr><td>West</td><td>1</td><td>2</td></tr>"
ALL = "<tr><td>All</td><td>79.7</td><td>44.0</td></tr>"
DELETE = 'Delete the row "North" from the table.'
ADD = 'Add a row below the row "North" of the table with the cells "West", "1" and "2".'
MERGE = 'Combine the rows "North" and "South" of the table into one row: "All", "79.7", "44.0".'


def column(gone, come=()):
    """The table with other cells in the place of one of a column."""
    table = TABLE
    for old, new in zip(gone, come or [""] * len(gone), strict=True):
        table = table.replace(f"<td>{old}</td>", new)
    return table


WITHOUT_2022 = column(("2022", "41.5", "38.2"))
NOTES = column(
    ("2022", "41.5", "38.2"),
    ("<td>2022</td><td>Notes</td>", "<td>41.5</td><td>a</td>", "<td>38.2</td><td>b</td>"),
)
ADD_COLUMN = 'Add a column headed "Notes" right after the column "2022" of the table, with the values "a" and "b".'
ONE_CELL = TABLE.replace("<td>41.5</td><td>44.0</td>", '<td colspan="2">85.5</td>')
MERGE_CELLS = 'Merge the two cells under "2022" and "2023" in row "North" of the table; the merged cell reads "85.5".'


@pytest.mark.parametrize(
    ("asked", "now", "reason"),
    [
        (DELETE, TABLE.replace(NORTH, ""), None),
        (DELETE, TABLE, "structure_not_changed"),
        (DELETE, TABLE.replace(SOUTH, "").replace("41.5", "99.9"), "target_still_there"),  # the other row is gone
        (DELETE, TABLE.replace(NORTH, "").replace("38.2", "99.9"), "more_changed"),
        (DELETE, TABLE.replace(NORTH + SOUTH, ""), "more_changed"),
        (DELETE, "", "more_changed"),  # the whole table is gone
        ('Delete the row "East" from the table.', TABLE.replace(NORTH, ""), "target_not_read"),
        ('Delete the column "2022" from the table.', WITHOUT_2022, None),
        ('Delete the column "2023" from the table.', WITHOUT_2022, "target_still_there"),
        ('Delete the column "2022" from the table.', WITHOUT_2022.replace("44.0", "44.1"), "more_changed"),
        (ADD, TABLE.replace(NORTH, NORTH + WEST), None),
        (ADD.replace("below", "above"), TABLE.replace(NORTH, WEST + NORTH), None),
        (ADD.replace('below the row "North"', 'between "North" and "South"'), TABLE.replace(NORTH, NORTH + WEST), None),
        (ADD, TABLE, "structure_not_changed"),
        (ADD, TABLE.replace(SOUTH, SOUTH + WEST), "other_place"),
        (ADD, TABLE.replace(NORTH, NORTH + WEST.replace("2", "3")), "replacement_not_read"),
        (ADD, TABLE.replace(NORTH, NORTH + WEST).replace("38.2", "9"), "more_changed"),
        (ADD, TABLE.replace(NORTH, NORTH + WEST + WEST), "more_changed"),
        (ADD_COLUMN, NOTES, None),
        (ADD_COLUMN, NOTES.replace("<td>b</td>", "<td>c</td>"), "replacement_not_read"),
        (MERGE, TABLE.replace(NORTH + SOUTH, ALL), None),
        (MERGE, TABLE.replace(SOUTH, ""), "replacement_not_read"),
        (MERGE, TABLE.replace(NORTH + SOUTH, ALL).replace("2023", "2024"), "more_changed"),
        ('Merge the rows "North" and "South" of the table into one row.', TABLE.replace(SOUTH, ""), "not_decided"),
        (MERGE_CELLS, ONE_CELL, None),
        (MERGE_CELLS, TABLE, "structure_not_changed"),
        (MERGE_CELLS, TABLE.replace("<td>38.2</td><td></td>", '<td colspan="2">85.5</td>'), "structure_not_changed"),
        (MERGE_CELLS, ONE_CELL.replace("85.5", "85"), "replacement_not_read"),
        (MERGE_CELLS, ONE_CELL.replace("38.2", "3"), "more_changed"),
        ('Merge the cells "41.5" and "44.0" in the row "North" of the table.', ONE_CELL.replace("85.5", "41.5 44.0"),
         None),
        ('Merge two cells in the row "North" of the table.', ONE_CELL, "not_decided"),
        ('Add two rows below the row "North" of the table.', TABLE.replace(NORTH, NORTH + WEST + WEST), "not_decided"),
        ("Make the table nicer.", WITHOUT_2022, "not_decided"),
    ],
)  # fmt: skip
def test_what_a_table_should_read(asked, now, reason):
    wrong = wrong_structure(asked, PageIndex(reading("Report", table=TABLE)), PageIndex(reading("Report", table=now)))
    assert (wrong and wrong[0]) == reason, wrong
    assert reason is None or reason in REASONS


def test_another_table_stays_as_it_was():
    other = "<table><tr><td>x</td><td>1</td></tr><tr><td>y</td><td>2</td></tr></table>"
    less = TABLE.replace(NORTH, "")
    before, right, wrong = (
        PageIndex(PageText((*reading(table=one).blocks, *reading(table=two).blocks)))
        for one, two in ((TABLE, other), (less, other), (less, other.replace("2", "3")))
    )
    assert wrong_structure(DELETE, before, right) is None
    assert wrong_structure(DELETE, before, wrong)[0] == "more_changed"


def test_a_page_on_which_no_table_is_read():
    assert wrong_structure(DELETE, PageIndex(reading("North")), PageIndex(reading("")))[0] == "target_not_read"


@pytest.mark.parametrize("tongue", ["en", "zh"])
@pytest.mark.parametrize(
    ("name", "now"),
    [
        ("add_row", TABLE.replace(NORTH, NORTH + WEST)),
        ("add_column", NOTES),
        ("delete_row", TABLE.replace(NORTH, "")),
        ("delete_column", WITHOUT_2022),
        ("merge_cells", ONE_CELL),
        ("merge_rows", TABLE.replace(NORTH + SOUTH, ALL)),
        ("merge_columns", TABLE.replace("<td>2022</td><td>2023</td>", "<td>Both</td>").replace(
            "<td>41.5</td><td>44.0</td>", "<td>7</td>").replace("<td>38.2</td><td></td>", "<td>8</td>")),
    ],
)  # fmt: skip
def test_the_typeset_suites_wordings_are_decided(tongue, name, now):
    words = phrasings(tongue)
    opening, closing = words["quote"]
    cells = {"add_column": ["a", "b"], "merge_rows": ["All", "79.7", "44.0"], "merge_columns": ["7", "8"]}
    fields = {
        **{"row": "North", "column": "2022", "other": "South" if name == "merge_rows" else "2023", "new": "85.5"},
        "head": "Both" if name == "merge_columns" else "Notes",
    }
    quoted = {key: f"{opening}{value}{closing}" for key, value in fields.items()}
    listed = words["list_join"].join(f"{opening}{cell}{closing}" for cell in cells.get(name, ["West", "1", "2"]))
    before, after, same = (PageIndex(reading(table=table)) for table in (TABLE, now, TABLE))
    for way in words["instructions"][name]:
        told = way.format(**quoted, cells=listed, table=words["the_table"])
        assert wrong_structure(told, before, after) is None, told
        assert wrong_structure(told, before, same)[0] == "structure_not_changed", told
