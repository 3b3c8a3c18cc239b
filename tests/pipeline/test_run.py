"""`vde run`: edit, read, score; resume without repeated work; refusals are reported."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from tests.colours import ColourReader, paint
from tests.plugins import register
from vdebench.editors.catalog import EDITORS
from vdebench.editors.editor import Edit, Editor
from vdebench.editors.factory import get_editor
from vdebench.errors import RunFolderError, VdeError
from vdebench.io.images import open_image
from vdebench.pipeline.editing import edit_suite, read_edits
from vdebench.pipeline.run import run
from vdebench.readers.cached import CachedReader
from vdebench.suites.suite import load_suite


class Wayward(Editor):
    """Edits the first page, refuses the second, fails on the third, breaks on the fourth; counts what it is asked."""

    asked = 0

    @property
    def identity(self):
        return {"name": "wayward", "version": "1"}

    def edit(self, image, instruction, *, seed=0):
        raise AssertionError("it is to be shown the sample")

    def run_task(self, task):
        type(self).asked += 1
        match task.sample.id:
            case "0":
                return Edit.of(task.image, model="m-1")
            case "1":
                return Edit.refused("I would rather not")
            case "2":
                raise VdeError("the server is away")
            case _:
                raise KeyError("surprise")


@pytest.fixture
def suite(make):
    """Four pages, each to be turned from its colour into the next one's."""
    root, _ = make(4)
    with (root / "suite.toml").open("a") as file:
        file.write('source_images = "before"\n')
    for index in range(4):
        paint(root / f"before/page_{index}.png", index + 1)
    return load_suite(root)


def go(suite, out, *editors, **options):
    reader = CachedReader(ColourReader())
    found = run(suite, editors, out, reader=reader, metrics=["psnr"], workers=1, **options)
    return found["strict"], reader.reader


def test_baselines_stand_in_their_order(suite, tmp_path):
    (oracle, copy, blank), _ = go(suite, tmp_path / "runs", "oracle", "copy", "blank")
    local = [result.summary["overall"]["local"]["cdm"] for result in (oracle, copy, blank)]
    assert local[0] == 1.0
    assert local[0] > local[1]
    assert oracle.summary["overall"]["global"]["identical"] == 4
    assert copy.summary["edits"] == {"edited": 4, "refused": 0, "failed": 0}
    page = open_image(tmp_path / "runs/blank/images/text/page_1.png")
    assert (page[:150, :100] == 255).all()
    assert (page[150:] == 40).all()


def test_refusals_and_failures_are_states_with_reasons(suite, tmp_path, monkeypatch):
    monkeypatch.setitem(EDITORS, "wayward", "tests.pipeline.test_run:Wayward")
    (result,), _ = go(suite, tmp_path / "runs", "wayward")
    assert result.summary["edits"] == {"edited": 1, "refused": 1, "failed": 2}
    assert result.summary["coverage"] == {"samples": 4, "scored": 1, "missing": 1, "failed": 2}
    reasons = dict(result.scores.filter(pl.col("setting") == "global").select("sample", "reason").iter_rows())
    assert reasons == {
        "text/0": "",
        "text/1": "refused: I would rather not: counted as an empty page",
        "text/2": "sample text/2: the editor failed: the server is away",
        "text/3": "sample text/3: the editor failed: KeyError: 'surprise'",
    }
    assert [sample for sample, _ in result.failures] == ["text/2", "text/3"]  # no number, and exit code 2
    means = result.summary["overall"]["global"]
    alone = result.scores.filter(pl.col("sample") == "text/0", pl.col("setting") == "global")
    assert means["cdm"] == pytest.approx(alone["cdm_sum"][0] / alone["cdm_n"][0] / 2)  # of the edit and the refusal
    made = {each.sample: each for each in read_edits(tmp_path / "runs/wayward")}
    assert made["text/0"].parameters == {"model": "m-1"}
    assert made["text/0"].file == "images/text/page_0.png"


def test_a_second_run_does_only_what_failed(suite, tmp_path, monkeypatch):
    monkeypatch.setitem(EDITORS, "wayward", "tests.pipeline.test_run:Wayward")
    Wayward.asked = 0
    first, _ = go(suite, tmp_path / "runs", "wayward")
    assert Wayward.asked == 4
    again, reader = go(suite, tmp_path / "runs", "wayward")
    assert Wayward.asked == 6  # two failures
    assert reader.reads == 0
    assert again[0].summary == first[0].summary


def test_a_changed_instruction_is_a_new_task(suite, tmp_path, monkeypatch):
    monkeypatch.setitem(EDITORS, "wayward", "tests.pipeline.test_run:Wayward")
    edit_suite(suite, "wayward", tmp_path / "w", workers=1)
    info = suite.root / "text.json"
    info.write_text(info.read_text().replace("Replace 'a' with 'b'.", "Delete 'a'.", 1))
    Wayward.asked = 0
    edit_suite(load_suite(suite.root), "wayward", tmp_path / "w", workers=1)
    assert Wayward.asked == 1 + 2  # the first sample's, and the failures


