"""The reader for PaddleOCR's server, against local servers with and without errors."""

from __future__ import annotations

import base64
import gzip
import io
import json
import time

import numpy as np
import pytest
from PIL import Image as Pictures

from tests.readers.servers import Answer, closed_port, serving
from vdebench.core.png import encode_png
from vdebench.errors import InputError, MissingPartError, ReaderError, VdeError
from vdebench.net.retries import RetryPolicy
from vdebench.readers.cached import CachedReader
from vdebench.readers.paddle_server import ServingReader

pytest.importorskip("httpx2")
PAGE = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)


def block(number, text, order=None, label="text"):
    return {
        "block_bbox": [0, number, 8, number + 1],
        "block_label": label,
        "block_content": text,
        "block_id": number,
        "block_order": order,
    }


def success(blocks=None, **page):
    blocks = [block(0, "title", 1), block(1, "<table></table>", None, "table")] if blocks is None else blocks
    result = {"width": 8, "height": 6, "model_settings": {}, "parsing_res_list": blocks, **page}
    entry = {"prunedResult": result, "markdown": {"text": "", "images": {}}}
    return {"logId": "1", "errorCode": 0, "errorMsg": "Success", "result": {"layoutParsingResults": [entry]}}


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch):
    for name in ("VDE_PADDLEOCR_URL", "VDE_PADDLEOCR_TOKEN"):
        monkeypatch.delenv(name, raising=False)


def reader(server, **options):
    made = ServingReader(url=server.url, **options)
    made._client.retries = RetryPolicy(pause=0.02)
    return made


def failure(answers, **options):
    """The message and the number of requests."""
    with serving(*answers) as server:
        with pytest.raises(ReaderError) as caught:
            reader(server, **options).read(PAGE)
        assert f"paddleocr-vl-server at {server.url}" in str(caught.value)
        return str(caught.value), len(server.requests)


def test_a_page_goes_out_as_it_is_and_comes_back_as_a_reading():
    with serving(Answer(success([block(1, "second"), block(0, "first", 1)]))) as server:
        reading = reader(server).read(PAGE)
    (request,) = server.requests
    assert request.path == "/layout-parsing"
    assert request.body["fileType"] == 1
    assert request.body["useDocUnwarping"] is False
    assert request.body["useDocOrientationClassify"] is False
    sent = np.asarray(Pictures.open(io.BytesIO(base64.b64decode(request.body["file"]))))
    assert np.array_equal(sent, PAGE)
    assert [each.content for each in reading.blocks] == ["first", "second"]
    assert reading.size == (8, 6)
    assert "authorization" not in request.headers


def test_a_page_without_text_is_a_reading_without_blocks():
    with serving(Answer(success([]))) as server:
        assert reader(server).read(PAGE).blocks == ()


def test_address_and_token_from_the_environment(monkeypatch):
    with serving(Answer(success())) as server:
        monkeypatch.setenv("VDE_PADDLEOCR_URL", f"{server.url}/layout-parsing/")
        monkeypatch.setenv("VDE_PADDLEOCR_TOKEN", "secret")
        made = ServingReader()
        made.read(PAGE)
    (request,) = server.requests
    assert (request.path, request.headers["authorization"]) == ("/layout-parsing", "token secret")
    assert not any("secret" in value or "127.0.0.1" in value for value in made.identity.values())


def test_another_pipeline_is_another_identity_another_address_is_not():
    first = ServingReader(url="http://a:1").identity
    assert first == ServingReader(url="http://b:2", timeout="7").identity
    assert first != ServingReader(url="http://a:1", pipeline_version="v1.6").identity


def test_an_answer_that_comes_packed():
    packed = gzip.compress(json.dumps(success()).encode())
    with serving(Answer(packed, headers={"Content-Encoding": "gzip"})) as server:
        assert len(reader(server).read(PAGE).blocks) == 2


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(status):
    with serving(Answer({"errorCode": status}, status), Answer(success())) as server:
        assert len(reader(server).read(PAGE).blocks) == 2
    assert len(server.requests) == 2


def test_a_connection_that_breaks_is_tried_again():
    with serving(Answer(b'{"res', cut=100), Answer(success())) as server:
        assert len(reader(server).read(PAGE).blocks) == 2
    assert len(server.requests) == 2


def test_retry_after_is_obeyed():
    with serving(Answer({}, 429, {"Retry-After": "1"}), Answer(success())) as server:
        reader(server).read(PAGE)
    (pause,) = server.pauses
    assert 1 <= pause < 1.5


def test_retry_after_as_a_date_is_obeyed():
    date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 2))  # whole seconds: one to two away
    with serving(Answer({}, 503, {"Retry-After": date}), Answer(success())) as server:
        reader(server).read(PAGE)
    (pause,) = server.pauses
    assert 0.9 <= pause < 2.5


def test_retry_after_beyond_the_time_ends_at_once():
    start = time.monotonic()
    message, requests = failure([Answer({}, 429, {"Retry-After": "3600"})], timeout=5)
    assert requests == 1
    assert time.monotonic() - start < 2
    assert "HTTP 429" in message
    assert "fewer workers" in message


