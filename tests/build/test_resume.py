"""Stages killed by SIGKILL resume without repeated requests."""

from __future__ import annotations

import base64
import io
import json
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from PIL import Image

from tests.build.pages import read_lines
from vdebench.build.answers import StoredAnswer
from vdebench.build.edit import edit
from vdebench.build.funnel import funnel, require_consistent
from vdebench.build.instruct import instruct
from vdebench.build.pages import initialise, prepare
from vdebench.build.read import read
from vdebench.build.review import review_automatically
from vdebench.build.settings import Component
from vdebench.build.workspace import Workspace
from vdebench.errors import VdeError
from vdebench.instructions.prompt_pool import pool
from vdebench.io import journal as lines


class Playing(ThreadingHTTPServer):
    """Answers as two models would: first what it is given to say wrongly; else the first deletion is no plain text."""

    daemon_threads = True

    def __init__(self, holds_after: int, wrongly: Sequence[str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.wrongly = list(wrongly)
        self.holds_after, self.held, self.stopped = holds_after, 0, False
        self.answered: Counter[str] = Counter()
        self.models: set[str] = set()
        self.changed = threading.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        image, text = asked["messages"][0]["content"]
        server = self.server
        with server.changed:
            if server.stopped:
                self.send_error(401)
                return
            if sum(server.answered.values()) >= server.holds_after:
                server.held += 1
                server.changed.notify_all()
                server.changed.wait()  # until the test is over: whoever asked is dead by then
                return
            server.answered[json.dumps([asked["model"], image, text])] += 1
            server.models.add(asked["model"])
            wrong = server.wrongly.pop(0) if server.wrongly else ""
        told = wrong or answer(image, text["text"])
        said = {"model": f"{asked['model']}-2026", "choices": [{"message": {"content": told}}]}
        content = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def answer(image, question):
    data = base64.b64decode(image["image_url"]["url"].partition(",")[2])
    lines = [text for _, text in read_lines(np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))]
    prompt = next(each for each in pool().values() if each.text.strip()[:80] in question)
    if prompt.operation == "text_delete":
        plain = f'Delete the line "{lines[0]}" entirely.'
        return plain if "was turned down" in question else f"**{plain}**"
    if prompt.operation == "text_insert":
        return f'Insert "(revised)" directly after "{lines[1]}".'
    return f'Replace "{lines[2]}" with "Nothing of the kind".'


@pytest.fixture
def serve(monkeypatch):
    servers = []

    def start(holds_after=1000, wrongly=()):
        server = Playing(holds_after, wrongly)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        with server.changed:
            server.changed.notify_all()
        server.shutdown()
        server.server_close()


def workspace_at(tmp_path, settings, url):
    models = tuple(Component(name, {"url": url}) for name in ("first", "second"))
    made = prepare(tmp_path / "ws", replace(settings, generators=models))
    initialise(made, 1)
    return made


def test_killed_and_gone_on_with(tmp_path, settings, serve):
    pytest.importorskip("httpx2")
    server = serve(holds_after=6)
    workspace = workspace_at(tmp_path, settings, server.url)
    command = [sys.executable, "-m", "vdebench", "build", "instruct", str(workspace.root), "--concurrency", "3"]
    process = subprocess.Popen(command)
    with server.changed:
        assert server.changed.wait_for(lambda: server.held == 3, timeout=60)  # all that it may ask at once
        process.send_signal(signal.SIGKILL)
        process.wait()
        server.holds_after = 1000
    answers = workspace.journal(StoredAnswer).file.read_text().splitlines()
    assert len(answers) == 6  # all that were given, whatever was made of them
    counts = instruct(Workspace(workspace.root), parallelism=3)
    assert set(server.answered.values()) == {1}  # nothing was asked twice
    assert sum(server.answered.values()) == 6 + counts["answers"] == 12  # nine draws, three of them in two answers
    assert server.models == {"first", "second"}
    made = workspace.instructions()
    assert len(made) == 9
    assert {each.model for each in made.values()} == {"first-2026", "second-2026"}
    assert [each.reason for each in workspace.rejections()] == ["not_plain_text"] * 3
    require_consistent(funnel(workspace))
    deleted = next(each for each in made.values() if each.operation == "text_delete")
    told = [entry for entry in workspace.ledger if entry.id == deleted.id]
    assert [entry.what for entry in told if entry.what == "answered"] == ["answered"] * 2
    assert told[-1].prompt == deleted.prompt_hash == pool()[deleted.prompt].hash
    assert instruct(workspace)["answers"] == 0


WRONGLY = {
    '{"instruction": "Replace \\"May\\" with \\"June\\"."}': "not_plain_text",
    "将“May”改为“June”。": "wrong_language",
    'In the table, change the cell in row "North", column "2022" to "1".': "table_on_page_without_table",
    'Insert "(old)" after "Harbour" and "(new)" after "vessels".': "two_places",
    'Insert "(old)" after "Airport".': "target_not_on_page",
}
"""What is said to the first two draws, a replacement and an insertion on the page of the harbour; and what is wrong."""


def test_bad_answers_are_in_rejected_with_their_reasons(tmp_path, settings, serve):
    pytest.importorskip("httpx2")
    server = serve(wrongly=WRONGLY)
    workspace = workspace_at(tmp_path, settings, server.url)
    command = [sys.executable, "-m", "vdebench", "build", "instruct", str(workspace.root), "--concurrency", "1"]
    subprocess.run(command, check=True)
    rejected = [json.loads(line) for line in workspace.rejected_file.read_text("utf-8").splitlines()][:5]
    assert [each["reason"] for each in rejected] == list(WRONGLY.values())
    assert [each["id"] for each in rejected] == ["harbour-1"] * 3 + ["harbour-2"] * 2
    assert [each["final"] for each in rejected] == [False, False, True, False, False]  # three answers, and no fourth
    assert all(said in each["words"] for said, each in zip(WRONGLY, rejected, strict=True))
    assert workspace.instructions()["harbour-2"].attempt == 3
    step = next(step for step in funnel(workspace) if step.name == "instructions")
    assert (step.entered, step.passed, step.rejected) == (9, 8, {"table_on_page_without_table": 1})


def test_a_server_that_is_away_is_no_rejection(tmp_path, settings, serve):
    pytest.importorskip("httpx2")
    server = serve()
    workspace = workspace_at(tmp_path, settings, server.url)
    server.stopped = True
    with pytest.raises(VdeError, match="draws have no answer yet"):
        instruct(workspace, parallelism=1)
    assert workspace.rejections() == []
    server.stopped = False
    assert instruct(workspace)["instructions"] == 9


class Killed(BaseException):
    """As sudden as a signal: nobody catches it."""


def test_killed_between_any_two_lines(tmp_path, settings, reviewed, monkeypatch):
    """Every few lines that are written the work ends; gone on with, it comes to what it comes to in one go."""
    append_line, left = lines._append_line, 0

    def counted(file, record):
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return append_line(file, record)

    (tmp_path / "again").mkdir()
    monkeypatch.setattr(lines, "_append_line", counted)
    stages = [
        lambda: initialise(prepare(tmp_path / "again", settings) if not there() else Workspace(tmp_path / "again"), 1),
        lambda: instruct(Workspace(tmp_path / "again")),
        lambda: edit(Workspace(tmp_path / "again"), workers=1),
        lambda: read(Workspace(tmp_path / "again"), workers=1),
        lambda: review_automatically(Workspace(tmp_path / "again"), workers=1),
    ]

    def there():
        return (tmp_path / "again" / "build.toml").exists()

    kills = 0
    for stage in stages:
        while True:
            left = 4  # a draw writes four lines: its answer, its instruction, and both in the ledger
            try:
                stage()
            except Killed:
                kills += 1
                assert kills < 100
            else:
                break
    assert kills > 10
    again = Workspace(tmp_path / "again")
    assert list(again.pages()) == list(reviewed.pages())
    assert again.instructions() == reviewed.instructions()
    assert again.edits_read() == reviewed.edits_read()
    assert verdicts(again) == verdicts(reviewed)
    assert [step.to_json() for step in funnel(again)] == [step.to_json() for step in funnel(reviewed)]
    told = [(entry.stage, entry.id, entry.what, entry.words) for entry in again.ledger]
    assert len(told) == len(set(told))
    assert set(told) == {(entry.stage, entry.id, entry.what, entry.words) for entry in reviewed.ledger}


def verdicts(workspace):
    return {
        key: {step: (decision.verdict, decision.boxes) for step, decision in steps.items()}
        for key, steps in workspace.decisions().items()
    }
