"""The ladder as a whole: what is measured in memory is what `score` measures, and metrics follow."""

from __future__ import annotations

import json

import pytest

from vdebench.changes.identity import CHANGES
from vdebench.errors import InputError, VdeError
from vdebench.metrics.edit_traces import IDENTITY as TRACES
from vdebench.pipeline.score import score
from vdebench.protocols import PROTOCOLS
from vdebench.report.figures.validity import ladder_figure
from vdebench.report.validity import ladder_csv, ladder_json, ladder_tables, ladder_text
from vdebench.report.validity_page import write_ladder
from vdebench.stats.usable import RULES
from vdebench.studies.validity import ladder_run
from vdebench.studies.validity.export import IMAGES, READINGS, write_corrupted
from vdebench.studies.validity.ladder_run import order_of, run_ladder
from vdebench.suites.suite import load_suite

ORDER = "typeset:n=2,seed=21,languages=en,ppi=60,kinds=PPT2PDF,operations=text_replace+table_replace"
DONE_TO = ("wrong-characters", "neighbours-lost", "colour")


@pytest.fixture(scope="module")
def ladder():
    return run_ladder(order=ORDER, corruptions=DONE_TO, workers=1)


def finding(ladder, protocol, corruption, setting, metric):
    (found,) = [
        each
        for each in ladder.findings
        if (each.protocol, each.corruption, each.setting, each.metric) == (protocol, corruption, setting, metric)
    ]
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corrupted")
    return folder, write_corrupted(load_suite(ORDER), "wrong-characters", 3, folder, seed=1)


@pytest.mark.parametrize("protocol", ["strict", "vde-v3", "vde-release"])
def test_in_memory_is_as_score_has_it(ladder, protocol, written):
    folder, part = written
    kept = score(part, folder / READINGS, images=folder / IMAGES, protocol=protocol, metrics=["psnr", "ssim"])
    for setting, means in kept.summary["overall"].items():
        for metric in ("iou", "cdm", "bleu", "psnr", "ssim"):
            found = finding(ladder, protocol, "wrong-characters", setting, metric)
            assert found.values[3] == pytest.approx(means[metric], abs=1e-12), (setting, metric)
    if kept.summary.get("regions"):
        done = finding(ladder, protocol, "wrong-characters", "local", "done")
        assert done.values[3] == kept.summary["regions"]["rate"]


def test_the_right_answer_is_worth_one_and_text_falls_with_characters(ladder):
    for setting in ("global", "local"):
        for metric in ("cdm", "bleu", "teds_like", "text_similarity", "page_text"):
            found = finding(ladder, "strict", "wrong-characters", setting, metric)
            assert found.verdict == "falls", (setting, metric, found.values)
            assert found.business
            assert found.values[0] == 1.0
    assert finding(ladder, "strict", "wrong-characters", "local", "psnr").drop is None


def test_means_over_matched_blocks_do_not_see_missed_text(ladder):
    assert finding(ladder, "strict", "neighbours-lost", "global", "cdm").verdict == "falls"
    for protocol in ("vde-v3", "vde-v1", "vde-release"):
        found = finding(ladder, protocol, "neighbours-lost", "global", "cdm")
        assert abs(found.drop) < finding(ladder, "strict", "neighbours-lost", "global", "cdm").drop / 3
        assert not found.business


def test_colour_is_no_business_of_text_metrics(ladder):
    found = finding(ladder, "strict", "colour", "local", "cdm")
    assert (found.verdict, found.business, found.holds) == ("blind", False, True)
    assert finding(ladder, "strict", "colour", "local", "ssim").business


def test_v1_covers_the_text_samples_alone(ladder):
    assert finding(ladder, "vde-v1", "wrong-characters", "global", "cdm").n == 1


def test_the_same_seed_gives_the_same_findings(ladder):
    again = run_ladder(order=ORDER, corruptions=DONE_TO[:1], protocols=["strict"], workers=1)
    wanted = [each for each in ladder.findings if (each.protocol, each.corruption) == ("strict", DONE_TO[0])]
    assert list(again.findings) == wanted


def test_what_was_interrupted_goes_on(tmp_path):
    order = ORDER.replace("n=2", "n=4")  # two pages
    how = {"order": order, "corruptions": ["blur"], "protocols": ["strict"], "metrics": [], "workers": 1}

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_ladder(**how, cache=tmp_path / "parts", progress=stop)
    assert len(list((tmp_path / "parts").iterdir())) == 2  # scores and regions of the first page
    told = []
    made = run_ladder(**how, cache=tmp_path / "parts", progress=lambda done, total: told.append((done, total)))
    assert told == [(2, 2)]
    assert not (tmp_path / "parts").exists()
    assert list(made.findings) == list(run_ladder(**how).findings)


@pytest.mark.parametrize("version", ["CHANGES", "TRACES"])
def test_pages_of_another_engine_are_not_resumed(tmp_path, monkeypatch, version):
    how = {"order": ORDER, "corruptions": ["blur"], "protocols": ["strict"], "metrics": [], "workers": 1}

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_ladder(**how, cache=tmp_path / "parts", progress=stop)
    monkeypatch.setattr(ladder_run, version, "older")
    told = []
    run_ladder(**how, cache=tmp_path / "parts", progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 1)]  # the page was scored again


