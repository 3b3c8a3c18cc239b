"""Tables of runs around masks."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tests.cli.test_cli import vde
from tests.masked import edited, means, output, scene, write_suite
from tests.suites.textedit_folders import WEB
from vdebench.errors import VdeError
from vdebench.metrics import METRICS, Metric
from vdebench.report.masked import masked_breakdown, masked_table
from vdebench.report.paper_tables import paper_table
from vdebench.report.rendering import render


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A suite of both splits, a folder of right answers, and its summaries by two protocols."""
    root = tmp_path_factory.mktemp("masked")
    write_suite(root / "suite", (1, 2), input_image=None, output_image=None)
    suite = write_suite(root / "suite", (1,), WEB, input_image=None)
    for number in (1, 2):
        output(root / "right", number, edited(scene(number)))
    output(root / "right", 1, edited(scene(1)) // 2, "web")
    return suite, root, [means(suite, root / "right", protocol) for protocol in ("strict", "textedit")]


def test_editors_stand_side_by_side_over_all_and_by_split(run):
    table = masked_table(run[2][:1])
    assert [(row.section, row.label) for row in table.rows] == [("all", "right"), ("manual", "right"), ("web", "right")]
    assert [column.name for column in table.columns][:4] == ["Score", "Done", "Untouched", "SSIM"]
    assert table.rows[1].values[:4] == [1.0, 1.0, 0.0, 1.0]
    assert table.rows[2].values[0] is None  # no reference: whether the edit is right is not known
    assert table.cell(table.rows[1], 4) == "∞"
    text = render(table, "terminal")
    assert max(map(cell_len, text.splitlines())) <= 100
    for told in (
        "right: alignment:",
        "3 samples, 3 scored",
        "track:pixels",
        "identical to the compared image",
    ):
        assert told in text


def test_a_column_of_the_whole_run_is_in_the_rows_over_all_samples(run, monkeypatch):
    scored = Metric(name="n_scored", title="Scored", kind="run", function=lambda summary: summary["coverage"]["scored"])
    monkeypatch.setitem(METRICS, "n_scored", scored)
    table = masked_table(run[2][:1])
    assert table.columns[-1].name == "Scored"
    assert [row.values[-1] for row in table.rows] == [3, None, None]
    assert "n_scored" not in run[2][0]["overall"]["outside"]


def test_slices_of_one_editor(run):
    table = masked_breakdown(run[2][0], "group")
    assert (table.title, table.head) == ("right by split", "split")
    assert [(row.label, row.values[-1]) for row in table.rows] == [("manual", 2), ("web", 1)]


def test_intervals_stand_below(run):
    summary = run[2][0]
    bounds = summary["overall"]["outside"]["intervals"]
    table = masked_table([summary])
    place = [column.name for column in table.columns].index("SSIM")
    assert table.rows[0].bounds[place] == tuple(bounds["ssim"])
    assert table.rows[0].bounds[place][0] < table.rows[0].values[place] < table.rows[0].bounds[place][1]
    assert not any(table.rows[2].bounds)  # one sample of the web
    assert masked_breakdown(summary, "split").rows[0].bounds[-1] is None  # their number
    assert paper_table("textedit:3", [run[2][1]]).rows[0].bounds[0] == (1.0, 1.0)
    text = render(table, "terminal", intervals=True)
    assert "resamples of" in text
    assert max(map(cell_len, text.splitlines())) <= 100


def test_the_papers_table_with_its_published_rows(run):
    exact, paper = run[2]
    table = paper_table("textedit:3", [paper], published=True)
    synthetic, real = (paper["by"]["group"][split]["outside"] for split in ("manual", "web"))
    assert table.rows[0].values[0] == synthetic["ssim"] == 1.0
    assert table.rows[0].values[4] == real["ssim"] < 1
    assert sum(row.published for row in table.rows) == 13  # twelve models and their mean
    assert max(map(cell_len, render(table, "terminal").splitlines())) <= 100
    assert any("not comparable" in note for note in paper_table("textedit:3", [exact], published=True).notes)
    with pytest.raises(VdeError, match="does not apply to textedit"):
        paper_table("vde-v3:2", [paper])


def test_the_command_line_scores_and_breaks_down(run, tmp_path):
    suite, root, _ = run
    out = tmp_path / "run"
    asked = ("score", suite, root / "right", "--reader", "none", "--metrics", "psnr,ssim", "--out", out)
    text = vde(*map(str, asked)).stdout
    for told in ("strict on textedit", "by operation", "by topic", "by tier", "Packaging & Logistics"):
        assert told in text
    assert {file.name for file in out.iterdir()} >= {"run.json", "scores.parquet", "summary.json"}
    again = vde(*map(str, asked), "--by", "split,tier").stdout
    assert "by split × tier" in again
    assert "manual,easy" in again
