"""Scoring that starts from images: who reads them, what becomes of bad ones, what is not done twice."""

from __future__ import annotations

import math

import pytest

from tests.colours import ColourReader, paint, run
from vdebench import load_suite
from vdebench.errors import ReaderError, VdeError
from vdebench.pipeline.evaluation import open_predictions
from vdebench.pipeline.options import ScoreOptions
from vdebench.readers.cached import CachedReader


def test_images_are_read_and_compared(make):
    suite, editor = make(3)
    for index in range(3):
        paint(editor / f"page_{index}.png", index)
    result = run(suite, editor)
    for setting in ("global", "local"):
        means = result.summary["overall"][setting]
        assert (means["cdm"], means["ssim"], means["images"], means["identical"]) == (1.0, 1.0, 3, 3)
        assert means["psnr"] is None  # infinite, and JSON has no such number
    assert result.scores["psnr"].to_list() == [math.inf] * 6
    assert "reader:colour@1#" in result.signature
    assert "|gt:suite,crops:ocr|ceiling:reader|images:mse-1,ssim-uniform7-1,lanczos-1|" in result.signature


def test_errors_in_a_file_are_a_state_of_its_sample(make):
    suite, editor = make(5)
    paint(editor / "page_0.png", 0)
    paint(editor / "page_1.jpg", 1)
    paint(editor / "page_1.png", 1)
    (editor / "page_2.png").write_bytes((suite / "images/page_2.png").read_bytes()[:60])
    (editor / "page_3.png").write_bytes(b"not an image")
    result = run(suite, editor)
    assert result.summary["coverage"] == {"samples": 5, "scored": 1, "missing": 1, "failed": 3}
    reasons = dict(result.failures)
    assert "page_1.jpg and" in reasons["text/1"]
    assert "could both be its image; keep one" in reasons["text/1"]
    assert "page_2.png" in reasons["text/2"]
    assert "page_3.png: is no image we know" in reasons["text/3"]


def test_file_names_of_another_suite_are_refused(make):
    suite, editor = make(1)
    paint(editor / "strange.png", 0)
    with pytest.raises(
        VdeError, match=r"no image of any sample here: found strange\.png\n  expected names like page_0"
    ):
        run(suite, editor)


def test_second_run_and_other_protocol_use_the_caches(make, monkeypatch, tmp_path):
    suite, editor = make(3)
    for index in range(3):
        paint(editor / f"page_{index}.png", index + 1)
    reader = ColourReader()
    first = run(suite, editor, reader, protocol="vde-v3")
    assert reader.reads == 4 + 4  # predictions 1 to 3, of which two are references too, and reference 0; their crops
    for place in ("vdebench.readers.cached", "vdebench.pipeline.scoring.image_metrics"):
        monkeypatch.setattr(f"{place}.open_image", lambda file, *_: pytest.fail(f"opened {file}"))
    again = run(suite, editor, reader, protocol="vde-v3", out=tmp_path / "run")
    assert again.summary["overall"] == first.summary["overall"]
    run(suite, editor, reader, protocol="vde-v1")


def test_folder_of_images_or_ocr_output_is_detected(make, tmp_path):
    from vdebench.suites.suite import load_suite

    suite, editor = make(1)
    loaded = load_suite(suite)
    assert open_predictions(editor, loaded).page(loaded.samples[0]) is None  # empty: all predictions are missing
    assert open_predictions(suite / "readings", loaded).reader == "unstated"
    paint(editor / "page_0.png", 0)
    assert open_predictions(editor, loaded).reader.startswith("rapidocr@")
    with pytest.raises(VdeError, match="no reader is called 'x'"):
        open_predictions(editor, loaded, ScoreOptions(reader="x"))


class Passing(ColourReader):
    """Fails at first, succeeds later."""

    broken = True

    def read(self, image):
        if self.broken:
            raise ReaderError("the server is away")
        return super().read(image)


def test_failed_samples_are_retried_by_the_next_call(make, tmp_path):
    suite, editor = make(2)
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    reader = Passing()
    first = run(suite, editor, reader, out=tmp_path / "run")
    assert first.summary["coverage"]["failed"] == 2
    reader.broken = False
    again = run(suite, editor, reader, out=tmp_path / "run")
    assert again.summary["coverage"] == {"samples": 2, "scored": 2, "missing": 0, "failed": 0}
    assert again.summary["ocr_ceiling"]["scores"]["global"]["cdm"] == 1.0
    assert len(again.scores) == 4


def test_failure_is_removed_after_successful_ocr(make):
    suite, _ = make(1)
    reader = Passing()
    one, other = CachedReader(reader), CachedReader(reader)
    with pytest.raises(ReaderError):
        one.read(suite / "images/page_0.png")
    reader.broken = False
    other.read(suite / "images/page_0.png")
    assert one.read(suite / "images/page_0.png").blocks[0].content == "alpha"


def test_broken_file_of_the_suite_does_not_stop_the_run(make):
    suite, editor = make(2)
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    paint(suite / "images/page_1.jpg", 1)  # a second reference
    with (suite / "suite.toml").open("a") as file:
        file.write('source_images = "before"\n')
    (suite / "before").mkdir()
    (suite / "before/page_0.png").write_bytes(b"no image")
    found = run(suite, editor)
    assert found.summary["coverage"]["failed"] >= 1
    assert found.summary["overall"]["global"]["samples"]["scored"] == 2


def test_stray_json_files_do_not_turn_images_into_ocr_output(make):
    suite, editor = make(2)
    paint(editor / "page_0.png", 0)
    (editor / "meta.json").write_text("{}")
    assert run(suite, editor).summary["coverage"]["scored"] == 1
    (editor / "page_0.json").write_bytes((suite / "readings/page_0.json").read_bytes())
    paint(editor / "page_1.png", 1)
    with pytest.raises(VdeError, match="contains OCR output of 1 samples and images of 2"):
        run(suite, editor)


def test_opened_empty_folder_is_scored_as_images(make):
    suite, editor = make(2)
    with pytest.raises(
        VdeError, match=r"the folder is empty\n  expected names like page_0\.png \(for sample text/0\), p"
    ):
        run(suite, editor)
    loaded = load_suite(suite)
    found = run(loaded, open_predictions(editor, loaded, ScoreOptions(reader=CachedReader(ColourReader()))))
    assert found.summary["coverage"]["missing"] == 2
    assert "reader:colour@1" in found.signature
    assert found.summary["overall"]["global"]["images"] == 2
