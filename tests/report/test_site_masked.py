"""The report of runs around masks: its data; what the page makes of it is tested in a browser."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import polars as pl
import pytest
from PIL import Image

from tests.report import masked_runs, site_runs
from tests.report.masked_runs import FIRST, KEYS, SECOND
from tests.report.site_runs import EVIL
from tests.report.test_site import data, of_editor
from vdebench.errors import InputError
from vdebench.pipeline.score import score
from vdebench.readers.reader import READERS
from vdebench.report.site import write_report
from vdebench.report.site.board import cell
from vdebench.report.site.pictures import AREAS, areas, draw_mask


@pytest.fixture(scope="module")
def made(tmp_path_factory, _cache):
    root = tmp_path_factory.mktemp("masked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VDE_CACHE", str(_cache))
        masked_runs.make_runs(root / "runs", masked_runs.make_suite(root / "suite"))
    return root


@pytest.fixture(scope="module")
def report(made):
    return write_report(made / "runs", made / "report").parent


def board_of(report, protocol):
    [found] = [one for one in data(report, "board")["protocols"] if one["name"] == protocol]
    return found


def test_leaderboard_shows_the_summaries_numbers(report, made):
    assert [one["name"] for one in data(report, "board")["protocols"]] == list(masked_runs.PROTOCOLS)
    for protocol in masked_runs.PROTOCOLS:
        shown = board_of(report, protocol)
        assert (shown["track"], list(shown["settings"])) == ("pixels", ["outside"])
        for row in shown["rows"]:
            summary = json.loads((made / "runs" / row["editor"] / protocol / "summary.json").read_text())
            assert row["coverage"] == summary["coverage"]
            for key, found in row["cells"]["outside"].items():
                assert (found or {}).get("value") == summary["overall"]["outside"][key], (protocol, key)


def test_columns_are_those_of_the_tables_that_have_numbers(report):
    shown = board_of(report, "strict")
    keys = ["score", "done", "untouched", "ssim", "psnr", "mse", "ssim_raw", "psnr_raw"]  # no reader, no LPIPS
    assert [metric["key"] for metric in shown["metrics"]] == keys
    assert [(metric["title"], metric["best"], metric["digits"]) for metric in shown["metrics"]] == [
        *(("Score", "higher", 3), ("Done", "higher", 3), ("Untouched", "lower", 3), ("SSIM", "higher", 3)),
        *(("PSNR", "higher", 2), ("MSE", "lower", 1), ("raw SSIM", "higher", 3), ("raw PSNR", "higher", 2)),
    ]
    assert [metric["key"] for metric in board_of(report, "textedit")["metrics"]] == ["ssim", "psnr", "mse"]


def test_doing_nothing_is_told_as_such(report):
    copy, shift, mine = (row["cells"]["outside"] for row in board_of(report, "strict")["rows"])
    # the input is the reference outside the masks, to the bit
    assert copy["psnr"] == {"infinite": True, "best": True}
    assert copy["mse"] == {"value": 0, "low": 0, "high": 0, "best": True}
    assert copy["untouched"] == {"value": 1, "low": 1, "high": 1}
    assert copy["score"]["value"] == 0
    assert shift["score"]["best"]
    assert shift["done"]["value"] > 0.9
    assert shift["untouched"]["value"] == pytest.approx(1 / 3)  # nothing was asked of a sample without reference
    assert "best" not in shift["psnr"]
    # nothing made, nothing done; what is not there is none
    assert (mine["score"]["value"], mine["ssim"]) == (0, None)


@pytest.mark.parametrize(
    ("means", "key", "found"),
    [
        ({"psnr": None, "identical": 1, "images": 3, "identical_raw": 0}, "psnr", {"infinite": True}),
        ({"psnr": None, "identical": 1, "images": 3, "identical_raw": 0}, "psnr_raw", None),
        ({"psnr": None, "identical": 0, "images": 3, "identical_raw": 0}, "psnr", None),
        ({"psnr_raw": None, "identical": 0, "images": 3, "identical_raw": 3}, "psnr_raw", {"infinite": True}),
        ({"psnr": None, "identical": 1, "images": 3}, "psnr", None),  # whole pages: only where all are identical
        ({"psnr": None, "identical": 3, "images": 3}, "psnr", {"infinite": True}),
        ({"psnr": 40.0, "identical": 1, "images": 3, "identical_raw": 0}, "psnr", {"value": 40.0}),
    ],
)
def test_infinite_psnr(means, key, found):
    assert cell(means, key) == found


def test_notes(report):
    notes = board_of(report, "strict")["notes"]
    assert "copy: alignment: 3 in_place" in notes
    assert "shift: alignment: 3 aligned" in notes
    assert "my editor: 3 samples, 0 scored, 3 missing, 0 failed" in notes
    assert any("shift: 1 output with another size than the page" in note and "400×300" in note for note in notes)
    assert any(": vde|p:strict|" in note and "track:pixels" in note for note in notes)


def test_breakdowns(report, made):
    shown = board_of(report, "strict")
    assert list(shown["slices"]) == ["group", "operation", "source", "tier"]
    assert (shown["titles"], shown["count"]) == ({"group": "split", "source": "topic"}, "samples")
    assert {name: list(values) for name, values in shown["slices"].items()} == {
        "group": ["manual", "web"],
        "operation": ["text_insert"],
        "source": ["Packaging & Logistics"],
        "tier": ["easy", "medium"],
    }
    summary = json.loads((made / "runs/shift/strict/summary.json").read_text())
    manual = shown["slices"]["group"]["manual"]["editors"]["shift"]["outside"]
    assert manual["ssim"]["value"] == summary["by"]["group"]["manual"]["outside"]["ssim"]
    assert manual["samples"] == {"value": 2}


def test_rows_of_samples(report, made):
    rows = of_editor(report, "strict/shift", "index")
    scores = pl.read_parquet(made / "runs/shift/strict/scores.parquet")
    assert [row["state"] for row in rows] == ["scored"] * 3
    for row, wanted in zip(rows, scores.iter_rows(named=True), strict=True):
        numbers = row["scores"]["outside"]
        for key in ("ssim", "ssim_raw", "mse", "mse_raw", "psnr", "psnr_raw"):
            assert numbers[key] == pytest.approx(wanted[key], abs=1e-5)
        assert "untouched" not in numbers  # a share of many
        assert numbers["mse"] < numbers["mse_raw"]
        assert (row["alignment"], row["transform"]) == ("aligned", wanted["transform"])
    assert [row["against"] for row in rows] == ["reference", "reference", "input"]
    assert [row["outcomes"] for row in rows] == [["changed"], ["changed"], ["untouched"]]
    # moved by 3 and 2, so it comes back by as much; the second is twice as large
    first, second = (np.array(row["transform"]) for row in rows[:2])
    assert first == pytest.approx(np.array([[1, 0, -3], [0, 1, -2]]), abs=0.15)
    assert second[:, :2] == pytest.approx(np.eye(2) / 2, abs=0.01)
    copied = of_editor(report, "strict/copy", "index")
    assert [row["scores"]["outside"]["psnr"] for row in copied] == ["∞"] * 3
    assert [(row["alignment"], row["transform"]) for row in copied] == [("in_place", None)] * 3  # raw is what counts


def test_the_release_compares_with_the_input_and_looks_for_jpeg(report):
    rows = of_editor(report, "textedit-release/copy", "index")
    assert [row["against"] for row in rows] == ["input"] * 3
    assert [row["state"] for row in rows] == ["missing"] * 3
    assert "finds only .jpg files" in rows[0]["reason"]
    assert rows[0]["scores"] == {}
    assert rows[0]["image"]["thumb"]  # it is there, and shown
    assert of_editor(report, "textedit-release/copy", "0")[0]["facts"] == {}


def test_what_was_not_made_is_a_state(report):
    rows = of_editor(report, "strict/my editor", "index")
    assert [row["state"] for row in rows] == ["missing", "refused", "missing"]
    assert rows[1]["reason"] == f"cannot parse {EVIL}"
    assert [row["scores"] for row in rows] == [{}, {}, {}]
    assert [row["alignment"] for row in rows] == ["none"] * 3


def test_facts_of_a_sample(report):
    first, second, third = (
        {title: dict(facts) for title, facts in detail["facts"].items()}
        for detail in of_editor(report, "strict/shift", "0")
    )
    lie = first["Alignment"]
    assert (lie["Compared with"], lie["State"]) == ("the reference", "aligned")
    right, down = map(float, re.findall(r"[+-][\d.]+", lie["Shift"]))
    assert (right, down) == pytest.approx((-3, -2), abs=0.1)
    assert float(lie["Scale"]) == pytest.approx(1, abs=0.002)
    assert "Size" not in lie
    assert re.fullmatch(r"\d+, of which \d+ fit", lie["Matches"])
    # the same, of an output twice as large: seen in pixels of the page
    right, down = map(float, re.findall(r"[+-][\d.]+", second["Alignment"]["Shift"]))
    assert (right, down) == pytest.approx((-3, -2), abs=0.4)
    assert float(second["Alignment"]["Scale"]) == pytest.approx(0.5, abs=0.005)
    assert second["Alignment"]["Size"] == "400×300 pixels, not the page's"
    # two masks of 40 × 24 of 200 × 150 pixels
    assert first["Inside the masks"]["Share of the page"] == "6.40 %"
    assert float(first["Inside the masks"]["Done, in pixels"]) > 0.9
    assert third["Alignment"]["Compared with"] == "the input"
    assert "Done, in pixels" not in third["Inside the masks"]
    copied = dict(of_editor(report, "strict/copy", "0")[0]["facts"]["Alignment"])
    assert copied["State"].startswith("in place: the output without alignment")


def test_samples_and_their_masks(report):
    samples = data(report, "samples")
    assert [sample["key"] for sample in samples] == KEYS
    assert [sample["group"] for sample in samples] == ["manual", "manual", "web"]
    assert [sample["tier"] for sample in samples] == ["easy", "medium", "easy"]
    assert samples[1]["instruction"] == f"Write {EVIL}"
    for sample in samples:
        mask = sample["mask"]
        assert mask["size"] == [200, 150]
        # 40 and 96 of 200, 32 of 150; 40 × 24
        assert sorted(mask["areas"]) == [[20, 21.33, 20, 16], [48, 21.33, 20, 16]]
        assert (report / mask["image"]).stat().st_size < 2000
        with Image.open(report / mask["image"]) as image:
            alpha = np.asarray(image.convert("RGBA"))[..., 3]
        for x1, y1, x2, y2 in (FIRST, SECOND):
            inside = alpha[y1:y2, x1:x2]
            assert 0 < inside.min() == inside.max() < 80  # a light tint
            assert alpha[y1 - 1, x1] == alpha[y2, x1] == alpha[y1, x1 - 1] == alpha[y1, x2] == 255  # a line around
        assert alpha[44, 88] == 0  # between them
        assert alpha[140, 10] == 0


def test_no_text_can_leave_its_script(report, made):
    scripts = list(report.glob("data/**/*.js"))
    assert len(scripts) == 2 + 3 * 3 * 2
    for script in scripts:
        text = script.read_text(encoding="utf-8")
        assert "<" not in text, script
        assert str(made) not in text, script


def test_masks_that_do_not_fit_are_told(made, tmp_path):
    suite = shutil.copytree(made / "suite", tmp_path / "suite")
    [mask] = suite.rglob("text_insert_19_mask.jpg")
    Image.new("RGB", (60, 40), "white").save(mask)
    runs = masked_runs.make_runs(tmp_path / "runs", suite, ("strict",))
    report = write_report(runs, tmp_path / "report").parent
    first, second, _ = data(report, "samples")
    assert "60×40" in first["mask"]["reason"]
    assert str(tmp_path) not in first["mask"]["reason"]
    assert "areas" in second["mask"]
    row = of_editor(report, "strict/shift", "index")[0]
    assert (row["state"], row["scores"]) == ("failed", {})


def test_pages_that_went_since(made, tmp_path):
    suite = shutil.copytree(made / "suite", tmp_path / "suite")
    runs = masked_runs.make_runs(tmp_path / "runs", suite, ("strict",))
    [reference] = suite.rglob("text_insert_19.jpg")
    reference.unlink()
    report = write_report(runs, tmp_path / "report").parent
    lie = dict(of_editor(report, "strict/shift", "0")[0]["facts"]["Alignment"])
    assert "Scale" in lie
    assert "Shift" not in lie  # of what


def test_runs_without_scores(made, tmp_path):
    runs = shutil.copytree(made / "runs", tmp_path / "runs")
    for editor in ("copy", "shift", "my editor"):
        (runs / editor / "textedit/scores.parquet").unlink()
    shutil.rmtree(runs / "my editor/strict")
    report = write_report(runs, tmp_path / "report").parent
    assert [one["name"] for one in data(report, "board")["protocols"]] == ["strict", "textedit-release"]
    assert "my editor: no scores by strict yet" in board_of(report, "strict")["notes"]
    for file in runs.rglob("scores.parquet"):
        file.unlink()
    with pytest.raises(InputError, match="contains no scores"):
        write_report(runs, tmp_path / "report")


def test_pages_and_pixels_in_one_folder(tmp_path, monkeypatch):
    """A suite of pages that has masks, by a protocol of readings and by one of pixels."""
    monkeypatch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")
    suite = site_runs.make_suite(tmp_path / "suite")
    mask = np.zeros((site_runs.HEIGHT, site_runs.WIDTH, 3), np.uint8)
    mask[60:90, 20:180] = 255
    for index in range(4):
        masked_runs.save(suite / f"masks/page_{index}.png", mask)
    with (suite / "suite.toml").open("a") as file:
        file.write('masks = "masks"\n')
    runs = site_runs.make_runs(tmp_path / "runs", suite)
    about = json.loads((runs / "run.json").read_text())
    for editor in about["editors"]:
        folder, out = runs / editor / "images", runs / editor / "textedit"
        score(suite, folder, protocol="textedit", out=out, editor=editor, reader="none", metrics=["ssim"], workers=1)
    (runs / "run.json").write_text(json.dumps({**about, "protocols": ["strict", "textedit"]}))
    report = write_report(runs, tmp_path / "report").parent
    assert [one["track"] for one in data(report, "board")["protocols"]] == ["pages", "pixels"]
    assert "units" in of_editor(report, "strict/oracle", "0")[0]
    assert of_editor(report, "textedit/oracle", "index")[0]["scores"] == {"outside": {"ssim": 1}}
    [area] = data(report, "samples")[0]["mask"]["areas"]
    assert area == [10, 20, 80, 10]


def test_drawn_masks_reach_the_edge():
    mask = np.zeros((40, 60), bool)
    mask[:, :30] = True
    drawn = draw_mask(mask)
    assert drawn[0].tolist() == drawn[39].tolist() == [1] * 30 + [2, 2, 3, 3] + [0] * 26
    assert set(draw_mask(np.zeros((40, 60), bool)).ravel()) == {0}
    assert (areas(np.zeros((40, 60), bool)), areas(np.ones((40, 60), bool))) == ([], [[0, 0, 100, 100]])


def test_areas_are_the_largest_first_and_not_too_many():
    mask = np.zeros((400, 400), bool)
    for at in range(20):  # one wider than the other
        mask[at * 20 : at * 20 + 4, : 100 + at] = True
    found = areas(mask)
    assert len(found) == AREAS
    assert [width for _, _, width, _ in found] == [(119 - at) / 4 for at in range(AREAS)]
