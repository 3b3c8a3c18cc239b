from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import polars as pl
import pytest

import vdebench.pipeline.scoring.workers
from tests import pages
from vdebench import score
from vdebench.errors import RunFolderError
from vdebench.runs import folder as folder_module
from vdebench.runs.folder import RunFolder

TABLES = ("scores", "blocks", "regions")


@pytest.fixture
def suite(tmp_path):
    return pages.write_suite(tmp_path / "suite", pages.random_pairs(3, 12))


def content(run):
    rows = {name: pl.read_parquet(run / f"{name}.parquet").write_ndjson() for name in TABLES}
    return rows | {"summary": (run / "summary.json").read_text()}


def record_scored(monkeypatch):
    """Return a list that collects the samples passed to `score_sample`."""
    scored = []
    real = vdebench.pipeline.scoring.workers.score_sample

    def count(scope, sample, rows, settings):
        scored.append((sample.id, tuple(settings)))
        return real(scope, sample, rows, settings)

    monkeypatch.setattr(vdebench.pipeline.scoring.workers, "score_sample", count)
    return scored


def interrupt(monkeypatch, after):
    """Interrupt the next run after so many tables are written; after all three, before the parts are deleted."""
    real, placed = folder_module.replacing, []

    def die(*_, **__):
        raise KeyboardInterrupt

    def replacing(path):
        if len(placed) == after:
            die()
        placed.append(path)
        return real(path)

    monkeypatch.setattr(folder_module, "replacing", replacing)
    monkeypatch.setattr(folder_module, "shutil", SimpleNamespace(rmtree=die))


def test_a_second_call_scores_only_new_samples(suite, tmp_path, monkeypatch):
    hidden = suite / "pred/page_5.json"
    data = hidden.read_bytes()
    hidden.unlink()
    first = score(suite, suite / "pred", out=tmp_path / "run").summary
    assert first["coverage"] == {"samples": 12, "scored": 11, "missing": 1, "failed": 0}
    scored = record_scored(monkeypatch)
    assert score(suite, suite / "pred", out=tmp_path / "run").summary == first
    assert scored == []
    hidden.write_bytes(data)
    second = score(suite, suite / "pred", out=tmp_path / "run").summary
    assert scored == [("5", ("global", "local"))]
    assert second == score(suite, suite / "pred", out=tmp_path / "fresh").summary
    assert content(tmp_path / "run") == content(tmp_path / "fresh")


def test_a_changed_ground_truth_or_prediction_is_scored_again(suite, tmp_path, monkeypatch):
    score(suite, suite / "pred", out=tmp_path / "run")
    scored = record_scored(monkeypatch)
    pages.write_json(suite / "gt/page_2.json", pages.reading([]))
    pages.write_json(suite / "pred/page_7.json", pages.reading([]))
    score(suite, suite / "pred", out=tmp_path / "run")
    assert [number for number, _ in scored] == ["2", "7"]


def test_a_setting_added_later_is_scored_alone(suite, tmp_path, monkeypatch):
    score(suite, suite / "pred", out=tmp_path / "run", setting="global")
    scored = record_scored(monkeypatch)
    score(suite, suite / "pred", out=tmp_path / "run")
    assert {settings for _, settings in scored} == {("local",)}
    score(suite, suite / "pred", out=tmp_path / "fresh")
    assert content(tmp_path / "run") == content(tmp_path / "fresh")


def test_a_setting_that_is_not_requested_stays_stored(suite, tmp_path, monkeypatch):
    both = score(suite, suite / "pred", out=tmp_path / "run").summary
    one = score(suite, suite / "pred", out=tmp_path / "run", setting="global").summary
    assert one["overall"] == {"global": both["overall"]["global"]}
    assert one["by"]["label"]["text"].keys() == {"global"}
    assert "local:off" in one["signature"]
    scored = record_scored(monkeypatch)
    assert score(suite, suite / "pred", out=tmp_path / "run").summary == both
    assert scored == []


@pytest.mark.parametrize("after", range(4))
def test_a_kill_while_a_setting_is_added_duplicates_no_rows(suite, tmp_path, monkeypatch, after):
    score(suite, suite / "pred", out=tmp_path / "fresh")
    score(suite, suite / "pred", out=tmp_path / "run", setting="global")
    interrupt(monkeypatch, after)
    with pytest.raises(KeyboardInterrupt):
        score(suite, suite / "pred", out=tmp_path / "run")
    monkeypatch.undo()
    score(suite, suite / "pred", out=tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "fresh")


