"""Output corruptions as a whole: what is judged in memory is what `score` judges, and verdicts meet opinions."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest

from vdebench.changes.identity import CHANGES
from vdebench.errors import InputError
from vdebench.io.images import open_image
from vdebench.pipeline.score import score
from vdebench.report.output_validity import output_csv, output_json, output_tables, output_text
from vdebench.report.validity_page import write_output_study
from vdebench.stats.usable import RULES
from vdebench.stats.usable_runs import judge_runs
from vdebench.studies.validity.outputs import study as output_study
from vdebench.studies.validity.outputs.after import NOTHING, parse_last_step
from vdebench.studies.validity.outputs.study import OutputTask, output_order, run_outputs, write_outputs
from vdebench.suites.suite import load_suite

ORDER = "typeset:n=2,seed=21,languages=en,ppi=72,kinds=PPT2PDF,operations=text_replace+table_replace"
NAMES = ("right-edit", "70-size", "digit-elsewhere", "source-returned")


@pytest.fixture(scope="module")
def cached(_cache):
    """The cache of all tests, for fixtures of the module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("outputs")


@pytest.fixture(scope="module")
def study(cached, folder):
    how = {"protocols": ["strict", "vde-v3"], "metrics": ["psnr"], "workers": 1}
    return run_outputs(order=ORDER, corruptions=NAMES, images=folder / "images", **how)


def result(study, name):
    (found,) = [each for each in study.results if each.corruption == name]
    return found


def test_verdicts_beside_opinions(study):
    assert [each.corruption for each in study.results] == list(NAMES)
    for name in ("right-edit", "70-size"):
        found = result(study, name)
        assert (found.opinion, found.samples, found.accepted, found.rejected) == ("ok", 2, 2, 0)
    for name, first in (("digit-elsewhere", "preservation"), ("source-returned", "completeness")):
        found = result(study, name)
        assert (found.opinion, found.accepted, found.rejected) == ("bad", 0, found.samples)
        assert found.fails_at == {first: found.samples}
        assert found.properties[first] == {"passed": 0, "failed": found.samples, "unknown": 0}


def test_false_accepts_and_rejects(study):
    accepts, rejects = study.errors
    bad = sum(each.samples for each in study.results if each.opinion == "bad")
    assert (accepts.name, accepts.opinion, accepts.count, accepts.n, accepts.share) == (
        "false accepts", "bad", 0, bad, 0.0,
    )  # fmt: skip
    assert (rejects.name, rejects.count, rejects.n, rejects.unknown) == ("false rejects", 0, 4, 0)
    assert rejects.interval[0] == 0.0
    assert 0 < rejects.interval[1] < 1


def test_verdicts_rest_on_change_detection(study):
    assert study.about["usable_signature"].startswith(f"usable:{RULES},{CHANGES}|")
    rows = study.rows["scores"].filter((pl.col("corruption") == "digit-elsewhere") & (pl.col("setting") == "global"))
    strict = rows.filter(pl.col("protocol") == "strict")
    assert strict["unasked_changes"].min() >= 1
    assert strict["changed_facts"].min() >= 1
    assert "change detection" in output_text(study, "terminal")


def test_means_hardly_see_one_digit(study):
    """The point of the table: one wrong digit is refused, and CDM loses less than 0.02."""
    means = result(study, "digit-elsewhere").means
    assert set(means) == {"strict", "vde-v3"}
    pair = means["strict"]["global.cdm"]
    assert pair.reference - 0.02 < pair.output <= pair.reference
    pair = result(study, "source-returned").means["strict"]["local.done"]
    assert (pair.reference, pair.output) == (1.0, 0.0)


