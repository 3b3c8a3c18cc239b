"""Images in the report: the files themselves where browsers show them, and thumbnails."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from PIL import Image as Pictures

from vdebench.engine.processes import usable_processors
from vdebench.errors import VdeError
from vdebench.images import open_image

SHOWN = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp", "GIF": "gif", "BMP": "bmp"}
"""Formats that every browser shows, and how their files end."""
THUMBNAIL = 320
"""Longest side of a thumbnail, in pixels."""


class Album:
    """The pictures of a report, each file once: asked for first, made all at once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names: dict[Path, str] = {}
        self._found: dict[Path, dict[str, Any]] = {}

    def ask(self, file: Path | None, name: str) -> None:
        """Ask for the picture in a file, to be called `name`; a file that was asked for keeps its first name."""
        if file is not None:
            self._names.setdefault(file, name)

    def __len__(self) -> int:
        """How many were asked for."""
        return len(self._names)

    def make(self, done: Callable[[], None]) -> None:
        """Make all that was asked for, by all processors; `done` is told after each."""
        with ThreadPoolExecutor(usable_processors()) as pool:
            tasks = pool.map(lambda item: (item[0], self._make(*item)), self._names.items())
            for file, found in tasks:
                self._found[file] = found
                done()

    def __getitem__(self, file: Path | None) -> dict[str, Any] | None:
        """`image`, `thumb` and `size` of a picture, or the `reason` why it cannot be shown."""
        return self._found.get(file) if file is not None else None

    def _make(self, file: Path, name: str) -> dict[str, Any]:
        try:
            page = open_image(file)
        except VdeError as error:
            return {"reason": str(error)}
        picture = Pictures.fromarray(page)
        ending = _ending(file)
        image, thumb = f"images/{name}.{ending or 'png'}", f"thumbs/{name}.webp"
        for made in (image, thumb):
            (self._root / made).parent.mkdir(parents=True, exist_ok=True)
        if ending:
            _same_file(file, self._root / image)
        else:
            picture.save(self._root / image)
        size = list(picture.size)
        picture.thumbnail((THUMBNAIL, THUMBNAIL), Pictures.Resampling.BOX, reducing_gap=2.0)
        picture.save(self._root / thumb, quality=72, method=2)
        return {"image": image, "thumb": thumb, "size": size}


def _ending(file: Path) -> str:
    """How a file of its format ends, nothing where browsers do not show it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)
        with Pictures.open(file) as picture:
            return SHOWN.get(picture.format or "", "")


def _same_file(file: Path, to: Path) -> None:
    """The file in another place: a link costs no room. Nobody writes into either: both are replaced, whole."""
    try:
        os.link(os.path.realpath(file), to)
    except OSError:  # another disk, or one without links
        shutil.copyfile(file, to)
