"""Rewritten instructions: one rewriter per run, recorded in the signature, asked once."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.colours import ColourReader, paint
from vdebench.errors import InputError, VdeError
from vdebench.pipeline.editing import read_edits
from vdebench.pipeline.rewriting import Rewriter, get_rewriter, rewrite_suite
from vdebench.pipeline.rewriting.rewriter import RewritingError
from vdebench.pipeline.run import run
from vdebench.readers.cached import CachedReader
from vdebench.suites.suite import load_suite

KEY = "sk-rewriter-secret-123"


class Chat(BaseHTTPRequestHandler):
    """A chat server: repeats the instruction with `please`; what it is told to fail on it fails on."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((asked, self.headers.get("Authorization")))
        parts = asked["messages"][0]["content"]
        assert parts[0]["image_url"]["url"].startswith("data:image/png;base64,")
        instruction = parts[1]["text"].rpartition("\n")[2]
        status, said = 200, f"```\nPlease: {instruction}\n```"
        if self.server.way == "key":
            status, said = 401, f"wrong key {KEY}"
        elif self.server.way == "empty":
            said = " "
        elif self.server.way == "echo":
            said = f"You sent {KEY}"
        body = json.dumps({"choices": [{"message": {"content": said}}], "error": said if status != 200 else None})
        if self.server.way in ("long key", "no answer"):
            filler = "x" if self.server.before < 160 else " "
            status = 401 if self.server.way == "long key" else 200
            body = f"{'x'.ljust(self.server.before, filler)}{KEY} {'x' * 1000}"
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def chat():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Chat)
    server.asked, server.way = [], ""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def suite(make):
    root, _ = make(9)
    with (root / "suite.toml").open("a") as file:
        file.write('source_images = "before"\n')
    for index in range(9):
        paint(root / f"before/page_{index}.png", index + 1)
    return load_suite(root)


def model(chat, **options):
    return get_rewriter("vl-7b", {"url": f"http://127.0.0.1:{chat.server_port}/v1", **options})


def go(suite, out, *editors, **options):
    return run(suite, editors, out, reader=CachedReader(ColourReader()), metrics=["psnr"], workers=1, **options)[
        "strict"
    ]


def test_all_editors_are_asked_in_the_same_words_and_the_signature_says_so(suite, chat, tmp_path, monkeypatch):
    monkeypatch.setenv("VDE_REWRITER_KEY", KEY)
    rewriter = model(chat)
    results = go(suite, tmp_path / "runs", "copy", "again=copy", rewriter=rewriter)
    assert len(chat.asked) == 9
    assert {key for _, key in chat.asked} == {f"Bearer {KEY}"}
    for name, result in zip(("copy", "again"), results, strict=True):
        assert {each.instruction for each in read_edits(tmp_path / "runs" / name)} == {"Please: Replace 'a' with 'b'."}
        assert f"|rewriter:{rewriter.label}|" in result.signature
    go(suite, tmp_path / "runs", "copy", rewriter=rewriter)
    assert len(chat.asked) == 9
    told = [file.read_bytes() for file in (tmp_path / "runs").rglob("*") if file.is_file()]
    assert not any(KEY.encode() in content for content in told)
    with pytest.raises(VdeError, match="contains runs with input_policy"):
        go(suite, tmp_path / "runs", "copy")


def test_another_prompt_or_temperature_is_another_rewriter(chat, tmp_path):
    (tmp_path / "mine.txt").write_text("Say it louder.")
    labels = {model(chat).label, model(chat, prompt=str(tmp_path / "mine.txt")).label, model(chat, temperature=1).label}
    assert len(labels) == 3
    assert model(chat).label == model(chat, temperature="0.0").label
    assert model(chat, temperature="").label == f"{model(chat).label},t=default"  # the server's own, whatever it is


@pytest.mark.parametrize(("way", "words"), [("key", "HTTP 401"), ("empty", "the answer is empty")])
def test_a_rewriter_that_answers_nothing_is_given_up(suite, chat, tmp_path, monkeypatch, way, words):
    monkeypatch.setenv("VDE_REWRITER_KEY", KEY)
    chat.way = way
    with pytest.raises(VdeError, match=words) as told:
        rewrite_suite(suite, model(chat), tmp_path)
    assert KEY not in str(told.value)
    assert len(chat.asked) == 8


@pytest.mark.parametrize("before", [150, 4 * 160 - 10])
@pytest.mark.parametrize("way", ["long key", "no answer"])
def test_no_part_of_a_key_stays_where_a_text_is_cut(suite, chat, tmp_path, monkeypatch, way, before):
    monkeypatch.setenv("VDE_REWRITER_KEY", KEY)
    chat.way, chat.before = way, before
    with pytest.raises(VdeError, match="HTTP 401" if way == "long key" else "not JSON") as told:
        rewrite_suite(suite, model(chat), tmp_path)
    assert "sk-rew" not in str(told.value)


def test_a_key_in_an_answer_is_not_kept(suite, chat, tmp_path, monkeypatch):
    monkeypatch.setenv("VDE_REWRITER_KEY", KEY)
    chat.way = "echo"
    found = rewrite_suite(suite, model(chat), tmp_path)
    assert found["text/0"] == "You sent [key]"
    assert KEY not in (tmp_path / "rewritten.jsonl").read_text()


def test_what_was_paid_for_is_not_thrown_away(suite, tmp_path):
    """Lines of samples that fail, or are not asked for, stay, whatever they were made from."""

    class Sometimes(Rewriter):
        label = "sometimes"

        def __init__(self, *works):
            self.works, self.asked = works, []

        def rewrite(self, sample, image, instruction):
            self.asked.append(sample)
            if sample not in self.works:
                raise RewritingError("the server is away")
            return f"{sample} again"

    names = [sample.key for sample in suite.samples]
    rewrite_suite(suite, Sometimes(*names), tmp_path)
    paint(suite.root / "before/page_2.png", 77)  # another input: it is asked for again
    lines = (tmp_path / "rewritten.jsonl").read_text().splitlines()
    now = Sometimes()
    found = rewrite_suite(suite, now, tmp_path)
    assert now.asked == [names[2]]
    assert isinstance(found[names[2]], RewritingError)
    assert sorted((tmp_path / "rewritten.jsonl").read_text().splitlines()) == sorted(lines)
    paint(suite.root / "before/page_2.png", 3)
    back = Sometimes()
    assert rewrite_suite(suite, back, tmp_path)[names[2]] == f"{names[2]} again"
    assert back.asked == []


def test_instructions_rewritten_elsewhere(suite, tmp_path):
    file = tmp_path / "ours.jsonl"
    file.write_text("".join(f'{{"sample": "text/{index}", "instruction": "Do {index}"}}\n' for index in range(8)))
    found = rewrite_suite(suite, get_rewriter(str(file)), tmp_path)
    assert found["text/7"] == "Do 7"
    assert "no instruction for sample text/8" in str(found["text/8"])
    assert get_rewriter(str(file)).label.startswith("ours#")
    file.write_text('{"sample": "text/0"}\n')
    with pytest.raises(InputError, match="line 1: expected"):
        get_rewriter(str(file))


def test_options_are_checked():
    with pytest.raises(VdeError, match="no option 'colour'"):
        get_rewriter("vl-7b", {"colour": "red"})
    with pytest.raises(VdeError, match="is not a server address"):
        get_rewriter("vl-7b", {"url": "localhost"})
    with pytest.raises(VdeError, match="temperature is 'hot'"):
        get_rewriter("vl-7b", {"url": "http://localhost:1/v1", "temperature": "hot"})
