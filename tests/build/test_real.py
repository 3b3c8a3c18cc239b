"""End to end on 18 real pages, offline: instructions, edits, OCR, filter, package, scores."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from vdebench.cli.main import app
from vdebench.suites.suite import load_suite


def vde(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, f"{words}: {done.output} {done.exception}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("shared_cache")
def test_eighteen_pages(shared, tmp_path):
    workspace, package = tmp_path / "ws", tmp_path / "ws" / "package"
    vde("build", "init", workspace, shared / "data/omnidocbench/OmniDocBench_demo.json", "--name", "omni18")
    for stage in (["instruct"], ["edit"], ["read"], ["review", "--automatic"], ["package"]):
        vde("build", stage[0], workspace, *stage[1:])
    status = json.loads(vde("build", "status", workspace, "--json"))
    steps = {step["name"]: step for step in status["steps"]}
    assert status["adds_up"]
    assert steps["pages"]["passed"] == 18
    assert steps["instructions"]["entered"] == 36
    assert steps["instructions"]["passed"] >= 0.9 * 36
    assert steps["edits"]["entered"] == steps["instructions"]["passed"]
    assert steps["edits"]["passed"] + sum(steps["edits"]["rejected"].values()) == steps["edits"]["entered"]
    assert "failed" not in steps["edits"]["rejected"]
    assert steps["OCR checked"]["passed"] >= 8
    suite = load_suite(package)
    assert len(suite) == steps["OCR checked"]["passed"]
    assert {sample.language for sample in suite} >= {"english", "simplified_chinese"}
    assert "0 errors, 0 warnings" in vde("suite", "check", package)
    said = json.loads(
        vde("run", package, "-e", "copy", "-e", "oracle", "--out", tmp_path / "runs", "--metrics", "none", "--json")
    )
    found = {run["editor"]: run for run in said["runs"]}
    assert {run["coverage"]["scored"] for run in found.values()} == {len(suite)}
    assert found["oracle"]["overall"]["local"]["cdm"] == 1
    assert found["copy"]["overall"]["local"]["cdm"] < 0.9
    outputs = [f"{name}={tmp_path / 'runs' / name / 'images'}" for name in ("copy", "oracle")]
    again = json.loads(vde("score", package, *outputs, "--metrics", "none", "--json"))
    assert {run["editor"]: run["overall"] for run in again["runs"]} == {
        name: run["overall"] for name, run in found.items()
    }
