"""The size of a PNG is known without its pixels, also where a camera's notes stand behind them."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngImageFile

from vdebench.errors import InputError
from vdebench.io.images import image_size


def png(size=(40, 30), **options) -> bytes:
    stream = io.BytesIO()
    Image.effect_noise(size, 50).save(stream, "PNG", **options)
    return stream.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def on_its_side() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90°
    return exif


def behind_pixels(note: bytes) -> bytes:
    content = png()
    return content[:-12] + note + content[-12:]  # IEND has twelve bytes


XMP = b'<x:xmpmeta><rdf:Description tiff:Orientation="8"/></x:xmpmeta>'
EXIF = b"\n".join([b"", b"exif", b"%8d" % len(on_its_side().tobytes()), on_its_side().tobytes().hex().encode()])


@pytest.mark.parametrize(
    ("content", "size", "decoded"),
    [
        (png(), (40, 30), False),
        (png(exif=on_its_side()), (30, 40), False),
        (behind_pixels(chunk(b"tIME", bytes(7))), (40, 30), False),
        (behind_pixels(chunk(b"eXIf", on_its_side().tobytes()[6:])), (30, 40), True),
        (behind_pixels(chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + XMP)), (30, 40), True),
        (behind_pixels(chunk(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(EXIF))), (30, 40), True),
        (behind_pixels(chunk(b"tEXt", b"Comment\0hello")), (40, 30), True),
    ],
    ids=["plain", "exif", "time behind", "exif behind", "xmp behind", "raw profile behind", "comment behind"],
)
def test_turned_pages_are_known_wherever_it_is_noted(content, size, decoded, tmp_path, monkeypatch):
    loads = []
    load = PngImageFile.load
    monkeypatch.setattr(PngImageFile, "load", lambda self: loads.append(self) or load(self))
    file = tmp_path / "page.png"
    file.write_bytes(content)
    with Image.open(file) as picture:  # Pillow's own answer, which decodes
        turned = picture.getexif().get(0x0112, 1) in (5, 6, 7, 8)
    assert turned == (size == (30, 40))
    loads.clear()
    assert tuple(image_size(file)) == size
    assert bool(loads) == decoded


@pytest.mark.parametrize(
    "broken",
    [lambda whole: whole[:-40], lambda whole: whole[:60] + bytes(200) + whole[260:]],
    ids=["cut short", "zeros inside"],
)
def test_broken_pixels_are_an_error_as_before(broken, tmp_path):
    file = tmp_path / "page.png"
    file.write_bytes(broken(png()))
    with pytest.raises(InputError, match=r"page.png: cannot be read"):
        image_size(file)
