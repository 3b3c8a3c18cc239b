"""Pictures, figures and areas of colour that look different where no text is.

Both images are reduced until a line of text is a few pixels high, so that compression, resizing and an autoencoder
change little. What a window shows is looked for on the other image at its place, and where the text around it moved to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.changes.alignment import AlignedPages
from vdebench.changes.change import Change, ChangeKind
from vdebench.changes.shifts import Shift
from vdebench.core.box import Box
from vdebench.core.images import Image

LINE = 8.0
"""Height in pixels of a line of text on the reduced images."""
WINDOW, COLOUR_WINDOW = 13, 7
"""Sides in pixels of the windows whose shapes and whose mean colours are compared, on the reduced images."""
STRUCTURE, ALIKE = 9.0, 0.4
"""Standard deviation of grey levels from which a window shows something, and the correlation from which it shows the
same."""
MAX_COLOUR = 20.0
"""Distance in CIELAB (ΔE 1976), beyond what the whole page changed, up to which an area has the same colour."""
MIN_AREA = 3.0
"""Least area of a change, in squares of the height of a line."""
MAX_GAIN = 0.25
"""Greatest change of contrast of the whole page that is removed before colours are compared."""
SHOWN = 0.1
"""Share of an area's windows that show something, from which the area does."""
Pixels = NDArray[np.float32]
Mask = NDArray[np.bool_]


class _Area(NamedTuple):
    """Connected windows that look different, on the reduced images."""

    place: tuple[slice, slice]
    inside: Mask
    has_shape: bool
    """Whether they show something else, and not only another colour."""


def picture_changes(pages: AlignedPages, text: Sequence[Box], height: float, shifts: Sequence[Shift]) -> list[Change]:
    """Return the areas without text that look different.

    `text` are boxes of text on either image, in pixels of the page; `height` is that of a line.
    """
    scale = min(1.0, LINE / height)
    before, after = (_reduced(image, scale) for image in (pages.before, pages.after))
    if min(before.shape[:2]) < 2 * WINDOW:
        return []
    free = _free(before.shape[:2], pages.frame, text, scale)
    moves = [(round(right * scale), round(down * scale)) for right, down in shifts]
    greys = [cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32, copy=False) for image in (before, after)]
    back = [(-right, -down) for right, down in moves]
    shapes = (_unlike(greys[0], greys[1], moves) | _unlike(greys[1], greys[0], back)) & free
    colours = _other_colour(before, after, moves) & free
    changes = []
    for area in _areas(shapes, colours):
        rows, columns = area.place
        box = Box(columns.start, rows.start, columns.stop, rows.stop).scaled(1 / scale, 1 / scale)
        box = _within(box, pages.frame)
        kind, note = _kind(area, greys)
        changes.append(Change(kind, "", "", box, pages.box_to_output(box), confidence=0.8, note=note))
    return changes


def _within(box: Box, frame: Box) -> Box:
    return Box(max(box.x1, frame.x1), max(box.y1, frame.y1), min(box.x2, frame.x2), min(box.y2, frame.y2))


def _reduced(image: Image, scale: float) -> Pixels:
    size = max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), 0.8), np.float32)


def _free(shape: tuple[int, ...], frame: Box, text: Sequence[Box], scale: float) -> Mask:
    """Return the pixels whose window lies inside the frame and has no text."""
    free = np.zeros(shape, np.bool_)
    margin = WINDOW // 2 + 1
    x1, y1, x2, y2 = (int(side) for side in frame.scaled(scale, scale))
    free[y1 + margin : max(0, y2 - margin), x1 + margin : max(0, x2 - margin)] = True
    for box in text:
        x1, y1, x2, y2 = (int(side) for side in box.scaled(scale, scale))
        free[max(0, y1 - margin) : y2 + margin + 1, max(0, x1 - margin) : x2 + margin + 1] = False
    return free


