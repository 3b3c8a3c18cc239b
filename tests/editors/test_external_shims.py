"""The shims of large models: they compile, send the hello and work with stubs of their packages."""

from __future__ import annotations

import ast
import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from vdebench.cli.editors_setup import setup_command
from vdebench.editors import EDITORS, get_editor
from vdebench.editors.external.program import stop_programs
from vdebench.editors.external.recipes import RECIPES, SHIMS, EnvironmentRecipe, script_of
from vdebench.editors.external.setup import set_up
from vdebench.errors import EditorError, MissingPartError, VdeError
from vdebench.registry import find

STAND_INS = Path(__file__).parent / "programs/stand_ins"
PAGE = np.full((20, 30, 3), 250, np.uint8)


@pytest.fixture(autouse=True)
def _ended(tmp_path, monkeypatch):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    yield
    stop_programs()


@pytest.fixture
def python(tmp_path):
    """An environment's interpreter that finds the stand-ins and nothing of vdebench."""
    file = tmp_path / "environment/venv/bin/python"
    file.parent.mkdir(parents=True)
    file.write_text(f'#!/bin/sh\nPYTHONPATH={STAND_INS} exec {sys.executable} "$@"\n')
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize("file", sorted(SHIMS.glob("*.py")), ids=lambda file: file.name)
def test_they_are_python_3_10_and_import_nothing_of_ours(file):
    tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 10))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in imported if name.startswith("vdebench")]
    known = set(sys.stdlib_module_names) | {"__future__", "shim"}
    outside = {node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)}
    outside |= {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    assert {name.partition(".")[0] for name in outside} <= known  # a model's packages are imported when it is loaded
    assert file.name == "shim.py" or "NOT RUN HERE" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RECIPES)
def test_hello_needs_neither_packages_nor_weights(name, python):
    identity = get_editor(name, python=python, arguments="--guidance 2" if name == "emu3.5" else "").identity
    assert identity["name"] == identity["program"] == name
    expected = str(Path(python).parents[2] / "weights") if name == "bagel" else RECIPES[name].weights[0]
    assert identity["model"] == expected
    assert name != "emu3.5" or '"guidance": 2.0' in identity["parameters"]
    assert "device" not in identity["parameters"]
    assert name == "bagel" or '"revision": ""' in identity["parameters"]  # nobody knows it here


def test_step1x_v1p2_takes_the_last_image_of_its_reflection(python):
    editor = get_editor("step1x-edit-think", python=python, device="cpu")
    made = editor.edit(PAGE, "make it new", seed=7)
    assert tuple(made.image[0, 0]) == (7, 60, 0)  # seed, ten times the guidance
    assert (made.image[1:] == 250).all()
    assert made.metadata["thought"] == "thought: make it new"
    assert made.metadata["reflections"] == ["not yet", "done"]
    assert made.metadata["images"] == 2


def test_step1x_v1_1_and_its_other_name_for_guidance(python):
    older = "stepfun-ai/Step1X-Edit-v1p1-diffusers"
    editor = get_editor("step1x-edit-v1.1", python=python, device="cpu", arguments="--guidance 4.5")
    made = editor.edit(PAGE, "make it new", seed=9)
    assert tuple(made.image[0, 0]) == (9, 45, 0)
    assert made.parameters["model"] == older
    thinking = get_editor("step1x-edit", python=python, device="cpu", model=older, arguments="--thinking")
    with pytest.raises(EditorError, match="need weights of v1p2"):
        thinking.edit(PAGE, "x")


def with_clone(name, clone, python, *more, **options):
    """The editor with a stand-in of its model's repository."""
    code = ["--code", str(Path(__file__).parent / "programs/clones" / clone)] if clone else []
    return get_editor(name, python=python, device="cpu", arguments=" ".join([*code, *more]), **options)


def test_omnigen2_is_asked_for_the_pages_shape(python):
    made = with_clone("omnigen2", "omnigen2", python, "--pixels", "1200").edit(np.repeat(PAGE, 2, 0), "x", seed=4)
    assert made.image.shape == (32, 16, 3)  # 40 × 30 are 1200 pixels: each side down to a multiple of 16
    assert tuple(made.image[5, 5]) == (4, 50, 20)


def test_bagel_thinks_and_draws_by_the_seed(python, tmp_path):
    (tmp_path / "BAGEL").mkdir()
    (tmp_path / "BAGEL/ema.safetensors").touch()
    editor = with_clone("bagel-think", "bagel", python, model=str(tmp_path / "BAGEL"))
    assert editor.identity["name"] == "bagel-think"
    assert with_clone("bagel", "bagel", python, model=str(tmp_path / "BAGEL")).identity != editor.identity
    first, again, other = (editor.edit(PAGE, "x", seed=seed) for seed in (0, 0, 1))
    assert tuple(first.image[0, 0]) == (random.Random(0).randrange(256), 40, 15)
    assert (first.image == again.image).all()
    assert (first.image != other.image).any()
    assert first.metadata["thought"] == "I plan: x"


def test_emu35_asks_with_the_page_and_refuses_in_words(python):
    editor = with_clone("emu3.5", "emu35", python)
    made = editor.edit(PAGE, "write {this}")
    assert made.image.shape == (16, 16, 3)
    assert made.metadata["words"] == "<USER: [30x20 of 1048576]write {this} ASSISTANT:"
    assert editor.edit(PAGE, "say it in words").reason == "words and no image: I only talk"


