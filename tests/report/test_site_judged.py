"""Grades in the report: whose they are, what stands in the tables, and what is said of those that have no place."""

from __future__ import annotations

import json
import shutil

import polars as pl
import pytest
from typer.testing import CliRunner

from tests.report import judged_runs, masked_runs, site_runs
from tests.report.judged_runs import GIVEN, PERFECT, make_judged
from tests.report.site_runs import EVIL
from tests.report.test_site import data
from vdebench.cli.main import app
from vdebench.errors import InputError
from vdebench.judges.judge import Judge, JudgeSettings
from vdebench.net.answer import ModelAnswer
from vdebench.net.keys import Secret
from vdebench.pipeline.judging.stage import JudgingOptions, judge_suite
from vdebench.readers.reader import READERS
from vdebench.report.site import write as writing
from vdebench.report.site import write_report
from vdebench.suites.suite import load_suite


@pytest.fixture(autouse=True)
def _stripes(monkeypatch):
    monkeypatch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")


@pytest.fixture(scope="module")
def made(tmp_path_factory, _cache):
    """A folder of runs, and beside it grades of both editors by one judge, in a folder each."""
    root = tmp_path_factory.mktemp("judged")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        site_runs.make_runs(root / "runs", site_runs.make_suite(root / "suite"))
    make_judged(root / "judged/my editor", "my editor", GIVEN)
    make_judged(root / "judged/oracle", "oracle", PERFECT)
    return root


@pytest.fixture
def runs(made, tmp_path):
    return shutil.copytree(made / "runs", tmp_path / "runs")


