from __future__ import annotations

import csv
import io
import json
import math
import shutil
import subprocess

import pytest
from rich.cells import cell_len

from tests.cli.test_cli import vde
from vdebench import score
from vdebench.errors import VdeError
from vdebench.report.overview import breakdown_table, editors_table
from vdebench.report.paper_tables import SHAPES, paper_table
from vdebench.report.rendering import render
from vdebench.report.table import Column, Row, Table
from vdebench.report.table_rows import published_figures, published_models

EDITORS = ("careful", "copy", "sloppy")


@pytest.fixture(scope="module")
def summaries():
    return [score("examples/tiny", f"examples/tiny/editors/{name}", protocol="vde-release").summary for name in EDITORS]


def test_the_published_figures_are_all_there():
    rows = published_figures()
    assert len(rows) == 1113
    assert {row["paper"] for row in rows} == {"vde-v3", "vde-v1", "textedit"}
    assert sum(not row["value"] for row in rows) == 6  # one line of table 10 is printed with a value missing


@pytest.mark.parametrize(
    ("shape", "label", "cells"),
    [
        # from the papers' pages, by eye
        ("vde-v3:2", "Step1X-Edit †", [0.633, 0.612, 0.174, 0.465, 0.606, 0.885, 14.834, 0.354]),
        ("vde-v3:3", "IoU", [0.841, 0.667, 0.330, 0.570, 0.493, 0.029]),
        ("vde-v3:4", "Qwen-Image-Edit †", [60.4, 84.0, 54.8, 67.0, 66.6, 54.9, 83.8, 16.9, 64.1, 54.9]),
        ("vde-v3:9", "IoU", [0.909, 0.719, 0.052, 0.570, 0.487, 0.025]),
        ("vde-v3:10", "CDM", [0.595, 0.698, 0.710, 0.630, 0.139, 0.012]),
        ("vde-v1:2", "ICEdit †", [0.021, 0.032, 0.184, 0.153, 0.106, 0.087, 0.100, 0.070, 0.103, 0.086]),
        (
            "vde-v1:3",
            "Gemini-2.5-Flash-Image †",
            [0.644, 0.608, 0.705, 0.476, 0.600, 0.175, 0.322, 0.040, 0.568, 0.325],
        ),
        ("vde-v1:4", "Qwen-Image-Edit †", [0.815, 0.188, 0.794, 0.586]),
        ("textedit:3", "Step1X-Edit †", [0.879, 0.089, 25.523, 982.548, 0.872, 0.091, 27.169, 997.937]),
    ],
)
def test_published_rows_stand_as_printed(shape, label, cells):
    table = paper_table(shape, [], published=True)
    row = next(row for row in table.rows if row.label == label)
    assert [round(value, 3) for value in row.values[: len(cells)]] == cells


def test_faults_in_print_are_noted():
    table = paper_table("vde-v3:10", [], published=True)
    deletion = next(row for row in table.rows if row.section == "Text Deletion" and row.label == "TEDS")
    assert deletion.values[:6] == [None] * 6
    assert any("one value missing" in note for note in table.notes)


OF_PAGES = [shape for shape in SHAPES if not shape.startswith("textedit:")]


@pytest.mark.parametrize("shape", OF_PAGES)
def test_every_shape_fits_a_terminal_of_100_columns(shape, summaries):
    text = render(paper_table(shape, summaries, published=True), "terminal")
    assert max(map(cell_len, text.splitlines())) <= 100
    assert "careful" in text
    assert "†" in text
    assert "published in the paper, not measured here" in text
    assert "vde|p:vde-release|" in text


def test_measured_numbers_are_the_summarys(summaries):
    one = summaries[0]
    main = paper_table("vde-v3:2", [one])
    assert main.rows[1].values[:4] == [one["overall"]["global"][name] for name in ("iou", "cdm", "bleu", "teds")]
    language = paper_table("vde-v3:4", [one]).rows[0].values
    both = one["by"]["language"]["english"]
    assert language[0] == pytest.approx(100 * (both["local"]["iou"] + both["global"]["iou"]) / 2)
    assert language[4] == pytest.approx(sum(language[:4]) / 4)  # Avg is the mean of the four
    operations = paper_table("vde-v3:9", [one])
    assert operations.rows[0].values == [one["by"]["edit_class"]["Text Modify"]["global"]["iou"]] * 2  # and its mean
    v1 = paper_table("vde-v1:4", [one])
    assert v1.rows[1].values[0] == one["by"]["operation"]["text_delete"]["local"]["iou"]


def test_rows_of_another_protocol_are_said_to_be_not_comparable(summaries):
    assert any("not comparable" in note for note in paper_table("vde-v3:2", summaries, published=True).notes)
    assert not any("not comparable" in note for note in paper_table("vde-v3:2", summaries).notes)


