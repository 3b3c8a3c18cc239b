"""End-to-end tests of `vde compare`."""

from __future__ import annotations

import json

import pytest

from tests.commands import vde

TINY = "examples/tiny"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    editors = [f"{TINY}/editors/{name}" for name in ("careful", "copy", "sloppy")]
    vde("score", TINY, *editors, "-p", "strict", "-p", "vde-release", "--out", root)
    return root


def test_help_has_examples():
    text = vde("compare", "--help").stdout
    assert "Example" in text
    assert "vde compare" in text


def test_three_editors_fit_the_terminal(runs):
    text = vde("compare", *(runs / name / "strict" for name in ("careful", "copy", "sloppy"))).stdout
    assert max(map(len, text.splitlines())) <= 100
    for expected in (
        "Compared with careful, by strict",
        "global: CDM",
        "local: IoU",
        "Holm",
        "vde|p:strict|",
        "seed 0",
    ):
        assert expected in text
    assert "The pages of the samples are unknown" not in text  # the rows name their pages


def test_json_has_everything_and_is_the_same_every_time(runs):
    command = (
        "compare",
        runs / "careful/strict",
        runs / "copy/strict",
        "--metrics",
        "cdm,iou",
        "--setting",
        "local",
        "--json",
    )
    first, second = vde(*command, "--suite", TINY).stdout, vde(*command, "--suite", TINY).stdout
    assert first == second
    found = json.loads(first)
    summary = json.loads((runs / "copy/strict/summary.json").read_text())
    assert [(one["metric"], one["editor"]) for one in found["findings"]] == [
        ("cdm", "careful"), ("cdm", "copy"), ("iou", "careful"), ("iou", "copy"),
    ]  # fmt: skip
    assert found["findings"][1]["mean"] == pytest.approx(summary["overall"]["local"]["cdm"])
    assert found["findings"][1]["pages"] == 8
    assert not any("not known" in note for note in found["notes"])
    other = json.loads(vde(*command, "--suite", TINY, "--seed", "1").stdout)
    assert other["findings"][1]["low"] != found["findings"][1]["low"]


@pytest.mark.parametrize(("form", "mark"), [("markdown", "| --- |"), ("csv", "Section,Editor"), ("latex", r"\toprule")])
def test_formats_and_slices(runs, form, mark):
    text = vde(
        "compare", runs / "careful/strict", runs / "sloppy/strict", "--by", "edit_class", "--format", form
    ).stdout
    assert mark in text
    assert "Text Deletion" in text


def test_runs_by_other_protocols_are_refused_or_marked(runs):
    command = ("compare", runs / "careful/strict", runs / "sloppy/vde-release", "--metrics", "cdm")
    refused = vde(*command, code=2)
    assert "p: strict | vde-release" in refused.stderr
    assert refused.stdout == ""
    forced = vde(*command, "--force")
    assert forced.stdout.startswith("NOT COMPARABLE (p, ")
    assert "WARNING" in forced.stderr


def test_what_can_be_mended_is_told(runs, tmp_path):
    refused = vde("compare", runs / "careful", runs / "copy/strict", code=2)
    assert "runs of several protocols (strict, vde-release); name runs of one" in refused.stderr
    assert "two runs or more" in vde("compare", runs / "careful/strict", code=2).stderr
    assert "no run here or below" in vde("compare", tmp_path, tmp_path, code=2).stderr
    (tmp_path / "summary.json").write_text((runs / "copy/strict/summary.json").read_text().replace('"coverage"', '"x"'))
    for name in ("scores.parquet", "regions.parquet"):
        (tmp_path / name).write_bytes((runs / "copy/strict" / name).read_bytes())
    assert (
        "'coverage' is None, expected an object; score again"
        in vde("compare", runs / "careful/strict", tmp_path, code=2).stderr
    )
