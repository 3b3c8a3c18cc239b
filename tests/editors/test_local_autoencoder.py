"""The baseline `autoencoder` without models: options, and what is missing."""

from __future__ import annotations

import pytest

from tests.editors.tiny_editors import page
from vdebench.editors.factory import get_editor
from vdebench.editors.local import model as local
from vdebench.editors.local.autoencoder import AutoencoderEditor
from vdebench.errors import MissingPartError, VdeError


@pytest.fixture
def _installed(monkeypatch):
    """As if the packages were there."""
    monkeypatch.setattr(local, "find_spec", lambda package: object())


def test_what_is_missing(monkeypatch):
    monkeypatch.setattr(local, "find_spec", lambda package: None)
    told = AutoencoderEditor.missing(weights="a/b")
    assert told.startswith("the editor autoencoder needs torch, diffusers, transformers, accelerate, not installed\n")
    monkeypatch.setattr(local, "find_spec", lambda package: object())
    assert AutoencoderEditor.missing(weights="a/b") == ""
    assert AutoencoderEditor.missing().startswith("the editor autoencoder has no weights\n")
    with pytest.raises(MissingPartError, match="has no weights"):
        get_editor("autoencoder")


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"megapixels": "-1"}, "megapixels is '-1', expected a number 0 (the page's own size) or more, at most 170"),
        ({"subfolder": "../other"}, "subfolder is '../other', expected the name of a folder, such as vae"),
        ({"dtype": "fp8"}, "dtype is 'fp8', expected auto, bfloat16, float16 or float32"),
        ({"device": "gpu"}, "device is 'gpu', expected auto, cuda, mps or cpu"),
        ({"steps": "5"}, "has no option 'steps'; it has: weights, revision, device, dtype, subfolder, megapixels"),
    ],
)
def test_options_that_make_no_sense(options, told):
    with pytest.raises(VdeError) as error:
        get_editor("autoencoder", weights="a/b", **options)
    assert told in str(error.value)


@pytest.mark.usefixtures("_installed")
def test_options_come_as_strings_too():
    editor = get_editor("autoencoder", weights=" a/b ", megapixels="0.5", subfolder="/vae/")
    assert (editor.weights, editor.megapixels, editor.subfolder) == ("a/b", 0.5, "vae")
    edit = editor.edit(page(), "x")
    assert (edit.state, edit.reason) == ("refused", "the suite has no reference image of this sample")
