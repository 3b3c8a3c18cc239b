"""Resumed runs: no question is asked twice, all draws are stored, the budget covers all sessions."""

from __future__ import annotations

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
from tests.judges.suites import GPT4O, asker, judged, lines, only, paint, states, write_suite
from vdebench.errors import RunFolderError, VdeError
from vdebench.net.prices import Price
from vdebench.pipeline.judging.stage import JudgingOptions, estimate_run, judge_suite, plan_suite

pytest.importorskip("httpx2")


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
        with pytest.raises(VdeError, match=r"price of mystery is not in the price table.*\n.*--price"):
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
    asked = JudgingOptions(["IF", "TA"], 2, canary=False)
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
        judged(tmp_path, server, count=3, progress=lambda *progress: seen.append(progress))
    assert [(done, total) for done, total, _ in seen] == [(1, 3), (2, 3), (3, 3)]
    assert seen[-1][2] == pytest.approx(3 * GPT4O)
