"""Submissions that agree with themselves and are false: none of them is confirmed, whatever was changed."""

from __future__ import annotations

import polars as pl
import pytest

from tests.submission.rewriting import forge, members, parquet, rewrite
from vdebench.errors import InputError, TooLargeError
from vdebench.report.submission_verdict import verdict_text
from vdebench.submission import consistency as consistent
from vdebench.submission.archive import open_zip
from vdebench.submission.manifest import REFERENCE, TABLES
from vdebench.submission.verify import VerificationRequest, verify

WORST = "text/1"


def told(verdict, name):
    (found,) = [check for check in verdict.checks if check.name == name]
    return found.state, found.message


def without_worst(manifest, contents):
    for each in [each for each in manifest["predictions"] if each["sample"] == WORST]:
        contents.pop(f"{each['kind']}/{each['file']}")
        manifest["predictions"].remove(each)


def replaced(old, new):
    def change(manifest, summary, _):
        assert old in summary["signature"]
        for each in (manifest, summary):
            each["signature"] = each["signature"].replace(old, new)

    return change


def test_what_is_honest_is_confirmed_when_it_is_written_anew(handed, tmp_path):
    file, wish = handed
    verdict = verify(forge(file, tmp_path / "f.zip", {TABLES[0]: lambda rows: rows}), wish)
    assert (verdict.word, verdict.limits, verdict.differences) == ("confirmed", [], [])


def test_samples_that_were_dropped_are_noticed(handed, tmp_path):
    file, wish = handed

    def change(manifest, summary, contents):
        without_worst(manifest, contents)
        replaced("|n:4", "|n:3")(manifest, summary, contents)

    kept = dict.fromkeys((*TABLES, *REFERENCE), lambda rows: rows.filter(pl.col("sample") != WORST))
    verdict = verify(forge(file, tmp_path / "f.zip", kept, change), wish)
    assert verdict.word == "not confirmed"
    state, text = told(verdict, "rows")
    assert state == "failed"
    assert "n is 4 here, was 3" in text


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("|tok:script", "|tok:words", "not confirmed"),
        ("|local:crop", "|local:filter", "not confirmed"),
        ("|v:", "|v:9", "consistent"),
        ("|reader:colour", "|reader:better", "consistent"),
    ],
)
def test_no_false_part_of_a_signature_is_confirmed(handed, tmp_path, old, new, word):
    file, wish = handed
    verdict = verify(forge(file, tmp_path / "f.zip", change=replaced(old, new)), wish)
    assert verdict.word == word
    assert verdict.limits


def test_failures_that_nobody_can_check_are_named_and_not_confirmed(handed, tmp_path):
    file, wish = handed

    def failed(rows):
        numbers = [name for name, kind in rows.schema.items() if kind.is_numeric()]
        worst = pl.col("sample") == WORST
        return rows.with_columns(
            *(pl.when(~worst).then(pl.col(name)).alias(name) for name in numbers),
            pl.when(worst).then(pl.lit("failed")).otherwise(pl.col("state")).alias("state"),
        )

    def gone(rows):
        return rows.filter(pl.col("sample") != WORST)

    tables = {TABLES[0]: failed, **dict.fromkeys((*TABLES[1:], *REFERENCE), gone)}
    changed = forge(file, tmp_path / "f.zip", tables, lambda manifest, _, contents: without_worst(manifest, contents))
    verdict = verify(changed, wish)
    assert (verdict.word, verdict.exit_code) == ("consistent", 0)
    assert verdict.limits == ["recorded as failed, without a prediction: text/1"]
    assert "failed, without a prediction: text/1" in " ".join(verdict_text(verdict).split())


def test_nobody_knows_beforehand_which_samples_are_drawn(handed, monkeypatch):
    file, wish = handed
    asked = []
    monkeypatch.setattr("vdebench.submission.verify.secrets.randbelow", lambda most: asked.append(most) or 77)
    assert "(seed 77: " in verify(file, wish._replace(samples=1)).checks[-1].message
    assert asked == [2**32]
    assert "(seed 0: " in verify(file, wish._replace(samples=1, seed=0)).checks[-1].message


def test_a_rate_without_the_rows_it_is_made_of_is_refused(handed, tmp_path):
    file, wish = handed

    def change(manifest, summary, contents):
        assert summary["ocr_ceiling"]
        summary["usable"]["rate"] = 1.0
        for name in REFERENCE:
            contents.pop(name)

    with pytest.raises(InputError, match="has an OCR ceiling, and reference/ has 0 of the 3 tables"):
        verify(forge(file, tmp_path / "f.zip", change=change), wish)

    def drop_ceiling(manifest, summary, contents):
        summary["ocr_ceiling"] = None

    with pytest.raises(InputError, match="has no OCR ceiling, and reference/ has 3 of the 3 tables"):
        verify(forge(file, tmp_path / "g.zip", change=drop_ceiling), wish)

    def drop_both(manifest, summary, contents):
        summary["ocr_ceiling"] = None
        for name in REFERENCE:
            contents.pop(name)

    assert verify(forge(file, tmp_path / "h.zip", change=drop_both), wish).word == "not confirmed"


