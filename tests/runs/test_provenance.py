"""Provenance in run.json: versions, timings and counts, added up over sessions, without effect on scores."""

from __future__ import annotations

import getpass
import json
import platform
from pathlib import Path

import pytest

from tests.colours import ColourReader, paint
from vdebench.editors.catalog import EDITORS
from vdebench.editors.editor import Edit, Editor
from vdebench.errors import RunFolderError
from vdebench.pipeline.run import run
from vdebench.pipeline.score import score
from vdebench.readers.cached import CachedReader
from vdebench.runs import provenance
from vdebench.runs.provenance import recording, session, stage
from vdebench.suites.suite import load_suite


def read_provenance(folder: Path):
    return json.loads((folder / "run.json").read_text())["provenance"]


@pytest.fixture
def scored(make, tmp_path):
    """Score three pages, two of which have an output; returns the run folder."""
    root, editor = make(3)
    paint(editor / "page_0.png", 0)
    paint(editor / "page_1.png", 5)

    def again(**options):
        defaults = {"reader": CachedReader(ColourReader()), "metrics": ["psnr"], "out": tmp_path / "run"}
        score(root, editor, **{**defaults, **options})
        return tmp_path / "run"

    return again


def test_time_of_a_nested_stage_counts_only_there(monkeypatch, tmp_path):
    clock = iter([0.0, 3.0, 7.0, 10.0, 20.0, 21.5])
    monkeypatch.setattr(provenance.time, "perf_counter", lambda: next(clock))
    with session(tmp_path) as outer, session(None) as inner:
        with stage("scoring"), stage("reading"):  # from 0 to 10, and in it from 3 to 7
            pass
        with stage("scoring"):
            pass
    assert outer.seconds == inner.seconds == {"reading": 4.0, "scoring": 6.0 + 1.5}


def test_a_run_records_versions_machine_counts_and_timings(scored, tmp_path):
    record = read_provenance(scored())
    assert record["versions"]["vdebench"]
    assert {"numpy", "polars", "rapidfuzz", "opencv-python-headless"} <= record["versions"]["packages"].keys()
    assert record["machine"]["cores"] >= 1
    # three references and one prediction (the other equals its reference), each with one region
    assert record["counts"] == {
        **{"samples": 3, "scored": 2, "missing": 1, "failed": 0, "regions": 3},
        **{"pictures_read": 8, "pictures_from_cache": 0},
    }
    assert set(record["seconds"]) == {"reading", "scoring", "ceiling", "summary"}
    assert record["sessions"] == 1
    assert record["cost"] == {"input_tokens": None, "output_tokens": None, "dollars": None}
    text = json.dumps(record)  # and nothing says whose machine it is
    for private in (str(tmp_path), str(Path.home()), platform.node(), getpass.getuser()):
        assert f'"{private}' not in text
        assert len(private) < 5 or private not in text


def test_a_second_session_adds_timings_and_changes_no_score(scored, tmp_path):
    folder = scored()
    first, summary = read_provenance(folder), (folder / "summary.json").read_bytes()
    again = read_provenance(scored())
    assert (folder / "summary.json").read_bytes() == summary
    assert again["sessions"] == 2
    assert again["started"] == first["started"]
    assert all(again["seconds"][name] >= first["seconds"][name] for name in first["seconds"])
    assert again["counts"] == first["counts"]  # images read by the first session count as read by the run
    assert b"seconds" not in summary
    scored(out=tmp_path / "other")  # images read by another run count as cached
    other = read_provenance(tmp_path / "other")
    assert other["counts"]["pictures_read"] == 0
    assert other["counts"]["pictures_from_cache"] == 8


def test_an_interrupted_session_is_recorded(scored, tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scored(progress=stop)
    record = read_provenance(tmp_path / "run")
    assert record["sessions"] == 1
    assert "reading" in record["seconds"]
    assert read_provenance(scored())["sessions"] == 2


def test_another_protocol_is_refused_and_the_record_unchanged(scored, tmp_path):
    before = (scored() / "run.json").read_bytes()
    with pytest.raises(RunFolderError, match="contains a run with protocol 'strict', requested 'vde-release'"):
        scored(protocol="vde-release")
    assert (tmp_path / "run/run.json").read_bytes() == before


def work(folder):
    with session(folder) as current, recording(folder):
        current.seconds["reading"] = 1.5
    return read_provenance(folder)


def test_versions_of_earlier_sessions_are_recorded(tmp_path, monkeypatch):
    now = provenance.versions()
    monkeypatch.setattr(provenance, "versions", lambda: {**now, "python": "3.11.0"})
    assert work(tmp_path)["before"] == []
    monkeypatch.undo()
    (earlier,) = work(tmp_path)["before"]
    assert earlier["versions"]["python"] == "3.11.0"
    assert len(work(tmp_path)["before"]) == 1


@pytest.mark.parametrize(
    "invalid", [3, {"sessions": "many", "seconds": {"reading": "long"}, "counts": [], "before": 1}]
)
def test_invalid_provenance_is_replaced(tmp_path, invalid):
    (tmp_path / "run.json").write_text(json.dumps({"protocol": "strict", "provenance": invalid}))
    record = work(tmp_path)
    assert (record["sessions"], record["seconds"]) == (1, {"reading": 1.5})
    assert json.loads((tmp_path / "run.json").read_text())["protocol"] == "strict"


def test_sessions_that_share_a_folder_add_up(tmp_path):
    for _ in range(2):
        with session(tmp_path) as one, session(tmp_path) as other, recording(tmp_path, shared=True):
            one.seconds["editing"] = other.seconds["editing"] = 2.0
    assert read_provenance(tmp_path)["sessions"] == 4
    assert read_provenance(tmp_path)["seconds"]["editing"] == 8.0


class PricedEditor(Editor):
    """Editor that records costs and refuses the second page."""

    @property
    def identity(self):
        return {"name": "dear", "version": "1"}

    def edit(self, image, instruction, *, seed=0):
        return Edit.of(image)

    def run_task(self, task):
        if task.sample.id == "1":
            return Edit.refused("too dear")
        return Edit.of(task.image, dollars=0.25, input_tokens=1000)


def test_provenance_of_editing_is_copied_to_runs(make, tmp_path, monkeypatch):
    monkeypatch.setitem(EDITORS, "dear", "tests.runs.test_provenance:PricedEditor")
    root, _ = make(3)
    with (root / "suite.toml").open("a") as file:
        file.write('source_images = "images"\n')
    suite, out = load_suite(root), tmp_path / "runs"
    options = {"reader": CachedReader(ColourReader()), "metrics": ["psnr"], "workers": 1, "seed": 7}
    run(suite, ["dear"], out, **options)
    for record in (read_provenance(out), read_provenance(out / "dear"), read_provenance(out / "dear/strict")):
        assert {name: record["counts"][name] for name in ("edited", "refused", "edits_failed")} == {
            **{"edited": 2, "refused": 1, "edits_failed": 0}
        }
        assert record["cost"] == {"input_tokens": 2000, "output_tokens": None, "dollars": 0.5}
        assert record["seeds"] == {"editing": 7}
        assert record["seconds"]["editing"] > 0
    run(suite, ["copy"], out, **options)
    total = read_provenance(out)
    assert (total["sessions"], total["counts"]["editors"], total["counts"]["edited"]) == (2, 2, 5)
    assert total["cost"]["dollars"] == 0.5
    assert read_provenance(out / "dear/strict")["sessions"] == 1
    assert json.loads((out / "run.json").read_text())["editors"] == ["dear", "copy"]
