"""The command line of the review where its packages are not installed."""

from __future__ import annotations

import sys

import pytest
from typer.testing import CliRunner

from vdebench.cli.main import app
from vdebench.errors import MissingPartError


def vde(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    if isinstance(done.exception, MissingPartError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_without_the_extra(workspace, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    for words in (("build", "review"), ("review", "status"), ("review", "prepare"), ("review", "serve")):
        with pytest.raises(MissingPartError, match=r'pip install "vdebench\[review\]"'):
            vde(*words, workspace.root)
    assert not (workspace.root / "pool.jsonl").exists()
    vde("build", "review", workspace.root, "--automatic", "--workers", 1)  # needs none of it
    assert "9 samples" in vde("build", "package", workspace.root)


@pytest.mark.parametrize("verb", ["serve", "invite", "status", "prepare", "ratings", "events", "agreement"])
def test_every_verb_has_an_example(verb):
    assert f"vde review {verb}" in vde("review", verb, "--help")


def test_the_way_to_people_and_to_the_filter_is_told():
    shown = vde("build", "review", "--help")
    assert "vde build review mine --automatic" in shown
    assert "vde build review mine --admin" in shown
