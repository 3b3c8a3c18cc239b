"""Cache of displayed images: PNG of the page's size, keyed by their inputs, each created once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Semaphore

from vdebench.core.images import DECODING, RESIZING, Image
from vdebench.core.png import encode_png
from vdebench.io.cache import digest_of
from vdebench.io.files import is_file, locked, make_folder, write_bytes

AT_ONCE = 2
"""Images created at the same time: a large page takes half a gigabyte of memory."""
_making = Semaphore(AT_ONCE)


class ImageCache:
    """A folder of cached images; it can be deleted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(self, key: str, make: Callable[[], Image]) -> Path:
        """Return the image file of a key and create it if needed; concurrent callers wait for it."""
        file = self._folder / key[:2] / f"{key}.png"
        if is_file(file):
            return file
        locks = self._folder / ".locks" / key[:2]  # lock files are never deleted: that would be a race
        make_folder(locks)
        with locked(locks, wait=True):
            if not is_file(file):
                with _making:
                    write_bytes(file, encode_png(make()))
        return file


def key_of(*parts: str) -> str:
    """Return the cache key of an image."""
    return digest_of(DECODING, RESIZING, *parts)
