"""The report's data and how it is written; what the page makes of it is tested in a browser."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from tests import pages
from tests.report import site_runs
from tests.report.site_runs import BODY, EVIL, FOOT, HEIGHT, REGION, WIDTH
from vdebench.core.box import Box, Size
from vdebench.core.page_text import Block, PageText
from vdebench.core.sample import Region, Sample
from vdebench.errors import InputError, RunFolderError
from vdebench.protocols import get_protocol
from vdebench.readers.reader import READERS
from vdebench.report.site import write as writing
from vdebench.report.site import write_report
from vdebench.report.site.board import board, cell
from vdebench.report.site.gather import ScoredEditor
from vdebench.report.site.units import UnitPages, difference, units

MINE = "strict/my editor"


@pytest.fixture(autouse=True)
def _stripes(monkeypatch):
    monkeypatch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")


@pytest.fixture(scope="module")
def made(tmp_path_factory, _cache):
    """A folder of runs, scored once."""
    root = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        site_runs.make_runs(root / "runs", site_runs.make_suite(root / "suite"))
    return root


@pytest.fixture
def runs(made, tmp_path):
    """A copy of it that a test may spoil."""
    shutil.copytree(made / "runs", tmp_path / "runs")
    return tmp_path / "runs"


@pytest.fixture(scope="module")
def report(made, _cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        patch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
        return write_report(made / "runs", made / "report").parent


def data(report: Path, name: str):
    """What a data script hands to the page."""
    text = (report / "data" / f"{name}.js").read_text(encoding="utf-8")
    head = f"Vde.take({json.dumps(name)}, "
    assert text.startswith(head)
    assert text.endswith(");\n")
    return json.loads(text[len(head) : -3])


def of_editor(report: Path, what: str, file: str):
    protocol, editor = what.split("/")
    slugs = data(report, "board")["slugs"]
    return data(report, f"{slugs[protocol]}/{slugs[editor]}/{file}")


def test_leaderboard_shows_the_summaries_numbers(report, made):
    [shown] = data(report, "board")["protocols"]
    assert [row["editor"] for row in shown["rows"][:2]] == ["oracle", "my editor"]
    for row in shown["rows"][:2]:
        summary = json.loads((made / "runs" / row["editor"] / "strict/summary.json").read_text(encoding="utf-8"))
        assert row["coverage"] == summary["coverage"]
        assert row["regions"]["value"] == summary["regions"]["rate"]
        for setting, cells in row["cells"].items():
            for key, found in cells.items():
                assert (found or {}).get("value") == summary["overall"][setting][key], (setting, key)
    best = [row["cells"]["global"]["cdm"].get("best", False) for row in shown["rows"]]
    assert best == [True] + [False] * (len(best) - 1)
    assert shown["rows"][0]["cells"]["global"]["psnr"] == {"infinite": True, "best": True}
    assert shown["rows"][2]["reference"]
    assert shown["rows"][2]["editor"] == "(reference)"
    assert shown["rows"][2]["cells"]["global"]["cdm"]["value"] == 1
    assert any(": vde|p:strict|" in note for note in shown["notes"])


def test_breakdowns_stand_by_editor_with_the_floor(report, made):
    [shown] = data(report, "board")["protocols"]
    summary = json.loads((made / "runs/my editor/strict/summary.json").read_text(encoding="utf-8"))
    by = shown["slices"]["operation"]
    assert set(by) == {"text_replace", "text_insert", "text_delete"}
    wanted = summary["by"]["operation"]["text_replace"]["global"]
    mine = by["text_replace"]["editors"]["my editor"]["global"]
    assert mine["cdm"]["value"] == wanted["cdm"]
    assert mine["blocks"]["value"] == wanted["gt_blocks"]
    assert by["text_replace"]["loss"] == {"global": 0}
    assert "my editor" not in by["text_delete"]["editors"]  # its only page of that kind is broken


def test_what_was_not_scored_is_a_state_with_its_reason_and_no_number(report):
    rows = of_editor(report, MINE, "index")
    assert [row["state"] for row in rows] == ["scored", "refused", "missing", "failed"]
    assert rows[1]["reason"] == f"cannot parse {EVIL}"
    assert "no prediction" in rows[2]["reason"]
    assert "page_3.png" in rows[3]["reason"]
    assert [row["scores"] for row in rows[1:]] == [{}, {}, {}]
    assert [bool(row["image"] and row["image"].get("thumb")) for row in rows] == [True, False, False, False]
    assert "reason" in rows[3]["image"]
    assert data(report, "board")["protocols"][0]["rows"][1]["states"] == {
        "scored": 1,
        "refused": 1,
        "missing": 1,
        "failed": 1,
    }


def test_a_refusal_stands_above_an_image_that_lies_there(runs, tmp_path):
    line = {"sample": "text/0", "state": "refused", "reason": "not today"}
    with (runs / "oracle/edits.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(line) + "\n")
    report = write_report(runs, tmp_path / "report").parent
    row = of_editor(report, "strict/oracle", "index")[0]
    assert (row["state"], row["reason"], row["scores"]) == ("refused", "not today", {})


def test_numbers_of_a_sample(report):
    # three blocks: matched with one of seven characters wrong, missed, invented
    row = of_editor(report, MINE, "index")[0]
    assert row["scores"]["global"]["cdm"] == pytest.approx((6 / 7) / 3, abs=1e-5)
    assert row["scores"]["global"]["iou"] == pytest.approx(1 / 3, abs=1e-5)
    assert of_editor(report, "strict/oracle", "index")[0]["scores"]["global"]["psnr"] == "∞"


def test_blocks_of_a_sample(report):
    detail = of_editor(report, MINE, "0")[0]
    found = {unit["state"]: unit for unit in detail["units"]["global"]}
    assert len(detail["units"]["global"]) == 3

    def percent(x1, y1, x2, y2):
        return pytest.approx([x1 / 2, y1 / 3, (x2 - x1) / 2, (y2 - y1) / 3], abs=0.01)  # of 200 × 300 pixels

    matched = found["matched"]
    assert matched["truth"] == [percent(*BODY)]
    assert matched["prediction"] == [percent(*BODY)]
    assert matched["text"] == [["=", "in 202"], ["-", "4"], ["+", "3"]]
    assert matched["scores"]["cdm"] == pytest.approx(6 / 7, abs=1e-4)
    assert (found["missed"]["truth"], found["missed"]["prediction"]) == ([percent(*FOOT)], [])
    assert found["missed"]["text"] == [["-", "a footer"]]
    assert found["missed"]["scores"] == {}  # a state, not a zero
    assert (found["invented"]["truth"], found["invented"]["text"]) == ([], [["+", "invented!"]])


def test_blocks_of_a_crop_stand_in_its_region(report):
    # the crop is 160 × 30 pixels at (20, 60), its block the left half: 10 to 50 percent of the page, 20 to 30 down
    [unit] = of_editor(report, "strict/oracle", "0")[0]["units"]["local"]
    assert unit["truth"] == [pytest.approx([10, 20, 40, 10], abs=0.01)]
    assert unit["text"] == [["=", "ink"]]


def test_missing_pages_show_what_is_missed(report):
    units_there = of_editor(report, MINE, "0")[2]["units"]["global"]
    assert [unit["state"] for unit in units_there] == ["missed", "missed"]


def test_samples_are_told_once(report):
    samples = data(report, "samples")
    assert [sample["key"] for sample in samples] == ["text/0", "text/1", "text/2", "text/3"]
    assert samples[1]["instruction"] == f"Write {EVIL}"
    assert samples[2]["language"] == "simplified_chinese"
    assert samples[0]["regions"] == [[REGION["x"], REGION["y"], REGION["width"], REGION["height"]]]


def test_no_text_can_leave_its_script(report):
    scripts = list(report.glob("data/**/*.js"))
    assert len(scripts) == 2 + 2 * 2  # board, samples; an index and one chunk for each editor
    for script in scripts:
        assert "<" not in script.read_text(encoding="utf-8"), script
    assert "owned" not in (report / "index.html").read_text(encoding="utf-8")


def test_report_needs_nothing_outside_itself(report, made, tmp_path):
    moved = shutil.copytree(report, tmp_path / "elsewhere")
    pictures = [picture for sample in data(moved, "samples") for picture in sample["images"]]
    pictures += [row["image"] for row in of_editor(moved, "strict/oracle", "index")]
    for picture in pictures:
        assert picture["size"] == [WIDTH, HEIGHT]
        with Image.open(moved / picture["image"]) as image:
            assert image.size == (WIDTH, HEIGHT)
        with Image.open(moved / picture["thumb"]) as thumb:
            assert max(thumb.size) <= 320
    for file in moved.rglob("*"):
        assert not file.is_symlink()
        if file.suffix in (".js", ".html", ".css", ".json"):
            text = file.read_text(encoding="utf-8")
            assert str(made) not in text, f"{file} names a folder of this machine"
            assert "://" not in text.replace("http://www.w3.org/2000/svg", ""), file


def test_the_suite_is_shown_too(report):
    page = (report / "dataset.html").read_text(encoding="utf-8")
    assert 'href="dataset.html"' in (report / "index.html").read_text(encoding="utf-8")
    assert "4 samples" in page
    assert page.count("<svg") >= 4
    assert "Samples by source" in page


def test_chunks(made, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "CHUNK", 3)
    report = write_report(made / "runs", tmp_path / "report").parent
    assert data(report, "board")["chunk"] == 3
    assert [len(of_editor(report, MINE, name)) for name in ("0", "1")] == [3, 1]
    assert len(list(report.glob("data/*/*/*.js"))) == 2 * 3


def test_progress(made, tmp_path):
    told: list[tuple[int, int]] = []
    write_report(made / "runs", tmp_path / "report", progress=lambda done, total: told.append((done, total)))
    # 4 sources, 4 references, 4 + 2 predictions; 4 samples
    assert told == [(done, 18) for done in range(1, 19)]


def test_nothing_is_read_again(made, tmp_path, monkeypatch):
    monkeypatch.setattr(site_runs.StripeReader, "read", lambda *_: pytest.fail("a report reads nothing"))
    write_report(made / "runs", tmp_path / "report")
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "empty"))
    report = write_report(made / "runs", tmp_path / "report").parent
    detail = of_editor(report, MINE, "0")[0]
    assert (detail["units"], "no longer cached" in detail["unread"]) == ({}, True)
    assert str(made) not in detail["unread"]


def test_another_reader_than_scored(made, tmp_path, monkeypatch):
    other = property(lambda self: {"name": "stripe", "version": "2"})
    monkeypatch.setattr(site_runs.StripeReader, "identity", other)
    report = write_report(made / "runs", tmp_path / "report").parent
    assert "stripe@1" in of_editor(report, MINE, "0")[0]["unread"]


def test_images_that_browsers_do_not_show(runs, tmp_path):
    file = runs / "oracle/images/text/page_0.png"
    with Image.open(file) as image:
        image.save(file.with_suffix(".tif"))
    file.unlink()
    report = write_report(runs, tmp_path / "report").parent
    picture = of_editor(report, "strict/oracle", "index")[0]["image"]
    with Image.open(report / picture["image"]) as image:
        assert (image.format, image.size) == ("PNG", (WIDTH, HEIGHT))


def test_an_old_report_is_replaced_and_nothing_else(made, tmp_path):
    out = tmp_path / "report"
    out.mkdir()  # an empty folder may be taken
    write_report(made / "runs", out)
    (out / "stale.txt").write_text("of the old one")
    assert write_report(made / "runs", out) == out / "index.html"
    assert not (out / "stale.txt").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["report"]  # nothing left beside

    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    with pytest.raises(RunFolderError, match=r"contains thesis\.tex"):
        write_report(made / "runs", mine)
    assert (mine / "thesis.tex").read_text() == "years of work"
    with pytest.raises(RunFolderError, match="not empty"):
        write_report(made / "runs", made / "runs")
    with pytest.raises(InputError, match="expected a folder"):
        write_report(made / "runs", mine / "thesis.tex")


def test_a_failure_leaves_the_old_report(made, tmp_path, monkeypatch):
    out = tmp_path / "report"
    write_report(made / "runs", out)
    before = (out / "data/board.js").read_bytes()
    monkeypatch.setattr(writing, "SampleDetails", lambda runs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_report(made / "runs", out)
    assert (out / "data/board.js").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_runs_that_cannot_be_reported(runs, tmp_path):
    with pytest.raises(RunFolderError, match=r"nothing: no such folder"):
        write_report(tmp_path / "nothing", tmp_path / "report")
    shutil.rmtree(runs / "oracle/strict")
    report = write_report(runs, tmp_path / "report").parent
    assert data(report, "board")["protocols"][0]["notes"][0] == "oracle: no scores by strict yet"
    shutil.rmtree(runs / "my editor/strict")
    with pytest.raises(InputError, match="contains no scores"):
        write_report(runs, tmp_path / "report")
    pages.write_json(runs / "run.json", {"suite": 3})
    with pytest.raises(InputError, match="'suite' is 3, expected text"):
        write_report(runs, tmp_path / "report")
    assert (tmp_path / "report/index.html").exists()


@pytest.mark.parametrize(
    ("truth", "prediction", "pieces"),
    [
        ("", "", []),
        ("same", "same", [["=", "same"]]),
        ("in 2023.", "in 2024.", [["=", "in 202"], ["-", "3"], ["+", "4"], ["=", "."]]),
        ("基金分析", "基金情况", [["=", "基金"], ["-", "分析"], ["+", "情况"]]),
        ("a very long day", "a long day", [["=", "a "], ["-", "very "], ["=", "long day"]]),
        ("wholly", "another", [["-", "wholly"], ["+", "another"]]),  # too unlike: no confetti of letters
        ("", "new", [["+", "new"]]),
        ("gone", "", [["-", "gone"]]),
    ],
)
def test_difference(truth, prediction, pieces):
    assert difference(truth, prediction) == pieces


def test_texts_too_long_to_align_are_shown_whole():
    long = "ab" * 15_000
    assert difference(long, "x" + long) == [["-", long], ["+", "x" + long]]


def reading(*texts):
    """Blocks one below the other, ten percent high."""
    return PageText(
        tuple(Block(Box(0, 10 * i, 100, 10 * i + 10), text) for i, text in enumerate(texts)), Size(100, 100)
    )


def block_row(state, truth, prediction, setting="global", region=None):
    return {
        "setting": setting,
        "region": region,
        "state": state,
        "label": "text",
        "truth": truth,
        "prediction": prediction,
        "iou": 0.5,
        "cdm": 0.5,
    }


SAMPLE = Sample("1", "text", regions=(Region(0, 0, 100, 5), Region(0, 20, 100, 10, Size(100, 100))))


def test_blocks_of_a_group_are_one_unit():
    sides = UnitPages(reading("one", "two"), reading("one two"))
    rows = [block_row("matched", 0, [0]), block_row("matched", 1, [0])]
    [unit] = units(rows, sides, SAMPLE, get_protocol("strict"), "filter")
    assert unit["truth"] == [[0, 0, 100, 10], [0, 10, 100, 10]]
    assert unit["text"] == [["=", "one two"]]


def test_a_prediction_of_another_size_is_placed_on_its_own_page():
    sides = UnitPages(reading("one"), PageText((Block(Box(0, 0, 25, 5), "one"),), Size(50, 50)))
    [unit] = units([block_row("matched", 0, [0])], sides, SAMPLE, get_protocol("strict"), "filter")
    assert unit["prediction"] == [[0, 0, 50, 10]]


def test_filtered_blocks_are_counted_from_the_first_that_meets_a_region():
    sample = Sample("1", "text", regions=(Region(0, 20, 100, 10, Size(100, 100)),))  # over the third block
    sides = UnitPages(reading("a", "b", "third"), reading("a", "b", "thirt"))
    rows = [block_row("matched", 0, [0], "local")]
    [unit] = units(rows, sides, sample, get_protocol("vde-release"), "filter")
    assert unit["text"] == [["=", "thir"], ["-", "d"], ["+", "t"]]
    # by `strict` the numbers are those of the whole page
    [unit] = units([block_row("matched", 2, [2], "local")], sides, sample, get_protocol("strict"), "filter")
    assert unit["text"] == [["=", "thir"], ["-", "d"], ["+", "t"]]


def test_rows_that_point_nowhere_are_left_out():
    assert (
        units(
            [block_row("matched", 7, [0])],
            UnitPages(reading("a"), reading("a")),
            SAMPLE,
            get_protocol("strict"),
            "filter",
        )
        == []
    )


def results_of(*editors):
    """Results made by hand: an editor's name, its LPIPS, and the CDM of its OCR ceiling."""
    found = []
    for editor, lpips, floor in editors:
        means = {"cdm": 0.5, "lpips": lpips, "gt_blocks": 1, "images": 1, "identical": 0}
        summary = {
            "editor": editor,
            "signature": "vde|p:strict",
            "coverage": {"samples": 1, "scored": 1, "missing": 0, "failed": 0},
            "overall": {"local": None, "global": {**means, "intervals": {"cdm": [0.4, 0.6]}}},
            "by": {},
            "ocr_ceiling": {"scores": {"global": {"cdm": floor}}, "loss": {"global": {"cdm": 1 - floor}}, "by": {}},
            "unavailable": {},
            "notes": [],
        }
        found.append(ScoredEditor(editor, get_protocol("strict"), Path(), summary))
    return found