def test_the_best_stands_out_per_column_and_section_measured_and_published_apart():
    columns = [Column("up"), Column("down", "lower"), Column("none", "")]
    rows = [
        Row("a", [1.0, 2.0, 3.0], "s"),
        Row("b", [2.0, 1.0, 4.0], "s"),
        Row("p", [9.0, 0.0, 9.0], "s", published=True),
        Row("c", [0.5, None, 1.0], "t"),
        Row("d", [0.5, 7.0, 1.0], "t"),
    ]
    assert Table("", columns, rows).best() == {(1, 0), (1, 1), (3, 0), (4, 0)}


def test_markdown_and_csv_hold_the_same_numbers(summaries):
    table = editors_table(summaries)
    lines = [line for line in render(table, "markdown").splitlines() if line.startswith("| careful")]
    rows = [row for row in csv.reader(io.StringIO(render(table, "csv"))) if row[1:2] == ["careful"]]
    shown = [cell.strip(" *") for cell in lines[0].strip("|").split("|")][1:]
    assert [f"{float(cell):.3f}" for cell in rows[0][3:]] == shown


def test_names_with_special_characters_are_escaped():
    table = Table("50 % & <more>", [Column("a_b")], [Row("x|y_z#1", [1.0])])
    assert r"x\|y_z#1" in render(table, "markdown")
    assert r"x\textbar{}y\_z\#1" in render(table, "latex")
    assert r"50 \% \& \textless{}more\textgreater{}" in render(table, "latex")


def test_every_line_of_a_note_is_a_comment_in_csv():
    table = Table("t", [Column("a")], [Row("x", [1.0])], notes=["first\nsecond\r\n third", "more"])
    assert render(table, "csv").splitlines()[2:] == ["# first second third", "# more"]


class Told(Table):
    """Shows words where there is no number."""

    def cell(self, row, column):
        return "1→∞" if row.values[column] is None else super().cell(row, column)


ODD = Told(
    "[1] ∞ → ≥",
    [Column("→"), Column("[b]", group="*g")],
    [Row("[1cm]", [None, math.inf], "[s]"), Row(" *", [0.5, 1.0], "*t"), Row("a ∞ → b", [0.1, 2.0], "*t")],
    head="[Model",
    notes=["[note ↓ ↑ ≤ ≈ ± · ∞"],
)


def test_latex_shows_what_a_table_shows():
    lines = [line for line in render(ODD, "latex").splitlines() if " & " in line]
    assert lines[1:] == [
        r"{[}Model & $\rightarrow$ & [b] \\",
        r"{[}1cm] & 1$\rightarrow$$\infty$ & $\infty$ \\",
        r"{*} & \textbf{0.500} & 1.000 \\",
        r"a $\infty$ $\rightarrow$ b & 0.100 & \textbf{2.000} \\",
    ]
    assert r"b & 0.700 & -- & \textbf{0.100} & 9 \\" in render(BOUNDED, "latex")


BOUNDED = Table(
    "t",
    [Column("CDM"), Column("PSNR", digits=2), Column("change"), Column("blocks", "", 0)],
    [
        Row("a", [0.8, 30.0, 0.0, 7], bounds=[(0.75, 1.0), (9.5, 31.25), (-0.05, 0.0004), None]),
        Row("b", [0.7, None, 0.1, 9], bounds=[None] * 4),
        Row("c †", [0.9, 31.0, 0.1, 9], published=True),
    ],
    notes=["below"],
    interval_notes=["how"],
)


def test_bounds_stand_below_the_numbers_in_a_terminal():
    text = """t
Model         CDM        PSNR      change  blocks
a           0.800       30.00       0.000       7
       .750–1.000  9.50–31.25  -.050–.000
b           0.700           –       0.100       9
c †         0.900       31.00       0.100       9

how
below
"""
    assert render(BOUNDED, "terminal", intervals=True) == text


def test_bounds_in_other_forms():
    assert "| a | **0.800** [.750, 1.000] | 30.00 [9.50, 31.25] | 0.000 [-.050, .000] | 7 |" in render(
        BOUNDED, "markdown", intervals=True
    )
    assert r"a & \textbf{0.800} {\scriptsize [.750, 1.000]} & 30.00 {\scriptsize [9.50, 31.25]} & " in render(
        BOUNDED, "latex", intervals=True
    )
    head, first, second, third, *notes = render(BOUNDED, "csv", intervals=True).splitlines()
    assert head == ("Model,Published,CDM,CDM_low,CDM_high,PSNR,PSNR_low,PSNR_high,change,change_low,change_high,blocks")
    assert first == "a,no,0.8,0.75,1.0,30.0,9.5,31.25,0.0,-0.05,0.0004,7.0"
    assert second == "b,no,0.7,,,,,,0.1,,,9.0"
    assert third.startswith("c †,yes,0.9,,,31.0,")
    assert notes == ["# how", "# below"]


@pytest.mark.parametrize("form", ["terminal", "markdown", "csv", "latex"])
def test_who_does_not_ask_for_intervals_sees_none(form):
    text = render(BOUNDED, form)
    assert "below" in text
    for hidden in ("how", "75", "_low"):
        assert hidden not in text


