"""Pixel operations of corruptions: erase, paste ink, distort."""

from __future__ import annotations

import cv2
import numpy as np

from vdebench.core.box import Box, Size
from vdebench.core.images import Image, PixelBox

MARGIN = 2
"""Pixels around ink that belong to it: antialiasing."""


def around(box: Box, image: Image) -> PixelBox:
    """The whole pixels of a box with its margin, on the page."""
    grown = Box(box.x1 - MARGIN, box.y1 - MARGIN, box.x2 + MARGIN, box.y2 + MARGIN)
    return PixelBox.holding(grown, Size(image.shape[1], image.shape[0]))


def most_frequent_colour(pixels: Image) -> Image:
    """The most frequent colour of an image.

    >>> most_frequent_colour(np.full((4, 4, 3), 250, np.uint8)).tolist()
    [250, 250, 250]
    """
    colours, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    return np.asarray(colours[counts.argmax()], np.uint8)


def background(image: Image, box: PixelBox) -> Image:
    """The most frequent colour along the edge of a box."""
    piece = box.cut(image)
    return most_frequent_colour(np.concatenate([piece[0], piece[-1], piece[:, 0], piece[:, -1]]))


def erased(image: Image, *boxes: PixelBox, like: PixelBox | None = None) -> Image:
    """The page with boxes filled by their background, or by that of another box."""
    painted = image.copy()
    for box in boxes:
        painted[box.y1 : box.y2, box.x1 : box.x2] = background(image, like or box)
    return painted


def with_ink(image: Image, piece: Image, paper: Image, x: int, y: int) -> Image:
    """The page with the ink of a piece, which is on paper of a colour, added at (x, y); outside the page it is cut."""
    height, width = image.shape[:2]
    left, top = max(0, -x), max(0, -y)
    piece = piece[top : max(top, height - y), left : max(left, width - x)]
    rows, columns = piece.shape[:2]
    result = image.astype(int)
    result[y + top : y + top + rows, x + left : x + left + columns] += piece.astype(int) - paper
    return np.asarray(np.clip(result, 0, 255), np.uint8)


def moved_ink(image: Image, boxes: list[Box], dx: float, dy: float) -> Image:
    """The page with the ink of boxes moved."""
    places = [around(box, image) for box in boxes]
    result = erased(image, *places)
    for place in places:
        paper = background(image, place)
        result = with_ink(result, place.cut(image), paper, place.x1 + round(dx), place.y1 + round(dy))
    return result


def distorted(image: Image, box: PixelBox, amplitude: float, length: float, seed: int) -> Image:
    """The page with a random displacement inside a box: root mean square and correlation length in pixels."""
    piece = box.cut(image)
    height, width = piece.shape[:2]
    noise = np.random.default_rng(seed).standard_normal((2, height, width)).astype(np.float32)
    fields = [cv2.GaussianBlur(each, (0, 0), length) for each in noise]
    dx, dy = (each / max(float(each.std()), 1e-9) * amplitude for each in fields)
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    warped = cv2.remap(
        np.ascontiguousarray(piece),
        np.asarray(x + dx, np.float32),
        np.asarray(y + dy, np.float32),
        cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    result = image.copy()
    result[box.y1 : box.y2, box.x1 : box.x2] = warped
    return result


def smeared(piece: Image) -> Image:
    """A piece wiped sideways: its ink as a grey band."""
    height = piece.shape[0]
    return np.asarray(cv2.blur(piece, (max(3, 3 * height), max(3, height // 3))), np.uint8)
