"""`get_suite` with a simulated repository: licence, kept files, messages."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from tests.suites import hub_sets
from tests.suites.hub_files import Source, hub_file
from vdebench.cli import suite_get
from vdebench.cli.main import app
from vdebench.errors import VdeError
from vdebench.suites.hub import SETS, DownloadRequest, HubError, get_suite
from vdebench.suites.hub import download as getting
from vdebench.suites.hub.errors import HubAwayError
from vdebench.suites.hub.licence import Licence
from vdebench.suites.hub.record import is_safe
from vdebench.suites.hub.repository import ResolvedRevision
from vdebench.suites.suite import load_suite


class PlayedRepository:
    """What `getting` asks of a repository."""

    files_there: ClassVar[dict[str, bytes]] = {}
    commit = "c" * 40
    away = False
    endpoint, page = "https://hub.test", "https://hub.test/datasets/x"

    def __init__(self, repo: str) -> None:
        self.repo = repo

    def head(self, revision):
        if self.away:
            raise HubAwayError("the hub cannot be reached")
        return ResolvedRevision(self.commit, Licence("mit"))

    def files(self, commit):
        return [hub_file(path, content) for path, content in self.files_there.items()]

    def opened(self, file, commit, start):
        return Source(self.files_there).opened(file, commit, start)


@pytest.fixture
def played(monkeypatch):
    monkeypatch.setattr(PlayedRepository, "files_there", hub_sets.omnidoc())
    monkeypatch.setattr(getting, "Repository", PlayedRepository)
    return PlayedRepository


def wish(folder, **more):
    return DownloadRequest(SETS["omnidocbench"], folder, **more)


def test_getting_without_the_package(played, tmp_path):
    asked = []
    got = get_suite(wish(tmp_path / "o"), lambda page, head: asked.append(page) is None)
    assert (got.samples, got.fetched, got.errors) == (2, 4, 0)
    assert asked == ["https://hub.test/datasets/x"]
    assert get_suite(wish(tmp_path / "o"), lambda page, head: False).fetched == 0
    with pytest.raises(HubError, match="was not accepted"):
        get_suite(wish(tmp_path / "p"), lambda page, head: False)
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize("answer", ["y", "n"])
def test_the_licence_is_asked_for_on_a_terminal(played, tmp_path, monkeypatch, answer):
    monkeypatch.setattr(suite_get, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    given = ["suite", "get", "omnidocbench", "-o", str(tmp_path / "o")]
    done = CliRunner().invoke(app, given, input=f"{answer}\n")
    assert "licence: mit\n  read it before" in done.output
    assert (done.exit_code == 0) == (answer == "y") == (tmp_path / "o").exists()


def test_a_hand_written_suite_file_stays(played, tmp_path):
    get_suite(wish(tmp_path), lambda *told: True)
    own = (tmp_path / "suite.toml").read_text().replace("omnidocbench", "mine")
    (tmp_path / "suite.toml").write_text(own)
    (tmp_path / "images/a.jpg").unlink()
    assert get_suite(wish(tmp_path), lambda *told: True).fetched == 1
    assert load_suite(tmp_path).name == "mine"


def test_without_a_line_what_is_broken_is_told(played, tmp_path, monkeypatch):
    get_suite(wish(tmp_path), lambda *told: True)
    monkeypatch.setattr(played, "away", True)
    assert "could not be reached" in get_suite(wish(tmp_path, verify=True), lambda *told: True).remark
    content = (tmp_path / "README.md").read_bytes()
    (tmp_path / "README.md").write_bytes(content[::-1])
    lines = []
    with pytest.raises(HubAwayError, match="To place OmniDocBench by hand"):
        get_suite(wish(tmp_path, verify=True), lambda *told: True, tell=lines.append)
    assert len(lines) == 1
    assert "README.md: SHA-256" in lines[0]


def test_only_names_files(played, tmp_path):
    got = get_suite(wish(tmp_path, only=("*.json", "images/a*")), lambda *told: True)
    assert got.fetched == 2
    assert [fault.sample for fault in got.faults] == ["pages/b"]  # its image is not there
    with pytest.raises(HubError, match="no file matches nothing"):
        get_suite(wish(tmp_path / "x", only=("nothing",)), lambda *told: True)


def test_a_folder_is_never_half_a_suite(played, tmp_path, monkeypatch):
    """Stopped before any one of the moves of files, the folder does not load, or is whole; and the next call goes on."""
    packed = {"README.md": b"#", "all.zip": hub_sets.zipped(hub_sets.omnidoc())}
    monkeypatch.setattr(played, "files_there", packed)
    monkeypatch.setattr(Path, "replace", Stopper(Path.replace))
    for stop in range(1, 100):
        Stopper.left = stop
        folder = tmp_path / str(stop)
        try:
            get_suite(wish(folder), lambda *told: True)
        except KeyboardInterrupt:
            Stopper.left = 1000
            if (folder / "suite.toml").exists():
                assert not list(load_suite(folder).faults())
            else:
                with pytest.raises(VdeError):
                    load_suite(folder)
            assert get_suite(wish(folder), lambda *told: True).samples == 2
            monkeypatch.setattr(played, "files_there", {"OmniDocBench.json": hub_sets.omnidoc()["OmniDocBench.json"]})
            assert get_suite(wish(folder, update=True), lambda *told: True).samples == 2
            assert {path.name for path in folder.iterdir()} == {
                ".lock",
                ".vde-get.json",
                "OmniDocBench.json",
                "suite.toml",
            }
            monkeypatch.setattr(played, "files_there", packed)
        else:
            assert stop > 12
            return
    pytest.fail("never came to an end")


class Stopper:
    """Raises instead of the n-th move."""

    left = 0

    def __init__(self, real):
        self.real = real

    def __get__(self, path, owner=None):
        def move(target):
            Stopper.left -= 1
            if Stopper.left == 0:
                raise KeyboardInterrupt
            return self.real(path, target)

        return move


def test_paths_that_lead_out_are_known():
    assert not any(is_safe(path) for path in ("a/./b", "a//b", "a/", "./a", "a\\b", "a\0b", ".lock", ".VDE-GET/x"))
    assert is_safe("Art & Creative/图 1.png")
