"""The reader for OpenAI-compatible servers, against local servers, and parsing of answers."""

from __future__ import annotations

import base64
import io
import json
import time

import numpy as np
import pytest
from PIL import Image as Pictures

from tests.readers.servers import Answer, closed_port, serving
from vdebench.core.box import Size
from vdebench.errors import InputError, MissingPartError, ReaderError, VdeError
from vdebench.net.chat import read_envelope
from vdebench.net.retries import RetryPolicy
from vdebench.readers.vlm import PROMPT, VlmReader
from vdebench.readers.vlm_answer import LABELS, SCHEMA, answer_text, page_text_from_answer

pytest.importorskip("httpx2")
PAGE = np.arange(40 * 20 * 3, dtype=np.uint8).reshape(40, 20, 3)
BLOCKS = [
    {"box": [0, 0, 1000, 100], "label": "doc_title", "text": "基金 report"},
    {"box": [50, 125, 500, 1000], "label": "table", "text": "<table><tr><td>1</td></tr></table>"},
]


def envelope(text=None, model="tiny", reason="stop", **message):
    text = json.dumps({"blocks": BLOCKS}, ensure_ascii=False) if text is None else text
    message = {"role": "assistant", "content": text, **message}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch):
    for name in ("VDE_VLM_URL", "VDE_VLM_KEY", "VDE_VLM_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def reader(server, **options):
    made = VlmReader(**{"url": f"{server.url}/v1", "model": "tiny", **options})
    made._chat.http.retries = RetryPolicy(pause=0.02)
    return made


def failure(answers, **options):
    """The message and the number of requests."""
    with serving(*answers) as server:
        with pytest.raises(ReaderError) as caught:
            reader(server, **options).read(PAGE)
        assert f"openai-vlm tiny at {server.url}/v1" in str(caught.value)
        return str(caught.value), len(server.requests)


def test_a_page_goes_out_with_the_prompt_and_comes_back_as_a_reading():
    with serving(Answer(envelope())) as server:
        reading = reader(server).read(PAGE)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert (request.body["model"], request.body["temperature"]) == ("tiny", 0)
    assert request.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert request.body["response_format"]["json_schema"]["strict"] is True
    picture, text = request.body["messages"][0]["content"]
    assert text["text"] == PROMPT
    data = picture["image_url"]["url"].removeprefix("data:image/png;base64,")
    assert np.array_equal(np.asarray(Pictures.open(io.BytesIO(base64.b64decode(data)))), PAGE)
    title, table = reading.blocks
    assert title.box == (0, 0, 20, 4)  # a page of 20 × 40
    assert table.box == (1, 5, 10, 40)
    assert (title.content, title.label) == ("基金 report", "doc_title")
    assert table.html
    assert reading.size == (20, 40)
    assert reading.extra == {"model": "tiny", "asked_for": "schema"}


def test_a_server_that_takes_no_schema_is_asked_plainly_from_then_on():
    refusal = Answer({"error": {"message": "response_format is not supported"}}, 400)
    with serving(refusal, Answer(envelope())) as server:
        made = reader(server)
        assert made.read(PAGE).extra["asked_for"] == "plain"
        assert made.read(PAGE).extra["asked_for"] == "plain"
    assert ["response_format" in request.body for request in server.requests] == [True, False, False]


def test_a_request_that_is_bad_in_any_form_is_an_error():
    message, requests = failure([Answer({"error": {"message": "image is too large"}}, 400)])
    assert requests == 2
    assert "HTTP 400" in message
    assert "image is too large" in message


def test_strict_means_strict_and_plain_means_plain():
    message, requests = failure([Answer({"error": {"message": "no schemas"}}, 400)], schema="strict")
    assert requests == 1
    assert "no schemas" in message
    with serving(Answer(envelope())) as server:
        assert reader(server, schema="plain").read(PAGE).extra["asked_for"] == "plain"
    assert "response_format" not in server.requests[0].body


def test_options_reach_the_server():
    with serving(Answer(envelope())) as server:
        reader(server, temperature="", max_tokens="4096", key="abc").read(PAGE)
    (request,) = server.requests
    assert "temperature" not in request.body
    assert request.body["max_tokens"] == 4096
    assert request.headers["authorization"] == "Bearer abc"


def test_the_key_of_one_provider_goes_to_no_other(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "for-openai")
    with serving(Answer(envelope())) as server:
        reader(server).read(PAGE)
        monkeypatch.setenv("VDE_VLM_URL", f"{server.url}/v1")
        VlmReader(model="tiny").read(PAGE)
        monkeypatch.setenv("VDE_VLM_KEY", "ours")
        VlmReader(model="tiny").read(PAGE)
        monkeypatch.delenv("VDE_VLM_URL")
        monkeypatch.delenv("VDE_VLM_KEY")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        VlmReader(model="tiny").read(PAGE)
    keys = [request.headers.get("authorization") for request in server.requests]
    assert keys == [None, None, "Bearer ours", "Bearer for-openai"]


def test_another_model_than_asked_is_an_error_unless_it_was_said():
    message, _ = failure([Answer(envelope(model="tiny-2026-01-01"))])
    assert "answered by 'tiny-2026-01-01'" in message
    assert "answers_as=tiny-2026-01-01" in message
    with serving(Answer(envelope(model="tiny-2026-01-01"))) as server:
        made = reader(server, answers_as="tiny-2026-01-01")
        assert made.read(PAGE).extra["model"] == "tiny-2026-01-01"
        assert made.identity["answers_as"] == "tiny-2026-01-01"
    with serving(Answer(envelope(model=None))) as server:
        assert reader(server).read(PAGE).extra["model"] == "not stated"


def test_the_identity_holds_what_changes_a_reading_and_no_address():
    made = VlmReader(url="http://a/v1", key="secret", model="m")
    assert made.identity.keys() == {"name", "model", "prompt", "schema", "temperature"}
    assert made.identity == VlmReader(url="http://b/v1", model="m", timeout="9").identity
    assert made.identity != VlmReader(url="http://a/v1", model="m", temperature="0.5").identity
    assert made.identity != VlmReader(url="http://a/v1", model="m", max_tokens=100).identity


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer(envelope('{"blocks": [{"box": [0, 0, 10', reason="length")), "cut off after 29 characters"),
        (Answer(envelope("", reason="stop")), "is empty (finish_reason 'stop')"),
        (Answer(envelope(None, content=None)), "is empty"),
        (Answer(envelope("", refusal="I cannot help with that")), "the model refused: I cannot help with that"),
        (Answer(envelope("", reason="content_filter")), "filtered"),
        (Answer(envelope('{"blocks": [{"box": [0, 0')), 'not JSON: Expecting \',\' delimiter at line 1, column 26: {"blocks"'),
        (Answer(envelope("Sure! Here is the page")), "not JSON"),
        (Answer(envelope("[]")), "no list 'blocks'"),
        (Answer(envelope('{"blocks": [1]}')), "block 0 is not an object"),
        (Answer(b'{"choices": [{"mess'), "not JSON"),
        (Answer(b"<html>It works!</html>", headers={"Content-Type": "text/html"}), "ends in /v1"),
        (Answer({"choices": []}), "no choices[0].message"),
        (Answer({"choices": [{"message": "hello"}]}), "no choices[0].message"),
        (Answer({"error": {"message": "no such thing"}}), "no such thing"),
        (Answer([1]), "no choices[0].message"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_reading_is_an_error(answer, told):
    message, requests = failure([answer])
    assert told in message
    assert requests == 1


@pytest.mark.parametrize(
    ("status", "requests", "advice"),
    [(401, 1, "VDE_VLM_KEY"), (404, 1, "model's name"), (429, 4, "run again later"), (503, 4, "server's log")],
)
def test_statuses(status, requests, advice):
    message, found = failure([Answer({"error": {"message": "told so"}}, status)])
    assert found == requests
    assert f"HTTP {status}" in message
    assert "told so" in message
    assert advice in message


def test_what_may_pass_is_tried_again():
    with serving(Answer({}, 429, {"Retry-After": "0.3"}), Answer({}, 500), Answer(envelope())) as server:
        assert len(reader(server).read(PAGE).blocks) == 2
    first, second = server.pauses
    assert 0.3 <= first < 0.8
    assert second < 0.3


def test_a_server_that_does_not_answer_is_asked_once():
    start = time.monotonic()
    message, requests = failure([Answer(envelope(), wait=3)], timeout="0.4")
    assert time.monotonic() - start < 2
    assert requests == 1
    assert "timeout=SECONDS" in message


def test_nobody_listens():
    made = VlmReader(url=f"http://me:secret@127.0.0.1:{closed_port()}/v1", model="m")
    made._chat.http.retries = RetryPolicy(pause=0.01)
    with pytest.raises(ReaderError, match=r"no connection: .*refused(.|\n)*is the server running") as caught:
        made.read(PAGE)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": "m"}, "VDE_VLM_URL"),
        ({"url": "http://host/v1"}, "VDE_VLM_MODEL"),
        ({"url": "host/v1", "model": "m"}, "not a server address"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_read(options, told):
    assert told in VlmReader.missing(**options)
    with pytest.raises(MissingPartError, match=told):
        VlmReader(**options)


def test_options_that_mean_nothing():
    good = {"url": "http://host/v1", "model": "m"}
    assert VlmReader.missing(**good) == ""
    for bad in ({"schema": "loose"}, {"temperature": "hot"}, {"max_tokens": "many"}, {"timeout": "soon"}):
        with pytest.raises(VdeError, match=next(iter(bad))):
            VlmReader(**good, **bad)


def written(**block):
    return json.dumps({"blocks": [{"box": [0, 0, 10, 10], "label": "text", "text": "a", **block}]})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (written(box=[0, 0, 10]), "expected four numbers"),
        (written(box=[0, 0, 10, "10"]), "expected four numbers"),
        (written(box=[0, 0, 10, 1654]), "not in thousandths"),
        (written(box=[0, 0, -30, 10]), "not in thousandths"),
        (written(box=[10, 0, 5, 10]), "negative width or height"),
        (written(text=None), "'text' is not a string"),
        (written(label=7), "'label' is not a string"),
    ],
)
def test_blocks_of_another_shape(text, told):
    with pytest.raises(InputError, match=told):
        page_text_from_answer(text, Size(100, 100))


