"""Validation of image files from editors and people before they are shown."""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image as Pictures

from vdebench.core.box import Size
from vdebench.core.images import MAX_PIXELS, Image
from vdebench.errors import InputError, TooLargeError, VdeError
from vdebench.io.files import fetched
from vdebench.io.images import open_image

SMALLEST, LARGEST = 16, 20_000
"""Limits of a side, in pixels."""
MOST_BYTES = 40 * 2**20
"""Size limit of an uploaded image."""
OFF = 0.05
"""Tolerated relative difference between the aspect ratios of image and page."""
KINDS = {"PNG": (b"\x89PNG\r\n\x1a\n", 0), "JPEG": (b"\xff\xd8\xff", 0), "WebP": (b"WEBP", 8)}
"""Accepted formats: the first bytes of each, and their offset."""


def open_checked(file: Path, page: Size | None = None) -> Image:
    """Open an image as RGB; raise `InputError` if it is broken or has not the aspect ratio of the page."""
    if told := _told_size(file):  # refuse before decoding pixels
        require_sides(told, str(file))
        if page and not any(_alike(size, page) for size in (told, Size(told.height, told.width))):  # it may be rotated
            raise _another_shape(file, told, page)
    try:
        image = open_image(file)
    except VdeError:
        raise
    except Exception as error:  # decoders raise all kinds of errors on broken files
        raise InputError(f"{file}: is broken: {type(error).__name__}: {error}") from None
    found = Size(image.shape[1], image.shape[0])
    require_sides(found, str(file))
    if page and not _alike(found, page):
        raise _another_shape(file, found, page)
    return image


def _alike(one: Size, other: Size) -> bool:
    return abs((one.width / one.height) / (other.width / other.height) - 1) <= OFF


def _another_shape(file: Path, size: Size, page: Size) -> InputError:
    return InputError(
        f"{file}: has {size.width:g}×{size.height:g} pixels, the page {page.width:g}×{page.height:g}:"
        f" expected the same shape, within {OFF:.0%}"
    )


def require_sides(size: Size, name: str) -> None:
    """Refuse an image that is too small or too large.

    >>> require_sides(Size(1, 1), "a.png")
    Traceback (most recent call last):
    vdebench.errors.InputError: a.png: 1×1 pixels, expected sides of 16 to 20,000
    """
    width, height = int(size.width), int(size.height)
    shown = f"{name}: {width}×{height} pixels"
    if not min(width, height) >= SMALLEST or max(width, height) > LARGEST:
        raise InputError(f"{shown}, expected sides of {SMALLEST} to {LARGEST:,}")
    if width * height > MAX_PIXELS:
        raise TooLargeError(f"{shown}, more than the limit of {MAX_PIXELS:,}")


def open_sent(content: bytes, page: Size) -> Image:
    """Open an uploaded image as RGB; raise `InputError` if it is not valid for the page."""
    if len(content) > MOST_BYTES:
        raise TooLargeError(f"the image has {len(content):,} bytes, expected at most {MOST_BYTES:,}")
    if not any(content[at : at + len(begin)] == begin for begin, at in KINDS.values()):
        raise InputError(f"the file is not an image of a supported format, expected {', '.join(KINDS)}")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "picture"
        file.write_bytes(content)
        try:
            return open_checked(file, page)
        except VdeError as error:
            raise type(error)(str(error).replace(str(file), "the picture")) from None


def _told_size(file: Path) -> Size | None:
    """Return the size in the header; None if it cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)  # we check our own limit
            with Pictures.open(fetched(file)) as picture:
                return Size(*picture.size)
    except Pictures.DecompressionBombError:
        raise TooLargeError(f"{file}: has more than {MAX_PIXELS:,} pixels by its header") from None
    except Exception:
        return None