def test_only_fid_is_beyond_rows(handed, tmp_path):
    file, _ = handed

    def invent(name, value):
        return lambda manifest, summary, _: summary["overall"]["global"].update({name: value})

    verdict = verify(forge(file, tmp_path / "f.zip", change=invent("teds_plus", 1.0)))
    assert verdict.word == "not confirmed"
    assert [(each.place, each.claimed, each.found) for each in verdict.mismatches] == [
        ("overall.global.teds_plus", 1.0, None)
    ]
    verdict = verify(forge(file, tmp_path / "g.zip", change=invent("fid", 9.5)))
    assert verdict.word == "consistent"
    assert "cannot be computed from rows: fid" in told(verdict, "summary")[1]
    assert verify(forge(file, tmp_path / "h.zip", change=invent("fid", {"cdm": 1.0}))).word == "not confirmed"


def better(column, value):
    return lambda rows: rows.with_columns(pl.lit(value, dtype=rows.schema[column]).alias(column))


@pytest.mark.parametrize(
    ("table", "change", "column"),
    [
        ("regions.parquet", better("outcome", "done"), "regions 0 outcome"),
        ("blocks.parquet", better("iou", 0.875), "blocks 0 iou"),
        ("regions.parquet", lambda rows: rows.head(0), "regions"),
        ("reference/scores.parquet", better("iou_sum", 0.0), "reference scores 0 iou_sum"),
        ("scores.parquet", better("operation", "invented"), "operation"),
        ("scores.parquet", better("language", "tlh"), "language"),
        ("scores.parquet", better("page", "one"), "samples of its page"),
    ],
)
def test_all_that_means_and_breakdowns_are_made_of_is_scored_again(handed, tmp_path, table, change, column):
    file, wish = handed
    verdict = verify(forge(file, tmp_path / "f.zip", {table: change}), wish)
    assert verdict.word == "not confirmed"
    assert {each.column for each in verdict.differences} >= {column}
    lines = verdict_text(verdict).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(f" {column[:24]}" in line for line in lines)


def put(place, key, value):
    def change(manifest, summary, _):
        at = {"manifest": manifest, "summary": summary}
        for name in place.split("."):
            at = at[name]
        at[key] = value

    return change


def test_hostile_json_is_refused_in_words_or_a_discord(handed, tmp_path):
    file, wish = handed
    for value in (5, [1], "psnr", {}):
        with pytest.raises(InputError, match=r"'metrics' is .*, expected a list of names"):
            verify(forge(file, tmp_path / "f.zip", change=put("manifest.asked", "metrics", value)), wish)
    for value in ("x", [1], 3):
        with pytest.raises(InputError, match=r"overall\.global contains no means"):
            verify(forge(file, tmp_path / "f.zip", change=put("summary.overall", "global", value)))
    verdict = verify(forge(file, tmp_path / "f.zip", change=put("summary.overall.global", "cdm", 10**400)))
    assert [each.place for each in verdict.mismatches] == ["overall.global.cdm"]
    assert max(map(len, verdict_text(verdict).splitlines())) <= 80
    verdict = verify(forge(file, tmp_path / "f.zip", change=put("summary.overall.global", "cdm", float("inf"))))
    assert verdict.to_json()["summary_differs"][0]["claimed"] is None


def test_tables_that_are_too_long_or_of_other_samples_are_refused(handed, tmp_path, monkeypatch):
    file, _ = handed
    for name in ("regions.parquet", "blocks.parquet"):
        rows = parquet(members(file)[name], lambda rows: rows.with_columns(sample=pl.lit("text/9")))
        other = rewrite(file, tmp_path / "f.zip", {name: rows}, agree=True)
        with pytest.raises(InputError, match=f"{name} has rows of 'text/9'"):
            verify(other)
    monkeypatch.setattr(consistent, "MAX_ROWS", 3)
    with pytest.raises(TooLargeError, match="8 rows, the limit is 3"):
        verify(file)


def test_large_suites_are_not_made_since_a_stranger_says_so(handed, tmp_path):
    file, _ = handed
    order = put("manifest.suite", "order", "typeset:n=40,ppi=600")
    verdict = verify(forge(file, tmp_path / "f.zip", change=order))
    assert "takes long; pass it with --suite" in told(verdict, "rows")[1]
    order = put("manifest.suite", "order", "typeset:n=2")
    with pytest.raises(InputError, match="typeset:n=2: is the suite"):
        verify(forge(file, tmp_path / "f.zip", change=order), VerificationRequest())


def test_two_hashes_of_one_prediction_are_refused(handed, tmp_path):
    def twice(manifest, summary, contents):
        manifest["predictions"].insert(0, {**manifest["predictions"][0], "sha256": "0" * 64})

    with pytest.raises(InputError, match="two hashes of the prediction"):
        verify(forge(handed[0], tmp_path / "f.zip", change=twice))


def test_faults_of_others_are_not_told_as_the_zips(handed):
    with pytest.raises(OSError, match="no space left"), open_zip(handed[0]):
        raise OSError("no space left")
    assert members(handed[0])
