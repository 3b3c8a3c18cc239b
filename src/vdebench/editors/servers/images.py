"""Encoding of pages for requests, and decoding of images in answers."""

from __future__ import annotations

import base64
import binascii
import math
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import unquote_to_bytes

from vdebench.core.box import Size
from vdebench.core.images import RESIZING, Image, resized
from vdebench.core.png import encode_png
from vdebench.errors import InputError, TooLargeError
from vdebench.io.images import open_image
from vdebench.net.errors import RequestError


class SentImage(NamedTuple):
    """An encoded page."""

    png: bytes
    width: int
    height: int

    @property
    def base64(self) -> str:
        """The page in base64."""
        return base64.b64encode(self.png).decode()

    @property
    def data_uri(self) -> str:
        """The page as a data URI."""
        return f"data:image/png;base64,{self.base64}"


def prepared(image: Image, max_pixels: int, max_side: int) -> SentImage:
    """Encode a page as PNG, downscaled to limits of pixels and longer side (0: none)."""
    height, width = image.shape[:2]
    scale = fitting(width, height, max_pixels, max_side)
    if scale < 1:  # rounded down to stay within the limit
        width, height = max(1, math.floor(width * scale + 1e-9)), max(1, math.floor(height * scale + 1e-9))
        image = resized(image, Size(width, height))
    return SentImage(encode_png(image), width, height)


def fitting(width: int, height: int, max_pixels: int, max_side: int) -> float:
    """Return the scale factor that fits a page into the limits, at most 1.

    >>> fitting(2000, 1000, 500_000, 0), fitting(2000, 1000, 0, 500), fitting(20, 10, 500_000, 500)
    (0.5, 0.25, 1.0)
    """
    by_pixels = math.sqrt(max_pixels / (width * height)) if max_pixels else 1.0
    by_side = max_side / max(width, height) if max_side else 1.0
    return min(1.0, by_pixels, by_side)


def policy(max_pixels: int, max_side: int) -> str:
    """Describe the preparation of pages, for the identity.

    >>> policy(1_000_000, 0)
    'PNG, RGB, at most 1000000 pixels (lanczos-1)'
    """
    limits = [f"at most {max_pixels} pixels"] if max_pixels else []
    limits += [f"longest side at most {max_side}"] if max_side else []
    return ", ".join(["PNG", "RGB", *limits]) + (f" ({RESIZING})" if limits else ", as it is")


def is_address(text: str) -> bool:
    """Whether an image is a URL to download."""
    return text[:8].lower().startswith(("http://", "https://"))


def bytes_of(text: str) -> bytes:
    """Decode base64 or a data URI.

    >>> bytes_of("data:image/png;base64,aGk="), bytes_of("aGk="), bytes_of("data:,hi")
    (b'hi', b'hi', b'hi')
    """
    content, encoded = text, True
    if text[:5].lower() == "data:":
        head, _, content = text.partition(",")
        encoded = head.lower().endswith(";base64")
    if not encoded:
        return unquote_to_bytes(content)
    letters = "".join(content.split()).translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise RequestError(
            "answer", "the received image is not base64", "see the server's log", retryable=True
        ) from None


def decoded(content: bytes) -> Image:
    """Decode an image file; a truncated file is a temporary error."""
    if not content:
        raise RequestError("answer", "the received image is empty", "see the server's log", retryable=True)
    try:
        return open_image(cast(Path, _InMemory(content)))
    except TooLargeError as error:
        raise RequestError("answer", str(error), "request a smaller image") from None
    except InputError as error:
        advice = "the image is truncated or invalid: see the server's log"
        raise RequestError("answer", str(error), advice, retryable=True) from None


class _InMemory(BytesIO):
    """A file in memory with a name for error messages."""

    def __str__(self) -> str:
        return "the received image"
