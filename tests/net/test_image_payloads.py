"""Encoding of images: unscaled unless a limit is set."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import pytest
from PIL import Image

from vdebench.errors import InputError, VdeError
from vdebench.net.image_payloads import ImageInput, encode_image, parse_image_size

NOISE = np.random.default_rng(0).integers(0, 256, (40, 30, 3), np.uint8)


def pixels(sent):
    return np.asarray(Image.open(io.BytesIO(sent.content)).convert("RGB"))


def save(file, **options):
    Image.fromarray(NOISE).save(file, **options)
    return ImageInput("Image 1", file)


@pytest.mark.parametrize(("name", "media"), [("p.png", "image/png"), ("p.jpg", "image/jpeg")])
def test_png_and_jpeg_go_as_they_are(tmp_path, name, media):
    page = save(tmp_path / name)
    sent = encode_image(page)
    assert sent.content == page.image.read_bytes()
    assert sent.media == media
    assert sent.record == {
        "label": "Image 1",
        "width": 30,
        "height": 40,
        "format": media.removeprefix("image/"),
        "bytes": len(sent.content),
        "sha256": hashlib.sha256(sent.content).hexdigest(),
    }


@pytest.mark.parametrize("name", ["p.webp", "p.bmp", "p.tif"])
def test_other_formats_go_as_png(tmp_path, name):
    sent = encode_image(save(tmp_path / name, **({"lossless": True} if name == "p.webp" else {})))
    assert sent.media == "image/png"
    assert np.array_equal(pixels(sent), NOISE)


def test_arrays_go_as_png():
    sent = encode_image(ImageInput("x", NOISE))
    assert sent.media == "image/png"
    assert np.array_equal(pixels(sent), NOISE)


def test_what_others_could_see_otherwise_goes_as_we_see_it(tmp_path):
    turned = Image.Exif()
    turned[0x0112] = 6  # a quarter to the right
    sent = encode_image(save(tmp_path / "turned.jpg", exif=turned))
    assert (sent.media, sent.size) == ("image/png", (40, 30))
    Image.new("RGBA", (5, 4), (255, 0, 0, 0)).save(tmp_path / "clear.png")
    assert (pixels(encode_image(ImageInput("x", tmp_path / "clear.png"))) == 255).all()
    Image.fromarray(np.full((4, 5), 65535, np.uint16)).save(tmp_path / "deep.png")
    assert (pixels(encode_image(ImageInput("x", tmp_path / "deep.png"))) == 255).all()


@pytest.mark.parametrize(("name", "media"), [("p.png", "image/png"), ("p.jpg", "image/jpeg"), ("p.webp", "image/png")])
def test_a_limit_is_for_the_longer_side(tmp_path, name, media):
    sent = encode_image(save(tmp_path / name), limit=20)
    assert (sent.media, sent.size) == (media, (15, 20))
    assert pixels(sent).shape == (20, 15, 3)


def test_a_limit_leaves_smaller_images_alone(tmp_path):
    page = save(tmp_path / "p.png")
    assert encode_image(page, limit=40).content == page.image.read_bytes()


def test_half_a_file_is_named(tmp_path):
    page = save(tmp_path / "p.png")
    page.image.write_bytes(page.image.read_bytes()[:-900])
    with pytest.raises(InputError, match=r"p\.png"):
        encode_image(page)


@pytest.mark.parametrize("given", ["tiny", "-5", "10", "1e3", ""])
def test_a_policy_is_full_or_pixels(given):
    with pytest.raises(VdeError, match="expected `full` or the longest side"):
        parse_image_size(given)
