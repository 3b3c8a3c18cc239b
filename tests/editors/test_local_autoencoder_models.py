"""The baseline `autoencoder` with tiny models of diffusers, and with real weights of FLUX.2's latent space."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.editors import tiny
from tests.editors.tiny_editors import checkpoint, page
from tests.taef2 import Taef2
from tests.taef2 import round_trip as taef2_round_trip
from vdebench.editors.editor import EditTask
from vdebench.editors.factory import get_editor
from vdebench.editors.local.loading import import_or_hide_torchvision
from vdebench.editors.local.round_trip import round_trip
from vdebench.errors import EditorError, EditorUnusableError, MissingPartError
from vdebench.io.images import open_image
from vdebench.pipeline.editing import edit_suite
from vdebench.suites.suite import ImageFiles, load_suite

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # other people's, on import

SUITE = "typeset:n=2,seed=17,languages=en,kinds=note,ppi=36,operations=text_replace"


def models() -> dict:
    """Makers of tiny autoencoders of four families, whose outputs and shapes differ."""
    import diffusers

    return {
        "kl": lambda: tiny.kl_autoencoder(4),
        "tiny": lambda: diffusers.AutoencoderTiny(
            encoder_block_out_channels=(8, 8, 8, 8), decoder_block_out_channels=(8, 8, 8, 8),
            num_encoder_blocks=(1, 1, 1, 1), num_decoder_blocks=(1, 1, 1, 1),
        ),
        "qwen": lambda: diffusers.AutoencoderKLQwenImage(
            base_dim=4, z_dim=4, dim_mult=[1, 1, 1, 1], num_res_blocks=1, temperal_downsample=[False, True, True],
            latents_mean=[0.0] * 4, latents_std=[1.0] * 4,
        ),
        "dc": lambda: diffusers.AutoencoderDC(
            latent_channels=4, attention_head_dim=4,
            encoder_block_types=("ResBlock",) * 6, decoder_block_types=("ResBlock",) * 6,
            encoder_block_out_channels=(8,) * 6, decoder_block_out_channels=(8,) * 6,
            encoder_layers_per_block=(1,) * 6, decoder_layers_per_block=(1,) * 6,
            encoder_qkv_multiscales=((),) * 6, decoder_qkv_multiscales=((),) * 6,
        ),
    }  # fmt: skip


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Saves a tiny autoencoder with random weights to a folder; the hub is offline."""
    pytest.importorskip("diffusers")
    import_or_hide_torchvision()
    import torch
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))

    def save(name: str = "kl", seed: int = 0, folder: Path | None = None) -> Path:
        torch.manual_seed(seed)
        folder = folder or tmp_path / f"{name}-{seed}"
        models()[name]().save_pretrained(folder)
        return folder

    return save


def by_hand(folder, pixels, kind="AutoencoderKL"):
    """A page whose sides are multiples of the model's factor, by diffusers' own preparation and `forward`."""
    import diffusers
    import torch

    model = getattr(diffusers, kind).from_pretrained(folder)
    processor = diffusers.image_processor.VaeImageProcessor()
    x = processor.preprocess(Image.fromarray(pixels))
    with torch.inference_mode():
        y = model(x[:, :, None] if kind == "AutoencoderKLQwenImage" else x).sample.reshape(x.shape)
    return np.rint(processor.postprocess(y, output_type="np")[0] * 255).astype(int)


@pytest.mark.parametrize(
    ("name", "kind", "sent"),
    [
        ("kl", "AutoencoderKL", (208, 128)),
        ("tiny", "AutoencoderTiny", (208, 128)),
        ("qwen", "AutoencoderKLQwenImage", (208, 128)),
        ("dc", "AutoencoderDC", (224, 128)),  # factor 32
    ],
)
def test_a_reference_in_its_own_size(build, name, kind, sent):
    folder = build(name)
    reference = page(203, 121)
    edit = get_editor("autoencoder", weights=str(folder), megapixels=0).edit_reference(reference)
    assert edit.native_size == (203, 121)
    assert edit.parameters["sent_size"] == list(sent)
    padded = np.asarray([*reference, *[reference[-1]] * (sent[1] - 121)])
    padded = np.concatenate([padded, *[padded[:, -1:]] * (sent[0] - 203)], axis=1)
    expected = by_hand(folder, padded, kind)[:121, :203]
    assert np.abs(edit.image - expected).max() <= 1  # rounding
    assert edit.image.std() > 0


