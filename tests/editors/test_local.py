"""Local editors without models: options, identities, sizes, quotes, weights."""

from __future__ import annotations

import subprocess
import sys

import pytest

from vdebench.editors.catalog import EDITORS
from vdebench.editors.editor import About
from vdebench.editors.local import model as local
from vdebench.editors.local.quotes import known_quotes, split_at_quotes
from vdebench.editors.local.sizes import MEGAPIXEL, of_area_ceiled, of_area_floored, of_area_rounded, of_width
from vdebench.editors.local.weights import digest_of_folder, explained, find_weights
from vdebench.errors import EditorUnusableError, MissingPartError, VdeError
from vdebench.registry import find, make

NAMES = [name for name, place in EDITORS.items() if place.startswith("vdebench.editors.local.")]
DEFAULTS = {
    "instruct-pix2pix": {"steps": 100, "guidance": 7.5, "image_guidance": 1.5, "weights": ""},
    "magicbrush": {"steps": 100, "guidance": 7.5, "image_guidance": 1.5, "weights": "vinesmsuic/magicbrush-paper"},
    "flux-kontext": {"steps": 28, "guidance": 2.5},
    "qwen-image-edit": {"steps": 50, "true_cfg": 4.0},
    "qwen-image-edit-2509": {"steps": 40, "true_cfg": 4.0},
    "qwen-image-edit-2511": {"steps": 40, "true_cfg": 4.0},
    "firered-image-edit": {"steps": 40, "true_cfg": 4.0, "weights": "FireRedTeam/FireRed-Image-Edit-1.0"},
    "longcat-image-edit": {"steps": 50, "guidance": 4.5},
    "icedit": {"steps": 28, "guidance": 50.0, "width": 512, "lora": "RiverZ/normal-lora"},
}


@pytest.fixture
def installed(monkeypatch):
    """As if the packages were there."""
    monkeypatch.setattr(local, "find_spec", lambda package: object())


@pytest.fixture
def bare(monkeypatch):
    monkeypatch.setattr(local, "find_spec", lambda package: None)


def test_there_are_nine():
    assert sorted(NAMES) == sorted([*DEFAULTS, "autoencoder"])  # a baseline: see test_local_autoencoder.py


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_and_what_is_said(name, installed):
    editor = make("editors", name, EDITORS, {})
    assert {option: getattr(editor, option) for option in DEFAULTS[name]} == DEFAULTS[name]
    assert isinstance(editor.about, About)
    assert all(editor.about)
    assert editor.about.model.startswith(editor.published)
    assert editor.needs_gpu


@pytest.mark.parametrize("name", DEFAULTS)
def test_missing_packages_are_told(name, bare):
    told = find("editors", name, EDITORS).missing()
    assert told.startswith(f"the editor {name} needs torch, diffusers, transformers, accelerate")
    assert ("peft" in told) == (name == "icedit")
    assert told.endswith("not installed\n  pip install 'vdebench[diffusers]'")
    with pytest.raises(MissingPartError, match="not installed"):
        make("editors", name, EDITORS, {})


def test_options_come_as_strings_too(installed):
    given = {"steps": "5", "guidance": "3", "max_pixels": "65536", "batch": "4", "device": "cuda", "offload": "model"}
    editor = make("editors", "flux-kontext", EDITORS, given)
    assert (editor.steps, editor.guidance, editor.max_pixels, editor.batch) == (5, 3.0, 65536, 4)
    assert editor.concurrency == 0
    assert make("editors", "flux-kontext", EDITORS, {"device": "mps"}).concurrency == 1
    assert make("editors", "firered-image-edit", EDITORS, {"release": "1.1"}).weights.endswith("-1.1")
    assert make("editors", "magicbrush", EDITORS, {"release": "jul7"}).weights == "vinesmsuic/magicbrush-jul7"
    assert make("editors", "magicbrush", EDITORS, {"weights": "mine/brush"}).weights == "mine/brush"


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("flux-kontext", {"steps": "0"}, "flux-kontext: steps is '0', expected a whole number, 1 or more"),
        ("flux-kontext", {"guidance": "high"}, "flux-kontext: guidance is 'high', expected a number"),
        ("flux-kontext", {"guidance": "-1"}, "flux-kontext: guidance is '-1', expected a number, 0 or more"),
        ("flux-kontext", {"max_pixels": "1e6"}, "max_pixels is '1e6', expected a whole number, 256 or more"),
        ("flux-kontext", {"batch": "0"}, "batch is '0', expected a whole number, 1 or more"),
        ("flux-kontext", {"device": "gpu"}, "device is 'gpu', expected auto, cuda, mps or cpu"),
        ("flux-kontext", {"device": "cuda:1"}, "set CUDA_VISIBLE_DEVICES=1 in the environment"),
        ("flux-kontext", {"dtype": "fp8"}, "dtype is 'fp8', expected auto, bfloat16, float16 or float32"),
        ("flux-kontext", {"offload": "disk"}, "offload is 'disk', expected none, model, sequential or group"),
        ("flux-kontext", {"offload": "model", "device": "cpu"}, "offload=model is for a GPU, and device is cpu"),
        ("flux-kontext", {"true_cfg": "4"}, "flux-kontext has no option 'true_cfg'; it has: weights, revision"),
        ("qwen-image-edit", {"batch": "2"}, "qwen-image-edit has no option 'batch'"),
        ("longcat-image-edit", {"max_pixels": "9"}, "longcat-image-edit has no option 'max_pixels'"),
        ("icedit", {"width": "500"}, "icedit: width is 500, expected a multiple of 16"),
        ("magicbrush", {"release": "may"}, "magicbrush: release is 'may', expected paper or jul7"),
        ("instruct-pix2pix", {"safety_checker": "no"}, "safety_checker is 'no', expected on or off"),
    ],
)
def test_options_that_make_no_sense(name, options, told, installed):
    with pytest.raises(VdeError) as error:
        make("editors", name, EDITORS, options)
    assert told in str(error.value)


