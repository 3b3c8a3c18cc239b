"""End-to-end tests of `vde show`, `vde submit` and `vde verify`."""

from __future__ import annotations

import json
import sys

import pytest

from vdebench.cli.main import run as command_line

TINY = "examples/tiny"


@pytest.fixture
def vde(monkeypatch, capsys):
    """The command line in this process; gives what it printed on both streams."""

    def call(*arguments, code=0):
        monkeypatch.setattr(sys, "argv", ["vde", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            command_line()
        printed = capsys.readouterr()
        assert stop.value.code == code, printed
        return printed

    return call


@pytest.fixture
def run(vde, tmp_path):
    vde("score", TINY, f"{TINY}/editors/copy", "-p", "vde-release", "--out", tmp_path / "copy")
    return tmp_path / "copy"


def test_a_run_is_shown_handed_in_and_confirmed(vde, run, tmp_path):
    assert json.loads(vde("show", run, "--json").out)["provenance"]["sessions"] == 1
    file = tmp_path / "run.zip"
    assert "16 predictions by their hashes" in vde("submit", run, "--out", file).out
    from_here = ("--suite", TINY, "--predictions", f"{TINY}/editors/copy")
    confirmed = vde("verify", file, *from_here, "--sample-count", 3, "--seed", 7).out
    assert "3 of 8 samples scored again (seed 7: " in confirmed
    assert "Verdict       confirmed" in confirmed
    assert max(map(len, confirmed.splitlines())) <= 80
    wrong = vde("verify", file, "--suite", TINY, "--predictions", f"{TINY}/editors/sloppy", "--json", code=1)
    assert json.loads(wrong.out)["verdict"] == "not confirmed"


def test_what_is_none_ends_with_code_2(vde, tmp_path):
    assert "no run here" in vde("show", tmp_path, code=2).err
    (tmp_path / "a.zip").write_bytes(b"no zip")
    assert "not a complete zip file" in vde("verify", tmp_path / "a.zip", code=2).err
