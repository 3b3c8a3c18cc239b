"""Pictures on their way: pages as they are sent, and what comes back in any of the forms that servers use."""

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
    """A page as a server gets it."""

    png: bytes
    width: int
    height: int

    @property
    def base64(self) -> str:
        """As JSON holds it."""
        return base64.b64encode(self.png).decode()

    @property
    def data_uri(self) -> str:
        """As an address that holds the page itself."""
        return f"data:image/png;base64,{self.base64}"


def prepared(image: Image, max_pixels: int, max_side: int) -> SentImage:
    """A page as PNG, made smaller where it has more pixels or a longer side than is allowed (0: any)."""
    height, width = image.shape[:2]
    scale = fitting(width, height, max_pixels, max_side)
    if scale < 1:  # down, so that the limit holds
        width, height = max(1, math.floor(width * scale + 1e-9)), max(1, math.floor(height * scale + 1e-9))
        image = resized(image, Size(width, height))
    return SentImage(encode_png(image), width, height)


def fitting(width: int, height: int, max_pixels: int, max_side: int) -> float:
    """By what a page is multiplied to fit; 1 where it does.

    >>> fitting(2000, 1000, 500_000, 0), fitting(2000, 1000, 0, 500), fitting(20, 10, 500_000, 500)
    (0.5, 0.25, 1.0)
    """
    by_pixels = math.sqrt(max_pixels / (width * height)) if max_pixels else 1.0
    by_side = max_side / max(width, height) if max_side else 1.0
    return min(1.0, by_pixels, by_side)


def policy(max_pixels: int, max_side: int) -> str:
    """What is done to pages before they are sent, in words.

    >>> policy(1_000_000, 0)
    'PNG, RGB, at most 1000000 pixels (lanczos-1)'
    """
    limits = [f"at most {max_pixels} pixels"] if max_pixels else []
    limits += [f"longest side at most {max_side}"] if max_side else []
    return ", ".join(["PNG", "RGB", *limits]) + (f" ({RESIZING})" if limits else ", as it is")


def is_address(given: str) -> bool:
    """Whether a picture is to be fetched."""
    return given[:8].lower().startswith(("http://", "https://"))


def bytes_of(given: str) -> bytes:
    """The file in base64 or in a data URI.

    >>> bytes_of("data:image/png;base64,aGk="), bytes_of("aGk="), bytes_of("data:,hi")
    (b'hi', b'hi', b'hi')
    """
    content, encoded = given, True
    if given[:5].lower() == "data:":
        head, _, content = given.partition(",")
        encoded = head.lower().endswith(";base64")
    if not encoded:
        return unquote_to_bytes(content)
    letters = "".join(content.split()).translate(str.maketrans("-_", "+/"))
    try:
        return base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise RequestError(
            "answer", "the image that came is not base64", "see the server's log", retryable=True
        ) from None


def decoded(content: bytes) -> Image:
    """An image file as the page a person would see, by the rules for files; half a file is a fault that may pass."""
    if not content:
        raise RequestError("answer", "the image that came is empty", "see the server's log", retryable=True)
    try:
        return open_image(cast(Path, _InMemory(content)))
    except TooLargeError as error:
        raise RequestError("answer", str(error), "ask for a smaller image") from None
    except InputError as error:
        advice = "the image did not come whole, or is none: see the server's log"
        raise RequestError("answer", str(error), advice, retryable=True) from None


class _InMemory(BytesIO):
    """A file that errors can name."""

    def __str__(self) -> str:
        return "the image that came"