def test_what_may_be_around_or_a_little_beside():
    fenced = f"```json\n{written(box=[-3, 0, 1004, 1000])}\n```"
    (block,) = page_text_from_answer(fenced, Size(100, 200)).blocks
    assert block.box == (0, 0, 100, 200)
    assert page_text_from_answer('{"blocks": []}', Size(1, 1)).blocks == ()


def test_the_prompt_and_the_schema_name_the_same_labels():
    (line,) = [line for line in PROMPT.splitlines() if line.startswith("- label: one of ")]
    assert tuple(line.removeprefix("- label: one of ").rstrip(".").split(", ")) == LABELS


def test_half_characters_do_not_break_a_reading():
    text = answer_text(read_envelope(json.dumps(envelope(written(text="a\ud83d")))))
    (block,) = page_text_from_answer(text, Size(10, 10)).blocks
    block.content.encode("utf-8")


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr("vdebench.readers.vlm.find_spec", lambda name: None)
    assert "pip install 'vdebench[servers]'" in VlmReader.missing(url="http://host", model="m")


KEY = "sk-planted-0123456789"


def test_a_key_that_the_server_repeats_is_not_shown():
    said = f"{'x' * 150}{KEY} is wrong"
    for status in (200, 401, 400):
        message, _ = failure([Answer({"error": {"message": said}}, status)], key=KEY)
        assert "sk-p" not in message
    message, _ = failure([Answer({"error": {"message": f"wrong key {KEY}"}}, 401)], key=KEY)
    assert "wrong key [key]" in message
    with serving(Answer(envelope(json.dumps({"blocks": [{**BLOCKS[0], "text": KEY}]})))) as server:
        (block,) = reader(server, key=KEY).read(PAGE).blocks
    assert block.content == "[key]"


def test_pages_and_keys_are_not_sent_to_another_host():
    with serving(Answer(envelope())) as other:
        message, _ = failure([Answer({}, 307, {"Location": f"{other.url}/v1/chat/completions"})], key=KEY)
        assert other.requests == []
    assert "HTTP 307" in message
    assert "another host" in message