def test_intervals_of_tables_are_the_summarys(summaries):
    bounds = summaries[1]["overall"]["global"]["intervals"]
    row = next(row for row in editors_table(summaries).rows if (row.label, row.section) == ("copy", "global"))
    assert row.bounds[:2] == [tuple(bounds["iou"]), tuple(bounds["cdm"])]
    by = breakdown_table(summaries[1], "language")
    english = summaries[1]["by"]["language"]["english"]["global"]["intervals"]
    assert (by.rows[1].label, by.rows[1].bounds[1], by.rows[1].bounds[-1]) == ("english", tuple(english["cdm"]), None)
    main = paper_table("vde-v3:2", summaries, published=True)
    copy = next(row for row in main.rows if row.label == "copy" and row.section.startswith("Global"))
    assert copy.bounds[:2] == [tuple(bounds["iou"]), tuple(bounds["cdm"])]
    assert not any(any(row.bounds) for row in main.rows if row.published)
    v1 = paper_table("vde-v1:2", summaries[1:2]).rows[0]
    assert v1.bounds[2] == tuple(english["cdm"])
    assert (v1.values[8] is not None, v1.bounds[8]) == (True, None)  # Avg is a mean of means
    operations = paper_table("vde-v3:9", summaries[1:2]).rows[0].bounds
    assert operations[1] is None  # the mean of the models
    assert operations[0] == tuple(summaries[1]["by"]["edit_class"]["Text Modify"]["global"]["intervals"]["iou"])
    assert not any(any(row.bounds) for row in paper_table("vde-v3:4", summaries).rows)  # means of local and global


def test_the_command_line_shows_intervals_of_kept_runs(tmp_path):
    score("examples/tiny", "examples/tiny/editors/copy", out=tmp_path / "run")
    done = vde("table", tmp_path / "run", "--intervals", "--format", "csv")
    assert "IoU,IoU_low,IoU_high,CDM,CDM_low,CDM_high" in done.stdout
    file = tmp_path / "run" / "summary.json"
    whole = json.loads(file.read_text())
    for spoilt in ({"interval": {"level": 0.95}}, {"overall": {"global": {"iou": 1.0, "intervals": {"iou": 3}}}}):
        file.write_text(json.dumps({**whole, **spoilt}))
        done = vde("table", tmp_path / "run", "--intervals", code=2)
        assert "a summary is not as `vde score` wrote it" in done.stderr


def test_notes_say_how_intervals_were_made_and_who_has_none(summaries):
    old = {key: value for key, value in summaries[0].items() if key != "interval"}
    text = render(editors_table([old, summaries[1]]), "csv", intervals=True)
    assert (
        "# 95 % bootstrap intervals: percentile, 10,000 resamples of pages, seed 0; too narrow for fewer than 20 pages"
        in text
    )
    assert "# careful: no intervals, because an older version scored it; score again" in text
    assert "means of means" in render(paper_table("vde-v3:4", summaries), "csv", intervals=True)


@pytest.mark.parametrize("shape", OF_PAGES)
def test_every_shape_fits_a_terminal_with_intervals(shape, summaries):
    text = render(paper_table(shape, summaries, published=True), "terminal", intervals=True)
    assert max(map(cell_len, text.splitlines())) <= 100


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("shape", SHAPES)
def test_latex_compiles(shape, summaries, tmp_path):
    compile_latex(paper_table(shape, summaries if shape in OF_PAGES else [], published=True), tmp_path)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles_whatever_a_row_begins_with(tmp_path):
    compile_latex(ODD, tmp_path)


def compile_latex(table, tmp_path):
    body = render(table, "latex", intervals=True)
    document = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "t.tex").write_text(document, encoding="utf-8")
    subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )


def test_breakdowns_of_two_crossed_columns():
    summary = score("examples/tiny", "examples/tiny/editors/careful", crossed=["edit_class,language"]).summary
    assert "Text Modify,english" in summary["by"]["edit_class,language"]
    assert "Text Modify,english" in render(breakdown_table(summary, "edit_class,language"), "terminal")
    labels = score("examples/tiny", "examples/tiny/editors/careful", crossed=["label,language"]).summary
    assert labels["by"]["label,language"]["table,english"]["global"]["teds"] == 1.0
    with pytest.raises(VdeError, match="cannot break down by 'colour'"):
        score("examples/tiny", "examples/tiny/editors/careful", crossed=["colour"])


def test_an_unknown_shape_names_those_there_are():
    with pytest.raises(VdeError, match="vde-v3:2, vde-v3:3"):
        paper_table("vde-v3:1", [])


def test_wide_labels_are_cut_and_chinese_ones_measured():
    table = Table("t", [Column("x")], [Row("一个非常非常非常非常非常非常非常长的模型名字", [1.0]), Row("b", [2.0])])
    lines = render(table, "terminal").splitlines()
    assert len({cell_len(line) for line in lines[1:]}) == 1


def test_published_models_keep_the_order_of_print():
    assert [model.name for model in published_models("vde-v1", "2")][:2] == ["Step1X-Edit", "Qwen-Image-Edit"]
