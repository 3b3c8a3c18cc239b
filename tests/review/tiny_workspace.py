"""A workspace of `vde build` with nine edits on three small pages, in a font that a reader of a few lines reads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.build.pages import write_pages
from vdebench.build.edit import edit
from vdebench.build.instruct import instruct
from vdebench.build.pages import initialise, prepare
from vdebench.build.read import read
from vdebench.build.settings import BuildSettings, Component, SourceSettings
from vdebench.build.workspace import Workspace
from vdebench.core.box import Box
from vdebench.editors.catalog import EDITORS
from vdebench.readers.reader import READERS

REFUSED = "mill"
"""Of `refusing`: the editor refuses instructions with this word."""


def with_our_reader(patch: pytest.MonkeyPatch, cache: Path) -> None:
    """Let `code` be a reader and an editor, with a cache of its own."""
    patch.setitem(READERS, "code", "tests.build.pages:CodeReader")
    patch.setitem(EDITORS, "code", "tests.build.pages:CodeEditor")
    patch.setenv("VDE_CACHE", str(cache))


def make_workspace(folder: Path, **options: str) -> Path:
    """Pages, instructions, edits and readings in `folder / "ws"`; `options` are the editor's."""
    with pytest.MonkeyPatch.context() as patch:
        with_our_reader(patch, folder / "cache")
        source = SourceSettings(str(write_pages(folder / "scans")), document="note")
        chosen = Component("code", dict(options))
        settings = BuildSettings(
            "tiny", "cc-by-4.0", "v1", 3, editor=chosen, reader=Component("code"), sources=(source,)
        )
        made = prepare(folder / "ws", settings)
        initialise(made, 1)
        instruct(made)
        edit(made, workers=1)
        read(made, workers=1)
    return folder / "ws"


@pytest.fixture(scope="session")
def edited_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds a workspace, not to be changed."""
    folder = tmp_path_factory.mktemp("edited")
    make_workspace(folder)
    return folder


@pytest.fixture
def workspace(tmp_path: Path, edited_workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A copy of it, to be changed."""
    with_our_reader(monkeypatch, tmp_path / "cache")
    shutil.copytree(edited_workspace, tmp_path, dirs_exist_ok=True)
    return Workspace(tmp_path / "ws")


def whole(box: Box) -> Box:
    """A box of whole pixels, as people draw them."""
    return Box(int(box.x1), int(box.y1), int(box.x2), int(box.y2))


def boxes_of(workspace: Workspace, id: str) -> tuple[Box, ...]:
    """Where an edit differs from its page."""
    return tuple(whole(box) for box in workspace.edits_read()[id].regions)
