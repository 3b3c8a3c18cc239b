"""Editors by address: detection of the API, and errors."""

from __future__ import annotations

import numpy as np
import pytest

from tests.editors.server import COLOUR, PAGE, Reply, coded, error, openai, png, serving, without_keys_or_pauses
from vdebench.editors.external.editor import ExternalEditor
from vdebench.editors.servers.discovery import editor_at
from vdebench.errors import EditorError, MissingPartError, VdeError

pytest.importorskip("httpx2")
HELLO = {"name": "mine", "version": "1", "model": "m", "protocol": 1, "parameters": {}}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    without_keys_or_pauses(monkeypatch)


def answering(**replies):
    """By path, without its slashes; else 404."""
    return lambda ask: replies.get(ask.path.strip("/").replace("/", "_"), Reply({"detail": "Not Found"}, 404))


def models(*names):
    return Reply({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


@pytest.mark.parametrize("path", ["/v1", "/v1/", ""])
def test_a_server_of_one_model(path):
    with serving(behaviour=answering(v1_models=models("Qwen/Qwen-Image-Edit"), v1_images_edits=openai())) as server:
        editor = editor_at(server.url + path, num_inference_steps="8", concurrency="2")
        edit = editor.edit(PAGE, "do", seed=5)
        editor.close()
    assert (edit.image == COLOUR).all()
    assert (editor.identity["name"], editor.identity["model"]) == ("openai-images", "Qwen/Qwen-Image-Edit")
    form = server.posts[0].form
    assert (form["model"], form["num_inference_steps"], form["seed"]) == ("Qwen/Qwen-Image-Edit", "8", "5")
    assert editor.concurrency == 2


def test_a_model_that_is_named_needs_no_asking():
    with serving(error(500)) as server:
        assert editor_at(f"{server.url}/v1", model="m").identity["model"] == "m"
    assert server.asks == []


def test_our_own_protocol():
    made = {"state": "edited", "png": coded(png())}

    def behave(ask):
        return Reply({"hello": HELLO}) if ask.path == "/hello" else Reply({**made, "id": ask.body["id"]})

    with serving(behaviour=behave) as server:
        editor = editor_at(server.url, timeout="20")
        assert isinstance(editor, ExternalEditor)
        assert (editor.edit(PAGE, "do").image == np.array(COLOUR, np.uint8)).all()
        with pytest.raises(VdeError, match="the editor external has no option 'size'"):
            editor_at(server.url, size="auto")


def test_the_key_is_sent_where_one_is_named(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-plant-0123456789")
    with serving(behaviour=answering(v1_models=models("m"))) as server:
        editor_at(f"{server.url}/v1", key_variable="MY_KEY")
    assert {ask.headers.get("authorization") for ask in server.asks} == {"Bearer sk-plant-0123456789"}


@pytest.mark.parametrize(("replies", "told"), [
    ({"v1_models": models("a", "b")}, r"has 2 models; give the option model=NAME\n  a, b$"),
    ({"v1_models": models(*map(str, range(30)))}, r" 18, 19 and 10 more$"),
    ({"v1_models": Reply({"data": []})}, "lists no models"),
    ({"v1_models": Reply([3])}, "lists no models"),
    ({}, r"(?s)asked for its models: HTTP 404.*or give the option model=NAME"),
    ({"v1_models": error(401, "key")}, r"(?s)HTTP 401.*set the environment variable"),
])  # fmt: skip
def test_what_cannot_be_found_is_told(replies, told):
    with serving(behaviour=answering(**replies)) as server, pytest.raises(VdeError, match=told):
        editor_at(f"{server.url}/v1")


def test_nobody_there():
    with serving(error(500)) as server:
        pass
    with pytest.raises(EditorError, match=r"no connection.*tried 2 times\)\n  is the server running"):
        editor_at(server.url)


def test_no_password_in_an_address():
    with pytest.raises(MissingPartError) as told:
        editor_at("https://me:sk-plant-0123@host/v1")
    assert "sk-plant" not in str(told.value)