def test_rows_of_samples_are_kept(ladder):
    rows = ladder.rows["scores"]
    assert set(rows["corruption"]) == {"right", *DONE_TO}
    assert set(rows["protocol"]) == set(PROTOCOLS)
    assert set(rows["level"]) == {0, 1, 2, 3, 4}
    assert rows.filter((rows["protocol"] == "strict") & (rows["level"] == 0)).height == 2 * 2


def test_usable_edits_are_judged_where_asked():
    found = run_ladder(order=ORDER, corruptions=["blank"], protocols=["strict"], usable=True, workers=1)
    assert finding(found, "strict", "blank", "sample", "usable").values[0] == 1.0
    assert finding(found, "strict", "blank", "sample", "usable").values[4] == 0.0
    assert finding(found, "strict", "blank", "sample", "usable.textual_correctness").drop == 1.0
    rows = found.rows["usable"]
    assert {"sample", "usable", "preservation", "preservation_evidence"} <= set(rows.columns)
    assert found.about["usable_signature"].startswith(f"usable:{RULES},{TRACES}|")
    text = ladder_text(found, "markdown")
    assert "Usable edits rest on the weaker tile rules, because the text is the exact layout" in text


@pytest.mark.slow
def test_with_a_reader_usable_edits_rest_on_change_detection():
    """One wrong character elsewhere: the tile rules miss it in 70 % of cases, change detection finds it."""
    order = ORDER.replace("n=2", "n=1").replace("ppi=60", "ppi=90")
    how = {"order": order, "corruptions": ["neighbour-characters"], "protocols": ["strict"], "metrics": []}
    found = run_ladder(**how, reader="rapidocr", usable=True, workers=1)
    assert found.about["usable_signature"].startswith(f"usable:{RULES},{CHANGES}|")
    assert finding(found, "strict", "neighbour-characters", "sample", "usable").values == (1.0, 0.0, 0.0, 0.0, 0.0)
    kept = finding(found, "strict", "neighbour-characters", "sample", "usable.preservation")
    assert kept.values == (1.0, 0.0, 0.0, 0.0, 0.0)
    right = finding(found, "strict", "neighbour-characters", "sample", "usable.textual_correctness")
    assert right.values[:2] == (1.0, 1.0)  # the later characters are in the region, beside the edited block
    assert f"Usable edits rest on change detection: usable:{RULES},{CHANGES}" in ladder_text(found, "markdown")


def test_tables_in_every_form(ladder):
    tables = ladder_tables(ladder)
    assert [table.title.partition(":")[0] for table in tables] == list(PROTOCOLS)
    text = ladder_text(ladder, "terminal")
    assert max(map(len, text.splitlines())) <= 100
    assert "Characters wrong" in text
    assert "does not fall" in text or "all fall" in text
    assert "| Colour wrong |" in ladder_text(ladder, "markdown")
    latex = ladder_text(ladder, "latex")
    assert r"$\downarrow$" in latex
    assert "↓" not in latex
    lines = ladder_csv(ladder).splitlines()
    assert len(lines) == 1 + len(ladder.findings)
    assert lines[0].endswith("verdict,must_fall,level_0,level_1,level_2,level_3,level_4")


def test_a_folder_to_look_at(ladder, tmp_path):
    write_ladder(ladder, tmp_path / "out")
    names = {file.name for file in (tmp_path / "out").iterdir()}
    figures = {f"validity-{protocol}.svg" for protocol in PROTOCOLS}
    kept = {"index.html", "validity.json", "validity.csv", "scores.parquet", "regions.parquet"}
    assert names == {*kept, *figures, "vdebench-validity.json"}
    (tmp_path / "out" / "usable.parquet").write_bytes(b"of an earlier ladder")
    write_ladder(ladder, tmp_path / "out")
    assert {file.name for file in (tmp_path / "out").iterdir()} == names
    kept = json.loads((tmp_path / "out" / "validity.json").read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(ladder_json(ladder)))
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert all(name in page for name in figures)
    assert "://" not in page
    drawn = ladder_figure(ladder, "strict")
    assert drawn.count("<polyline") == sum(
        each.protocol == "strict" and each.metric != "psnr" and each.setting != "sample" for each in ladder.findings
    )


def test_what_cannot_be_asked_for(tmp_path):
    with pytest.raises(VdeError, match="no protocol is called 'best'"):
        run_ladder(order=ORDER, protocols=["best"])
    with pytest.raises(InputError, match="jpeg has no level 5; it has 0 to 4"):
        write_corrupted(ORDER, "jpeg", 5, tmp_path)
    with pytest.raises(InputError, match="done-again applies to none of its samples"):
        write_corrupted(
            "typeset:n=1,seed=3,languages=en,ppi=60,kinds=note,operations=text_delete", "done-again", 1, tmp_path
        )


@pytest.mark.slow
def test_text_metrics_of_exact_do_their_business_on_forty_samples():
    found = run_ladder(samples=40, seed=1, protocols=["strict"], metrics=[])
    assert not {(each.corruption, each.metric) for each in found.findings if not each.holds and each.metric != "iou"}


@pytest.mark.slow
def test_a_reader_has_an_ocr_ceiling():
    found = run_ladder(
        order=order_of(2, 3), reader="rapidocr", corruptions=["page-blur"], protocols=["strict"], metrics=[]
    )
    floor = finding(found, "strict", "page-blur", "global", "iou")  # no reader draws boxes to the pixel
    assert 0.8 < floor.values[0] < 1.0
    assert floor.values[4] < floor.values[0]
    assert not floor.business
