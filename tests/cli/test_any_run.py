"""Every command that takes runs accepts every kind of run, or reports what the run lacks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.commands import vde
from tests.report import masked_runs, site_runs
from tests.report.judged_runs import PERFECT, make_judged
from vdebench.readers.reader import READERS
from vdebench.submission.verify import VerificationRequest, verify

EDITORS = ("copy", "oracle")


@pytest.fixture(autouse=True)
def _stripes(monkeypatch):
    monkeypatch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def scored(suite, out, *more):
    vde("score", suite, *more, "--reader", "stripe", "--metrics", "psnr", "--workers", 1, "--out", out)


@pytest.fixture(scope="module")
def made(tmp_path_factory, _cache):
    """Runs of every kind, below one folder."""
    root = tmp_path_factory.mktemp("kinds")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        patch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
        suite = site_runs.make_suite(root / "suite")
        run = ["run", suite, *(part for name in EDITORS for part in ("-e", name)), "--reader", "stripe"]
        run += ["--metrics", "psnr", "--workers", 1]
        vde(*run, "--out", root / "run")
        vde(*run, "-p", "strict", "-p", "vde-v3", "--out", root / "run-protocols")
        images = [root / f"run/{name}/images" for name in EDITORS]
        for name, folder in zip(EDITORS, images, strict=True):
            vde("read", folder / "text", "--reader", "stripe", "--workers", 1, "-o", root / f"read/{name}/text")
        readings = [part for name in EDITORS for part in ("--ocr-output", f"{name}={root / 'read' / name}")]
        scored(suite, root / "images", images[0])
        scored(suite, root / "images-two", *images)
        scored(suite, root / "ocr", *readings[:2])
        scored(suite, root / "ocr-two", *readings)
        scored(suite, root / "ocr-images", images[0], *readings[:2])
        scored(suite, root / "ocr-images-two", *images, *readings)
        masked = masked_runs.make_runs(root / "masked-run", masked_runs.make_suite(root / "textedit"), ("strict",))
        outputs = [masked / name / "images" for name in ("copy", "shift")]
        vde("score", f"textedit:{root / 'textedit'}", outputs[0], "--reader", "none", "--out", root / "masked")
        vde("score", f"textedit:{root / 'textedit'}", *outputs, "--reader", "none", "--out", root / "masked-two")
        make_judged(root / "judged", "copy", PERFECT)
    return root


SINGLE = ("images", "ocr", "ocr-images", "run/copy", "run/copy/strict", "masked")
SEVERAL = ("images-two", "ocr-two", "ocr-images-two", "run", "run-protocols", "masked-run", "masked-two")
MASKED = ("masked", "masked-run", "masked-two")
KINDS = (*SINGLE, *SEVERAL, "judged")
NO_SCORES = "contains grades of `vde judge`, but no scores"
NO_IMAGES = "scored from ready OCR output without images"
COMMANDS = {
    "report": ("report", "RUNS", "-o", "OUT"),
    "sheet": ("human", "sheet", "RUNS", "-o", "OUT"),
    "compare": ("compare", "RUNS"),
    "usable": ("usable", "RUNS"),
    "leaderboard": ("leaderboard", "RUNS", "-o", "OUT"),
    "submit": ("submit", "RUNS", "-o", "OUT"),
    "verify": ("verify", "RUNS"),
    "show": ("show", "RUNS"),
    "table": ("table", "RUNS"),
    "ambiguity-drop": ("ambiguity-drop", "RUNS", "RUNS"),
    "judge": ("judge", "SUITE", "RUNS", "-j", "gpt-4o", "--dry-run"),
}


def refusal(command: str, kind: str) -> str:
    """What a command says that cannot do with a kind of run."""
    if command == "verify":
        return r"is a folder; pack it first with `vde submit .*`"
    if kind == "judged":
        shown = command in ("show", "table")
        return "" if shown else "no image of any sample here" if command == "judge" else NO_SCORES
    told = {
        "sheet": "1 editor; ranking needs two or more" if kind in SINGLE else NO_IMAGES if kind == "ocr-two" else "",
        "compare": "a comparison needs two runs or more"
        if kind in SINGLE
        else "name runs of one"
        if kind == "run-protocols"
        else "",
        "usable": "which judges no properties; usable edits need pages" if kind in MASKED else "",
        "submit": r"contains \d runs, expected one; pass one of" if kind in SEVERAL else "",
        "judge": NO_IMAGES
        if kind in ("ocr", "ocr-two")
        else "my editor/images: no image of any sample here"  # one of its editors refused all
        if kind == "masked-run"
        else "",
    }
    return told.get(command, "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_takes_a_run(made, tmp_path, command, kind):
    suite = f"textedit:{made / 'textedit'}" if kind in MASKED else made / "suite"
    places = {"RUNS": made / kind, "OUT": tmp_path / "out", "SUITE": suite}
    told = refusal(command, kind)
    done = vde(*(places.get(word, word) for word in COMMANDS[command]), code=2 if told else 0)
    if told:
        assert re.search(told, done.stderr)
        assert not (tmp_path / "out").exists()
    else:
        assert done.stdout.strip()
        assert ("OUT" in COMMANDS[command]) == (tmp_path / "out").exists()


def data(report: Path, name: str):
    return json.loads((report / f"data/{name}.js").read_text().partition(", ")[2].removesuffix(");\n"))


@pytest.mark.parametrize(("kind", "pictures"), [("images", True), ("ocr-images", True), ("ocr", False)])
def test_a_report_of_a_scored_run_shows_text_and_boxes(made, tmp_path, kind, pictures):
    vde("report", made / kind, "-o", tmp_path / "report")
    board = data(tmp_path / "report", "board")
    place = f"{board['slugs']['strict']}/{board['slugs']['copy']}"
    first = data(tmp_path / "report", f"{place}/0")[0]
    assert first["unread"] == ""
    assert first["sizes"] == [[site_runs.WIDTH, site_runs.HEIGHT]] * 2
    found = {unit["state"]: unit for unit in first["units"]["global"]}
    # the page before the edit has "before" where "in 2024" should stand, and the same footer
    assert found["missed"]["text"] == [["-", "in 2024"]]
    assert found["invented"]["text"] == [["+", "before"]]
    assert found["matched"]["text"] == [["=", "a footer"]]
    assert found["invented"]["prediction"] == [[10.0, 20.0, 40.0, 10.0]]  # 20, 60, 100, 90 of 200 × 300 pixels
    rows = data(tmp_path / "report", f"{place}/index")
    assert all(bool(row["image"]) is pictures for row in rows)
    note = f"copy: {NO_IMAGES}: text and boxes are shown without images"
    assert (note in board["protocols"][0]["notes"]) is not pictures


def test_a_report_of_several_folders(made, tmp_path):
    vde("report", made / "images", made / "run/oracle/strict", "-o", tmp_path / "report")
    assert [row["editor"] for row in data(tmp_path / "report", "board")["protocols"][0]["rows"][:2]] == list(EDITORS)
    twice = vde("report", made / "images", made / "ocr", "-o", tmp_path / "other", code=2)
    assert "two runs of copy by strict" in twice.stderr
    apart = vde("report", made / "images", made / "masked", "-o", tmp_path / "other", code=2)
    assert "two runs of copy by strict" in apart.stderr or "give runs on one suite" in apart.stderr


def test_a_report_says_that_outputs_are_gone(made, tmp_path):
    images = tmp_path / "gone/images"
    images.parent.mkdir()
    (made / "run/copy/images").rename(images)
    try:
        scored(made / "suite", tmp_path / "run", images)
    finally:
        images.rename(made / "run/copy/images")
    vde("report", tmp_path / "run", "-o", tmp_path / "report")
    (note, *_) = data(tmp_path / "report", "board")["protocols"][0]["notes"]
    assert note.startswith("gone: its images are no longer in ")


def test_people_rank_scored_runs(made, tmp_path):
    vde("human", "sheet", made / "images", made / "run/oracle", "--annotators", 1, "-o", tmp_path / "study")
    key = json.loads((tmp_path / "study/key.json").read_text())
    lines = (tmp_path / "study/sheet/sheet.csv").read_text().splitlines()
    whose = {sample["number"]: sample["orders"]["1"] for sample in key["samples"]}
    filled = [lines[0]]
    for line in lines[1:]:
        person, sample, letter, criterion, _, sheet = line.split(",")
        rank = 1 if whose[sample]["AB".index(letter)] == "oracle" else 2
        filled.append(f"{person},{sample},{letter},{criterion},{rank},{sheet}")
    (tmp_path / "answers.csv").write_text("\n".join(filled))
    command = ["human", "correlate", tmp_path / "answers.csv", "--key", tmp_path / "study/key.json", "--json"]
    found = json.loads(vde(*command, "--runs", made / "images", "--runs", made / "run/oracle").stdout)
    assert found == json.loads(vde(*command, "--runs", made / "run").stdout)
    lost = vde(*command, "--runs", made / "images", code=2).stderr
    assert "no run of oracle by strict, which is in the sheet; found copy by strict" in lost


@pytest.mark.parametrize("kind", ["images", "ocr", "ocr-images", "run/copy/strict", "masked"])
def test_a_submission_of_any_run_is_confirmed(made, tmp_path, kind):
    vde("submit", made / kind, "--include-images", "-o", tmp_path / "run.zip")
    suite = f"textedit:{made / 'textedit'}" if kind == "masked" else made / "suite"
    verdict = verify(tmp_path / "run.zip", VerificationRequest(suite=suite, part=1.0, workers=1), None)
    assert verdict.exit_code == 0, verdict.to_json()
