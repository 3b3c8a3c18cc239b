"""Output fits the terminal: line lengths, unbroken numbers, columns that are always shown."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from tests.commands import vde
from tests.report import site_runs
from tests.report.judged_runs import PERFECT, make_judged
from vdebench.readers.reader import READERS
from vdebench.report.paper_tables import SHAPES
from vdebench.report.rendering import render
from vdebench.report.table import Column, Row, Table

TINY = "examples/tiny"
WIDTHS = (60, 80, 120)


@pytest.fixture(scope="module")
def runs(tmp_path_factory, _cache):
    root = tmp_path_factory.mktemp("widths")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        patch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
        site_runs.make_runs(root / "runs", site_runs.make_suite(root / "suite"))
    editors = [f"{TINY}/editors/{name}" for name in ("careful", "copy", "sloppy")]
    vde("score", TINY, *editors, "--out", root / "tiny")
    make_judged(root / "judged", "a rather long editor's name", PERFECT)
    return root


COMMANDS = {
    "score": ("score", TINY, "--ocr-output", f"{TINY}/editors/sloppy", "--by", "edit_class", "--by", "language"),
    "score-intervals": ("score", TINY, "--ocr-output", f"{TINY}/editors/careful", "--intervals"),
    "run": ("run", "RUNS/suite", "-e", "copy", "-e", "oracle", "--reader", "stripe", "--workers", "1", "-o", "OUT"),
    "compare": ("compare", "RUNS/tiny", "--by", "language"),
    "compare-usable": ("compare", "RUNS/runs"),
    "usable": ("usable", "RUNS/runs"),
    "usable-by": ("usable", "RUNS/runs", "--by", "operation"),
    "judged": ("table", "RUNS/judged"),
    **{
        f"table {shape}": ("table", "RUNS/tiny", "--paper-table", shape, "--published")
        for shape in SHAPES
        if "vde" in shape
    },
    "suite stats": ("suite", "stats", TINY),
    "suite show": ("suite", "show", TINY),
    "suite difficulty": ("suite", "difficulty", TINY),
    "editors": ("editors",),
    "editors --papers": ("editors", "--papers"),
    "doctor": ("doctor",),
    "protocols": ("protocols",),
    "protocols explain": ("protocols", "explain", "strict"),
    "validate-metrics": (
        "validate-metrics",
        "--sample-count",
        "2",
        "--corruption",
        "blur",
        "--metrics",
        "none",
        "--workers",
        "1",
    ),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_longer_than_the_terminal(runs, tmp_path, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
    words = [word.replace("RUNS", str(runs)) if word != "OUT" else tmp_path / "o" for word in COMMANDS[command]]
    lines = vde(*words).stdout.splitlines()
    assert lines
    assert [line for line in lines if cell_len(line) > width] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_headline_columns_stay_and_the_others_are_named(runs, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    text = vde("compare", runs / "runs").stdout
    table, _, below = text.partition("\n\n")
    rows = [line for line in table.splitlines() if re.match(r"(oracle|my editor) ", line)]
    assert len(rows) > 2
    heads = next(line for line in table.splitlines() if line.startswith("Editor")).split()
    assert heads[:2] == ["Editor", "Mean"]
    assert "p" in heads
    for line in rows:  # every number of a row stands in its line
        assert len(re.findall(r"\S+", line.replace("my editor", "mine"))) == len(heads)
    whole = ["Mean", "low", "high", "mean", "low", "high", "p", "d_z", "win", "tie", "loss", "needed"]
    if width < 90:
        assert below.startswith(f"not shown at a width of {width}: ")
        assert "a wider terminal or --format csv shows them" in " ".join(below.split())
        told = " ".join(below.split()).partition(";")[0]
        assert "samples needed" in told
        assert len(heads) - 1 + len(told.split(": ", 1)[1].split(", ")) == len(whole)
    else:
        assert heads[1:] == whole
        assert "not shown" not in text


def test_usable_edits_stay_in_the_narrowest_terminal(runs, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = vde("usable", runs / "runs").stdout.splitlines()
    heads = next(line for line in lines if line.startswith("Editor")).split()
    assert heads[:2] == ["Editor", "Usable"]
    assert heads[-2:] == ["judged", "unknown"]


def test_a_pipe_gets_all_columns(runs, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    command = ("table", runs / "tiny", "--paper-table", "vde-v1:2", "--published")
    text = vde(*command).stdout
    assert "not shown" not in text
    assert max(map(cell_len, text.splitlines())) <= 100
    heads = [line for line in text.splitlines() if line.startswith("Model")]
    assert " ".join(heads).split().count("EN") == " ".join(heads).split().count("ZH") == 5
    monkeypatch.setenv("COLUMNS", "80")
    assert "not shown at a width of 80" in vde(*command).stdout
    written = runs / "table.txt"
    vde(*command, "--out", written)  # a file is no screen
    assert written.read_text() == text


def test_long_labels_make_room_for_the_headline():
    columns = [Column("First", headline=True), Column("other"), Column("Last", headline=True)]
    rows = [Row("a label that is longer than half of the line", [0.5, 0.25, 1.0], "a section whose name is long too")]
    text = render(Table("a title that does not fit", columns, rows), "terminal", width=24, all_columns_by="magic")
    assert text.splitlines() == [
        "a title that does not",
        "  fit",
        "Model       First   Last",
        "a section whose name is",
        "  long too",
        "a label t…  0.500  1.000",
        "",
        "not shown at a width of",
        "  24: other; magic shows",
        "  them",
    ]
