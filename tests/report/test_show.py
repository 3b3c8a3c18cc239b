"""`vde show`: all that a run says of itself on eighty columns, and what is broken or absent in words."""

from __future__ import annotations

import json
import shutil

import pytest
from rich.cells import cell_len

from vdebench.errors import RunFolderError
from vdebench.pipeline.score import score
from vdebench.report.run_contents import look
from vdebench.report.show import show_text


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run without two of its predictions, one of which is no reading."""
    root = tmp_path_factory.mktemp("show")
    shutil.copytree("examples/tiny/editors/careful", root / "careful")
    (root / "careful/harbour_1.json").unlink()
    (root / "careful/harbour_2.json").write_text("{")
    score("examples/tiny", root / "careful", protocol="vde-release", out=root / "run")
    return root / "run"


@pytest.fixture
def run(made, tmp_path):
    return shutil.copytree(made, tmp_path / "run")


def shown(folder):
    text = show_text(look(folder))
    assert max(map(cell_len, text.splitlines())) <= 80, text
    return text


def test_a_run_says_what_it_is(run):
    text = shown(run)
    for expected in (
        "Editor        careful\n",
        "Protocol      vde-release\n",
        "Suite         tiny, 8 samples, revision ",
        "Coverage      8 samples: 6 scored, 1 missing, 1 failed\n",
        "missing: text/1: ",
        "failed: text/2: ",
        "  read by         unstated: not stated with the OCR output\n",
        "  IoU  ",
        "vdebench 0.",
        "numpy ",
        " cores",
        "in 1 session (",
        "Cost          not reported\n",
    ):
        assert expected in text, expected


def test_intervals_usable_edits_edits_and_cost_are_shown_where_they_are(run):
    summary = json.loads((run / "summary.json").read_text())
    summary["overall"]["global"] |= {"cdm": 0.5, "intervals": {"cdm": [0.25, 0.75]}, "psnr": None}
    summary["overall"]["global"] |= {"images": 4, "identical": 4}
    summary["usable"] = {
        **{"rate": 0.375, "interval": [0.1, 0.7], "n": 8, "unknown": 2},
        "properties": {
            "textual_correctness": {"passed": 3, "failed": 5, "unknown": 0},
            "visual_fidelity": {"failed": 0},
        },
    }
    summary["edits"] = {"edited": 6, "refused": 1, "failed": 1}
    (run / "summary.json").write_text(json.dumps(summary))
    told = json.loads((run / "run.json").read_text())
    told["provenance"] |= {
        "cost": {"input_tokens": 12345, "output_tokens": None, "dollars": 1.5},
        "seeds": {"editing": 7},
    }
    told["provenance"]["seconds"] = {"editing": 3700.0, "scoring": 5.0}
    (run / "run.json").write_text(json.dumps(told))
    text = shown(run)
    assert "  CDM         0.500 [0.250, 0.750]" in text
    assert "  PSNR        ∞ (identical images)" in text
    assert "Usable edits  37.5% [10.0%, 70.0%] of 8 samples, 2 without a verdict" in text
    assert "samples that fail at: Textual correctness 5\n" in text
    assert "Edits         6 edited, 1 refused, 1 failed" in text
    assert "Cost          $1.50, 12,345 tokens in\n" in text
    assert "Seeds         editing 7\n" in text
    assert "1 h 01 min in 1 session (editing 1 h 01 min, scoring 5.0 s)" in text


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("summary.json", None, "summary.json: not there; score again"),
        ("summary.json", "{", "not JSON"),
        ("summary.json", "[]", "not written by `vde score`"),
        ("summary.json", '{"overall": 3, "coverage": [], "usable": "x", "signature": 7}', "Coverage      not known"),
        ("run.json", "{", "not JSON"),
        ("run.json", '{"provenance": 3}', "not recorded"),
        ("run.json", '{"provenance": {"seconds": 3, "versions": []}}', "Cost          not reported"),
        ("scores.parquet", None, "scores.parquet: not there"),
        ("scores.parquet", "PAR1", "cannot be read"),
    ],
)
def test_what_is_broken_is_told_and_the_rest_is_shown(run, name, content, expected):
    (run / name).unlink()
    if content is not None:
        (run / name).write_text(content)
    assert expected in " ".join(shown(run).split()) or expected in shown(run)


def test_folders_of_runs_list_them(run, tmp_path):
    runs = tmp_path / "runs"
    shutil.copytree(run, runs / "mine/strict")
    shutil.copytree(run, runs / "mine/judged")
    (runs / "mine/judged/judge.json").write_text(json.dumps({"judge": "m-1", "suite": "tiny", "editor": "mine"}))
    (runs / "mine/judged/summary.json").write_text(json.dumps({"spent": {"dollars": 2.25}}))
    about = {"suite": "tiny", "reader": "vlm", "reader_options": {"key": "sk-secret", "model": "m"}}
    (runs / "run.json").write_text(json.dumps({**about, "editors": ["careful", "absent"], "protocols": ["strict"]}))
    text = shown(runs)
    assert "careful by vde-release\n" in text
    assert "Not scored    absent\n" in text
    assert "Cost          $2.25\n" in text
    assert "sk-secret" not in text + json.dumps(look(runs))
    assert look(runs)["asked"]["reader_options"] == {"model": "m"}
    assert "the same `vde judge` command" in " ".join(shown(runs / "mine/judged").split())


def test_no_run_at_all_is_an_error(tmp_path):
    for folder, match in ((tmp_path, "no run here"), (tmp_path / "none", "no such folder")):
        with pytest.raises(RunFolderError, match=match):
            look(folder)
    (tmp_path / "run.zip").touch()
    with pytest.raises(RunFolderError, match="`vde verify` checks a submission"):
        look(tmp_path / "run.zip")


def test_words_that_steer_a_terminal_are_not_printed(run):
    summary = json.loads((run / "summary.json").read_text())
    (run / "summary.json").write_text(json.dumps({**summary, "editor": "an\x1b[2Jeditor" + "名" * 60}))
    assert "\x1b" not in shown(run)
