"""What an edit leaves on a page: preservation, additions, changes and visual fidelity.

Pages are laid out in small tiles, each looked for within a few pixels of its place: saving anew, resampling or a page
that moved by a hair changes nothing; a letter drawn anew does. `visual_fidelity` ignores positions.
All images are RGB and of one size.
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
"""Changes with any number below."""
TILE, REACH, SMOOTH = 12, 3, 1.0
"""Pixels of a tile's side, how far it is looked for, and of the smoothing, on a page of `LONG_SIDE` pixels."""
LONG_SIDE = 1100
FOUND = 0.8
"""Correlation from which a tile counts as the same: see docs/usable.md for how well that tells a letter."""
INK = 40
"""Difference between a tile's darkest and lightest grey from which something stands on it."""
STRAY = 64
"""The same where nothing should stand: noise and ringing stay below."""
RECOLOURED = 8
"""Difference of a tile's mean colour from which it is another."""
FLOOR = 16.0
"""Grey levels added below a quotient, so that noise on empty paper is not a difference of look."""

Grey = NDArray[np.uint8]
Tiles = NDArray[np.bool_]


class Outside(NamedTuple):
    """What became of the page outside the regions, as shares."""

    preservation: float
    """Of the tiles with something on them, those found again."""
    stray: float
    """Of all tiles, those that were empty and are not any more."""


def scale_of(long_side: int) -> float:
    """How much larger than `LONG_SIDE` a page is; a smaller one is no smaller."""
    return max(1.0, long_side / LONG_SIDE)


