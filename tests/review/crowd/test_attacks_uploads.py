"""Pictures that are none, or too much of one: refused with a clear answer, and no file of the workspace changes."""

from __future__ import annotations

import io
import json
import struct
import time
import zlib
from urllib.parse import quote

import numpy as np
import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("alembic")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("argon2")

from PIL import Image

from tests.review.crowd.site import opened_site, raw, told
from vdebench.review.pool import Pool

SCRIPT = b"<script>alert(document.cookie)</script><?php system($_GET['c']); ?>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'


@pytest.fixture(scope="module")
def missing(site):
    """An instruction without an edit, and the size of its page."""
    pool = Pool(site.workspace)
    id = pool.without_edit()[0]
    page = pool._cases()[id].page
    return id, (page.width, page.height)


def encoded(size, kind="PNG", mode="RGB", **options):
    content = io.BytesIO()
    Image.new(mode, size, "white" if mode == "RGB" else 0).save(content, kind, **options)
    return content.getvalue()


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png_of(width, height, data=b""):
    """A PNG that says it is so large, with little in it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def jpeg_of(width, height):
    """A JPEG whose header says it is so large."""
    small = bytearray(encoded((16, 16), "JPEG"))
    at = small.index(b"\xff\xc0") + 5
    small[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(small)


def webp_of(width, height):
    """An extended WebP whose canvas is so large."""
    body = (
        b"VP8X"
        + struct.pack("<I", 10)
        + b"\0\0\0\0"
        + struct.pack("<I", width - 1)[:3]
        + struct.pack("<I", height - 1)[:3]
    )
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def bomb():
    """60,000×60,000 pixels of nothing in a few kilobytes: 10.8 GB when it is decoded."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1_000_000)) for _ in range(20)) + packer.flush()
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def text_bomb(size):
    """A picture of the right size with a compressed text of 30 MB beside it."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1_000_000)) for _ in range(30)) + packer.flush()
    whole = encoded(size)
    return whole[:33] + chunk(b"zTXt", b"Comment\0\0" + packed) + whole[33:]


BAD = {
    "nothing": lambda size: b"",
    "text": lambda size: b"hello",
    "html": lambda size: b"<!doctype html>" + SCRIPT,
    "svg": lambda size: SVG,
    "gif": lambda size: encoded(size, "GIF", "P"),
    "bmp": lambda size: encoded(size, "BMP"),
    "tiff": lambda size: encoded(size, "TIFF"),
    "pdf": lambda size: encoded(size, "PDF"),
    "one pixel": lambda size: encoded((1, 1)),
    "one pixel, jpeg": lambda size: encoded((1, 1), "JPEG"),
    "fifteen pixels": lambda size: encoded((15, 15)),
    "30,000 pixels wide": lambda size: encoded((30_000, 20)),
    "no pixels": lambda size: png_of(0, 0),
    "bomb beside the pixels": text_bomb,
    "other shape": lambda size: encoded((size[0], size[1] * 2)),
    "turned": lambda size: encoded(size[::-1]) if size[0] != size[1] else encoded((size[0], size[0] * 2)),
    "cut off": lambda size: encoded(size)[:-40],
    "cut off in the head": lambda size: encoded(size)[:20],
    "cut off jpeg": lambda size: encoded(size, "JPEG")[:300],
    "no pixels in it": lambda size: png_of(*size),
    "zip that begins as a png": lambda size: b"\x89PNG\r\n\x1a\nPK\x03\x04" + SCRIPT * 100,
    "only the first bytes": lambda size: b"\xff\xd8\xff" + SCRIPT,
}
SIDES = {
    "small, of the page's shape": lambda size: encoded((14, 14 * size[1] // size[0])),
    "21,000 pixels wide, of the page's shape": lambda size: png_of(21_000, 21_000 * size[1] // size[0]),
}
BAD |= SIDES
TOO_LARGE = {
    "30,000 by 30,000, said": lambda size: png_of(30_000, 30_000),
    "most pixels there are": lambda size: png_of(2**31 - 1, 2**31 - 1),
    "jpeg, 65,000 by 65,000 said": lambda size: jpeg_of(65_000, 65_000),
    "webp, 16,383 by 16,383 said": lambda size: webp_of(16_383, 16_383),
    "webp, 2**24 by 2**24 said": lambda size: webp_of(2**24, 2**24),
    "bomb": lambda size: bomb(),
}


def sent(site, who, id, content, kind="image/png"):
    return site.browser(who).post(
        "/api/admin/upload", params={"id": id}, content=content, headers={"Content-Type": kind}
    )


@pytest.mark.parametrize("what", [*BAD, *TOO_LARGE])
def test_no_picture_of_the_page(unchanged, missing, what):
    id, size = missing
    began = time.monotonic()
    answer = sent(unchanged, "root", id, (BAD | TOO_LARGE)[what](size))
    told(answer, *((413, "too_large") if what in TOO_LARGE else (400, "bad_image")))
    assert what not in SIDES or "sides" in answer.json()["words"]
    assert time.monotonic() - began < 5


def test_who_and_where(unchanged, missing):
    id, size = missing
    good = encoded(size)
    for who in ("ann1", "judge"):
        told(sent(unchanged, who, id, good), 403, "forbidden")
    told(
        unchanged.stranger.client.post(
            f"/api/admin/upload?id={id}", content=good, headers={"Content-Type": "image/png"}
        ),
        401,
    )
    told(sent(unchanged, "root", unchanged.ids[0], good), 409, "known_sample")
    for other in ("nobody-7", "../x", "a\0b", "x" * 5000):
        told(sent(unchanged, "root", other, good), 404, "unknown_sample")
    told(sent(unchanged, "root", "", good), 400, "malformed")
    for kind in ("image/svg+xml", "text/html", "application/octet-stream", "multipart/form-data", ""):
        told(sent(unchanged, "root", id, good, kind), 415, "wrong_type")


def test_more_bytes_than_are_taken(attacked_workspace, unchanged, missing):
    """Chunks that say nothing of the whole; after the first byte too many comes no other, so that the answer is read."""
    id, _ = missing
    with opened_site(attacked_workspace, attacked_workspace / "review.sqlite", body_seconds=60) as other:
        root = other.browser("root")
        session = f"Cookie: vde_session={root.token}\r\nX-CSRF-Token: {root.csrf}\r\n"
        request = f"POST /api/admin/upload?id={quote(id)} HTTP/1.1\r\nHost: {{host}}\r\n{session}"
        kind = "Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n"
        chunks = (b"100000\r\n" + bytes(2**20) + b"\r\n") * 40 + b"1\r\n\0"
        head, body = raw(other.url, request + kind, chunks)
    assert head.startswith(b"HTTP/1.1 413 ")
    assert json.loads(body)["error"] == "too_large"


def test_what_stands_beside_the_pixels_is_not_kept(site, missing):
    """A picture with a page behind it is a picture: its pixels are kept, and nothing else of the file."""
    id, size = missing
    pixels = np.random.default_rng(0).integers(0, 255, (size[1], size[0], 3), np.uint8)
    content = io.BytesIO()
    Image.fromarray(pixels).save(content, "PNG")
    whole = content.getvalue()
    whole = whole[:33] + chunk(b"tEXt", b"Comment\0" + SCRIPT) + whole[33:] + SCRIPT
    answer = sent(site, "root", id, whole)
    assert answer.status_code == 200, answer.text
    shown = site.browser("ann1").get("/api/image", id=id, which="after")
    assert shown.headers["content-type"] == "image/png"
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(shown.content)).convert("RGB")), pixels)
    assert SCRIPT not in shown.content
    files = [file for file in site.workspace.rglob("*") if file.is_file() and ".sqlite" not in file.name]
    assert not [file for file in files if b"document.cookie" in file.read_bytes()]
    with site.unchanged():
        told(sent(site, "root", id, whole), 409, "known_sample")
