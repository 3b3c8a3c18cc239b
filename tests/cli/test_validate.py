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
    text = vde("--help").stdout
    assert "vde validate-metrics --out validity" in text
    assert "vde validate-metrics --outputs --after resize --out outputs" in text


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


def test_realistic_outputs(tmp_path):
    how = ("--sample-count", 1, "--seed", 3, "--metrics", "none", "--workers", 1, "--protocol", "strict")
    done = vde("--outputs", "--corruption", "source-returned", *how, "--json", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    (output,) = data["outputs"]
    assert (output["corruption"], output["opinion"], output["samples"]) == ("source-returned", "bad", 1)
    assert (output["accepted"], output["rejected"], output["fails_at"]) == (0, 1, {"completeness": 1})
    assert data["errors"][0]["n"] == 1
    assert data["reader"].startswith("rapidocr")
    assert json.loads((tmp_path / "out" / "validity.json").read_text("utf-8")) == data


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
        ("--outputs", "--protocol", "vde-v3"): "usable edits are judged only by strict",
        ("--outputs", "--after", "blur"): "--after blur: expected none, resize, ",
        ("--outputs", "--usable"): "--usable is for graded corruptions; --outputs always measures usable edits",
        ("--after", "resize"): "--after is a last step of realistic outputs; add --outputs",
        ("--outputs", "--corruption", "jpeg"): "no output corruption is called 'jpeg'; there are: right-edit, ",
        ("--outputs", "--reader", "exact-layout"): "output corruptions need a reader",
    }.items():
        refused = vde(*wrong).exception
        assert isinstance(refused, VdeError)
        assert told in str(refused)