@pytest.mark.parametrize(
    ("name", "clone", "loads"), [("step1x-edit", "", 1), ("omnigen2", "omnigen2", 2), ("emu3.5", "emu35", 2)]
)
def test_weights_of_the_hub_are_told_and_loaded_by_their_commit(name, clone, loads, python, tmp_path, monkeypatch):
    first, pushed = "a1" * 20, "b2" * 20
    told = []
    for commit in (first, pushed):
        monkeypatch.setenv("HUB_SAYS", commit)
        editor = with_clone(name, clone, python, logs=str(tmp_path / "logs"))
        told.append(json.loads(editor.identity["parameters"]))
        stop_programs()
    assert told[0] == told[1]
    assert {told[0][key] for key in told[0] if key.endswith("revision")} == {first}
    editor.edit(PAGE, "x")
    log = max((tmp_path / "logs").iterdir(), key=lambda file: file.stat().st_mtime_ns).read_text()
    assert (log.count(f"loaded by {first}"), log.count("loaded by")) == (loads, loads)
    other = with_clone(name, clone, python, "--revision", pushed)
    assert json.loads(other.identity["parameters"])["revision"] == pushed


def test_a_revision_of_a_folder_is_refused(python, tmp_path):
    editor = get_editor("omnigen2", python=python, model=str(tmp_path), arguments="--revision v1")
    with pytest.raises(EditorError, match=r"--revision is for weights of the hub; .* is a folder"):
        _ = editor.identity


def test_what_a_program_lacks_stands_in_the_failure(python):
    with pytest.raises(EditorError, match=r"no ema\.safetensors here; --model is the folder"):
        get_editor("bagel", python=python, device="cpu").edit(PAGE, "x")
    with pytest.raises(EditorError, match="No module named 'omnigen2'"):
        get_editor("omnigen2", python=python, device="cpu").edit(PAGE, "x")


@pytest.mark.slow
def test_weights_in_a_folder_are_told_by_name_and_content_not_by_place(python, tmp_path):
    def identity(place):
        return get_editor("bagel", python=python, model=str(place)).identity["model"]

    for place in ("a", "b"):
        (tmp_path / place / "mine").mkdir(parents=True)
        (tmp_path / place / "mine/ema.safetensors").write_bytes(b"1234")
    first = identity(tmp_path / "a/mine")
    assert first.startswith("mine ")
    assert first == identity(tmp_path / "b/mine")
    (tmp_path / "b/mine/ema.safetensors").write_bytes(b"1235")
    stop_programs()
    assert first != identity(tmp_path / "b/mine")
    (tmp_path / "a/mine/transformer").mkdir()
    (tmp_path / "a/mine/transformer/more.safetensors").write_bytes(b"5")
    stop_programs()
    assert first != identity(tmp_path / "a/mine")


def test_a_preset_without_environment_says_how_to_make_it():
    for name in RECIPES:
        assert f"`vde editors setup {name}`" in find("editors", name, EDITORS).missing()
        with pytest.raises(MissingPartError, match=f"vde editors setup {name}"):
            get_editor(name)
    assert get_editor("bagel", url="http://localhost:1")  # elsewhere: nothing is needed here


def setup(*words):
    app = typer.Typer()
    app.command()(setup_command)
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize("name", RECIPES)
def test_setup_prints_a_script(name, tmp_path):
    printed = setup(name, "--folder", str(tmp_path / "place")).output
    for weights in RECIPES[name].weights:
        assert weights in printed
    assert f"python3 -m venv {tmp_path}/place/venv\n" in printed
    assert f"--editor-option {name}.python={tmp_path}/place/venv/bin/python --out RUNS" in printed
    assert not (tmp_path / "place").exists()
    command = RECIPES[name].command(str(tmp_path / "place/venv/bin/python"))
    assert Path(command[1]).is_file()
    assert f"external.command={' '.join(command)}" in printed


def test_setup_of_an_unknown_name():
    with pytest.raises(VdeError, match="unknown environment 'mine'; available: step1x-edit, omnigen2"):
        setup_command("mine", None, "python3", False)


def test_setup_carries_out_its_steps_and_stops_at_the_first_that_fails(tmp_path, capfd):
    interpreter = tmp_path / "interpreter"  # makes an "environment" whose Python only says what it is asked
    interpreter.write_text(
        '#!/bin/sh\nmkdir -p "$3/bin"\nprintf "#!/bin/sh\\necho asked \\$*\\n[ \\$4 != bad ]\\n" > "$3/bin/python"\nchmod +x "$3/bin/python"\n'
    )
    interpreter.chmod(0o755)
    good = EnvironmentRecipe("mine", "step1x.py", ("one two", "-r CODE/requirements.txt"), ("w",), "little")
    set_up(good, tmp_path / "e", str(interpreter))
    printed = capfd.readouterr().out
    assert "asked -m pip install one two\n" in printed
    assert f"asked -m pip install -r {tmp_path}/e/code/requirements.txt\n" in printed
    bad = EnvironmentRecipe("mine", "step1x.py", ("bad", "never"), ("w",), "little")
    with pytest.raises(VdeError, match=r"mine: exit code 1 from: .*pip install bad\n"):
        set_up(bad, tmp_path / "e", str(interpreter))
    assert "never" not in capfd.readouterr().out
    assert "vde run SUITE --editor mine --out RUNS" in script_of(good, good.folder())
