"""Sheets, the figure, the page: what is handed out names nobody, and what comes back is understood."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from tests.report import human_runs
from tests.report.human_runs import EDITORS
from vdebench.errors import InputError, RunFolderError, VdeError
from vdebench.report.figures.ranks import study_figure
from vdebench.report.human.page import write_agreement
from vdebench.report.human.sheet import write_sheet
from vdebench.report.human.study import correlate_answers
from vdebench.report.human.tables import study_tables
from vdebench.report.rendering import render
from vdebench.studies.human.sheet import letter, read_key

COUNT = 5


@pytest.fixture(scope="module")
def runs(tmp_path_factory, _cache):
    root = tmp_path_factory.mktemp("people")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        runs = human_runs.make(root, COUNT)[1]
    # what a picture may say of its maker
    file = runs / EDITORS[0] / "images/text/page_1.png"
    told = PngImagePlugin.PngInfo()
    told.add_text("Software", f"made by {EDITORS[0]}")
    with Image.open(file) as image:
        image.save(file, pnginfo=told)
    assert EDITORS[0].encode() in file.read_bytes()
    return runs


@pytest.fixture(scope="module")
def study(runs, tmp_path_factory):
    out = tmp_path_factory.mktemp("study") / "study"
    write_sheet(runs, out, samples=20, annotators=2)
    return out


def fill(study, to, *, swap=False):
    """Answers of people who know the truth; with `swap` the last annotator takes the first two for each other."""
    key = read_key(study / "key.json")
    files = []
    for person in key.annotators:
        order = list(EDITORS)
        if swap and person == key.annotators[-1]:
            order[:2] = order[1::-1]
        file = to / f"answers-{person}.csv"
        with file.open("w", newline="") as out:
            table = csv.writer(out)
            table.writerow(["annotator", "sample", "candidate", "criterion", "rank"])
            for sample in key.samples:
                for criterion in key.criteria:
                    for place, editor in enumerate(sample.orders[person]):
                        if editor not in sample.absent:
                            table.writerow([person, sample.number, letter(place), criterion, order.index(editor) + 1])
        files.append(file)
    return files


def data_of(study):
    page = (study / "sheet/index.html").read_text(encoding="utf-8")
    return json.loads(re.search(r"const SHEET = (.*);</script>", page)[1])


def test_nothing_that_is_handed_out_names_an_editor(study, runs):
    files = [file for file in (study / "sheet").rglob("*") if file.is_file()]
    assert len(files) == 2 + COUNT + COUNT * len(EDITORS) - 1  # page, CSV, sources, outputs but one
    names = [*EDITORS, "refused", str(runs), runs.parent.name]
    for file in files:
        content = file.read_bytes()
        for name in names:
            for form in (name, name.lower(), json.dumps(name)[1:-1]):
                assert form.encode() not in content, f"{file} says {name}"
                assert form not in str(file.relative_to(study))
    assert all(name in (study / "key.json").read_text(encoding="utf-8") for name in EDITORS)
    assert not list((study / "sheet").rglob("key*"))


def test_nor_do_times_and_parts_of_pictures(study):
    pictures = sorted((study / "sheet/pictures").iterdir())
    assert {file.stat().st_mtime for file in pictures} == {946684800}
    for file in pictures:
        with Image.open(file) as image:
            assert image.info == {}
        assert re.fullmatch(r"[0-9a-f]{16}\.png", file.name)


def test_pictures_are_the_editors_own(study, runs):
    key, data = read_key(study / "key.json"), data_of(study)
    for sample, shown in zip(key.samples, data["samples"], strict=True):
        for person, order in sample.orders.items():
            for editor, picture in zip(order, shown["candidates"][person], strict=True):
                number = sample.sample.rpartition("/")[2]
                if editor in sample.absent:
                    assert picture is None
                    assert (sample.sample, editor, sample.absent[editor]) == ("text/2", EDITORS[2], "refused")
                    continue
                with Image.open(study / "sheet" / picture[0]) as mine:
                    with Image.open(runs / editor / f"images/text/page_{number}.png") as theirs:
                        assert np.array_equal(np.asarray(mine), np.asarray(theirs))
                    assert list(mine.size) == picture[1:]
    assert data["samples"][0]["regions"] == [[10.0, 20.0, 80.0, 10.0]]


def test_the_csv_asks_for_everything_that_is_there(study):
    rows = list(csv.DictReader(io.StringIO((study / "sheet/sheet.csv").read_text())))
    assert list(rows[0]) == ["annotator", "sample", "candidate", "criterion", "rank", "sheet"]
    assert {row["sheet"] for row in rows} == {read_key(study / "key.json").sheet} == {data_of(study)["sheet"]}
    assert len(rows) == 2 * 2 * (COUNT * len(EDITORS) - 1)
    assert {row["rank"] for row in rows} == {""}


def test_the_same_seed_the_same_sheet(runs, study, tmp_path):
    write_sheet(runs, tmp_path / "again", samples=20, annotators=2)
    write_sheet(runs, tmp_path / "other", samples=20, annotators=2, seed=1)
    page = "sheet/index.html"
    assert (tmp_path / "again" / page).read_bytes() == (study / page).read_bytes()
    assert (tmp_path / "other" / page).read_bytes() != (study / page).read_bytes()


def test_some_editors_and_samples(runs, tmp_path):
    made = write_sheet(runs, tmp_path / "s", samples=2, editors=[EDITORS[3], EDITORS[0]], criteria=["legibility"])
    assert (made.key.editors, made.key.criteria, len(made.key.samples)) == ([EDITORS[3], EDITORS[0]], ["legibility"], 2)
    assert len(list((tmp_path / "s/sheet/pictures").iterdir())) == 2 * 3


def test_what_is_refused(runs, study, tmp_path):
    with pytest.raises(InputError, match="no scores of 'nobody'; there are: quokka-9b"):
        write_sheet(runs, tmp_path / "a", editors=["nobody"])
    with pytest.raises(InputError, match="1 editor; ranking needs two or more"):
        write_sheet(runs, tmp_path / "a", editors=[EDITORS[0]])
    with pytest.raises(RunFolderError, match="is not empty"):
        write_sheet(runs, study)
    with pytest.raises(RunFolderError, match="no run here or below"):
        write_sheet(tmp_path, tmp_path / "a")
    assert not (tmp_path / "a").exists()
    bare = tmp_path / "bare"
    shutil.copytree(runs, bare, ignore=shutil.ignore_patterns("*.png"))
    with pytest.raises(InputError, match="no sample with scores of every editor"):
        write_sheet(bare, tmp_path / "a")
    assert not (tmp_path / "a").exists()


def spoil(runs, *places):
    for editor, number in places:
        (runs / editor / f"images/text/page_{number}.png").write_bytes(b"no picture")


def test_samples_of_which_fewer_than_two_can_be_read_are_left_out(runs, tmp_path):
    shutil.copytree(runs, tmp_path / "runs")
    spoil(tmp_path / "runs", *((editor, 0) for editor in EDITORS), *((editor, 1) for editor in EDITORS[1:]))
    spoil(tmp_path / "runs", (EDITORS[0], 3))
    key = write_sheet(tmp_path / "runs", tmp_path / "s", annotators=1).key
    assert {sample.sample: len(sample.absent) for sample in key.samples} == {"text/2": 1, "text/3": 1, "text/4": 0}
    assert [sample.number for sample in key.samples] == ["1", "2", "3"]
    assert [len(one["candidates"]["1"]) for one in data_of(tmp_path / "s")["samples"]] == [4, 4, 4]
    assert len(list((tmp_path / "s/sheet/pictures").iterdir())) == 3 + 3 + 3 + 4  # sources, outputs
    spoil(tmp_path / "runs", *((editor, number) for editor in EDITORS for number in (2, 3, 4)))
    with pytest.raises(InputError, match=r"no sample with scores of every editor .* and two images to compare"):
        write_sheet(tmp_path / "runs", tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_answers_by_hand_to_another_sheet_are_refused(runs, study, tmp_path):
    write_sheet(runs, tmp_path / "other", samples=20, annotators=2, seed=1)
    rows = list(csv.DictReader(io.StringIO((study / "sheet/sheet.csv").read_text())))
    with (tmp_path / "filled.csv").open("w", newline="") as out:
        table = csv.DictWriter(out, list(rows[0]))
        table.writeheader()
        table.writerows(row | {"rank": 1 + "ABCD".index(row["candidate"])} for row in rows)
    with pytest.raises(
        InputError, match=r"filled\.csv: line 2: is an answer to sheet s\w+, but the key is for sheet s\w+"
    ):
        correlate_answers([tmp_path / "filled.csv"], tmp_path / "other/key.json", runs)


def test_people_who_know_agree_with_the_metrics(study, runs, tmp_path):
    found = correlate_answers(fill(study, tmp_path), study / "key.json", runs, resamples=300)
    assert found["absent"] == 1
    assert found["answers"]["missing"] == 0
    for one in found["criteria"].values():
        assert one["models"]["spearman"]["value"] == pytest.approx(1)
        assert one["agreement"]["kendall_w"] == pytest.approx(1)
    assert found["criteria"]["box alignment"]["outputs"]["kendall"]["value"] == pytest.approx(1)
    assert [point["automatic_rank"] for point in found["criteria"]["text correctness"]["points"]] == [4, 3, 2, 1]
    assert list(found["criteria"]) == ["box alignment", "text correctness"]
    assert any("1 of 20 outputs are missing" in note for note in found["notes"])


def test_other_metrics_and_settings(study, runs, tmp_path):
    answers = fill(study, tmp_path, swap=True)
    found = correlate_answers(
        answers, study / "key.json", runs, setting="local", metrics=["Text correctness = cdm"], resamples=100
    )
    assert (found["setting"], found["criteria"]["text correctness"]["metric"]) == ("local", "cdm")
    # one of two takes the best for the second: 3.5, 3.5
    assert [p["human_rank"] for p in found["criteria"]["box alignment"]["points"]][:2] == pytest.approx([3.5, 3.5])
    for options, message in (
        (
            {"metrics": ["text correctness=bleurt"]},
            r"no 'bleurt' in the setting global; there are: .*iou.*\n  --metric .text correctness=METRIC.",
        ),
        ({"metrics": ["cdm"]}, "expected CRITERION=METRIC"),
        ({"setting": "inside"}, "not all runs have the setting 'inside'; common settings: global, local"),
        ({"protocol": "vde-v3"}, "no run of .* by vde-v3, which is in the sheet; found .* by strict"),
    ):
        with pytest.raises(VdeError, match=message):
            correlate_answers(answers, study / "key.json", runs, **options)


def test_runs_that_do_not_belong_are_refused(study, runs, tmp_path):
    answers = fill(study, tmp_path)
    shutil.copytree(runs, tmp_path / "other")
    file = tmp_path / "other" / EDITORS[1] / "strict/summary.json"
    summary = json.loads(file.read_text())
    file.write_text(json.dumps(summary | {"signature": summary["signature"].replace("reader:stripe", "reader:other")}))
    with pytest.raises(VdeError, match=r"not scored in the same way, they differ in:\s+reader"):
        correlate_answers(answers, study / "key.json", tmp_path / "other")
    key = json.loads((study / "key.json").read_text())
    (tmp_path / "key.json").write_text(json.dumps(key | {"suite": "another"}))
    with pytest.raises(VdeError, match="the key is for the suite another, the runs are for stripes"):
        correlate_answers(answers, tmp_path / "key.json", runs)


def test_tables_figure_and_page(study, runs, tmp_path):
    found = correlate_answers(fill(study, tmp_path, swap=True), study / "key.json", runs, resamples=200)
    page = write_agreement(found, tmp_path / "out")
    assert sorted(file.name for file in page.parent.iterdir()) == [
        "agreement.json", "figure.svg", "index.html", "tables.md", "vdebench-agreement.json",
    ]  # fmt: skip
    assert json.loads((page.parent / "agreement.json").read_text()) == found
    text = render(study_tables(found)[0], "terminal")
    assert max(map(len, text.splitlines())) <= 100
    assert "answers-1.csv, answers-2.csv: answers do not name their sheet" in text
    people = study_tables(found)[1]
    assert [(head.group, head.name) for head in people.columns][2:6:3] == [
        ("by sample", "samples"),
        ("over models", "samples"),
    ]
    assert [(row.values[2], row.values[5]) for row in people.rows] == [(5, 4)] * 2  # one lacks an output
    assert max(map(len, render(people, "terminal").splitlines())) <= 120
    for expected in ("box alignment: IoU, 5 samples", "4 models are few points", "Spearman", "Kendall", "Pearson"):
        assert expected in text
    html = page.read_text(encoding="utf-8")
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    write_agreement(found, tmp_path / "out")  # replaced
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("…")
    with pytest.raises(RunFolderError, match="no agreement written by vdebench"):
        write_agreement(found, tmp_path / "mine")


def made_up(names, points):
    """Findings with points (human rank, automatic rank) for a figure."""
    coefficient = {"value": 0.5, "interval": [0.1, 0.9]}
    one = {
        "metric": "iou",
        "points": [
            {"editor": n, "human_rank": x, "automatic_rank": y, "metric": 0.5}
            for n, (x, y) in zip(names, points, strict=True)
        ],
        "models": {"n": len(names), "spearman": coefficient},
    }
    return {"editors": names, "criteria": {"a <b> & c": one, "second": one}}


def test_the_figure_has_points_where_the_ranks_are():
    names = ["one <b>", "two & co", "a name that is very much longer than others"]
    root = ElementTree.fromstring(study_figure(made_up(names, [(3, 3), (1.5, 2), (1, 1)])))
    tag = "{http://www.w3.org/2000/svg}"
    panels = root.findall(f"{tag}g")
    assert len(panels) == 2
    places = [(float(c.get("cx")), float(c.get("cy"))) for c in panels[0].findall(f"{tag}circle")]
    assert places == [(250, 50), (100, 150), (50, 250)]  # 300 a side, thirds, their middles; up is better
    words = [text.text for text in panels[0].findall(f"{tag}text")]
    assert {
        "one <b>",
        "two & co",
        "a <b> & c",
        "Spearman 0.50 [0.10, 0.90], 3 models",
        "rank by people (3 is best)",
    } <= set(words)


def test_names_of_points_that_are_close_do_not_meet():
    names = [f"model {at}" for at in range(6)]
    root = ElementTree.fromstring(study_figure(made_up(names, [(3, 3 + 0.01 * at) for at in range(6)])))
    tag = "{http://www.w3.org/2000/svg}"
    heights = sorted(
        float(t.get("y")) for t in root.find(f"{tag}g").findall(f"{tag}text") if (t.text or "").startswith("model")
    )
    assert all(b - a >= 12 for a, b in itertools.pairwise(heights))