@pytest.fixture(scope="module")
def report(made, _cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        patch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
        return write_report(made / "runs", made / "report", judged=[made / "judged"]).parent


def graded(report, editor, file):
    return data(report, f"judged/{data(report, 'board')['slugs'][editor]}/{file}")


def test_a_table_for_the_judge(report):
    found = data(report, "board")["judged"]
    [table] = found["tables"]
    assert (table["judge"], table["models"], table["repeat"]) == ("openai:gpt-x", ["gpt-x-2026"], 2)
    assert [one["key"] for one in table["dimensions"]] == ["IF", "TA", "VC", "LP", "SE"]
    assert {one["high"] for one in table["dimensions"]} == {5}
    oracle, mine = table["rows"]  # in the order of the runs
    assert (oracle["editor"], mine["editor"]) == ("oracle", "my editor")
    means = {key: cell["value"] for key, cell in mine["cells"].items()}
    # over samples, each the mean of its draws: (4.5 + 0.5 + 1) / 3; text/1 has no TA; its VC has one draw
    assert means == {
        "IF": pytest.approx(2),
        "TA": pytest.approx((2 + 1) / 2),
        "VC": pytest.approx((3.5 + 2 + 1) / 3),
        "LP": pytest.approx((5 + 4 + 4) / 3),
        "SE": pytest.approx(0.5),
    }
    # complete are text/0 and text/2
    total = (4.5 + 1) / 2 + (2 + 1) / 2 + (3.5 + 1) / 2 + (5 + 4) / 2 + 0.5
    assert mine["total"]["value"] == pytest.approx(total)
    assert (mine["total"]["of"], mine["total"]["n"]) == (25, 2)
    assert mine["cells"]["SE"]["spread"] == pytest.approx(0.5**0.5)  # draws of 1 and 0
    assert mine["coverage"] == {"samples": 3, "questions": 26, "graded": 23, "refused": 2, "timed_out": 1}
    assert oracle["cells"]["SE"] == {"value": None, "spread": None, "n": 0}
    assert [oracle["cells"][key].get("best", False) for key in judged_runs.DIMENSIONS] == [True] * 4 + [False]
    assert not any(cell.get("best") for cell in (*mine["cells"].values(), mine["total"], oracle["total"]))
    assert oracle["total"]["of"] == 20  # of another number of dimensions: no total to compare with


def test_what_stands_below_the_table(report):
    found = data(report, "board")["judged"]
    [table] = found["tables"]
    assert table["canary"] == [
        {"line": "canary: tells them apart (8 of 8 comparisons right)", "trusted": True, "editors": []}
    ]
    assert not any("canary" in note for note in table["notes"])  # said once
    assert "oracle, my editor: vde|judge:gpt-x|returned:gpt-x-2026|repeat:2|suite:stripes" in table["notes"]
    assert any("SE: asked for 1 of 3 samples" in note for note in table["notes"])
    assert found["notes"] == ["my editor, by openai:gpt-x: not judged: 1 sample of these runs"]


def test_samples_are_sorted_by_their_grades(report):
    rows = graded(report, "my editor", "index")
    mean = (4.5 + 2 + 3.5 + 5 + 0.5) / 5
    assert rows[0] == [{"IF": 4.5, "TA": 2, "VC": 3.5, "LP": 5, "SE": 0.5, "lowest": 0.5, "mean": mean}]
    assert rows[1] == [{"IF": 0.5, "VC": 2, "LP": 4, "lowest": 0.5}]  # a mean of the rest would flatter it
    assert rows[3] == [None]


def test_every_draw_is_told_with_its_rationale_or_reason(report):
    [told] = graded(report, "my editor", "0")[1]
    assert list(told) == ["IF", "TA", "VC", "LP"]
    assert told["IF"][0] == {"state": "graded", "grade": 0, "rationale": f"said {EVIL}"}
    assert told["TA"] == [{"state": "refused", "reason": "it was refused <b>here</b>"}] * 2
    assert [draw["state"] for draw in told["VC"]] == ["graded", "timed_out"]
    assert graded(report, "my editor", "0")[3] == [None]
    for script in report.glob("data/judged/**/*.js"):
        assert "<" not in script.read_text(encoding="utf-8")
    assert not any("canary/" in script.read_text(encoding="utf-8") for script in report.glob("data/**/*.js"))


def test_nothing_names_this_machine(report, made):
    for script in report.glob("data/**/*.js"):
        assert str(made) not in script.read_text(encoding="utf-8")


def test_chunks(made, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "CHUNK", 3)
    report = write_report(made / "runs", tmp_path / "report", judged=[made / "judged"]).parent
    assert [len(graded(report, "my editor", name)) for name in ("0", "1")] == [3, 1]
    assert graded(report, "oracle", "1")[0][0]["LP"][1]["grade"] == 4


def test_without_grades_nothing_else_is_written(report, made, tmp_path):
    plain = write_report(made / "runs", tmp_path / "report").parent
    files = {file.relative_to(plain) for file in plain.rglob("*") if file.is_file()}
    with_grades = {file.relative_to(report) for file in report.rglob("*") if file.is_file()}
    assert {file.parts[1] for file in with_grades - files} == {"judged"}
    differ = [str(file) for file in files if (plain / file).read_bytes() != (report / file).read_bytes()]
    assert differ == ["data/board.js"]
    board = data(report, "board")
    del board["judged"]
    assert data(plain, "board") == board


def test_grades_among_the_runs_are_found(runs, tmp_path):
    make_judged(runs / "oracle/judged", "oracle", PERFECT)
    make_judged(runs / "my editor/judged/one", "my editor", GIVEN)
    make_judged(runs / "my editor/judged/two", "my editor", GIVEN, judge="gemini:other", model="other-1")
    given = [runs / "oracle/judged"]  # also told: shown once
    found = data(write_report(runs, tmp_path / "report", judged=given).parent, "board")["judged"]
    assert [[table["models"], [row["editor"] for row in table["rows"]]] for table in found["tables"]] == [
        [["gpt-x-2026"], ["oracle", "my editor"]],
        [["other-1"], ["my editor"]],
    ]
    shutil.rmtree(runs / "oracle/judged")
    make_judged(runs / "judged", "oracle", PERFECT)
    report = write_report(runs, tmp_path / "report").parent
    assert data(report, "board")["judged"]["tables"][0]["rows"][0]["editor"] == "oracle"
    assert graded(report, "oracle", "index")[0] == [PERFECT_ENTRY, None]
    assert [told is None for told in graded(report, "my editor", "0")[0]] == [False, False]


PERFECT_ENTRY = {"IF": 5, "TA": 5, "VC": 5, "LP": 4.5, "lowest": 4.5, "mean": 4.875}


def test_other_prompts_or_a_second_run_stand_apart(runs, tmp_path):
    make_judged(tmp_path / "a", "oracle", PERFECT)
    make_judged(tmp_path / "b", "my editor", GIVEN, prompts="1111")
    make_judged(tmp_path / "c", "oracle", PERFECT)
    given = [tmp_path / name for name in "abc"]
    tables = data(write_report(runs, tmp_path / "report", judged=given).parent, "board")["judged"]["tables"]
    assert [[row["editor"] for row in table["rows"]] for table in tables] == [["oracle"], ["oracle"], ["my editor"]]


def test_what_has_no_place_is_said(runs, tmp_path):
    make_judged(tmp_path / "judged/stranger", "stranger", GIVEN)
    make_judged(tmp_path / "judged/words", "", GIVEN)
    make_judged(tmp_path / "judged/oracle", "oracle", PERFECT | {"text/77": PERFECT["text/0"], "x/1": {"IF": [0]}})
    (tmp_path / "judged/stopped").mkdir()
    (tmp_path / "judged/stopped/judge.json").write_text("{}")
    found = data(write_report(runs, tmp_path / "report", judged=[tmp_path / "judged"]).parent, "board")["judged"]
    assert len(found["tables"]) == 1
    assert found["notes"] == [
        "judged/stopped: not shown: a judged run without its tables; run its `vde judge` again",
        "stranger: graded by openai:gpt-x, not shown: these runs have scores of oracle, my editor",
        "judged/words: not shown: grades of instructions by openai:gpt-x",
        "oracle, by openai:gpt-x: 2 samples in its means, but not in these runs: text/77, …",
    ]
    shutil.rmtree(tmp_path / "judged/oracle")  # nothing to show is no reason to say nothing
    found = data(write_report(runs, tmp_path / "report", judged=[tmp_path / "judged"]).parent, "board")["judged"]
    assert (found["tables"], len(found["notes"])) == ([], 3)


def test_judges_that_must_not_be_compared_or_trusted(runs, tmp_path):
    make_judged(runs / "oracle/judged", "oracle", PERFECT)
    make_judged(runs / "my editor/judged", "my editor", GIVEN, model="gpt-x-2027")
    [table] = data(write_report(runs, tmp_path / "report").parent, "board")["judged"]["tables"]
    assert table["models"] == ["gpt-x-2026", "gpt-x-2027"]
    assert table["notes"][0].endswith("no best is marked: oracle: gpt-x-2026; my editor: gpt-x-2027")
    assert not any(cell.get("best") for row in table["rows"] for cell in row["cells"].values())
    make_judged(runs / "my editor/judged", "my editor", GIVEN, wrong=5)
    [table] = data(write_report(runs, tmp_path / "report").parent, "board")["judged"]["tables"]
    assert [(told["trusted"], told["editors"]) for told in table["canary"]] == [
        (True, ["oracle"]),
        (False, ["my editor"]),
    ]
    assert "do not trust these grades" in table["canary"][1]["line"]
    assert not any(cell.get("best") for row in table["rows"] for cell in row["cells"].values())


def test_a_model_that_changed_is_told_at_each_draw(runs, tmp_path):
    folder = make_judged(runs / "oracle/judged", "oracle", PERFECT)
    rows = pl.read_parquet(folder / "grades.parquet")
    later = pl.when(pl.col("draw") == 1).then(pl.lit("gpt-x-2027")).otherwise(pl.col("model")).alias("model")
    rows.with_columns(later).reverse().write_parquet(folder / "grades.parquet")
    summary = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps(summary | {"models": {"gpt-x-2026": 1, "gpt-x-2027": 1}}))
    report = write_report(runs, tmp_path / "report").parent
    draws = graded(report, "oracle", "0")[0][0]["IF"]
    assert [draw["model"] for draw in draws] == ["gpt-x-2026", "gpt-x-2027"]


