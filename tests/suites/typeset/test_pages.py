"""Pages: layout, and ground-truth text equal to the printed text."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from random import Random

import numpy as np
import pytest

from vdebench.core.sample import SOURCES
from vdebench.suites.omnidoc import page_text_of_annotation
from vdebench.suites.typeset.ambiguity_check import cells_of, texts_of
from vdebench.suites.typeset.document import (
    CELLS,
    Area,
    BlockStyle,
    Chart,
    Document,
    DocumentCell,
    Formula,
    Span,
    Table,
    Text,
    TextStyle,
)
from vdebench.suites.typeset.ground_truth import is_legible, lines_of, page_text_of
from vdebench.suites.typeset.kinds import KINDS
from vdebench.suites.typeset.language_rules import LANGUAGES, get_language

PAGES = [(kind, code, seed) for kind in KINDS for code in LANGUAGES for seed in range(3)]


@pytest.fixture(scope="module")
def printed(typesetter):
    """Documents as they were set: (document, sheet), every kind in every language three times."""
    made = []
    for kind, code, seed in PAGES:
        document = KINDS[kind](get_language(code), Random(f"{kind} {code} {seed}"))
        sheet = typesetter.print(document, reserve=30)
        made.append((document.only(sheet.present), sheet))
    yield made
    for _, sheet in made:
        sheet.close()


def letters(text: str) -> str:
    return "".join(text.split())


def test_kinds_are_the_papers_sources():
    assert set(KINDS) == set(SOURCES)


def test_the_pdf_says_of_every_piece_what_the_document_says(printed):
    """The text of each paragraph, cell and label, extracted from the PDF, is the model's."""
    for document, sheet in printed:
        for block in document.blocks:
            number = block.id * CELLS
            if isinstance(block, Text):
                assert letters("".join(sheet.run_texts(number))) == letters(block.text)
            elif isinstance(block, Table):
                for index, cell in enumerate(block.ordered, start=1):
                    found = "".join(sheet.run_texts(number + index)) if number + index in sheet.marks else ""
                    assert letters(found) == letters(cell.text)
            elif isinstance(block, Chart):
                for index, label in enumerate(block.labels, start=1):
                    assert letters("".join(sheet.run_texts(number + index))) == letters(label)


def test_readings_put_together_are_all_the_text_of_the_page(printed):
    """No character of the page is missing from its reading, and none is there that is not on the page."""
    for document, sheet in printed:
        if any(isinstance(block, Formula) for block in document.blocks):
            continue  # a formula is read as LaTeX
        page = sheet._page.get_textpage()
        on_page = Counter(letters(page.get_text_range()).replace("\ufffe", "-").replace("\x02", "-"))
        read = Counter(letters("".join(texts_of(page_text_of(document, sheet)))))
        assert on_page == read


def test_tables_are_read_cell_by_cell_with_their_spans(printed):
    seen = Counter()
    for document, sheet in printed:
        tables = [block for block in document.blocks if isinstance(block, Table)]
        read = [block for block in page_text_of(document, sheet).blocks if block.label == "table"]
        assert [block.content for block in read] == [table.html for table in tables]
        for table, block in zip(tables, read, strict=True):
            assert cells_of(block.content) == [cell.text for cell in table.ordered]
            area = sum(cell.rowspan * cell.colspan for cell in table.cells)
            assert area == table.height * len(table.widths)  # no hole, no overlap
            seen["rowspan"] += 'rowspan="' in block.content
            seen["colspan"] += 'colspan="' in block.content
    assert min(seen.values()) >= 3


def test_no_text_over_text_and_none_outside_the_page(printed):
    for document, sheet in printed:
        reading = page_text_of(document, sheet)
        for one, other in combinations(reading.blocks, 2):
            small = min(one.box.area, other.box.area)
            assert one.box.shared_area(other.box) < 0.1 * small, (document.kind, one.content, other.content)
        for block in reading.blocks:
            assert 0 <= block.box.x1 < block.box.x2 <= sheet.size.width
            assert 0 <= block.box.y1 < block.box.y2 <= sheet.size.height


def test_cells_that_run_into_each_other_are_found(typesetter):
    """In a table of two narrow columns `Performance` and `Certificates` stand over each other; in a wide one they do not."""
    cells = tuple(DocumentCell(0, column, text) for column, text in enumerate(("Performance", "Certificates")))
    for width, expected in ((60, False), (200, True)):
        area = Area(10, 10, width, 60, (Table(1, cells, (1, 1)),))
        styles = {"table": BlockStyle()}
        document = Document("note", "english", "economy", 240, 140, (area,), styles, get_language("en").fonts)
        assert is_legible(document, typesetter.print(document)) is expected


