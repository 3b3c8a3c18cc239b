"""`vde editors`: all of them, what they need, whether they are ready."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint

import pytest
from typer.testing import CliRunner

from vdebench.cli.main import app
from vdebench.editors.editor import EDITORS
from vdebench.editors.listing import listed


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("GEMINI_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ARK_API_KEY", "DASHSCOPE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_all_are_listed_with_what_they_need(monkeypatch):
    pytest.importorskip("httpx2")
    found = {one.name: one for one in listed()}
    assert list(found)[: len(EDITORS)] == list(EDITORS)
    assert found["copy"].state == "ready"
    assert found["nano-banana"].state == "needs a key in the environment: set GEMINI_API_KEY"
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-plant-0123456789")
    assert {one.name: one.state for one in listed()}["nano-banana"] == "ready"


def test_the_table():
    told = CliRunner().invoke(app, ["editors"])
    assert told.exit_code == 0
    lines = {line.split()[0]: line for line in told.stdout.splitlines() if line and line[0] != " "}
    assert set(EDITORS) <= set(lines)
    assert lines["copy"].rstrip().endswith("ready")
    assert "doubao-seedream-4-0-250828" in lines["seedream-4"]
    assert max(len(line) for line in lines.values()) <= 150


def test_for_programs(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-plant-0123456789")
    told = CliRunner().invoke(app, ["editors", "--json"]).stdout
    found = {one["name"]: one for one in json.loads(told)}
    assert set(found["gpt-image-1"]) == {"name", "needs", "model", "licence", "size", "missing"}
    assert found["gpt-image-1"]["missing"] == ""
    assert "sk-plant" not in told


def test_one_that_breaks_does_not_hide_the_others(monkeypatch):
    broken = EntryPoint("broken", "no_such_module:Editor", "vdebench.editors")
    plain = EntryPoint("plain", "vdebench.editors.baselines:CopyEditor", "vdebench.editors")
    for module in ("vdebench.editors.listing", "vdebench.registry"):
        monkeypatch.setattr(f"{module}.entry_points", lambda group: [broken, plain])
    found = {one.name: one.state for one in listed()}
    assert found["broken"] == "cannot be asked: No module named 'no_such_module'"
    assert (found["plain"], found["oracle"]) == ("ready", "ready")
