"""Questions to a judge, and questions without an output."""

from __future__ import annotations

import hashlib
from collections import Counter

import polars as pl
import pytest

from tests import masked
from tests.judges.server import (
    always,
    grade,
    judging,
)
from tests.judges.suites import GPT4O, asker, judged, lines, only, states, write_suite
from vdebench.pipeline.judging.stage import JudgingOptions, judge_suite
from vdebench.suites.suite import load_suite

pytest.importorskip("httpx2")


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
        result = judge_suite(suite, editor, asker(server), tmp_path / "run", JudgingOptions(["IF"], canary=False))
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
        asked = JudgingOptions(["IF", "SE"], canary=False)
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
