"""End-to-end tests of `vde diff`, with a check made by hand instead of the engine."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from rich.cells import cell_len

from tests.commands import vde
from tests.report.edit_pairs import INSTRUCTION, make_pair
from vdebench.changes.verdict import GeometryLimits


@pytest.fixture
def pair(tmp_path):
    return make_pair(tmp_path / "pair")


@pytest.fixture
def calls(pair, monkeypatch):
    """Calls of the engine, which returns the pair's check."""
    made = []

    def check_edit(*files, **options):
        made.append((files, options))
        return pair.check

    monkeypatch.setattr("vdebench.pipeline.edit_check.check_edit", check_edit)
    return made


def test_a_person_reads_the_verdict_first(pair, calls):
    lines = vde("diff", pair.before, pair.after).stdout.splitlines()
    assert lines[:2] == ["Edit          done", f"Usable        no: {pair.check.why}"]
    assert lines[2].startswith("Geometry      cropped: the output shows 92 % of the width and 92 % of the height")
    assert lines[4] == "Changes       8: 6 not asked for (2 facts, 2 of ink), 1 asked for, 1 unknown"
    assert lines[6].split() == ["kind", "before", "after", "fact", "asked", "confidence"]
    rows = [line.split()[0] for line in lines[7:] if not line.startswith(" ")]
    # facts that nobody asked for, other text, ink, what was asked for
    assert rows == ["cropped", "replaced", "replaced", "lost", "restyled", "ink", "ink", "replaced"]
    assert ["replaced", "59.00", "69.00", "price", "no", "1.00"] in [line.split() for line in lines]


def test_options_reach_the_engine(pair, calls):
    vde("diff", pair.before, pair.after)
    plain = {"instruction": "", "reference": None, "reader": "rapidocr", "limits": GeometryLimits(), "judge": None}
    assert calls == [((pair.before, pair.after), plain)]
    given = ("--instruction", INSTRUCTION, "--reference", pair.before, "--reader", "tesseract")
    vde("diff", pair.before, pair.after, *given, "--max-zoom", "0.1", "--allow-crop")
    assert calls[1][1] == {
        "instruction": INSTRUCTION,
        "reference": pair.before,
        "reader": "tesseract",
        "limits": GeometryLimits(max_zoom=0.1, allow_crop=True),
        "judge": None,
    }


def test_a_judge_is_named(pair, calls, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = ("--base-url", "http://localhost:1/v1", "--temperature", "default", "--timeout", "9")
    vde("diff", pair.before, pair.after, "-i", "Make it June.", "--judge", "qwen:7b", *server)
    judge = calls[0][1]["judge"]
    assert (judge.name, judge.server, judge.settings.temperature, judge.settings.timeout) == (
        "qwen:7b",
        "localhost:1",
        None,
        9,
    )
    for options in ((), ("-i", "Make it June.", "--reference", pair.before)):
        done = vde("diff", pair.before, pair.after, "--judge", "qwen:7b", *server, *options, code=2)
        assert done.stderr.startswith("vde: --judge: the judge reads the --instruction")
    assert "OPENAI_API_KEY is not set" in vde("diff", pair.before, pair.after, "-i", "x", "-j", "gpt-4o", code=2).stderr
    assert len(calls) == 1


def test_what_a_judge_understood_is_shown(pair, monkeypatch):
    requests = {
        "source": "judge",
        "edits": [{"action": "replace", "target": "2023", "new": "2024"}],
        "problem": "",
        "judge": {"model": "gpt-4o"},
    }
    check = replace(pair.check, requests=requests)
    monkeypatch.setattr("vdebench.pipeline.edit_check.check_edit", lambda *files, **options: check)
    lines = vde("diff", pair.before, pair.after, "--html", pair.before.parent / "p.html").stdout.splitlines()
    assert lines[1] == "Request       replace “2023”, “2024” (in the words of the judge gpt-4o)"
    assert json.loads(vde("diff", pair.before, pair.after, "--json").stdout)["requests"] == requests


def test_json_is_alone_on_standard_output(pair, calls, tmp_path):
    done = vde("diff", pair.before, pair.after, "--json", "--html", tmp_path / "page.html")
    assert json.loads(done.stdout) == json.loads(json.dumps(pair.check.to_json()))
    assert done.stderr == f"{tmp_path}/page.html: open it in a browser\n"
    assert (tmp_path / "page.html").exists()


def test_the_page_is_named(pair, calls, tmp_path):
    lines = vde("diff", pair.before, pair.after, "--html", tmp_path / "new/page.html").stdout.splitlines()
    assert lines[-1] == f"{tmp_path}/new/page.html: open it in a browser"


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_longer_than_the_terminal(pair, calls, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = vde("diff", pair.before, pair.after).stdout.splitlines()
    assert max(map(cell_len, lines)) <= width
    words = " ".join(" ".join(lines).split())
    assert "59.00 → 69.00" in words or "59.00 69.00" in words


def test_long_lists_are_cut(pair, monkeypatch):
    many = replace(pair.check, page=replace(pair.check.page, changes=pair.check.page.changes * 5))
    monkeypatch.setattr("vdebench.pipeline.edit_check.check_edit", lambda *files, **options: many)
    assert vde("diff", pair.before, pair.after).stdout.endswith("… and 20 more (--json lists all)\n")


@pytest.mark.parametrize("where", ["before", "after", "reference"])
def test_files_that_are_no_images(pair, calls, tmp_path, where):
    (tmp_path / "words.png").write_text("words")
    for name, message in (
        ("nothing.png", "cannot be read: No such file or directory"),
        ("words.png", "is no image we know; PNG, JPEG, WebP and TIFF are"),
        (".", "cannot be read: Is a directory"),
    ):
        files = {"before": pair.before, "after": pair.after, "reference": pair.before, where: tmp_path / name}
        done = vde("diff", files["before"], files["after"], "--reference", files["reference"], code=2)
        assert (done.stdout, done.stderr) == ("", f"vde: {tmp_path / name}: {message}\n")
    assert calls == []


def test_bad_options(pair, calls, tmp_path):
    content = pair.after.read_bytes()
    done = vde("diff", pair.before, pair.after, "--html", pair.after, code=2)
    assert done.stderr == f"vde: --html {pair.after}: expected a file that ends with .html\n"
    assert pair.after.read_bytes() == content
    (tmp_path / "folder.html").mkdir()
    done = vde("diff", pair.before, pair.after, "--html", tmp_path / "folder.html", code=2)
    assert done.stderr == f"vde: --html {tmp_path}/folder.html: is a folder, expected a file\n"
    assert "'--max-zoom'" in vde("diff", pair.before, pair.after, "--max-zoom", "-0.1", code=2).stderr
    assert calls == []
