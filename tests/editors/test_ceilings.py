"""Ceilings: the reference at a lower resolution, and as JPEG."""

from __future__ import annotations

import json
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from tests.commands import vde
from vdebench.editors.ceilings import working_size
from vdebench.editors.editor import EditTask
from vdebench.editors.factory import get_editor
from vdebench.errors import EditorError, VdeError
from vdebench.io.images import open_image
from vdebench.readers.reader import READERS
from vdebench.suites.suite import ImageFiles, load_suite

SUITE = "typeset:n=2,seed=17,languages=en,kinds=note,ppi=48,operations=text_replace"


def psnr(one, other):
    return 10 * np.log10(255**2 / np.mean((one.astype(float) - other) ** 2))


@pytest.fixture
def reference(tmp_path):
    """A file of 90×70 pixels: smooth colours with a fine black grid."""
    down, across = np.mgrid[:70, :90]
    pixels = np.stack([100 + across, 100 + 2 * down, 200 - across], -1).astype(np.uint8)
    pixels[::5], pixels[:, ::5] = 0, 0
    file = tmp_path / "reference.png"
    Image.fromarray(pixels).save(file)
    return file


def edited(name, reference, **options):
    task = EditTask(np.full((8, 8, 3), 7, np.uint8), "Replace 'a' with 'b'", files=ImageFiles(reference=reference))
    edit = get_editor(name, **options).run_task(task)
    assert edit.state == "edited"
    assert edit.image.dtype == np.uint8
    assert edit.native_size == (90, 70)
    return edit


def test_resize_is_pillow_s_lanczos_there_and_back(reference):
    # 0.002 · 1024² = 2097 px; √(2097 · 90 / 70) = 51.9, √(2097 · 70 / 90) = 40.4; nearest multiples of 16: 48, 48 (2.52)
    edit = edited("resize", reference, megapixels=0.002)
    lanczos = Image.Resampling.LANCZOS
    expected = Image.open(reference).resize((48, 48), lanczos).resize((90, 70), lanczos)
    assert (edit.image == np.asarray(expected)).all()
    assert edit.parameters == {"sent_size": [48, 48]}


def test_fewer_pixels_lose_more(reference):
    pixels = open_image(reference)
    losses = [psnr(edited("resize", reference, megapixels=number).image, pixels) for number in ("0.001", "0.004", 1)]
    assert losses == sorted(losses)
    assert losses[0] + 10 < losses[2]


def test_a_page_of_the_working_size_is_unchanged(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "page.png")
    task = EditTask(pixels, "x", files=ImageFiles(reference=tmp_path / "page.png"))
    assert (get_editor("resize", megapixels=64 * 64 / 1024**2).run_task(task).image == pixels).all()


def test_sizes():
    strip = np.zeros((10, 4000, 3), np.uint8)
    assert working_size(strip, 0.01) == (2048, 16)  # √(10486 · 400) = 2048, 5.1: at least 16
    assert working_size(strip, 1, step=32) == (20480, 64)  # √(1048576 · 400) = 20480, 51.2


def test_jpeg_is_pillow_s(reference):
    file = BytesIO()
    Image.open(reference).save(file, "JPEG", quality=75)
    edit = edited("jpeg", reference)
    assert (edit.image == np.asarray(Image.open(file))).all()  # 4:2:0 is also Pillow's own choice
    assert edit.parameters == {"bytes": len(file.getvalue())}


def test_lower_quality_loses_more(reference):
    pixels = open_image(reference)
    edits = [edited("jpeg", reference, quality=number) for number in ("1", 30, 90)]
    losses = [psnr(edit.image, pixels) for edit in edits]
    sizes = [edit.parameters["bytes"] for edit in edits]
    assert (losses, sizes) == (sorted(losses), sorted(sizes))


def test_a_page_that_jpeg_cannot_hold():
    with pytest.raises(EditorError, match="jpeg: a page of 65501×1 cannot be stored as JPEG"):
        get_editor("jpeg").edit_reference(np.zeros((1, 65501, 3), np.uint8))


@pytest.mark.parametrize("name", ["oracle", "resize", "jpeg"])
def test_without_a_reference_they_refuse(name):
    edit = get_editor(name).edit(np.zeros((8, 8, 3), np.uint8), "x")
    assert (edit.state, edit.reason) == ("refused", "the suite has no reference image of this sample")


def test_identities():
    assert get_editor("resize").identity == {
        "name": "resize", "version": "1", "megapixels": "1.0", "resizing": "lanczos-1, to multiples of 16",
    }  # fmt: skip
    assert get_editor("resize", megapixels="1").identity == get_editor("resize").identity
    assert get_editor("resize", megapixels="0.5").identity["megapixels"] == "0.5"
    assert get_editor("jpeg", quality="30").identity == {
        "name": "jpeg", "version": "1", "quality": "30", "subsampling": "4:2:0",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("resize", {"megapixels": "0"}, "resize: megapixels is '0', expected a number above 0, at most 170"),
        ("resize", {"megapixels": "-1"}, "expected a number above 0, at most 170"),
        ("resize", {"megapixels": "1e6"}, "expected a number above 0, at most 170"),
        ("resize", {"megapixels": "many"}, "resize: megapixels is 'many', expected a number"),
        ("resize", {"megapixels": "nan"}, "resize: megapixels is 'nan', expected a number"),
        ("resize", {"megapixels": ""}, "resize: megapixels is '', expected a number above 0"),
        ("resize", {"quality": 75}, "the editor resize has no option 'quality'; it has: megapixels"),
        ("jpeg", {"quality": "0"}, "jpeg: quality is '0', expected a whole number, 1 or more"),
        ("jpeg", {"quality": "101"}, "jpeg: quality is 101, expected 1 to 100"),
        ("jpeg", {"quality": "high"}, "jpeg: quality is 'high', expected a whole number"),
    ],
)
def test_options_that_make_no_sense(name, options, told):
    with pytest.raises(VdeError) as error:
        get_editor(name, **options)
    assert told in str(error.value)


def test_a_run_of_a_generated_suite(tmp_path, monkeypatch):
    monkeypatch.setitem(READERS, "stripe", "tests.report.site_runs:StripeReader")  # fast; what it reads does not matter
    editors = ["-e", "oracle", "-e", "resize", "-e", "small=resize", "-e", "jpeg"]
    command = ["run", SUITE, *editors, "--editor-option", "small.megapixels=0.05", "--metrics", "psnr"]
    vde(*command, "--reader", "stripe", "--workers", 1, "--out", tmp_path / "runs")
    suite = load_suite(SUITE)
    for sample in suite.samples:
        reference = open_image(suite.image_files(sample).reference)
        name = suite.output_name(sample)
        images = {
            one: open_image(tmp_path / f"runs/{one}/images/{name}.png") for one in ("oracle", "resize", "small", "jpeg")
        }
        assert all(image.shape == reference.shape for image in images.values())
        assert (images["oracle"] == reference).all()
        assert psnr(images["small"], reference) < psnr(images["resize"], reference)
        assert 20 < psnr(images["jpeg"], reference) < 60
    assert json.loads((tmp_path / "runs/small/editor.json").read_text())["megapixels"] == "0.05"
