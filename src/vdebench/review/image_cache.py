"""Pictures that are shown, as PNG of the page's size, by the content they were made of: made once, whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Semaphore

from vdebench.core.images import DECODING, RESIZING, Image
from vdebench.core.png import encode_png
from vdebench.io.cache import digest_of
from vdebench.io.files import is_file, locked, make_folder, write_bytes

AT_ONCE = 2
"""Pictures that are made at the same time: a large page takes half a gigabyte."""
_making = Semaphore(AT_ONCE)


class ImageCache:
    """A folder of pictures that can be made again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(self, key: str, make: Callable[[], Image]) -> Path:
        """The picture of a key, made where it is not there yet; others who want it wait for it meanwhile."""
        file = self._folder / key[:2] / f"{key}.png"
        if is_file(file):
            return file
        locks = self._folder / ".locks" / key[:2]  # they stay: to delete one is to race for it
        make_folder(locks)
        with locked(locks, wait=True):
            if not is_file(file):
                with _making:
                    write_bytes(file, encode_png(make()))
        return file


def key_of(*parts: str) -> str:
    """What a picture is kept under."""
    return digest_of(DECODING, RESIZING, *parts)