def test_a_folder_of_another_protocol_is_refused_and_untouched(suite, tmp_path):
    score(suite, suite / "pred", out=tmp_path / "run")
    before = content(tmp_path / "run")
    with pytest.raises(RunFolderError, match="contains a run with protocol 'strict', requested 'vde-v3'"):
        score(suite, suite / "pred", out=tmp_path / "run", protocol="vde-v3")
    assert content(tmp_path / "run") == before


def test_a_folder_in_use_is_refused(suite, tmp_path):
    about = {"protocol": "strict"}
    second = RunFolder(tmp_path / "run").open(about)
    with RunFolder(tmp_path / "run").open(about), pytest.raises(RunFolderError, match="another process"), second:
        pass


def test_a_folder_that_cannot_be_created_raises(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFolderError, match="cannot be made"), RunFolder(tmp_path / "file/run").open({}):
        pass


@pytest.mark.parametrize("after", range(4))
def test_a_kill_between_any_two_renames_loses_and_duplicates_no_rows(suite, tmp_path, monkeypatch, after):
    """Tables are renamed one by one: stop after each, and after the last before the parts are deleted."""
    monkeypatch.setattr(folder_module, "_PART_SIZE", 5)
    score(suite, suite / "pred", out=tmp_path / "fresh")
    hidden = [suite / f"pred/page_{i}.json" for i in (1, 8)]
    contents = [file.read_bytes() for file in hidden]
    for file in hidden:
        file.unlink()
    score(suite, suite / "pred", out=tmp_path / "run")
    for file, data in zip(hidden, contents, strict=True):
        file.write_bytes(data)
    interrupt(monkeypatch, after)
    with pytest.raises(KeyboardInterrupt):
        score(suite, suite / "pred", out=tmp_path / "run")
    assert (tmp_path / "run/parts/000000").exists()
    monkeypatch.undo()
    score(suite, suite / "pred", out=tmp_path / "run")
    assert content(tmp_path / "run") == content(tmp_path / "fresh")
    assert not (tmp_path / "run/parts").exists()


def test_a_run_killed_at_random_moments_equals_an_uninterrupted_one(tmp_path):
    suite = pages.write_suite(tmp_path / "suite", pages.random_pairs(4, 150))
    score(suite, suite / "pred", out=tmp_path / "fresh")
    code = (
        "import vdebench.runs.folder as f; f._PART_SIZE = 7\n"
        f"from vdebench import score; score({str(suite)!r}, {str(suite / 'pred')!r}, out={str(tmp_path / 'run')!r})"
    )
    rng = random.Random(0)
    for _ in range(6):
        process = subprocess.Popen([sys.executable, "-c", code])
        time.sleep(rng.uniform(0.3, 1.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([sys.executable, "-c", code], check=True)
    assert content(tmp_path / "run") == content(tmp_path / "fresh")
    assert {file.name for file in (tmp_path / "run").iterdir()} == {
        file.name for file in (tmp_path / "fresh").iterdir()
    }


def test_temporary_files_of_a_killed_process_are_removed_and_others_kept(suite, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    for name in (".blocks.parquet.82gxbjci", ".summary.json.abcdefgh", ".notes", ".mine.json"):
        (run / name).write_text("")
    score(suite, suite / "pred", out=run)
    hidden = {file.name for file in run.iterdir() if file.name.startswith(".")}
    assert hidden == {".lock", ".notes", ".mine.json"}


def test_rows_and_summary_agree(suite, tmp_path):
    result = score(suite, suite / "pred", out=tmp_path / "run")
    assert json.loads((tmp_path / "run/summary.json").read_text()) == result.summary
    rows = result.scores.filter(pl.col("setting") == "global")
    assert len(rows) == 12
    blocks = result.blocks.filter(pl.col("setting") == "global")
    means = result.summary["overall"]["global"]
    assert blocks["cdm"].mean() == pytest.approx(means["micro"]["cdm"], abs=1e-12)
    assert (rows["cdm_sum"] / rows["cdm_n"]).drop_nans().mean() == pytest.approx(means["cdm"], abs=1e-12)
    assert blocks.filter(pl.col("truth").is_not_null()).height == means["gt_blocks"]
