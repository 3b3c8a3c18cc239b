"""End-to-end tests of `vde judge` and `vde ambiguity` against a local server."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tests import masked
from tests.judges.server import Reply, always, error, grade, judging
from tests.judges.suites import write_suite
from vdebench.cli.main import app
from vdebench.errors import VdeError

pytest.importorskip("httpx2")
KEY = "sk-planted-0123456789"


@pytest.fixture(autouse=True)
def _apart(tmp_path, monkeypatch):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PLANTED", KEY)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def vde(*arguments, code=0):
    """The command in this process, which makes the canary once."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == code, f"{done.stdout}{done.stderr}{done.exception!r}"
    assert KEY not in done.stdout + done.stderr
    return done


def process(*arguments, code=0):
    """The command as a user runs it."""
    done = subprocess.run([sys.executable, "-m", "vdebench", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert KEY not in done.stdout + done.stderr
    return done


def asked(tmp_path, server, *more):
    given = [tmp_path / "suite", tmp_path / "editor", "--judge", "gpt-4o", "--base-url", server.url]
    return ["judge", *given, "--key-variable", "PLANTED", *more]


def test_help_has_examples():
    for verb in ("judge", "ambiguity"):
        text = vde(verb, "--help").stdout
        assert f"vde {verb} SUITE" in text


def test_a_grade_that_cannot_be_is_named_on_standard_error_and_asked_again(tmp_path):
    write_suite(tmp_path, 2)
    given = ("--dimensions", "IF", "--out", tmp_path / "run", "--json")
    with judging(always(4)) as server:
        process(*asked(tmp_path, server, *given))
        journal = tmp_path / "run/grades.jsonl"
        lines = [json.loads(line) for line in journal.read_text().splitlines()]
        at = next(at for at, line in enumerate(lines) if line["sample"] == "text/1")
        lines[at]["grade"] = 99
        journal.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        done = process(*asked(tmp_path, server, *given))
    assert f"vde: {journal}: line {at + 1}: the grade is 99, expected an integer from 0 to 5" in done.stderr
    assert json.loads(done.stdout)["overall"]["mean"] == 4


def test_a_table_with_coverage_canary_and_signature(tmp_path):
    write_suite(tmp_path, 3)
    (tmp_path / "editor/page_2.png").unlink()
    with judging(always(5)) as server:
        text = vde(*asked(tmp_path, server, "-d", "IF,TA", "--repeat", 2, "--out", tmp_path / "run")).stdout
    assert "editor" in text
    assert "8 graded, 4 missing" in text
    flat = " ".join(text.split())
    assert "do not trust these grades" in flat
    assert "vde|judge:gpt-4o|returned:judge-1|" in text.replace("\n", "").replace(" ", "")
    assert {ask.headers["authorization"] for ask in server.asks} == {f"Bearer {KEY}"}


def test_a_dry_run_asks_nothing_and_needs_no_key(tmp_path, monkeypatch):
    monkeypatch.delenv("PLANTED")
    write_suite(tmp_path, 3)
    with judging(always(5)) as server:
        text = vde(*asked(tmp_path, server, "-d", "IF", "--dry-run")).stdout
        found = json.loads(vde(*asked(tmp_path, server, "-d", "IF", "--dry-run", "--json")).stdout)
        assert not server.asks
    calls = 3 + found["editor"]["canary"]
    assert found["editor"]["calls"] == calls
    assert f"editor: {calls} calls ({calls - 3} of them the canary's)" in text
    assert f"about ${found['editor']['cost']:.2f}" in text
    assert "OpenAI's tiles" in text


def test_the_budget_ends_it_with_the_command_that_goes_on(tmp_path):
    write_suite(tmp_path, 3)
    with judging(always(5)) as server:
        command = asked(tmp_path, server, "-d", "IF", "--out", tmp_path / "run", "--concurrency", 1)
        done = process(*command, "--budget", "0.02", code=2)
        assert "the budget of $0.02 would be exceeded" in done.stderr
        assert "--budget 0.04" in done.stderr
        assert "questions were not asked" in done.stderr
        some = len(server.asks)
        assert 0 < some < 18
        vde(*command, "--budget", "5")
        assert len({json.dumps(ask.body) for ask in server.asks}) == len(server.asks)
        assert len(server.asks) > some


def test_a_wrong_key_is_told_and_not_shown(tmp_path):
    write_suite(tmp_path, 3)
    with judging(lambda ask: error(401, f"Incorrect API key: {ask.headers['authorization']}")) as server:
        done = process(*asked(tmp_path, server, "--out", tmp_path / "run"), code=2)
    assert "Incorrect API key: Bearer [key]" in done.stderr
    assert "requires a key" in done.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--judge", "mystery", "--budget", "1"], "--price IN,OUT"),
        (["--image-size", "tiny"], "--image-size"),
        (["-d", "XX"], "available: IF, TA, VC, LP, SE"),
        (["--paper-table", "vde-v9:1"], "no table shape"),
        (["--by", "colour"], "--by"),
        (["--price", "1"], "--price"),
        (["--key-variable", "NO_SUCH"], "NO_SUCH"),
        (["--prompts", "no_such_folder"], "no_such_folder"),
        ([], "no --out"),
    ],
)
def test_what_the_user_can_mend_is_said(tmp_path, more, told):
    write_suite(tmp_path, 1)
    with judging(always(5)) as server:
        out = ["--out", tmp_path / "run"] if more else []
        done = CliRunner().invoke(app, [*map(str, asked(tmp_path, server, *out, *more))])
    assert isinstance(done.exception, VdeError)  # which `vde` prints, with exit code 2
    assert told in str(done.exception)
    assert not server.asks