def test_an_edit_that_is_refused_now_leaves_no_old_image(suite, tmp_path, monkeypatch):
    monkeypatch.setitem(EDITORS, "wayward", "tests.pipeline.test_run:Wayward")
    stale = tmp_path / "w/images/text/page_1.png"
    paint(stale, 1)
    edit_suite(suite, "wayward", tmp_path / "w", workers=1)
    assert not stale.exists()


def test_an_unfinished_line_is_passed_over(suite, tmp_path):
    edit_suite(suite, "copy", tmp_path / "c", workers=1)
    journal = tmp_path / "c/edits.jsonl"
    whole = journal.read_text()
    journal.write_text(whole[:-40])  # killed while writing the last line
    assert len(read_edits(tmp_path / "c")) == 3
    edit_suite(suite, "copy", tmp_path / "c", workers=1)

    def settled(text):
        return [{**json.loads(line), "seconds": 0} for line in text.splitlines()]

    assert settled(journal.read_text()) == settled(whole)


def test_a_sample_with_an_invalid_line_is_edited_again(suite, tmp_path, caplog):
    first = edit_suite(suite, "copy", tmp_path / "c", workers=1)
    journal = tmp_path / "c/edits.jsonl"
    lines = journal.read_text().splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), "seconds": -1})
    journal.write_text("\n".join(lines) + "\n")
    assert len(read_edits(tmp_path / "c")) == len(first) - 1
    assert f"{journal}: line 2: 'seconds' is -1" in caplog.text
    again = edit_suite(suite, "copy", tmp_path / "c", workers=1)
    assert [each._replace(seconds=0) for each in again] == [each._replace(seconds=0) for each in first]
    assert read_edits(tmp_path / "c") == again


def test_folders_of_other_runs_are_refused(suite, tmp_path):
    go(suite, tmp_path / "runs", "copy")
    with pytest.raises(RunFolderError, match="contains runs with seed 0, requested 7"):
        go(suite, tmp_path / "runs", "copy", seed=7)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/thesis.tex").touch()
    with pytest.raises(RunFolderError, match=r"contains other files and no run\.json"):
        go(suite, tmp_path / "other", "copy")
    go(suite, tmp_path / "runs", "oracle")  # another editor joins
    asked = json.loads((tmp_path / "runs/run.json").read_text())
    assert asked["editors"] == ["copy", "oracle"]


def test_options_that_an_editor_does_not_have_are_refused():
    with pytest.raises(VdeError, match="the editor copy has no option 'strength'"):
        get_editor("copy", strength=1)


# --- killed --------------------------------------------------------------------------------------------------------


def vde(*arguments: str, cache: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "VDE_CACHE": str(cache), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "vdebench", *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)  # pytest shows its errors


def content(runs: Path) -> dict[str, object]:
    """All that a folder of runs holds, but for the time it took."""
    found: dict[str, object] = {}
    for file in sorted(path for path in runs.rglob("*") if path.is_file() and not path.name.startswith(".")):
        name = str(file.relative_to(runs))
        if file.suffix == ".parquet":
            found[name] = pl.read_parquet(file).to_dicts()
        elif file.suffix == ".jsonl":
            found[name] = [{**json.loads(line), "seconds": 0} for line in file.read_text().splitlines()]
        elif file.name == "run.json":  # provenance has times, and `asked` the folder that was given
            told = json.loads(file.read_text())
            found[name] = {key: value for key, value in told.items() if key not in ("asked", "provenance")}
        else:
            found[name] = file.read_bytes()
    return found


@pytest.mark.slow
def test_killed_twenty_times_a_run_ends_as_if_it_had_not_been(tmp_path, monkeypatch):
    """With a quick reader: the models of the embedded one take longer to load than all the rest."""
    register(tmp_path / "site", "readers", shapes="tests.plugins:ShapesReader")
    monkeypatch.syspath_prepend(tmp_path / "site")
    suite = tmp_path / "suite"
    made = vde("typeset", "make", "--n", "3", "--seed", "4", "--ppi", "50", "--out", str(suite), cache=tmp_path / "c")
    assert made.wait() == 0
    editors, quick = ("-e", "blank", "-e", "oracle"), ("--reader", "shapes", "--metrics", "psnr,ssim")
    command = ["run", str(suite), *editors, *quick, "--out"]
    start = time.monotonic()
    whole = vde(*command, str(tmp_path / "whole"), cache=tmp_path / "one")
    assert whole.wait() == 0
    took = time.monotonic() - start
    rng = random.Random(5)
    kills = 0
    while kills < 20:
        process = vde(*command, str(tmp_path / "killed"), cache=tmp_path / "two")
        time.sleep(rng.uniform(0.3, 1) * min(took, 12))
        if process.poll() is not None:  # done before it was killed: begin again with nothing kept
            assert process.returncode == 0
            subprocess.run(["rm", "-rf", str(tmp_path / "killed"), str(tmp_path / "two")], check=True)
            continue
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
    last = vde(*command, str(tmp_path / "killed"), cache=tmp_path / "two")
    assert last.wait() == 0
    assert content(tmp_path / "killed") == content(tmp_path / "whole")
