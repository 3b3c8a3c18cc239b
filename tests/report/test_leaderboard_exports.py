"""The leaderboard's files: CSV for programs, Markdown and LaTeX that holds whatever an editor is called."""

from __future__ import annotations

import csv
import math
import shutil
import subprocess

import pytest

from tests.report.leaderboard_runs import MEANS, USABLE, shown, signature, summary, write_run
from vdebench.report.leaderboard import write_leaderboard
from vdebench.report.leaderboard.exports import file_names
from vdebench.report.leaderboard.latex import document, latex, safe
from vdebench.report.table import Column, Row, Table

NAMES = (
    "我的编辑器 v2",
    "繁體編輯器",
    r"[x] & 50% $#_{}~^\ ",
    "*star",
    "naïve É ß Ł",
    "Ħħĸ Ŀŀ ŉ Ŧŧ ſ",
    "\u200b[hidden",
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
    lines = (exports / "1-strict.csv").read_text(encoding="utf-8").splitlines()
    first, second, *_ = csv.DictReader(line for line in lines if not line.startswith("#"))
    assert (first["Editor"], first["usable, %"], first["CDM"], first["PSNR"]) == (NAMES[0], "", "0.8", "20.0")
    assert (second["usable, %"], second["usable, %_low"], second["usable, %_high"]) == ("50.0", "20.0", "80.0")
    assert (second["CDM_low"], second["CDM_high"], second["PSNR"]) == ("0.7", "0.9", "inf")
    assert [second[state] for state in ("samples", "scored", "missing", "failed")] == ["8.0", "7.0", "1.0", "0.0"]
    assert lines[-1] == f"# all rows: {signature()}|usable:traces-1 text:0.9"
    assert "# Not comparable, because of these differences, with Table 2 (reader, samples, usable edits)" in lines


def test_slices_have_files_of_their_own(exports):
    (row,) = csv.DictReader((exports / "2-strict-by-operation.csv").read_text(encoding="utf-8").splitlines()[:2])
    assert (row["Section"], row["Editor"], row["CDM"]) == ("text_insert, local", "_other_", "0.4")


def rows_of(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def test_files_have_the_regions_and_the_ocr_ceiling(tmp_path):
    by = {"operation": {"text_insert": {"local": {**MEANS, "cdm": 0.97}}}}
    floor = {"scores": {"local": {**MEANS, "cdm": 0.95, "intervals": {}}}, "by": by}
    regions = {"rate": 0.25, "n": 4, "by": {"operation": {"text_insert": {"rate": 0.5, "n": 2}}}}
    for name, found in (("a", regions), ("b", None)):
        write_run(tmp_path / "runs" / name, summary(name, ocr_ceiling=floor, regions=found, usable=USABLE))
    write_leaderboard([tmp_path / "runs"], tmp_path / "out")
    rows = rows_of(tmp_path / "out/exports/1-strict.csv")
    assert [(row["Section"], row["Editor"], row["CDM"], row["Regions done"]) for row in rows] == [
        ("local", "a", "0.8", "0.25"),
        ("local", "b", "0.8", ""),
        ("local", "(reference)", "0.95", ""),
        ("global", "a", "0.9", "0.25"),
        ("global", "b", "0.9", ""),
    ]
    assert (rows[2]["usable, %"], rows[2]["samples"], rows[2]["CDM_low"]) == ("", "", "")
    text = (tmp_path / "out/exports/1-strict.md").read_text(encoding="utf-8")
    assert "| (reference) | – |" in text
    assert "**0.800** [.700, .900]" in text  # the floor's 0.95 is not compared
    assert "(reference): OCR ceiling, the scores of the reference images" in text
    sliced = rows_of(tmp_path / "out/exports/1-strict-by-operation.csv")
    assert [(row["Editor"], row["CDM"], row["Regions done"]) for row in sliced] == [
        ("a", "0.4", "0.5"),
        ("b", "0.4", ""),
        ("(reference)", "0.97", ""),
    ]


def test_floors_that_differ_are_named_after_their_rows(tmp_path):
    for at in range(5):
        floor = {"scores": {"local": {**MEANS, "cdm": 0.95 if at else 0.9, "intervals": {}}}}
        write_run(tmp_path / f"runs/{at}", summary(f"e{at}", ocr_ceiling=floor))
    write_leaderboard([tmp_path / "runs"], tmp_path / "out")
    rows = rows_of(tmp_path / "out/exports/1-strict.csv")
    assert [(row["Editor"], row["CDM"]) for row in rows if row["Editor"].startswith("(")] == [
        ("(reference for e0)", "0.9"),
        ("(reference for 4 rows)", "0.95"),
    ]
    assert "Regions done" not in rows[0]


def test_slices_that_no_file_can_be_called_after_have_files_of_their_own(tmp_path):
    by = {name: {"v": {"local": {**MEANS, "cdm": at / 10}}} for at, name in enumerate(("语言", "来源", "X", "x"))}
    write_run(tmp_path / "run", summary("a", by=by))
    write_leaderboard([tmp_path / "run"], tmp_path / "out")
    (table,) = shown(tmp_path / "out")["tables"]
    assert len({name.lower() for name in table["files"].values()}) == 5
    numbers = {name: rows_of(tmp_path / "out" / f"{table['files'][name]}.csv")[0]["CDM"] for name in by}
    assert numbers == {"语言": "0.0", "来源": "0.1", "X": "0.2", "x": "0.3"}
    assert list(file_names(["x", "X", "x 2", "x"])) == ["x", "X-2", "x-2-2", "x-3"]


def test_published_tables_are_files_too(exports):
    text = (exports / "printed-vde-v3-2.md").read_text(encoding="utf-8")
    assert "| LongCat-Image-Edit † | **0.662** | 0.830 |" in text
    assert "published in the paper, not measured here" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("naïve", "naïve"),
        ("Ħal Łódź", r"\vdeother{Ħ}{U+0126}al Łódź"),
        ("ſ", r"\vdeother{ſ}{U+017F}"),
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
    table = Table("t", [Column("a")], [Row("[1cm]", [1.0]), Row("\u200b[x", [0.5]), Row("*", [math.inf])])
    assert [line for line in latex(table).splitlines() if line.endswith(r"\\")][1:] == [
        r"{[}1cm] & 1.000 \\",
        r"{[}x & 0.500 \\",
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


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
def test_pdflatex_knows_every_latin_letter(tmp_path):
    letters = [chr(code) for code in range(0xA1, 0x250)]
    table = Table("t", [Column("a")], [Row(f"x{letter}", [1.0]) for letter in letters])
    for at in range(0, len(letters), 30):
        part = Table("t", table.columns, table.rows[at : at + 30])
        (tmp_path / f"{at}.tex").write_text(latex(part), encoding="utf-8")
    (tmp_path / "all.tex").write_text(document([str(at) for at in range(0, len(letters), 30)]), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]


def test_a_document_takes_all_tables():
    assert document(["1-strict", "2-strict"]).count(r"\input{") == 2
