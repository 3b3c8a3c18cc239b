"""The leaderboard's files: CSV for programs, Markdown and LaTeX that holds whatever an editor is called."""

from __future__ import annotations

import csv
import math
import shutil
import subprocess

import pytest
from tests.report.leaderboard_runs import MEANS, USABLE, signature, summary, write_run

from vdebench.report.leaderboard import write_leaderboard
from vdebench.report.leaderboard.latex import document, latex, safe
from vdebench.report.table import Column, Row, Table

NAMES = (
    "我的编辑器 v2",
    "繁體編輯器",
    r"[x] & 50% $#_{}~^\ ",
    "*star",
    "naïve É ß Ł",
    "emoji 😀 עברית русский",
    "-- a<b>c|d \"q\" 'r' `s` “t”",
)


@pytest.fixture
def exports(tmp_path):
    for at, name in enumerate(NAMES):
        same = {**MEANS, "psnr": None, "identical": 8}
        overall = {"local": same if at else MEANS, "global": None}
        write_run(tmp_path / f"runs/{at}", summary(name, overall=overall, usable=USABLE if at else None))
    write_run(tmp_path / "runs/other", summary("_other_", {"reader": "r_2@1", "n": "9"}))
    write_leaderboard([tmp_path / "runs"], tmp_path / "out", published=True)
    return tmp_path / "out" / "exports"


def test_csv_has_every_number_with_its_bounds(exports):
    lines = (exports / "1-exact.csv").read_text(encoding="utf-8").splitlines()
    first, second, *_ = csv.DictReader(line for line in lines if not line.startswith("#"))
    assert (first["Editor"], first["usable, %"], first["CDM"], first["PSNR"]) == (NAMES[0], "", "0.8", "20.0")
    assert (second["usable, %"], second["usable, %_low"], second["usable, %_high"]) == ("50.0", "20.0", "80.0")
    assert (second["CDM_low"], second["CDM_high"], second["PSNR"]) == ("0.7", "0.9", "inf")
    assert [second[state] for state in ("samples", "scored", "missing", "failed")] == ["8.0", "7.0", "1.0", "0.0"]
    assert lines[-1] == f"# all rows: {signature()}|usable:traces-1 text:0.9"
    assert "# Not comparable, for what differs, with Table 2 (reader, samples, usable edits)" in lines


def test_slices_have_files_of_their_own(exports):
    (row,) = csv.DictReader((exports / "2-exact-by-operation.csv").read_text(encoding="utf-8").splitlines()[:2])
    assert (row["Section"], row["Editor"], row["CDM"]) == ("text_insert, local", "_other_", "0.4")


def test_published_tables_are_files_too(exports):
    text = (exports / "printed-vde-v3-2.md").read_text(encoding="utf-8")
    assert "| LongCat-Image-Edit † | **0.662** | 0.830 |" in text
    assert "published in the paper, not measured here" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("naïve", "naïve"),
        ("∞ ± → “q”", r"$\infty$ $\pm$ $\rightarrow$ ``q''"),
        ("编辑 v2", r"\vdecjk{编辑}{U+7F16 U+8F91} v2"),
        ("編", r"\vdeother{編}{U+7DE8}"),  # not in GB 2312: its fonts would leave a gap and say nothing
        ("😀", r"\vdeother{😀}{U+1F600}"),
        ("a\u200bb\x07", "ab"),
    ],
)
def test_characters_beyond_latex(text, expected):
    assert safe(text) == expected


def test_a_row_cannot_begin_with_an_option():
    r"""`\\` takes `[…]` and `*` for its own, over the end of the line."""
    table = Table("t", [Column("a")], [Row("[1cm]", [1.0]), Row("*", [math.inf])])
    assert [line for line in latex(table).splitlines() if line.endswith(r"\\")][1:] == [
        r"{[}1cm] & 1.000 \\",
        r"{*} & \textbf{$\infty$} \\",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "xelatex", "lualatex", "tectonic"])
def test_latex_compiles(exports, engine):
    if shutil.which(engine) is None:
        pytest.skip(f"no {engine}")
    options = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([engine, *options, "all.tex"], cwd=exports, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    assert (exports / "all.pdf").stat().st_size > 10_000


def test_a_document_takes_all_tables():
    assert document(["1-exact", "2-exact"]).count(r"\input{") == 2
