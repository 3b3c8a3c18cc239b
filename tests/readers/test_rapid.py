"""The embedded reader on pages whose text is known."""

from __future__ import annotations

import subprocess
import sys

import pytest
from rapidfuzz.distance import Levenshtein

from vdebench.images import open_image
from vdebench.png import encode_png
from vdebench.readers.reader import get_reader
from vdebench.suites.typeset.languages import font_folders
from vdebench.suites.typeset.pair import make_page
from vdebench.suites.typeset.press import Press
from vdebench.suites.typeset.recipe import Recipe


@pytest.fixture(scope="module", params=["en", "zh"])
def slide(request):
    """A slide and its exact reading."""
    recipe = Recipe(seed=3, ppi=110, kinds=("PPT2PDF",), languages=(request.param,), operations=("text_delete",))
    return make_page(recipe, 0, Press(110, font_folders()))[0]


def letters(reading) -> str:
    return "".join("".join(block.plain_text.split()) for block in reading.blocks)


def test_a_slide_is_read_nearly_without_errors(slide):
    reading = get_reader("rapidocr").read(slide.source)
    assert reading.size == slide.source_reading.size
    # a table or chart may be read in another order: compare what letters there are
    expected, found = sorted(letters(slide.source_reading)), sorted(letters(reading))
    assert 1 - Levenshtein.distance(expected, found) / len(expected) > 0.93
    (title,) = [block for block in slide.source_reading.blocks if block.label == "doc_title"]
    found_title = max(reading.blocks, key=lambda block: block.box.iou(title.box))
    assert found_title.box.iou(title.box) > 0.5
    assert Levenshtein.normalized_similarity(found_title.content, title.content) > 0.85


def test_the_identity_tells_versions():
    identity = get_reader("rapidocr").identity
    assert identity["name"] == "rapidocr"
    assert {"version", "engine", "blocks"} <= identity.keys()


def test_an_empty_page_has_no_blocks():
    import numpy as np

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