def test_blocks_stay_in_their_areas(printed):
    """No overflow: ink of an area's blocks is inside the area, but for the descent of a last line."""
    for document, sheet in printed:
        for area in document.areas:
            for block in area.blocks:
                box = sheet.marks[block.id * CELLS].box
                left, top = area.x * sheet.scale, area.y * sheet.scale
                assert box.x1 >= left - 1
                assert box.x2 <= left + area.width * sheet.scale + 1
                assert box.y1 >= top - 1
                assert box.y2 <= top + area.height * sheet.scale + 5, (document.kind, block)


def test_every_kind_has_tables_and_figures_or_formulas_somewhere(printed):
    found = Counter((document.kind, type(block).__name__) for document, _ in printed for block in document.blocks)
    for kind in KINDS:
        assert found[kind, "Table"], kind
    assert sum(found[kind, "Chart"] > 0 for kind in KINDS) >= 6
    assert sum(found[kind, "Formula"] > 0 for kind in KINDS) >= 4


def test_pages_are_as_dense_as_real_ones(printed, shared):
    """Characters and blocks of every page lie within the range of OmniDocBench's 18 real pages."""
    import json

    real = [
        page_text_of_annotation(page)
        for page in json.loads((shared / "data/omnidocbench/OmniDocBench_demo.json").read_text("utf-8"))
    ]

    def density(reading):
        return sum(len(letters(block.plain_text)) for block in reading.blocks), len(reading.blocks)

    characters, blocks = zip(*(density(reading) for reading in real), strict=True)
    for document, sheet in printed:
        count, number = density(page_text_of(document, sheet))
        assert min(characters) <= count <= max(characters), (document.kind, document.language, count)
        assert min(blocks) <= number <= max(blocks), (document.kind, document.language, number)


def test_languages_are_what_they_say(printed):
    for document, sheet in printed:
        reading = page_text_of(document, sheet)
        text = "".join(block.content for block in reading.blocks if block.label != "formula" and not block.html)
        han = sum("\u3400" <= letter <= "\u9fff" for letter in text)
        latin = sum(letter.isascii() and letter.isalpha() for letter in text)
        if document.language == "english":
            assert han == 0
        elif document.language == "simplified_chinese":
            assert latin < han * 0.1  # options are lettered A to D
        else:
            assert han > 20
            assert latin > 20


def one_block(text: str, **look) -> Document:
    fonts = get_language("mixed").fonts
    area = Area(20, 20, 200, 100, (Text(1, "paragraph", (Span(text),)),))
    return Document("note", "english", "economy", 240, 140, (area,), {"paragraph": BlockStyle(**look)}, fonts)


@pytest.mark.parametrize("font", ["serif", "modern", "sans", "mono"])
@pytest.mark.parametrize("letter", [*"•–—▪·→’°é€$%中文，。（）：；、"])
def test_no_tofu(typesetter, font, letter):
    """A letter that no font has is drawn as a box, the same for all such letters."""
    drawn, missing = (typesetter.print(one_block(text, font=font)).image() for text in (letter, "\ue123"))
    assert not np.array_equal(drawn, missing)


def test_words_are_of_letters_the_fonts_have():
    """All of GB2312 is in the fonts; everything else we print is in `test_no_tofu`."""
    import tomllib
    from importlib import resources

    content = resources.files("vdebench.suites.typeset") / "content"
    tested = set("•–—▪·→’°é€$%")
    for tongue in ("en", "zh"):
        for file in (content / tongue).iterdir():
            text = file.read_text("utf-8")
            tomllib.loads(text)
            strange = {
                letter for letter in text if letter not in tested and not letter.isascii() and not _in_gb2312(letter)
            }
            assert not strange, (file.name, strange)


def _in_gb2312(letter: str) -> bool:
    try:
        return bool(letter.encode("gb2312"))
    except UnicodeEncodeError:
        return False


@pytest.mark.parametrize("font", ["serif", "modern", "sans", "mono"])
@pytest.mark.parametrize("text", ["Weight", "字重"])
def test_bold_is_bolder_in_every_font(typesetter, font, text):
    plain, bold = (typesetter.print(one_block(text, font=font, bold=bold)).image().mean() for bold in (False, True))
    assert bold < plain


