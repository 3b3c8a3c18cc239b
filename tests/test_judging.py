"""The judging stage against a real server on a socket: no wrong number, nothing asked twice, every cent counted."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from email.utils import formatdate
from pathlib import Path

import polars as pl
import pytest

from tests import masked
from tests.judges.server import (
    Reply,
    always,
    at_random,
    envelope,
    error,
    grade,
    in_turn,
    judging,
    knowing,
    of_the_reference,
)
from tests.judges.suites import asker, judged, paint, write_suite
from vdebench.errors import RunFolderError, VdeError
from vdebench.judges.canary import canary_cases
from vdebench.judges.judge import get_judge
from vdebench.judges.prices import Price
from vdebench.judging import AMBIGUITY_DIMENSIONS, Asked, estimate_run, judge_ambiguity, judge_suite, plan_suite
from vdebench.png import encode_png
from vdebench.suites.suite import load_suite

pytest.importorskip("openai")
GPT4O = 1000 * 2.5e-6 + 50 * 10e-6  # what an answer of the server costs: 1,000 tokens in, 50 out
ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _apart(monkeypatch, tmp_path):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TEST_JUDGE_KEY"):
        monkeypatch.delenv(name, raising=False)


def lines(run: Path):
    return [json.loads(line) for line in (run / "grades.jsonl").read_text().splitlines() if line]


def states(result):
    return Counter(result.rows["state"])


def only(result):
    (row,) = result.rows.iter_rows(named=True)
    return row


# What goes out, and what comes of it.


def test_a_question_goes_out_whole_and_comes_back_as_a_grade(tmp_path):
    with judging(always(4)) as server:
        result = judged(tmp_path, server, count=1)
    (ask,) = server.asks
    assert ask.path == "/v1/chat/completions"
    assert (ask.body["model"], ask.body["temperature"]) == ("gpt-4o", 0)
    assert ask.body["response_format"]["json_schema"]["strict"] is True
    assert ask.labels == [
        "Image 1: before the edit",
        "Image 2: after the edit (the one to grade)",
        "Image 3: the reference",
    ]
    files = ["suite/before/page_0.png", "editor/page_0.png", "suite/after/page_0.png"]
    assert ask.images == [(tmp_path / file).read_bytes() for file in files]
    assert "Replace 'a' with 'b'." in ask.prompt
    row = only(result)
    assert (row["sample"], row["dimension"], row["draw"]) == ("text/0", "IF", 0)
    assert (row["state"], row["grade"], row["model"]) == ("graded", 4, "judge-1")
    assert (row["input_tokens"], row["output_tokens"]) == (1000, 50)
    assert row["cost"] == pytest.approx(GPT4O)
    (line,) = lines(tmp_path / "run")
    assert [image["sha256"] for image in line["images"]] == [hashlib.sha256(image).hexdigest() for image in ask.images]
    assert {(image["width"], image["height"], image["format"]) for image in line["images"]} == {(60, 80, "png")}


def test_without_a_reference_two_images_and_the_other_prompt(tmp_path):
    suite, editor = write_suite(tmp_path, 1, reference=False)
    with judging(always(3)) as server:
        result = judge_suite(suite, editor, asker(server), tmp_path / "run", Asked(["IF"], canary=False))
    (ask,) = server.asks
    assert len(ask.images) == 2
    assert "Image 3" not in ask.prompt
    assert only(result)["grade"] == 3


def test_images_are_sent_smaller_only_when_told(tmp_path):
    write_suite(tmp_path, 1, size=(400, 200))
    with judging(always(3)) as server:
        judged(tmp_path, server, images="100")
    (line,) = lines(tmp_path / "run")
    assert {(image["width"], image["height"]) for image in line["images"]} == {(100, 50)}


def test_every_dimension_and_every_draw_has_its_row(tmp_path):
    with judging(lambda ask: grade(ask.number % 6)) as server:
        result = judged(tmp_path, server, count=3, dimensions=["IF", "TA", "LP"], repeat=2)
    assert len(server.asks) == 3 * 3 * 2
    keys = list(result.rows.select("sample", "dimension", "draw").iter_rows())
    assert keys == [
        (f"text/{n}", dimension, draw) for n in range(3) for dimension in ("IF", "TA", "LP") for draw in (0, 1)
    ]
    assert states(result) == {"graded": 18}
    written = pl.read_parquet(tmp_path / "run/grades.parquet")
    assert written.equals(result.rows)


def test_semantics_are_asked_only_of_samples_with_knowledge(tmp_path):
    masked.write_suite(tmp_path / "te", (1, 2))
    masked.write_suite(tmp_path / "te", (3,), knowledge_prompt="The total below must change too.")
    for number in (1, 2, 3):
        masked.output(tmp_path / "out", number, masked.scene(number))
    suite = load_suite(f"textedit:{tmp_path / 'te'}")
    with judging(always(2)) as server:
        asked = Asked(["IF", "SE"], canary=False)
        result = judge_suite(suite, tmp_path / "out", asker(server), tmp_path / "run", asked)
    assert Counter(result.rows["dimension"]) == {"IF": 3, "SE": 1}
    (semantic,) = [ask for ask in server.asks if ask.dimension == "SE"]
    assert "The total below must change too." in semantic.prompt
    assert set(result.rows["tier"]) == {"easy"}


def test_a_missing_output_is_missing_and_nothing_is_asked(tmp_path):
    write_suite(tmp_path, 3)
    (tmp_path / "editor/page_1.png").unlink()
    with judging(always(5)) as server:
        result = judged(tmp_path, server)
    assert states(result) == {"graded": 2, "missing": 1}
    assert len(server.asks) == 2
    assert result.summary["overall"]["dimensions"]["IF"]["mean"] == 5  # not 10/3
    assert result.summary["coverage"]["missing"] == 1


def test_a_broken_output_fails_and_nothing_is_asked(tmp_path):
    write_suite(tmp_path, 2)
    (tmp_path / "editor/page_1.png").write_bytes(b"no image")
    with judging(always(5)) as server:
        result = judged(tmp_path, server)
    assert states(result) == {"graded": 1, "failed": 1}
    assert "page_1.png" in result.rows["reason"][1]
    assert len(server.asks) == 1


def test_half_images_fail_one_by_one_and_do_not_end_the_run(tmp_path):
    write_suite(tmp_path, 30, size=(200, 200))
    for number in range(25):  # more in a row than questions a server may leave unanswered
        file = tmp_path / f"editor/page_{number}.png"
        file.write_bytes(file.read_bytes()[:-200])
    with judging(always(5)) as server:
        result = judged(tmp_path, server)
    assert states(result) == {"failed": 25, "graded": 5}
    assert not result.stopped
    assert len(server.asks) == 5


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
        ([error(500)], 6, {"state": "failed", "grade": None, "reason": "HTTP 500: no (after 6 tries)"}),
        ([error(429, "slow down")], 8, {"state": "rate_limited", "reason": "HTTP 429: slow down (after 8 tries)"}),
        ([error(429, "x", {"Retry-After": "9999"})], 1, {"state": "rate_limited"}),
        ([Reply(envelope("x" * 900), cut=True)], 6, {"state": "failed"}),
        ([error(404, "no such model")], 1, {"state": "failed", "grade": None}),
        ([error(413, "payload")], 1, {"state": "too_large"}),
        ([error(400, "This model's maximum context length is 8192 tokens")], 1, {"state": "too_large"}),
        ([error(400, "blocked", code="content_policy_violation")], 1, {"state": "refused"}),
        (
            [Reply(envelope(None, refusal="I will not"))],
            1,
            {"state": "refused", "reason": "the model refuses: I will not"},
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
        assert "wants a key" in result.stopped
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
    assert any("no JSON schema" in note for note in result.summary["notes"])
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
        r"vde\|judge:gpt-4o\|returned:judge-1\|v:[\d.]+\|prompts:[0-9a-f]{12}\|temp:0\|images:full\|repeat:2"
        r"\|suite:plain@sha256:[0-9a-f]{12}\|n:2",
        result.signature,
    )


# Resume, cache, budget.


def test_nothing_is_asked_twice(tmp_path):
    with judging(always(4)) as server:
        first = judged(tmp_path, server, repeat=2)
        assert len(server.asks) == 4
        again = judged(tmp_path, server, repeat=2)
        assert len(server.asks) == 4
        assert again.rows.equals(first.rows)
        assert again.summary["spent"]["dollars"] == pytest.approx(4 * GPT4O)
        elsewhere = judged(tmp_path, server, repeat=2, run="elsewhere")  # another folder: by content
        assert len(server.asks) == 4
        assert elsewhere.rows["grade"].equals(first.rows["grade"])
        assert elsewhere.summary["spent"]["dollars"] == 0
        more = judged(tmp_path, server, repeat=3, run="more")  # another draw is another question
        assert len(server.asks) == 6
        assert more.summary["spent"]["dollars"] == pytest.approx(2 * GPT4O)


@pytest.mark.parametrize("change", [{"model": "gpt-4.1"}, {"temperature": 1}, "image", "prompt", "images", "reference"])
def test_whatever_changes_an_answer_is_asked_anew(tmp_path, change):
    with judging(always(4)) as server:
        judged(tmp_path, server, count=1)
        asked, options = {}, change if isinstance(change, dict) else {}
        if change in ("image", "reference"):
            paint(tmp_path / ("editor" if change == "image" else "suite/after") / "page_0.png", (9, 9, 9))
        elif change == "prompt":
            (tmp_path / "mine").mkdir()
            (tmp_path / "mine/IF.with_reference.md").write_text("Grade it. {instruction}")
            asked["prompts"] = tmp_path / "mine"
        elif change == "images":
            asked["images"] = "64"
        judged(tmp_path, server, run="other", judge=asker(server, **options), **asked)
        assert len(server.asks) == 2


def test_what_had_no_grade_is_asked_again_and_refusals_stand(tmp_path):
    def behave(ask):
        colour = ask.images[1]
        return (
            error(500)
            if colour == files[0]
            else grade(9)
            if colour == files[1]
            else refusal
            if colour == files[2]
            else grade(4)
        )

    write_suite(tmp_path, 4)
    files = [(tmp_path / f"editor/page_{number}.png").read_bytes() for number in range(4)]
    refusal = Reply(envelope(None, refusal="no"))
    with judging(behave) as server:
        first = judged(tmp_path, server)
        assert dict(zip(first.rows["sample"], first.rows["state"], strict=True)) == {
            "text/0": "failed",
            "text/1": "invalid",
            "text/2": "refused",
            "text/3": "graded",
        }
        before = len(server.asks)
        server.behaviour = always(2)
        second = judged(tmp_path, server)
        assert len(server.asks) - before == 2
    assert second.rows["grade"].to_list() == [2, 2, None, 4]
    assert len(lines(tmp_path / "run")) == 6  # what failed stays in the journal


def test_two_samples_with_the_same_question_share_its_answer(tmp_path):
    write_suite(tmp_path, 3)
    for folder in ("suite/before", "suite/after", "editor"):
        (tmp_path / folder / "page_1.png").write_bytes((tmp_path / folder / "page_0.png").read_bytes())
    with judging(lambda ask: grade(ask.number)) as server:
        result = judged(tmp_path, server)
        assert len(server.asks) == 2
    first, second, third = result.rows["grade"]
    assert first == second != third
    assert result.rows["cost"].sum() == pytest.approx(2 * GPT4O)
    assert result.summary["spent"]["dollars"] == pytest.approx(2 * GPT4O)


def test_every_draw_is_kept_as_it_came(tmp_path):
    with judging(lambda ask: grade(ask.number, f"draw {ask.number}")) as server:
        result = judged(tmp_path, server, count=1, repeat=3, concurrency=1)
    assert result.rows["grade"].to_list() == [0, 1, 2]
    assert result.rows["rationale"].to_list() == ["draw 0", "draw 1", "draw 2"]
    assert [line["draw"] for line in lines(tmp_path / "run")] == [0, 1, 2]


def test_a_folder_of_another_run_is_refused(tmp_path):
    with judging(always(4)) as server:
        judged(tmp_path, server)
        with pytest.raises(RunFolderError, match="dimensions"):
            judged(tmp_path, server, dimensions=["TA"])
        with pytest.raises(RunFolderError, match="judge"):
            judged(tmp_path, server, judge=asker(server, "another"))


def test_the_run_stops_before_the_budget_is_exceeded_and_goes_on_with_more(tmp_path):
    with judging(always(4)) as server:
        first = judged(tmp_path, server, count=10, budget=5.5 * GPT4O, concurrency=2)
        spent = first.summary["spent"]["dollars"]
        assert first.out_of_money
        assert 0 < spent <= 5.5 * GPT4O
        assert states(first)["not_asked"] == 10 - len(server.asks)
        assert "budget" in first.rows.filter(pl.col("state") == "not_asked")["reason"][0]
        same = judged(tmp_path, server, budget=5.5 * GPT4O)
        assert same.summary["spent"]["dollars"] <= 5.5 * GPT4O  # the budget is for the run, not for the command
        second = judged(tmp_path, server, budget=1.0)
    assert states(second) == {"graded": 10}
    assert len(server.asks) == 10
    assert second.summary["spent"]["dollars"] == pytest.approx(10 * GPT4O)


def test_repairs_are_not_paid_from_an_empty_purse(tmp_path):
    with judging(always(77)) as server:
        result = judged(tmp_path, server, count=10, budget=0.02, concurrency=1)
    assert result.summary["spent"]["dollars"] <= 0.02
    assert result.summary["spent"]["dollars"] == pytest.approx(len(server.asks) * GPT4O)


def test_a_budget_needs_a_price(tmp_path):
    with judging(always(4)) as server:
        with pytest.raises(VdeError, match=r"price of mystery is not in our table.*\n.*--price"):
            judged(tmp_path, server, count=1, judge=asker(server, "mystery"), budget=1.0)
        assert not server.asks
        told = {"judge": asker(server, "mystery"), "budget": 1.0, "price": Price(1, 2)}
        result = judged(tmp_path, server, **told)
    assert result.summary["spent"]["dollars"] == pytest.approx(1000e-6 + 50 * 2e-6)
    assert only(judged_without_price(tmp_path))["cost"] is None


def judged_without_price(tmp_path):
    with judging(always(4)) as server:
        return judged(tmp_path, server, run="free", judge=asker(server, "mystery-2"))


def test_an_estimate_counts_what_is_left_to_ask(tmp_path):
    suite, editor = write_suite(tmp_path, 4)
    (tmp_path / "editor/page_3.png").unlink()
    asked = Asked(["IF", "TA"], 2, canary=False)
    with judging(always(4)) as server:
        plan = plan_suite(suite, editor, asker(server), asked)
        before = estimate_run(plan, tmp_path / "run")
        assert (before.questions, before.calls, before.kept, before.absent) == (16, 12, 0, 4)
        assert before.cost == pytest.approx((before.input_tokens * 2.5 + before.output_tokens * 10) / 1e6)
        assert not server.asks
        judge_suite(suite, editor, asker(server), tmp_path / "run", asked)
        after = estimate_run(plan, tmp_path / "run")
    assert (after.calls, after.kept, after.cost) == (0, 12, 0)


def test_progress_tells_questions_and_spend(tmp_path):
    seen = []
    with judging(always(4)) as server:
        judged(tmp_path, server, count=3, told=lambda *told: seen.append(told))
    assert [(done, total) for done, total, _ in seen] == [(1, 3), (2, 3), (3, 3)]
    assert seen[-1][2] == pytest.approx(3 * GPT4O)


# The canary.


def _right():
    """What a careful judge says of each of the canary's outputs."""
    return {
        (hashlib.sha256(encode_png(case.output)).hexdigest(), dimension): value
        for case in canary_cases()
        for dimension, value in case.right.items()
    }


