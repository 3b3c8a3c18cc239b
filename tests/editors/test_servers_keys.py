"""Keys of editors: read from the environment only, sent to their provider only, never stored."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.editors.server import Reply, ark, chat, coded, dashscope, error, gemini, inline, openai, png, serving
from tests.judges.suites import write_suite
from vdebench.editors.factory import get_editor
from vdebench.errors import EditorError, MissingPartError
from vdebench.io.images import open_image
from vdebench.pipeline.editing import edit_suite, read_edits

pytest.importorskip("httpx2")

KEY = "sk-plant/ed+key-0123456789"
URI = f"data:image/png;base64,{coded(png())}"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("vdebench.editors.servers.client.PAUSE", 0.01)
    monkeypatch.setenv("MY_KEY", KEY)


def replies(name, echo):
    """What a careless server may say, with the key in all places that we keep anything of."""
    good = {
        "openai-images": Reply({**openai().body, "model": echo, "usage": {echo: 1}}, headers={"x-request-id": KEY}),
        "gemini-image": gemini(inline(png()), modelVersion=echo, responseId=echo),
        "seedream": Reply({**ark({"b64_json": coded(png())}).body, "model": echo}),
        "dashscope-image": Reply({**dashscope({"image": URI}).body, "request_id": echo}),
        "chat-image": Reply({**chat({"images": [{"image_url": {"url": URI}}]}).body, "model": echo, "id": echo}),
    }
    refused = {
        "gemini-image": gemini({"text": echo}, end="IMAGE_SAFETY"),
        "chat-image": chat({"content": echo}),
    }
    return [
        good[name],
        refused.get(name, error(400, echo, code="content_policy_violation")),
        error(400, echo, code=echo),
        error(500, echo),
        Reply(echo.encode()),
        Reply({"error": {"code": echo, "message": echo}}),
        error(401, echo),  # after which no more is asked
    ]


@pytest.mark.parametrize("name", ["openai-images", "gemini-image", "seedream", "dashscope-image", "chat-image"])
def test_no_key_in_any_file_or_message(tmp_path, capfd, caplog, name):
    caplog.set_level("INFO")  # below it the HTTP client tells each header that comes
    suite, _ = write_suite(tmp_path, 7)
    turn = []

    def behave(ask):
        assert KEY in (ask.headers.get("authorization", "").removeprefix("Bearer "), ask.headers.get("x-goog-api-key"))
        turn.append(ask)
        echo = f"You sent {KEY}; headers {json.dumps(ask.headers)}"
        return replies(name, echo)[(len(turn) - 1) % 7]

    with serving(behaviour=behave) as server:
        options = {"base_url": server.url, "model": "m-1", "key_variable": "MY_KEY", "tries": 1, "concurrency": 1}
        with pytest.raises(EditorError, match="HTTP 401") as stopped:
            edit_suite(suite, name, tmp_path / "run", options=options)
    assert "sk-plant" not in str(stopped.value)
    made = read_edits(tmp_path / "run")
    assert [one.state for one in made] == ["edited", "refused", *["failed"] * 5]
    assert "sk-plant" not in repr(made)
    assert "[key]" in repr(made[0])
    assert all("[key]" in one.reason for one in made[1:])
    files = [file for file in (tmp_path / "run").rglob("*") if file.is_file()]
    assert {"editor.json", "edits.jsonl", "run.json"} <= {file.name for file in files}
    assert not [file for file in files if b"sk-plant" in file.read_bytes()]
    assert "sk-plant" not in "".join(capfd.readouterr()) + caplog.text
    page = open_image(suite.image_files(suite.samples[0]).source)
    with pytest.raises(Exception, match="no connection") as told:
        get_editor(name, **options).edit(page, "x")
    assert "sk-plant" not in f"{told.value!r}{told.value.__cause__!r}"
    assert "sk-plant" not in repr(get_editor(name, **options))


@pytest.mark.parametrize(("name", "variable"), [
    ("openai-images", "OPENAI_API_KEY"),
    ("gemini-image", "GEMINI_API_KEY"),
    ("seedream", "ARK_API_KEY"),
    ("dashscope-image", "DASHSCOPE_API_KEY"),
    ("chat-image", "OPENROUTER_API_KEY"),
])  # fmt: skip
def test_a_makers_key_goes_to_nobody_else(monkeypatch, tmp_path, name, variable):
    monkeypatch.setenv(variable, KEY)
    suite, _ = write_suite(tmp_path, 1)
    with serving(error(400)) as server:
        edit_suite(suite, name, tmp_path / "run", options={"base_url": server.url, "model": "m"})
    assert len(server.asks) == 1
    assert KEY not in f"{server.asks[0].headers}"
    assert get_editor(name, model="m")._secret.reveal() == KEY  # to the maker it goes
    home = get_editor(name, model="m").home
    assert (
        get_editor(name, model="m", base_url=home.replace("https", "http"))._secret.reveal() == "none"
    )  # not in the open


def test_the_key_does_not_follow_a_redirection(tmp_path):
    suite, _ = write_suite(tmp_path, 1)
    with serving(openai()) as other, serving(Reply(b"", 307, {"Location": f"{other.url}/x"})) as server:
        options = {"base_url": server.url, "model": "m", "key_variable": "MY_KEY"}
        with pytest.raises(EditorError, match="HTTP 307"):
            edit_suite(suite, "openai-images", tmp_path / "run", options=options)
    assert other.asks == []


def test_an_address_of_the_environment_gets_the_key_of_the_environment(monkeypatch, tmp_path):
    suite, _ = write_suite(tmp_path, 1)
    with serving(openai()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        (made,) = edit_suite(suite, "openai-images", tmp_path / "run", options={"model": "m"})
    assert made.state == "edited"
    assert server.asks[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("options", [
    {"base_url": f"https://me:{KEY}@host/v1"},
    {"base_url": f"https://host/v1?key={KEY}"},
    {"base_url": "http://host", "key_variable": KEY},
])  # fmt: skip
def test_keys_are_taken_from_nowhere_else(options):
    with pytest.raises(MissingPartError) as told:
        get_editor("openai-images", model="m", **options)
    assert "sk-plant" not in str(told.value)


@pytest.mark.parametrize("status", [200, 400, 401, 500])
@pytest.mark.parametrize("way", ["message", "error", "text", "words"])
def test_no_part_of_a_key_stays_where_a_text_is_cut(way, status):
    """Texts are cut after 160, 300 and 4000 characters: a key that begins before the cut and ends behind it."""
    page = np.full((8, 8, 3), 255, np.uint8)
    for before in (150, 290, 3990, 4 * 160 - 10, 4 * 300 - 10):
        words = f"{'x' * before}{KEY} and more{' x' * 5000}"
        spread = f"{'x' + ' ' * (before - 1)}{KEY} and more{' x' * 5000}"
        for said in (words, spread):
            body = {"message": {"error": {"message": said}}, "error": {"error": said}, "text": said.encode()}
            reply = Reply(body[way], status) if way in body else Reply(chat({"content": said}).body, status)
            with serving(reply) as server:
                editor = get_editor("chat-image", base_url=server.url, model="m", key_variable="MY_KEY", tries=1)
                try:
                    made = repr(editor.edit(page, "x"))
                except EditorError as told:
                    made = str(told)
                editor.close()
            assert "sk-pl" not in made


def test_no_part_of_a_key_stays_of_an_editor_at_an_address():
    with (
        serving(error(500, f"{'x' * 290}{KEY}")) as server,
        pytest.raises(EditorError, match="asked for its models: HTTP 500") as told,
    ):
        get_editor(server.url, key_variable="MY_KEY")
    assert "sk-pl" not in str(told.value)


def test_a_run_goes_on_without_paying_twice(tmp_path):
    suite, _ = write_suite(tmp_path, 3)
    turns = iter([openai(), error(400, "no", code="moderation_blocked"), openai(png()[:-30]), error(401), openai()])
    with serving(behaviour=lambda ask: next(turns)) as server:
        options = {"base_url": server.url, "model": "m", "price": "0.5", "concurrency": 1}
        with pytest.raises(EditorError, match="HTTP 401"):
            edit_suite(suite, "openai-images", tmp_path / "run", options=options)
        first = read_edits(tmp_path / "run")
        again = edit_suite(suite, "openai-images", tmp_path / "run", options=options)
    assert [one.state for one in first] == ["edited", "refused", "failed"]
    assert [one.state for one in again] == ["edited", "refused", "edited"]
    assert len(server.asks) == 5
    cost = json.loads((tmp_path / "run/run.json").read_text())["provenance"]["cost"]
    # Three images of half a dollar: the second came by halves, before the key was refused, and was paid all the same.
    assert cost == {"input_tokens": 3000, "output_tokens": 900, "dollars": 1.5}
