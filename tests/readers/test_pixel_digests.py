"""Digests of pixels by keys of images: found by other processes, and bounded in memory."""

from __future__ import annotations

from vdebench.io.cache import digest_of
from vdebench.readers import pixel_digests
from vdebench.readers.pixel_digests import PixelDigests

KEY, PIXELS = digest_of("file"), digest_of("pixels")


def test_a_digest_is_found_by_another_process(tmp_path):
    PixelDigests(tmp_path).put(KEY, PIXELS)
    other = PixelDigests(tmp_path)
    assert other.find(KEY) == PIXELS
    assert other.find(PIXELS) is None


def test_a_digest_is_replaced(tmp_path):
    digests = PixelDigests(tmp_path)
    digests.put(KEY, PIXELS)
    digests.put(KEY, digest_of("others"))
    assert digests.find(KEY) == PixelDigests(tmp_path).find(KEY) == digest_of("others")


def test_digests_are_known_in_a_process_that_cannot_store_them(tmp_path):
    (tmp_path / "file").touch()
    digests = PixelDigests(tmp_path / "file")
    digests.put(KEY, PIXELS)
    assert digests.find(KEY) == PIXELS


def test_memory_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(pixel_digests, "_IN_MEMORY", 10)
    digests = PixelDigests(tmp_path)
    for number in range(50):
        digests.put(digest_of(f"{number}"), PIXELS)
        assert len(digests._known) <= 10
    assert all(digests.find(digest_of(f"{number}")) == PIXELS for number in range(50))