def test_folders_without_grades(runs, tmp_path):
    def refused(folder, words):
        with pytest.raises(InputError, match=words) as found:
            write_report(runs, tmp_path / "report", judged=[folder])
        assert not (tmp_path / "report").exists()
        return str(found.value)

    assert "vde judge SUITE" in refused(runs, "contains no grades: looked for grades.parquet")
    refused(tmp_path / "nowhere", "nowhere: cannot be listed: No such file")
    stopped = tmp_path / "stopped"
    stopped.mkdir()
    (stopped / "judge.json").write_text("{}")
    assert "run its `vde judge` again" in refused(stopped, "an unfinished judged run")
    folder = make_judged(tmp_path / "good", "oracle", PERFECT)
    shutil.copytree(folder, tmp_path / "broken")
    (tmp_path / "broken/grades.parquet").write_bytes(b"PAR1")
    refused(tmp_path / "broken", "grades.parquet: cannot be read")
    pl.DataFrame({"sample": ["a"]}).write_parquet(tmp_path / "broken/grades.parquet")
    refused(tmp_path / "broken", "no column 'group', found sample")
    (tmp_path / "broken/summary.json").write_text('{"overall": 3}')
    refused(tmp_path / "broken", "'signature' is None, expected text")
    (tmp_path / "broken/summary.json").write_text("[]")
    refused(tmp_path / "broken", "expected an object")


