"""`vde doctor`: components that are ready, and remedies for missing ones."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint

from typer.testing import CliRunner

from vdebench.cli.main import app
from vdebench.editors.catalog import EDITORS
from vdebench.metrics.image_metrics import LOADERS
from vdebench.readers.reader import READERS
from vdebench.report.doctor import examine


def test_every_part_is_told(monkeypatch):
    for variable in ("VDE_PADDLEOCR_URL", "VDE_VLM_URL", "VDE_WEIGHTS"):
        monkeypatch.delenv(variable, raising=False)
    found = {(one.kind, one.name): one for one in examine()}
    for kind, names in (("editor", EDITORS), ("reader", READERS), ("metric", LOADERS)):
        assert {name for other, name in found if other == kind} >= set(names)
    assert found["reader", "rapidocr"].missing == ""
    assert found["reader", "rapidocr"].default
    assert "VDE_PADDLEOCR_URL" in found["reader", "paddleocr-vl-server"].missing
    assert found["metric", "ssim"].missing == ""
    assert (
        "squeezenet1_1" in found["metric", "lpips_squeeze"].missing
        or "torch" in found["metric", "lpips_squeeze"].missing
    )


def test_a_reader_that_breaks_when_asked_does_not_hide_the_others(monkeypatch):
    broken = EntryPoint("broken", "no_such_module:Reader", "vdebench.readers")
    monkeypatch.setattr(
        "vdebench.report.doctor.entry_points", lambda group: [broken] if group == "vdebench.readers" else []
    )
    monkeypatch.setattr("vdebench.registry.entry_points", lambda group: [broken] if group == "vdebench.readers" else [])
    found = {one.name: one.missing for one in examine()}
    assert found["broken"] == "cannot be loaded: No module named 'no_such_module'"
    assert found["tesseract"] is not None


def test_the_command_prints_commands_that_help():
    told = CliRunner().invoke(app, ["doctor"]).stdout
    assert "rapidocr" in told
    assert "ready (the default)" in told
    listed = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)
    assert {one["kind"] for one in listed} == {"editor", "reader", "metric"}
