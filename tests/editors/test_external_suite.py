"""A killed external program loses one sample, which is edited on resume."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.colours import paint
from tests.editors.test_external import alive
from vdebench.editors.external.program import stop_programs
from vdebench.io.images import open_image
from vdebench.pipeline.editing import edit_suite, identity_of
from vdebench.suites.suite import load_suite

PROGRAM = Path(__file__).parent / "programs/inverting.py"


@pytest.fixture
def suite(make):
    root, _ = make(5)
    with (root / "suite.toml").open("a") as file:
        file.write('source_images = "before"\n')
    for index in range(5):
        paint(root / f"before/page_{index}.png", index + 1)
    yield load_suite(root)
    stop_programs()


@pytest.mark.parametrize("concurrency", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_kill_midway_loses_one_sample_and_resuming_makes_it(suite, tmp_path, concurrency):
    once = tmp_path / "died"
    command = shlex.join([sys.executable, str(PROGRAM), "--device", "cpu", "--once", str(once)])
    options = {"command": command, "concurrency": concurrency}
    made = edit_suite(suite, "external", tmp_path / "e", options=options)
    lost = [each for each in made if each.state == "failed"]
    assert once.exists()
    assert len(lost) == 1
    assert "was ended by SIGKILL" in lost[0].reason
    assert "the GPU is on fire" in lost[0].reason
    edited = [each for each in made if each.state == "edited"]
    assert len(edited) == 4
    assert concurrency == 2 or made.index(lost[0]) == 2
    assert not [each for each in edited if alive(each.metadata["process"])]  # programs end with the stage
    assert identity_of(tmp_path / "e")["model"] == "tests/inverting"

    again = edit_suite(suite, "external", tmp_path / "e", options=options)
    assert [each.state for each in again] == ["edited"] * 5
    assert list(edited) == [new for new in again if new.sample != lost[0].sample]
    for each in again:
        page = open_image(tmp_path / "e" / each.file)
        half = page.shape[1] // 2
        assert (page[:, :half].astype(int) != page[:, half : 2 * half]).any()
