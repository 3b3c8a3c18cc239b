"""The command line of the review on PostgreSQL, and with a server that runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from typer.testing import CliRunner

from tests.review import postgres
from tests.review.tiny_workspace import boxes_of
from tests.review.voting import Voting
from vdebench.cli.main import app
from vdebench.errors import VdeError
from vdebench.review.store import Store
from vdebench.suites.suite import load_suite

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytestmark = pytest.mark.slow


def vde(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    if isinstance(done.exception, VdeError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_on_postgresql(workspace, monkeypatch):
    pytest.importorskip("psycopg")
    if postgres.binaries() is None:
        pytest.skip("no PostgreSQL here")
    root = workspace.root
    with pytest.raises(VdeError, match="cannot be opened as a database of a review") as refused:
        vde("review", "status", root, "--database", "postgresql://vde:topsecret@127.0.0.1:1/review")
    assert "topsecret" not in str(refused.value)
    with postgres.running() as url:
        monkeypatch.setenv("VDE_REVIEW_DATABASE", url)
        with pytest.raises(VdeError, match="there is no review"):
            vde("review", "status", root)
        assert "9 samples added to the pool" in vde("build", "review", root, "--admin", "root")
        with Store(url) as store:
            people = Voting(store)
            id = next(iter(store.state().items))
            people.score(id)
            people.draw(id, boxes_of(workspace, id))
            assert "1 reference images created and read, 2 decisions" in vde("review", "prepare", root, "--workers", 1)
            people.screen(id)
            people.check(id)
        assert "1 samples" in vde("build", "package", root)
        assert [sample.id for sample in load_suite(workspace.package)] == [id]
        assert "OCR checked" in vde("review", "status", root)
    assert not (root / "review.sqlite").exists()


def _answers(address, seconds=20):
    """The status of a page, once its server listens."""
    until = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=seconds) as page:
                return page.status
        except urllib.error.URLError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def test_a_server_that_runs(workspace):
    for name in ("fastapi", "uvicorn", "argon2"):
        pytest.importorskip(name)
    vde("build", "review", workspace.root, "--admin", "root")
    command = [sys.executable, "-m", "vdebench", "review", "serve", str(workspace.root), "--port", "0", "--no-prepare"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as server:
        try:
            address = server.stdout.readline().split()[-1]
            assert address.startswith("http://127.0.0.1:")
            assert (
                f"root has no password yet; to set one, open within a day: {address}/#join=" in server.stdout.readline()
            )
            assert _answers(address) == 200
            port = address.rpartition(":")[2]
            taken = CliRunner().invoke(app, ["review", "serve", str(workspace.root), "--port", port])
            assert isinstance(taken.exception, VdeError)
            assert "choose another --port" in str(taken.exception)
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0
