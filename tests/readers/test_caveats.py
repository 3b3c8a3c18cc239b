"""A run whose reader lacks its table model reports it next to all numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import vde
from tests.masked import output, scene, write_suite
from vdebench.readers.cached import CachedReader
from vdebench.readers.caveats import caveat_of
from vdebench.readers.rapid import RapidReader
from vdebench.readers.tables import model as tables
from vdebench.readers.tables.model import INSTALL, TableModel

SUITE = "typeset:n=1,seed=3,ppi=60"
PARTS = ("without its table model", "rows of text", "TEDS is lower", "signature", "not comparable")


@pytest.fixture
def absent(monkeypatch):
    monkeypatch.setattr(tables, "_model_file", lambda: None)


def test_one_sentence_says_what_it_changes_and_how_to_get_the_model(absent):
    told = caveat_of(RapidReader())
    assert all(part in told for part in (*PARTS, INSTALL))
    assert "\n" not in told
    assert ". " not in told.replace("0.3.0 ", "")


def test_a_reader_that_was_asked_for_no_tables_is_told_otherwise():
    if TableModel.missing():
        pytest.skip(TableModel.missing())
    told = caveat_of(RapidReader(tables=False))
    assert "(tables=false)" in told
    assert told.endswith("leave the option out")
    assert caveat_of(RapidReader()) == ""


def test_a_run_notes_it_everywhere(absent, tmp_path):
    vde("run", SUITE, "-e", "oracle", "--metrics", "none", "--workers", 1, "--out", tmp_path / "runs")
    run = tmp_path / "runs/oracle/strict"
    (note,) = [note for note in json.loads((run / "summary.json").read_text())["notes"] if "table model" in note]
    assert all(part in note for part in (*PARTS, INSTALL))
    scored = vde("score", SUITE, tmp_path / "runs/oracle/images", "--metrics", "none", "--workers", 1)
    shown = vde("show", run)
    vde("report", tmp_path / "runs", "-o", tmp_path / "report")
    report = Path(tmp_path / "report/data/board.js").read_text()
    for text in (scored.stdout, shown.stdout, report):
        told = " ".join(text.split())
        assert "works without its table model" in told
        assert "not comparable with runs that use the model" in told
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_so_does_a_run_around_masks(absent, tmp_path):
    suite = write_suite(tmp_path / "suite")
    output(tmp_path / "mine", 1, scene(1))
    command = ["score", suite, tmp_path / "mine", "--metrics", "psnr", "--workers", 1, "--out", tmp_path / "run"]
    assert "works without its table model" in " ".join(vde(*command).stdout.split())
    assert any("table model" in note for note in json.loads((tmp_path / "run/summary.json").read_text())["notes"])


def test_a_run_with_the_model_notes_nothing(tmp_path):
    if TableModel.missing():
        pytest.skip(TableModel.missing())
    assert caveat_of(CachedReader.named("rapidocr").reader) == ""
