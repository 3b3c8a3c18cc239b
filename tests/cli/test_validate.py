"""End-to-end tests of `vde validate-metrics`."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from vdebench.cli.main import app
from vdebench.errors import VdeError


def vde(*arguments):
    """In this process: the typesetter takes a while to load."""
    return CliRunner().invoke(app, ["validate-metrics", *map(str, arguments)])


def test_help_has_examples():
    assert "vde validate-metrics --out validity" in vde("--help").stdout


def test_a_small_ladder(tmp_path):
    how = ("--sample-count", 2, "--corruption", "shift", "--protocol", "strict", "--metrics", "none", "--workers", 1)
    done = vde(*how, "--json", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["samples"] == 2
    assert found["corruptions"]["shift"]["levels"] == [2, 4, 8, 16]
    assert {each["metric"] for each in found["findings"]} >= {"iou", "cdm", "done"}
    assert not any(each["metric"] == "psnr" for each in found["findings"])
    assert (tmp_path / "out" / "index.html").exists()


def test_unknown_names_are_told():
    for given, told in (
        (("--corruption", "smudge"), "no corruption is called 'smudge'; there are: wrong-characters, "),
        (("--protocol", "best"), "no protocol is called 'best'"),
        (("--metrics", "beauty"), "beauty"),
        (("--reader", "guess", "--sample-count", 2), "no reader is called 'guess'"),
    ):
        error = vde(*given).exception
        assert isinstance(error, VdeError)  # which `vde` tells with exit code 2
        assert told in str(error)


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    other = tmp_path / "run"
    other.mkdir()
    (other / "scores.parquet").write_bytes(b"somebody's")
    refused = vde("--sample-count", "2", "--corruption", "jpeg", "--out", other).exception
    assert isinstance(refused, VdeError)
    assert "is not empty and is no ladder written by vdebench: contains scores.parquet" in str(refused)
    assert (other / "scores.parquet").read_bytes() == b"somebody's"


def test_what_cannot_be_measured_is_refused_before_any_work():
    for wrong, told in {
        ("--metrics", "ssim,fid"): "fid is a metric of sets of images",
        ("--usable", "--protocol", "vde-v3"): "usable edits are judged only by strict",
    }.items():
        refused = vde(*wrong).exception
        assert isinstance(refused, VdeError)
        assert told in str(refused)
