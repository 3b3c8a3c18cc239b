"""Corrupted outputs: where each applies, and what differs from the right edit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vdebench.studies.validity.subject import CorruptionWorkspace, cached_typesetter, ladder_samples, typeset_suite
from vdebench.suites.suite import load_suite
from vdebench.suites.typeset.ground_truth import box_of

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
import verdicts
from output_corruptions import CORRUPTIONS
from verdicts import Judged

SIZES = {"70 % size": 0.7, "50 % size": 0.5}
OTHER_SIZE = (*SIZES, "sides multiples of 32")


@pytest.fixture(scope="module")
def workspaces():
    """A sentence inserted, words replaced and a sentence or a block deleted, on English and Chinese pages."""
    operations = "text_insert+text_replace+text_delete"
    suite = typeset_suite(load_suite(f"typeset:n=4,seed=3,languages=en+zh,ppi=72,kinds=book,operations={operations}"))
    opened = [CorruptionWorkspace(subject, cached_typesetter(72)) for subject in ladder_samples(suite)]
    yield opened
    for workspace in opened:
        workspace.__exit__()


@pytest.mark.parametrize("name", [name for name in CORRUPTIONS if not name.startswith("autoencoder")])
def test_outputs_differ_from_the_right_edit(workspaces, name):
    reference_shapes, images = [], []
    for workspace in workspaces:
        image = CORRUPTIONS[name].make(workspace)
        if image is not None:
            images.append((image, workspace.reference.image))
            reference_shapes.append(workspace.reference.image.shape)
    assert images or name == "figure or rule lost"  # these pages have none
    for image, reference in images:
        assert image.dtype == np.uint8
        if name in OTHER_SIZE:
            continue
        assert image.shape == reference.shape
        assert np.array_equal(image, reference) == (name == "right edit")
    if name in SIZES:
        assert images[0][0].shape[0] == round(reference_shapes[0][0] * SIZES[name])


@pytest.mark.parametrize("name", ["digit elsewhere", "look-alike elsewhere", "paragraph lost", "malformed elsewhere"])
def test_faults_elsewhere_leave_the_edit_alone(workspaces, name):
    for workspace in workspaces:
        image, target = CORRUPTIONS[name].make(workspace), workspace.subject.target
        if image is None or target is None:
            continue
        x1, y1, x2, y2 = (int(side) for side in box_of(workspace.reference.sheet, target))
        assert np.array_equal(image[y1:y2, x1:x2], workspace.reference.image[y1:y2, x1:x2])


def test_the_ghost_is_fainter_than_the_deleted_text(workspaces):
    made = [
        [CORRUPTIONS[f"ghost of deletion {share} %"].make(workspace) for share in (12, 30)] for workspace in workspaces
    ]
    assert any(faint is not None for faint, _ in made)
    for workspace, (faint, dark) in zip(workspaces, made, strict=True):
        if faint is not None:
            reference = workspace.reference.image.astype(int)
            assert 0 < (reference - faint).sum() < (reference - dark).sum()


def test_source_returned_is_the_page_before(workspaces):
    workspace = workspaces[0]
    image = CORRUPTIONS["source returned"].make(workspace)
    assert np.array_equal(image, workspace.typeset(workspace.subject.before).image)


def test_outputs_are_counted_by_what_a_person_says(capsys):
    accepted, refused = Judged("1", True, "", ""), Judged("2", False, "preservation", "share 0.9")
    unknown = Judged("3", None, "", "")
    verdicts.show_row("digit elsewhere", [accepted, refused, unknown])
    results = {"digit elsewhere": [accepted, refused, unknown], "slight tint": [refused], "zoom 1.5 %": [refused]}
    verdicts.show_errors(results, listed=True)
    row, *errors = capsys.readouterr().out.splitlines()
    assert row.split() == ["digit", "elsewhere", "bad", "1/2", "1", "preservation"]
    assert errors == [
        "false accepts: 1 of 2 that a person calls bad",
        "  digit elsewhere: sample 1",
        "false rejects: 1 of 1 that a person calls ok",
        "  slight tint: sample 2 preservation share 0.9",
    ]


@pytest.mark.slow
def test_the_right_edit_is_accepted_and_the_source_is_not():
    command = [sys.executable, "benchmarks/verdicts.py", "--samples", "2", "--ppi", "110"]
    command += ["--corruptions", "right edit", "source returned"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "false accepts: 0 of 2" in text
    assert "false rejects: 0 of 2" in text
