"""`vde editors`: list, requirements and readiness of editors."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from vdebench.cli.main import app
from vdebench.editors.catalog import EDITORS
from vdebench.editors.listing import editors_view, list_editors
from vdebench.editors.papers import PAPER_EDITORS


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("GEMINI_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ARK_API_KEY", "DASHSCOPE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_all_are_listed_with_what_they_need(monkeypatch):
    pytest.importorskip("httpx2")
    found = {one.name: one for one in list_editors()}
    assert list(found)[: len(EDITORS)] == list(EDITORS)
    assert found["copy"].state == "ready"
    assert found["nano-banana"].state == "needs a key: set GEMINI_API_KEY"
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-plant-0123456789")
    assert {one.name: one.state for one in list_editors()}["nano-banana"] == "ready"


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
    assert set(found["gpt-image-1"]) == {"name", "needs", "model", "licence", "size", "state", "missing", "caveat"}
    assert found["gpt-image-1"]["missing"] == ""
    assert "sk-plant" not in told


def test_one_that_breaks_does_not_hide_the_others(monkeypatch):
    broken = EntryPoint("broken", "no_such_module:Editor", "vdebench.editors")
    plain = EntryPoint("plain", "vdebench.editors.baselines:CopyEditor", "vdebench.editors")
    for module in ("vdebench.editors.listing", "vdebench.registry"):
        monkeypatch.setattr(f"{module}.entry_points", lambda group: [broken, plain])
    found = {one.name: one.state for one in list_editors()}
    assert found["broken"] == "cannot be loaded: No module named 'no_such_module'"
    assert (found["plain"], found["oracle"]) == ("ready", "ready")


def test_all_say_what_they_are():
    for one in list_editors():
        told = one.about
        assert told.model, one.name
        assert told.size, one.name
        assert told.licence or one.name in ("copy", "oracle", "blank", "resize", "jpeg"), one.name


@pytest.mark.parametrize("width", [150, 80])
def test_nothing_is_cut_off(width):
    found = list(list_editors())
    out = io.StringIO()
    Console(file=out, width=width).print(editors_view(found, width))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in out.getvalue()
    firsts = [line.split()[0] for line in lines if line and line[0] != " "]
    assert firsts[-len(found) :] == [one.name for one in found]


def test_listing_loads_no_torch():
    script = (
        "import sys\nfrom vdebench.editors.listing import list_editors\nlist(list_editors())\n"
        "print([name for name in ('torch', 'diffusers', 'transformers', 'openvino') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_row_of_the_papers_has_its_editor():
    with Path("src/vdebench/data/published_results.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["model"], row["paper"]) for row in csv.DictReader(file)}
    no_editors = {("Mean", "textedit"), ("(instructions)", "vde-v3")}
    assert {(row.published, paper) for row in PAPER_EDITORS for paper in row.papers} == rows - no_editors
    assert {row.editor for row in PAPER_EDITORS} <= set(EDITORS)
    told = CliRunner().invoke(app, ["editors", "--papers"]).stdout
    page = Path("docs/editors.md").read_text(encoding="utf-8")
    for row in PAPER_EDITORS:
        assert any(row.published in line and row.editor in line for line in told.splitlines())
        shown = [line for line in page.splitlines() if line.startswith(f"| {row.published} |")]
        assert len(shown) == 1
        assert f"`{row.editor}`" in shown[0]
    as_json = json.loads(CliRunner().invoke(app, ["editors", "--papers", "--json"]).stdout)
    assert as_json[0]["editor"] == "instruct-pix2pix"


def test_setup_is_a_verb_of_editors():
    told = CliRunner().invoke(app, ["editors", "setup", "bagel", "--folder", "/somewhere"])
    assert told.exit_code == 0
    assert "python3 -m venv /somewhere/venv" in told.stdout
