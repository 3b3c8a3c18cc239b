"""Repair of table structures by the places of their texts."""

from __future__ import annotations

import pytest

from vdebench.core.box import Box
from vdebench.readers.lines.line import Line
from vdebench.readers.tables.cells import TableStructure
from vdebench.readers.tables.model import table_html
from vdebench.readers.tables.repair import grid_cells, repaired


def structure(*rows):
    """Tags of rows of cells, 100 × 40 pixels each: "td" or "colspan=2" or "rowspan=2"."""
    tags, cells = [], []
    for y, row in enumerate(rows):
        x = 0
        tags.append("<tr>")
        for cell in row:
            name, _, count = cell.partition("=")
            wide = int(count) if name == "colspan" else 1
            high = int(count) if name == "rowspan" else 1
            tags += ["<td", f' {name}="{count}"', ">", "</td>"] if count else ["<td></td>"]
            cells.append(Box(x, 40 * y, x + 100 * wide, 40 * (y + high)))
            x += 100 * wide
        tags.append("</tr>")
    return TableStructure(tags, cells)


def text(x, row, width=40):
    return Line(Box(x - width / 2, 40 * row + 8, x + width / 2, 40 * row + 32), f"{x}")


def rows_of(found):
    return "".join(found.tags).replace("<tr>", "").replace("</td>", "").split("</tr>")[:-1]


PLAIN = ["td", "td", "td"]
FULL = [text(x, row) for row in range(3) for x in (50, 150, 250)]


def test_a_full_table_stays():
    assert rows_of(repaired(structure(PLAIN, PLAIN, PLAIN), FULL)) == ["<td><td><td>"] * 3


def test_rows_and_columns_without_text_go():
    lines = [line for line in FULL if line.text != "150" and line.box.y1 != 48]
    assert rows_of(repaired(structure(PLAIN, PLAIN, PLAIN), lines)) == ["<td><td>"] * 2


def test_cells_over_an_empty_row_become_lower():
    lines = [*FULL[:3], *(line._replace(box=line.box._replace(y1=88, y2=112)) for line in FULL[:3])]
    table = structure(["rowspan=2"] * 3, [], PLAIN)
    assert rows_of(repaired(table, lines)) == ["<td><td><td>"] * 2


def test_a_text_between_two_columns_spans_them():
    lines = [line for line in FULL if line.box.y1 != 48] + [text(50, 1), text(200, 1)]
    assert rows_of(repaired(structure(PLAIN, PLAIN, PLAIN), lines))[1] == '<td><td colspan="2">'


@pytest.mark.parametrize("x", [150, 170, 230])
def test_a_text_over_its_column_does_not(x):
    """The texts of the columns end at 170 and begin at 230."""
    lines = [line for line in FULL if line.box.y1 != 48] + [text(50, 1), text(x, 1)]
    assert rows_of(repaired(structure(PLAIN, PLAIN, PLAIN), lines))[1] == "<td><td><td>"


def test_cells_that_fill_no_grid_stay():
    uneven = structure(PLAIN, ["td"])
    assert grid_cells(uneven) == []
    assert repaired(uneven, FULL) == uneven
    assert repaired(structure(PLAIN), []) == structure(PLAIN)


@pytest.mark.parametrize(
    "tags", [["<tr>", "<td></td>", "<td></td>", "</tr>"], ["<tr>", "</td>", "</td>"], ["<tr>", "<td"], ["</td>"]]
)
def test_broken_tags_of_the_model_give_no_grid_and_no_error(tags):
    broken = TableStructure(tags, [Box(0, 0, 9, 9)])
    assert grid_cells(broken) in ([], [(0, 0, 1, 1, Box(0, 0, 9, 9))])
    assert repaired(broken, [text(5, 0)]).cells
    assert table_html(broken, [text(5, 0)]).startswith("<table>")