def test_floors_of_other_samples_stand_apart():
    same = board(results_of(("a", 0.2, 0.9), ("b", 0.1, 0.9)))["rows"]
    assert [(row["editor"], row.get("of")) for row in same] == [("a", None), ("b", None), ("(reference)", ["a", "b"])]
    apart = board(results_of(("a", 0.2, 0.9), ("b", 0.1, 0.8), ("c", 0.1, 0.9)))["rows"]
    assert [row["of"] for row in apart[3:]] == [["a", "c"], ["b"]]
    assert apart[4]["cells"]["global"]["cdm"] == {"value": 0.8}


def test_intervals_and_the_lower_of_two_being_better():
    a, b, _ = board(results_of(("a", 0.2, 1), ("b", 0.1, 1)))["rows"]
    assert a["cells"]["global"]["cdm"] == {"value": 0.5, "low": 0.4, "high": 0.6, "best": True}  # a tie: both
    assert "best" not in a["cells"]["global"]["lpips"]
    assert b["cells"]["global"]["lpips"] == {"value": 0.1, "best": True}
    assert set(a["cells"]) == {"global"}  # a setting that was not scored has no column
    assert cell(None, "cdm") is None


def test_several_protocols(tmp_path):
    suite = site_runs.make_suite(tmp_path / "suite", 1)
    runs = site_runs.make_runs(tmp_path / "runs", suite, 1, protocols=("strict", "vde-release"))
    report = write_report(runs, tmp_path / "report").parent
    assert [one["name"] for one in data(report, "board")["protocols"]] == ["strict", "vde-release"]
    for protocol in ("strict", "vde-release"):
        states = {unit["state"] for unit in of_editor(report, f"{protocol}/my editor", "0")[0]["units"]["global"]}
        assert states == {"matched", "missed", "invented"}
