"""Image files of every kind become the RGB page a person would see, or an error that names them."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image as Pictures

from vdebench.core.box import Box, Size
from vdebench.core.images import PixelBox, resized
from vdebench.core.png import encode_png
from vdebench.errors import InputError, TooLargeError
from vdebench.io.images import open_image

RED = (200, 30, 40)


@pytest.fixture
def page() -> Pictures.Image:
    """Wider than high, red at its upper left corner."""
    picture = Pictures.new("RGB", (12, 8), "white")
    for x in range(4):
        for y in range(3):
            picture.putpixel((x, y), RED)
    return picture


@pytest.mark.parametrize(("ending", "options"), [("png", {}), ("webp", {"lossless": True}), ("tiff", {}), ("bmp", {})])
def test_lossless_files_are_read_as_they_are(page, tmp_path, ending, options):
    page.save(tmp_path / f"page.{ending}", **options)
    assert np.array_equal(open_image(tmp_path / f"page.{ending}"), np.asarray(page))


def test_palette_grey_and_one_bit(page, tmp_path):
    for mode in ("P", "L", "1"):
        page.convert(mode).save(tmp_path / "page.png")
        assert np.array_equal(open_image(tmp_path / "page.png"), np.asarray(page.convert(mode).convert("RGB")))


def test_transparent_parts_lie_on_white(tmp_path):
    picture = Pictures.new("RGBA", (4, 4), (0, 0, 0, 0))
    picture.putpixel((0, 0), (0, 0, 0, 255))
    picture.putpixel((1, 0), (0, 0, 0, 128))
    picture.save(tmp_path / "page.png")
    found = open_image(tmp_path / "page.png")
    assert found[0, 0].tolist() == [0, 0, 0]
    assert found[0, 1].tolist() == [127, 127, 127]
    assert found[3, 3].tolist() == [255, 255, 255]


def test_a_palette_with_a_transparent_colour(tmp_path):
    picture = Pictures.new("P", (4, 4), 0)
    picture.putpalette([0, 0, 0, *RED])
    picture.putpixel((2, 2), 1)
    picture.save(tmp_path / "page.png", transparency=0)
    found = open_image(tmp_path / "page.png")
    assert found[0, 0].tolist() == [255, 255, 255]
    assert found[2, 2].tolist() == list(RED)


def test_cmyk_is_close_to_its_colours(page, tmp_path):
    page.convert("CMYK").save(tmp_path / "page.tiff")
    assert np.abs(open_image(tmp_path / "page.tiff").astype(int) - np.asarray(page)).max() <= 2


def test_sixteen_bits_become_eight(tmp_path):
    values = np.array([[0, 257, 65535], [128 * 257, 300, 65000]], np.uint16)
    Pictures.fromarray(values).save(tmp_path / "page.png")
    expected = np.rint(values / 257).astype(int)
    assert np.array_equal(open_image(tmp_path / "page.png")[..., 0], expected)


def test_a_page_is_turned_as_its_camera_says(page, tmp_path):
    """Orientation 6: the camera was held so that the picture must be turned clockwise."""
    exif = Pictures.Exif()
    exif[0x0112] = 6
    page.save(tmp_path / "page.jpg", quality=95, subsampling=0, exif=exif)
    found = open_image(tmp_path / "page.jpg")
    assert found.shape == (12, 8, 3)
    assert found[0, -1, 0] > 150  # red is at the upper right now
    assert found[0, -1, 1] < 90
    assert found[0, 0, 1] > 200


def test_our_own_png_is_read_back():
    for shape in ((5, 7, 3), (5, 7), (1, 1, 3)):
        image = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
        with Pictures.open(io.BytesIO(encode_png(image))) as found:
            found.load()
            assert np.array_equal(np.asarray(found), image)


def test_a_truncated_file_is_named(page, tmp_path):
    for ending in ("png", "jpg", "webp", "tiff"):
        file = tmp_path / f"page.{ending}"
        noisy = Pictures.fromarray(np.random.default_rng(1).integers(0, 256, (99, 99, 3), np.uint8))
        noisy.save(file)
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        with pytest.raises(InputError, match=f"page.{ending}"):
            open_image(file)


def test_what_is_no_image_is_named(tmp_path):
    (tmp_path / "page.png").write_text("hello")
    with pytest.raises(InputError, match=r"page\.png: is no image we know"):
        open_image(tmp_path / "page.png")
    (tmp_path / "empty.png").write_bytes(b"")
    with pytest.raises(InputError, match=r"empty\.png"):
        open_image(tmp_path / "empty.png")
    with pytest.raises(InputError, match="cannot be read"):
        open_image(tmp_path)


def test_a_decompression_bomb_is_refused(tmp_path):
    """A file of a few bytes that says it is 100,000×100,000."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    (tmp_path / "bomb.png").write_bytes(bomb)
    with pytest.raises(TooLargeError, match=r"bomb\.png"):
        open_image(tmp_path / "bomb.png")


def test_resizing_keeps_an_image_of_the_right_size():
    image = np.random.default_rng(1).integers(0, 256, (6, 4, 3), np.uint8)
    assert resized(image, Size(4, 6)) is image
    flat = np.full((6, 4, 3), 77, np.uint8)
    assert (resized(flat, Size(9, 13)) == 77).all()


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (Box(180, 0, 220, 90), (180, 0, 200, 90)),  # over the right edge: cut off, not moved
        (Box(-50, -5, 20, 90), (0, 0, 20, 90)),
        (Box(190, 0, 220, 90), (190, 0, 200, 90)),
        (Box(250, 10, 260, 20), (199, 10, 200, 20)),  # beside the page: never empty
    ],
)
def test_a_region_over_the_edge_is_cut_off(box, expected):
    assert tuple(PixelBox.holding(box, Size(200, 300))) == expected
