"""A small run with images, by a reader that other processes of the tests need not know."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.colours import paint, write_colours
from vdebench.pipeline.score import score
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import READERS
from vdebench.submission.pack import write_submission
from vdebench.submission.verify import VerificationRequest

COLOUR = ("colour", "tests.colours:ColourReader")


class Scored(NamedTuple):
    suite: Path
    editor: Path
    run: Path


@pytest.fixture(scope="session")
def scored_once(tmp_path_factory):
    """Four pages: one right, one wrong, one missing, one that is no image."""
    folder = tmp_path_factory.mktemp("scored")
    root, editor = write_colours(folder, 4)
    paint(editor / "text/page_0.png", 0)
    paint(editor / "text/page_1.png", 5)
    (editor / "text/page_3.png").write_bytes(b"not an image")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(READERS, *COLOUR)
        patch.setenv("VDE_CACHE", str(folder / "cache"))
        score(root, editor, reader=CachedReader.named("colour"), metrics=["psnr"], workers=1, out=folder / "run")
    return folder


@pytest.fixture
def coloured(scored_once, tmp_path, monkeypatch):
    """A copy of the run that a test may change, as if it had been made there."""
    monkeypatch.setitem(READERS, *COLOUR)
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    for name in ("suite", "editor", "run", "cache"):
        shutil.copytree(scored_once / name, tmp_path / name)
    noted = tmp_path / "run/run.json"
    noted.write_text(noted.read_text().replace(str(scored_once), str(tmp_path)))
    return Scored(tmp_path / "suite", tmp_path / "editor", tmp_path / "run")


@pytest.fixture
def handed(coloured, tmp_path):
    """The run as it is handed in, with its predictions, and how to score all of it again."""
    write_submission(coloured.run, tmp_path / "run.zip", with_predictions=True)
    return tmp_path / "run.zip", VerificationRequest(suite=coloured.suite, part=1, workers=1)
