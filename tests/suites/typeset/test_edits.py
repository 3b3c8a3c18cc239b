"""Edits on small documents."""

from __future__ import annotations

import re

import pytest

from vdebench.suites.typeset.document import Area, BlockStyle, Document, DocumentCell, Span, Table, Text, TextStyle
from vdebench.suites.typeset.edits import ACTIONS, DocumentEdit, EditPlace


def document(*blocks) -> Document:
    return Document(
        "note", "english", "economy", 100, 100, (Area(0, 0, 100, 100, blocks),), {"paragraph": BlockStyle()}, {}
    )


def paragraph(number: int, text: str) -> Text:
    return Text(number, "paragraph", (Span(text),))


def said(changed: Document) -> list[str]:
    return [block.text if isinstance(block, Text) else block.html for block in changed.blocks]


THREE = document(paragraph(1, "one"), paragraph(2, "two and a half"), paragraph(3, "three"))


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (DocumentEdit("replace_text", 2, {"start": 0, "end": 3, "new": "zwei"}), ["one", "zwei and a half", "three"]),
        (DocumentEdit("insert_text", 2, {"at": 3, "new": ","}), ["one", "two, and a half", "three"]),
        (DocumentEdit("delete_text", 2, {"start": 3, "end": 14}), ["one", "two", "three"]),
        (DocumentEdit("insert_block", 1, {"new": "more"}), ["one", "more", "two and a half", "three"]),
        (DocumentEdit("delete_block", 2), ["one", "three"]),
        (DocumentEdit("move_block", 1, {"after": 3}), ["two and a half", "three", "one"]),
        (DocumentEdit("move_block", 3, {"after": 1}), ["one", "three", "two and a half"]),
    ],
)
def test_text(edit, expected):
    assert said(edit.apply(THREE)) == expected
    assert said(THREE) == ["one", "two and a half", "three"]


def test_style_splits_a_block_and_keeps_its_text():
    changed = DocumentEdit("style_text", 2, {"start": 4, "end": 7, "bold": True}).apply(THREE).block(2)
    assert [(span.text, span.style.bold) for span in changed.spans] == [
        ("two ", None),
        ("and", True),
        (" a half", None),
    ]
    assert DocumentEdit("scale_block", 1, {"factor": 1.5}).apply(THREE).block(1).spans[0].style == TextStyle(scale=1.5)
    assert DocumentEdit("align_block", 1, {"align": "right"}).apply(THREE).block(1).align == "right"


def test_new_text_takes_the_style_of_its_place():
    block = Text(1, "paragraph", (Span("a "), Span("red", TextStyle(ink="#ff0000")), Span(" b")))
    changed = block.with_text(2, 5, "rot")
    assert changed.spans == (Span("a "), Span("rot", TextStyle(ink="#ff0000")), Span(" b"))
    assert block.with_text(8, 8, "!").spans[-1] == Span(" b!")
    assert block.with_text(5, 5, "der").spans[1].text == "redder"


def table(*lines: str) -> Table:
    """A table drawn with letters: the same letter on several places is one cell."""
    rows = [line.split() for line in lines]
    cells = {}
    for r, row in enumerate(rows):
        for c, name in enumerate(row):
            cells.setdefault(name, []).append((r, c))
    made = []
    for name, places in cells.items():
        (r1, c1), (r2, c2) = places[0], places[-1]
        made.append(DocumentCell(r1, c1, name.strip("."), r2 - r1 + 1, c2 - c1 + 1))
    return Table(1, tuple(made), (1.0,) * len(rows[0]), head=1)


def drawn(changed: Document) -> list[str]:
    """A table as letters, hole or overlap an error."""
    found = changed.block(1)
    places = {}
    for cell in found.cells:
        for r in range(cell.row, cell.row + cell.rowspan):
            for c in range(cell.column, cell.column + cell.colspan):
                assert (r, c) not in places
                places[r, c] = cell.text
    height, width = found.height, len(found.widths)
    assert len(places) == height * width
    return [" ".join(places[r, c] for c in range(width)) for r in range(height)]


PLAIN = table("A B C", "r 1 2", "s 3 4")
GROUPED = table("A G G H", "A B C D", "r 1 2 3", "s 4 5 6")
ROWS = table("A A B", "g r 1", "g s 2", "h t 3", "h u 4")


