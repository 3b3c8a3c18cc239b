"""The last step of an output: it is what the editors `resize` and `autoencoder` make of a reference."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tests.editors.tiny_editors import page
from vdebench.editors.factory import get_editor
from vdebench.editors.local.loading import import_or_hide_torchvision
from vdebench.errors import MissingPartError, VdeError
from vdebench.studies.validity.outputs.after import parse_last_step


def test_nothing_and_resize():
    image = page(203, 121)
    assert parse_last_step("none")(image) is image
    assert parse_last_step("")(image) is image
    for text, options in (("resize", {}), ("resize:0.01", {"megapixels": 0.01})):
        step = pickle.loads(pickle.dumps(parse_last_step(text)))  # as other processes get it
        assert step.name == text
        made = step(image)
        assert made.shape == image.shape
        assert np.array_equal(made, get_editor("resize", **options).edit_reference(image).image)
    assert parse_last_step("resize:0.01").identity != parse_last_step("resize").identity


@pytest.mark.packages
@pytest.mark.parametrize("nested", [False, True])
def test_an_autoencoder_in_a_folder(tmp_path, nested):
    diffusers = pytest.importorskip("diffusers")
    import_or_hide_torchvision()
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    small = {"encoder_block_out_channels": (8, 8), "decoder_block_out_channels": (8, 8)}
    counts = {"num_encoder_blocks": (1, 1), "num_decoder_blocks": (1, 1), "latent_channels": 4}
    diffusers.AutoencoderTiny(**small, **counts).save_pretrained(tmp_path / "vae" if nested else tmp_path)
    step = parse_last_step(f"autoencoder:{tmp_path}" + (",subfolder=vae" if nested else ""))
    image = page(203, 121)
    options = {"subfolder": "vae"} if nested else {}
    expected = get_editor("autoencoder", weights=str(tmp_path), **options).edit_reference(image).image
    made = step(image)
    assert made.shape == image.shape
    assert np.array_equal(made, expected)
    assert not np.array_equal(made, image)


def test_what_is_no_last_step(tmp_path):
    for text in ("blur", "resize:", "autoencoder", "autoencoder:", "none:1"):
        with pytest.raises(VdeError, match=f"--after {text}: expected none, resize, resize:MEGAPIXELS, or autoencoder"):
            parse_last_step(text)
    with pytest.raises(VdeError, match="megapixels is 'big'"):
        parse_last_step("resize:big")


@pytest.mark.packages
def test_weights_that_are_not_there(tmp_path):
    pytest.importorskip("diffusers")
    with pytest.raises(MissingPartError):
        parse_last_step(f"autoencoder:{tmp_path / 'absent'}")
