"""Whether a file is a picture that people can review: what editors and people send is looked at before it is shown."""

from __future__ import annotations

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image as Pictures

from vdebench.box import Size
from vdebench.errors import InputError, TooLargeError, VdeError
from vdebench.files import fetched
from vdebench.images import MAX_PIXELS, Image, open_image

SMALLEST, LARGEST = 16, 20_000
"""Pixels of a side."""
MOST_BYTES = 40 * 2**20
"""Of a picture that somebody sends."""
OFF = 0.05
"""By how much the shape of a picture may differ from the page's."""
KINDS = {"PNG": (b"\x89PNG\r\n\x1a\n", 0), "JPEG": (b"\xff\xd8\xff", 0), "WebP": (b"WEBP", 8)}
"""What may be sent: the bytes each begins with, and where."""


def open_checked(file: Path) -> Image:
    """A picture that can be reviewed, as RGB; an error that names it where it cannot."""
    _require_size(file)
    try:
        image = open_image(file)
    except VdeError:
        raise
    except Exception as error:  # decoders raise what they like on broken files
        raise InputError(f"{file}: is broken: {type(error).__name__}: {error}") from None
    height, width = image.shape[:2]
    require_sides(Size(width, height), str(file))
    return image


def require_sides(size: Size, name: str) -> None:
    """Refuse a size that nobody can look at.

    >>> require_sides(Size(1, 1), "a.png")
    Traceback (most recent call last):
    vdebench.errors.InputError: a.png: 1×1 pixels, expected sides of 16 to 20,000
    """
    width, height = int(size.width), int(size.height)
    shown = f"{name}: {width}×{height} pixels"
    if not min(width, height) >= SMALLEST or max(width, height) > LARGEST:
        raise InputError(f"{shown}, expected sides of {SMALLEST} to {LARGEST:,}")
    if width * height > MAX_PIXELS:
        raise TooLargeError(f"{shown}, more than the {MAX_PIXELS:,} we open")


def open_sent(content: bytes, page: Size) -> Image:
    """A picture that somebody sent for a page, as RGB; an error in words where it cannot be one."""
    if len(content) > MOST_BYTES:
        raise TooLargeError(f"the picture has {len(content):,} bytes, expected at most {MOST_BYTES:,}")
    if not any(content[at : at + len(begin)] == begin for begin, at in KINDS.values()):
        raise InputError(f"the file is no picture we take, expected {', '.join(KINDS)}")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "picture"
        file.write_bytes(content)
        try:
            image = open_checked(file)
        except VdeError as error:
            raise type(error)(str(error).replace(str(file), "the picture")) from None
    height, width = image.shape[:2]
    if abs((width / height) / (page.width / page.height) - 1) > OFF:
        raise InputError(
            f"the picture has {width}×{height} pixels, the page {page.width:g}×{page.height:g}:"
            f" expected the same shape, within {OFF:.0%}"
        )
    return image


def _require_size(file: Path) -> None:
    """Refuse by what the header says, before a pixel is decoded."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)  # we have a limit of our own
            with Pictures.open(fetched(file)) as picture:
                size = Size(*picture.size)
    except Pictures.DecompressionBombError as error:
        raise TooLargeError(f"{file}: {error}") from None
    except Exception:  # opening it says what is wrong
        return
    require_sides(size, str(file))
