"""Images of the report: the files themselves if browsers show them, thumbnails, and masks as overlays."""

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

BROWSER_FORMATS = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp", "GIF": "gif", "BMP": "bmp"}
"""Formats that every browser shows, with their file extensions."""
THUMBNAIL = 320
"""Longest side of a thumbnail, in pixels."""


AREAS = 12
"""Largest number of parts of a mask that can be visited one by one."""
LINE, HALO, TINT = 2, 3, 1
"""Colours of a mask, by number."""
PALETTE = {0: (0, 0, 0, 0), TINT: (230, 0, 140, 46), LINE: (214, 0, 130, 255), HALO: (255, 255, 255, 190)}
"""Red, green, blue, opacity."""
ImageRequest = Path | tuple[Path, ...]
"""An image file, or the mask files of a sample."""


class ImageSet:
    """The images of a report, each file once: first requested, then written together."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names: dict[ImageRequest, str] = {}
        self._found: dict[ImageRequest, dict[str, Any]] = {}

    def ask(self, file: ImageRequest | None, name: str) -> None:
        """Request an image file, or masks as one image, with a name; the first name counts."""
        if file:
            self._names.setdefault(file, name)

    def __len__(self) -> int:
        """Number of requested images."""
        return len(self._names)

    def make(self, on_done: Callable[[], None]) -> None:
        """Write all requested images, on all processors; `on_done` is called after each."""
        with ThreadPoolExecutor(usable_processors()) as pool:
            tasks = pool.map(lambda item: (item[0], self._make(*item)), self._names.items())
            for file, result in tasks:
                self._found[file] = result
                on_done()

    def __getitem__(self, file: ImageRequest | None) -> dict[str, Any] | None:
        """`image`, `size` and `thumb` of an image, or `areas` of a mask; or the `reason` why it cannot be shown."""
        return self._found.get(file) if file else None

    def _make(self, request: ImageRequest, name: str) -> dict[str, Any]:
        try:
            return self._mask(request, name) if isinstance(request, tuple) else self._picture(request, name)
        except VdeError as error:
            return {"reason": str(error)}

    def _mask(self, files: tuple[Path, ...], name: str) -> dict[str, Any]:
        first = open_image(files[0])
        mask = union_of(files, first)
        image = self._root / f"images/{name}.png"
        image.parent.mkdir(parents=True, exist_ok=True)
        picture = Pictures.fromarray(draw_mask(mask))
        picture.putpalette([part for colour in PALETTE.values() for part in colour], "RGBA")
        picture.save(image, optimize=True)
        return {"image": f"images/{name}.png", "size": [mask.shape[1], mask.shape[0]], "areas": areas(mask)}

    def _picture(self, file: Path, name: str) -> dict[str, Any]:
        page = open_image(file)
        picture = Pictures.fromarray(page)
        ending = _ending(file)
        image, thumb = f"images/{name}.{ending or 'png'}", f"thumbs/{name}.webp"
        for target in (image, thumb):
            (self._root / target).parent.mkdir(parents=True, exist_ok=True)
        if ending:
            _same_file(file, self._root / image)
        else:
            picture.save(self._root / image)
        size = list(picture.size)
        picture.thumbnail((THUMBNAIL, THUMBNAIL), Pictures.Resampling.BOX, reducing_gap=2.0)
        picture.save(self._root / thumb, quality=72, method=2)
        return {"image": image, "thumb": thumb, "size": size}


def draw_mask(mask: Mask) -> NDArray[np.uint8]:
    """Draw a mask in colours of the palette: a tint with an outline and a light edge, visible at small sizes.

    >>> draw_mask(np.pad(np.ones((1, 1), bool), 5))[5].tolist()
    [0, 3, 3, 2, 2, 1, 2, 2, 3, 3, 0]
    """
    width = max(2, round(max(mask.shape) / 450))
    inside = mask.astype(np.uint8)
    line, halo = (_dilate(inside, width * times) for times in (1, 2))
    return np.select([mask, line > 0, halo > 0], [np.uint8(TINT), np.uint8(LINE), np.uint8(HALO)], np.uint8(0))


def areas(mask: Mask) -> list[list[float]]:
    """Boxes around the parts of a mask, largest first, in percent of the page; parts that nearly touch are one.

    >>> areas(np.pad(np.ones((10, 20), bool), 40))
    [[40.0, 44.44, 20.0, 11.11]]
    """
    height, width = mask.shape
    gap = max(2, round(max(mask.shape) / 100))
    _, labels = cv2.connectedComponents(_dilate(mask.astype(np.uint8), gap))
    sizes = np.bincount(labels[mask])
    boxes = []
    for label in np.argsort(-sizes, kind="stable")[:AREAS]:
        rows, columns = np.nonzero(mask & (labels == label))
        if len(rows):
            x_scale, y_scale = 100 / width, 100 / height
            box = (
                columns.min() * x_scale,
                rows.min() * y_scale,
                (np.ptp(columns) + 1) * x_scale,
                (np.ptp(rows) + 1) * y_scale,
            )
            boxes.append([round(float(part), 2) for part in box])
    return boxes


def _dilate(mask: NDArray[np.uint8], by: int) -> NDArray[np.uint8]:
    return np.asarray(cv2.dilate(mask, np.ones((2 * by + 1, 2 * by + 1), np.uint8)), np.uint8)


def _ending(file: Path) -> str:
    """The extension of a file's format, "" if browsers do not show it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)
        with Pictures.open(fetched(file)) as picture:
            return BROWSER_FORMATS.get(picture.format or "", "")


def _same_file(file: Path, to: Path) -> None:
    """Link or copy a file. Neither is ever modified in place, so a hard link is safe."""
    try:
        os.link(os.path.realpath(file), to)
    except OSError:  # another disk, or one without links
        shutil.copyfile(file, to)
