"""A review as its people and its commands go through it."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tests.review.tiny_workspace import boxes_of
from vdebench.cli.main import app
from vdebench.errors import VdeError
from vdebench.review.preparation import prepare
from vdebench.review.store import Store


def vde(*words, code=0):
    done = CliRunner().invoke(app, list(map(str, words)))
    if isinstance(done.exception, VdeError):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.stdout


def filled(workspace, *options):
    return vde("build", "review", workspace.root, "--admin", "root", "--workers", 1, *options)


@pytest.fixture
def store(workspace):
    filled(workspace)
    with Store(workspace.root / "review.sqlite") as store:
        yield store


def agreed(workspace, people, id):
    """A sample up to its check."""
    people.score(id)
    people.draw(id, boxes_of(workspace, id))
    prepare(workspace.root, workers=1)
    people.screen(id)