def test_the_command(runs, tmp_path):
    make_judged(tmp_path / "one", "oracle", PERFECT)
    make_judged(tmp_path / "two", "my editor", GIVEN)
    asked = ["report", str(runs), "-o", str(tmp_path / "report")]
    told = CliRunner().invoke(app, [*asked, "--judged", str(tmp_path / "one"), "--judged", str(tmp_path / "two")])
    assert told.exit_code == 0, told.output
    [table] = data(tmp_path / "report", "board")["judged"]["tables"]
    assert [row["editor"] for row in table["rows"]] == ["oracle", "my editor"]


class Played(Judge):
    """A judge without a server that always gives 3."""

    provider, package, install, key_variable = "played", "polars", "", ""

    def _key(self):
        return Secret("none")

    async def send(self, request, *, schema):
        return ModelAnswer("answered", json.dumps({"rationale": "so so", "grade": 3}), model="played-1")


@pytest.mark.parametrize("track", ["pages", "pixels"])
def test_what_the_stage_writes(track, made, tmp_path):
    """Grades as `vde judge` makes them, of pages and around masks, an editor's missing outputs among them."""
    if track == "pages":
        runs, suite = shutil.copytree(made / "runs", tmp_path / "runs"), load_suite(str(made / "suite"))
    else:
        folder = masked_runs.make_suite(tmp_path / "suite")
        runs = masked_runs.make_runs(tmp_path / "runs", folder, ["strict"])
        suite = load_suite(f"textedit:{folder}")
        shutil.copytree(runs / "copy/images", runs / "my editor/images", dirs_exist_ok=True)
        next((runs / "my editor/images").rglob("*.png")).unlink()
    asked = JudgingOptions(["IF", "TA"], 2, canary=False)
    judge_suite(suite, runs / "my editor", Played(JudgeSettings("m")), tmp_path / "judged", asked, editor="my editor")
    report = write_report(runs, tmp_path / "report", judged=[tmp_path / "judged"]).parent
    found = data(report, "board")["judged"]
    [table] = found["tables"]
    [row] = table["rows"]
    assert found["notes"] == []
    assert table["models"] == ["played-1"]
    assert (row["cells"]["IF"]["value"], row["total"]["value"], row["total"]["of"]) == (3, 6, 10)
    assert table["canary"] == [{"line": "canary: no canary was asked", "trusted": None, "editors": []}]
    told = [each for (each,) in graded(report, "my editor", "0")]
    states = [each["IF"][0]["state"] for each in told]
    assert len(states) == len(suite)
    assert set(states) >= {"graded", "missing"}
    assert all(each["IF"][0]["reason"] for each in told if each["IF"][0]["state"] == "missing")
    for script in report.glob("data/**/*.js"):
        assert str(tmp_path) not in script.read_text(encoding="utf-8"), script
