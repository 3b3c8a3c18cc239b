"""Pixel traces of an edit: preservation, stray ink, changed tiles and visual fidelity.

Pages are divided into small tiles, and each tile is searched within a few pixels of its position: re-encoding,
resampling and small shifts do not count, redrawn letters do. `visual_fidelity` ignores positions. All images are RGB
and of the same size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vdebench.core.images import Image
from vdebench.metrics.image import require_rgb_pair
from vdebench.metrics.registry import metric

IDENTITY = "traces-2"
"""Version; raise it with any number below."""
TILE, REACH, SMOOTH = 12, 3, 1.0
"""Tile size, search distance and smoothing in pixels, for a page whose longer side is `LONG_SIDE`."""
LONG_SIDE = 1100
SAME = 0.8
"""Minimum correlation of equal tiles; see docs/usable.md for its accuracy."""
INK = 40
"""Minimum grey range of a tile with ink."""
STRAY = 64
"""Minimum grey range of stray ink on an empty tile, above noise and ringing."""
RECOLOURED = 8
"""Minimum difference of mean colours of a recoloured tile."""
FLOOR = 16.0
"""Grey levels added to a denominator, so that noise on empty paper does not count."""

Grey = NDArray[np.uint8]
Tiles = NDArray[np.bool_]


class Outside(NamedTuple):
    """Changes outside the regions, as shares of tiles."""

    preservation: float
    """Share of the inked tiles that are preserved."""
    stray: float
    """Share of all tiles that were empty and now have ink."""


def scale_of(long_side: int) -> float:
    """Return the scale of a page relative to `LONG_SIDE`, at least 1."""
    return max(1.0, long_side / LONG_SIDE)


class _Grid(NamedTuple):
    """The tiles of a page."""

    tile: int
    reach: int
    smooth: float
    rows: int
    columns: int
    start: int
    """Offset of the first tile, in x and y."""

    @classmethod
    def of(cls, image: Image, long_side: int = 0) -> _Grid:
        """Return the grid of an image, or of a crop of a page with this longer side."""
        height, width = image.shape[:2]
        scale = scale_of(long_side or max(height, width))
        tile = min(round(TILE * scale), height, width)
        return cls(tile, round(REACH * scale), SMOOTH * scale, height // tile, width // tile, 0)

    def halfway(self, page: Image) -> _Grid:
        """Return the grid shifted by half a tile."""
        start, (height, width) = self.tile // 2, page.shape[:2]
        return self._replace(rows=(height - start) // self.tile, columns=(width - start) // self.tile, start=start)

    def grey(self, image: Image) -> Grey:
        grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        return np.asarray(cv2.GaussianBlur(grey, (0, 0), self.smooth), np.uint8)

    def cut(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return an array of tiles × pixel values."""
        end = [self.start + count * self.tile for count in (self.rows, self.columns)]
        whole = image[self.start : end[0], self.start : end[1]]
        shape = (self.rows, self.tile, self.columns, self.tile, -1)
        return whole.reshape(shape).swapaxes(1, 2).reshape(self.rows, self.columns, -1).astype(np.float32)

    def range(self, grey: Grey, margin: int = 0) -> NDArray[np.float32]:
        """Return the grey range of each tile and a margin around it."""
        if margin:
            kernel = np.ones((2 * margin + 1, 2 * margin + 1), np.uint8)
            high, low = cv2.dilate(grey, kernel), cv2.erode(grey, kernel)
        else:
            high = low = grey
        return np.asarray(self.cut(np.asarray(high)).max(-1) - self.cut(np.asarray(low)).min(-1), np.float32)

    def touched(self, mask: Tiles) -> Tiles:
        """Return the tiles that a mask touches."""
        return np.asarray(self.cut(mask.view(np.uint8)).any(-1), np.bool_)


def outside(candidate: Image, reference: Image, regions: Tiles, source: Image | None = None) -> Outside | None:
    """Measure changes where the mask `regions` is false; None if no tile is outside.

    A tile is preserved if it equals the reference or the source: if an edit shifts the text after it, both are correct.

    >>> page = np.full((60, 60, 3), 255, np.uint8)
    >>> page[20:40, 4:56:6] = 0
    >>> nowhere = np.zeros((60, 60), bool)
    >>> outside(page, page, nowhere)
    Outside(preservation=1.0, stray=0.0)
    >>> outside(np.full_like(page, 255), page, nowhere).preservation
    0.0
    """
    pages = [reference] if source is None else [reference, source]
    for page in pages:
        require_rgb_pair(candidate, page)
    grid = _Grid.of(reference)
    grids = [each for each in (grid, grid.halfway(reference)) if each.rows and each.columns]
    greys = [grid.grey(each) for each in (candidate, *pages)]
    checked, inked, lost, stray = np.sum([_counts(greys[0], greys[1:], regions, each) for each in grids], axis=0)
    if not checked:
        return None
    return Outside(float(1 - lost / inked) if inked else 1.0, float(stray / checked))