@pytest.mark.parametrize(
    ("behaviour", "trusted"),
    [
        (lambda: knowing(_right()), True),
        (lambda: always(5), False),
        (lambda: at_random(1), False),
        (lambda: at_random(2), False),
        (of_the_reference, False),
    ],
)
def test_the_canary_tells_a_good_judge_from_others(tmp_path, behaviour, trusted):
    with judging(behaviour()) as server:
        result = judged(tmp_path, server, count=1, dimensions=["IF", "TA", "VC", "LP", "SE"], canary=True)
    quality = result.summary["canary"]
    assert quality["trusted"] is trusted
    assert result.summary["coverage"]["questions"] == 4  # of the suite alone: IF, TA, VC, LP of one sample
    canary = result.rows.filter(pl.col("group") == "canary")
    assert canary["sample"].n_unique() == len(canary_cases())


def test_the_canary_is_shown_as_the_suites_samples_are(tmp_path):
    suite, editor = write_suite(tmp_path, 1, reference=False)
    with judging(always(5)) as server:
        judge_suite(suite, editor, asker(server), tmp_path / "run", Asked(["IF"]))
    assert {len(ask.images) for ask in server.asks} == {2}


# Ambiguity.


def test_instructions_are_graded_by_the_page_before_the_edit(tmp_path):
    suite, _ = write_suite(tmp_path, 2)
    with judging(always(1)) as server:
        asked = Asked(AMBIGUITY_DIMENSIONS, canary=False)
        result = judge_ambiguity(suite, asker(server), tmp_path / "run", asked)
        assert len(server.asks) == 12
        assert {len(ask.images) for ask in server.asks} == {1}
        assert server.asks[0].images[0] == (tmp_path / "suite/before/page_0.png").read_bytes()
        server.behaviour = always(0)  # below the scale
        asked = Asked(["scope"], canary=False, prompts=None)
        low = judge_ambiguity(suite, asker(server, "other"), tmp_path / "low", asked)
    assert states(result) == {"graded": 12}
    assert states(low) == {"invalid": 2}


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
        assert server.asks[0].headers["authorization"] == "Bearer none"
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
