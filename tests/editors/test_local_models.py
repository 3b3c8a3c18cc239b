"""Each local editor loads a tiny random checkpoint from disk, offline, and edits a page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from threading import Thread
from unittest.mock import create_autospec

import numpy as np
import pytest

from tests.editors import tiny
from tests.editors.tiny_editors import INSTRUCTION, OPTIONS, checkpoint, lora, options_of, page, tiny_editor
from vdebench.editors.editor import EditTask
from vdebench.editors.factory import get_editor
from vdebench.editors.local import loading
from vdebench.errors import EditorError, EditorUnusableError, MissingPartError, VdeError
from vdebench.io.images import open_image
from vdebench.pipeline.editing import edit_suite
from vdebench.suites.suite import load_suite

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # other people's, on import

SIZES = {  # of what comes back for a page of 203×121
    "instruct-pix2pix": (200, 120),  # down to 8
    "magicbrush": (200, 120),
    "flux-kontext": (176, 96),  # √(20000·203/121) = 183.2, √(20000·121/203) = 109.2: down to 16
    "qwen-image-edit": (192, 96),  # the same to the nearest 32
    "qwen-image-edit-2509": (192, 96),
    "qwen-image-edit-2511": (192, 96),
    "firered-image-edit": (192, 96),
    "longcat-image-edit": (1328, 800),  # √(1024²·203/121) = 1326.3, 790.6: up to 16
    "icedit": (128, 64),  # 128·121/203 = 76.3: down to 16
}


@pytest.fixture(autouse=True)
def _offline(monkeypatch, tmp_path):
    pytest.importorskip("diffusers")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.mark.parametrize("name", OPTIONS)
def test_edits_a_page(name):
    editor = tiny_editor(name)
    edit = editor.edit(page(), INSTRUCTION, seed=7)
    assert edit.state == "edited"
    assert edit.image.dtype == np.uint8
    assert edit.native_size == SIZES[name]
    assert edit.image.std() > 1  # not a blank
    assert edit.parameters["page_size"] == [203, 121]
    assert edit.parameters["asked_size"] == edit.parameters["native_size"] == list(SIZES[name])
    assert edit.parameters["seed"] == 7
    assert edit.seconds > 0
    if name in ("qwen-image-edit-2511", "firered-image-edit"):  # the pipeline, weights and options of 2509
        assert (edit.image == tiny_editor("qwen-image-edit-2509").edit(page(), INSTRUCTION, seed=7).image).all()
        return
    assert (edit.image == editor.edit(page(), INSTRUCTION, seed=7).image).all()
    assert (edit.image != editor.edit(page(), INSTRUCTION, seed=8).image).any()


def test_what_is_sent():
    """Qwen and LongCat get the page as it is, the others as they will see it."""
    sent = {
        name: tiny_editor(name).edit(page(), "x", seed=1).parameters["sent_size"] for name in ("flux-kontext", "icedit")
    }
    assert sent == {"flux-kontext": [176, 96], "icedit": [128, 64]}
    large = tiny_editor("instruct-pix2pix", max_pixels=10_000).edit(page(), "x", seed=1)
    assert large.parameters["sent_size"] == [128, 72]  # 203, 121 times √(10000 / 24563) = 129.5, 77.2: down to 8
    assert large.native_size == (128, 72)


@pytest.mark.parametrize("name", ["instruct-pix2pix", "flux-kontext"])
def test_a_batch_gives_each_page_what_it_gets_alone(name):
    editor = tiny_editor(name, batch=2)
    tasks = [
        EditTask(page(), INSTRUCTION, 1),
        EditTask(255 - page(), "Delete the title", 2),
        EditTask(page(), INSTRUCTION, 3),
    ]
    together = editor.edit_all(tasks)
    alone = [editor.edit(task.image, task.instruction, seed=task.seed) for task in tasks]
    for one, other in zip(together, alone, strict=True):
        assert np.abs(one.image.astype(int) - other.image).max() <= 1  # sums in another order
        assert one.parameters == other.parameters
    assert editor.identity["batch"] == "2"
    assert "batch" not in tiny_editor(name).identity


def test_pages_of_several_sizes_go_one_by_one():
    edits = tiny_editor("instruct-pix2pix", batch=2).edit_all([EditTask(page(), "x"), EditTask(page(64, 48), "x")])
    assert [edit.native_size for edit in edits] == [(200, 120), (64, 48)]


def test_identity_pins_the_weights_and_names_no_path(tmp_path):
    editor = tiny_editor("icedit")
    told = editor.identity
    assert str(checkpoint("fill").parent) not in str(told)
    assert told["weights"] == told["lora"] == "a folder"
    assert told["device"] == "cpu"
    assert told["dtype"] == "float32"
    assert told["torch"].count(".") == 2
    assert {"diffusers", "transformers", "peft", "guidance", "steps"} <= set(told)
    other = get_editor("icedit", **{**options_of("icedit"), "lora": str(lora(2.0))}).identity
    assert {key for key in told if told[key] != other[key]} == {"lora_revision"}
    again = tiny.save(tiny.fill, tmp_path / "same")  # the same bytes elsewhere
    assert get_editor("icedit", **{**options_of("icedit"), "weights": str(again)}).identity == told
    drawn = tiny.save(tiny.fill, tmp_path / "other", seed=1)
    assert get_editor("icedit", **{**options_of("icedit"), "weights": str(drawn)}).identity != told


def test_the_lora_is_used():
    one, other = (tiny_editor("icedit", lora=str(lora(scale))).edit(page(), "x", seed=1) for scale in (1.0, 20.0))
    assert (one.image != other.image).any()


def test_weights_of_the_hub_from_its_cache(monkeypatch, tmp_path):
    commit = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "hub/models--timbrooks--instruct-pix2pix"
    (home / "refs").mkdir(parents=True)
    (home / "refs/main").write_text(commit)
    tiny.save(tiny.pix2pix, home / "snapshots" / commit)
    editor = get_editor("instruct-pix2pix", steps=2)
    assert editor.identity["weights"] == "timbrooks/instruct-pix2pix"
    assert editor.identity["revision"] == commit
    edit = editor.edit(page(), INSTRUCTION, seed=7)
    assert (edit.image == tiny_editor("instruct-pix2pix").edit(page(), INSTRUCTION, seed=7).image).all()


def test_weights_that_are_nowhere(tmp_path):
    with pytest.raises(MissingPartError, match="Qwen/Qwen-Image-Edit are not on this machine") as told:
        _ = get_editor("qwen-image-edit").identity
    assert "hf download Qwen/Qwen-Image-Edit" in str(told.value)
    with pytest.raises(MissingPartError, match="no such folder"):
        _ = get_editor("qwen-image-edit", weights=str(tmp_path / "absent")).identity
    with pytest.raises(MissingPartError, match=r"contains no model_index\.json"):
        _ = get_editor("qwen-image-edit", weights=str(tmp_path)).identity
    with pytest.raises(VdeError, match="revision is for weights of the hub"):
        _ = get_editor("qwen-image-edit", weights=str(checkpoint("qwen")), revision="main").identity


class GatedHub(BaseHTTPRequestHandler):
    """A hub that tells all of a repository and gives nothing of it."""

    def do_GET(self):
        if self.path.startswith("/api/models/"):
            told = {"id": "a/b", "sha": "1" * 40, "siblings": [{"rfilename": "model_index.json"}], "gated": "auto"}
            self._answer(200, json.dumps(told).encode())
        else:
            self._answer(403, b"Access to model is restricted", ("X-Error-Code", "GatedRepo"))

    def do_HEAD(self):
        self.do_GET()

    def _answer(self, code, content, *headers):
        self.send_response(code)
        for name, value in (("Content-Length", str(len(content))), *headers):
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *args):
        pass


@pytest.mark.parametrize("revision", ["main", "1" * 40])  # told when the name is asked for; a commit is told on loading
def test_weights_behind_a_licence(tmp_path, revision):
    """In a process of its own: libraries read the hub's address when they are imported."""
    code = (
        "import numpy as np\n"
        "from vdebench.editors.factory import get_editor\n"
        "from vdebench.errors import MissingPartError\n"
        f"editor = get_editor('flux-kontext', revision='{revision}')\n"
        "try:\n"
        "    print(editor.identity['revision'])\n"
        "    editor.edit(np.zeros((64, 64, 3), np.uint8), 'x')\n"
        "except MissingPartError as error:\n"
        "    print(error)\n"
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), GatedHub) as hub:
        Thread(target=hub.serve_forever, daemon=True).start()
        there = {"HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}", "HF_HUB_OFFLINE": "0", "HF_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, **there}, capture_output=True, text=True, timeout=300
        )
        hub.shutdown()
    *commit, told, advice = done.stdout.strip().split("\n")
    assert commit == ([] if revision == "main" else [revision])
    assert told.endswith("FLUX.1-Kontext-dev are only available after accepting their licence")
    assert "hf auth login" in advice


