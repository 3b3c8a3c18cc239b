"""Known silent errors of these models in diffusers do not occur."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.editors import tiny
from tests.editors.tiny_editors import INSTRUCTION, checkpoint, options_of, page, tiny_editor
from vdebench.editors.factory import get_editor
from vdebench.editors.local import loading, longcat, qwen_image
from vdebench.editors.local.quotes import split_at_quotes
from vdebench.errors import EditorError, TooLargeError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # other people's, on import


@pytest.fixture(autouse=True)
def _installed():
    pytest.importorskip("diffusers")


def rows_and_columns(ids, kept, grid, image):
    """Positions by the rule of the Qwen2-VL paper, in time, down and across; counted by hand, for one image.

    Text goes on by one in all three. An image's tokens share their time, and stand in rows and columns from there on;
    text after it goes on from the largest position so far. Two by two patches are one token.
    """
    down, across = int(grid[1]) // 2, int(grid[2]) // 2
    told, following, seen = [], 0, 0
    for token, counts in zip(ids, kept, strict=True):
        if not counts:
            told.append(None)
        elif token == image:
            told.append((following, following + seen // across, following + seen % across))
            seen += 1
            if seen == down * across:
                following += max(down, across)
        else:
            told.append((following,) * 3)
            following += 1
    return told


class EnoughError(Exception):
    """Nothing beyond this point is looked at."""


def encoded(editor):
    """What the encoder is given for the first prompt, its positions, and its embeddings."""
    pipe, _ = editor._loaded
    caught = {}

    def given(module, args, kwargs):
        caught.setdefault("ids", kwargs["input_ids"][0].tolist())
        caught.setdefault("kept", kwargs["attention_mask"][0].tolist())
        caught.setdefault("grid", kwargs["image_grid_thw"][0].tolist())

    def placed(module, args, kwargs):
        caught.setdefault("positions", kwargs["position_ids"])

    def seen(module, args, output):
        caught["embeddings"] = output.hidden_states[-1]
        raise EnoughError

    hooks = [
        pipe.text_encoder.register_forward_pre_hook(given, with_kwargs=True),
        pipe.text_encoder.model.language_model.register_forward_pre_hook(placed, with_kwargs=True),
        pipe.text_encoder.register_forward_hook(seen),
    ]
    with pytest.raises(EnoughError):
        editor.edit(page(), INSTRUCTION, seed=1)
    for hook in hooks:
        hook.remove()
    return caught


@pytest.mark.parametrize("name", ["qwen-image-edit", "qwen-image-edit-2509", "longcat-image-edit"])
def test_image_tokens_stand_in_rows_and_columns(name, monkeypatch):
    caught = encoded(tiny_editor(name))
    image = tiny.qwen_tokenizer().convert_tokens_to_ids("<|image_pad|>")
    assert caught["ids"].count(image) == caught["grid"][1] * caught["grid"][2] // 4 > 4
    expected = rows_and_columns(caught["ids"], caught["kept"], caught["grid"], image)
    positions = caught["positions"][-3:, 0].T.tolist()  # a fourth row, where there is one, is the plain order
    assert [told for told, place in zip(positions, expected, strict=True) if place] == [list(p) for p in expected if p]

    monkeypatch.setattr(qwen_image, "with_positions", lambda encoder: None)
    monkeypatch.setattr(longcat, "with_positions", lambda encoder: None)
    without = encoded(get_editor(name, **options_of(name)))
    assert without["ids"] == caught["ids"]
    kept = np.array(caught["kept"], bool)
    right, wrong = (each["embeddings"][0].numpy()[kept] for each in (caught, without))
    difference = np.linalg.norm(wrong - right) / np.linalg.norm(right)
    assert difference > 0.05  # all in one line: if this fails, diffusers tells the encoder itself


def painting_nothing(editor, monkeypatch):
    """The pipeline without its costliest part: what its transformer was asked, in turn."""
    pipe, _ = editor._loaded
    asked = []

    def forward(hidden_states, **others):
        asked.append({"hidden_states": hidden_states, **others})
        return (hidden_states / 2,)

    monkeypatch.setattr(pipe.transformer, "forward", forward)
    return asked


@pytest.mark.parametrize("name", ["qwen-image-edit", "qwen-image-edit-2509"])
def test_guidance_guides(name, monkeypatch):
    """Without a negative prompt the pipelines would leave `true_cfg_scale` unused, and paint once a step."""
    editor = tiny_editor(name)
    asked = painting_nothing(editor, monkeypatch)
    editor.edit(page(), INSTRUCTION, seed=1)
    told, untold = (each["encoder_hidden_states"].shape[1] for each in asked)
    assert told - untold == len(INSTRUCTION) - len(" ")  # a token a byte
    monkeypatch.setattr(editor, "true_cfg", 1.0)
    editor.edit(page(), INSTRUCTION, seed=1)
    assert len(asked) == 3


def test_kontext_keeps_the_page_s_shape(monkeypatch):
    """At its default size too; its pipeline alone would paint 1024×1024."""
    editor = tiny_editor("flux-kontext", steps=1, max_pixels=1024 * 1024)
    asked = painting_nothing(editor, monkeypatch)
    edit = editor.edit(page(200, 120), INSTRUCTION, seed=1)
    assert edit.native_size == (1312, 784)  # √(1024²·200/120) = 1321.9, √(1024²·120/200) = 793.2: down to 16
    patches = (
        1312 * 784 // 256 + 1328 * 800 // 256
    )  # what is painted; and the page, in the nearest of the model's shapes
    assert asked[0]["hidden_states"].shape[1] == patches


def test_icedit_leaves_no_black_rows(monkeypatch):
    """128·117/203 = 73.8: down to 8 the height would be 72, of which the pipeline paints 64."""
    edit = tiny_editor("icedit").edit(page(203, 117), INSTRUCTION, seed=1)
    assert edit.native_size == (128, 64)
    assert edit.image[-8:].std() > 1

    pipe, _ = tiny_editor("icedit")._loaded
    asked = {}
    monkeypatch.setattr(type(pipe), "check_inputs", lambda self, *args, **kwargs: asked.update(kwargs))
    tiny_editor("icedit").edit(page(), "Make it 57", seed=1)
    assert asked["image"].size == asked["mask_image"].size == (256, 64)
    left, right = (np.asarray(asked["image"].crop(box)) for box in ((0, 0, 128, 64), (128, 0, 256, 64)))
    assert (left == right).all()
    assert (left == np.asarray(Image.fromarray(page()).resize((128, 64), Image.Resampling.BICUBIC))).all()
    mask = np.asarray(asked["mask_image"])
    assert (mask[:, :128] == 0).all()
    assert (mask[:, 128:] == 255).all()


def test_longcat_says_how_long_an_instruction_is(monkeypatch):
    editor = tiny_editor("longcat-image-edit")
    with pytest.raises(TooLargeError, match="the instruction has 513 tokens, more than the limit of 512"):
        editor.edit(page(), "x" * 513, seed=1)
    quoted = '"' + "é" * 256 + '"'  # two bytes a letter, and the marks: 514
    with pytest.raises(TooLargeError, match="has 514 tokens"):
        editor.edit(page(), quoted, seed=1)
    asked = painting_nothing(editor, monkeypatch)
    assert editor.edit(page(), "x" * 512, seed=1).parameters["prompt_tokens"] == 512
    assert asked


def test_longcat_is_told_of_quotes_it_knows(monkeypatch):
    editor = tiny_editor("longcat-image-edit")
    pipe, _ = editor._loaded
    told, encode = [], pipe._encode_prompt
    monkeypatch.setattr(pipe, "_encode_prompt", lambda prompt, image: told.extend(prompt) or encode(prompt, image))
    painting_nothing(editor, monkeypatch)
    mapped = editor.edit(page(), "把「合计」改为“总计”", seed=1)
    left = editor.edit(page(), "Change Total to Sum", seed=1)
    assert told == ["把“合计”改为“总计”", "", "Change Total to Sum", ""]  # each with its negative prompt
    assert mapped.parameters["prompt"] == "把“合计”改为“总计”"
    assert "prompt" not in left.parameters
    assert editor.identity["quotes"] == "others-as-curly-1"


def test_longcat_s_own_splitting_tells_something_else():
    """If this fails, diffusers has mended `split_quotation`, and ours can go."""
    from diffusers.pipelines.longcat_image.pipeline_longcat_image import split_quotation

    for prompt in [INSTRUCTION, "Change the firm's 'A' to ‘B’ and “C” to D", "把“合计”改为'总计'。", "'a", "", "it's"]:
        assert split_at_quotes(prompt) == split_quotation(prompt)
    twice = "Don't touch the firm's 'Ayre'"
    assert "".join(part for part, _ in split_at_quotes(twice)) == twice
    assert "".join(part for part, _ in split_quotation(twice)) != twice
    assert tiny_editor("longcat-image-edit")._loaded
    from diffusers.pipelines.longcat_image import pipeline_longcat_image_edit

    assert pipeline_longcat_image_edit.split_quotation is split_at_quotes


def test_the_processor_is_the_checkpoint_s():
    """The same tokens and patches as Qwen2VLProcessor's, within the checkpoint's own limit of pixels."""
    from transformers import Qwen2VLImageProcessor, Qwen2VLProcessor, Qwen2VLVideoProcessor

    pipe, _ = tiny_editor("qwen-image-edit")._loaded
    with loading.quiet():
        own = Qwen2VLImageProcessor.from_pretrained(checkpoint("qwen"), subfolder="processor")
        theirs = Qwen2VLProcessor(own, pipe.tokenizer, Qwen2VLVideoProcessor())
    text = ["Look: <|vision_start|><|image_pad|><|vision_end|> and <|vision_start|><|image_pad|><|vision_end|>"]
    pictures = [Image.fromarray(page(800, 600)), Image.fromarray(page(300, 500))]
    expected = theirs(text=text, images=pictures, padding=True, return_tensors="pt")
    found = pipe.processor(text=text, images=pictures, padding=True, return_tensors="pt")
    assert found["input_ids"].tolist() == expected["input_ids"].tolist()
    assert found["image_grid_thw"].tolist() == expected["image_grid_thw"].tolist()
    assert max(int(grid.prod()) * 14 * 14 for grid in found["image_grid_thw"]) <= tiny.SEEN
    assert (found["pixel_values"] - expected["pixel_values"]).abs().mean() < 0.02  # of about 4: another bicubic filter


def test_a_torchvision_that_cannot_be_imported_changes_nothing(tmp_path):
    """In a process of its own; in this one it imports, if need be with names of operators declared."""
    (tmp_path / "torchvision").mkdir()
    (tmp_path / "torchvision/__init__.py").write_text("raise OSError('undefined symbol')")
    code = (
        "import sys\n"
        "from tests.editors.tiny_editors import INSTRUCTION, page\n"
        "from vdebench.editors.factory import get_editor\n"
        f"editor = get_editor('qwen-image-edit', **{options_of('qwen-image-edit')!r})\n"
        f"editor.edit(page(), INSTRUCTION, seed=7).image.tofile({str(tmp_path / 'image')!r})\n"
        "assert sys.modules['torchvision'] is None\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": path}, timeout=300)
    here = tiny_editor("qwen-image-edit").edit(page(), INSTRUCTION, seed=7).image
    assert (np.fromfile(tmp_path / "image", np.uint8).reshape(here.shape) == here).all()


def test_a_page_that_the_safety_checker_blanks_is_a_refusal():
    editor = get_editor("instruct-pix2pix", **options_of("instruct-pix2pix"))
    pipe, _ = editor._loaded
    pipe.safety_checker.concept_embeds_weights.data.fill_(-2.0)  # everything is alike enough
    edit = editor.edit(page(), INSTRUCTION, seed=1)
    assert edit.state == "refused"
    assert edit.image is None
    assert "safety checker" in edit.reason
    assert edit.parameters["native_size"] is None
    off = tiny_editor("instruct-pix2pix", safety_checker="off")
    assert off._loaded[0].safety_checker is None
    assert off.edit(page(), INSTRUCTION, seed=1).state == "edited"


def test_pix2pix_samples_as_its_authors_do():
    """Whatever scheduler the checkpoint has; and says where the instruction is longer than CLIP reads."""
    editor = tiny_editor("instruct-pix2pix")
    assert type(editor._loaded[0].scheduler).__name__ == "EulerAncestralDiscreteScheduler"
    told = editor.edit(page(), "x" * 100, seed=1).parameters
    assert (told["prompt_tokens"], told["prompt_cut_at"]) == (102, 77)
    assert "prompt_cut_at" not in editor.edit(page(), "x", seed=1).parameters


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_values_that_are_no_numbers_are_no_page(value):
    editor = get_editor("instruct-pix2pix", **options_of("instruct-pix2pix"))
    pipe, _ = editor._loaded
    pipe.vae.decoder.conv_out.bias.data[1] = value
    with pytest.raises(EditorError, match="values that are not finite"):
        editor.edit(page(), INSTRUCTION, seed=1)
    pipe.vae.decoder.conv_out.bias.data[1] = 0.0
    assert editor.edit(page(), INSTRUCTION, seed=1).state == "edited"
