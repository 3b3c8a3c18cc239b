"""`overlay` on small typeset pages: resulting text and untouched pixels."""

from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pytest
import typst

from vdebench.core.images import Image
from vdebench.editors.editor import Edit
from vdebench.editors.factory import get_editor
from vdebench.editors.overlay import OverlayEditor
from vdebench.readers.rapid import RapidReader
from vdebench.suites.typeset.language_rules import font_folders

ENGLISH = """
#set page(width: 300pt, height: 190pt, margin: 20pt, fill: rgb("#f4f8fa"))
#set text(font: "Libertinus Serif", size: 11pt, hyphenate: false)
#set par(justify: false)
#text(size: 15pt, weight: 700)[Harvest of 2023]

The valley sold 4,210 tonnes of apples. Prices fell by 3.5% in autumn. Farmers kept one third for cider.

#table(columns: (1fr, 1fr, 1fr), stroke: 0.5pt, align: center,
  [Sort], [Tonnes], [Price], [Gala], [812], [1.20], [Elstar], [975], [1.45])

A note on method closes the page.
"""
CHINESE = """
#set page(width: 300pt, height: 150pt, margin: 20pt)
#set text(font: ("Libertinus Serif", "Noto Serif SC"), size: 12pt, lang: "zh")
今年山谷共收获苹果四千吨，价格下降了百分之三。农民留下三分之一用于酿酒，其余全部售出。合作社明年将扩建冷库。

来源：县农业局。
"""


def page_of(source: str, folder: Path) -> Image:
    """A page at 150 pixels per inch."""
    file = folder / "page.typ"
    file.write_text(source, "utf-8")
    pdf = typst.compile(str(file), font_paths=[str(each) for each in font_folders()], ignore_system_fonts=True)
    return np.asarray(pdfium.PdfDocument(pdf)[0].render(scale=150 / 72, rev_byteorder=True).to_numpy()[..., :3])


@pytest.fixture(scope="module")
def reader() -> RapidReader:
    return RapidReader(threads=1, tables=False)


@pytest.fixture(scope="module")
def editor(reader: RapidReader) -> OverlayEditor:
    made = get_editor("overlay")
    assert isinstance(made, OverlayEditor)
    made.reader = reader
    return made


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Image:
    return page_of(ENGLISH, tmp_path_factory.mktemp("english"))


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Image:
    return page_of(CHINESE, tmp_path_factory.mktemp("chinese"))


def texts(reader: RapidReader, edit: Edit) -> str:
    """All that is read, line by line, without spaces."""
    assert edit.image is not None, edit.reason
    return "|".join(line.text for line in reader.lines(edit.image)).replace(" ", "")


def changed(before: Image, edit: Edit) -> tuple[int, int, int, int]:
    """Box of the pixels that are not as they were."""
    assert edit.image is not None
    rows, columns = np.nonzero((before != edit.image).any(axis=2))
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1


def test_replaces_in_its_line(english: Image, editor: OverlayEditor, reader: RapidReader) -> None:
    edit = editor.edit(english, 'Replace "4,210 tonnes" with "9,867 tonnes".')
    read = texts(reader, edit)
    assert "sold9,867tonnesofapples" in read
    assert "4,210" not in read
    x1, y1, _, y2 = changed(english, edit)
    assert y2 - y1 < 30  # one line of 11 points is 23 pixels high
    assert x1 > 100  # what stands before it is as it was
    assert edit.parameters["font"] == "serif"
    assert edit.parameters["size"] == pytest.approx(11 * 150 / 72, rel=0.02)


def test_replaces_a_bold_title(english: Image, editor: OverlayEditor, reader: RapidReader) -> None:
    edit = editor.edit(english, "Change ‘2023’ to ‘2024’")
    assert "Harvestof2024" in texts(reader, edit)
    assert edit.parameters["font"] == "serif bold"
    assert changed(english, edit)[3] < 90  # the paragraph below is as it was


def test_deletes_and_closes_the_gap(english: Image, editor: OverlayEditor, reader: RapidReader) -> None:
    edit = editor.edit(english, 'Delete "Prices fell by 3.5% in autumn."')
    read = texts(reader, edit)
    assert "Prices" not in read
    assert "apples.Farmers" in read
    assert "cider." in read


def test_inserts_and_reflows(english: Image, editor: OverlayEditor, reader: RapidReader) -> None:
    edit = editor.edit(english, 'Insert "(estimated)" after "3.5%".')
    read = texts(reader, edit).replace("|", "")
    assert "by3.5%(estimated)inautumn" in read
    assert "onethirdforcider" in read
    assert "Anoteonmethod" in read


@pytest.mark.parametrize(
    ("instruction", "present", "absent"),
    [
        ('In the table, change the cell in row "Gala", column "Price" to "3.75".', "3.75", "1.20"),
        ('Change the value in the "Elstar" row under the "Tonnes" column from "975" to "648".', "648", "975"),
        ('Clear the cell in row "Gala", column "Tonnes" of the table.', "1.20", "812"),
    ],
)
def test_cells(
    english: Image, editor: OverlayEditor, reader: RapidReader, instruction: str, present: str, absent: str
) -> None:
    edit = editor.edit(english, instruction)
    read = texts(reader, edit)
    assert present in read
    assert absent not in read
    x1, y1, x2, y2 = changed(english, edit)
    assert x2 - x1 < 100  # within the cell
    assert y2 - y1 < 30


def test_chinese(chinese: Image, editor: OverlayEditor, reader: RapidReader) -> None:
    edit = editor.edit(chinese, "将“百分之三”改为“百分之七点五”。")
    read = texts(reader, edit).replace("|", "")
    assert "价格下降了百分之七点五。农民留下三分之一用于酿酒，其余全部售出。合作社明年将扩建冷库" in read
    edit = editor.edit(chinese, "删除“农民留下三分之一用于酿酒，其余全部售出。”")
    read = texts(reader, edit).replace("|", "")
    assert "下降了百分之三。合作社明年将扩建冷库" in read
    assert "酿酒" not in read
    assert "来源：县农业局" in read


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ('Replace "oranges" with "pears".', "not found"),
        ('Replace "of" with "from".', "times"),
        ('In the table, change the cell in row "Gala", column "Colour" to "red".', "not found"),
        ('Change the value in row "Gala", column "Price" from "9.99" to "1.30".', "reads"),
        ('Merge the rows "Gala" and "Elstar".', "structure"),
        ("Make the page nicer.", "quotes no text"),
    ],
)
def test_refuses(english: Image, editor: OverlayEditor, instruction: str, reason: str) -> None:
    edit = editor.edit(english, instruction)
    assert edit.state == "refused"
    assert edit.image is None
    assert reason in edit.reason


def test_a_blank_page_is_refused(editor: OverlayEditor) -> None:
    edit = editor.edit(np.full((300, 400, 3), 255, np.uint8), 'Delete "x y".')
    assert edit.state == "refused"


def test_the_same_twice(english: Image, editor: OverlayEditor) -> None:
    asked = 'Replace "one third" with "two thirds".'
    before = english.copy()
    first, second = editor.edit(english, asked), OverlayEditor(threads=1).edit(english, asked)
    assert first.image is not None
    assert second.image is not None
    assert first.image.tobytes() == second.image.tobytes()
    assert (english == before).all()  # the page given is never written to
