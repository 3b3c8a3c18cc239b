"""Tesseract on a page with known text, and misbehaving programs of its name."""

from __future__ import annotations

import os
import shutil
import stat

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from vdebench.errors import MissingPartError, ReaderError, VdeError
from vdebench.readers.tesseract import TesseractReader, parse_lines
from vdebench.suites.typeset.language_rules import font_folders
from vdebench.suites.typeset.page_samples import make_page
from vdebench.suites.typeset.recipe import SuiteRecipe
from vdebench.suites.typeset.typesetter import Typesetter

HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
PAGE = np.full((50, 80, 3), 255, np.uint8)
installed = pytest.mark.skipif(
    bool(TesseractReader.missing(languages="eng")), reason="no tesseract: apt-get install tesseract-ocr"
)


def word(line, left, text, *, block=1, paragraph=1, top=10):
    return f"5\t1\t{block}\t{paragraph}\t{line}\t1\t{left}\t{top}\t30\t20\t95.5\t{text}"


def test_words_become_lines():
    other = "4\t1\t1\t1\t1\t0\t0\t10\t90\t20\t-1\t"
    table = "\n".join(
        [
            HEAD,
            other,
            word(1, 0, "基"),
            word(1, 40, "金"),
            word(1, 80, "fund"),
            word(2, 0, "next", top=40),
            word(2, 50, " "),
        ]
    )
    first, second = parse_lines(table)
    assert (first.text, first.box, first.score) == ("基金 fund", (0, 10, 110, 30), 0.955)
    assert (second.text, second.box) == ("next", (0, 40, 30, 60))


def test_the_same_line_number_in_another_paragraph_is_another_line():
    table = "\n".join([HEAD, word(1, 0, "a"), word(1, 0, "b", paragraph=2), word(1, 0, "c", block=2)])
    assert [line.text for line in parse_lines(table)] == ["a", "b", "c"]


def test_a_hyphen_inside_a_line_breaks_no_word():
    assert (
        parse_lines("\n".join([HEAD, word(1, 0, "pre-"), word(1, 40, "and"), word(1, 80, "post-war")]))[0].text
        == "pre- and post-war"
    )


def test_a_quote_is_a_quote():
    assert [line.text for line in parse_lines("\n".join([HEAD, word(1, 0, '"say'), word(1, 40, 'so"')]))] == [
        '"say so"'
    ]


@pytest.mark.parametrize("table", ["", "hello", "level\ttext"])
def test_no_table_is_an_error(table):
    with pytest.raises(ReaderError, match="not a TSV table"):
        parse_lines(table)


@installed
def test_a_slide_is_read():
    recipe = SuiteRecipe(seed=3, ppi=110, kinds=("PPT2PDF",), languages=("en",), operations=("text_delete",))
    page = make_page(recipe, 0, Typesetter(110, font_folders()))[0]
    reading = TesseractReader(languages="eng").read(page.source)
    assert reading.size == page.source_reading.size
    (title,) = [block for block in page.source_reading.blocks if block.label == "doc_title"]
    found = max(reading.blocks, key=lambda block: block.box.iou(title.box))
    assert found.box.iou(title.box) > 0.5
    assert Levenshtein.normalized_similarity(found.content, title.content) > 0.85


@installed
def test_an_empty_page_has_no_blocks():
    assert TesseractReader(languages="eng").read(np.full((200, 300, 3), 255, np.uint8)).blocks == ()


@installed
def test_the_identity_tells_version_and_data():
    identity = TesseractReader(languages="eng").identity
    assert identity["name"] == "tesseract"
    assert identity["version"][0].isdigit()
    assert identity["languages"].startswith("eng:")
    assert identity == TesseractReader(languages="eng", threads=2, timeout=5).identity
    assert identity != TesseractReader(languages="eng", psm="6").identity


@installed
def test_languages_without_data_are_named_with_their_packages():
    missing = TesseractReader.missing(languages="eng+xxx_yyy")
    assert "no data for xxx_yyy in " in missing
    assert "apt-get install tesseract-ocr-xxx-yyy " in missing
    with pytest.raises(MissingPartError, match="tesseract-ocr-xxx-yyy"):
        TesseractReader(languages="eng+xxx_yyy")


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program called tesseract that knows its languages and otherwise runs a line of shell."""

    def make(line):
        file = tmp_path / "tesseract"
        listing = f"echo 'List of available languages in \"{tmp_path}/\" (1):'; echo eng"
        file.write_text(
            f'#!/bin/sh\ncase "$1" in\n--version) echo tesseract 9.9;;\n--list-langs) {listing};;\n*) {line};;\nesac\n'
        )
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        (tmp_path / "eng.traineddata").write_bytes(b"data")
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        return TesseractReader(languages="eng", timeout="0.5")

    return make


def test_other_data_is_another_identity(program, tmp_path):
    before = program("exit 1").identity
    assert before["version"] == "9.9"
    (tmp_path / "eng.traineddata").write_bytes(b"better data")
    assert TesseractReader(languages="eng").identity != before


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("cat > /dev/null; echo 'Image too large' >&2; exit 1", "exit code 1: Image too large"),
        ("exec sleep 5", "timed out after 0.5 s(.|\n)*timeout=SECONDS"),
        ("cat > /dev/null", "the output is not a TSV table: empty output"),
        ("exit 3", "exit code 3: no message"),
    ],
)
def test_a_program_that_fails_is_an_error(program, line, told):
    with pytest.raises(ReaderError, match=told):
        program(line).read(PAGE)


def test_one_thread_unless_told_otherwise(program, tmp_path, monkeypatch):
    monkeypatch.delenv("OMP_THREAD_LIMIT", raising=False)
    reader = program(f"cat > /dev/null; echo $OMP_THREAD_LIMIT $* >> {tmp_path}/log; printf '{HEAD}\\n'")
    reader.read(PAGE)
    TesseractReader(languages="eng", threads="2").read(PAGE)
    monkeypatch.setenv("OMP_THREAD_LIMIT", "3")
    TesseractReader(languages="eng", psm=6).read(PAGE)
    rest = "stdin stdout -l eng --psm"
    assert (tmp_path / "log").read_text().splitlines() == [f"1 {rest} 3 tsv", f"2 {rest} 3 tsv", f"3 {rest} 6 tsv"]


def test_no_program_is_said_with_what_to_install(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    missing = TesseractReader.missing()
    assert "the program `tesseract` is not installed" in missing
    assert "apt-get install tesseract-ocr tesseract-ocr-chi-sim tesseract-ocr-eng" in missing
    with pytest.raises(MissingPartError, match="apt-get install"):
        TesseractReader()


def test_options_that_mean_nothing(program):
    program("exit 0")
    for bad in ({"psm": "0"}, {"psm": "x"}, {"threads": "0"}, {"timeout": "0"}):
        with pytest.raises(VdeError, match=next(iter(bad))):
            TesseractReader(languages="eng", **bad)
