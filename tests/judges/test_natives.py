"""Gemini and Claude by their APIs, against a local server."""

from __future__ import annotations

import asyncio
import base64
import json

import numpy as np
import pytest

from tests.judges.server import Reply, in_turn, judging
from vdebench.errors import MissingPartError, VdeError
from vdebench.judges import judge as interface
from vdebench.judges.dimension import DIMENSIONS
from vdebench.judges.judge import JudgeRequest, get_judge
from vdebench.net.image_payloads import ImageInput, encode_image

pytest.importorskip("httpx2")
KEY = "planted-key-0123456789"
PAGE = encode_image(ImageInput("Image 1: before the edit", np.zeros((4, 6, 3), np.uint8)))
ANSWER = '{"rationale": "r", "grade": 4}'
PROVIDERS = ("gemini", "anthropic")


def said(provider, text=ANSWER, end=None):
    if provider == "gemini":
        return {
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": end or "STOP"}],
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 5, "thoughtsTokenCount": 20},
            "modelVersion": "model-7",
        }
    return {
        **{"id": "1", "type": "message", "role": "assistant", "model": "model-7", "stop_reason": end or "end_turn"},
        "content": [{"type": "text", "text": text}],
        "usage": {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 25},
    }


def failing(provider, status, message, **headers):
    body = {"type": "error", "error": {"type": "x", "message": message, "code": status, "status": "X"}}
    return Reply(body, status, headers)


def ask(provider, *replies, turns=(), timeout=20, **options):
    """Answer and requests of one question."""
    with judging(in_turn(*replies)) as server:
        url = server.url.removesuffix("/v1")
        judge = get_judge(f"{provider}:model", base_url=url, key_variable="TEST_JUDGE_KEY", timeout=timeout, **options)

        async def once():
            answer = await judge.ask(JudgeRequest("the prompt", (PAGE,), DIMENSIONS["IF"].schema, turns))
            await judge.close()
            return answer

        return asyncio.run(once()), server.asks


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)


def test_gemini_is_asked_as_it_wants():
    answer, (request,) = ask("gemini", Reply(said("gemini")), turns=("wrong", "again"))
    assert request.path.endswith("/models/model:generateContent")
    assert request.headers["x-goog-api-key"] == KEY
    first, reply, again = request.body["contents"]
    text, label, image = first["parts"]
    assert (text["text"], label["text"]) == ("the prompt", PAGE.label)
    assert base64.urlsafe_b64decode(image["inlineData"]["data"]) == PAGE.content
    assert (reply["role"], again["role"]) == ("model", "user")
    config = request.body["generationConfig"]
    assert (config["temperature"], config["responseMimeType"]) == (0, "application/json")
    assert config["responseJsonSchema"] == json.loads(json.dumps(DIMENSIONS["IF"].schema))
    assert (answer.state, answer.text, answer.model) == ("answered", ANSWER, "model-7")
    assert (answer.usage.input, answer.usage.output) == (100, 25)  # thoughts are paid for


