"""Paste-back: copy the changed regions of an edit into the source page, so that all other pixels are unchanged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.images import Image, PixelBox, resized
from vdebench.errors import InputError


def paste_back(page: Image, edited: Image, boxes: Sequence[Box]) -> Image:
    """Return the page with the boxes (in its pixels) copied from the edit, which is resized to the page.

    To keep the edit's size, resize the page first: `paste_back(resized(page, size), …)`.

    >>> page, edited = np.zeros((4, 4, 3), np.uint8), np.full((8, 8, 3), 255, np.uint8)
    >>> paste_back(page, edited, [Box(1, 1, 3, 2)])[:, :, 0].tolist()
    [[0, 0, 0, 0], [0, 255, 255, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    """
    if not boxes:
        raise InputError("no box given, expected at least one")
    size = Size(page.shape[1], page.shape[0])
    scaled = resized(edited, size)
    pasted = page.copy()
    for box in boxes:
        part = PixelBox.holding(box, size)
        part.cut(pasted)[:] = part.cut(scaled)
    return pasted


def mask_of(page: Size, boxes: Sequence[Box]) -> Image:
    """Return a mask that is white inside the boxes.

    >>> mask_of(Size(3, 2), [Box(1, 0, 2, 2)]).tolist()
    [[0, 255, 0], [0, 255, 0]]
    """
    mask = np.zeros((int(page.height), int(page.width)), np.uint8)
    for box in boxes:
        PixelBox.holding(box, page).cut(mask)[:] = 255
    return mask
