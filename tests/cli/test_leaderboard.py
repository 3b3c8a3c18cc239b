"""End-to-end tests of `vde leaderboard`."""

from __future__ import annotations

import pytest

from tests.report.leaderboard_runs import summary, write_run
from vdebench.cli.main import run


@pytest.fixture
def vde(monkeypatch, capsys):
    """Runs the command line in this process: what it prints, having left with the code that is expected."""

    def called(*arguments, code=0):
        monkeypatch.setattr("sys.argv", ["vde", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            run()
        printed = capsys.readouterr()
        assert left.value.code == code, printed.out + printed.err
        return printed

    return called


def test_help_has_examples(vde):
    text = vde("leaderboard", "--help").out
    assert "Example" in text
    assert "vde leaderboard runs -o board" in text


def test_a_site_is_made_and_named(tmp_path, vde):
    runs = [write_run(tmp_path / name, summary(name)) for name in ("a", "b")]
    done = vde("leaderboard", *runs, "--published", "--title", "Nightly", "--out", tmp_path / "board")
    assert done.out == f"{tmp_path / 'board/index.html'}: open it in a browser\n"
    page = (tmp_path / "board/index.html").read_text(encoding="utf-8")
    assert "http:" not in page
    assert "https:" not in page
    assert {"elements.js", "site.js", "style.css", "leaderboard.css", "exports", "data"} <= {
        each.name for each in (tmp_path / "board").iterdir()
    }


def test_what_is_no_run_is_told_in_words(tmp_path, vde):
    done = vde("leaderboard", tmp_path, "-o", tmp_path / "board", code=2)
    assert done.err.startswith(f"vde: {tmp_path}: no run here or below")
    assert not (tmp_path / "board").exists()
