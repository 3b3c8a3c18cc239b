"""Editors outside: no key of a command, and no password of an address, in what is kept or shown."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from vdebench.editors.editor import get_editor
from vdebench.editors.external.commands import told_command
from vdebench.editors.external.editor import ExternalEditor
from vdebench.editors.external.program import stop_programs
from vdebench.errors import VdeError

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
    assert told_command(more) == shlex.join(more)


@pytest.mark.parametrize("url", [
    "http://me:hunter2secret@localhost:80",
    "http://hunter2secret@localhost",
    "http://localhost:hunter2secret@localhost",
    "http://localhost/x?key=hunter2secret",
])  # fmt: skip
def test_an_address_with_a_password_is_refused_and_not_repeated(url):
    with pytest.raises(VdeError, match="url holds a password or a query") as told:
        get_editor("external", url=url)
    assert "hunter2" not in f"{told.value!r}{told.value.__cause__!r}"
    assert ExternalEditor.missing(url=url).startswith("url holds a password")
    assert ExternalEditor.missing(url="http://localhost:80") == ""
