"""Submissions as they are checked: honest ones are confirmed, wrong ones are not, and what was not checked is said."""

from __future__ import annotations

import json

import polars as pl
import pytest

from tests.colours import ColourReader, paint
from tests.masked import edited, output, scene, write_suite
from tests.submission.rewriting import manifest, members, parquet, rewrite
from vdebench.errors import InputError, VdeError
from vdebench.pipeline.score import score
from vdebench.readers.reader import READERS
from vdebench.submission.pack import write_submission
from vdebench.submission.verify import VerificationRequest, verify


def state(verdict, name):
    (found,) = [check.state for check in verdict.checks if check.name == name]
    return found


def test_an_honest_run_is_confirmed(handed):
    file, wish = handed
    verdict = verify(file, wish)
    assert [check.state for check in verdict.checks] == ["ok"] * 6, verdict.checks
    assert (verdict.word, verdict.exit_code) == ("confirmed", 0)
    assert "4 of 4 samples scored again" in verdict.checks[-1].message
    assert verdict.environment == {}


def test_what_cannot_be_checked_is_said_and_not_confirmed(coloured, handed, tmp_path):
    file, wish = handed
    without_suite = verify(file, VerificationRequest())
    assert (without_suite.word, state(without_suite, "rows")) == ("consistent", "not checked")
    assert "pass the suite colours with --suite" in without_suite.checks[-1].message
    write_submission(coloured.run, tmp_path / "hashes.zip")
    without_files = verify(tmp_path / "hashes.zip", wish)
    assert (without_files.word, state(without_files, "predictions")) == ("consistent", "not checked")
    assert "rows not re-scored" in without_files.checks[-1].message
    with_folder = verify(tmp_path / "hashes.zip", wish._replace(predictions=coloured.editor))
    assert with_folder.word == "confirmed"


def test_another_file_than_the_one_scored_is_noticed(coloured, handed):
    file, wish = handed
    paint(coloured.editor / "text/page_1.png", 1)
    verdict = verify(file, wish._replace(predictions=coloured.editor))
    assert (verdict.word, verdict.exit_code) == ("not confirmed", 1)
    assert state(verdict, "predictions") == "failed"
    assert state(verdict, "rows") == "ok"  # of the others


def raised(rows: pl.DataFrame) -> pl.DataFrame:
    """Text of a page that was wrong made right."""
    wrong = pl.col("sample") == "text/1"
    return rows.with_columns(pl.when(wrong).then(pl.col("cdm_n")).otherwise(pl.col("cdm_sum")).alias("cdm_sum"))


def test_a_mean_that_its_rows_do_not_give_is_noticed(handed, tmp_path):
    file, _ = handed
    summary = json.loads(members(file)["summary.json"])
    claimed = summary["overall"]["global"]["cdm"] = summary["overall"]["global"]["cdm"] + 0.125
    forged = rewrite(file, tmp_path / "f.zip", {"summary.json": json.dumps(summary).encode()}, agree=True)
    verdict = verify(forged, VerificationRequest())
    assert (verdict.word, state(verdict, "summary")) == ("not confirmed", "failed")
    (mismatch,) = verdict.mismatches
    assert mismatch.place == "overall.global.cdm"
    assert mismatch.claimed - mismatch.found == pytest.approx(0.125)
    assert mismatch.claimed == claimed


def test_rows_made_better_are_noticed_when_they_are_scored_again(handed, tmp_path):
    file, wish = handed
    forged = parquet(members(file)["scores.parquet"], raised)
    changed = rewrite(file, tmp_path / "f.zip", {"scores.parquet": forged}, agree=True)
    verdict = verify(changed, wish)
    assert verdict.word == "not confirmed"
    assert state(verdict, "rows") == "failed"
    assert {(each.sample, each.column) for each in verdict.differences} == {("text/1", "cdm_sum")}
    assert all(each.claimed == 1.0 and each.found < 1 for each in verdict.differences)


