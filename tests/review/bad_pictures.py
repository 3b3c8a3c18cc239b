"""Pictures that are not what they say."""

from __future__ import annotations

import struct
import zlib


def png(width: int, height: int, pixels: bytes = b"") -> bytes:
    """A PNG that says it has some size, whatever stands in it."""
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + _chunk(b"IDAT", zlib.compress(pixels)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
