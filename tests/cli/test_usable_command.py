"""End-to-end tests of `vde usable`."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

from tests.report import site_runs
from tests.report.changed_runs import CHANGES, plant_changes
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


def test_words_by_type_height(runs, tmp_path):
    copy = shutil.copytree(runs / "oracle", tmp_path / "oracle") / "strict"
    text = vde("usable", copy, "--by", "height").stdout  # the reader of these runs has no likelihoods
    assert "oracle: words by type height are not known" in " ".join(text.split())
    plant_changes(copy, {"text/0": CHANGES})
    lines = vde("usable", copy, "--by", "height", "--format", "csv").stdout.splitlines()
    assert lines[1].startswith("12–16 px,oracle,no,0.98,")
    (found,) = json.loads(vde("usable", copy, "--by", "page_height", "--json").stdout)
    assert (found["heights"]["pixels"], found["heights"]["counted"]) == ("reference", 1)
    assert "heights" not in json.loads(vde("usable", copy, "--json").stdout)[0]


def test_a_threshold_that_is_none_is_refused(runs):
    with pytest.raises(VdeError, match="no threshold is called 'tex'"):
        vde("usable", runs / "oracle/strict", "-t", "tex=1")
