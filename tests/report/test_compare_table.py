from __future__ import annotations

import csv
import io
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.cells import cell_len

from vdebench.errors import VdeError
from vdebench.report.compare import compare_table
from vdebench.report.rendering import render
from vdebench.stats.comparison import compare_runs
from vdebench.stats.stored import StoredRun

SIGNATURE = "vde|p:strict|v:0.1.0|reader:r@1|images:off|suite:s@sha256:0f|n:20"


def run(editor, cdm, *, mse=None, samples=None, signature=SIGNATURE, protocol="strict", settings=("global",)):
    """A run of which each sample has one block, with that CDM; None is a sample without a score."""
    names = samples or [f"text/{at}" for at in range(len(cdm))]
    rows = [
        {
            "sample": name, "setting": setting, "state": "scored", "operation": "text_delete" if at % 2 else "text_insert",
            "gt_blocks": None if value is None else 1, "matched_blocks": 1, "unmatched_pred": 0, "iou_sum": 0.5,
            "cdm_sum": value, "cdm_n": 1, "cdm_matched_n": 1, "mse": None if mse is None else mse[at], "width": 1,
        }
        for setting in settings
        for at, (name, value) in enumerate(zip(names, cdm, strict=True))
    ]  # fmt: skip
    summary = {
        "signature": signature, "protocol": protocol, "suite": "s", "editor": editor, "notes": [], "by": {},
        "coverage": {"samples": len(cdm), "scored": len(cdm), "missing": 0, "failed": 0},
        "overall": {setting: {"images": 0} for setting in settings},
    }  # fmt: skip
    return StoredRun(Path(editor), summary, pl.DataFrame(rows, infer_schema_length=None))


RANDOM = np.random.default_rng(0)
PLAIN = RANDOM.uniform(0.4, 0.6, 20)
BETTER = PLAIN + RANDOM.uniform(0.05, 0.15, 20)  # always better
SIMILAR = PLAIN + RANDOM.normal(0, 0.05, 20)


def found(comparison, editor, metric="cdm", part=""):
    [one] = [each for each in comparison.findings if (each.editor, each.metric, each.slice) == (editor, metric, part)]
    return one


def test_means_differences_and_stars():
    compared = compare_runs([run("plain", PLAIN), run("better", BETTER), run("similar", SIMILAR)], metrics=["cdm"])
    plain, better, similar = (found(compared, name) for name in ("plain", "better", "similar"))
    assert plain.mean == pytest.approx(PLAIN.mean())
    assert plain.low < plain.mean < plain.high
    assert plain.difference is plain.p is plain.needed is None
    assert better.difference == pytest.approx((BETTER - PLAIN).mean())
    assert 0 < better.difference_low < better.difference < better.difference_high
    assert (better.wins, better.ties, better.losses, better.superiority) == (20, 0, 0, 1.0)
    assert better.p == pytest.approx(1 / 10_001, abs=3e-4)
    assert better.p_holm == 2 * better.p  # the smaller of two tests
    assert (better.mark, similar.mark, plain.mark) == ("**", "", "")
    assert similar.p_holm == similar.p > 0.05
    assert better.needed < 10 < similar.needed
    table = render(
        compare_table(compared, [{**run(name, PLAIN).summary} for name in ("plain", "better", "similar")]), "terminal"
    )
    lines = {line.split()[0]: line.split() for line in table.splitlines() if line.startswith(("plain ", "better "))}
    assert lines["plain"][4:] == ["–"] * 9
    assert lines["better"][4] == f"{better.difference:+.3f}**"
    assert "Holm's correction for 2 tests" in " ".join(table.split())


def test_holm_counts_metrics_and_slices_and_models():
    runs = [run("plain", PLAIN), run("better", BETTER), run("similar", SIMILAR)]
    compared = compare_runs(runs, metrics=["cdm", "iou"], by="operation")
    assert {one.slice for one in compared.findings} == {"text_insert", "text_delete"}
    assert sum(one.p is not None for one in compared.findings) == 8  # 2 metrics, 2 slices, 2 models
    smallest = min(one.p for one in compared.findings if one.p is not None)
    assert next(one.p_holm for one in compared.findings if one.p == smallest) == pytest.approx(8 * smallest)
    assert found(compared, "better", part="text_insert").difference == pytest.approx((BETTER - PLAIN)[::2].mean())
    assert found(compared, "better", part="text_insert").samples == 10


def test_pages_make_fewer_of_many_samples():
    runs = [run("plain", PLAIN), run("similar", SIMILAR)]
    pages = {f"text/{at}": f"page {at // 5}" for at in range(20)}
    compared = compare_runs(runs, metrics=["cdm"], pages=pages)
    assert (found(compared, "similar").samples, found(compared, "similar").pages) == (20, 4)
    assert found(compared, "similar").p >= 2 / 2**4
    notes = " ".join(compared.notes)
    assert "global: 20 samples of 4 pages" in notes
    assert "with 4 pages no difference is significant (p is at least 0.125)" in notes
    assert "resamples of pages" in notes
    assert "The pages of the samples are unknown" in " ".join(compare_runs(runs, metrics=["cdm"]).notes)


def test_only_samples_that_all_have():
    """`other` lacks the score of the first sample and has never seen the last."""
    other = run("other", [None, *BETTER[1:19]], samples=[f"text/{at}" for at in range(19)])
    compared = compare_runs([run("plain", PLAIN), other], metrics=["cdm"])
    assert found(compared, "plain").mean == pytest.approx(PLAIN[1:19].mean())
    assert found(compared, "other").samples == 18
    assert "global: 18 samples; 2 that some runs lack are excluded" in compared.notes


