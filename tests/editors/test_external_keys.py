"""External editors: no keys of commands and no passwords of addresses in outputs."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from pathlib import Path

import pytest

from vdebench.editors.external.commands import redacted_command
from vdebench.editors.external.editor import ExternalEditor
from vdebench.editors.external.program import stop_programs
from vdebench.editors.external.protocol import parse_answer, parse_hello
from vdebench.editors.external.recipes import SHIMS
from vdebench.editors.factory import get_editor
from vdebench.errors import EditorError, VdeError
from vdebench.io import redaction as private

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(autouse=True)
def _ended():
    yield
    stop_programs()


def test_no_key_of_a_command_is_in_the_identity():
    words = ["third", "--token", "hush-1", "--api-key=hush-2", "--steps", "28", "http://me:hush-3@host/v1?key=hush-4"]
    words += [
        "HF_TOKEN=hush-5",
        "Authorization: Bearer hush-6",
        "export SECRET=hush-7; run --password hush-8",
        "sk-hush-9012",
    ]
    command = ExternalEditor([sys.executable, str(PROGRAMS / "broken.py"), *words]).identity["command"]
    assert "hush" not in command
    assert "broken.py third --token '[key]' '--api-key=[key]' --steps 28 http://host/v1" in command
    other = [word.replace("hush", "other") for word in words]  # another key is no other editor
    assert ExternalEditor([sys.executable, str(PROGRAMS / "broken.py"), *other]).identity["command"] == command
    more = ["--max-tokens", "9", "--tokenizer", "t5", "--out=/data/secret/x", "C:/Token/x"]  # no keys
    assert redacted_command(more) == shlex.join(more)


def test_no_key_of_a_programs_options_is_in_the_identity():
    command = [sys.executable, str(PROGRAMS / "inverting.py")]
    given, none = (ExternalEditor([*command, *more]).identity for more in (["--token", "hush-1"], []))
    assert json.loads(given["parameters"])["token"] == "[key]"
    assert given == none  # another key, or none, is no other editor


@pytest.mark.parametrize(("name", "value", "told"), [
    ("token", "hush-1", "[key]"),
    ("api-key", None, "[key]"),
    ("auth", {"user": "me", "word": ["hush-1"]}, {"user": "[key]", "word": ["[key]"]}),
    ("server", "http://me:hush@host/v1?key=hush", "http://host/v1"),
    ("start", "run --password hush --steps 3", "run --password [key] --steps 3"),
    ("extra", [{"hf_token": "hush"}], [{"hf_token": "[key]"}]),
    ("token_merging", 0.5, 0.5),  # settings that change pixels
    ("max_tokens", 1024, 1024),
    ("negative", "blurry,\n  low quality", "blurry,\n  low quality"),
    ("tokenizer", "BAAI/Emu3.5-VisionTokenizer", "BAAI/Emu3.5-VisionTokenizer"),
])  # fmt: skip
def test_parameters_are_kept_without_keys(name, value, told):
    hello = {"name": "mine", "version": "1", "model": "m", "protocol": 1, "parameters": {name: value}}
    assert parse_hello({"hello": hello}, "external").parameters == {name: told}
    assert parse_answer({"id": "1", "state": "refused", "parameters": {name: value}}, "1", "x").parameters == {
        name: told
    }


def test_a_hello_that_is_none_shows_no_key_and_packages_keep_their_versions():
    hello = {"name": "mine", "version": "1", "protocol": 1, "parameters": {"token": "hush"}}
    for data in ({"hello": hello}, {"token": "hush"}):
        with pytest.raises(EditorError) as told:
            parse_hello(data, "external")
        assert "hush" not in str(told.value)
    assert (
        parse_hello({"hello": {**hello, "model": "m", "packages": {"tiktoken": "0.9"}}}, "x").packages["tiktoken"]
        == "0.9"
    )


def test_the_shim_leaves_keys_out_by_itself():
    spec = importlib.util.spec_from_file_location("shim", SHIMS / "shim.py")
    shim = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(shim)
    assert shim.SECRET == private._SECRET  # it stands alone, so the rule is there twice
    told = [
        shim.public_value(*each)
        for each in (("hf_token", "hush"), ("hf_token", None), ("token_merging", 0.5), ("steps", 28))
    ]
    assert told == ["[key]", "[key]", 0.5, 28]


@pytest.mark.parametrize("url", [
    "http://me:hunter2secret@localhost:80",
    "http://hunter2secret@localhost",
    "http://localhost:hunter2secret@localhost",
    "http://localhost/x?key=hunter2secret",
])  # fmt: skip
def test_an_address_with_a_password_is_refused_and_not_repeated(url):
    with pytest.raises(VdeError, match="url contains a password or a query") as told:
        get_editor("external", url=url)
    assert "hunter2" not in f"{told.value!r}{told.value.__cause__!r}"
    assert ExternalEditor.missing(url=url).startswith("url contains a password")
    assert ExternalEditor.missing(url="http://localhost:80") == ""