def test_parts_of_a_line_have_boxes_of_their_own(typesetter):
    """The boxes of three words stand side by side, and together they are the line's."""
    text = "alpha beta gamma"
    sheet = typesetter.print(one_block(text))
    number = CELLS
    boxes = [
        sheet.part(number, text, start, start + len(word)) for word, start in (("alpha", 0), ("beta", 6), ("gamma", 11))
    ]
    assert all(len(found) == 1 for found in boxes)
    (one,), (two,), (three,) = boxes
    assert one.x2 < two.x1
    assert two.x2 < three.x1
    (line,) = lines_of(sheet, number)
    assert line.x1 == pytest.approx(one.x1, abs=0.6)
    assert line.x2 == pytest.approx(three.x2, abs=0.6)


@pytest.mark.parametrize("font", ["serif", "sans"])
def test_parts_of_chinese_with_digits_are_where_their_letters_are(typesetter, font):
    """Each part's box is the box of its letters alone: no space that a reader of PDFs adds may shift them."""
    text = "据统计2024年合肥市从42.7%提高到51.3%，比Oslo高"
    sheet = typesetter.print(one_block(text, font=font))
    for word in ("合肥", "2024", "42.7%", "Oslo", "高到"):
        start = text.index(word)
        (box,) = sheet.part(CELLS, text, start, start + len(word))
        before = sheet.part(CELLS, text, 0, start)[-1]
        assert before.x2 <= box.x1 + 1
        after = [found for found in sheet.part(CELLS, text, start + len(word), len(text)) if found.y1 < box.y2]
        assert not after or after[0].x1 >= box.x2 - 1
        size = 10 * sheet.scale
        letters = sum(size if "\u3400" <= letter <= "\u9fff" else size / 2 for letter in word)
        assert 0.6 * letters < box.x2 - box.x1 < 1.4 * letters


def test_spaces_make_no_lines(typesetter):
    sheet = typesetter.print(one_block("A. 价格较低  B. 质量较好  C. 服务"))
    (line,) = lines_of(sheet, CELLS)
    assert line.y2 - line.y1 > 5


def test_a_part_that_goes_over_a_line_has_two_boxes(typesetter):
    text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    sheet = typesetter.print(one_block(text))
    lines = lines_of(sheet, CELLS)
    assert len(lines) >= 2
    assert len(sheet.part(CELLS, text, 0, len(text))) == len(lines)
    assert sheet.run_texts(CELLS)[0].startswith("one")


def test_a_span_in_another_style_is_seen(typesetter):
    document = one_block("red and black")
    coloured = document.with_block(1, Text(1, "paragraph", (Span("red", TextStyle(ink="#c00000")), Span(" and black"))))
    image = typesetter.print(coloured).image()
    reds = (image[..., 0] > 150) & (image[..., 1] < 60)
    assert reds.any()
    assert not (
        (typesetter.print(document).image()[..., 0] > 150) & (typesetter.print(document).image()[..., 1] < 60)
    ).any()


def test_what_finds_no_room_is_left_out_and_headings_stay_with_their_text(typesetter):
    many = tuple(
        Text(index, "heading" if index % 2 else "paragraph", (Span(f"Block {index} " * 8),)) for index in range(1, 20)
    )
    fonts = get_language("en").fonts
    styles = {"paragraph": BlockStyle(), "heading": BlockStyle(bold=True)}
    area = Area(20, 20, 200, 200, many)
    document = Document("note", "english", "economy", 240, 240, (area,), styles, fonts)
    present = typesetter.print(document).present
    assert 2 <= len(present) < 19
    assert present == set(range(1, max(present) + 1))
    assert max(present) % 2 == 0  # never a heading last


def test_the_labels_of_a_chart_are_read_row_by_row(printed):
    seen = 0
    for document, sheet in printed:
        for block in document.blocks:
            if isinstance(block, Chart) and block.kind != "flow":
                (read,) = (
                    each
                    for each in page_text_of(document, sheet).blocks
                    if each.content.count("\n") == len(block.labels) - 1
                    and sorted(each.content.split("\n")) == sorted(block.labels)
                )
                places = {
                    label: sheet.marks[block.id * CELLS + index].ink[0]
                    for index, label in enumerate(block.labels, start=1)
                }
                order = [places[label] for label in read.content.split("\n")]
                assert all(
                    one.y1 < other.y2 and (one.y2 <= other.y1 or one.x1 < other.x1) for one, other in pairwise(order)
                )
                seen += 1
    assert seen > 3