def test_in_memory_is_as_score_judges_files(study, tmp_path):
    for name in ("70-size", "digit-elsewhere"):
        part = write_outputs(load_suite(ORDER), name, tmp_path / name / "images")
        score(part, tmp_path / name / "images", reader="rapidocr", metrics=["psnr"], out=tmp_path / name / "run")
        (run,) = judge_runs([tmp_path / name / "run"]).runs
        rows = study.rows["usable"].filter(pl.col("corruption") == name)
        assert {each.sample: each.usable for each in run.verdicts} == dict(rows.select("sample", "usable").iter_rows())
        evidence = {each.sample: each.evidence["preservation"] for each in run.verdicts}
        assert evidence == dict(rows.select("sample", "preservation_evidence").iter_rows())
        scores = pl.read_parquet(tmp_path / name / "run" / "scores.parquet").sort("sample", "setting")
        rows = study.rows["scores"].filter((pl.col("corruption") == name) & (pl.col("protocol") == "strict"))
        for column in ("cdm_sum", "iou_sum", "mse", "width", "changes"):
            assert scores[column].to_list() == rows.sort("sample", "setting")[column].to_list(), column


def test_what_finished_samples_depend_on(tmp_path, monkeypatch):
    task = OutputTask(ORDER, 0, NAMES, ("strict",), "rapidocr", (), 1, parse_last_step(NOTHING), None)
    keys = [
        output_study._key(task, "rapidocr@1"),
        output_study._key(task, "rapidocr@2"),
        output_study._key(task._replace(images=tmp_path), "rapidocr@1"),  # finished samples wrote no images there
    ]
    for version in ("CHANGES", "TRACES"):
        with monkeypatch.context() as patch:
            patch.setattr(output_study, version, "older")
            keys.append(output_study._key(task, "rapidocr@1"))
    assert len(set(keys)) == 5
    assert output_study._key(task._replace(number=1), "rapidocr@1") == keys[0]


def test_images_are_kept_where_asked(study, folder, tmp_path):
    part = write_outputs(ORDER, "70 % size", tmp_path)
    files = sorted(tmp_path.iterdir())
    assert len(files) == len(part.samples) == 2
    for file in files:
        assert (open_image(file) == open_image(folder / "images" / "70-size" / file.name)).all()


def test_every_form(study, tmp_path):
    tables = output_tables(study)
    assert [table.title.partition(":")[0] for table in tables] == ["Usable edits", "strict", "vde-v3"]
    text = output_text(study, "terminal")
    assert max(map(len, text.splitlines())) <= 100
    assert "false accepts: 0 of" in text
    assert "| digit elsewhere | bad | – | " in output_text(study, "markdown")
    assert output_text(study, "latex").count(r"\begin{table}") == 3
    rows = list(csv.DictReader(io.StringIO(output_csv(study))))
    assert [row["corruption"] for row in rows] == list(NAMES)
    assert rows[0]["accepted"] == "2"
    assert float(rows[2]["strict.global.cdm"]) == result(study, "digit-elsewhere").means["strict"]["global.cdm"].output
    write_output_study(study, tmp_path / "out")
    names = {file.name for file in (tmp_path / "out").iterdir()}
    tables = {"scores.parquet", "regions.parquet", "usable.parquet"}
    assert names == {"index.html", "validity.json", "validity.csv", "vdebench-validity.json", *tables}
    data = json.loads((tmp_path / "out" / "validity.json").read_text(encoding="utf-8"))
    assert data == json.loads(json.dumps(output_json(study), allow_nan=False))
    assert data["outputs"][0]["means"]["strict"]["global.psnr"] == {"reference": "inf", "output": "inf"}


def test_the_order_is_that_of_the_benchmark():
    assert output_order(3, 7).startswith("typeset:n=3,seed=7,languages=en+zh,operations=text_replace+")
    assert output_order(3, 7).endswith(",ppi=150")


def test_what_cannot_be_judged():
    for how, message in (
        ({"reader": "exact-layout"}, "output corruptions need a reader"),
        ({"protocols": ["vde-v3"]}, "usable edits are judged only by strict, not by vde-v3"),
        ({"corruptions": ["smudge"]}, "no output corruption is called 'smudge'"),
    ):
        with pytest.raises(InputError, match=message):
            run_outputs(order=ORDER, **how)
    with pytest.raises(InputError, match="edit-done-twice applies to none of its samples"):
        write_outputs(
            "typeset:n=1,seed=3,languages=en,ppi=60,kinds=note,operations=text_delete", "edit done twice", "x"
        )
