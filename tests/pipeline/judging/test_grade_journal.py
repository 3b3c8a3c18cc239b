"""An invalid line of `grades.jsonl` is reported, excluded from means, and asked again."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.judges.server import always, judging
from tests.judges.suites import GPT4O, asker, judged, lines, states, write_suite
from vdebench.io.locations import cache_folder
from vdebench.pipeline.judging.stage import JudgingOptions, estimate_run, plan_suite

pytest.importorskip("openai")

INVALID = [
    ({"grade": 99}, "the grade is 99, expected an integer from 0 to 5"),
    ({"grade": -1}, "the grade is -1, expected an integer from 0 to 5"),
    ({"grade": 4.0}, "'grade' is 4.0, expected an integer or null"),
    ({"grade": True}, "'grade' is True, expected an integer or null"),
    ({"grade": "5"}, "'grade' is '5', expected an integer or null"),
    ({"grade": None}, "the grade is None, expected an integer from 0 to 5"),
    ({"state": "refused"}, "the grade is 4, expected none, because the state is 'refused'"),
    ({"state": "perfect"}, "'state' is 'perfect', expected 'graded'"),
    ({"dimension": "XX"}, "the dimension is 'XX'"),
    ({"cost": float("nan")}, "'cost' is nan, expected a number or null"),
    ({"cost": -1.0}, "'cost' is -1.0, expected a number from 0"),
    ({"cost": "free"}, "'cost' is 'free', expected a number or null"),
    ({"input_tokens": 10**15}, "'input_tokens' is 1000000000000000, expected a number from 0"),
    ({"output_tokens": -7}, "'output_tokens' is -7, expected a number from 0"),
    ({"seconds": float("inf")}, "'seconds' is inf, expected a number"),
    ({"rationale": None}, "'rationale' is None, expected text"),
    ({"images": "all"}, "'images' is 'all', expected a list"),
    ({"surprise": 1}, "unknown fields: surprise"),
]


def change_line(run, number, change):
    """Change a line of the journal, as a person or another program might."""
    told = lines(run)
    told[number] |= change
    (run / "grades.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in told))


@pytest.mark.parametrize(("change", "problem"), INVALID)
def test_an_invalid_line_is_asked_again_and_in_no_mean(tmp_path, change, problem, caplog):
    with judging(always(4)) as server:
        judged(tmp_path, server, count=4)
        change_line(tmp_path / "run", 1, change)
        shutil.rmtree(cache_folder() / "grades")
        again = judged(tmp_path, server)
        assert len(server.asks) == 5
        assert again.rows["grade"].to_list() == [4, 4, 4, 4]
        assert again.summary["overall"]["mean"] == 4
        assert again.summary["spent"]["dollars"] == pytest.approx(4 * GPT4O)  # the invalid line's cost is not believed
        assert f"{tmp_path / 'run/grades.jsonl'}: line 2: {problem}" in caplog.text
        assert any(f"grades.jsonl: line 2: {problem}" in note for note in again.summary["notes"])
        assert not any(str(tmp_path) in note for note in again.summary["notes"])
        judged(tmp_path, server)
    assert len(server.asks) == 5


def test_an_invalid_line_that_the_cache_knows_costs_nothing(tmp_path):
    with judging(always(4)) as server:
        judged(tmp_path, server, count=4)
        change_line(tmp_path / "run", 0, {"grade": 99})
        again = judged(tmp_path, server)
        assert len(server.asks) == 4
    assert again.rows["grade"].to_list() == [4, 4, 4, 4]


def test_an_invalid_line_without_an_answer_is_not_graded(tmp_path):
    with judging(always(4)) as server:
        judged(tmp_path, server, count=4)
        change_line(tmp_path / "run", 0, {"grade": 99})
        shutil.rmtree(cache_folder() / "grades")
        again = judged(tmp_path, server, budget=3 * GPT4O)
    assert states(again) == {"graded": 3, "not_asked": 1}
    assert again.summary["overall"]["mean"] == 4


@pytest.mark.parametrize("change", [{"grade": 99}, {"grade": 4.0}, {"model": None}, {"images": {}}, {"cost": "x"}])
def test_an_invalid_value_in_the_cache_is_asked_again(tmp_path, change):
    suite, editor = write_suite(tmp_path, 1)
    with judging(always(4)) as server:
        judged(tmp_path, server, count=1)
        (line,) = lines(tmp_path / "run")
        (file,) = (cache_folder() / "grades").glob(f"*/??/{line['digest']}.json")
        file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
        plan = plan_suite(suite, editor, asker(server), JudgingOptions(["IF"], canary=False))
        calls = 0 if "cost" in change else 1  # a cached answer costs nothing, whatever it has cost
        assert estimate_run(plan).calls == calls
        other = judged(tmp_path, server, run="other")
        assert len(server.asks) == 1 + calls
    assert other.rows["grade"].to_list() == [4]


def test_token_counts_of_a_server_that_cannot_be_right_are_unknown(tmp_path):
    def behave(ask):
        reply = always(4)(ask)
        body = reply.body if isinstance(reply.body, dict) else json.loads(reply.body)
        body["usage"]["prompt_tokens"] = 10**18
        return type(reply)(body)

    with judging(behave) as server:
        result = judged(tmp_path, server, count=1)
        assert result.rows["input_tokens"].to_list() == [None]
        assert result.rows["grade"].to_list() == [4]
        assert judged(tmp_path, server).rows["grade"].to_list() == [4]
        assert len(server.asks) == 1
