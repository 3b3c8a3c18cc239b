"""VDE Bench's released image scoring, written down rule by rule: how files are opened, cropped and averaged.

Shares no code with the package. Growth of small crops to 64 pixels is not the release's rule but section 3.6's.
"""

from __future__ import annotations

import math

import numpy as np
from PIL import Image


def opened(file):
    """The stored colours of a file: no alpha compositing, no EXIF rotation."""
    with Image.open(file) as picture:
        values, mode = np.asarray(picture), picture.mode
        palette = picture.getpalette("RGB") if mode == "P" else None
    if mode == "P":
        return np.array(palette, np.uint8).reshape(-1, 3)[values]
    if mode in ("L", "LA"):
        grey = values if mode == "L" else values[..., 0]
        return np.stack([grey] * 3, axis=-1)
    assert mode in ("RGB", "RGBA"), mode
    return values[..., :3]


def edges(start, length, size):
    """First and last edge of a region along one side, from percent to pixels."""
    first, last = int(start / 100 * size), int((start + length) / 100 * size)
    first = max(0, min(first, size - 1))
    last = max(first + 1, min(last, size))
    return first, last


def crop(regions, width, height):
    """The box around all regions, grown to 64 pixels around its middle where it is smaller."""
    across = [edges(region["x"], region["width"], width) for region in regions]
    down = [edges(region["y"], region["height"], height) for region in regions]
    sides = []
    for spans, size in ((across, width), (down, height)):
        first, last = min(span[0] for span in spans), max(span[1] for span in spans)
        least = min(64, size)
        if last - first < least:
            first -= (least - (last - first)) // 2
            first = min(max(first, 0), size - least)
            last = first + least
        sides.append((first, last))
    (x1, x2), (y1, y2) = sides
    return x1, y1, x2, y2


def psnr(candidate, reference):
    error = ((candidate.astype(np.float64) - reference.astype(np.float64)) ** 2).mean()
    return 100.0 if error == 0 else min(100.0, 10 * math.log10(255.0**2 / error))


def mean_psnr(pairs, regions=None):
    """Mean over pairs of files (prediction, reference) below 100 dB; None where there is none."""
    found = []
    for prediction, reference in pairs:
        page, image = opened(reference), opened(prediction)
        height, width = page.shape[:2]
        if image.shape != page.shape:
            image = np.asarray(Image.fromarray(image).resize((width, height), Image.LANCZOS))
        if regions:
            x1, y1, x2, y2 = crop(regions, width, height)
            page, image = page[y1:y2, x1:x2], image[y1:y2, x1:x2]
        found.append(psnr(image, page))
    counted = [value for value in found if value < 100]
    return sum(counted) / len(counted) if counted else None