def test_a_reference_at_some_megapixels(build):
    # 0.02 · 1024² = 20972 px; √(20972 · 203 / 121) = 187.6, √(20972 · 121 / 203) = 111.8: to 16
    folder, lanczos = build(), Image.Resampling.LANCZOS
    edit = get_editor("autoencoder", weights=str(folder), megapixels="0.02").edit_reference(page())
    assert edit.native_size == (203, 121)
    assert edit.parameters["sent_size"] == [192, 112]
    inner = by_hand(folder, np.asarray(Image.fromarray(page()).resize((192, 112), lanczos)))
    expected = Image.fromarray(inner.astype(np.uint8)).resize((203, 121), lanczos)
    assert np.abs(edit.image.astype(int) - np.asarray(expected)).max() <= 2  # rounding, enlarged
    assert edit.seconds > 0


def test_a_part_of_a_pipeline(build):
    pipeline = checkpoint("pix2pix")
    edit = get_editor("autoencoder", weights=str(pipeline), subfolder="vae", megapixels=0).edit_reference(page())
    alone = get_editor("autoencoder", weights=str(pipeline / "vae"), megapixels=0).edit_reference(page())
    assert (edit.image == alone.image).all()
    with pytest.raises(MissingPartError, match=r"contains no config\.json(.|\n)*subfolder=vae"):
        _ = get_editor("autoencoder", weights=str(pipeline)).identity
    with pytest.raises(EditorUnusableError, match="UNet2DConditionModel is not an autoencoder"):
        get_editor("autoencoder", weights=str(pipeline), subfolder="unet").edit_reference(page())


def test_identity_has_every_option_and_no_path(build, tmp_path):
    folder = build()
    told = get_editor("autoencoder", weights=str(folder)).identity
    assert str(tmp_path) not in str(told)
    expected = {"weights": "a folder", "subfolder": "", "device": "cpu", "dtype": "float32", "megapixels": "1.0"}
    assert {**told, **expected} == told
    assert {"torch", "diffusers"} <= set(told)

    def changed(**options):
        other = get_editor("autoencoder", **{"weights": str(folder), **options}).identity
        return {key for key in told if told[key] != other[key]}

    assert changed(weights=str(build(folder=tmp_path / "the same elsewhere"))) == set()
    assert changed(weights=str(build(seed=1))) == {"revision"}
    assert changed(megapixels=0.5) == {"megapixels"}
    assert changed(megapixels=0) == {"megapixels", "input"}
    assert changed(dtype="bfloat16") == {"dtype"}
    assert changed(weights=str(folder.parent), subfolder=folder.name) == {"subfolder"}


def test_weights_of_the_hub_from_its_cache(build, tmp_path):
    commit = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "hub/models--owner--vae"
    (home / "refs").mkdir(parents=True)
    (home / "refs/main").write_text(commit)
    build(folder=home / "snapshots" / commit)
    editor = get_editor("autoencoder", weights="owner/vae", megapixels=0)
    assert (editor.identity["weights"], editor.identity["revision"]) == ("owner/vae", commit)
    expected = get_editor("autoencoder", weights=str(build()), megapixels=0).edit_reference(page())
    assert (editor.edit_reference(page()).image == expected.image).all()
    with pytest.raises(MissingPartError, match="owner/absent are not on this machine"):
        _ = get_editor("autoencoder", weights="owner/absent").identity