def test_values_that_one_lacks_count_for_none():
    """An editor without images of the worst pages does not gain by it."""
    runs = [run("all", PLAIN, mse=[1000.0] * 10 + [10.0] * 10), run("half", PLAIN, mse=[None] * 10 + [10.0] * 10)]
    compared = compare_runs(runs, metrics=["psnr", "cdm"])
    assert found(compared, "all", "psnr").mean == pytest.approx(10 * math.log10(255**2 / 10))
    assert found(compared, "half", "psnr").difference == 0
    assert found(compared, "half", "psnr").needed is None  # for ever
    assert found(compared, "half", "psnr").ties == 10
    assert "global: 10 samples have no value of some editor and are excluded from that mean" in compared.notes


def test_identical_images_have_infinite_psnr_and_json_none():
    runs = [run("copy", PLAIN, mse=[4.0] * 20), run("oracle", PLAIN, mse=[0.0] * 20)]
    compared = compare_runs(runs, metrics=["psnr"])
    assert found(compared, "oracle", "psnr").mean == math.inf
    assert found(compared, "oracle", "psnr").wins == 20
    assert compared.to_json()["findings"][1]["mean"] is None
    assert "∞" in render(compare_table(compared, [each.summary for each in runs]), "terminal")


def test_runs_scored_differently_are_refused_with_the_parts_named():
    runs = [run("a", PLAIN), run("b", BETTER, signature=SIGNATURE.replace("r@1", "r@2").replace("n:20", "n:21"))]
    with pytest.raises(VdeError, match=r"differently:\n  reader: r@1 \| r@2\n  n: 20 \| 21\n .*--force"):
        compare_runs(runs, metrics=["cdm"])
    compared = compare_runs(runs, metrics=["cdm"], force=True)
    text = render(compare_table(compared, [each.summary for each in runs]), "terminal")
    assert text.startswith("NOT COMPARABLE (reader, n): ")
    assert "WARNING: the runs were scored differently" in text
    assert compared.to_json()["differing"] == {"reader": ["r@1", "r@2"], "n": ["20", "21"]}


def test_metrics_made_in_other_ways_are_not_compared_even_by_force():
    """`strict` takes PSNR of the mean squared error, `vde-v3` the mean of those that are finite."""
    errors = [4.0] * 20
    runs = [run("a", PLAIN, mse=errors), run("b", PLAIN, mse=errors, protocol="vde-v3", signature="vde|p:vde-v3")]
    with pytest.raises(VdeError, match="no metric of psnr on the same samples"):
        compare_runs(runs, metrics=["psnr"], force=True)
    assert compare_runs(runs, metrics=["psnr_pooled"], force=True).findings[1].difference == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"metrics": ["cdm", "lpips"]}, "not all runs have 'lpips'; they have: .*cdm"),
        ({"metrics": ["lpips"]}, "no metric of lpips"),
        ({"setting": "local"}, "not all runs have the setting 'local'; common settings: global"),
        ({"by": "label"}, "cannot compare by 'label': expected one of operation"),
    ],
)
def test_what_is_not_there_is_named(options, says):
    with pytest.raises(VdeError, match=says):
        compare_runs([run("a", PLAIN), run("b", BETTER)], **options)


def test_one_run_or_the_same_twice_is_no_comparison():
    with pytest.raises(VdeError, match="two runs or more"):
        compare_runs([run("a", PLAIN)])
    with pytest.raises(VdeError, match="listed twice"):
        compare_runs([run("a", PLAIN), run("a", PLAIN)])


def test_two_runs_of_one_editor_are_told_apart_by_their_folders():
    one = run("same", PLAIN)
    two = StoredRun(Path("later/same"), one.summary, one.rows)
    assert compare_runs([one, two], metrics=["cdm"]).editors == ["same (same)", "same (later/same)"]


@pytest.fixture(scope="module")
def table():
    runs = [run(name, scores, mse=PLAIN, settings=("global", "local")) for name, scores in (
        ("plain", PLAIN), ("an editor with a very long name_indeed", BETTER), ("similar", SIMILAR),
    )]  # fmt: skip
    compared = compare_runs(runs, metrics=["cdm", "iou", "psnr"], by="operation")
    return compare_table(compared, [each.summary for each in runs])


def test_the_table_fits_the_terminal(table):
    text = render(table, "terminal")
    assert max(map(cell_len, text.splitlines())) <= 100
    assert "global: CDM, text_delete" in text
    assert "local: PSNR, text_insert" in text


def test_the_best_mean_of_a_section_is_bold(table):
    bold = [line for line in render(table, "markdown").splitlines() if "| **" in line and "very long" in line]
    assert len(bold) >= 4  # CDM in two settings and two slices


def test_lower_can_be_the_best():
    runs = [run("a", PLAIN), run("b", PLAIN)]
    for each, value in zip(runs, (0.1, 0.2), strict=True):
        each.rows.insert_column(-1, pl.Series("lpips", [value] * 20))
    made = compare_table(compare_runs(runs, metrics=["lpips"]), [each.summary for each in runs])
    assert made.best() == {(0, 0)}
    assert made.rows[1].values[8:11] == (0, 0, 20)  # b loses everywhere
    assert made.rows[0].section == "global: LPIPS (lower is better)"


def test_csv_holds_every_number(table):
    lines = [line for line in render(table, "csv").splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    assert len(rows) == len(table.rows) == 36
    assert float(rows[1]["difference mean"]) == table.rows[1].values[3]
    assert rows[0]["difference p"] == ""


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_latex_compiles(table, tmp_path):
    page = (
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n" + render(table, "latex") + "\\end{document}"
    )
    (tmp_path / "table.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
