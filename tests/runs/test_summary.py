"""Summaries of runs are checked when they are read, whichever command reads them."""

import json
import shutil

import pytest

from tests.cli.test_cli import TINY, vde
from vdebench.errors import RunFolderError
from vdebench.runs.summary import read_summary


@pytest.fixture(scope="module")
def old_run(tmp_path_factory):
    """A run as version 0.1.0 wrote it: other names of the OCR ceiling."""
    folder = tmp_path_factory.mktemp("old") / "run"
    vde("score", TINY, "--ocr-output", f"{TINY}/editors/copy", "--out", folder)
    file = folder / "summary.json"
    summary = json.loads(file.read_text())
    summary["noise_floor"] = summary.pop("ocr_ceiling")
    file.write_text(json.dumps(summary))
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("table", "RUN"),
        ("report", "RUN", "-o", "OUT"),
        ("leaderboard", "RUN", "-o", "OUT"),
        ("usable", "RUN"),
        ("compare", "RUN", "RUN"),
        ("submit", "RUN", "-o", "OUT"),
    ],
)
def test_every_command_refuses_a_run_of_an_older_version(old_run, tmp_path, command):
    places = {"RUN": str(old_run), "OUT": str(tmp_path / "out")}
    error = vde(*(places.get(part, part) for part in command), code=2).stderr
    assert "written by an older version of vdebench" in " ".join(error.split())
    assert not (tmp_path / "out").exists()


def test_scoring_into_the_folder_of_an_older_version_brings_it_up_to_date(old_run, tmp_path):
    folder = shutil.copytree(old_run, tmp_path / "run")
    with pytest.raises(RunFolderError, match="older version"):
        read_summary(folder / "summary.json")
    vde("score", TINY, "--ocr-output", f"{TINY}/editors/copy", "--out", folder)
    assert read_summary(folder / "summary.json")["editor"] == "copy"