@pytest.mark.parametrize(
    ("before", "edit", "expected"),
    [
        (PLAIN, DocumentEdit("set_cell", 1, {"row": 1, "column": 2, "new": "9"}), ["A B C", "r 1 9", "s 3 4"]),
        (PLAIN, DocumentEdit("delete_row", 1, {"row": 1}), ["A B C", "s 3 4"]),
        (PLAIN, DocumentEdit("delete_column", 1, {"column": 1}), ["A C", "r 2", "s 4"]),
        (PLAIN, DocumentEdit("add_row", 1, {"row": 3, "texts": ["t", "5", "6"]}), ["A B C", "r 1 2", "s 3 4", "t 5 6"]),
        (
            PLAIN,
            DocumentEdit("add_column", 1, {"column": 2, "texts": ["X", "7", "8"]}),
            ["A B X C", "r 1 7 2", "s 3 8 4"],
        ),
        (
            PLAIN,
            DocumentEdit("add_column", 1, {"column": 3, "texts": ["X", "7", "8"]}),
            ["A B C X", "r 1 2 7", "s 3 4 8"],
        ),
        (
            PLAIN,
            DocumentEdit("merge_cells", 1, {"row": 1, "column": 1, "rowspan": 1, "colspan": 2, "new": "1/2"}),
            ["A B C", "r 1/2 1/2", "s 3 4"],
        ),
        (PLAIN, DocumentEdit("merge_rows", 1, {"row": 1, "texts": ["r/s", "1/3", "2/4"]}), ["A B C", "r/s 1/3 2/4"]),
        (
            PLAIN,
            DocumentEdit("merge_columns", 1, {"column": 1, "texts": ["B/C", "1/2", "3/4"]}),
            ["A B/C", "r 1/2", "s 3/4"],
        ),
        (
            ROWS,
            DocumentEdit("add_row", 1, {"row": 2, "texts": ["x", "9"]}),
            ["A A B", "g r 1", "g x 9", "g s 2", "h t 3", "h u 4"],
        ),
        (ROWS, DocumentEdit("delete_row", 1, {"row": 1}), ["A A B", "g s 2", "h t 3", "h u 4"]),
        (ROWS, DocumentEdit("delete_row", 1, {"row": 4}), ["A A B", "g r 1", "g s 2", "h t 3"]),
        (
            ROWS,
            DocumentEdit("merge_rows", 1, {"row": 3, "texts": ["h", "t/u", "3/4"]}),
            ["A A B", "g r 1", "g s 2", "h t/u 3/4"],
        ),
    ],
)
def test_tables(before, edit, expected):
    assert drawn(edit.apply(document(before))) == expected


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            DocumentEdit("add_column", 1, {"column": 2, "texts": ["X", "8", "9"]}),
            ["A G G G H", "A B X C D", "r 1 8 2 3", "s 4 9 5 6"],
        ),
        (DocumentEdit("delete_column", 1, {"column": 2}), ["A G H", "A B D", "r 1 3", "s 4 6"]),
        (
            DocumentEdit("merge_columns", 1, {"column": 1, "texts": ["B/C", "1/2", "4/5"]}),
            ["A G H", "A B/C D", "r 1/2 3", "s 4/5 6"],
        ),
    ],
)
def test_tables_with_group_heads(edit, expected):
    from dataclasses import replace

    assert drawn(edit.apply(document(replace(GROUPED, head=2)))) == expected


def test_edits_survive_json():
    edit = DocumentEdit("add_row", 4, {"row": 2, "texts": ["a", "b"]})
    assert DocumentEdit.from_json(edit.to_json()) == edit
    assert set(ACTIONS) >= {edit.action}


def test_places_of_an_insertion_are_the_new_text():
    edit = DocumentEdit("insert_text", 2, {"at": 3, "new": ","})
    assert edit.places(THREE, edit.apply(THREE)) == ([], [EditPlace(400, 3, 4)])


def test_html_escapes_and_tells_spans():
    assert ROWS.html.startswith('<table><tr><td colspan="2">A</td><td>B</td></tr><tr><td rowspan="2">g</td>')
    assert (
        Table(1, (DocumentCell(0, 0, "a < b & c"),), (1,)).html == "<table><tr><td>a &lt; b &amp; c</td></tr></table>"
    )
    assert len(re.findall("<tr>", ROWS.html)) == ROWS.height