def test_half_precision_and_closing(build):
    editor = get_editor("autoencoder", weights=str(build()), dtype="bfloat16", megapixels=0)
    edit = editor.edit_reference(page())
    assert edit.parameters["dtype"] == "bfloat16"
    full = get_editor("autoencoder", weights=str(build()), megapixels=0).edit_reference(page())
    assert 0 < np.abs(edit.image.astype(int) - full.image).mean() < 4
    editor.close()
    assert "_loaded" not in vars(editor)
    assert (editor.edit_reference(page()).image == edit.image).all()


def test_failures(build, tmp_path, monkeypatch):
    import torch

    folder = build()
    (folder / "diffusion_pytorch_model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(EditorUnusableError, match=r"autoencoder: the weights .* cannot be loaded"):
        get_editor("autoencoder", weights=str(folder)).edit_reference(page())
    editor = get_editor("autoencoder", weights=str(build(seed=2)))

    def full(*args, **kwargs):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

    monkeypatch.setattr(editor._loaded, "decode", full)
    with pytest.raises(EditorError, match="out of memory on cpu for a page of 203×121\n  try a smaller megapixels"):
        editor.edit_reference(page())
    monkeypatch.setattr(editor._loaded, "decode", lambda z: torch.full((1, 3, 1024, 1024), torch.nan))
    with pytest.raises(EditorError, match=r"not finite \(dtype float32\)"):
        editor.edit_reference(page(200, 200))
    monkeypatch.setattr(editor._loaded, "decode", lambda z: z)
    with pytest.raises(EditorUnusableError, match=r"it returned .* for an image of"):
        editor.edit_reference(page())


def test_a_suite(build, tmp_path):
    """In a process of its own, as every run does; resumed without loading the model again."""
    suite, options = load_suite(SUITE), {"weights": str(build()), "megapixels": "0.02"}
    made = edit_suite(suite, "autoencoder", tmp_path / "e", options=options)
    assert [each.state for each in made] == ["edited"] * len(made), made
    for each, sample in zip(made, suite.samples, strict=True):
        reference = suite.image_files(sample).reference
        image = open_image(tmp_path / "e" / each.file)
        assert image.shape == open_image(reference).shape
        task = EditTask(image, "x", files=ImageFiles(reference=reference))
        assert np.abs(get_editor("autoencoder", **options).run_task(task).image.astype(int) - image).max() <= 2
    assert edit_suite(suite, "autoencoder", tmp_path / "e", options=options) == made


class SignedTaef2:
    """TAEF2 with RGB in [-1, 1], as diffusers has it: any object with `encode` and `decode` will do."""

    def __init__(self, folder: Path) -> None:
        self.model = Taef2(folder)

    def encode(self, x):
        return self.model.encode((x + 1) / 2)

    def decode(self, z):
        return self.model.decode(z) * 2 - 1


@pytest.fixture
def folder(shared):
    pytest.importorskip("torch")
    folder = shared / "data/autoencoder"
    if not (folder / "taef2_encoder.npz").exists():
        pytest.skip(f"no autoencoder at {folder}: the weights of TAEF2 are not part of the project")
    return folder


def test_real_weights(folder, shared):
    """A part of a real page: text survives the codec, and loses more at a lower resolution."""
    file = sorted((shared / "data/omnidocbench/images").glob("*chroma*"))[0]
    part = open_image(file)[300:477, 100:363]
    model, losses = SignedTaef2(folder), []
    for megapixels in (0, part.size / 3 / 4 / 1024**2):
        image = round_trip(part, model, megapixels).image
        expected = taef2_round_trip(part, model.model, megapixels or None)
        assert image.shape == expected.shape == part.shape
        assert np.abs(image.astype(int) - expected).max() <= 2  # another range of numbers
        losses.append(np.mean((image.astype(float) - part) ** 2))
    psnr = 10 * np.log10(255**2 / np.array(losses))
    assert 24 < psnr[0] < 40
    assert psnr[1] < psnr[0] - 5


def test_flat_pages(folder):
    for level in (0, 128, 255):
        flat = np.full((50, 70, 3), level, np.uint8)
        assert np.abs(round_trip(flat, SignedTaef2(folder)).image.astype(int) - level).max() <= 3