def test_a_broken_checkpoint_is_told(tmp_path):
    folder = tiny.save(tiny.pix2pix, tmp_path / "broken")
    (folder / "unet/diffusion_pytorch_model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(EditorUnusableError, match=r"instruct-pix2pix: the weights .*broken cannot be loaded"):
        get_editor("instruct-pix2pix", weights=str(folder)).edit(page(), "x")


def test_a_device_that_is_not_there():
    """The machine that hands out the work may have none; the one that edits says so."""
    editor = get_editor("instruct-pix2pix", **options_of("instruct-pix2pix"), device="cuda")
    assert (editor.identity["device"], editor.identity["dtype"]) == ("cuda", "float16")
    with pytest.raises(EditorUnusableError, match="no device cuda"):
        editor.edit(page(), "x")


@pytest.mark.parametrize(
    ("offload", "expected"),
    [
        ("none", "to cuda"),
        ("model", "enable_model_cpu_offload cuda"),
        ("sequential", "enable_sequential_cpu_offload cuda"),
        ("group", "enable_group_offload cuda"),
    ],
)
def test_offloading(offload, expected):
    """Which of diffusers' ways is taken; there is no GPU here to take it on."""
    from diffusers import DiffusionPipeline

    pipe = create_autospec(DiffusionPipeline, instance=True)
    loading.place("flux-kontext", pipe, "cuda", offload)
    (name, args, kwargs), *others = pipe.method_calls
    assert f"{name} {(args or tuple(kwargs.values()))[0]}" == expected
    assert not others
    if offload != "none":
        with pytest.raises(VdeError, match="there is no GPU"):
            loading.place("flux-kontext", pipe, "cpu", offload)


def test_the_hub_s_errors_have_the_names_we_know():
    from huggingface_hub import errors

    assert issubclass(errors.GatedRepoError, errors.RepositoryNotFoundError)
    assert issubclass(errors.OfflineModeIsEnabled, ConnectionError)
    assert errors.RevisionNotFoundError
    assert errors.LocalEntryNotFoundError
    client = import_module(errors.HfHubHTTPError.__mro__[1].__module__.partition(".")[0])
    assert issubclass(client.ConnectError, client.TransportError)


def test_half_precision_and_closing():
    editor = get_editor("instruct-pix2pix", **options_of("instruct-pix2pix"), dtype="bfloat16")
    edit = editor.edit(page(), INSTRUCTION, seed=7)
    assert edit.native_size == (200, 120)
    assert editor.identity["dtype"] == "bfloat16"
    editor.close()
    assert "_loaded" not in vars(editor)
    assert (editor.edit(page(), INSTRUCTION, seed=7).image == edit.image).all()


def test_no_memory_is_told_with_what_helps(monkeypatch):
    import torch

    editor = tiny_editor("instruct-pix2pix")
    pipe, _ = editor._loaded

    def full(*args, **kwargs):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

    monkeypatch.setattr(pipe.unet, "forward", full)
    with pytest.raises(
        EditorError, match="out of memory on cpu for a page of 203×121\n  try offload=model, dtype=bfloat16"
    ):
        editor.edit(page(), "x")


def test_a_suite_is_edited_and_gone_on_with(tmp_path):
    suite = load_suite("typeset:n=3,seed=17,languages=en+zh,kinds=PPT2PDF+note,ppi=36,operations=text_replace")
    options = options_of("instruct-pix2pix")
    made = edit_suite(suite, "instruct-pix2pix", tmp_path / "e", options=options, workers=1)
    assert [each.state for each in made] == ["edited"] * 3, made
    before = {each.file: (tmp_path / "e" / each.file).read_bytes() for each in made}
    for each, sample in zip(made, suite.samples, strict=True):
        source, edited = open_image(suite.image_files(sample).source), open_image(tmp_path / "e" / each.file)
        assert edited.shape == (source.shape[0] // 8 * 8, source.shape[1] // 8 * 8, 3)
    lost = tmp_path / "e" / made[1].file
    when = {file: (tmp_path / "e" / file).stat().st_mtime_ns for file in before}
    lost.unlink()
    again = edit_suite(suite, "instruct-pix2pix", tmp_path / "e", options=options, workers=1)
    assert [each.state for each in again] == ["edited"] * 3
    assert {file: (tmp_path / "e" / file).read_bytes() for file in before} == before  # the lost one too: same seed
    assert [file for file in before if (tmp_path / "e" / file).stat().st_mtime_ns != when[file]] == [made[1].file]
