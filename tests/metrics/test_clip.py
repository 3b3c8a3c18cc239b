"""CLIP with a tiny random model: folders, cache, long texts, preprocessing."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vdebench.errors import InputError, MissingPartError
from vdebench.metrics import clip as ours
from vdebench.metrics.clip import Clip

SIDE = 32


def test_absent_packages(monkeypatch, tmp_path):
    monkeypatch.setattr(ours.weight_files, "find_spec", lambda name: None)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(MissingPartError) as error:
        Clip()
    assert str(error.value).splitlines() == [
        "clip needs torch, transformers, not installed",
        "  pip install 'vdebench[clip]'",
        "clip needs the weights openai/clip-vit-base-patch32, not found",
        "  hf download openai/clip-vit-base-patch32   (or a folder with it in $VDE_WEIGHTS)",
    ]


def test_no_weights_anywhere(monkeypatch, tmp_path):
    monkeypatch.setattr(ours.weight_files, "absent_packages", lambda *names: [])
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("VDE_WEIGHTS", str(tmp_path))
    (tmp_path / "clip-vit-base-patch32").mkdir()  # empty: a download that was broken off
    assert "clip needs the weights openai/clip-vit-base-patch32, not found" in Clip.missing()


@pytest.fixture(scope="session")
def tiny(torch, tmp_path_factory) -> Path:
    """A CLIP of two narrow layers, its vocabulary all bytes and a few words of the test."""
    pytest.importorskip("transformers")
    from transformers import CLIPConfig, CLIPModel
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    folder = tmp_path_factory.mktemp("tiny-clip")
    letters = list(bytes_to_unicode().values())
    merges = ["t h", "th e</w>", "p a", "pa g", "pag e</w>"]
    words = [*letters, *(letter + "</w>" for letter in letters), *(merge.replace(" ", "") for merge in merges)]
    words += ["<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({word: index for index, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges) + "\n")
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "CLIPTokenizer", "model_max_length": 77})
    )
    narrow = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    text = narrow | {"vocab_size": len(words), "bos_token_id": len(words) - 2, "eos_token_id": len(words) - 1}
    vision = narrow | {"image_size": SIDE, "patch_size": 8}
    torch.manual_seed(3)
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=16))
    model.save_pretrained(folder)
    return folder


def embedding(folder, **inputs):
    """By transformers' own way through the model."""
    import torch
    from transformers import CLIPModel

    with torch.no_grad():
        model = CLIPModel.from_pretrained(folder)
        found = (model.get_image_features if "pixel_values" in inputs else model.get_text_features)(**inputs)
        vectors = getattr(found, "pooler_output", found)
        return (vectors / vectors.norm(dim=-1, keepdim=True)).numpy()


@pytest.mark.slow
@pytest.mark.parametrize("cut", [np.s_[:], np.s_[:100], np.s_[:, :90], np.s_[:77, :77]])
def test_images_as_transformers_compares_them(tiny, drawn, cut):
    import torch

    processor = pytest.importorskip("transformers.models.clip.image_processing_pil_clip").CLIPImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE}
    )
    candidate, reference = (np.ascontiguousarray(image[cut]) for image in drawn)
    pixels = torch.from_numpy(np.stack(processor([candidate, reference])["pixel_values"]))
    one, other = embedding(tiny, pixel_values=pixels)
    assert Clip(tiny).image(candidate, reference) == pytest.approx(float(one @ other), abs=1e-6)


@pytest.mark.slow
def test_image_and_text(tiny, drawn):
    import torch

    clip = Clip(tiny)
    assert clip.image(drawn[1], drawn[1]) == pytest.approx(1, abs=1e-9)
    assert clip.tokens("the page") == 4  # two words, two ends
    words = json.loads((tiny / "vocab.json").read_text())
    ids = [words[word] for word in ("<|startoftext|>", "the</w>", "page</w>", "<|endoftext|>")]
    read = embedding(tiny, input_ids=torch.tensor([ids]))[0]
    seen = embedding(tiny, pixel_values=torch.from_numpy(clip._prepared(drawn[0])[None]))[0]
    assert clip.text(drawn[0], "the page") == pytest.approx(float(seen @ read), abs=1e-6)


@pytest.mark.slow
def test_long_texts_are_cut_and_said_to_be(tiny, drawn):
    clip = Clip(tiny)
    fits, long = "the " * 75, "the " * 76
    assert (clip.most_tokens, clip.tokens(fits), clip.tokens(long)) == (77, 77, 78)
    assert not clip.is_cut(fits)
    assert clip.is_cut(long)
    assert clip.text(drawn[0], long) == clip.text(drawn[0], fits)
    assert clip.text(drawn[0], "page " + fits) != clip.text(drawn[0], fits)


@pytest.mark.slow
def test_the_whole_page_where_asked(tiny, drawn):
    """What stands at the page's ends does not reach the model in the middle square."""
    page = drawn[1][:150]
    ends = page.copy()
    ends[:, :40] = 0
    assert Clip(tiny).image(ends, page) == pytest.approx(1, abs=1e-9)
    assert Clip(tiny, crop=False).image(ends, page) < 1 - 1e-6
    assert Clip(tiny).identity != Clip(tiny, crop=False).identity


@pytest.mark.slow
def test_where_weights_are_found(tiny, monkeypatch, tmp_path, drawn):
    monkeypatch.setenv("VDE_WEIGHTS", str(tmp_path))
    (tmp_path / "clip-vit-base-patch32").symlink_to(tiny)
    at_weights = Clip().identity
    monkeypatch.delenv("VDE_WEIGHTS")
    cache = tmp_path / "hub/models--openai--clip-vit-base-patch32"
    (cache / "refs").mkdir(parents=True)
    (cache / "refs/main").write_text("abc")
    (cache / "snapshots").mkdir()
    (cache / "snapshots/abc").symlink_to(tiny)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    assert Clip().identity == at_weights == Clip(tiny).identity


@pytest.mark.slow
def test_a_broken_folder_is_named(tiny, tmp_path, drawn):
    (tmp_path / "config.json").write_text((tiny / "config.json").read_text())
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a CLIP model"):
        Clip(tmp_path).image(*drawn)


@pytest.mark.slow
def test_half_a_model_is_refused(tiny, tmp_path, drawn):
    """And not filled up with random numbers."""
    from safetensors.torch import load_file, save_file

    (tmp_path / "config.json").write_text((tiny / "config.json").read_text())
    tensors = load_file(tiny / "model.safetensors")
    del tensors["visual_projection.weight"]
    save_file(tensors, tmp_path / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"1 tensors are missing \(visual_projection.weight"):
        Clip(tmp_path).image(*drawn)


@pytest.mark.slow
def test_it_says_nothing_on_its_own(tiny, drawn, capfd):
    Clip(tiny).text(drawn[0], "the page " * 60)
    assert capfd.readouterr() == ("", "")
