"""End-to-end tests of the command line: processes, exit codes, standard output and error."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest
from PIL import Image

from tests import pages
from tests.commands import vde

TINY = "examples/tiny"
BLOCK = {"block_bbox": [100, 100, 500, 200], "block_label": "text", "block_content": "hello"}


def test_help_has_examples():
    assert "score" in vde("--help").stdout
    for verb in (
        *(["score"], ["table"], ["suite", "check"], ["suite", "show"], ["suite", "export"]),
        *(["protocols", "explain"], ["typeset", "make"], ["typeset", "sheet"]),
    ):
        text = vde(*verb, "--help").stdout
        assert "Example" in text, verb
        assert "vde " in text, verb


def test_version():
    assert vde("--version").stdout == "vdebench 0.1.0\n"


def test_protocols_are_listed_and_explained():
    lines = vde("protocols").stdout.splitlines()
    names = ["strict", "vde-v3", "vde-v1", "vde-release", "textedit", "textedit-release"]
    assert [line.split()[0] for line in lines] == names
    text = vde("protocols", "explain", "vde-release").stdout
    assert "IoU 0.1 and more" in text
    assert max(map(len, text.splitlines())) <= 100
    assert "there are: strict" in vde("protocols", "explain", "none", code=2).stderr
    assert "strict (images with masks)" in vde("protocols", "explain", "strict").stdout


def test_score_shows_tables_that_fit_and_breakdowns():
    text = vde("score", TINY, "--ocr-output", f"{TINY}/editors/careful").stdout
    assert max(map(len, text.splitlines())) <= 100
    for expected in (
        "strict on tiny",
        "by edit_class",
        "by language",
        "by source",
        "vde|p:strict|",
        "8 samples, 8 scored",
    ):
        assert expected in text


def test_several_editors_and_protocols_in_one_call(tmp_path):
    editors = [f"{TINY}/editors/{name}" for name in ("careful", "copy")]
    done = vde("score", TINY, *editors, "-p", "strict", "-p", "vde-release", "--out", tmp_path / "runs", "--json")
    runs = json.loads(done.stdout)["runs"]
    assert [(run["editor"], run["protocol"]) for run in runs] == [
        ("careful", "strict"), ("copy", "strict"), ("careful", "vde-release"), ("copy", "vde-release"),
    ]  # fmt: skip
    assert (tmp_path / "runs/copy/vde-release/scores.parquet").exists()
    table = vde("table", tmp_path / "runs", "--paper-table", "vde-v3:2").stdout
    assert "careful (strict)" in table
    assert "careful (vde-release)" in table


def test_json_of_one_run_is_its_summary(tmp_path):
    done = vde("score", TINY, "--ocr-output", f"mine={TINY}/editors/careful", "--out", tmp_path / "run", "--json")
    summary = json.loads(done.stdout)
    assert summary["editor"] == "mine"
    assert summary == json.loads((tmp_path / "run/summary.json").read_text(encoding="utf-8"))


def test_predictions_with_readings_are_their_images(tmp_path):
    (tmp_path / "mine").mkdir()
    Image.new("RGB", (1240, 1754), "white").save(tmp_path / "mine/harbour_1.png")
    done = vde("score", TINY, tmp_path / "mine", "--ocr-output", f"{TINY}/editors/careful", "--json")
    assert json.loads(done.stdout)["editor"] == "mine"


def test_tables_go_to_files(tmp_path):
    vde("score", TINY, "--ocr-output", f"{TINY}/editors/careful", "--out", tmp_path / "run")
    vde(
        "table",
        tmp_path / "run",
        "--paper-table",
        "vde-v3:4",
        "--published",
        "--format",
        "latex",
        "-o",
        tmp_path / "t.tex",
    )
    assert r"\toprule" in (tmp_path / "t.tex").read_text(encoding="utf-8")


def test_suite_show_and_check(tmp_path):
    assert "text_replace" in vde("suite", "show", TINY).stdout
    assert json.loads(vde("suite", "show", TINY, "--json").stdout)["language"]["english"] == 4
    assert vde("suite", "check", TINY).stdout == "tiny: 8 samples, 0 errors, 0 warnings\n"
    root = pages.write_suite(tmp_path, [([BLOCK], None), (None, None)])
    done = vde("suite", "check", root, code=2)
    assert "error: text/1" in done.stdout
    assert "2 samples, 1 errors, 0 warnings" in done.stdout
    (fault,) = json.loads(vde("suite", "check", root, "--json", code=2).stdout)
    assert fault["sample"] == "text/1"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["score", "nowhere", "--ocr-output", TINY], "nowhere: no suite.toml here"),
        (["score", TINY], "nothing to score: give a folder of predicted images"),
        (["score", TINY, "--ocr-output", "nowhere"], "nowhere: cannot be listed: No such file or directory"),
        (["score", TINY, "--ocr-output", "README.md"], "README.md: is a file, expected a folder"),
        (["score", TINY, "docs", "tests", "--ocr-output", "docs"], "2 folders of predictions and 1 of OCR output"),
        (["score", TINY, "--ocr-output", "docs", "--ocr-output", "docs"], "two editors have the name 'docs'"),
        (
            ["score", TINY, f"{TINY}/editors/copy", "--metrics", "x"],
            "no image metric is called 'x'; there are: psnr, ssim",
        ),
        (["score", TINY, "docs"], "docs: contains neither images nor OCR output (JSON) of the suite's samples: found"),
        (["score", TINY, f"{TINY}/editors/copy", "--reader-option", "x"], "--reader-option 'x': expected NAME=VALUE"),
        (
            ["score", TINY, f"{TINY}/editors/copy", "--ground-truth", "ocr"],
            "ground truth by OCR needs predicted images",
        ),
        (["score", TINY, "--ocr-output", f"{TINY}/editors/copy", "-p", "x"], "no protocol is called 'x'"),
        (["score", TINY, "--ocr-output", f"{TINY}/editors/copy", "--by", "x"], "cannot break down by 'x'"),
        (
            ["score", TINY, "--ocr-output", f"{TINY}/editors/copy", "--out", "README.md/x"],
            "cannot be made: Not a directory",
        ),
        (["score", TINY, "--ocr-output", f"../x={TINY}/editors/copy"], "'../x' cannot be an editor's name"),
        (
            ["score", TINY, "--ocr-output", f"{TINY}/editors/copy", "--paper-table", "vde-v3:1"],
            "no table shape is called 'vde-v3:1'",
        ),
        (["score", "x" * 5000, "--ocr-output", TINY], "cannot be looked at: File name too long"),
        (["score", TINY, "--ocr-output", "x" * 5000], "cannot be listed: File name too long"),
        (["suite", "check", "README.md/x"], "no suite.toml here"),
        (["table", "docs"], "docs: no run here or below"),
        (["suite", "check", "docs"], "docs: no suite.toml here"),
    ],
)
def test_what_the_user_can_mend_is_told_in_words(arguments, expected):
    assert expected in vde(*arguments, code=2).stderr


def test_samples_that_cannot_be_scored_are_named_and_the_others_kept(tmp_path):
    root = pages.write_suite(tmp_path, [([BLOCK], [BLOCK]), ([BLOCK], [BLOCK])])
    (root / "pred/page_1.json").write_text('{"parsing_res_list": [')
    done = vde("score", root, "--ocr-output", root / "pred", "--out", tmp_path / "run", code=2)
    assert "text/1" in done.stderr
    assert "page_1.json: not JSON" in done.stderr
    assert "1 scored, 0 missing, 1 failed" in done.stdout
    pages.write_json(root / "pred/page_1.json", pages.reading([BLOCK]))
    assert (
        "2 scored, 0 missing, 0 failed"
        in vde("score", root, "--ocr-output", root / "pred", "--out", tmp_path / "run").stdout
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(tmp_path):
    root = pages.write_suite(tmp_path, [([BLOCK], [BLOCK])])
    (root / "pred/page_0.json").chmod(0)
    assert (
        "page_0.json: cannot be read: Permission denied"
        in vde("score", root, "--ocr-output", root / "pred", code=2).stderr
    )
    (root / "pred/page_0.json").chmod(stat.S_IRUSR)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    """As the permission test, for whoever runs it: a link that leads to itself."""
    root = pages.write_suite(tmp_path, [([BLOCK], None)])
    (root / "pred/page_0.json").symlink_to("page_0.json")
    assert (
        "page_0.json: cannot be read: Too many levels"
        in vde("score", root, "--ocr-output", root / "pred", code=2).stderr
    )


def test_nothing_half_written_where_the_disk_is_full(tmp_path):
    vde("score", TINY, "--ocr-output", f"{TINY}/editors/careful", "--out", tmp_path / "run")
    before = {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir()}
    code = (
        "import polars, sys; from vdebench.cli.main import run\n"
        "def full(self, *a, **k): raise OSError(28, 'No space left on device')\n"
        "polars.LazyFrame.sink_parquet = full\n"
        f"sys.argv = ['vde', 'score', {TINY!r}, '--ocr-output', '{TINY}/editors/careful', '--out', {str(tmp_path / 'run')!r}]\n"
        "run()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "cannot be written: No space left on device" in done.stderr
    after = {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir() if file.is_file()}
    told = [json.loads(files.pop("run.json")) for files in (before, after)]
    assert after == before
    assert told[0].pop("provenance")["sessions"] + 1 == told[1].pop("provenance")["sessions"]  # it tells of the failure
    assert told[0] == told[1]


def test_an_interrupt_says_how_to_go_on(tmp_path):
    root = pages.write_suite(tmp_path, pages.random_pairs(1, 600))
    command = [
        sys.executable,
        "-m",
        "vdebench",
        "score",
        str(root),
        "--ocr-output",
        str(root / "pred"),
        "--out",
        str(tmp_path / "run"),
    ]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )
    while not (tmp_path / "run/parts/000000").exists() and process.poll() is None:  # amid the work, all modules loaded
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    assert "interrupted; run the same command again to continue" in told
    assert "Traceback" not in told


def test_output_into_a_closed_pipe_is_no_traceback():
    command = f"{sys.executable} -m vdebench protocols explain strict | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("strict")
    assert "Traceback" not in done.stderr


def test_half_characters_and_names_that_are_no_text(tmp_path):
    broken = BLOCK | {"block_content": "a\ud800b", "block_label": "te\ud800xt"}
    root = pages.write_suite(tmp_path / "suite", [([BLOCK], None)])
    (root / "pred/page_0.json").write_text(json.dumps(pages.reading([broken])))
    assert "text" in vde("score", root, "--ocr-output", root / "pred", "--by", "label").stdout
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(folder)  # noqa: PTH102
    shutil.copy(root / "pred/page_0.json", os.fsdecode(folder))
    assert "1 scored" in vde("score", root, "--ocr-output", os.fsdecode(folder), "--out", tmp_path / "run").stdout


@pytest.mark.parametrize("name", ["scores", "blocks", "regions"])
def test_a_broken_run_folder_is_named(tmp_path, name):
    arguments = ["score", TINY, "--ocr-output", f"{TINY}/editors/copy", "--out", tmp_path / "run"]
    vde(*arguments)
    (tmp_path / f"run/{name}.parquet").write_bytes(b"PAR1 and no more")
    assert "run: contains a table that cannot be read" in vde(*arguments, code=2).stderr
    (tmp_path / "run/summary.json").write_text('{"overall": 3}')
    assert "'signature' is None, expected text; score again" in vde("table", tmp_path / "run", code=2).stderr


def test_typeset_make_show_export(tmp_path):
    done = vde(
        "typeset", "make", "--n", "4", "--seed", "1", "--languages", "en,zh", "--ppi", "48", "--out", tmp_path / "s"
    )
    assert "4 samples" in done.stdout
    assert "0 errors, 0 warnings" in vde("suite", "check", tmp_path / "s").stdout
    vde("suite", "export", tmp_path / "s", "--to", "parquet", "--out", tmp_path / "hf")
    assert (tmp_path / "hf" / "README.md").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--languages", "fr"], "no language is called 'fr'"),
        (["--languages", ","], "--languages: expected at least one name"),
        (["--operations", "dance"], "no operation is called 'dance'"),
        (["--n", "0"], "a suite of 0 samples, expected at least 1"),
        (["--degradation", "burnt"], "no degradation is called 'burnt'"),
    ],
)
def test_typeset_make_says_what_is_wrong(tmp_path, arguments, message):
    assert message in vde("typeset", "make", *arguments, "--out", tmp_path / "s", code=2).stderr
    assert not (tmp_path / "s").exists()


def test_typeset_sheet(tmp_path):
    vde("typeset", "sheet", "--languages", "en", "--out", tmp_path / "sheet.jpg")
    assert (tmp_path / "sheet.jpg").stat().st_size > 50_000
    assert "ends in .png or .jpg" in vde("typeset", "sheet", "--out", tmp_path / "sheet.gif", code=2).stderr


def test_export_says_what_is_wrong(tmp_path):
    found = vde("suite", "export", TINY, "--to", "zip", "--out", tmp_path / "x", code=2)
    assert "unknown form 'zip'" in found.stderr
    assert "n is 'many'" in vde("suite", "show", "typeset:n=many", code=2).stderr
