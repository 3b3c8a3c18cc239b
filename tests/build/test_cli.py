"""End-to-end tests of `vde build`."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tests.build.pages import write_pages
from vdebench.build.settings import Component, read_settings
from vdebench.cli.main import app
from vdebench.errors import VdeError


def vde(*words):
    done = CliRunner().invoke(app, ["build", *map(str, words)])
    if isinstance(done.exception, VdeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_way_of_a_user(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_pages(tmp_path / "scans", ["harbour", "mill"])
    told = vde(
        *("init", "ws", "scans", "--preset", "v1", "--seed", 3, "--licence", "cc0-1.0", "--document", "note"),
        *("--reader", "code", "--editor", "copy", "--workers", 1),
    )
    assert told == "ws: 2 pages\n  next: vde build instruct ws\n"
    assert vde("instruct", "ws").startswith("ws: 6 instructions, 6 answers\n")
    assert "ws: 6 edited" in vde("edit", "ws", "--editor", "code", "--workers", 1)
    assert "ws: 6 read" in vde("read", "ws", "--workers", 1)
    assert "ws: 6 passed" in vde("review", "ws", "--automatic", "--workers", 1)
    assert "ws: 0 passed, 6 from earlier runs" in vde("review", "ws", "--automatic", "--workers", 1)
    assert vde("package", "ws") == "ws/package: 6 samples (6 text)\n"
    shown = vde("status", "ws")
    assert "OCR checked    6       6         0        0" in shown
    assert "not reviewed by people" in shown
    status = json.loads(vde("status", "ws", "--json"))
    assert status["adds_up"]
    assert [step["passed"] for step in status["steps"]] == [2, 6, 6, 6, 6, 6, 6]
    checked = CliRunner().invoke(app, ["suite", "check", "ws/package"])
    assert checked.stdout == "ws: 6 samples, 0 errors, 0 warnings\n"
    assert read_settings(tmp_path / "ws").editor == Component("code")


def test_models_are_named_with_their_options(tmp_path):
    write_pages(tmp_path / "scans", ["mill"])
    vde(
        *("init", tmp_path / "ws", tmp_path / "scans", "--reader", "code", "--workers", 1),
        *("--generator", "qwen3-vl", "--generator", "glm-4.5v", "--generator-option", "url=http://localhost:9/v1"),
        *("--generator-option", "glm-4.5v.temperature=0.5"),
    )
    first, second = read_settings(tmp_path / "ws").generators
    assert first == Component("qwen3-vl", {"url": "http://localhost:9/v1"})
    assert second == Component("glm-4.5v", {"url": "http://localhost:9/v1", "temperature": "0.5"})


def test_options_without_a_source_are_not_passed_over(tmp_path):
    write_pages(tmp_path / "scans", ["mill"])
    vde("init", tmp_path / "ws", tmp_path / "scans", "--reader", "code", "--workers", 1)
    with pytest.raises(
        VdeError, match=r"--licence, --seed: without a SOURCE the settings of the workspace come from its build\.toml"
    ):
        vde("init", tmp_path / "ws", "--licence", "cc-by-4.0", "--seed", 9)
    assert "1 from earlier runs" in vde("init", tmp_path / "ws", "--workers", 1)


@pytest.mark.parametrize("stage", ["instruct", "edit", "read", "review", "package", "status"])
def test_no_workspace(tmp_path, stage):
    with pytest.raises(VdeError, match=r"no build\.toml here; make a workspace with `vde build init"):
        vde(stage, tmp_path)