def _unlike(one: Pixels, other: Pixels, moves: Sequence[Shift]) -> Mask:
    """Return where an image shows something that the other one has neither at its place nor where text moved to."""
    mean, deviation = _moments(one)
    best = np.full(one.shape, -1.0, np.float32)
    for right, down in {(x + i, y + j) for x, y in [(0, 0), *moves] for i in (-1, 0, 1) for j in (-1, 0, 1)}:
        moved = _moved(other, right, down)
        other_mean, other_deviation = _moments(moved)
        product = cv2.boxFilter(one * moved, -1, (WINDOW, WINDOW)) - mean * other_mean
        np.maximum(best, product / np.maximum(deviation * other_deviation, 1.0), out=best)
    return np.asarray((deviation > STRUCTURE) & (best < ALIKE), np.bool_)


def _moments(grey: Pixels) -> tuple[Pixels, Pixels]:
    """Return the mean and the standard deviation of each window."""
    mean = cv2.boxFilter(grey, -1, (WINDOW, WINDOW))
    square = cv2.boxFilter(grey * grey, -1, (WINDOW, WINDOW))
    return np.asarray(mean, np.float32), np.sqrt(np.maximum(square - mean * mean, 0)).astype(np.float32)


def _moved(image: Pixels, right: int, down: int) -> Pixels:
    """Return an image that has at each place the pixel of `image` further right and down."""
    matrix = np.array([[1.0, 0, -right], [0, 1, -down]])
    size = image.shape[1], image.shape[0]
    moved = cv2.warpAffine(image, matrix, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.float32)


def _other_colour(before: Pixels, after: Pixels, moves: Sequence[Shift]) -> Mask:
    """Return where windows have another mean colour, beyond what the whole page changed."""
    size = COLOUR_WINDOW, COLOUR_WINDOW
    one, other = (np.asarray(cv2.boxFilter(image, -1, size), np.float32) for image in (before, after))
    expected = np.stack([_toned(one[..., channel], other[..., channel]) for channel in range(3)], axis=-1)
    distance = np.full(one.shape[:2], np.inf, np.float32)
    colour = _lab(other)
    for right, down in [(0, 0), *moves]:
        moved = _lab(_moved(expected, -right, -down))
        np.minimum(distance, np.linalg.norm(colour - moved, axis=-1), out=distance)
    return np.asarray(distance > MAX_COLOUR, np.bool_)


def _toned(one: Pixels, other: Pixels) -> Pixels:
    """Return a channel of the page with the contrast and the brightness of the output."""
    x, y = one[::4, ::4].ravel().astype(np.float64), other[::4, ::4].ravel().astype(np.float64)
    gain, offset = 1.0, float(np.median(y - x))
    for _ in range(3):
        rest = np.abs(y - gain * x - offset)
        near = rest <= max(8.0, float(np.quantile(rest, 0.7)))
        if np.ptp(x[near]) < 32:
            break
        gain = float(np.clip(np.polyfit(x[near], y[near], 1)[0], 1 - MAX_GAIN, 1 + MAX_GAIN))
        offset = float(np.median(y[near] - gain * x[near]))
    return np.asarray(np.clip(gain * one + offset, 0, 255), np.float32)


def _lab(image: Pixels) -> Pixels:
    return np.asarray(cv2.cvtColor(np.clip(image, 0, 255) / np.float32(255), cv2.COLOR_RGB2LAB), np.float32)


def _areas(shapes: Mask, colours: Mask) -> Iterator[_Area]:
    """Yield the connected windows that are large enough."""
    changed = shapes | colours
    joined = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
    for number in range(1, count):
        x, y, width, height, _ = (int(each) for each in stats[number])
        place = slice(y, y + height), slice(x, x + width)
        inside = np.asarray((labels[place] == number) & changed[place], np.bool_)
        if inside.sum() >= MIN_AREA * LINE * LINE:
            yield _Area(place, inside, bool(shapes[place][inside].mean() > 1 / 3))


def _kind(area: _Area, greys: Sequence[Pixels]) -> tuple[ChangeKind, str]:
    """Return the kind of a change, and what a person should look at."""
    if not area.has_shape:
        return "redrawn", "other colour"
    had, has = ((_moments(grey)[1][area.place][area.inside] > STRUCTURE).mean() > SHOWN for grey in greys)
    if had and has:
        return "redrawn", "picture"
    return ("ink_lost", "picture") if had else ("ink_added", "picture")
