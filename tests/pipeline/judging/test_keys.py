"""Keys are never stored or sent to other hosts; many questions; a kill during a run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from tests.judges.server import (
    Reply,
    always,
    envelope,
    error,
    grade,
    judging,
)
from tests.judges.suites import judged, lines, states, write_suite
from vdebench.judges.judge import get_judge

pytest.importorskip("httpx2")

ROOT = Path(__file__).parents[3]


# The key.


KEY = "sk-plant/ed+key-0123456789"


def test_no_key_in_any_file_or_message(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("TEST_JUDGE_KEY", KEY)

    def behave(ask):
        assert ask.headers["authorization"] == f"Bearer {KEY}"
        echo = f"Incorrect API key provided: {KEY}; headers {json.dumps(dict(ask.headers))}"
        kinds = [
            lambda: error(500, echo),
            lambda: error(400, echo),
            lambda: Reply(echo.encode()),
            lambda: Reply(envelope(f"the key is {KEY}")),
            lambda: grade(4, f"your key is {KEY}"),
            lambda: grade(4, model=KEY),
            lambda: Reply(envelope(None, refusal=echo)),
            lambda: error(404, echo),
            lambda: error(429, echo),
        ]
        return kinds[ask.number % len(kinds)]()

    with judging(behave) as server:
        result = judged(tmp_path, server, count=30, repeat=2)
        server.behaviour = lambda ask: error(401, f"Incorrect API key provided: {KEY}")
        stopped = judged(tmp_path, server, run="wrong", repeat=1, dimensions=["TA"])
    for each in (result, stopped):
        assert "sk-plant" not in f"{each.summary}{each.rows.to_dicts()}{each.stopped}{each.failures}"
    assert "[key]" in stopped.stopped
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) > 20
    assert not [file for file in files if b"sk-plant" in file.read_bytes()]
    assert pl.read_parquet(tmp_path / "run/grades.parquet")["rationale"].str.contains("[key]", literal=True).any()
    assert "sk-plant" not in "".join(capfd.readouterr())


def test_openais_key_goes_to_nobody_else(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with judging(always(4)) as server:
        judged(tmp_path, server, count=1)
        assert "authorization" not in server.asks[0].headers
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)  # the environment says that they belong together
        judged(tmp_path, server, run="run2", repeat=2, judge=get_judge("gpt-4o"))
    assert server.asks[1].headers["authorization"] == f"Bearer {KEY}"


def test_what_is_asked_with_is_in_the_folder_and_the_servers_host_alone(tmp_path):
    with judging(always(4)) as server:
        server.url = server.url.replace("//", "//me:password@") + "?token=abc"
        judged(tmp_path, server, count=1)
    told = json.loads((tmp_path / "run/judge.json").read_text())
    assert told["server"] == server.url.partition("@")[2].partition("/")[0]
    assert (told["judge"], told["images"], told["temperature"]) == ("gpt-4o", "full", "0")
    assert not [
        f
        for f in tmp_path.rglob("*")
        if f.is_file() and (b"password" in f.read_bytes() or b"token=abc" in f.read_bytes())
    ]


# Many.


def test_many_questions_by_a_server_that_bears_few(tmp_path):
    with judging(None, limit=8, latency=0.05, wait="0.05") as server:
        start = time.monotonic()
        result = judged(tmp_path, server, count=20, repeat=20, pause=0.05)
        took = time.monotonic() - start
    assert states(result) == {"graded": 400}
    assert server.answered == 400
    assert server.peak == 8  # it was found out what the server bears …
    assert server.sent_away < 100  # … without asking for much more all the time
    assert took < 4 * 400 * 0.05 / 8  # 2.5 s at best; the rest is for slow machines


_CHILD = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.judges.suites import judged
from types import SimpleNamespace
judged(Path({folder!r}), SimpleNamespace(url={url!r}), repeat=40, concurrency=4)
"""


def test_a_kill_loses_what_was_under_way_and_nothing_else(tmp_path):
    write_suite(tmp_path, 5)
    with judging(lambda ask: Reply(grade(ask.number % 6).body, wait=0.02)) as server:
        code = _CHILD.format(root=str(ROOT), folder=str(tmp_path), url=server.url)
        child = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=os.environ.copy())
        while len(server.asks) < 60 and child.poll() is None:
            time.sleep(0.005)
        child.send_signal(signal.SIGKILL)
        child.wait()
        time.sleep(0.1)
        asked = len(server.asks)
        kept = {line["digest"]: line["grade"] for line in lines(tmp_path / "run")}
        assert asked < 200
        assert asked - len(kept) <= 4  # as many as were under way
        with (tmp_path / "run/grades.jsonl").open("ab") as journal:
            journal.write(b'\n{"sample": "text/0", "dig')  # a line that was cut off
        result = judged(tmp_path, server, repeat=40, concurrency=4)
        assert len(server.asks) - asked == 200 - len(kept)
    assert states(result) == {"graded": 200}
    after = {line["digest"]: line["grade"] for line in lines_that_are(tmp_path / "run")}
    assert {digest: after[digest] for digest in kept} == kept


def lines_that_are(run: Path):
    for line in (run / "grades.jsonl").read_bytes().split(b"\n"):
        try:
            yield json.loads(line)
        except ValueError:
            continue
