"""The embedded reader on pages with known text."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from tests.readers.rendered import draw_line
from vdebench.core.box import Box
from vdebench.core.png import encode_png
from vdebench.errors import MissingPartError
from vdebench.io.images import open_image
from vdebench.readers import rapid
from vdebench.readers.layout.grouping import GROUPING
from vdebench.readers.rapid import RapidReader
from vdebench.readers.reader import get_reader, source_hash
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import make_page
from vdebench.suites.typeset.recipe import SuiteRecipe
from vdebench.suites.typeset.typesetter import Typesetter


@pytest.fixture(scope="module", params=["en", "zh"])
def slide(request):
    """A slide and its exact reading."""
    recipe = SuiteRecipe(seed=3, ppi=110, kinds=("PPT2PDF",), languages=(request.param,), operations=("text_delete",))
    return make_page(recipe, 0, Typesetter(110, font_folders()))[0]


def letters(reading) -> str:
    return "".join("".join(block.plain_text.split()) for block in reading.blocks)


def test_a_slide_is_read_nearly_without_errors(slide):
    reading = get_reader("rapidocr").read(slide.source)
    assert reading.size == slide.source_text.size
    # a table or chart may be read in another order: compare what letters there are
    expected, found = sorted(letters(slide.source_text)), sorted(letters(reading))
    assert 1 - Levenshtein.distance(expected, found) / len(expected) > 0.93
    (title,) = [block for block in slide.source_text.blocks if block.label == "doc_title"]
    found_title = max(reading.blocks, key=lambda block: block.box.iou(title.box))
    assert found_title.box.iou(title.box) > 0.5
    assert Levenshtein.normalized_similarity(found_title.content, title.content) > 0.85


def test_the_identity_tells_versions_and_parameters():
    identity = get_reader("rapidocr").identity
    assert identity["name"] == "rapidocr"
    assert {"version", "engine", "image", "blocks", "rules", "tables"} <= identity.keys()
    assert identity["blocks"].startswith("lines-3:" + ",".join(f"{value:g}" for value in GROUPING))
    assert identity["blocks"].endswith(source_hash("layout/grouping", "lines/text"))


def test_what_is_missing_is_told_with_the_command_that_mends_it(monkeypatch):
    assert RapidReader.missing() == ""
    monkeypatch.setattr(rapid, "installed_engine", lambda: "")
    assert "pip install rapidocr openvino" in RapidReader.missing()
    with pytest.raises(MissingPartError, match="needs an inference engine"):
        RapidReader()
    monkeypatch.setattr(rapid, "installed_version", lambda package: "")
    assert "is not installed" in RapidReader.missing()


def test_the_same_page_reads_the_same_with_any_number_of_threads(slide, tmp_path, monkeypatch):
    pages = []
    for count in (1, 2):
        monkeypatch.setenv("VDE_CACHE", str(tmp_path / str(count)))
        pages.append(RapidReader(threads=count).read(slide.source))
    one, two = pages
    assert [block.content for block in one.blocks] == [block.content for block in two.blocks]
    assert one.blocks == RapidReader(threads=1).read(slide.source).blocks


def test_a_tight_crop_of_one_line_is_read(slide):
    (title,) = [block for block in slide.source_text.blocks if block.label == "doc_title"]
    x1, y1, x2, y2 = (round(side) for side in title.box)
    crop = slide.source[y1:y2, x1:x2]
    (block,) = RapidReader().read(crop).blocks
    assert Levenshtein.normalized_similarity(block.content, title.content) > 0.9
    assert block.box.iou(Box(0, 0, x2 - x1, y2 - y1)) > 0.6


def test_a_box_is_drawn_in_to_its_ink_and_no_further():
    grey = np.full((100, 200), 250, np.uint8)
    grey[40:44, 30:150] = grey[56:60, 30:150] = 10
    assert rapid.shrink_to_ink(Box(24, 36, 160, 66), grey, 8) == Box(30, 40, 152, 60)
    assert rapid.shrink_to_ink(Box(5, 5, 20, 20), grey, 8) == Box(5, 5, 20, 20)  # no ink in it
    assert rapid.shrink_to_ink(Box(300, 5, 310, 20), grey, 8) == Box(300, 5, 310, 20)


def test_a_margin_has_the_colour_of_the_paper_and_pages_get_none():
    crop = np.full((10, 20, 3), (200, 10, 30), np.uint8)
    crop[4:6, 5:9] = 0
    crop[[0, -1], :] = crop[:, [0, -1]] = 90  # the frame of a table
    wider = rapid.add_margin(crop, rapid.crop_margin(crop))
    assert wider.shape == (10 + 2 * rapid.MARGIN, 20 + 2 * rapid.MARGIN, 3)
    assert (wider[0, 0] == (200, 10, 30)).all()
    assert (wider[rapid.MARGIN : -rapid.MARGIN, rapid.MARGIN : -rapid.MARGIN] == crop).all()
    page = np.zeros((rapid.CROP_SIDE, rapid.CROP_SIDE, 3), np.uint8)
    assert rapid.add_margin(page, rapid.crop_margin(page)) is page


def test_an_empty_page_has_no_blocks():
    assert get_reader("rapidocr").read(np.full((200, 300, 3), 255, np.uint8)).blocks == ()


def test_vde_read_keeps_what_it_read_and_names_what_it_cannot(slide, tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "slide.png").write_bytes(encode_png(slide.source))
    (tmp_path / "pages" / "broken.png").write_text("no image")
    environment = {"VDE_CACHE": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-m", "vdebench", "read", tmp_path / "pages", "-o", tmp_path / "readings"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 2
    assert "broken.png: is no image we know" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(file.name for file in (tmp_path / "readings").iterdir()) == ["slide.json"]
    shown = subprocess.run([*command[:3], "cache", "show"], capture_output=True, text=True, env=environment)
    assert "1 readings" in shown.stdout
    cleared = subprocess.run([*command[:3], "cache", "clear", "--yes"], capture_output=True, text=True, env=environment)
    assert cleared.returncode == 0
    assert not (tmp_path / "cache" / "readings").exists()
    assert open_image(tmp_path / "pages" / "slide.png").shape == slide.source.shape


def test_vde_read_counts_lines_it_could_not_read(tmp_path):
    page = np.full((800, 1200, 3), 255, np.uint8)
    for top, text in ((100, "The harbour office opens at eight"), (300, "Портовая служба открывается в восемь")):
        image = draw_line(text)
        page[top : top + image.shape[0], 100 : 100 + image.shape[1]] = image
    (tmp_path / "page.png").write_bytes(encode_png(page))
    command = [sys.executable, "-m", "vdebench", "read", tmp_path / "page.png", "-o", tmp_path / "ocr"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "VDE_CACHE": str(tmp_path / "c")})
    assert done.returncode == 0, done.stderr
    assert "page.png: 1 line not read: 1 unknown script\n" in done.stdout
    stored = json.loads((tmp_path / "ocr" / "page.json").read_text("utf-8"))
    assert [block["block_content"] for block in stored["parsing_res_list"]] == ["The harbour office opens at eight"]
    assert [line["reason"] for line in stored["unread"]] == ["unknown script"]
