"""Images in the report: the files themselves where browsers show them, thumbnails, and masks to lay over them."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from vdebench.errors import VdeError
from vdebench.io.files import fetched
from vdebench.io.images import open_image
from vdebench.metrics.masked import Mask
from vdebench.parallel.local import usable_processors
from vdebench.pipeline.scoring.mask_sample import union_of

SHOWN = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp", "GIF": "gif", "BMP": "bmp"}
"""Formats that every browser shows, and how their files end."""
THUMBNAIL = 320
"""Longest side of a thumbnail, in pixels."""


AREAS = 12
"""Parts of a mask that are gone to one by one."""
LINE, HALO, TINT = 2, 3, 1
"""Colours of a mask, by number."""
PALETTE = {0: (0, 0, 0, 0), TINT: (230, 0, 140, 46), LINE: (214, 0, 130, 255), HALO: (255, 255, 255, 190)}
"""Red, green, blue, opacity."""
Asked = Path | tuple[Path, ...]
"""A picture, or the masks of a sample."""


class ImageSet:
    """The pictures of a report, each file once: asked for first, made all at once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names: dict[Asked, str] = {}
        self._found: dict[Asked, dict[str, Any]] = {}

    def ask(self, file: Asked | None, name: str) -> None:
        """Ask for the picture in a file, or for masks as one, to be called `name`; its first name is kept."""
        if file:
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

    def __getitem__(self, file: Asked | None) -> dict[str, Any] | None:
        """`image`, `size` and `thumb` of a picture, or `areas` of a mask; or the `reason` why it cannot be shown."""
        return self._found.get(file) if file else None

    def _make(self, asked: Asked, name: str) -> dict[str, Any]:
        try:
            return self._mask(asked, name) if isinstance(asked, tuple) else self._picture(asked, name)
        except VdeError as error:
            return {"reason": str(error)}

    def _mask(self, files: tuple[Path, ...], name: str) -> dict[str, Any]:
        first = open_image(files[0])
        mask = union_of(files, first)
        image = self._root / f"images/{name}.png"
        image.parent.mkdir(parents=True, exist_ok=True)
        drawn = Pictures.fromarray(drawn_mask(mask))
        drawn.putpalette([part for colour in PALETTE.values() for part in colour], "RGBA")
        drawn.save(image, optimize=True)
        return {"image": f"images/{name}.png", "size": [mask.shape[1], mask.shape[0]], "areas": areas(mask)}

    def _picture(self, file: Path, name: str) -> dict[str, Any]:
        page = open_image(file)
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


def drawn_mask(mask: Mask) -> NDArray[np.uint8]:
    """A mask as colours of the palette: a tint, and around it a line with a light edge, seen also when made small.

    >>> drawn_mask(np.pad(np.ones((1, 1), bool), 5))[5].tolist()
    [0, 3, 3, 2, 2, 1, 2, 2, 3, 3, 0]
    """
    width = max(2, round(max(mask.shape) / 450))
    inside = mask.astype(np.uint8)
    line, halo = (_grown(inside, width * times) for times in (1, 2))
    return np.select([mask, line > 0, halo > 0], [np.uint8(TINT), np.uint8(LINE), np.uint8(HALO)], np.uint8(0))


def areas(mask: Mask) -> list[list[float]]:
    """Boxes around the parts of a mask, largest first, in percent of the page; parts that nearly touch are one.

    >>> areas(np.pad(np.ones((10, 20), bool), 40))
    [[40.0, 44.44, 20.0, 11.11]]
    """
    height, width = mask.shape
    near = max(2, round(max(mask.shape) / 100))
    _, labels = cv2.connectedComponents(_grown(mask.astype(np.uint8), near))
    sizes = np.bincount(labels[mask])
    found = []
    for label in np.argsort(-sizes, kind="stable")[:AREAS]:
        rows, columns = np.nonzero(mask & (labels == label))
        if len(rows):
            across, down = 100 / width, 100 / height
            box = (columns.min() * across, rows.min() * down, (np.ptp(columns) + 1) * across, (np.ptp(rows) + 1) * down)
            found.append([round(float(part), 2) for part in box])
    return found


def _grown(mask: NDArray[np.uint8], by: int) -> NDArray[np.uint8]:
    return np.asarray(cv2.dilate(mask, np.ones((2 * by + 1, 2 * by + 1), np.uint8)), np.uint8)


def _ending(file: Path) -> str:
    """How a file of its format ends, nothing where browsers do not show it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)
        with Pictures.open(fetched(file)) as picture:
            return SHOWN.get(picture.format or "", "")


def _same_file(file: Path, to: Path) -> None:
    """The file in another place: a link costs no room. Nobody writes into either: both are replaced, whole."""
    try:
        os.link(os.path.realpath(file), to)
    except OSError:  # another disk, or one without links
        shutil.copyfile(file, to)