def _counts(grey: Grey, pages: Sequence[Grey], regions: Tiles, grid: _Grid) -> tuple[int, ...]:
    """Return the numbers of tiles checked, with ink, lost, and with stray ink."""
    checked = ~grid.touched(regions)
    written = grid.range(grey) >= STRAY
    inked, empty, lost = np.zeros_like(checked), checked.copy(), checked.copy()
    for page in pages:
        here, near = (checked & (grid.range(page, margin) >= INK) for margin in (0, grid.reach))
        lost &= _lost(grey, page, here & lost, grid) | (~near & written)
        inked |= here
        empty &= ~near
    return tuple(int(tiles.sum()) for tiles in (checked, inked, lost & inked, empty & written))


def edited_share(candidate: Image, source: Image, reference: Image, long_side: int = 0) -> float | None:
    """Return the share of the tiles to change that were changed in any way; None if none is to change.

    For crops, `long_side` is that of their page; it determines the tile size.

    >>> before = np.full((60, 60, 3), 255, np.uint8)
    >>> after = before.copy()
    >>> after[20:40, 4:56:6] = 0
    >>> edited_share(before, before, after), edited_share(after, before, after), edited_share(before, before, before)
    (0.0, 1.0, None)
    """
    require_rgb_pair(candidate, source)
    require_rgb_pair(reference, source)
    grid = _Grid.of(source, long_side)
    expected = _changed(reference, source, grid)
    return float((expected & _changed(candidate, source, grid)).sum() / expected.sum()) if expected.any() else None


def _changed(image: Image, before: Image, grid: _Grid) -> Tiles:
    """Return the tiles with different ink or colour."""
    grey, reference = grid.grey(image), grid.grey(before)
    inked = (grid.range(reference) >= INK) | (grid.range(grey) >= INK)
    colours = [grid.cut(each).reshape(grid.rows, grid.columns, -1, 3).mean(2) for each in (image, before)]
    recoloured = np.abs(colours[0] - colours[1]).max(-1) >= RECOLOURED
    return np.asarray(_lost(grey, reference, inked, grid) | recoloured, np.bool_)


def _lost(grey: Grey, reference: Grey, inked: Tiles, grid: _Grid) -> Tiles:
    """Return the inked tiles that are not found near their position."""
    lost = inked & (_correlation(grid.cut(grey), grid.cut(reference)) < SAME)
    for row, column in np.argwhere(lost):  # few: most tiles are unchanged at their position
        side, reach = grid.tile, grid.reach
        y, x = grid.start + row * side, grid.start + column * side
        tile = reference[y : y + side, x : x + side]
        near = grey[max(0, y - reach) : y + side + reach, max(0, x - reach) : x + side + reach]
        if np.ptp(tile) >= INK and cv2.matchTemplate(near, tile, cv2.TM_CCOEFF_NORMED).max() >= SAME:
            lost[row, column] = False
    return lost


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the correlation of corresponding tiles; 0 if one is uniform."""
    one, other = (tiles - tiles.mean(-1, keepdims=True) for tiles in (one, other))
    norm = np.sqrt((one * one).sum(-1) * (other * other).sum(-1))
    return np.asarray(np.divide((one * other).sum(-1), norm, out=np.zeros_like(norm), where=norm > 0), np.float32)


@metric("visual_fidelity", kind="rate", title="Visual fidelity")
def visual_fidelity(candidate: Image, reference: Image) -> float:
    """Similarity of colours and sharpness of two crops, independent of positions.

    One minus the larger of two distances, between the distributions of colours and of edge strengths, relative to the
    crop with more contrast. Sensitive to font, size, colour, paper and blur, not to a moved word.

    >>> page = np.full((40, 80, 3), 255, np.uint8)
    >>> page[10:30, 10:70:6] = 0
    >>> visual_fidelity(np.roll(page, 3, axis=1), page), visual_fidelity(np.full_like(page, 255), page) < 0.5
    (1.0, True)
    """
    require_rgb_pair(candidate, reference)
    paper = np.median(reference.reshape(-1, 3), axis=0).astype(np.float32)
    colours = [cv2.split(image.astype(np.float32) - paper) for image in (candidate, reference)]
    channels = [*zip(*colours, strict=True), (_edges(candidate), _edges(reference))]
    return max(0.0, 1 - max(_relative_distance(np.asarray(one), np.asarray(other)) for one, other in channels))


def _edges(image: Image) -> NDArray[np.float32]:
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32)
    across, down = (cv2.Sobel(grey, cv2.CV_32F, dx, 1 - dx, scale=0.25) for dx in (1, 0))
    return np.asarray(np.sqrt(across**2 + down**2), np.float32)  # cv2.magnitude's last bit depends on the address


def _relative_distance(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return the Wasserstein-1 distance of two distributions, relative to the larger mean magnitude."""
    distance = float(np.abs(np.sort(one, axis=None) - np.sort(other, axis=None)).mean())
    return distance / (max(float(np.abs(values).mean()) for values in (one, other)) + FLOOR)
