"""Editors behind servers: requests, and records of answers."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from tests.editors.server import (
    COLOUR,
    GOOD,
    HOLDING,
    INSTRUCTION,
    PAGE,
    SIZE,
    Reply,
    chat,
    coded,
    dashscope,
    edited,
    gemini,
    inline,
    link,
    openai,
    png,
    serving,
    without_keys_or_pauses,
)
from vdebench.editors.factory import get_editor

pytest.importorskip("httpx2")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    without_keys_or_pauses(monkeypatch)


def opened(content: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(content)) as picture:
        assert (picture.format, picture.mode) == ("PNG", "RGB")
        return np.array(picture)


# What is sent.


def test_openai_form():
    with serving(openai()) as server:
        edit = edited("openai-images", server, "/v1", num_inference_steps=8, true_cfg_scale="4")
    (ask,) = server.asks
    form = ask.form
    assert ask.path == "/v1/images/edits"
    assert (opened(form.pop("image")) == PAGE).all()
    assert form == {
        "model": "m-1",
        "prompt": "Replace 'a' with 'b'",
        "n": "1",
        "size": "auto",
        "seed": "7",
        "num_inference_steps": "8",
        "true_cfg_scale": "4.0",
        "negative_prompt": " ",  # or the scale would do nothing
        "response_format": "b64_json",
        "output_format": "png",  # or SGLang gives JPEG
    }
    assert "authorization" not in ask.headers
    assert edit.state == "edited"
    assert (edit.image == COLOUR).all()
    assert edit.parameters == {
        "model": "m-1",
        "model_returned": None,
        "server": "own",
        "sent_size": [60, 80],
        "seed": 7,
        "input_tokens": 1000,
        "output_tokens": 300,
        "dollars": None,
        "prompt_rewriting": "unknown",
        "watermark": "unknown",
        "requests": 1,
        "unanswered": 0,
    }
    assert edit.native_size == (48, 64)  # whatever the answer says of it
    assert edit.cost == {"input_tokens": 1000, "output_tokens": 300}
    answer = {**openai().body, "data": [{"b64_json": "[image]"}]}
    assert edit.metadata == {"answer": answer, "request_id": "req_1"}


def test_openai_itself_gets_no_seed_and_no_format(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    editor = get_editor("gpt-image-1")
    from vdebench.editors.servers.images import prepared

    path, content = editor.build_request(prepared(PAGE, 0, 0), "do", editor._seed(7))
    assert path == "/images/edits"
    assert content["data"] == {"model": "gpt-image-1", "prompt": "do", "n": "1", "size": "auto"}
    assert editor.url == "https://api.openai.com/v1"
    assert editor._price.of.__self__ == (10, 40)


def test_gemini_request(monkeypatch):
    monkeypatch.setenv("MY_KEY", "AIza-0123456789")
    with serving(gemini({"text": "Here it is."}, inline(png()))) as server:
        edit = edited("nano-banana", server, "/v1beta", model="gemini-2.5-flash-image", key_variable="MY_KEY")
    (ask,) = server.asks
    assert ask.path == "/v1beta/models/gemini-2.5-flash-image:generateContent"
    assert ask.headers["x-goog-api-key"] == "AIza-0123456789"
    picture, text = ask.body["contents"][0]["parts"]
    assert text == {"text": "Replace 'a' with 'b'"}
    assert (opened(__import__("base64").b64decode(picture["inlineData"]["data"])) == PAGE).all()
    assert ask.body["generationConfig"] == {"responseModalities": ["TEXT", "IMAGE"]}  # so it follows the page's shape
    told = edit.parameters
    assert (told["model"], told["model_returned"]) == ("gemini-2.5-flash-image", "gemini-2.5-flash-image-002")
    assert (told["input_tokens"], told["output_tokens"], told["watermark"]) == (1000, 1290, "SynthID, invisible")
    said = edit.metadata["answer"]
    assert (said["responseId"], said["usageMetadata"]["totalTokenCount"]) == ("resp-1", 2290)
    assert said["candidates"][0]["finishReason"] == "STOP"
    words, image = said["candidates"][0]["content"]["parts"]
    assert words == {"text": "Here it is."}
    assert image == {"inlineData": {"mimeType": "image/png", "data": "[image]"}}


def test_gemini_takes_the_last_image_that_is_no_thought():
    parts = [inline(png(colour=(1, 1, 1)), thought=True), {"text": "x"}, inline(png(colour=(2, 2, 2))), inline(png())]
    with serving(gemini(*parts)) as server:
        edit = edited("gemini-image", server, image_size="2K", seed=3)
    assert (edit.image == COLOUR).all()
    assert server.asks[0].body["generationConfig"]["imageConfig"] == {"imageSize": "2K"}


def test_seedream_request():
    with serving(GOOD["seedream"]) as server:
        edit = edited("seedream", server, "/api/v3")
    (ask,) = server.asks
    body = ask.body
    assert ask.path == "/api/v3/images/generations"
    assert body.pop("image").startswith("data:image/png;base64,")
    assert body == {
        "model": "m-1",
        "prompt": "Replace 'a' with 'b'",
        "size": "2K",
        "response_format": "b64_json",
        "watermark": False,
        "sequential_image_generation": "disabled",
    }
    assert edit.parameters["model_returned"] == "doubao-seedream-4-0-250828"
    assert (edit.parameters["watermark"], edit.parameters["prompt_rewriting"]) == ("off", "on")  # the second by itself
    usage = {"generated_images": 1, "output_tokens": 16384, "total_tokens": 16384}
    assert edit.metadata["answer"]["usage"] == usage


def test_dashscope_fetches_at_once_and_without_the_key(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-0123456789")
    with serving(
        behaviour=lambda ask: Reply(png()) if ask.method == "GET" else dashscope({"image": link(server)})
    ) as server:
        edit = edited("dashscope-image", server, "/api/v1", key_variable="MY_KEY", price="0.03")
    post, get = server.asks
    assert post.path == "/api/v1/services/aigc/multimodal-generation/generation"
    assert post.body["parameters"] == {
        "n": 1,
        "prompt_extend": False,
        "watermark": False,
        "negative_prompt": " ",
        "seed": 7,
    }
    content = post.body["input"]["messages"][0]["content"]
    assert content[0]["image"].startswith("data:image/png;base64,")
    assert content[1] == {"text": "Replace 'a' with 'b'"}
    assert post.headers["authorization"] == "Bearer sk-0123456789"
    assert get.path == "/made.png?Signature=hush"
    assert "authorization" not in get.headers
    assert (edit.image == COLOUR).all()
    told = edit.parameters
    assert (told["prompt_rewriting"], told["watermark"], told["dollars"]) == ("off", "off", 0.03)
    assert edit.metadata["answer"]["request_id"] == "ds-1"
    assert "made.png" in f"{edit.metadata}"
    assert "hush" not in f"{told}{edit.metadata}"


@pytest.mark.parametrize("where", ["images", "content"])
def test_chat_answers(where):
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{coded(png())}"}}
    message = (
        {"images": [part], "content": "Done."}
        if where == "images"
        else {"content": [{"type": "text", "text": "Done."}, part]}
    )
    with serving(chat(message)) as server:
        edit = edited("chat-image", server, "/v1", num_inference_steps="9")
    body = server.asks[0].body
    assert server.asks[0].path == "/v1/chat/completions"
    assert (body["modalities"], body["num_inference_steps"], body["seed"]) == (["image", "text"], 9, 7)
    assert (edit.image == COLOUR).all()
    assert edit.parameters["dollars"] == 0.0391  # as the server counts
    assert edit.parameters["model_returned"] == "google/gemini-2.5-flash-image"


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({"max_pixels": 1200}, (30, 40)),  # 60×80 = 4800 pixels, so half of each side
        ({"max_side": "20"}, (15, 20)),
        ({"max_side": 500}, (60, 80)),  # never made larger
    ],
)
def test_pages_are_made_smaller_where_asked(options, size):
    with serving(openai()) as server:
        edit = edited("openai-images", server, size="input", **options)
    assert opened(server.asks[0].form["image"]).shape[1::-1] == size
    assert server.asks[0].form["size"] == f"{size[0]}x{size[1]}"
    assert edit.parameters["sent_size"] == list(size)
    assert edit.image.shape[1::-1] == SIZE  # what came, as it came


@pytest.mark.parametrize("name", sorted(HOLDING))
@pytest.mark.parametrize("size", [(90, 30), (600, 800)])  # the page has 60 × 80
def test_an_image_of_another_size_is_kept_as_it_came(name, size):
    with serving(HOLDING[name](png(size))) as server:
        edit = edited(name, server)
    assert edit.native_size == edit.image.shape[1::-1] == size
    assert (edit.image == COLOUR).all()


def test_an_image_is_seen_as_its_camera_says():
    turned = Image.Exif()
    turned[0x0112] = 6
    with serving(openai(png((64, 48), form="JPEG", exif=turned.tobytes()))) as server:
        edit = edited("openai-images", server)
    assert edit.native_size == (48, 64)


@pytest.mark.parametrize(
    ("revised", "told"),
    [(INSTRUCTION, "unknown"), ("", "unknown"), (None, "unknown"), ("A page with b", "on")],  # SGLang repeats ours
)
def test_another_instruction_is_told(revised, told):
    with serving(openai(data=[{"b64_json": coded(png()), "revised_prompt": revised}])) as server:
        edit = edited("openai-images", server)
    assert edit.parameters["prompt_rewriting"] == told
    assert edit.metadata["answer"]["data"][0]["revised_prompt"] == revised


def test_no_image_is_kept_among_the_words():
    big = "A" * 9000
    body = {**openai().body, "echo": {"deep": [big, "data:image/png;base64,AAAA"]}, "thoughtSignature": big}
    with serving(Reply(body)) as server:
        said = edited("openai-images", server).metadata["answer"]
    assert said["echo"] == {"deep": ["A" * 4000 + "…", "[image]"]}
    assert said["thoughtSignature"] == "[image]"
