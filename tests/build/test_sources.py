"""Sources of pages: folders, PDFs, OmniDocBench; accepted and rejected pages."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from tests.build.pages import LINES, draw, write_pages
from vdebench.build.funnel import funnel, require_consistent
from vdebench.build.language import has_table, language_of
from vdebench.build.pages import initialise, prepare
from vdebench.build.settings import BuildSettings, Component, SourceSettings, read_settings, write_settings
from vdebench.build.sources import find_pages, safe_name
from vdebench.build.workspace import Workspace
from vdebench.core.box import Box
from vdebench.core.page_text import Block, PageText
from vdebench.errors import InputError, RunFolderError, VdeError
from vdebench.io.images import image_size


def made(tmp_path, *sources, **settings):
    told = BuildSettings("s", reader=Component("code"), editor=Component("code"), sources=sources, **settings)
    workspace = prepare(tmp_path / "ws", told)
    return workspace, initialise(workspace, 1)


def rejected(workspace):
    return {each.reason: each.words for each in workspace.rejections()}


def write_pdf(file, lines):
    pages = [Image.fromarray(draw(each)) for each in lines]
    pages[0].save(file, "PDF", save_all=True, append_images=pages[1:], resolution=72.0, quality=100)


def test_a_folder_of_images(tmp_path):
    folder = write_pages(tmp_path / "scans")
    (folder / "more").mkdir()
    shutil.copy(folder / "mill.png", folder / "more" / "copy of mill.png")
    Image.fromarray(draw(["Another page of this", "name in a lower folder"])).save(folder / "more" / "MILL.tif")
    (folder / "broken.png").write_bytes(b"no image")
    Image.fromarray(np.full((200, 300, 3), 255, np.uint8)).save(folder / "empty.png")
    (folder / "notes.txt").write_text("not a page")
    workspace, counts = made(tmp_path, SourceSettings(str(folder)))
    pages = workspace.pages()
    assert counts["pages"] == 4
    assert sorted(pages)[:3] == sorted([next(id for id in pages if id.startswith("MILL-")), "harbour", "library"])
    assert all(page.language == "english" and not page.has_table for page in pages.values())
    assert set(rejected(workspace)) == {"unreadable", "duplicate", "no_language"}
    assert "the same as mill" in rejected(workspace)["duplicate"]
    steps = funnel(workspace)
    require_consistent(steps)
    assert (steps[0].entered, steps[0].passed, steps[0].pending) == (7, 4, 0)
    assert sorted(file.stem for file in (workspace.root / "pages").iterdir()) == sorted(pages)


def test_init_goes_on(tmp_path):
    folder = write_pages(tmp_path / "scans", ["mill"])
    (folder / "late.png").write_bytes(b"still being copied")
    workspace, _ = made(tmp_path, SourceSettings(str(folder)))
    before = workspace.pages()
    Image.fromarray(draw(LINES["library"])).save(folder / "late.png")
    assert initialise(Workspace(workspace.root), 1)["pages"] == 1
    assert workspace.pages() == before | {"late": workspace.pages()["late"]}
    step = funnel(workspace)[0]
    assert (step.entered, step.passed, step.turned_down) == (2, 2, 0)  # what could not be opened now can
    assert initialise(Workspace(workspace.root), 1) == {"known": 2}


def test_a_pdf(tmp_path):
    file = tmp_path / "Q3 report (final).pdf"
    write_pdf(file, [LINES["mill"], LINES["library"], LINES["harbour"]])
    workspace, _ = made(tmp_path, SourceSettings(str(file), pages="1,3-9", ppi=72, document="research_report"))
    pages = workspace.pages()
    assert list(pages) == ["Q3-report-final-_p001", "Q3-report-final-_p003"]
    page = pages["Q3-report-final-_p003"]
    assert (page.origin["file"], page.origin["page"], page.origin["ppi"]) == (file.name, 3, 72)
    assert page.source == "research_report"
    assert tuple(image_size(workspace.page_image(page))) == (page.width, page.height) == (600, 216)
    assert str(tmp_path) not in json.dumps(page._asdict())  # the user's folders are nobody's business


def test_a_pdf_at_another_resolution(tmp_path):
    write_pdf(tmp_path / "a.pdf", [LINES["mill"]])
    found = next(find_pages(SourceSettings(str(tmp_path / "a.pdf"), ppi=144), tmp_path))
    content, ending = found.content()
    (tmp_path / f"a{ending}").write_bytes(content)
    assert tuple(image_size(tmp_path / "a.png")) == (1200, 432)


def test_bad_pdfs_do_not_end_it(tmp_path):
    folder = write_pages(tmp_path / "scans", ["mill"])
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
    document = pypdfium2.PdfDocument.new()
    document.new_page(14_000, 14_000)
    document.save(folder / "poster.pdf")
    document.close()
    workspace, counts = made(tmp_path, SourceSettings(str(folder)))
    assert counts == {"pages": 1, "unreadable": 2, "known": 0}
    words = [each.words for each in workspace.rejections()]
    assert "cannot be opened as a PDF" in words[0]
    assert "29167×29167 pixels at 150 per inch" in words[1]


def test_omnidoc(tmp_path):
    folder = write_pages(tmp_path / "data" / "images", ["mill", "library"])
    element = {
        "category_type": "text_block",
        "poly": [24, 36, 300, 36, 300, 60, 24, 60],
        "text": LINES["mill"][0],
        "order": 1,
    }
    table = {
        "category_type": "table",
        "poly": [1, 90, 90, 90, 90, 150, 1, 150],
        "html": "<table><tr><td>a</td></tr></table>",
    }
    told = {"data_source": "book", "language": "english", "layout": "single_column"}
    pages = [
        {
            "layout_dets": dets,
            "page_info": {"image_path": name, "width": 216, "height": 600, "page_attribute": attributes},
        }
        for name, dets, attributes in (
            ("mill.png", [element, table], told),
            ("library.png", [element], {**told, "language": "traditional_chinese"}),
            ("gone.png", [element], told),
        )
    ]
    file = folder.parent / "Omni.json"
    file.write_text(json.dumps(pages))
    workspace, _ = made(tmp_path, SourceSettings(str(file)))
    (page,) = workspace.pages().values()
    assert (page.id, page.language, page.source, page.has_table) == ("mill", "english", "book", True)
    assert (page.width, page.height) == (600, 216)  # the file's, whatever the annotation says
    assert page.attributes == told
    reading = workspace.page_reading(page)
    assert [block.label for block in reading.blocks] == ["text", "table"]
    assert tuple(reading.size) == (600, 216)
    assert set(rejected(workspace)) == {"other_language", "unreadable"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("自十月一日起图书馆每日开放时间调整", "simplified_chinese"),
        ("The harbour office expects a quiet winter", "english"),
        ("图书馆开放时间 opening hours of the library 每日", "en_ch_mixed"),
        ("Часы работы библиотеки зимой", ""),
        ("12 34 56", ""),
        ("自十月一日起图书馆每日开放时间调整 PDF 2024", "simplified_chinese"),  # 17 characters, 1 word
    ],
)
def test_language(text, language):
    assert language_of(PageText((Block(Box(0, 0, 9, 9), text),))) == language


def test_languages_of_real_pages(shared):
    """What is found out of the annotations of 18 pages is what they say of themselves."""
    file = shared / "data/omnidocbench/OmniDocBench_demo.json"
    wrong = []
    for found in find_pages(SourceSettings(str(file)), shared):
        reading = found.text(None)
        if language_of(reading) != found.attributes["language"]:
            wrong.append((found.name, found.attributes["language"], language_of(reading)))
        tables = [each for each in found.annotation["layout_dets"] if each["category_type"] == "table"]
        assert has_table(reading) == bool(tables)
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (SourceSettings("nowhere"), "no such file; expected an OmniDocBench"),
        (SourceSettings("empty"), "no images or PDFs here"),
        (SourceSettings("a.docx"), "unsupported source"),
        (SourceSettings("a.json"), "expected a list of pages"),
        (SourceSettings("scans", pages="3-1"), "'3-1' is not a page"),
        (SourceSettings("scans", language="klingon"), "language 'klingon', expected one of english"),
        (SourceSettings("scans", ppi=0), "0 pixels per inch"),
    ],
)
def test_sources_that_cannot_be_used(tmp_path, source, message):
    (tmp_path / "empty").mkdir()
    (tmp_path / "images").mkdir()
    (tmp_path / "a.docx").write_text("words")
    (tmp_path / "a.json").write_text("{}")
    write_pages(tmp_path / "scans", ["mill"])
    with pytest.raises(InputError, match=message):
        made(tmp_path, replace(source, path=str(tmp_path / source.path)))
    assert not (tmp_path / "ws").exists()  # nothing is left behind


def test_a_folder_in_use_is_refused(tmp_path):
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "thesis.txt").write_text("years of work")
    with pytest.raises(RunFolderError, match="not empty and not a workspace"):
        made(tmp_path, SourceSettings(str(write_pages(tmp_path / "scans"))))
    with pytest.raises(RunFolderError, match="make a workspace with"):
        Workspace(tmp_path / "ws")


def test_an_unknown_preset_is_refused_at_once(tmp_path):
    with pytest.raises(VdeError, match="unknown preset 'v9'"):
        made(tmp_path, SourceSettings(str(write_pages(tmp_path / "scans"))), preset="v9")
    assert not (tmp_path / "ws").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = [", "not TOML"),
        ("seed = 1", "'name' is missing"),
        ('name = "a"\nsede = 1', "'sede' is not known, expected one of name, licence"),
        ('name = "a"\nseed = "one"', "'seed' is 'one', expected a whole number"),
        ('name = "a"\nseed = true', "'seed' is True, expected a whole number"),
        ('name = "a"\ngenerators = []', "generators are none, expected at least one"),
        ('name = "a"\n[[generators]]\nname = "x"\n[[generators]]\nname = "x"', "with distinct names"),
        ('name = "a"\n[editor]\nfont = "serif"', "no 'name'"),
        ('name = "a"\n[[sources]]\npages = "1"', "no 'path'"),
        ('name = "a"\n[[sources]]\npath = "x"\nppi = "150"', "'ppi' is '150', expected a whole number"),
    ],
)
def test_bad_settings(tmp_path, text, message):
    (tmp_path / "build.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_settings(tmp_path)


def test_settings_come_back(tmp_path):
    models = (
        Component("qwen", {"url": "http://here/v1", "temperature": 0.7}),
        Component('glm "x" \x7f', {"model": "甲"}),
    )
    told = BuildSettings(
        "名\\n",
        "mit",
        "all",
        -3,
        models,
        Component("copy"),
        Component("code", {"a": True}),
        (SourceSettings("/a b/c.pdf", pages="2"),),
    )
    write_settings(tmp_path, told)
    assert read_settings(tmp_path) == told


def test_names_stay_names():
    assert safe_name("j.chroma.2005.05.085.pdf_4") == "j.chroma.2005.05.085.pdf_4"
    assert safe_name("图 书/..\\..") == "图-书"
    assert safe_name("a" * 300) != safe_name("a" * 301)
