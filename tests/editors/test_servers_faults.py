"""Editors behind servers: refusals are values; failures are retried or reported with a remedy."""

from __future__ import annotations

import time

import pytest

from tests.editors.server import (
    COLOUR,
    GOOD,
    HOLDING,
    NAMING,
    Reply,
    ark,
    chat,
    coded,
    dashscope,
    edited,
    error,
    gemini,
    link,
    openai,
    png,
    serving,
    without_keys_or_pauses,
)
from vdebench.errors import EditorError, EditorUnusableError

pytest.importorskip("httpx2")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    without_keys_or_pauses(monkeypatch)


# Refusals.

BLOCKED = Reply({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 5}})


@pytest.mark.parametrize(("name", "reply", "kind"), [
    *(("gemini-image", gemini(end=end), end) for end in
      ("NO_IMAGE", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_OTHER", "SAFETY", "RECITATION")),
    ("gemini-image", BLOCKED, "PROHIBITED_CONTENT"),
    ("gemini-image", gemini({"text": "I cannot do that."}), "no_image"),
    ("openai-images", error(400, "rejected by our safety system", code="moderation_blocked"), "moderation_blocked"),
    ("openai-images", error(400, "no", code="content_policy_violation"), "content_policy_violation"),
    ("seedream", error(400, "sensitive", code="OutputImageSensitiveContentDetected"), "OutputImageSensitiveContentDetected"),
    ("seedream", ark({"error": {"code": "InputImageSensitiveContentDetected", "message": "no"}}), "InputImageSensitiveContentDetected"),
    ("dashscope-image", Reply({"code": "DataInspectionFailed", "message": "Output data may contain inappropriate content.", "request_id": "1"}, 400), "DataInspectionFailed"),
    ("dashscope-image", dashscope({"text": "No."}), "no_image"),
    ("chat-image", chat({"content": "I cannot edit official papers."}), "no_image"),
    ("chat-image", chat({"refusal": "I will not."}), "refusal"),
    ("chat-image", chat({}, finish_reason="content_filter", native_finish_reason="IMAGE_SAFETY"), "IMAGE_SAFETY"),
    ("chat-image", error(403, "flagged", code=403, metadata={"reasons": ["violence"], "flagged_input": "x"}), "403"),
])  # fmt: skip
def test_refusals_are_values_and_asked_once(name, reply, kind):
    with serving(reply) as server:
        edit = edited(name, server)
    assert (edit.state, edit.image) == ("refused", None)
    assert edit.parameters["refusal"] == kind
    assert kind in edit.reason
    assert edit.native_size is None
    assert edit.metadata["answer"]
    assert len(server.asks) == 1


# Faults.


PASSING = [
    error(429, "slower"),
    error(503),
    Reply(b"<html>bad gateway</html>", 502),
    Reply(b"<html>hello</html>"),
    Reply(b'{"half": ', cut=20),
    Reply({"error": {"code": 502, "message": "upstream"}}),
]


@pytest.mark.parametrize("name", sorted(GOOD))
def test_faults_that_pass_are_tried_again(name):
    with serving(*PASSING, GOOD[name]) as server:
        edit = edited(name, server, tries=7)
    assert (edit.image == COLOUR).all()
    assert (len(server.asks), edit.parameters["requests"]) == (7, 7)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_half_an_image_is_asked_for_again(name):
    reply = HOLDING[name](png()[:-30])
    with serving(reply, GOOD[name]) as server:
        assert (edited(name, server).image == COLOUR).all()
    with serving(reply) as server, pytest.raises(EditorError, match=r"(?s)the received image.*tried 2 times"):
        edited(name, server, tries=2)
    assert len(server.asks) == 2


def test_the_pause_that_is_asked_for_is_kept():
    with serving(error(429, "slower", {"Retry-After": "0.4"}), openai()) as server:
        edited("openai-images", server)
    assert server.pauses[0] >= 0.4
    words = error(429, "quota", status="RESOURCE_EXHAUSTED", details=[{"retryDelay": "0.3s"}])
    with serving(words, GOOD["gemini-image"]) as server:
        edited("gemini-image", server)
    assert server.pauses[0] >= 0.3


def test_a_pause_beyond_the_time_limit_is_a_failure_at_once():
    start = time.monotonic()
    with serving(error(429, "slower", {"Retry-After": "3600"})) as server, pytest.raises(EditorError, match="3600 s"):
        edited("openai-images", server, timeout=5)
    assert (len(server.asks), time.monotonic() - start < 2) == (1, True)


def test_repeated_requests_keep_the_rate():
    with serving(error(503), error(503), openai()) as server:
        edited("openai-images", server, per_minute=200)
    assert len(server.asks) == 3
    assert min(server.pauses) >= 0.28  # 60 s / 200, less the inaccuracy of clocks


def test_tries_are_bounded():
    with serving(error(500, "out of memory")) as server, pytest.raises(EditorError, match="tried 4 times") as told:
        edited("seedream", server)
    assert len(server.asks) == 4
    assert "HTTP 500: out of memory" in str(told.value)


def test_no_answer_in_time_is_tried_again():
    with serving(Reply(wait=0.6), openai()) as server:
        assert edited("openai-images", server, timeout=0.2).state == "edited"
    with (
        serving(Reply(wait=0.5)) as server,
        pytest.raises(EditorError, match=r"no answer in 0.2 seconds \(tried 2 times\)"),
    ):
        edited("openai-images", server, timeout=0.2, tries=2)


def test_no_server():
    with serving(openai()) as server:
        pass
    with pytest.raises(EditorError, match=r"no connection.*tried 2 times\)\n  is the server running"):
        edited("openai-images", server, tries=2)


@pytest.mark.parametrize(("reply", "advice"), [
    (error(401, "bad key"), "OPENAI_API_KEY"),
    (error(403, "temporarily blocked, may violate our content policy"), "OPENAI_API_KEY"),  # the account, not the page
    (Reply(b"<html>Request blocked</html>", 403), "a proxy or firewall"),  # a wall that may mind this page alone
    (error(404, "no such model"), "model="),
    (error(400, "The model `m-1` does not exist", code="model_not_found"), "model="),
    (error(400, "size is wrong"), "max_pixels"),
    (error(400, "API key not valid", status="INVALID_ARGUMENT"), "a different one"),
    (error(402, "pay"), "no money"),
    (error(429, "You exceeded your current quota", code="insufficient_quota"), "no money"),
    (error(413, "large"), "max_pixels"),
    (Reply(b"", 307, {"Location": "http://127.0.0.1:9/"}), "base_url"),
])  # fmt: skip
def test_faults_that_stay_are_not_tried_again(reply, advice):
    with serving(reply) as server, pytest.raises(EditorError) as told:
        edited("openai-images", server)
    assert len(server.asks) == 1
    of_the_page = advice in ("max_pixels", "a proxy or firewall")
    assert isinstance(told.value, EditorUnusableError) is not of_the_page  # the others of a run would fail as this one
    assert advice in str(told.value)
    assert str(told.value).startswith(f"openai-images (m-1 at {server.url}): HTTP {reply.status}")


@pytest.mark.parametrize(("name", "body"), [
    ("openai-images", {"error": {"code": "invalid_value", "message": "bad size"}, "data": [{"b64_json": coded(png())}]}),
    ("openai-images", {"object": "error", "message": "bad size", "code": 400}),
    ("gemini-image", {"error": {"code": 400, "message": "bad size", "status": "INVALID_ARGUMENT"}}),
    ("seedream", ark({"error": {"code": "InvalidParameter", "message": "bad size"}}).body),
    ("dashscope-image", {"code": "InvalidParameter", "message": "bad size", "request_id": "1"}),
    ("chat-image", {"error": {"code": 400, "message": "bad size"}}),
    ("chat-image", chat({}, error={"code": 400, "message": "bad size"}, finish_reason="error").body),
])  # fmt: skip
def test_an_error_in_a_good_answer_is_an_error(name, body):
    with serving(Reply(body)) as server, pytest.raises(EditorError, match="bad size"):
        edited(name, server)
    assert len(server.asks) == 1


SHAPES = [
    *({}, [], "x", 3, {"data": []}, {"data": [{}]}, {"data": {}}, {"candidates": [None]}),
    *({"choices": [{"message": None}]}, {"output": {"choices": [{"message": {"content": [3]}}]}}),
]


@pytest.mark.parametrize("name", sorted(GOOD))
def test_answers_of_other_shapes_are_errors(name):
    with serving(*map(Reply, SHAPES)) as server:
        for _ in SHAPES:
            with pytest.raises(EditorError, match="neither an image nor text"):
                edited(name, server, tries=1)
    assert len(server.asks) == len(SHAPES)


@pytest.mark.parametrize("name", sorted(NAMING))
def test_an_expired_address(name):
    def behave(ask):
        return NAMING[name](link(server)) if ask.method == "POST" else Reply(b"<Error/>", 404)

    with (
        serving(behaviour=behave) as server,
        pytest.raises(EditorError, match=r"made.png could not be fetched: HTTP 404") as told,
    ):
        edited(name, server)
    assert "expired" in str(told.value)
    assert "hush" not in str(told.value)
    assert [ask.method for ask in server.asks] == ["POST", "GET"]


@pytest.mark.parametrize("name", sorted(NAMING))
def test_half_a_download_is_fetched_again_and_paid_once(name):
    gets = iter([Reply(png()[:-40]), Reply(png(), cut=100), error(503), Reply(png())])
    with serving(behaviour=lambda ask: NAMING[name](link(server)) if ask.method == "POST" else next(gets)) as server:
        assert (edited(name, server).image == COLOUR).all()
    assert [ask.method for ask in server.asks] == ["POST", "GET", "GET", "GET", "GET"]


def test_a_model_that_breaks_off_does_not_refuse():
    with serving(gemini(end="MAX_TOKENS"), GOOD["gemini-image"]) as server:
        edit = edited("gemini-image", server, price="1,10")
    assert (edit.state, len(server.asks)) == ("edited", 2)
    told = edit.parameters
    # Two answers of 1000 tokens in and 1290 out: 2 x (1000 x 1 + 1290 x 10) / 1e6 dollars.
    assert (told["input_tokens"], told["output_tokens"], told["dollars"]) == (2000, 2580, 0.0278)


def test_what_a_failure_has_cost_is_not_lost():
    with serving(openai(png()[:-30])) as server, pytest.raises(EditorError) as told:
        edited("openai-images", server, tries=3, price="0.5")
    paid = {"input_tokens": 3000, "output_tokens": 900, "dollars": 1.5}
    assert told.value.parameters == {"requests": 3, "unanswered": 0, **paid}
    with serving(error(500), error(401)) as server, pytest.raises(EditorUnusableError) as told:
        edited("openai-images", server)
    unknown = dict.fromkeys(("input_tokens", "output_tokens", "dollars"))
    assert told.value.parameters == {"requests": 2, "unanswered": 0, **unknown}