def test_listing_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from vdebench.editors.listing import list_editors\n"
        "names = [each.name for each in list_editors()]\n"
        "assert 'icedit' in names, names\n"
        "heavy = {'torch', 'diffusers', 'transformers', 'huggingface_hub', 'torchvision'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    ("rule", "page", "expected"),
    [
        (of_area_floored, (2480, 3508), (848, 1216)),  # as measured with the pipeline
        (of_area_floored, (1024, 1024), (1024, 1024)),
        (of_area_floored, (100_000, 10), (102400, 16)),  # a strip keeps a row of patches
        (of_area_rounded, (200, 120), (1312, 800)),
        (of_area_ceiled, (200, 120), (1328, 800)),
    ],
)
def test_sizes(rule, page, expected):
    assert rule(*page, MEGAPIXEL) == expected


def test_sizes_of_icedit():
    assert of_width(2480, 3508, 512) == (512, 720)  # 724.2
    assert of_width(3000, 20, 512) == (512, 16)


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("Change 「A」 to 『B』", "Change “A” to “B”"),
        ("Ändere „Summe“ in „Total”", "Ändere “Summe” in “Total”"),
        ("«Prix» → ‹Coût›", "“Prix” → “Coût”"),
        ("＂A＂", "“A”"),
        ("「他说“好”」", '"他说“好”"'),  # another mark where the content has that one
        ("Change 'A' to \"B\", ‘C’, “D”", "Change 'A' to \"B\", ‘C’, “D”"),  # all known
        ("Replace Total by Sum", "Replace Total by Sum"),  # none: not ours to add
        ("「open", "「open"),
        ("《红楼梦》", "《红楼梦》"),  # a title, not a text to be set
    ],
)
def test_quotes(instruction, expected):
    assert known_quotes(instruction) == expected


def test_nothing_is_lost_in_splitting():
    prompt = "It's 'A' and the firm's \"don't\" — ‘x’, “y” 'open"
    assert "".join(part for part, _ in split_at_quotes(prompt)) == prompt
    assert [part for part, quoted in split_at_quotes(prompt) if quoted] == ["'A'", '"don\'t"', "‘x’", "“y”"]


def test_folders_are_known_by_their_contents(tmp_path):
    (tmp_path / "vae").mkdir()
    (tmp_path / "model_index.json").write_text("{}")
    weights = tmp_path / "vae/model.safetensors"
    weights.write_bytes(bytes(3 << 20))
    first = digest_of_folder(tmp_path)
    (tmp_path / "README.md").write_text("words")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache/state.json").write_text("{}")
    assert digest_of_folder(tmp_path) == first
    assert find_weights("icedit", str(tmp_path), "").pinned == f"sha256:{first[:16]}"
    weights.write_bytes(bytes(3 << 20)[:-1] + b"x")
    assert digest_of_folder(tmp_path) != first


def error_of(*names):
    """An error whose kinds have such names, as the hub's client raises."""
    kind: type = OSError
    for name in names:
        kind = type(name, (kind,), {})
    return kind("said\nand more")


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        (error_of("RepositoryNotFoundError", "GatedRepoError"), MissingPartError, "accepting their licence"),
        (error_of("RevisionNotFoundError"), MissingPartError, "have no revision 'v2'"),
        (error_of("RepositoryNotFoundError"), MissingPartError, "the hub has no a/b, or access is restricted"),
        (
            error_of("OfflineModeIsEnabled"),
            MissingPartError,
            "not on this machine, and the hub cannot be reached (said)",
        ),
        (error_of("EntryNotFoundError"), MissingPartError, "the weights a/b have no such file on the hub: said"),
        (ValueError("odd"), EditorUnusableError, "cannot be loaded: ValueError: odd"),
    ],
)
def test_what_goes_wrong_with_weights(error, kind, told):
    outer = RuntimeError("outside")
    outer.__cause__ = error
    for each in (error, outer) if kind is MissingPartError else (error,):
        found = explained("icedit", "a/b", each, "v2")
        assert type(found) is kind
        assert told.replace("said", "outside" if each is outer else "said") in str(found)
