"""Digests of decoded pixels by the key of the image, so that images with known OCR output are not decoded again."""

from __future__ import annotations

from pathlib import Path

from vdebench.core.images import DECODING
from vdebench.io.cache import Digest
from vdebench.io.value_pack import ValuePack

_IN_MEMORY = 1 << 16
"""Number of digests that a process remembers."""


class PixelDigests:
    """A map in the cache from the key of an OCR input to the digest of its pixels.

    The key is a hash of the file's bytes and the crop. Files with the same pixels, such as the same page with another
    PNG compression, have the same digest.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._pack = ValuePack("pixels", {"name": "decoding", "version": DECODING}, root)
        self._known: dict[Digest, Digest] = {}

    def find(self, key: Digest) -> Digest | None:
        """Return the digest of an image's pixels; None if the image was not decoded before."""
        if key not in self._known and (value := self._pack.find_many([key]).get(key)) is not None:
            self._remember(key, Digest(value.hex()))
        return self._known.get(key)

    def put(self, key: Digest, pixels: Digest) -> None:
        """Store the digest of an image's pixels."""
        if self.find(key) != pixels:
            self._pack.put_many({key: bytes.fromhex(pixels)})
            self._remember(key, pixels)

    def _remember(self, key: Digest, pixels: Digest) -> None:
        if len(self._known) >= _IN_MEMORY:
            self._known.clear()
        self._known[key] = pixels
