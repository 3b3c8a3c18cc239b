"""Behaviour of servers becomes a state or a correct grade, with all costs counted."""

from __future__ import annotations

import json
import re
import time
from email.utils import formatdate

import pytest

from tests.judges.server import (
    Reply,
    always,
    envelope,
    error,
    grade,
    in_turn,
    judging,
)
from tests.judges.suites import GPT4O, asker, judged, lines, only, states
from vdebench.judges.judge import get_judge

pytest.importorskip("httpx2")


# What servers do.


@pytest.mark.parametrize(
    ("behaviour", "requests", "told"),
    [
        ([error(429, "slow down", {"Retry-After": "0.05"}), grade(4)], 2, {"state": "graded", "grade": 4}),
        ([error(500), error(503), grade(4)], 3, {"state": "graded", "grade": 4}),
        ([Reply(envelope("x" * 900), cut=True), grade(4)], 2, {"state": "graded", "grade": 4}),
        ([Reply(b"<html>bad gateway", 502), grade(4)], 2, {"state": "graded", "grade": 4}),
        ([Reply(b"not JSON"), grade(4)], 2, {"state": "graded", "grade": 4}),
        ([Reply({"choices": []}), grade(4)], 2, {"state": "graded", "grade": 4}),
        ([error(500)], 6, {"state": "failed", "grade": None, "reason": "HTTP 500: no (tried 6 times)"}),
        ([error(429, "slow down")], 8, {"state": "rate_limited", "reason": "HTTP 429: slow down (tried 8 times)"}),
        ([error(429, "x", {"Retry-After": "9999"})], 1, {"state": "rate_limited"}),
        ([Reply(envelope("x" * 900), cut=True)], 6, {"state": "failed"}),
        ([error(404, "no such model")], 1, {"state": "failed", "grade": None}),
        ([error(413, "payload")], 1, {"state": "too_large"}),
        ([error(400, "This model's maximum context length is 8192 tokens")], 1, {"state": "too_large"}),
        ([error(400, "blocked", code="content_policy_violation")], 1, {"state": "refused"}),
        (
            [Reply(envelope(None, refusal="I will not"))],
            1,
            {"state": "refused", "reason": "the model refused: I will not"},
        ),
        ([Reply(envelope("", end="content_filter"))], 1, {"state": "refused"}),
        ([Reply(envelope('Sure! {"rationale": "r", "grade": 2} Bye.'))], 1, {"state": "graded", "grade": 2}),
        ([grade(7), grade(3)], 2, {"state": "graded", "grade": 3}),
        ([grade(7), grade(9)], 2, {"state": "invalid", "grade": None}),
        ([Reply(envelope('{"score": 4}')), Reply(envelope("4"))], 2, {"state": "invalid", "grade": None}),
        ([Reply(envelope("I'm sorry, I can't help with that."))], 2, {"state": "invalid", "grade": None}),
        ([Reply(envelope(None))], 2, {"state": "invalid", "grade": None}),
        (
            [Reply(envelope([{"type": "text", "text": '{"rationale": "r", "grade": 1}'}]))],
            1,
            {"state": "graded", "grade": 1},
        ),
    ],
)
def test_what_servers_do_becomes_a_state_or_a_right_grade(tmp_path, behaviour, requests, told):
    with judging(in_turn(*behaviour)) as server:
        row = only(judged(tmp_path, server, count=1))
    assert len(server.asks) == requests
    assert {key: row[key] for key in told} == told
    assert (row["grade"] is None) == (row["state"] != "graded")


def test_a_server_that_hangs_is_timed_out(tmp_path):
    with judging(lambda ask: Reply(wait=30)) as server:
        start = time.monotonic()
        row = only(judged(tmp_path, server, count=1, judge=asker(server, timeout=0.2)))
    assert row["state"] == "timed_out"
    assert "0.2 seconds" in row["reason"]
    assert len(server.asks) == 3
    assert time.monotonic() - start < 10


def test_a_server_that_is_not_there_is_named_and_the_rest_left(tmp_path):
    from tests.readers.servers import closed_port

    judge = get_judge("gpt-4o", base_url=f"http://127.0.0.1:{closed_port()}/v1")
    result = judged(tmp_path, None, count=40, judge=judge, concurrency=4)
    assert result.stopped.startswith("20 questions in a row had no answer")
    assert states(result)["failed"] >= 20
    assert states(result)["not_asked"] >= 10
    assert "graded" not in states(result)


