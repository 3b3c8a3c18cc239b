"""Provenance: what a run was made with, in what time; kept over sessions, and never in the way of a number."""

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
from vdebench.runs.provenance import recorded, session, stage
from vdebench.suites.suite import load_suite


def told(folder: Path):
    return json.loads((folder / "run.json").read_text())["provenance"]


@pytest.fixture
def scored(make, tmp_path):
    """Scores three pages, two of which an editor has made; gives the folder of the run."""
    root, editor = make(3)
    paint(editor / "page_0.png", 0)
    paint(editor / "page_1.png", 5)

    def again(**options):
        how = {"reader": CachedReader(ColourReader()), "metrics": ["psnr"], "out": tmp_path / "run", **options}
        score(root, editor, **how)
        return tmp_path / "run"

    return again


def test_what_an_inner_stage_takes_is_its_own(monkeypatch, tmp_path):
    clock = iter([0.0, 3.0, 7.0, 10.0, 20.0, 21.5])
    monkeypatch.setattr(provenance.time, "perf_counter", lambda: next(clock))
    with session(tmp_path) as outer, session(None) as inner:
        with stage("scoring"), stage("reading"):  # from 0 to 10, and in it from 3 to 7
            pass
        with stage("scoring"):
            pass
    assert outer.seconds == inner.seconds == {"reading": 4.0, "scoring": 6.0 + 1.5}


def test_a_run_says_what_it_was_made_with_and_how_long_it_took(scored, tmp_path):
    found = told(scored())
    assert found["versions"]["vdebench"]
    assert {"numpy", "polars", "rapidfuzz", "opencv-python-headless"} <= found["versions"]["packages"].keys()
    assert found["machine"]["cores"] >= 1
    # three references and a prediction (the other is as its reference), each with its only region
    assert found["counts"] == {
        **{"samples": 3, "scored": 2, "missing": 1, "failed": 0, "regions": 3},
        **{"pictures_read": 8, "pictures_from_cache": 0},
    }
    assert set(found["seconds"]) == {"reading", "scoring", "ceiling", "summary"}
    assert found["sessions"] == 1
    assert found["cost"] == {"input_tokens": None, "output_tokens": None, "dollars": None}
    text = json.dumps(found)  # and nothing says whose machine it is
    for private in (str(tmp_path), str(Path.home()), platform.node(), getpass.getuser()):
        assert f'"{private}' not in text
        assert len(private) < 5 or private not in text


def test_a_second_session_adds_to_the_first_and_changes_no_number(scored, tmp_path):
    folder = scored()
    first, summary = told(folder), (folder / "summary.json").read_bytes()
    again = told(scored())
    assert (folder / "summary.json").read_bytes() == summary
    assert again["sessions"] == 2
    assert again["started"] == first["started"]
    assert all(again["seconds"][name] >= first["seconds"][name] for name in first["seconds"])
    assert again["counts"] == first["counts"]  # what the first session has read, the run has read
    assert b"seconds" not in summary
    scored(out=tmp_path / "other")  # what others have read is told apart
    other = told(tmp_path / "other")
    assert other["counts"]["pictures_read"] == 0
    assert other["counts"]["pictures_from_cache"] == 8


def test_a_session_that_is_broken_off_is_counted(scored, tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scored(progress=stop)
    found = told(tmp_path / "run")
    assert found["sessions"] == 1
    assert "reading" in found["seconds"]
    assert told(scored())["sessions"] == 2


def test_another_protocol_is_refused_as_ever_and_nothing_is_lost(scored, tmp_path):
    before = (scored() / "run.json").read_bytes()
    with pytest.raises(RunFolderError, match="holds a run with protocol 'strict', asked for 'vde-release'"):
        scored(protocol="vde-release")
    assert (tmp_path / "run/run.json").read_bytes() == before


def work(folder):
    with session(folder) as done, recorded(folder):
        done.seconds["reading"] = 1.5
    return told(folder)


def test_other_versions_of_earlier_sessions_are_remembered(tmp_path, monkeypatch):
    now = provenance.versions()
    monkeypatch.setattr(provenance, "versions", lambda: {**now, "python": "3.11.0"})
    assert work(tmp_path)["before"] == []
    monkeypatch.undo()
    (earlier,) = work(tmp_path)["before"]
    assert earlier["versions"]["python"] == "3.11.0"
    assert len(work(tmp_path)["before"]) == 1


@pytest.mark.parametrize("spoilt", [3, {"sessions": "many", "seconds": {"reading": "long"}, "counts": [], "before": 1}])
def test_what_somebody_has_spoilt_does_not_end_a_run(tmp_path, spoilt):
    (tmp_path / "run.json").write_text(json.dumps({"protocol": "strict", "provenance": spoilt}))
    found = work(tmp_path)
    assert (found["sessions"], found["seconds"]) == (1, {"reading": 1.5})
    assert json.loads((tmp_path / "run.json").read_text())["protocol"] == "strict"


def test_two_who_share_a_folder_lose_nothing(tmp_path):
    for _ in range(2):
        with session(tmp_path) as one, session(tmp_path) as other, recorded(tmp_path, shared=True):
            one.seconds["editing"] = other.seconds["editing"] = 2.0
    assert told(tmp_path)["sessions"] == 4
    assert told(tmp_path)["seconds"]["editing"] == 8.0


class Dear(Editor):
    """Says what an edit costs; refuses the second page."""

    @property
    def identity(self):
        return {"name": "dear", "version": "1"}

    def edit(self, image, instruction, *, seed=0):
        return Edit.of(image)

    def run_task(self, task):
        if task.sample.id == "1":
            return Edit.refused("too dear")
        return Edit.of(task.image, dollars=0.25, input_tokens=1000)


def test_editing_is_in_the_provenance_of_all_that_is_made_of_it(make, tmp_path, monkeypatch):
    monkeypatch.setitem(EDITORS, "dear", "tests.runs.test_provenance:Dear")
    root, _ = make(3)
    with (root / "suite.toml").open("a") as file:
        file.write('source_images = "images"\n')
    suite, out = load_suite(root), tmp_path / "runs"
    how = {"reader": CachedReader(ColourReader()), "metrics": ["psnr"], "workers": 1, "seed": 7}
    run(suite, ["dear"], out, **how)
    for found in (told(out), told(out / "dear"), told(out / "dear/strict")):
        assert {name: found["counts"][name] for name in ("edited", "refused", "edits_failed")} == {
            **{"edited": 2, "refused": 1, "edits_failed": 0}
        }
        assert found["cost"] == {"input_tokens": 2000, "output_tokens": None, "dollars": 0.5}
        assert found["seeds"] == {"editing": 7}
        assert found["seconds"]["editing"] > 0
    run(suite, ["copy"], out, **how)
    whole = told(out)
    assert (whole["sessions"], whole["counts"]["editors"], whole["counts"]["edited"]) == (2, 2, 5)
    assert whole["cost"]["dollars"] == 0.5
    assert told(out / "dear/strict")["sessions"] == 1
    assert json.loads((out / "run.json").read_text())["editors"] == ["dear", "copy"]