class _Grid(NamedTuple):
    """How a page is laid out in tiles."""

    tile: int
    reach: int
    smooth: float
    rows: int
    columns: int
    start: int
    """Where the first tile begins, from the left and from above."""

    @classmethod
    def of(cls, image: Image, long_side: int = 0) -> _Grid:
        """Of an image, or of a crop from a page with a long side of so many pixels."""
        height, width = image.shape[:2]
        scale = scale_of(long_side or max(height, width))
        tile = min(round(TILE * scale), height, width)
        return cls(tile, round(REACH * scale), SMOOTH * scale, height // tile, width // tile, 0)

    def halfway(self, page: Image) -> _Grid:
        """Another layout, whose tiles have the corners of these in their middles."""
        start, (height, width) = self.tile // 2, page.shape[:2]
        return self._replace(rows=(height - start) // self.tile, columns=(width - start) // self.tile, start=start)

    def grey(self, image: Image) -> Grey:
        grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
        return np.asarray(cv2.GaussianBlur(grey, (0, 0), self.smooth), np.uint8)

    def cut(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Tiles × their pixels (and channels)."""
        end = [self.start + count * self.tile for count in (self.rows, self.columns)]
        whole = image[self.start : end[0], self.start : end[1]]
        shape = (self.rows, self.tile, self.columns, self.tile, -1)
        return whole.reshape(shape).swapaxes(1, 2).reshape(self.rows, self.columns, -1).astype(np.float32)

    def range(self, grey: Grey, margin: int = 0) -> NDArray[np.float32]:
        """Difference between the lightest and the darkest grey of each tile, with a margin around it."""
        if margin:
            kernel = np.ones((2 * margin + 1, 2 * margin + 1), np.uint8)
            high, low = cv2.dilate(grey, kernel), cv2.erode(grey, kernel)
        else:
            high = low = grey
        return np.asarray(self.cut(np.asarray(high)).max(-1) - self.cut(np.asarray(low)).min(-1), np.float32)

    def touched(self, mask: Tiles) -> Tiles:
        """Tiles that a mask touches."""
        return np.asarray(self.cut(mask.view(np.uint8)).any(-1), np.bool_)


def outside(candidate: Image, reference: Image, regions: Tiles, source: Image | None = None) -> Outside | None:
    """What became of the page where the mask `regions` is false; nothing where it leaves no tile.

    A tile is kept where it is as in the reference or as in the source: where an edit moves what follows it, both are
    right, to move it and to leave it.

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
    looked_at, inked, lost, stray = np.sum([_counts(greys[0], greys[1:], regions, each) for each in grids], axis=0)
    if not looked_at:
        return None
    return Outside(float(1 - lost / inked) if inked else 1.0, float(stray / looked_at))


def _counts(grey: Grey, pages: Sequence[Grey], regions: Tiles, grid: _Grid) -> tuple[int, ...]:
    """Tiles that are looked at, that have something on them, that are not found again, that were empty and are not."""
    looked_at = ~grid.touched(regions)
    written = grid.range(grey) >= STRAY
    inked, empty, lost = np.zeros_like(looked_at), looked_at.copy(), looked_at.copy()
    for wanted in pages:
        here, near = (looked_at & (grid.range(wanted, margin) >= INK) for margin in (0, grid.reach))
        lost &= _lost(grey, wanted, here & lost, grid) | (~near & written)
        inked |= here
        empty &= ~near
    return tuple(int(tiles.sum()) for tiles in (looked_at, inked, lost & inked, empty & written))


def edited_share(candidate: Image, source: Image, reference: Image, long_side: int = 0) -> float | None:
    """Of the tiles that the edit should change, the share that was changed, in whatever way; nothing where none is.

    Of crops, `long_side` is that of their page: it decides how large tiles are.

    >>> before = np.full((60, 60, 3), 255, np.uint8)
    >>> wanted = before.copy()
    >>> wanted[20:40, 4:56:6] = 0
    >>> edited_share(before, before, wanted), edited_share(wanted, before, wanted), edited_share(before, before, before)
    (0.0, 1.0, None)
    """
    require_rgb_pair(candidate, source)
    require_rgb_pair(reference, source)
    grid = _Grid.of(source, long_side)
    asked = _changed(reference, source, grid)
    return float((asked & _changed(candidate, source, grid)).sum() / asked.sum()) if asked.any() else None


def _changed(image: Image, before: Image, grid: _Grid) -> Tiles:
    """Tiles with another text, or another colour."""
    grey, wanted = grid.grey(image), grid.grey(before)
    inked = (grid.range(wanted) >= INK) | (grid.range(grey) >= INK)
    colours = [grid.cut(each).reshape(grid.rows, grid.columns, -1, 3).mean(2) for each in (image, before)]
    recoloured = np.abs(colours[0] - colours[1]).max(-1) >= RECOLOURED
    return np.asarray(_lost(grey, wanted, inked, grid) | recoloured, np.bool_)


def _lost(grey: Grey, wanted: Grey, inked: Tiles, grid: _Grid) -> Tiles:
    """Of the inked tiles those that are not found again near their place."""
    lost = inked & (_correlation(grid.cut(grey), grid.cut(wanted)) < FOUND)
    for row, column in np.argwhere(lost):  # a few: all others stand where they stood
        side, reach = grid.tile, grid.reach
        y, x = grid.start + row * side, grid.start + column * side
        tile = wanted[y : y + side, x : x + side]
        near = grey[max(0, y - reach) : y + side + reach, max(0, x - reach) : x + side + reach]
        if np.ptp(tile) >= INK and cv2.matchTemplate(near, tile, cv2.TM_CCOEFF_NORMED).max() >= FOUND:
            lost[row, column] = False
    return lost


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of every two tiles; 0 where one of them is plain."""
    one, other = (tiles - tiles.mean(-1, keepdims=True) for tiles in (one, other))
    norm = np.sqrt((one * one).sum(-1) * (other * other).sum(-1))
    return np.asarray(np.divide((one * other).sum(-1), norm, out=np.zeros_like(norm), where=norm > 0), np.float32)


@metric("visual_fidelity", kind="rate", title="Visual fidelity")
def visual_fidelity(candidate: Image, reference: Image) -> float:
    """How alike the colours and the sharpness of two crops are, wherever in them things stand.

    The lower of two: the distance between the distributions of colours, and between those of the strength of edges,
    each as a share of what the fuller crop has. Another font, size, colour, paper or blur shows; a moved word does not.

    >>> page = np.full((40, 80, 3), 255, np.uint8)
    >>> page[10:30, 10:70:6] = 0
    >>> visual_fidelity(np.roll(page, 3, axis=1), page), visual_fidelity(np.full_like(page, 255), page) < 0.5
    (1.0, True)
    """
    require_rgb_pair(candidate, reference)
    paper = np.median(reference.reshape(-1, 3), axis=0).astype(np.float32)
    colours = [cv2.split(image.astype(np.float32) - paper) for image in (candidate, reference)]
    channels = [*zip(*colours, strict=True), (_edges(candidate), _edges(reference))]
    return max(0.0, 1 - max(_apart(np.asarray(one), np.asarray(other)) for one, other in channels))


def _edges(image: Image) -> NDArray[np.float32]:
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY).astype(np.float32)
    across, down = (cv2.Sobel(grey, cv2.CV_32F, dx, 1 - dx, scale=0.25) for dx in (1, 0))
    return np.asarray(np.sqrt(across**2 + down**2), np.float32)  # cv2.magnitude's last bit depends on the address


def _apart(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """How far two distributions lie apart (Wasserstein's distance of order 1), as a share of the fuller one's mean."""
    distance = float(np.abs(np.sort(one, axis=None) - np.sort(other, axis=None)).mean())
    return distance / (max(float(np.abs(values).mean()) for values in (one, other)) + FLOOR)
