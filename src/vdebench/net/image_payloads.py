"""Images in requests to a judge: full resolution unless a limit is set."""

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

PAYLOAD_VERSION = "sent-1"
"""Version of the conversion; a new one invalidates cached answers."""
_QUALITY = 95
"""Quality of a downscaled JPEG."""


@dataclass(frozen=True)
class ImageInput:
    """An image of a question, as a file or an array, with the label that precedes it."""

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
        """Approximate size of the payload in bytes."""
        if not isinstance(self.image, Path):
            return self.image.nbytes // 8
        try:
            return self.image.stat().st_size
        except OSError:  # deleted meanwhile: `encode_image` reports it
            return 0

    @cached_property
    def size(self) -> Size:
        """Width and height after applying the EXIF orientation."""
        if isinstance(self.image, Path):
            return image_size(self.image)
        return Size(self.image.shape[1], self.image.shape[0])


@dataclass(frozen=True)
class ImagePayload:
    """An encoded image."""

    label: str
    content: bytes
    media: str
    size: Size

    @cached_property
    def base64(self) -> str:
        """The content in base64."""
        return b64encode(self.content).decode("ascii")

    @property
    def url(self) -> str:
        """The content as a data URL."""
        return f"data:{self.media};base64,{self.base64}"

    @cached_property
    def record(self) -> dict[str, Any]:
        """The entry of the image in the journal."""
        return {
            "label": self.label,
            "width": int(self.size.width),
            "height": int(self.size.height),
            "format": self.media.removeprefix("image/"),
            "bytes": len(self.content),
            "sha256": hashlib.sha256(self.content).hexdigest(),
        }


def limit_size(size: Size, limit: int) -> Size:
    """Scale a size so that its longer side is within a limit; 0 for no limit.

    >>> limit_size(Size(3000, 1500), 1000), limit_size(Size(300, 200), 1000), limit_size(Size(300, 200), 0)
    (Size(width=1000, height=500), Size(width=300, height=200), Size(width=300, height=200))
    """
    longest = max(size)
    if not limit or longest <= limit:
        return size
    return Size(max(1, round(size.width * limit / longest)), max(1, round(size.height * limit / longest)))


def encode_image(page: ImageInput, limit: int = 0) -> ImagePayload:
    """Encode an image: plain JPEG and PNG files as they are, all others as PNG."""
    size = limit_size(page.size, limit)
    if not isinstance(page.image, Path):
        return ImagePayload(page.label, encode_png(resized(page.image, size)), "image/png", size)
    kind, plain = _kind(page.image)
    if plain and size == page.size:
        return ImagePayload(page.label, read_bytes(page.image), f"image/{kind}", size)
    image = resized(open_image(page.image), size)
    if kind != "jpeg" or size == page.size:  # a JPEG that is only rotated stays lossless
        return ImagePayload(page.label, encode_png(image), "image/png", size)
    file = io.BytesIO()
    Pictures.fromarray(image).save(file, "JPEG", quality=_QUALITY, subsampling=0)
    return ImagePayload(page.label, file.getvalue(), "image/jpeg", size)


def _kind(file: Path) -> tuple[str, bool]:
    """Return the format, and whether every viewer renders the file alike: no rotation or alpha, 8 bits, complete."""
    try:
        with Pictures.open(fetched(file)) as opened:
            kind = (opened.format or "").lower()
            usual = opened.mode in ("RGB", "L", "P", "1") and "transparency" not in opened.info
            turned = opened.getexif().get(ORIENTATION, 1) != 1
            plain = kind in ("png", "jpeg") and usual and not turned and getattr(opened, "n_frames", 1) == 1
            if plain:
                opened.load()  # raises an error for a truncated file
            return kind, plain
    except (OSError, SyntaxError, ValueError, EOFError, UnidentifiedImageError):
        return "", False  # `open_image` reports the problem


def parse_image_size(value: str | int) -> int:
    """Parse the option --image-size: the longest side in pixels, 0 for `full`.

    >>> parse_image_size("full"), parse_image_size("2048")
    (0, 2048)
    """
    text = str(value).strip().lower()
    if text in ("full", "0"):
        return 0
    if not text.isascii() or not text.isdigit() or not 64 <= int(text[:9]) <= 100_000:
        raise VdeError(f"--image-size is {value!r}, expected `full` or the longest side in pixels, 64 or more")
    return int(text)
