"""Reading image files as RGB arrays, as a viewer would show them."""

from __future__ import annotations

import struct
import warnings
from pathlib import Path

import numpy as np
from isal.isal_zlib import crc32
from numpy.typing import NDArray
from PIL import Image as Pictures
from PIL import ImageOps, UnidentifiedImageError
from PIL.PngImagePlugin import PngImageFile

from vdebench.core.box import Size
from vdebench.core.images import MAX_PIXELS, ORIENTATION, Image, Opening
from vdebench.errors import InputError, TooLargeError
from vdebench.io.files import fetched

_CHUNK = struct.Struct(">I4s")


def image_size(file: Path, opening: Opening = "composited") -> Size:
    """Width and height of the array that `open_image` returns, from the file's header; raises `InputError`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)
            with Pictures.open(fetched(file)) as picture:
                width, height = picture.size
                if opening == "raw":
                    return Size(width, height)
                is_rotated = _exif(picture, file).get(ORIENTATION, 1) in (5, 6, 7, 8)
                return Size(height, width) if is_rotated else Size(width, height)
    except UnidentifiedImageError:
        raise InputError(f"{file}: is no image we know; PNG, JPEG, WebP and TIFF are") from None
    except Pictures.DecompressionBombError as error:
        raise TooLargeError(f"{file}: {error}") from None
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise InputError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _exif(picture: Pictures.Image, file: Path) -> Pictures.Exif:
    """Return the EXIF data. For a PNG without metadata after its pixels, avoid that Pillow decodes all pixels."""
    if isinstance(picture, PngImageFile) and not _has_trailing_metadata(file.read_bytes()):
        return Pictures.Image.getexif(picture)
    return picture.getexif()


def _has_trailing_metadata(png: bytes) -> bool:
    """Whether a PNG has metadata after its pixels, or is damaged, so that Pillow must decode the pixels."""
    at, pixels = 8, False
    while at + 12 <= len(png):
        length, kind = _CHUNK.unpack_from(png, at)
        end = at + 12 + length
        if crc32(memoryview(png)[at + 4 : end - 4]).to_bytes(4, "big") != png[end - 4 : end]:
            return True
        if kind == b"IEND":
            return not pixels
        if pixels and kind in (b"eXIf", b"tEXt", b"zTXt", b"iTXt"):
            return True
        pixels |= kind == b"IDAT"
        at = end
    return True


def open_image(file: Path, opening: Opening = "composited") -> Image:
    """Read an image as 8-bit RGB: rotated according to EXIF, transparent parts on white.

    With `opening="raw"`, the stored pixels: alpha dropped, EXIF ignored. Raises `InputError` or `TooLargeError`.

    >>> open_image(Path("no_such.png"))
    Traceback (most recent call last):
    vdebench.errors.InputError: no_such.png: cannot be read: No such file or directory
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)  # MAX_PIXELS is our own limit
            with Pictures.open(fetched(file)) as picture:
                width, height = picture.size
                if width * height > MAX_PIXELS:
                    raise TooLargeError(f"{file}: {width}×{height} pixels, the limit is {MAX_PIXELS:,}")
                if opening == "raw":
                    return np.array(_as_rgb(_without_alpha(picture)), np.uint8)
                return np.array(_as_rgb(ImageOps.exif_transpose(picture)), np.uint8)
    except UnidentifiedImageError:
        raise InputError(f"{file}: is no image we know; PNG, JPEG, WebP and TIFF are") from None
    except Pictures.DecompressionBombError as error:
        raise TooLargeError(f"{file}: {error}") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from None
    except (SyntaxError, ValueError, EOFError, MemoryError) as error:  # raised by Pillow's decoders for damaged files
        raise InputError(f"{file}: is broken: {error}") from None


def _without_alpha(picture: Pictures.Image) -> Pictures.Image:
    """Return the stored colours without transparency."""
    picture.info.pop("transparency", None)  # transparency of a palette, or one transparent colour
    return picture.convert("RGB") if picture.mode in ("RGBA", "LA", "PA") else picture


def _as_rgb(picture: Pictures.Image) -> Pictures.Image:
    if picture.mode in ("I", "F") or picture.mode.startswith("I;16"):
        values = np.asarray(picture, np.float64)
        grey = np.clip(np.rint(values * _scale(picture.mode, values)), 0, 255).astype(np.uint8)
        return Pictures.fromarray(grey).convert("RGB")
    if picture.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in picture.info:
        foreground = picture.convert("RGBA")
        background = Pictures.new("RGBA", foreground.size, "white")
        return Pictures.alpha_composite(background, foreground).convert("RGB")
    return picture.convert("RGB")


def _scale(mode: str, values: NDArray[np.float64]) -> float:
    """Factor that maps white to 255. For 32-bit integers and floats, the format does not define white: guess it."""
    if mode.startswith("I;16"):
        return 255 / 65535
    top = values.max(initial=0)
    return 255 if mode == "F" and top <= 1 else 1 if top <= 255 else 255 / 65535
