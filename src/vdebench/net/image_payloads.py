"""Images as they are sent to a judge: at full resolution unless a limit is set, and noted down."""

from __future__ import annotations

import hashlib
import io
from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL import Image as Pictures
from PIL import UnidentifiedImageError

from vdebench.core.box import Size
from vdebench.core.images import ORIENTATION, Image, resized
from vdebench.core.png import encode_png
from vdebench.errors import VdeError
from vdebench.io.cache import digest_of_file
from vdebench.io.files import fetched, read_bytes
from vdebench.io.images import image_size, open_image

SENDING = "sent-1"
"""The way images become what is sent: a new one asks anew."""
_QUALITY = 95
"""Of a JPEG that had to be made smaller."""


@dataclass(frozen=True)
class ImageInput:
    """An image of a question, as a file or as an array, with the line that goes before it."""

    label: str
    image: Path | Image

    @cached_property
    def digest(self) -> str:
        """Hash of the file or of the pixels."""
        if isinstance(self.image, Path):
            return digest_of_file(self.image)
        return hashlib.sha256(f"{self.image.shape}".encode() + self.image.tobytes()).hexdigest()

    @cached_property
    def weight(self) -> int:
        """Bytes, about as many as will be sent."""
        if not isinstance(self.image, Path):
            return self.image.nbytes // 8
        try:
            return self.image.stat().st_size
        except OSError:  # gone since it was looked at: `picture` says so
            return 0

    @cached_property
    def size(self) -> Size:
        """Width and height as a person would see it."""
        if isinstance(self.image, Path):
            return image_size(self.image)
        return Size(self.image.shape[1], self.image.shape[0])


@dataclass(frozen=True)
class ImagePayload:
    """An image as it is sent."""

    label: str
    content: bytes
    media: str
    size: Size

    @cached_property
    def base64(self) -> str:
        """The content as text."""
        return b64encode(self.content).decode("ascii")

    @property
    def url(self) -> str:
        """The content as a data URL."""
        return f"data:{self.media};base64,{self.base64}"

    @cached_property
    def told(self) -> dict[str, Any]:
        """What the journal says of it."""
        return {
            "label": self.label,
            "width": int(self.size.width),
            "height": int(self.size.height),
            "format": self.media.removeprefix("image/"),
            "bytes": len(self.content),
            "sha256": hashlib.sha256(self.content).hexdigest(),
        }


def limited(size: Size, limit: int) -> Size:
    """A size whose longer side is within a limit; 0 is none.

    >>> limited(Size(3000, 1500), 1000), limited(Size(300, 200), 1000), limited(Size(300, 200), 0)
    (Size(width=1000, height=500), Size(width=300, height=200), Size(width=300, height=200))
    """
    longest = max(size)
    if not limit or longest <= limit:
        return size
    return Size(max(1, round(size.width * limit / longest)), max(1, round(size.height * limit / longest)))


def picture(page: ImageInput, limit: int = 0) -> ImagePayload:
    """What is sent of an image: JPEG and PNG files as they are; others, and what others could see otherwise, as PNG."""
    size = limited(page.size, limit)
    if not isinstance(page.image, Path):
        return ImagePayload(page.label, encode_png(resized(page.image, size)), "image/png", size)
    kind, plain = _kind(page.image)
    if plain and size == page.size:
        return ImagePayload(page.label, read_bytes(page.image), f"image/{kind}", size)
    image = resized(open_image(page.image), size)
    if kind != "jpeg" or size == page.size:  # a JPEG that is only to be turned loses nothing
        return ImagePayload(page.label, encode_png(image), "image/png", size)
    file = io.BytesIO()
    Pictures.fromarray(image).save(file, "JPEG", quality=_QUALITY, subsampling=0)
    return ImagePayload(page.label, file.getvalue(), "image/jpeg", size)


def _kind(file: Path) -> tuple[str, bool]:
    """The file's format, and whether anyone sees it as we do: not turned by its camera, opaque, of 8 bits, whole."""
    try:
        with Pictures.open(fetched(file)) as opened:
            kind = (opened.format or "").lower()
            usual = opened.mode in ("RGB", "L", "P", "1") and "transparency" not in opened.info
            turned = opened.getexif().get(ORIENTATION, 1) != 1
            plain = kind in ("png", "jpeg") and usual and not turned and getattr(opened, "n_frames", 1) == 1
            if plain:
                opened.load()  # half a file would be half a page
            return kind, plain
    except (OSError, SyntaxError, ValueError, EOFError, UnidentifiedImageError):
        return "", False  # `open_image` says in words what is wrong


def image_policy(given: str | int) -> int:
    """The longest side that is sent: 0 for `full`.

    >>> image_policy("full"), image_policy("2048")
    (0, 2048)
    """
    text = str(given).strip().lower()
    if text in ("full", "0"):
        return 0
    if not text.isascii() or not text.isdigit() or not 64 <= int(text[:9]) <= 100_000:
        raise VdeError(f"--image-size is {given!r}, expected `full` or the longest side in pixels, 64 or more")
    return int(text)
