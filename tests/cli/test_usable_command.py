"""End-to-end tests of `vde usable`."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tests.report import site_runs
from vdebench.cli.main import app
from vdebench.errors import VdeError
from vdebench.stats.usable import RULES


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    root = tmp_path_factory.mktemp("usable")
    site_runs.make_suite(root / "suite")
    return site_runs.make_runs(root / "runs", root / "suite")


def vde(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


def test_the_table_fits_the_terminal_and_names_what_counts(runs):
    text = vde("usable", runs / "oracle/strict", runs / "my editor/strict").stdout
    assert max(map(len, text.splitlines())) <= 100
    for expected in (
        "Usable edits",
        "samples that fail first at",
        "unknown",
        f"usable:{RULES},traces-",
        "vde|p:strict|",
    ):
        assert expected in text
    assert "1.000" in text


def test_samples_come_with_their_evidence(runs):
    lines = vde("usable", runs / "my editor/strict", "--samples").stdout.splitlines()
    assert lines[0].startswith("my editor text/0: not usable: ")
    assert "completeness: new content on 4.07% of the page" in lines[0]
    assert "text/3: not usable: " in lines[3]
    assert "the output cannot be opened" in lines[3]


def test_json_and_slices(runs):
    (found,) = json.loads(vde("usable", runs / "oracle/strict", "--json", "-t", "textual_correctness=1").stdout)
    assert found["thresholds"]["textual_correctness"] == 1
    assert len(found["samples"]) == 4
    assert "text_delete" in vde("usable", runs / "oracle/strict", "--by", "operation", "--format", "csv").stdout


def test_a_threshold_that_is_none_is_refused(runs):
    with pytest.raises(VdeError, match="no threshold is called 'tex'"):
        vde("usable", runs / "oracle/strict", "-t", "tex=1")