def test_retry_after_is_waited_for_in_seconds_and_as_a_date(tmp_path):
    for dimension, least in (("IF", 0.6), ("TA", 0.9)):
        later = formatdate(time.time() + 2, usegmt=True)  # in whole seconds: one to two from now
        header = "0.6" if dimension == "IF" else later
        with judging(in_turn(error(429, "wait", {"Retry-After": header}), grade(4))) as server:
            judged(tmp_path, server, count=1, run=dimension, dimensions=[dimension])
        first, second = server.asks[:2]
        assert second.time - first.time >= least


def test_a_wrong_key_ends_the_run_at_once(tmp_path):
    for status in (401, 403):
        with judging(always(1)) as server:
            server.behaviour = lambda ask, status=status: error(status, "Incorrect API key provided")
            result = judged(tmp_path, server, count=60, concurrency=2, run=f"run{status}")
        assert "requires a key" in result.stopped
        assert len(server.asks) <= 4  # those that were under way
        assert states(result)["not_asked"] >= 56


def test_an_empty_account_ends_the_run_though_it_is_a_429(tmp_path):
    with judging(lambda ask: error(429, "You exceeded your current quota", code="insufficient_quota")) as server:
        result = judged(tmp_path, server, count=60, concurrency=2)
    assert "no money left" in result.stopped
    assert len(server.asks) <= 4


def test_where_the_server_takes_no_schema_it_is_asked_in_plain_words_from_then_on(tmp_path):
    def behave(ask):
        return error(400, "response_format is not supported") if ask.has_schema else grade(4)

    with judging(behave) as server:
        result = judged(tmp_path, server, count=5, concurrency=1)
    assert states(result) == {"graded": 5}
    assert [ask.has_schema for ask in server.asks] == [True, False, False, False, False, False]
    assert any("not support JSON schemas" in note for note in result.summary["notes"])
    assert {line["asked_for"] for line in lines(tmp_path / "run")} == {"plain"}


def test_a_bad_request_is_asked_once_with_a_schema_and_once_without(tmp_path):
    with judging(lambda ask: error(400, "image is broken")) as server:
        row = only(judged(tmp_path, server, count=1))
    assert (row["state"], row["reason"]) == ("failed", "HTTP 400: image is broken")
    assert len(server.asks) == 2


def test_a_refused_temperature_says_what_to_do(tmp_path):
    def behave(ask):
        wrong = "temperature" in ask.body
        return error(400, "Unsupported value: 'temperature' does not support 0") if wrong else grade(4)

    with judging(behave) as server:
        row = only(judged(tmp_path, server, count=1))
        assert "--temperature default" in row["reason"]
        result = judged(tmp_path, server, run="own", judge=asker(server, temperature="default"))
    assert only(result)["grade"] == 4
    assert "|temp:default|" in result.signature


def test_the_repair_says_what_was_wrong_and_both_answers_are_paid(tmp_path):
    with judging(lambda ask: grade(5) if ask.is_repair else grade(11)) as server:
        row = only(judged(tmp_path, server, count=1))
    answer, complaint = server.asks[1].body["messages"][1:]
    assert json.loads(answer["content"])["grade"] == 11
    assert "grade is 11" in complaint["content"]
    assert server.asks[1].images == server.asks[0].images
    assert row["grade"] == 5
    assert (row["input_tokens"], row["output_tokens"]) == (2000, 100)
    assert row["cost"] == pytest.approx(2 * GPT4O)


def test_tokens_that_a_server_does_not_count_are_not_made_up(tmp_path):
    with judging(lambda ask: grade(5, usage=None)) as server:
        result = judged(tmp_path, server, count=1)
    assert only(result)["input_tokens"] is None
    assert any("1 requests of unknown cost" in note for note in result.summary["notes"])


def test_a_change_of_the_model_is_flagged(tmp_path):
    with judging(lambda ask: grade(4, model="old" if ask.number < 2 else "new")) as server:
        result = judged(tmp_path, server, count=4)
    assert any("new, old" in note for note in result.summary["notes"])
    assert "|returned:new+old|" in result.signature
    assert set(result.rows["model"]) == {"new", "old"}


def test_the_signature_pins_what_changes_grades(tmp_path):
    with judging(always(4)) as server:
        result = judged(tmp_path, server, repeat=2)
    assert re.fullmatch(
        r"vde\|judge:gpt-4o\|returned:judge-1\|rules:[0-9a-f]{12}\|v:[\d.]+\|prompts:[0-9a-f]{12}\|temp:0\|images:full\|repeat:2"
        r"\|suite:plain@sha256:[0-9a-f]{12}\|n:2",
        result.signature,
    )