def test_failures_that_are_none_are_noticed(handed, tmp_path):
    """A sample that is said to have failed is in no mean: the worst could be hidden so."""
    file, wish = handed
    hidden = parquet(
        members(file)["scores.parquet"],
        lambda rows: rows.with_columns(
            pl.when(pl.col("sample") == "text/1").then(pl.lit("failed")).otherwise(pl.col("state")).alias("state")
        ),
    )
    verdict = verify(rewrite(file, tmp_path / "f.zip", {"scores.parquet": hidden}, agree=True), wish)
    assert ("text/1", "state", "failed", "scored") in {
        (each.sample, each.column, each.claimed, each.found) for each in verdict.differences
    }


def test_the_seed_draws_the_samples(handed):
    file, wish = handed
    drawn = [verify(file, wish._replace(samples=1, seed=seed)).checks[-1].message for seed in (3, 3, 0)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert "1 of 4 samples scored again (seed 3: " in drawn[0]


def test_another_reader_is_named_with_what_it_changes(handed, monkeypatch):
    file, wish = handed
    verdict = verify(file, wish._replace(reader="colour", reader_options={"misreads": "a"}))
    assert verdict.word == "not confirmed"
    assert "reader is colour@1#" in verdict.checks[-1].message
    assert {each.sample for each in verdict.differences} >= {"text/0"}
    monkeypatch.delitem(READERS, "colour")
    with pytest.raises(VdeError, match="colour"):
        verify(file, wish)


def test_another_suite_is_no_ground_to_judge_on(coloured, handed):
    file, wish = handed
    with pytest.raises(InputError, match="is the suite tiny, the submission is for colours"):
        verify(file, wish._replace(suite="examples/tiny"))
    entries = json.loads((coloured.suite / "text.json").read_text())
    entries[0]["instruction"] = "something else"
    (coloured.suite / "text.json").write_text(json.dumps(entries))
    verdict = verify(file, wish)
    assert (verdict.word, state(verdict, "rows")) == ("consistent", "not checked")
    assert "has revision" in verdict.checks[-1].message


def test_other_versions_are_named(handed, tmp_path):
    file, _ = handed
    told = manifest(file)
    told["environment"]["versions"]["packages"] |= {"numpy": "1.0.0", "gone": "2.0"}
    changed = rewrite(file, tmp_path / "f.zip", {"manifest.json": json.dumps(told).encode()})
    there = verify(changed).environment
    assert there["numpy"][0] == "1.0.0"
    assert there["gone"] == ("2.0", "not here")


def test_servers_of_strangers_are_not_asked(handed, tmp_path, monkeypatch):
    """A submission names its reader; it does not say where our pages are sent."""
    given = []

    class Spy(ColourReader):
        def __init__(self, misreads="", url=""):
            given.append(url)
            super().__init__(misreads)

    monkeypatch.setattr("tests.colours.ColourReader", Spy)
    file, wish = handed
    told = manifest(file)
    told["asked"]["reader_options"] = {"url": "http://10.0.0.7/v1", "misreads": ""}
    verify(rewrite(file, tmp_path / "f.zip", {"manifest.json": json.dumps(told).encode()}), wish)
    assert set(given) == {""}


def test_ready_ocr_output_and_runs_around_masks_are_confirmed_too(tmp_path):
    score("examples/tiny", "examples/tiny/editors/sloppy", out=tmp_path / "run", protocol="vde-release")
    write_submission(tmp_path / "run", tmp_path / "a.zip", with_predictions=True)
    verdict = verify(tmp_path / "a.zip", VerificationRequest(suite="examples/tiny", part=1))
    assert verdict.word == "confirmed", verdict.checks
    suite = write_suite(tmp_path / "suite", (1, 2), input_image=None, output_image=None)
    for number in (1, 2):
        output(tmp_path / "mine", number, edited(scene(number)))
    score(suite, tmp_path / "mine", out=tmp_path / "masked", reader="none", metrics=["psnr", "ssim"], workers=1)
    write_submission(tmp_path / "masked", tmp_path / "b.zip", with_predictions=True)
    verdict = verify(tmp_path / "b.zip", VerificationRequest(suite=suite, samples=1, workers=1))
    assert verdict.word == "confirmed", verdict.checks
