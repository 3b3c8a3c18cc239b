"""`vde-release`: how image files are opened, cropped and averaged, by the release's rules and against an oracle."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.colours import HEIGHT, WIDTH, paint, region, run
from tests.oracle import release_images as plain
from vdebench.core.box import Box, Size
from vdebench.core.images import PixelBox
from vdebench.core.sample import Region, Sample
from vdebench.io.images import image_size, open_image
from vdebench.pipeline.scoring.edit_traces import trace_row
from vdebench.pipeline.scoring.image_metrics import ImagePair
from vdebench.protocols import get_protocol
from vdebench.protocols.pages.means import means, totals
from vdebench.stats.stored import matrix, read_run
from vdebench.suites.suite import load_suite

RELEASE = get_protocol("vde-release")


def noise(seed, channels=3, size=(WIDTH, HEIGHT)):
    shape = (size[1], size[0], channels) if channels > 1 else (size[1], size[0])
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def save_rgba(file, seed):
    Image.fromarray(noise(seed, 4)).save(file.with_suffix(".png"))


def save_grey_alpha(file, seed):
    Image.fromarray(noise(seed, 2)).save(file.with_suffix(".png"))


def save_palette(file, seed):
    picture = Image.fromarray(noise(seed, 1) % 7)
    picture = Image.frombytes("P", picture.size, picture.tobytes())
    picture.putpalette(noise(seed + 1)[0, :7].ravel().tolist())
    transparency = (3, bytes([0, 90, 255, 10, 255, 0, 255]))[seed % 2]
    picture.save(file.with_suffix(".png"), transparency=transparency)


def save_transparent_colour(file, seed):
    values = noise(seed) // 128 * 200
    Image.fromarray(values).save(file.with_suffix(".png"), transparency=(0, 200, 0))


def save_turned_jpeg(file, seed):
    exif = Image.Exif()
    exif[0x0112] = 1 + seed % 8
    Image.fromarray(noise(seed)).save(file.with_suffix(".jpg"), exif=exif, quality=95)


def save_smaller(file, seed):
    Image.fromarray(noise(seed, size=(97, 151))).save(file.with_suffix(".png"))


def save_plain(file, seed):
    Image.fromarray(noise(seed)).save(file.with_suffix(".png"))


SAVERS = [save_rgba, save_grey_alpha, save_palette, save_transparent_colour, save_turned_jpeg, save_smaller, save_plain]


@pytest.mark.parametrize("save", SAVERS)
@pytest.mark.parametrize("seed", [0, 5, 7])
def test_raw_opening_gives_the_stored_colours(tmp_path, save, seed):
    save(tmp_path / "page", seed)
    (file,) = tmp_path.iterdir()
    found = open_image(file, "raw")
    assert np.array_equal(found, plain.opened(file))
    assert tuple(image_size(file, "raw")) == (found.shape[1], found.shape[0])


def test_raw_opening_keeps_the_colour_under_transparent_pixels(tmp_path):
    Image.new("RGBA", (4, 4), (10, 20, 30, 0)).save(tmp_path / "page.png")
    assert open_image(tmp_path / "page.png", "raw")[0, 0].tolist() == [10, 20, 30]
    assert open_image(tmp_path / "page.png")[0, 0].tolist() == [255, 255, 255]


@pytest.mark.parametrize(
    ("percent", "expected"),
    [
        # A page of 200×300. x: 10.3 % = 20.6 → 20, 10.3 + 50 % = 120.6 → 120; y: 10.5 % = 31.5 → 31, 60.7 % = 182.1 → 182
        ((10.3, 10.5, 50, 50.2), (20, 31, 120, 182)),
        ((-3, -3, 53, 53), (0, 0, 100, 150)),  # over the edge: cut off
        ((60, 50, 70, 90), (120, 150, 200, 300)),
        ((0, 0, 100, 100), (0, 0, 200, 300)),
    ],
)
def test_edges_are_truncated(percent, expected):
    assert tuple(PixelBox.truncated(Box.from_percent(*percent, Size(200, 300)), Size(200, 300))) == expected


@pytest.mark.parametrize(
    ("percent", "expected"),
    [
        ((10.1, 10, 0.2, 0.1), (20, 30, 21, 31)),  # 20.2 and 20.6 are one pixel: never empty
        ((120, 130, 5, 5), (199, 299, 200, 300)),  # beside the page: its last pixel
        ((-20, -20, 5, 5), (0, 0, 1, 1)),
    ],
)
def test_a_box_is_never_empty(percent, expected):
    assert tuple(PixelBox.truncated(Box.from_percent(*percent, Size(200, 300)), Size(200, 300))) == expected


percents = st.floats(-10, 110)
regions = st.lists(st.tuples(percents, percents, st.floats(0, 80), st.floats(0, 80)), min_size=1, max_size=3)


class Blank(ImagePair):
    """A pair of which only the size is looked at."""

    def __init__(self, size):
        self.size = size


@given(regions, st.integers(1, 700), st.integers(1, 700))
def test_the_crop_of_any_regions_equals_the_oracle(found, width, height):
    sample = Sample(id="0", group="text", regions=tuple(Region(*each) for each in found))
    labels = [dict(zip(("x", "y", "width", "height"), each, strict=True)) for each in found]
    assert [tuple(crop) for crop in Blank(Size(width, height)).crops(sample, RELEASE)] == [
        plain.crop(labels, width, height)
    ]


def test_other_protocols_crop_every_pixel_that_a_region_touches():
    sample = Sample(id="0", group="text", regions=(Region(10.3, 10.5, 50, 50.2),))
    for name in ("vde-v3", "vde-v1", "strict"):
        assert [tuple(crop) for crop in Blank(Size(200, 300)).crops(sample, get_protocol(name))] == [(20, 31, 121, 183)]


def test_image_metrics_of_files_of_all_kinds_equal_the_oracle(make):
    where = (region(10.3, 20.7, 41.1, 30.3), region(33.3, 44.4, 5.5, 6.6))
    suite, editor = make(10, regions=where)
    rng = random.Random(2)
    pairs = []
    for index in range(10):
        reference = suite / f"images/page_{index}.png"
        if index % 3 == 0:
            Image.fromarray(noise(100 + index, rng.choice([3, 4]))).save(reference)
        SAVERS[index % 7](editor / f"page_{index}", index)
        (file,) = editor.glob(f"page_{index}.*")
        pairs.append((file, reference))
    first = run(suite, editor, protocol="strict").summary["overall"]  # its values are in the same cache
    found = run(suite, editor, protocol="vde-release").summary["overall"]
    assert found["global"]["psnr"] == pytest.approx(plain.mean_psnr(pairs), abs=1e-9)
    assert found["local"]["psnr"] == pytest.approx(plain.mean_psnr(pairs, where), abs=1e-9)
    assert first == run(suite, editor, protocol="strict").summary["overall"]


def test_alpha_and_exif_are_ignored_by_the_release_and_seen_by_all_others(make):
    """Reference 0 is black. A black page at alpha 0 looks white; a page turned by EXIF lies on its side."""
    suite, editor = make(2)
    Image.new("RGBA", (WIDTH, HEIGHT), (0, 0, 0, 0)).save(editor / "page_0.png")
    half = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    half[:, WIDTH // 2 :] = 255
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(half).save(suite / "images/page_1.png")
    Image.fromarray(half).save(editor / "page_1.png", exif=exif)
    for name in ("strict", "vde-v3"):
        means = run(suite, editor, protocol=name, setting="global").summary["overall"]["global"]
        assert means["identical"] == 0
    released = run(suite, editor, protocol="vde-release", setting="global")
    assert released.summary["overall"]["global"]["identical"] == 2
    assert released.scores.select("width", "height").rows() == [(WIDTH, HEIGHT)] * 2
    other = run(suite, editor, protocol="strict", setting="global")
    assert other.scores.select("width", "height").rows() == [(WIDTH, HEIGHT), (HEIGHT, WIDTH)]


def off_by_one(file, values):
    """So many values of a page of 200×300 pixels, 180,000 values, are one higher."""
    with Image.open(file) as picture:
        pixels = np.array(picture)
    pixels.reshape(-1)[:values] += 1
    Image.fromarray(pixels).save(file)


def test_psnr_of_100_and_more_is_left_out_of_the_mean(make, tmp_path):
    """One value of 180,000 off by one is 10 log10(255² · 180,000) = 100.68 dB, two are 97.67 dB."""
    suite, editor = make(4)
    for index in range(4):
        paint(editor / f"page_{index}.png", index)
    off_by_one(editor / "page_1.png", 1)
    off_by_one(editor / "page_2.png", 2)
    one, two = (10 * math.log10(255**2 * 180_000 / values) for values in (1, 2))
    assert (one, two) == (pytest.approx(100.684, abs=1e-3), pytest.approx(97.673, abs=1e-3))
    files = [(editor / f"page_{index}.png", suite / f"images/page_{index}.png") for index in range(4)]
    assert plain.mean_psnr(files) == pytest.approx(two, abs=1e-9)

    released = run(suite, editor, setting="global", protocol="vde-release", out=tmp_path / "run").summary
    means = released["overall"]["global"]
    assert means["psnr"] == pytest.approx(two, abs=1e-9)
    assert means["psnr_finite"] == pytest.approx((one + two) / 2)
    assert (means["images"], means["identical"]) == (4, 2)
    assert "psnr_below_100" not in means
    paper = run(suite, editor, setting="global", protocol="vde-v3").summary["overall"]["global"]
    assert paper["psnr"] == pytest.approx((one + two) / 2)
    kept = matrix(read_run(tmp_path / "run"), "global", ["psnr", "psnr_finite"])  # what intervals are made of
    assert kept.means().tolist() == pytest.approx([two, (one + two) / 2])


@pytest.mark.parametrize(("error", "expected"), [(6.5025e-6, None), (6.503e-6, 99.9997), (6.502e-6, None), (0.0, None)])
def test_100_decibel_exactly_is_left_out(error, expected):
    """255² / 10¹⁰ = 6.5025e-6."""
    psnr = 10 * math.log10(255**2 / error) if error else math.inf
    rows = pl.DataFrame({"mse": [error], "psnr": [psnr], "width": [10]})
    assert means(totals([rows], [], RELEASE)[()], RELEASE)["psnr"] == (expected and pytest.approx(expected, abs=1e-4))


def test_edit_traces_are_cached_by_image_opening(make):
    """A protocol of one's own may judge usable edits on files opened either way."""
    suite, editor = make(1)
    paint(suite / "before/page_0.png", 0)
    Image.new("RGBA", (WIDTH, HEIGHT), (0, 0, 0, 0)).save(editor / "page_0.png")  # black, and seen as white
    with (suite / "suite.toml").open("a") as file:
        file.write('source_images = "before"\n')
    loaded = load_suite(suite)
    (sample,) = loaded.samples
    files = editor / "page_0.png", suite / "images/page_0.png"
    seen = [
        trace_row(loaded, sample, "local", ImagePair(*files, opening))["visual_fidelity"]
        for opening in ("composited", "raw")
    ]
    assert seen[0] < 0.5
    assert seen[1] == 1.0


def test_image_rules_are_declared():
    own = (RELEASE.image_opening, RELEASE.image_local, RELEASE.psnr)
    assert own == ("raw", "hull truncated", "below 100")
    for name in ("vde-v3", "vde-v1"):
        protocol = get_protocol(name)
        assert (protocol.image_opening, protocol.image_local, protocol.psnr) == ("composited", "hull", "finite")
    assert replace(RELEASE, psnr="finite") != RELEASE
    rules = " ".join(RELEASE.rules)
    for words in ("without EXIF rotation", "alpha", "truncated", "below 100", "HTML tags of tables", "never closed"):
        assert words in rules