def test_failures_are_told_and_end_with_code_2(tmp_path):
    write_suite(tmp_path, 2)
    bad = (tmp_path / "editor/page_1.png").read_bytes()
    with judging(lambda ask: grade(9) if ask.images[1] == bad else grade(4)) as server:
        command = asked(tmp_path, server, "-d", "IF", "--out", tmp_path / "run", "--json")
        done = vde(*command, code=2)
        assert "text/1 IF: invalid: the grade is 9" in done.stderr
        assert json.loads(done.stdout)["overall"]["dimensions"]["IF"]["mean"] == 4
        server.behaviour = always(2)
        assert json.loads(vde(*command).stdout)["overall"]["dimensions"]["IF"]["mean"] == 3  # of 4 and 2


def test_editors_side_by_side_in_the_papers_shape_with_peoples_scores(tmp_path):
    masked.write_suite(tmp_path / "te", (1, 2, 3))
    for editor in ("one", "two"):
        for number in (1, 2, 3):
            masked.output(tmp_path / editor, number, masked.scene(number) if editor == "one" else masked.scene(9))
    with (tmp_path / "people.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sample", "dimension", "score", "editor"])
        for editor in ("one", "two"):
            for number in (1, 2, 3):
                table.writerow([f"manual/Packaging_Logistics/{number:03d}", "IF", number, editor])
    with judging(lambda ask: grade(len(ask.images[1]) % 6)) as server:
        text = vde(
            *("judge", f"textedit:{tmp_path / 'te'}", tmp_path / "one", tmp_path / "two", "--judge", "gpt-4o"),
            *("--base-url", server.url, "--out", tmp_path / "runs", "--paper-table", "textedit:4", "--published"),
            *("--human", tmp_path / "people.csv", "--format", "markdown"),
        ).stdout
    assert "one" in text
    assert "two" in text
    assert "Pearson" in text
    assert (tmp_path / "runs/one/grades.parquet").exists()
    assert (tmp_path / "runs/two/summary.json").exists()


def test_ambiguity_by_two_judges(tmp_path):
    write_suite(tmp_path, 2)
    with judging(lambda ask: Reply(grade(2 if ask.body["model"] == "a" else 4).body)) as server:
        done = vde(
            *("ambiguity", tmp_path / "suite", "--judge", "a", "--judge", "b", "--base-url", server.url),
            *("--out", tmp_path / "run", "--json"),
        )
    runs = json.loads(done.stdout)["runs"]
    assert [run["overall"]["mean"] for run in runs] == [2, 4]
    assert len(server.asks) == 2 * 2 * 6
