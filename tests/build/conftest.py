"""Fixtures of the build pipeline."""

from __future__ import annotations

import shutil

import pytest

from tests.build.pages import CodeReader, write_pages
from vdebench.build.edit import edit
from vdebench.build.instruct import instruct
from vdebench.build.pages import initialise, prepare
from vdebench.build.read import read
from vdebench.build.review import review_automatically
from vdebench.build.settings import BuildSettings, Component, SourceSettings
from vdebench.build.workspace import Workspace
from vdebench.editors.catalog import EDITORS
from vdebench.readers.reader import READERS


@pytest.fixture(autouse=True)
def _code(monkeypatch, tmp_path):
    """A reader and an editor of a font that both know, with a cache of their own."""
    monkeypatch.setitem(READERS, "code", "tests.build.pages:CodeReader")
    monkeypatch.setitem(EDITORS, "code", "tests.build.pages:CodeEditor")
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    CodeReader.pages = 0


@pytest.fixture(scope="session")
def _reviewed(tmp_path_factory):
    """A workspace in which all but the package is done, made once."""
    folder = tmp_path_factory.mktemp("reviewed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(READERS, "code", "tests.build.pages:CodeReader")
        patch.setitem(EDITORS, "code", "tests.build.pages:CodeEditor")
        patch.setenv("VDE_CACHE", str(folder / "cache"))
        made = prepare(folder / "ws", tiny(folder))
        initialise(made, 1)
        instruct(made)
        edit(made, workers=1)
        read(made, workers=1)
        review_automatically(made, workers=1)
    return folder


@pytest.fixture
def reviewed(tmp_path, _reviewed):
    """A copy of it, with its cache."""
    shutil.copytree(_reviewed, tmp_path, dirs_exist_ok=True)
    return Workspace(tmp_path / "ws")


def tiny(folder):
    """Settings for three small pages."""
    source = SourceSettings(str(write_pages(folder / "scans")), document="note")
    return BuildSettings(
        "tiny", "cc-by-4.0", "v1", 3, editor=Component("code"), reader=Component("code"), sources=(source,)
    )


@pytest.fixture
def settings(tmp_path):
    """Of three small pages."""
    return tiny(tmp_path)


@pytest.fixture
def workspace(tmp_path, settings):
    """With its pages in it."""
    made = prepare(tmp_path / "ws", settings)
    initialise(made, 1)
    return made