def test_claude_is_asked_as_it_wants():
    answer, (request,) = ask("anthropic", Reply(said("anthropic")), turns=("wrong", "again"))
    assert request.path == "/v1/messages"
    assert KEY in (request.headers.get("x-api-key"), request.headers.get("authorization", "").removeprefix("Bearer "))
    assert request.body["temperature"] == 0
    assert request.body["output_config"]["format"]["schema"] == json.loads(json.dumps(DIMENSIONS["IF"].schema))
    first, reply, again = request.body["messages"]
    text, label, image = first["content"]
    assert (text["text"], label["text"]) == ("the prompt", PAGE.label)
    assert base64.b64decode(image["source"]["data"]) == PAGE.content
    assert (reply["role"], again["role"]) == ("assistant", "user")
    assert (answer.state, answer.text, answer.model) == ("answered", ANSWER, "model-7")
    assert (answer.usage.input, answer.usage.output) == (100, 25)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (429, "slow down", ("rate_limited", True, False)),
        (500, "oh", ("failed", True, False)),
        (503, "overloaded", ("failed", True, False)),
        (529, "overloaded", ("failed", True, False)),
        (401, f"bad key {KEY}", ("failed", False, True)),
        (403, f"bad key {KEY}", ("failed", False, True)),
        (404, "no such model", ("failed", False, False)),
        (413, "large", ("too_large", False, False)),
    ],
)
def test_statuses_mean_the_same_everywhere(provider, status, message, expected):
    answer, requests = ask(provider, failing(provider, status, message, **{"Retry-After": "3"}))
    assert (answer.state, answer.retryable, answer.fatal) == expected
    assert len(requests) == 1
    assert KEY not in answer.reason
    if answer.retryable:
        assert answer.wait == 3


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_refused_schema_is_left_out_once(provider):
    answer, requests = ask(provider, failing(provider, 400, "unknown field"), Reply(said(provider)))
    assert (answer.state, answer.asked_for) == ("answered", "plain")
    assert len(requests) == 2
    assert "output_config" not in requests[1].body
    assert "responseJsonSchema" not in requests[1].body.get("generationConfig", {})


@pytest.mark.parametrize(("provider", "end"), [("gemini", "SAFETY"), ("anthropic", "refusal")])
def test_refusals_are_values(provider, end):
    answer, _ = ask(provider, Reply(said(provider, "", end)))
    assert (answer.state, answer.usage.input) == ("refused", 100)


def test_a_blocked_question_is_refused():
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 9}}
    answer, _ = ask("gemini", Reply(blocked))
    assert answer.state == "refused"
    assert "PROHIBITED_CONTENT" in answer.reason


@pytest.mark.parametrize("provider", PROVIDERS)
def test_hanging_and_broken_connections(provider):
    answer, _ = ask(provider, Reply(said(provider), wait=5), timeout=0.3)
    assert (answer.state, answer.retryable, answer.lost) == ("timed_out", True, True)
    answer, _ = ask(provider, Reply(said(provider), cut=True))
    assert (answer.state, answer.retryable, answer.lost) == ("failed", True, True)


@pytest.mark.parametrize("name", ["gpt-4o", "gemini:x", "anthropic:x"])
def test_an_absent_package_is_named_with_the_command_that_gets_it(monkeypatch, name):
    monkeypatch.setattr(interface, "find_spec", lambda package: None)
    with pytest.raises(MissingPartError) as caught:
        get_judge(name)
    assert "needs the package httpx2\n  pip install 'vdebench[servers]'" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "variable"),
    [("gpt-4o", "OPENAI_API_KEY"), ("gemini:x", "GEMINI_API_KEY"), ("anthropic:x", "ANTHROPIC_API_KEY")],
)
def test_an_absent_key_is_asked_for_by_its_variable(monkeypatch, name, variable):
    monkeypatch.setattr(interface, "find_spec", lambda package: True)
    with pytest.raises(VdeError, match=f"environment variable {variable} is not set"):
        get_judge(name)
    assert get_judge(name, dry=True).secret.reveal() == "none"  # only counting needs none


def test_a_models_own_name_may_have_a_colon():
    judge = get_judge("qwen2.5vl:7b", base_url="http://localhost:11434/v1")
    assert (judge.provider, judge.model) == ("openai", "qwen2.5vl:7b")
    assert get_judge("openai:gpt-4o", base_url="http://localhost:1/v1").model == "gpt-4o"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"base_url": "localhost:8000"}, "not a server address"),
        ({"temperature": "hot"}, "--temperature"),
        ({"temperature": "3"}, "--temperature"),
        ({"timeout": "0"}, "--timeout"),
        ({"key_variable": "NO_SUCH_KEY"}, "NO_SUCH_KEY"),
    ],
)
def test_wrong_options_are_named(options, told):
    with pytest.raises(VdeError, match=told):
        get_judge("gpt-4o", **{"base_url": "http://localhost:1/v1", **options})
