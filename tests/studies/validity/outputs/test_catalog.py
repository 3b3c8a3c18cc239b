"""Corrupted outputs: where each applies, and what differs from the right edit."""

from __future__ import annotations

import numpy as np
import pytest

from vdebench.errors import InputError
from vdebench.studies.validity.outputs.catalog import OUTPUT_CORRUPTIONS, get_output_corruption, get_output_corruptions
from vdebench.studies.validity.subject import CorruptionWorkspace, cached_typesetter, ladder_samples, typeset_suite
from vdebench.suites.suite import load_suite
from vdebench.suites.typeset.ground_truth import box_of

SIZES = {"70-size": 0.7, "50-size": 0.5}
OTHER_SIZE = (*SIZES, "sides-multiples-of-32", "1-MP")


@pytest.fixture(scope="module")
def workspaces():
    """A sentence inserted, words replaced and a sentence or a block deleted, on English and Chinese pages."""
    operations = "text_insert+text_replace+text_delete"
    suite = typeset_suite(load_suite(f"typeset:n=4,seed=3,languages=en+zh,ppi=72,kinds=book,operations={operations}"))
    opened = [CorruptionWorkspace(subject, cached_typesetter(72)) for subject in ladder_samples(suite)]
    yield opened
    for workspace in opened:
        workspace.__exit__()


@pytest.mark.parametrize("name", OUTPUT_CORRUPTIONS)
def test_outputs_differ_from_the_right_edit(workspaces, name):
    reference_shapes, images = [], []
    for workspace in workspaces:
        image = OUTPUT_CORRUPTIONS[name].make(workspace)
        if image is not None:
            images.append((image, workspace.reference.image))
            reference_shapes.append(workspace.reference.image.shape)
    assert images or name == "figure-or-rule-lost"  # these pages have none
    for image, reference in images:
        assert image.dtype == np.uint8
        if name in OTHER_SIZE:
            continue
        assert image.shape == reference.shape
        assert np.array_equal(image, reference) == (name == "right-edit")
    if name in SIZES:
        assert images[0][0].shape[0] == round(reference_shapes[0][0] * SIZES[name])


@pytest.mark.parametrize("name", ["digit-elsewhere", "look-alike-elsewhere", "paragraph-lost", "malformed-elsewhere"])
def test_faults_elsewhere_leave_the_edit_alone(workspaces, name):
    for workspace in workspaces:
        image, target = OUTPUT_CORRUPTIONS[name].make(workspace), workspace.subject.target
        if image is None or target is None:
            continue
        x1, y1, x2, y2 = (int(side) for side in box_of(workspace.reference.sheet, target))
        assert np.array_equal(image[y1:y2, x1:x2], workspace.reference.image[y1:y2, x1:x2])


def test_one_character_is_malformed(workspaces):
    for workspace in workspaces:
        image, reference = get_output_corruption("malformed-elsewhere").make(workspace), workspace.reference.image
        down, across = np.nonzero((image != reference).any(axis=2))
        assert 0 < max(np.ptp(down), np.ptp(across)) < 40  # pixels: one character, of a heading at most


def test_the_ghost_is_fainter_than_the_deleted_text(workspaces):
    made = [
        [OUTPUT_CORRUPTIONS[f"ghost-of-deletion-{share}"].make(workspace) for share in (12, 30)]
        for workspace in workspaces
    ]
    assert any(faint is not None for faint, _ in made)
    for workspace, (faint, dark) in zip(workspaces, made, strict=True):
        if faint is not None:
            reference = workspace.reference.image.astype(int)
            assert 0 < (reference - faint).sum() < (reference - dark).sum()


def test_source_returned_is_the_page_before(workspaces):
    workspace = workspaces[0]
    image = OUTPUT_CORRUPTIONS["source-returned"].make(workspace)
    assert np.array_equal(image, workspace.typeset(workspace.subject.before).image)


def test_names_and_titles():
    assert get_output_corruption("digit elsewhere") is get_output_corruption("digit-elsewhere")
    assert [each.name for each in get_output_corruptions(["1 MP", "source-returned", "1-MP"])] == [
        "1-MP",
        "source-returned",
    ]
    assert len(get_output_corruptions([])) == len(OUTPUT_CORRUPTIONS) == 45
    assert {each.opinion for each in OUTPUT_CORRUPTIONS.values()} == {"ok", "arguable", "minor", "bad"}
    with pytest.raises(InputError, match="no output corruption is called 'smudge'; there are: right-edit, JPEG-85, "):
        get_output_corruption("smudge")