def test_pauses_grow_and_tries_end():
    with serving(Answer({"errorMsg": "out of memory"}, 500)) as server:
        made = reader(server)
        made._client.retries = RetryPolicy(pause=0.1)
        with pytest.raises(ReaderError, match=r"HTTP 500: .*out of memory(.|\n)*server's log"):
            made.read(PAGE)
    assert len(server.requests) == 4
    first, second, third = server.pauses
    assert 0.075 <= first < second < third < 0.8


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "does not accept this request"),
        (401, "VDE_PADDLEOCR_TOKEN"),
        (403, "VDE_PADDLEOCR_TOKEN"),
        (404, "correct the address"),
        (413, "too large"),
        (422, "does not accept this request"),
    ],
)
def test_what_cannot_pass_is_tried_once(status, advice):
    message, requests = failure([Answer({"errorCode": status, "errorMsg": "told so"}, status)])
    assert requests == 1
    assert f"HTTP {status}" in message
    assert "told so" in message
    assert advice in message


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer({"errorCode": 500, "errorMsg": "CUDA out of memory"}), "error 500: CUDA out of memory"),
        (Answer(b'{"result": {"layoutPars'), "not JSON"),
        (Answer(b"<html>It works!</html>"), "It works!"),
        (Answer(b""), "not JSON"),
        (Answer(b"\xff\xfe"), "not UTF-8"),
        (Answer([]), "no result.layoutParsingResults"),
        (Answer({"errorCode": 0, "result": None}), "no result.layoutParsingResults"),
        (Answer({"errorCode": 0, "result": {"layoutParsingResults": []}}), "no result.layoutParsingResults"),
        (Answer({"errorCode": 0, "result": {"layoutParsingResults": [{}]}}), "no result.layoutParsingResults"),
        (Answer({"result": {"layoutParsingResults": [{"prunedResult": {"error": "bad"}}]}}), "parsing_res_list': bad"),
        (Answer({"result": {"layoutParsingResults": [{"prunedResult": []}]}}), "parsing_res_list"),
        (Answer(success(width=6, height=8)), "6×8 pixels, expected 8×6"),
    ],
)
def test_an_answer_that_is_no_reading_is_an_error(answer, told):
    message, requests = failure([answer])
    assert told in message
    assert requests == 1


def test_a_block_that_says_no_text_is_an_error():
    with serving(Answer(success([block(0, ["a"])]))) as server, pytest.raises(InputError, match="expected text"):
        reader(server).read(PAGE)


def test_a_server_that_does_not_answer_is_asked_once():
    start = time.monotonic()
    message, requests = failure([Answer(success(), wait=3)], timeout="0.4")
    assert time.monotonic() - start < 2
    assert requests == 1
    assert "timeout=SECONDS" in message


def test_a_body_that_dribbles_ends_in_time():
    start = time.monotonic()
    message, _ = failure([Answer(success(), dribble=0.05)], timeout=0.5)
    assert time.monotonic() - start < 2
    assert "no answer in 0.5 seconds" in message


def test_nobody_listens():
    made = ServingReader(url=f"http://127.0.0.1:{closed_port()}")
    made._client.retries = RetryPolicy(pause=0.01)
    with pytest.raises(ReaderError, match=r"no connection: .*refused(.|\n)*is the server running"):
        made.read(PAGE)


def test_passwords_are_not_shown():
    made = ServingReader(url=f"http://me:secret@127.0.0.1:{closed_port()}")
    made._client.retries = RetryPolicy(pause=0.01)
    with pytest.raises(ReaderError) as caught:
        made.read(PAGE)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "VDE_PADDLEOCR_URL"),
        ({"url": "localhost:8080"}, "not a server address"),
        ({"url": "http://[::1"}, "not a server address"),
    ],
)
def test_no_address_is_said_before_anything_is_read(options, told):
    assert told in ServingReader.missing(**options)
    with pytest.raises(MissingPartError, match=told):
        ServingReader(**options)
    assert ServingReader.missing(url="http://host") == ""


def test_options_that_mean_nothing():
    with pytest.raises(VdeError, match=r"expected one of v1, v1\.5, v1\.6"):
        ServingReader(url="http://host", pipeline_version="v2")
    with pytest.raises(VdeError, match="timeout is '-1'"):
        ServingReader(url="http://host", timeout="-1")


def test_a_failure_is_not_kept_and_a_reading_is(tmp_path):
    (tmp_path / "page.png").write_bytes(encode_png(PAGE))
    with serving(Answer({"errorCode": 500, "errorMsg": "busy"}), Answer(success())) as server:
        with pytest.raises(ReaderError, match="busy"):
            CachedReader(reader(server), tmp_path / "cache").read(tmp_path / "page.png")
        cached = CachedReader(reader(server), tmp_path / "cache")
        first = cached.read(tmp_path / "page.png")
        assert first.to_json() == cached.read(tmp_path / "page.png").to_json()
    assert len(server.requests) == 2


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr("vdebench.readers.paddle_server.find_spec", lambda name: None)
    assert "pip install 'vdebench[servers]'" in ServingReader.missing(url="http://host")
