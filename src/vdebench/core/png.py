"""Fast PNG encoding."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

_GREY, _RGB = 0, 2


def encode_png(image: NDArray[np.uint8]) -> bytes:
    """Encode an RGB or grey image as PNG without row filters, which save nothing on printed pages.

    >>> encode_png(np.zeros((2, 3, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width = image.shape[:2]
    rows = np.zeros((height, 1 + image[0].size), np.uint8)  # the first byte of a row is its filter type: 0, none
    rows[:, 1:] = image.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, _RGB if image.ndim == 3 else _GREY, 0, 0, 0)
    chunks = (b"IHDR", header), (b"IDAT", isal_zlib.compress(rows, 2)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
