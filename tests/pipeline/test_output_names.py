"""Names of outputs: checked before reading, mapped by patterns, strict mode."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from tests.colours import ColourReader, paint, run
from tests.commands import vde
from tests.judges.server import always, judging
from tests.judges.suites import write_suite as write_plain
from tests.masked import edited, means, save, scene, write_suite
from vdebench import load_suite, score
from vdebench.editors.catalog import EDITORS
from vdebench.editors.editor import Editor
from vdebench.errors import AmbiguousNameError, InputError, VdeError
from vdebench.pipeline.evaluation import open_predictions
from vdebench.pipeline.run import run as run_editors
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import READERS
from vdebench.submission.pack import write_submission
from vdebench.submission.verify import VerificationRequest, verify


@pytest.fixture
def unread(monkeypatch):
    """A reader `colour` that must not be asked."""
    monkeypatch.setitem(READERS, "colour", "tests.colours:ColourReader")
    monkeypatch.setattr(ColourReader, "read", lambda *_: pytest.fail("a page was read"))


@pytest.fixture
def colour(monkeypatch):
    monkeypatch.setitem(READERS, "colour", "tests.colours:ColourReader")


def write_edited(editor, count, name="page_{}_edited.png"):
    for index in range(count):
        paint(editor / name.format(index), index)


@pytest.mark.usefixtures("unread")
class TestBeforeAnythingIsRead:
    def test_an_empty_folder_says_what_is_expected(self, make):
        suite, editor = make(5)
        told = vde("score", suite, editor, "--reader", "colour", "--workers", 1, code=2).stderr
        assert f"vde: {editor}: no image of any sample here: the folder is empty\n" in told
        assert (
            "page_0.png (for sample text/0), page_1.png (for sample text/1), page_2.png (for sample text/2)\n" in told
        )
        assert "page_3" not in told

    def test_names_that_all_differ_are_recognised(self, make):
        suite, editor = make(3)
        write_edited(editor, 3)
        told = vde("score", suite, editor, "--reader", "colour", "--workers", 1, code=2).stderr
        assert "no image of any sample here: found page_0_edited.png, page_1_edited.png, page_2_edited.png\n" in told
        assert "perhaps page_0_edited.png is text/0, page_1_edited.png is text/1, page_2_edited.png is text/2\n" in told
        assert "--match '{stem}_edited.*'" in told

    def test_files_in_a_folder_below_are_found(self, make):
        suite, editor = make(3)
        write_edited(editor / "run1", 3, "page_{}.png")
        told = vde("score", suite, editor, "--reader", "colour", code=2).stderr
        assert "found run1/page_0.png" in told
        assert "--match 'run1/{stem}.*'" in told

    def test_the_last_editor_is_checked_before_the_first_is_read(self, make, tmp_path):
        suite, editor = make(2)
        write_edited(editor, 2, "page_{}.png")
        (tmp_path / "empty").mkdir()
        told = vde("score", suite, editor, tmp_path / "empty", "--reader", "colour", "--workers", 1, code=2).stderr
        assert f"{tmp_path / 'empty'}: no image of any sample here" in told

    def test_strict_names_list_what_is_wrong(self, make):
        suite, editor = make(4)
        write_edited(editor, 2, "page_{}.png")
        paint(editor / "page_2_edited.png", 2)
        paint(editor / "holiday.png", 0)
        command = ["score", suite, editor, "--reader", "colour", "--workers", 1, "--strict-names"]
        told = vde(*command, code=2).stderr
        assert "2 of 4 samples have their image\n" in told
        assert "2 missing: text/2 (expected page_2.png), text/3 (expected page_3.png)\n" in told
        assert "2 files without a sample: holiday.png, page_2_edited.png (perhaps text/2)\n" in told
        with pytest.raises(InputError, match="2 missing"):
            run(suite, editor, strict_names=True)

    def test_a_bad_pattern_and_two_files_of_one_sample(self, make):
        suite, editor = make(2)
        write_edited(editor, 2)
        paint(editor / "page_1_final.png", 1)
        command = ["score", suite, editor, "--reader", "colour", "--match"]
        assert "'{name}': expected {id}, {stem}, {group}" in vde(*command, "{name}", code=2).stderr
        told = vde(*command, "{stem}_*", code=2).stderr
        assert "sample text/1" in told
        assert "page_1_edited.png and " in told
        assert "page_1_final.png could both be its image" in told
        with pytest.raises(AmbiguousNameError):
            run(suite, editor, match="{stem}_*")

    def test_readings_of_other_names(self, make):
        suite, editor = make(2)
        (editor / "page_0_ocr.json").write_text("{}")
        told = vde("score", suite, "--ocr-output", editor, code=2).stderr
        assert "no OCR output (JSON) of any sample here: found page_0_ocr.json\n" in told
        assert "expected names like page_0.json (for sample text/0)" in told
        told = vde("score", suite, editor, "--ocr-output", suite / "readings", code=2).stderr  # the images beside
        assert "no image of any sample here" in told


@pytest.mark.usefixtures("colour")
def test_what_is_missing_is_told_once_and_scored_as_missing(make, tmp_path, caplog):
    suite, editor = make(5)
    write_edited(editor, 2, "page_{}.png")
    paint(editor / "2.png", 2)
    (editor / ".DS_Store").touch()
    (editor / "._page_0.png").touch()
    out = tmp_path / "run"
    done = vde(
        "score", suite, editor, "--reader", "colour", "--workers", 1, "-p", "strict", "-p", "vde-v3", "--out", out
    )
    assert done.stderr.count("2 of 5 samples have their image") == 1
    missing = "text/2 (expected page_2.png), text/3 (expected page_3.png), text/4 (expected page_4.png)"
    assert f"  3 missing: {missing}\n  1 file without a sample: 2.png (perhaps text/2)\n" in done.stderr
    assert json.loads((out / "strict/summary.json").read_text())["coverage"]["missing"] == 3
    caplog.clear()
    with caplog.at_level(logging.WARNING, "vdebench.names"):
        run(suite, editor)
    assert [record.name for record in caplog.records] == ["vdebench.names"]
    caplog.clear()
    paint(editor / "page_2.png", 2)
    (editor / "2.png").unlink()
    write_edited(editor, 5, "page_{}.png")
    run(suite, editor, strict_names=True)
    assert caplog.records == []


def test_table_samples_that_a_protocol_leaves_out_are_not_missed(make):
    """`vde-v1` has no tables: an editor without outputs for them lacks nothing."""
    found = score("examples/tiny", "examples/tiny/editors/careful", protocol="vde-v1", strict_names=True)
    assert found.summary["coverage"]["missing"] == 0


@pytest.mark.usefixtures("colour")
def test_a_pattern_gives_the_same_scores_resumes_and_is_verified(make, tmp_path):
    suite, editor = make(4)
    write_edited(editor, 3, "page_{}.png")
    named = score(suite, editor, editor="mine", reader=CachedReader(ColourReader()), metrics=["psnr", "ssim"])
    other = tmp_path / "other"
    write_edited(other / "run1", 3, "out_page_{}-v2.png")
    command = ["score", suite, f"mine={other}", "--reader", "colour", "--workers", 1, "--metrics", "psnr,ssim"]
    command += ["--match", "run1/out_{stem}-*.png", "--out", tmp_path / "run", "--json"]
    done = vde(*command)
    found = json.loads(done.stdout)
    assert found["overall"] == named.summary["overall"]
    assert found["signature"] == named.signature
    assert "1 missing: text/3 (expected run1/out_page_3-*.png)" in done.stderr
    before = (tmp_path / "run/scores.parquet").read_bytes()
    assert json.loads(vde(*command).stdout)["overall"] == found["overall"]
    assert (tmp_path / "run/scores.parquet").read_bytes() == before
    outputs = [json.loads(line) for line in (tmp_path / "run/outputs.jsonl").read_text().splitlines()]
    assert [each["file"] for each in outputs] == [f"run1/out_page_{index}-v2.png" for index in range(3)]
    write_submission(tmp_path / "run", tmp_path / "run.zip", with_predictions=True)
    verdict = verify(tmp_path / "run.zip", VerificationRequest(suite=suite, part=1, workers=1))
    assert (verdict.word, verdict.exit_code) == ("confirmed", 0), verdict.checks
    write_submission(tmp_path / "run", tmp_path / "hashes.zip")
    verdict = verify(tmp_path / "hashes.zip", VerificationRequest(suite=suite, predictions=other, part=1, workers=1))
    assert (verdict.word, verdict.exit_code) == ("confirmed", 0), verdict.checks


def test_ready_ocr_output_by_a_pattern(tmp_path):
    careful = Path("examples/tiny/editors/careful")
    for file in careful.rglob("*.json"):
        stem, _, region = file.stem.partition("_region_")
        copy = tmp_path / file.relative_to(careful).with_name(f"{stem}.ocr{'_region_' * bool(region)}{region}.json")
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(file.read_bytes())
    found = score("examples/tiny", tmp_path, match="{stem}.ocr.json", editor="careful")
    right = score("examples/tiny", careful)
    assert found.summary["overall"] == right.summary["overall"]
    assert found.signature == right.signature  # crops and all
    opened = open_predictions(careful, load_suite("examples/tiny"))
    with pytest.raises(VdeError, match="match= requires a folder"):
        score("examples/tiny", opened, match="{id}")


class TestAroundMasks:
    def test_names_are_checked(self, tmp_path, caplog):
        suite = write_suite(tmp_path / "suite", (1, 2))
        outputs = tmp_path / "editor"
        outputs.mkdir()
        with pytest.raises(
            InputError, match=r"empty\n  expected names like manual/Packaging_Logistics/001_edited\.png"
        ):
            means(suite, outputs)
        for number in (1, 2):
            save(edited(scene(number)), outputs / f"manual/Packaging_Logistics/{number}_out.png")
        with pytest.raises(InputError, match=r"perhaps manual/Packaging_Logistics/1_out\.png is manual/Packaging_Log"):
            means(suite, outputs)
        save(edited(scene(1)), outputs / "manual/Packaging_Logistics/001_edited.png")
        means(suite, outputs)
        assert "1 missing: manual/Packaging_Logistics/002" in caplog.text
        assert "2_out.png (perhaps manual/Packaging_Logistics/002)" in caplog.text
        told = vde("score", suite, outputs, "--reader", "none", "--strict-names", code=2).stderr
        assert "1 missing: manual/Packaging_Logistics/002" in told

    def test_a_pattern_maps_names_and_is_verified(self, tmp_path):
        suite = write_suite(tmp_path / "suite", (1, 2))
        outputs = tmp_path / "editor"
        for number in (1, 2):
            save(edited(scene(number)), outputs / f"manual/Packaging_Logistics/{number:03}-final.png")
        out = tmp_path / "run"
        found = means(suite, outputs, match="{group}/{id}-final.*", strict_names=True, out=out)
        assert found["coverage"]["scored"] == 2
        write_submission(out, tmp_path / "run.zip", with_predictions=True)
        verdict = verify(tmp_path / "run.zip", VerificationRequest(suite=suite, part=1, workers=1))
        assert (verdict.word, verdict.exit_code) == ("confirmed", 0), verdict.checks


class TestJudging:
    @pytest.fixture(autouse=True)
    def _apart(self, tmp_path, monkeypatch):
        pytest.importorskip("httpx2")
        monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("PLANTED", "sk-planted")

    def command(self, tmp_path, server, *more):
        given = [tmp_path / "suite", tmp_path / "editor", "--judge", "gpt-4o", "--base-url", server.url, "-d", "IF"]
        return ["judge", *given, "--key-variable", "PLANTED", "--out", tmp_path / "run", *more]

    def test_nothing_is_asked_where_names_are_wrong(self, tmp_path):
        _, editor = write_plain(tmp_path, 2)
        for number in range(2):
            (editor / f"page_{number}.png").rename(editor / f"page_{number}_result.png")
        (tmp_path / "empty").mkdir()
        with judging(always(5)) as server:
            told = vde(*self.command(tmp_path, server), code=2).stderr
            assert "no image of any sample here: found page_0_result.png, page_1_result.png" in told
            assert "--match '{stem}_result.*'" in told
            told = vde(*self.command(tmp_path, server, "--match", "{stem}.*"), code=2).stderr
            assert "expected names like page_0.*" in told
            (editor / "page_0_result.png").rename(editor / "page_0.png")
            told = vde(*self.command(tmp_path, server, "--strict-names"), code=2).stderr
            assert "1 file without a sample: page_1_result.png (perhaps text/1)" in told
            empty = self.command(tmp_path, server)
            empty.insert(3, tmp_path / "empty")  # the second editor's
            assert "empty: no image of any sample here: the folder is empty" in vde(*empty, code=2).stderr
        assert server.asks == []

    def test_a_pattern_maps_names(self, tmp_path):
        _, editor = write_plain(tmp_path, 2)
        for number in range(2):
            (editor / f"page_{number}.png").rename(editor / f"page_{number}_result.png")
        with judging(always(5)) as server:
            done = vde(*self.command(tmp_path, server, "--match", "{stem}_result.*", "--strict-names"))
        assert "2 graded" in done.stdout


class Broken(Editor):
    """Fails on every page."""

    @property
    def identity(self):
        return {"name": "broken", "version": "1"}

    def edit(self, image, instruction, *, seed=0):
        raise VdeError("the server is away")


@pytest.fixture
def editable(make):
    root, _ = make(3)
    with (root / "suite.toml").open("a") as file:
        file.write('source_images = "before"\n')
    for index in range(3):
        paint(root / f"before/page_{index}.png", index + 1)
    return load_suite(root)


def test_a_run_whose_edits_all_failed_is_reported(editable, tmp_path, monkeypatch, caplog):
    monkeypatch.setitem(EDITORS, "broken", "tests.pipeline.test_output_names:Broken")
    reader = CachedReader(ColourReader())
    found = run_editors(editable, ["broken"], tmp_path / "runs", reader=reader, metrics=[], workers=1)
    (result,) = found["strict"]
    assert result.summary["coverage"] == {"samples": 3, "scored": 0, "missing": 0, "failed": 3}
    assert "the editor failed: the server is away" in result.failures[0][1]
    assert "vdebench.names" not in [record.name for record in caplog.records]


def test_an_editors_folder_of_ours_may_be_scored_as_it_is(editable, tmp_path, caplog):
    """Its journal and `editor.json` are no outputs."""
    reader = CachedReader(ColourReader())
    made = run_editors(editable, ["oracle"], tmp_path / "runs", reader=reader, metrics=[], workers=1)["strict"][0]
    found = run(editable, tmp_path / "runs/oracle", metrics=[], strict_names=True)
    assert found.summary["overall"] == made.summary["overall"]
    assert found.summary["editor"] == "oracle"
    assert not caplog.records
