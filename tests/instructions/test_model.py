"""Generators behind a server: requests, rejected answers, errors, keys."""

from __future__ import annotations

import json

import pytest

from tests.editors.server import Reply, png, serving
from tests.instructions.instruct_pages import TABLE, drawn, page, reading
from vdebench.core.sample import Operation
from vdebench.errors import MissingPartError, VdeError
from vdebench.instructions import GeneratorError, generator, obtain, pool
from vdebench.instructions.records import Instruction, Rejection

KEY = "sk-a-key-that-must-not-be-seen"
READ = reading("Sales rose by 12.5% in May 2023. Sales may rise again.", table=TABLE)
GOOD = 'Replace "12.5%" with "14.0%".'


def says(text, **about) -> Reply:
    return Reply({"model": "model-a-2026", "choices": [{"message": {"content": text}}], **about})


@pytest.fixture
def image(tmp_path):
    file = tmp_path / "p.png"
    file.write_bytes(png())
    return file


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)
    monkeypatch.setattr("vdebench.net.http.HttpClient.pause", lambda self, seconds: None)


def asking(server, image, of=None, on=READ, language="english", **settings):
    model = generator("model-a", {"url": f"{server.url}/v1", "key_variable": "TEST_KEY"})
    has_table = any(block.html for block in on.blocks)
    return list(obtain(of or drawn(), page(language=language, has_table=has_table), on, model, image=image, **settings))


def test_the_image_and_the_prompt_are_sent_and_the_model_is_noted(image):
    with serving(says(GOOD)) as server:
        (found,) = asking(server, image)
    assert isinstance(found, Instruction)
    assert (found.instruction, found.target, found.replacement) == (GOOD, "12.5%", "14.0%")
    assert (found.generator, found.model, found.attempt) == ("model-a", "model-a-2026", 1)
    assert found.prompt_hash == pool()["text_replace-1"].hash
    (ask,) = server.posts
    picture, question = ask.body["messages"][0]["content"]
    assert ask.path == "/v1/chat/completions"
    assert ask.body["model"] == "model-a"
    assert ask.headers["authorization"] == f"Bearer {KEY}"
    assert picture["image_url"]["url"].startswith("data:image/png;base64,")
    assert question["text"] == pool()["text_replace-1"].question("english")
    assert "Sales" not in question["text"]  # the image alone is its input, not the reading


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"instruction": "Replace \\"12.5%\\" with \\"14.0%\\"."}', "not_plain_text"),
        ("将“12.5%”改为“14.0%”。", "wrong_language"),
        ('Replace "12.5%" with "14.0%" and change "May 2023" to "June 2023".', "two_places"),
        ('Replace "99.5%" with "14.0%".', "target_not_on_page"),
        ('Replace "Sales" with "Profits".', "target_not_unique"),
        ("", "empty"),
        (None, "empty"),
    ],
)
def test_a_bad_answer_is_noted_and_asked_for_again_with_its_reason(image, text, reason):
    with serving(says(text), says(GOOD)) as server:
        turned, found = asking(server, image)
    assert isinstance(turned, Rejection)
    assert isinstance(found, Instruction)
    assert (turned.reason, turned.final, turned.attempt) == (reason, False, 1)
    assert found.attempt == 2
    first, second = (ask.body["messages"][0]["content"][1]["text"] for ask in server.posts)
    assert second.startswith(first)
    assert "turned down" in second
    assert turned.words in second


def test_a_table_on_a_page_without_one_is_turned_down_for_good_after_three_answers(image):
    told = 'In the table, change the cell in row "North", column "2022" to "1".'
    with serving(says(told)) as server:
        steps = asking(server, image, on=reading("Sales rose by 12.5% in May 2023."))
    assert [step.reason for step in steps] == ["table_on_page_without_table"] * 3
    assert [step.final for step in steps] == [False, False, True]
    assert [step.attempt for step in steps] == [1, 2, 3]
    assert len(server.posts) == 3


@pytest.mark.parametrize("status", [429, 500, 503])
def test_passing_faults_are_tried_again(image, status):
    with serving(Reply({"error": "later"}, status), Reply({"error": "later"}, status), says(GOOD)) as server:
        (found,) = asking(server, image)
    assert isinstance(found, Instruction)
    assert found.attempt == 1
    assert len(server.posts) == 3


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        (Reply({"error": f"Incorrect API key provided: {KEY}"}, 401), 1),
        (Reply({"error": f"no room for {KEY}"}, 503), 4),
        (Reply({"error": KEY}), 1),
        (Reply(f"<html>{KEY}".encode()), 1),
        (Reply({"choices": [{"message": {"content": [1]}}]}), 1),
        (Reply(["no"]), 1),
    ],
)
def test_no_answer_is_an_error_that_shows_no_key(image, reply, asked):
    with serving(reply) as server, pytest.raises(GeneratorError, match="the generator model-a at http") as error:
        asking(server, image)
    assert KEY not in str(error.value)
    assert len(server.posts) == asked


def test_a_key_is_in_nothing_that_is_kept(image):
    told = f'Replace "{KEY}" with "x".'
    with serving(says(told, model=KEY), says(GOOD, model=f"model {KEY}")) as server:
        steps = asking(server, image)
        model = generator("model-a", {"url": f"{server.url}/v1", "key_variable": "TEST_KEY"})
    kept = json.dumps([step._asdict() for step in steps]) + model.label + repr(vars(model))
    assert KEY not in kept
    assert len(steps) == 2


def test_a_model_classifies_infers_and_blurs(image):
    with serving(says("table_delete."), says("dance"), says("None."), says(GOOD), says("Change it.")) as server:
        model = generator("model-a", {"url": f"{server.url}/v1", "model": "real-name", "temperature": 0})
        assert model.classify(GOOD) is Operation.TABLE_DELETE
        assert model.classify(GOOD) is Operation.OTHER
        assert model.infer(image, image, "english").text == ""
        assert model.infer(image, image, "english").text == GOOD
        assert model.make_ambiguous(GOOD, "target").text == "Change it."
    assert [len(ask.body["messages"][0]["content"]) for ask in server.posts] == [1, 1, 3, 3, 1]
    assert {(ask.body["model"], ask.body["temperature"]) for ask in server.posts} == {("real-name", 0)}
    assert "which text or cell of the page is meant" in server.posts[-1].body["messages"][0]["content"][0]["text"]


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("template", {"url": "http://x"}, "template has no options"),
        ("m", {"colour": "red"}, "no option 'colour'; it has: url"),
        ("m", {"url": "localhost:1"}, "is not a server address"),
        ("m", {"url": "http://localhost:1", "temperature": "warm"}, "temperature is 'warm', expected a number"),
    ],
)
def test_options_that_cannot_be(name, options, said):
    with pytest.raises(VdeError, match=said):
        generator(name, options)


def test_a_public_server_needs_a_key_from_the_environment(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("VDE_GENERATOR_URL", raising=False)
    with pytest.raises(MissingPartError, match="needs a key: set OPENAI_API_KEY"):
        generator("model-a")
